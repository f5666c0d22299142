// SPDX-License-Identifier: MIT
// The audit of `owned`, and what is done while nobody is at work: every object
// is free in exactly one list or sheaf of its class, or in use.
#pragma once

#include <absl/strings/str_cat.h>

#include <unordered_map>
#include <vector>

#include "alloc/owned_slow.h"
#include "alloc/slab_audit.h"

namespace hackbench::alloc {

template <bool kFront, StatsMode kStats>
class OwnedAudit : public OwnedSlow<kFront, kStats> {
 public:
  using OwnedSlow<kFront, kStats>::OwnedSlow;

  Statistics Stats() {
    Statistics sum;
    ForEachClass([&](OwnedClass& own, unsigned, uint32_t) {
      for (uint32_t i = 0; i < kNumStats; ++i) {
        sum.counts[i] += own.front.stats.counts[i];
      }
    });
    return sum;
  }

  absl::StatusOr<Audit> Check() {
    absl::StatusOr<Audit> audit = AuditHeap(heap_);
    if (!audit.ok()) return audit;
    Marks marks;
    heap_.ForEachBlock([&](const SlabDescriptor& span) {
      if (span.kind != PageKind::kSpan) return;
      const SpanInfo info = spans_[heap_.PageOf(span) >> kSpanOrder];
      const auto start =
          Base::base_ + (size_t{heap_.PageOf(span)} << kPageShift);
      const uint32_t objects = Base::ObjectsCut(
          Base::ClassOf(info), ToWord(start), info.size_class());
      marks[heap_.PageOf(span)].resize(objects);
      audit->objects_used += objects;
      ++audit->slabs;
    });
    uint64_t free = 0;
    absl::Status status = absl::OkStatus();
    const auto mark = [&](const char* object, unsigned c) {
      if (status.ok()) status = Mark(marks, object, c);
      ++free;
      return status.ok();
    };
    ForEachClass([&](OwnedClass& own, unsigned c, uint32_t) {
      for (const uint64_t list : {own.list, own.remote}) {
        Base::IsIndexed(c) ? Walk<OutsideLinks>(list, c, mark)
                           : Walk<InsideLinks>(list, c, mark);
      }
    });
    ForEachSheaf([&](SheafTop& sheaf, unsigned c) {
      ForEachInSheaf(sheaf, [&](const char* object) { mark(object, c); });
    });
    if (!status.ok()) return status;
    audit->objects_free = free;
    audit->objects_used -= free;
    return audit;
  }

  void Recover() {
    ForEachClass([](OwnedClass& own, unsigned c, uint32_t) {
      static_cast<void>(c);
      if (own.front.lock.IsHeld()) own.front.lock.Unlock();
    });
    for (unsigned c = 0; c < kNumClasses; ++c) {
      if (barns_[c].lock.IsHeld()) barns_[c].lock.Unlock();
    }
    // A span whose cursor was never set was not yet in use.
    heap_.ForEachBlock([&](SlabDescriptor& span) {
      SpanInfo& info = spans_[heap_.PageOf(span) >> kSpanOrder];
      if (span.kind != PageKind::kNone || span.order != kSpanOrder ||
          !info.is_span()) {
        return;
      }
      const auto start = ToWord(heap_.AddressOf(heap_.PageOf(span)));
      const uint64_t carve = Base::ClassOf(info).carve;
      if (carve > start && carve <= start + kSpanBytes) {
        span.kind = PageKind::kSpan;
      } else {
        info = SpanInfo{};
      }
    });
    heap_.pages().Recover();
  }

  void Flush() {
    ForEachSheaf([&](SheafTop& sheaf, unsigned c) {
      if (sheaf != Base::closed_) Base::FlushToOwners(sheaf, c);
    });
    for (unsigned c = 0; c < kNumClasses; ++c) {
      while (const SheafTop sheaf = barns_[c].TakeFull()) {
        barns_[c].PutEmpty(sheaf);
      }
    }
    ForEachClass([&](OwnedClass& own, unsigned c, uint32_t) {
      Base::IsIndexed(c) ? FlushClass<OutsideLinks>(own, c)
                         : FlushClass<InsideLinks>(own, c);
    });
    heap_.pages().DrainCpuLists();
  }

 protected:
  using Base = OwnedSlow<kFront, kStats>;
  using Base::barns_;
  using Base::cpus_;
  using Base::heap_;
  using Base::num_cpus_;
  using Base::spans_;

 private:
  using Marks = std::unordered_map<uint32_t, std::vector<bool>>;

  template <class Visit>
  void ForEachClass(Visit visit) {
    for (uint32_t cpu = 0; cpu <= num_cpus_; ++cpu) {
      for (unsigned c = 0; c < kNumClasses; ++c) {
        visit(cpus_[cpu].classes[c], c, cpu);
      }
    }
  }
  template <class Visit>
  void ForEachSheaf(Visit visit) {
    ForEachClass([&](OwnedClass& own, unsigned c, uint32_t) {
      visit(own.front.top, c);
      if (own.front.spare != 0) visit(own.front.spare, c);
    });
    for (unsigned c = 0; c < kNumClasses; ++c) {
      for (uint32_t i = 0; i < barns_[c].full_count; ++i) {
        visit(barns_[c].full[i], c);
      }
    }
  }
  template <class Kind, class Visit>
  void Walk(uint64_t list, unsigned c, Visit visit) {
    for (uint64_t at = list; at != 0; at = Kind::Get(Base::Links(), at)) {
      if (!visit(Kind::ToObject(Base::Links(), at), c)) return;
    }
  }

  absl::Status Mark(Marks& marks, const char* object, unsigned c) {
    if (!heap_.Contains(object)) {
      return absl::InternalError("a list leads out of the arena");
    }
    const SpanInfo info = spans_[Base::SpanOf(object)];
    const auto page = static_cast<uint32_t>(Base::SpanOf(object) << kSpanOrder);
    const auto offset = static_cast<uint64_t>(object - heap_.AddressOf(page));
    const uint64_t number = offset / kClassBytes[c];
    std::vector<bool>& free = marks[page];
    if (!info.is_span() || info.size_class() != c ||
        offset % kClassBytes[c] != 0 || number >= free.size()) {
      return absl::InternalError(absl::StrCat(
          "a list of class ", kClassBytes[c], " holds offset ", offset,
          " of the span at page ", page, ", which is no object of it"));
    }
    if (free[number]) {
      return absl::InternalError(absl::StrCat(
          "object ", number, " of the span at page ", page, " is free twice"));
    }
    free[number] = true;
    return absl::OkStatus();
  }

  template <class Kind>
  void FlushClass(OwnedClass& own, unsigned c) {
    const uint64_t chain = Base::template Join<Kind>(own.list, own.remote);
    own.list = 0;
    own.remote = 0;
    uint64_t last = 0;
    own.list = Base::template ReleaseSpans<Kind>(own, c, chain, last);
  }
};

}  // namespace hackbench::alloc
