// SPDX-License-Identifier: MIT
#include "hackbench/payload.h"

#include <algorithm>
#include <array>

namespace hackbench {
namespace {

// Any mixing that tells neighbours apart: the finaliser of SplitMix64 (Steele,
// Lea and Flood, "Fast splittable pseudorandom number generators", 2014).
uint64_t Mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

uint64_t PatternOf(const MessageHeader& header) {
  return Mix(Mix(uint64_t{header.group} << 32 | header.sender) ^
             header.sequence);
}

bool HasPattern(std::span<const std::byte> body, uint64_t pattern) {
  while (body.size() >= sizeof(pattern)) {
    if (std::memcmp(body.data(), &pattern, sizeof(pattern)) != 0) return false;
    body = body.subspan(sizeof(pattern));
  }
  return body.empty() || std::memcmp(body.data(), &pattern, body.size()) == 0;
}

}  // namespace

void FillMessage(std::span<std::byte> message, const MessageHeader& header) {
  std::memcpy(message.data(), &header, sizeof(header));
  std::span<std::byte> body = message.subspan(sizeof(header));
  const uint64_t pattern = PatternOf(header);
  while (!body.empty()) {
    const size_t piece = std::min(body.size(), sizeof(pattern));
    std::memcpy(body.data(), &pattern, piece);
    body = body.subspan(piece);
  }
}

Judgement JudgeMessage(std::span<const std::byte> message, uint32_t group,
                       uint32_t receiver, std::span<uint32_t> next_sequence,
                       size_t stamp_bytes) {
  MessageHeader header;
  std::memcpy(&header, message.data(), sizeof(header));
  if (!HasPattern(message.subspan(sizeof(header) + stamp_bytes),
                  PatternOf(header))) {
    return {Fault::kTorn, header.sender};
  }
  if (header.group != group || header.receiver != receiver) {
    return {Fault::kMisrouted, header.sender};
  }
  if (header.sender >= next_sequence.size()) {
    return {Fault::kTorn, header.sender};
  }
  uint32_t& next = next_sequence[header.sender];
  if (header.sequence > next) return {Fault::kLost, header.sender};
  if (header.sequence < next) return {Fault::kRepeated, header.sender};
  ++next;
  return {};
}

Judgement JudgeTags(std::span<const uint64_t, kTagValues> counts,
                    uint32_t group, uint32_t senders, uint64_t bytes_each) {
  std::array<uint64_t, kTagValues> expected{};
  for (uint32_t sender = 0; sender < senders; ++sender) {
    expected[static_cast<size_t>(SenderTag(group, sender))] += bytes_each;
  }
  // Bytes of strangers first: they explain why others are missing.
  for (size_t tag = 0; tag < kTagValues; ++tag) {
    if (expected[tag] == 0 && counts[tag] > 0) return {Fault::kMisrouted, tag};
  }
  for (uint32_t sender = 0; sender < senders; ++sender) {
    const auto tag = static_cast<size_t>(SenderTag(group, sender));
    if (counts[tag] < expected[tag]) return {Fault::kLost, sender};
    if (counts[tag] > expected[tag]) return {Fault::kRepeated, sender};
  }
  return {};
}

}  // namespace hackbench
