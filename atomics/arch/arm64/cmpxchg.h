// SPDX-License-Identifier: MIT
// arm64: cmpxchg, xchg and fetch_add, by load-linked/store-conditional
// (ARMv8.0) and by LSE instructions (ARMv8.1), chosen at run time.
//
// Our own assembly, because the compiler's outline helpers hide the choice and
// cost a call. Fully ordered is the kernel's: ldxr, stlxr, dmb ish without LSE;
// the acquire-release instruction with it. There is no unlocked form; local
// users get the relaxed one.
#pragma once

#include <string_view>

#include "atomics/arch/arm64/cpu.h"
#include "atomics/order.h"
#include "atomics/word.h"

// Pastes the size suffix and the register width into OP.
#define HACKBENCH_BY_SIZE(U, OP, ...)    \
  if constexpr (sizeof(U) == 1) {        \
    OP("b", "w", __VA_ARGS__);           \
  } else if constexpr (sizeof(U) == 2) { \
    OP("h", "w", __VA_ARGS__);           \
  } else if constexpr (sizeof(U) == 4) { \
    OP("", "w", __VA_ARGS__);            \
  } else {                               \
    OP("", "x", __VA_ARGS__);            \
  }

// Pastes the acquire and release letters; the load-linked forms get their full
// order from a barrier after the store.
#define HACKBENCH_BY_ORDER(kOrder, kFullAcquire, U, OP) \
  if constexpr (kOrder == Order::kRelaxed) {            \
    HACKBENCH_BY_SIZE(U, OP, "", "")                    \
  } else if constexpr (kOrder == Order::kAcquire) {     \
    HACKBENCH_BY_SIZE(U, OP, "a", "")                   \
  } else if constexpr (kOrder == Order::kRelease) {     \
    HACKBENCH_BY_SIZE(U, OP, "", "l")                   \
  } else {                                              \
    HACKBENCH_BY_SIZE(U, OP, kFullAcquire, "l")         \
  }

namespace hackbench::atomics::arm64 {

struct LoadLinkedOps {
  static constexpr std::string_view kName = "ldxr/stxr";
  static constexpr bool kCompiled = true;
  static constexpr bool kLocalIsUnlocked = false;
  static constexpr uint64_t kReservedBits = 0;

  static std::string_view WhyNot() { return {}; }

  template <Order kOrder, Word T>
  static bool Cmpxchg(T* word, T& expected, T desired) {
    using U = Bits<T>;
    // Widened here: the compiler leaves anything above a narrow operand.
    const uint64_t wanted = ToBits(expected);
    U old;
    uint32_t failed;
    bool equal;
#define HACKBENCH_CMPXCHG(S, R, A, L)                                   \
  asm volatile("1: ld" A "xr" S " %" R                                  \
               "[old], %[word]\n"                                       \
               "   cmp %" R "[old], %" R                                \
               "[expected]\n"                                           \
               "   b.ne 2f\n"                                           \
               "   st" L "xr" S " %w[failed], %" R                      \
               "[desired], %[word]\n"                                   \
               "   cbnz %w[failed], 1b\n"                               \
               "2: cset %w[equal], eq"                                  \
               : [old] "=&r"(old), [failed] "=&r"(failed),              \
                 [equal] "=r"(equal), [word] "+Q"(*word)                \
               : [expected] "r"(wanted), [desired] "r"(ToBits(desired)) \
               : "memory", "cc")
    HACKBENCH_BY_ORDER(kOrder, "", U, HACKBENCH_CMPXCHG)
#undef HACKBENCH_CMPXCHG
    if constexpr (kOrder == Order::kFull) Cpu::FullFence();
    expected = FromBits<T>(old);
    return equal;
  }

  template <Order kOrder, Word T>
  static T Xchg(T* word, T value) {
    using U = Bits<T>;
    U old;
    uint32_t failed;
#define HACKBENCH_XCHG(S, R, A, L)                                            \
  asm volatile("1: ld" A "xr" S " %" R                                        \
               "[old], %[word]\n"                                             \
               "   st" L "xr" S " %w[failed], %" R                            \
               "[value], %[word]\n"                                           \
               "   cbnz %w[failed], 1b"                                       \
               : [old] "=&r"(old), [failed] "=&r"(failed), [word] "+Q"(*word) \
               : [value] "r"(ToBits(value))                                   \
               : "memory")
    HACKBENCH_BY_ORDER(kOrder, "", U, HACKBENCH_XCHG)
#undef HACKBENCH_XCHG
    if constexpr (kOrder == Order::kFull) Cpu::FullFence();
    return FromBits<T>(old);
  }

  template <Order kOrder, std::integral T>
  static T FetchAdd(T* word, T delta) {
    using U = Bits<T>;
    U old;
    U sum;
    uint32_t failed;
#define HACKBENCH_ADD(S, R, A, L)                                            \
  asm volatile("1: ld" A "xr" S " %" R                                       \
               "[old], %[word]\n"                                            \
               "   add %" R "[sum], %" R "[old], %" R                        \
               "[delta]\n"                                                   \
               "   st" L "xr" S " %w[failed], %" R                           \
               "[sum], %[word]\n"                                            \
               "   cbnz %w[failed], 1b"                                      \
               : [old] "=&r"(old), [sum] "=&r"(sum), [failed] "=&r"(failed), \
                 [word] "+Q"(*word)                                          \
               : [delta] "r"(ToBits(delta))                                  \
               : "memory")
    HACKBENCH_BY_ORDER(kOrder, "", U, HACKBENCH_ADD)
#undef HACKBENCH_ADD
    if constexpr (kOrder == Order::kFull) Cpu::FullFence();
    return FromBits<T>(old);
  }
};

struct InstructionOps {
  static constexpr std::string_view kName = "LSE cas/swp/ldadd";
  static constexpr bool kCompiled = true;
  static constexpr bool kLocalIsUnlocked = false;
  static constexpr uint64_t kReservedBits = 0;

  static std::string_view WhyNot() { return WhyNoLse(); }

  template <Order kOrder, Word T>
  static bool Cmpxchg(T* word, T& expected, T desired) {
    using U = Bits<T>;
    const U wanted = ToBits(expected);
    U old = wanted;
#define HACKBENCH_CAS(S, R, A, L)                          \
  asm volatile(                                            \
      ".arch_extension lse\n"                              \
      "cas" A L S " %" R "[old], %" R "[desired], %[word]" \
      : [old] "+r"(old), [word] "+Q"(*word)                \
      : [desired] "r"(ToBits(desired))                     \
      : "memory")
    HACKBENCH_BY_ORDER(kOrder, "a", U, HACKBENCH_CAS)
#undef HACKBENCH_CAS
    expected = FromBits<T>(old);
    return old == wanted;
  }

  template <Order kOrder, Word T>
  static T Xchg(T* word, T value) {
    using U = Bits<T>;
    U old;
#define HACKBENCH_SWP(S, R, A, L)                        \
  asm volatile(                                          \
      ".arch_extension lse\n"                            \
      "swp" A L S " %" R "[value], %" R "[old], %[word]" \
      : [old] "=r"(old), [word] "+Q"(*word)              \
      : [value] "r"(ToBits(value))                       \
      : "memory")
    HACKBENCH_BY_ORDER(kOrder, "a", U, HACKBENCH_SWP)
#undef HACKBENCH_SWP
    return FromBits<T>(old);
  }

  template <Order kOrder, std::integral T>
  static T FetchAdd(T* word, T delta) {
    using U = Bits<T>;
    U old;
#define HACKBENCH_LDADD(S, R, A, L)                        \
  asm volatile(                                            \
      ".arch_extension lse\n"                              \
      "ldadd" A L S " %" R "[delta], %" R "[old], %[word]" \
      : [old] "=r"(old), [word] "+Q"(*word)                \
      : [delta] "r"(ToBits(delta))                         \
      : "memory")
    HACKBENCH_BY_ORDER(kOrder, "a", U, HACKBENCH_LDADD)
#undef HACKBENCH_LDADD
    return FromBits<T>(old);
  }
};

// One predicted branch per operation; code that cares names one of the above.
struct WordOps {
  static constexpr std::string_view kName = "LSE or ldxr/stxr, by HWCAP";
  static constexpr bool kCompiled = true;
  static constexpr bool kLocalIsUnlocked = false;
  static constexpr uint64_t kReservedBits = 0;

  static std::string_view WhyNot() { return {}; }

  template <Order kOrder, Word T>
  static bool Cmpxchg(T* word, T& expected, T desired) {
    return UseLse() ? InstructionOps::Cmpxchg<kOrder>(word, expected, desired)
                    : LoadLinkedOps::Cmpxchg<kOrder>(word, expected, desired);
  }
  template <Order kOrder, Word T>
  static T Xchg(T* word, T value) {
    return UseLse() ? InstructionOps::Xchg<kOrder>(word, value)
                    : LoadLinkedOps::Xchg<kOrder>(word, value);
  }
  template <Order kOrder, std::integral T>
  static T FetchAdd(T* word, T delta) {
    return UseLse() ? InstructionOps::FetchAdd<kOrder>(word, delta)
                    : LoadLinkedOps::FetchAdd<kOrder>(word, delta);
  }
};

}  // namespace hackbench::atomics::arm64

#undef HACKBENCH_BY_ORDER
#undef HACKBENCH_BY_SIZE
