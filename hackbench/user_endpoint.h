// SPDX-License-Identifier: MIT
// What stands in shared memory for one receiver of the user plane, whichever
// lock guards it: the tokens of its wake-ups, and its queue. One zeroed block
// per receiver; the lock, whose type only the task's loop knows, stands last.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace hackbench {

// Any of refcount_list.h.
inline constexpr size_t kRefcountBytes = 64;

struct alignas(64) EndpointHead {
  // Guarded by the table's lock.
  EndpointHead* next;
  uint32_t key;
  // Of a transport without descriptors.
  alignas(64) uint32_t reader_tokens;
  uint32_t space_tokens;
  alignas(64) std::byte refcount[kRefcountBytes];
};

// The group's endpoints by key: what a name is looked up in.
struct EndpointTable {
  void* lock;  // Of the row that --rwlock names.
  EndpointHead** buckets;
  uint32_t mask;

  EndpointHead** BucketOf(uint32_t key) const {
    return &buckets[(key * 0x9e3779b1U >> 16) & mask];
  }
  EndpointHead* Find(uint32_t key) const {
    EndpointHead* endpoint = *BucketOf(key);
    while (endpoint != nullptr && endpoint->key != key) {
      endpoint = endpoint->next;
    }
    return endpoint;
  }
  void Insert(EndpointHead& endpoint) {
    EndpointHead** const bucket = BucketOf(endpoint.key);
    endpoint.next = *bucket;
    *bucket = &endpoint;
  }
  void Remove(EndpointHead& endpoint) {
    EndpointHead** link = BucketOf(endpoint.key);
    while (*link != &endpoint) link = &(*link)->next;
    *link = endpoint.next;
  }
};

// The head of a message. Allocated from a cache of kHeadBytes, zeroed as far as
// the kernel zeroes one.
struct MessageHead {
  std::byte* data;
  uint32_t bytes;
  uint32_t cpu;  // The sender's, to count messages that change theirs.
};
inline constexpr size_t kHeadBytes = 232;
inline constexpr size_t kHeadZeroedBytes = 192;
// Behind a message's data the kernel keeps what sk_buffs share.
inline constexpr size_t kDataOverheadBytes = 320;
// A socket's default send buffer, and the piece a longer message is cut into.
inline constexpr uint64_t kSendBufferBytes = 212992;
inline constexpr size_t kPieceBytes = 32768;

// Everything but the flow control's look is guarded by the endpoint's lock, and
// with no lock written by one side alone: sender above, receiver below.
struct alignas(64) SocketQueue {
  uint64_t appended;  // Messages, ever.
  uint64_t charged;   // Bytes, ever.
  uint32_t reader_asleep;
  uint32_t space_sleepers;
  uint64_t taken;
  uint64_t released;
  std::byte* ring;  // Of MessageHead*, or of messages without allocation.
};

inline constexpr size_t kPipePageBytes = 4096;
inline constexpr uint32_t kPipeBuffers = 16;

// A page of a pipe and what of it is not read yet.
struct PipeBuffer {
  std::byte* page;
  uint32_t offset;
  uint32_t bytes;
  uint32_t cpu;
};

struct alignas(64) PipeQueue {
  uint32_t head;  // Buffers ever filled; tail: ever emptied.
  uint32_t tail;
  uint32_t reader_asleep;
  uint32_t space_sleepers;
  std::byte* pages;  // Without allocation: one page per buffer.
  std::array<PipeBuffer, kPipeBuffers> buffers;

  PipeBuffer& at(uint32_t number) { return buffers[number % kPipeBuffers]; }
  bool is_empty() const { return head == tail; }
  bool is_full() const { return head - tail == kPipeBuffers; }
};

struct SocketEndpointBase : EndpointHead {
  SocketQueue queue;
};
struct PipeEndpointBase : EndpointHead {
  PipeQueue queue;
};

}  // namespace hackbench
