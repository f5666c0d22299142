// SPDX-License-Identifier: MIT
// Diagnostics for people, on stderr and nowhere else. Never called in a task's
// loop. A line never starts with "Time" nor names counts as "N groups": the
// scripts that read both streams match those.
#pragma once

#include <string_view>

namespace hackbench {

// One of LogLevelNames(): off, error, warning, info, debug. False for others.
bool SetLogLevel(std::string_view name);

// A figure that an option asked for; shown at every level but off.
void LogFigure(std::string_view message);

void LogError(std::string_view message);    // hackbench: MESSAGE
void LogWarning(std::string_view message);  // hackbench: warning: MESSAGE
void LogInfo(std::string_view message);     // hackbench: MESSAGE
void LogDebug(std::string_view message);

}  // namespace hackbench
