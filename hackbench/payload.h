// SPDX-License-Identifier: MIT
// What --verify writes into a message, and how a receiver judges it.
//
// kMessage, where a write is atomic: a header naming group, sender, receiver
// and sequence, then a pattern that depends on all but the receiver, so a piece
// of another message shows. kByte, where the kernel may mix several writers at
// any byte (TCP, writes above the transport's atomic size): every byte is its
// sender's tag and the receiver counts them, which shows loss, repetition and
// misrouting, and cannot show tearing, since tearing is legal there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "hackbench/task_board.h"

namespace hackbench {

enum class VerifyMode { kNone, kMessage, kByte };

struct MessageHeader {
  uint32_t group;
  uint32_t sender;
  uint32_t receiver;
  uint32_t sequence;
};

struct Judgement {
  Fault fault = Fault::kNone;
  uint64_t sender = 0;  // Whose message it was, as far as it can be told.
};

// Writes header and pattern; `message` holds at least a MessageHeader.
void FillMessage(std::span<std::byte> message, const MessageHeader& header);

// The only part of a filled message that differs between receivers.
inline void SetReceiver(std::span<std::byte> message, uint32_t receiver) {
  std::memcpy(message.data() + offsetof(MessageHeader, receiver), &receiver,
              sizeof(receiver));
}

// Compares a message with what `group`'s `receiver` must get next.
// `next_sequence` holds one entry per sender and is advanced. `stamp_bytes`
// behind the header, whole words of the pattern, were written over.
Judgement JudgeMessage(std::span<const std::byte> message, uint32_t group,
                       uint32_t receiver, std::span<uint32_t> next_sequence,
                       size_t stamp_bytes = 0);

// The byte that a sender's messages consist of in kByte mode.
inline std::byte SenderTag(uint32_t group, uint32_t sender) {
  return static_cast<std::byte>(group * 31 + sender);
}

inline constexpr size_t kTagValues = 256;

inline void CountTags(std::span<const std::byte> bytes,
                      std::span<uint64_t, kTagValues> counts) {
  for (const std::byte byte : bytes) ++counts[static_cast<size_t>(byte)];
}

// Judges the counts after all messages: each of `senders` sent `bytes_each`.
Judgement JudgeTags(std::span<const uint64_t, kTagValues> counts,
                    uint32_t group, uint32_t senders, uint64_t bytes_each);

}  // namespace hackbench
