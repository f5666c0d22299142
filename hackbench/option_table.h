// SPDX-License-Identifier: MIT
// Every option of a run, once: parser, help and generated documents read it
// from here. Letters belong to the old grammars; what is new has long names
// only.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "hackbench/options.h"

namespace hackbench {

enum class OptionId {
  kPipe,
  kInet,
  kDatasize,
  kLoops,
  kGroups,
  kFds,
  kThreads,
  kProcesses,
  kFifo,
  kHelp,
  kFormat,
  kTransport,
  kNodelay,
  kPlane,
  kAlloc,
  kLock,
  kRwlock,
  kRefcount,
  kChurn,
  kMessageAlloc,
  kPreempt,
  kHz,
  kAffinity,
  kSched,
  kNice,
  kRepeat,
  kWarmup,
  kTiming,
  kVerify,
  kNoVerify,
  kStats,
  kPhases,
  kLatency,
  kTimeout,
  kHangAfter,
  kFootprint,
  kRecord,
  kStrict,
  kLogLevel,
  kList,
  kVersion,
};

enum class Section { kWorkload, kParts, kPlacement, kMeasurement, kOutput };
inline constexpr std::array kSections = {
    Section::kWorkload, Section::kParts, Section::kPlacement,
    Section::kMeasurement, Section::kOutput};

// Which spelling of the command line knows the row.
enum Spelling : unsigned {
  kRtTestsSpelling = 1,
  kPerfSpelling = 2,
  kEverySpelling = kRtTestsSpelling | kPerfSpelling,
};

struct OptionRow {
  OptionId id;
  char letter;                     // 0: long name only.
  std::string_view name;           // Without the dashes.
  std::string_view value_name;     // Empty for a switch.
  std::string_view default_value;  // Empty when there is nothing to say.
  std::string_view help;
  Section section;
  unsigned spellings;

  bool takes_value() const { return !value_name.empty(); }
};

std::span<const OptionRow> OptionTable();

std::string_view SectionTitle(Section section);

}  // namespace hackbench
