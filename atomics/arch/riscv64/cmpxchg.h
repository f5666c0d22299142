// SPDX-License-Identifier: MIT
// riscv64: cmpxchg by lr/sc or by Zacas amocas, xchg and fetch_add by AMOs.
//
// Strengths are the kernel's: relaxed is bare, acquire has `fence r,rw` behind,
// release `fence rw,w` before, full a releasing store and `fence rw,rw` behind.
// lr.w sign-extends, so 32-bit operands are compared sign-extended. Small words
// are rewritten inside their four bytes. There is no unlocked form; local users
// get the relaxed one.
#pragma once

#include <string_view>

#include "atomics/arch/riscv64/cpu.h"
#include "atomics/order.h"
#include "atomics/subword.h"
#include "atomics/word.h"

namespace hackbench::atomics::riscv64 {

template <Order kOrder>
inline void FenceBefore() {
  if constexpr (kOrder == Order::kRelease || kOrder == Order::kFull) {
    asm volatile("fence rw, w" ::: "memory");
  }
}

template <Order kOrder>
inline void FenceAfter() {
  if constexpr (kOrder == Order::kAcquire) {
    asm volatile("fence r, rw" ::: "memory");
  } else if constexpr (kOrder == Order::kFull) {
    asm volatile("fence rw, rw" ::: "memory");
  }
}

// What a 32-bit load leaves in a register.
template <class U>
constexpr int64_t SignExtended(U value) {
  if constexpr (sizeof(U) == 4) {
    return static_cast<int32_t>(value);
  } else {
    return static_cast<int64_t>(value);
  }
}

struct LoadReserved {
  static constexpr std::string_view kName = "lr/sc";
  static std::string_view WhyNot() { return {}; }

  template <Order kOrder, class U>
  static bool Run(U* word, U& expected, U desired) {
    int64_t old;
    int64_t failed = 1;
#define HACKBENCH_LR_SC(W, RL)                                             \
  asm volatile(                                                            \
      "1: lr." W                                                           \
      " %[old], %[word]\n"                                                 \
      "   bne %[old], %[expected], 2f\n"                                   \
      "   sc." W RL                                                        \
      " %[failed], %[desired], %[word]\n"                                  \
      "   bnez %[failed], 1b\n"                                            \
      "2:"                                                                 \
      : [old] "=&r"(old), [failed] "+&r"(failed), [word] "+A"(*word)       \
      : [expected] "r"(SignExtended(expected)), [desired] "r"(             \
                                                    SignExtended(desired)) \
      : "memory")
    if constexpr (kOrder == Order::kRelease) FenceBefore<kOrder>();
    if constexpr (sizeof(U) == 4 && kOrder == Order::kFull) {
      HACKBENCH_LR_SC("w", ".rl");
    } else if constexpr (sizeof(U) == 4) {
      HACKBENCH_LR_SC("w", "");
    } else if constexpr (kOrder == Order::kFull) {
      HACKBENCH_LR_SC("d", ".rl");
    } else {
      HACKBENCH_LR_SC("d", "");
    }
#undef HACKBENCH_LR_SC
    FenceAfter<kOrder>();
    expected = static_cast<U>(old);
    return failed == 0;
  }
};

// Zacas by .insn, because binutils 2.40 does not know it: opcode AMO, funct5
// 00101, no aq or rl, the old value's register also holding what is expected.
struct Amocas {
  static constexpr std::string_view kName = "Zacas amocas";
  static std::string_view WhyNot() { return WhyNoZacas(); }

  template <Order kOrder, class U>
  static bool Run(U* word, U& expected, U desired) {
    const int64_t wanted = SignExtended(expected);
    int64_t old = wanted;
    FenceBefore<kOrder>();
    if constexpr (sizeof(U) == 4) {
      asm volatile(".insn r 0x2f, 2, 0x14, %[old], %[word], %[desired]"
                   : [old] "+&r"(old)
                   : [word] "r"(word), [desired] "r"(SignExtended(desired))
                   : "memory");
    } else {
      asm volatile(".insn r 0x2f, 3, 0x14, %[old], %[word], %[desired]"
                   : [old] "+&r"(old)
                   : [word] "r"(word), [desired] "r"(SignExtended(desired))
                   : "memory");
    }
    FenceAfter<kOrder>();
    expected = static_cast<U>(old);
    return old == wanted;
  }
};

template <class Exchange>
struct OpsBy {
  static constexpr std::string_view kName = Exchange::kName;
  static constexpr bool kCompiled = true;
  static constexpr bool kLocalIsUnlocked = false;
  static constexpr uint64_t kReservedBits = 0;

  static std::string_view WhyNot() { return Exchange::WhyNot(); }

  template <Order kOrder, Word T>
  static bool Cmpxchg(T* word, T& expected, T desired) {
    using U = Bits<T>;
    auto* raw = reinterpret_cast<U*>(word);
    U bits = ToBits(expected);
    bool equal;
    if constexpr (sizeof(U) < 4) {
      equal = SubwordCmpxchg<Exchange, kOrder>(raw, bits, ToBits(desired));
    } else {
      equal = Exchange::template Run<kOrder>(raw, bits, ToBits(desired));
    }
    expected = FromBits<T>(bits);
    return equal;
  }

  template <Order kOrder, Word T>
  static T Xchg(T* word, T value) {
    using U = Bits<T>;
    auto* raw = reinterpret_cast<U*>(word);
    if constexpr (sizeof(U) < 4) {
      return FromBits<T>(SubwordXchg<Exchange, kOrder>(raw, ToBits(value)));
    } else {
      int64_t old;
      FenceBefore<kOrder>();
      if constexpr (sizeof(U) == 4) {
        asm volatile("amoswap.w %[old], %[value], %[word]"
                     : [old] "=r"(old), [word] "+A"(*raw)
                     : [value] "r"(ToBits(value))
                     : "memory");
      } else {
        asm volatile("amoswap.d %[old], %[value], %[word]"
                     : [old] "=r"(old), [word] "+A"(*raw)
                     : [value] "r"(ToBits(value))
                     : "memory");
      }
      FenceAfter<kOrder>();
      return FromBits<T>(static_cast<U>(old));
    }
  }

  template <Order kOrder, std::integral T>
  static T FetchAdd(T* word, T delta) {
    using U = Bits<T>;
    auto* raw = reinterpret_cast<U*>(word);
    if constexpr (sizeof(U) < 4) {
      return FromBits<T>(SubwordFetchAdd<Exchange, kOrder>(raw, ToBits(delta)));
    } else {
      int64_t old;
      FenceBefore<kOrder>();
      if constexpr (sizeof(U) == 4) {
        asm volatile("amoadd.w %[old], %[delta], %[word]"
                     : [old] "=r"(old), [word] "+A"(*raw)
                     : [delta] "r"(ToBits(delta))
                     : "memory");
      } else {
        asm volatile("amoadd.d %[old], %[delta], %[word]"
                     : [old] "=r"(old), [word] "+A"(*raw)
                     : [delta] "r"(ToBits(delta))
                     : "memory");
      }
      FenceAfter<kOrder>();
      return FromBits<T>(static_cast<U>(old));
    }
  }
};

using LoadLinkedOps = OpsBy<LoadReserved>;
using InstructionOps = OpsBy<Amocas>;
// lr/sc everywhere: Zacas is too rare to pay a branch for.
using WordOps = LoadLinkedOps;

}  // namespace hackbench::atomics::riscv64
