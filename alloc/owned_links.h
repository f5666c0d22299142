// SPDX-License-Identifier: MIT
// How the lists of `owned` are linked: through the first word of an object, or
// from 1 KiB by numbers beside the objects, which are then never touched. A
// list's head is one word either way; 0 ends it.
#pragma once

#include <cstdint>

#include "alloc/heap.h"
#include "alloc/size_class.h"
#include "alloc/slab_word.h"
#include "atomics/arch.h"

namespace hackbench::alloc {

struct LinkTable {
  char* base;
  uint32_t* links;  // One per granule of the arena.
};

inline constexpr unsigned kFirstIndexedClass =
    ClassFor(size_t{1} << kGranuleShift);
static_assert(kClassBytes[kFirstIndexedClass] == size_t{1} << kGranuleShift);

struct InsideLinks {
  static uint64_t ToWord(LinkTable, const void* object) {
    return alloc::ToWord(object);
  }
  static char* ToObject(LinkTable, uint64_t word) { return ToPointer(word); }
  static uint64_t Get(LinkTable, uint64_t word) {
    return LoadLink(ToPointer(word));
  }
  static void Set(LinkTable, uint64_t word, uint64_t next) {
    StoreLink(ToPointer(word), next);
  }
  [[gnu::always_inline]] static atomics::RseqResult Pop(LinkTable,
                                                        atomics::RseqArea* area,
                                                        uint32_t cpu,
                                                        uint64_t* list,
                                                        uint64_t& word) {
    return atomics::RseqList::Pop(area, cpu, list, word);
  }
  [[gnu::always_inline]] static atomics::RseqResult Push(
      LinkTable, atomics::RseqArea* area, uint32_t cpu, uint64_t* list,
      uint64_t word) {
    return atomics::RseqList::Push(area, cpu, list, word);
  }
};

struct OutsideLinks {
  static uint64_t ToWord(LinkTable table, const void* object) {
    return static_cast<uint64_t>(static_cast<const char*>(object) -
                                 table.base) >>
           kGranuleShift;
  }
  static char* ToObject(LinkTable table, uint64_t word) {
    return table.base + (word << kGranuleShift);
  }
  // relaxed: published by the exchange or the commit of the head.
  static uint64_t Get(LinkTable table, uint64_t word) {
    return __atomic_load_n(&table.links[word], __ATOMIC_RELAXED);
  }
  static void Set(LinkTable table, uint64_t word, uint64_t next) {
    __atomic_store_n(&table.links[word], static_cast<uint32_t>(next),
                     __ATOMIC_RELAXED);
  }
  [[gnu::always_inline]] static atomics::RseqResult Pop(LinkTable table,
                                                        atomics::RseqArea* area,
                                                        uint32_t cpu,
                                                        uint64_t* list,
                                                        uint64_t& word) {
    return atomics::RseqList::PopIndexed(area, cpu, list, table.links, word);
  }
  [[gnu::always_inline]] static atomics::RseqResult Push(
      LinkTable table, atomics::RseqArea* area, uint32_t cpu, uint64_t* list,
      uint64_t word) {
    return atomics::RseqList::PushIndexed(area, cpu, list, table.links, word);
  }
};

}  // namespace hackbench::alloc
