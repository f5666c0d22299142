// SPDX-License-Identifier: MIT
#include "alloc/measure.h"

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>

#include "alloc/engine_types.h"
#include "alloc/measure_loops.h"

namespace hackbench::alloc {
namespace {

// A peer behind its two functions. It has no bulk calls of its own.
class PeerEngine {
 public:
  explicit PeerEngine(PeerFunctions functions) : functions_(functions) {}

  void* Alloc(size_t bytes) { return functions_.malloc(bytes); }
  void Free(void* object) { functions_.free(object); }
  size_t AllocBulk(size_t bytes, size_t count, void** objects) {
    for (size_t i = 0; i < count; ++i) {
      objects[i] = Alloc(bytes);
      if (objects[i] == nullptr) return i;
    }
    return count;
  }
  void FreeBulk(size_t count, void** objects) {
    for (size_t i = 0; i < count; ++i) Free(objects[i]);
  }
  void Flush() {}
  absl::StatusOr<Audit> Check() { return Audit{}; }

 private:
  PeerFunctions functions_;
};

template <class E>
std::unique_ptr<Measured> Make(Heap& heap) {
  return std::make_unique<Loops<E, OutOfLineCalls<E>>>(heap);
}

template <class... E>
std::unique_ptr<Measured> Find(EngineTypes<E...>, std::string_view name,
                               Heap& heap) {
  std::unique_ptr<Measured> found;
  static_cast<void>(
      ((E::kName == name && (found = Make<E>(heap), true)) || ...));
  return found;
}

}  // namespace

std::string_view FormName(Form form) {
  return form == Form::kInline ? "inline" : "call";
}

absl::StatusOr<std::unique_ptr<Measured>> MeasureEngine(std::string_view name,
                                                        Heap& heap) {
  std::unique_ptr<Measured> found =
      Find(AllEngines<StatsMode::kOff>{}, name, heap);
  if (found != nullptr) return found;
  return absl::NotFoundError(
      absl::StrCat("there is no engine '", std::string(name), "'"));
}

std::unique_ptr<Measured> MeasurePeer(PeerFunctions functions) {
  return std::make_unique<Loops<PeerEngine, InlineCalls<PeerEngine>>>(
      functions);
}

}  // namespace hackbench::alloc
