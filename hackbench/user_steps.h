// SPDX-License-Identifier: MIT
// The steps of a message in the user plane, in its order. A task says which one
// it is in: for the report of its death, and for --phases.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace hackbench {

enum class Step : uint32_t {
  kOutside,   // Of the plane: the task's own loop, filling a message.
  kLookUp,    // The peer in the endpoint table, and a hold of it.
  kAllocate,  // Head and data.
  kSpace,     // Is there room in the receiver's queue?
  kCopyIn,
  kQueue,  // The queue's lock: append, or the pipe's write under it.
  kWake,   // Of a sleeper over the transport.
  kTake,   // The queue's lock: take, or the pipe's read under it.
  kCopyOut,
  kFree,      // Data and head.
  kPut,       // The hold.
  kRegister,  // The endpoint anew: --churn.
  kVerify,
  kSleep,  // In the kernel.
  kNumSteps
};
inline constexpr size_t kNumSteps = static_cast<size_t>(Step::kNumSteps);

inline constexpr std::array<std::string_view, kNumSteps> kStepNames = {
    "outside", "look_up",  "allocate", "space", "copy_in",  "queue",  "wake",
    "take",    "copy_out", "free",     "put",   "register", "verify", "sleep"};

}  // namespace hackbench
