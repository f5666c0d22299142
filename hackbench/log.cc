// SPDX-License-Identifier: MIT
#include "hackbench/log.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <memory>

namespace hackbench {
namespace {

spdlog::logger& Logger() {
  static const auto logger = [] {
    auto made = std::make_shared<spdlog::logger>(
        "hackbench", std::make_shared<spdlog::sinks::stderr_sink_st>());
    made->set_pattern("hackbench: %v");
    made->set_level(spdlog::level::warn);
    // A full or closed stderr must not end a run.
    made->set_error_handler([](const std::string&) {});
    return made;
  }();
  return *logger;
}

}  // namespace

bool SetLogLevel(std::string_view name) {
  const spdlog::level::level_enum level =
      spdlog::level::from_str(std::string(name));
  // from_str answers `off` for what it does not know.
  if (level == spdlog::level::off && name != "off") return false;
  Logger().set_level(level);
  return true;
}

void LogFigure(std::string_view message) { Logger().critical("{}", message); }
void LogError(std::string_view message) { Logger().error("{}", message); }
void LogWarning(std::string_view message) {
  Logger().warn("warning: {}", message);
}
void LogInfo(std::string_view message) { Logger().info("{}", message); }
void LogDebug(std::string_view message) { Logger().debug("{}", message); }

}  // namespace hackbench
