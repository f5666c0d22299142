// SPDX-License-Identifier: MIT
#include "alloc/debug_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "atomics/arch.h"

namespace hackbench::alloc {
namespace {

constexpr size_t kShownBytes = 64;

std::string TrackLine(std::string_view what, const Track& track) {
  if (track.address == 0) return {};
  return fmt::format("{} in {:#x} age={} cpu={} pid={}\n", what, track.address,
                     atomics::Cpu::ReadCycles() - track.when, track.cpu,
                     track.pid);
}

std::string Dump(std::string_view name, const char* from, size_t bytes) {
  std::string text;
  for (size_t at = 0; at < bytes; at += 16) {
    text += fmt::format("{:<9}{}: ", name,
                        fmt::ptr(static_cast<const void*>(from + at)));
    std::string letters;
    for (size_t i = at; i < std::min(at + 16, bytes); ++i) {
      const auto byte = static_cast<uint8_t>(from[i]);
      text += fmt::format("{:02x} ", byte);
      letters += byte >= ' ' && byte < 0x7f ? static_cast<char>(byte) : '.';
    }
    text += " " + letters + "\n";
  }
  return text;
}

}  // namespace

std::string DebugReport(const Cache& cache, const DebugObject& object,
                        const DebugFinding& finding) {
  const std::string bar(77, '=');
  std::string text = fmt::format("{}\nBUG {}: {}\n{}\n", bar, cache.name,
                                 finding.what, std::string(77, '-'));
  if (finding.where != nullptr) {
    text +=
        fmt::format("{} @offset={}. First byte {:#04x} instead of {:#04x}\n",
                    fmt::ptr(static_cast<const void*>(finding.where)),
                    finding.where - object.object(),
                    static_cast<uint8_t>(*finding.where), finding.expected);
  }
  text += TrackLine("Allocated", object.tail().allocated);
  text += TrackLine("Freed", object.tail().freed);
  text += Dump("Redzone", object.slot() + kLinkBytes, kLeftRedBytes);
  text +=
      Dump("Object", object.object(), std::min(object.bytes(), kShownBytes));
  text += Dump("Redzone", object.object() + object.bytes(),
               RightRedEnd(object.bytes()) - kBeforeObject - object.bytes());
  return text + bar + "\n";
}

void EmitDebugReport(const std::string& report) {
  if (debug_report_sink != nullptr) {
    debug_report_sink(report);
  } else {
    std::fputs(report.c_str(), stderr);
  }
}

}  // namespace hackbench::alloc
