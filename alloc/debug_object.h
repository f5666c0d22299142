// SPDX-License-Identifier: MIT
// How an object of the debug engine lies in its slot, as with slub_debug:
//
//   link | left red zone | object | right red zone | tracks | state
//
// The free pointer stands outside the object, so that a free object is poison
// from end to end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "alloc/cache.h"

namespace hackbench::alloc {

// The letters of slub_debug=.
enum DebugFlag : uint32_t {
  kDebugConsistency = 1,  // F: state of objects and pointers that are freed.
  kDebugRedZone = 2,      // Z
  kDebugPoison = 4,       // P
  kDebugTrack = 8,        // U: who allocated and who freed.
  kDebugTrace = 16,       // T: a line per call.
  kDebugFail = 32,        // A: fault injection applies.
};
inline constexpr std::string_view kDebugLetters = "FZPUTA";

inline constexpr uint8_t kPoisonFree = 0x6b;
inline constexpr uint8_t kPoisonEnd = 0xa5;
inline constexpr uint8_t kPoisonInUse = 0x5a;
inline constexpr uint8_t kRedInactive = 0xbb;
inline constexpr uint8_t kRedActive = 0xcc;

struct Track {
  uint64_t address;  // Of the caller.
  uint64_t when;     // Cycle counter.
  uint32_t cpu;
  uint32_t pid;
};

// What stands behind an object.
struct DebugTail {
  Track allocated;
  Track freed;
  uint64_t state;
};
inline constexpr uint64_t kStateFresh = 0;  // Never handed out.
inline constexpr uint64_t kStateUsed = 0x616c6c6f63617465;
inline constexpr uint64_t kStateFree = 0x6672656564667265;

inline constexpr size_t kLinkBytes = 8;
inline constexpr size_t kLeftRedBytes = 8;
inline constexpr size_t kBeforeObject = kLinkBytes + kLeftRedBytes;
inline constexpr size_t kRightRedBytes = 8;  // At least; up to the tail.

constexpr size_t RightRedEnd(size_t object_bytes) {
  return kBeforeObject + (object_bytes + kRightRedBytes + 7) / 8 * 8;
}
constexpr size_t DebugSlotBytes(size_t object_bytes) {
  return RightRedEnd(object_bytes) + sizeof(DebugTail);
}

// One slot of a cache.
class DebugObject {
 public:
  DebugObject(const Cache& cache, char* slot)
      : slot_(slot), bytes_(cache.object_bytes) {}
  static char* SlotOf(void* object) {
    return static_cast<char*>(object) - kBeforeObject;
  }

  char* slot() const { return slot_; }
  char* object() const { return slot_ + kBeforeObject; }
  size_t bytes() const { return bytes_; }
  DebugTail& tail() const {
    return *reinterpret_cast<DebugTail*>(slot_ + RightRedEnd(bytes_));
  }

  void FillRedZones(uint8_t value) const {
    std::memset(slot_ + kLinkBytes, value, kLeftRedBytes);
    std::memset(object() + bytes_, value,
                RightRedEnd(bytes_) - kBeforeObject - bytes_);
  }
  void PoisonFree() const {
    std::memset(object(), kPoisonFree, bytes_ - 1);
    object()[bytes_ - 1] = static_cast<char>(kPoisonEnd);
  }

  // The first byte that is not as it should be, or nullptr.
  const char* LeftRedZoneDamage(uint8_t value) const {
    return Differs(slot_ + kLinkBytes, kLeftRedBytes, value);
  }
  const char* RightRedZoneDamage(uint8_t value) const {
    return Differs(object() + bytes_,
                   RightRedEnd(bytes_) - kBeforeObject - bytes_, value);
  }
  const char* PoisonDamage() const {
    const char* const damage = Differs(object(), bytes_ - 1, kPoisonFree);
    if (damage != nullptr) return damage;
    return Differs(object() + bytes_ - 1, 1, kPoisonEnd);
  }

 private:
  static const char* Differs(const char* from, size_t bytes, uint8_t value) {
    for (size_t i = 0; i < bytes; ++i) {
      if (static_cast<uint8_t>(from[i]) != value) return from + i;
    }
    return nullptr;
  }

  char* slot_;
  size_t bytes_;
};

}  // namespace hackbench::alloc
