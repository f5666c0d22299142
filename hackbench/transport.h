// SPDX-License-Identifier: MIT
// What carries a message: in the kernel plane one connected pair of
// descriptors per receiver, written by every sender of its group.
//
// A transport is one header and one line in transport_list.h. It opens
// channels; reading and writing are the same blocking calls for all, so the
// worker loops do not know which one they run on. In the user plane a message
// goes through our model of what the transport does, and the channel carries
// wake-ups.
#pragma once

#include <absl/status/status.h>

#include <concepts>
#include <cstddef>
#include <memory>
#include <string_view>

namespace hackbench {

struct Channel {
  int read_fd = -1;
  int write_fd = -1;
};

struct TransportOptions {
  bool nodelay = false;  // TCP only.
};

// Which of our models stands for a transport in the user plane.
enum class MessageModel { kNone, kSocket, kPipe };

struct TransportTraits {
  // A write of up to so many bytes is never mixed with another writer's. 0:
  // writers may be mixed at any byte.
  size_t atomic_bytes = 0;
  // Descriptors held beside the channels while they are being opened.
  int extra_descriptors = 0;
  bool has_nodelay = false;
  MessageModel model = MessageModel::kNone;
  bool two_way = false;         // What is written to the read end comes out.
  bool has_descriptors = true;  // False: of no use in the kernel plane.
};

class Transport {
 public:
  virtual ~Transport() = default;

  // Makes one channel of blocking descriptors. An error names the call that
  // failed; what was opened before it is closed again.
  virtual absl::Status Open(Channel& channel) = 0;
};

template <typename T>
concept TransportPart = std::derived_from<T, Transport> &&
    std::constructible_from<T, const TransportOptions&> && requires {
  { T::kName } -> std::convertible_to<std::string_view>;
  { T::kSummary } -> std::convertible_to<std::string_view>;
  { T::kTraits } -> std::convertible_to<TransportTraits>;
};

struct TransportEntry {
  std::string_view name;
  std::string_view summary;
  TransportTraits traits;
  std::unique_ptr<Transport> (*make)(const TransportOptions& options);
};

template <TransportPart T>
constexpr TransportEntry MakeTransportEntry() {
  return {T::kName, T::kSummary, T::kTraits,
          [](const TransportOptions& options) -> std::unique_ptr<Transport> {
            return std::make_unique<T>(options);
          }};
}

}  // namespace hackbench
