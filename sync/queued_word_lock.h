// SPDX-License-Identifier: MIT
// The queued spinlock in whole-word operations: the form that the models in
// sync/models speak of, and the one for more than 65535 nodes. An unlock is a
// read-modify-write here.
#pragma once

#include "sync/queued_core.h"
#include "sync/whole_word.h"

namespace hackbench::sync {

template <class Wait>
class BasicQueuedWordLock : public QueuedCore<WholeWord, Wait> {
 public:
  static constexpr std::string_view kName = "queued-word";
  static constexpr std::string_view kSummary =
      "queued spinlock in whole-word operations";
};
using QueuedWordLock = BasicQueuedWordLock<SpinWait>;

}  // namespace hackbench::sync
