// SPDX-License-Identifier: MIT
// The rows as data: Markdown, CSV (RFC 4180) and JSON.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "results/layout_list.h"
#include "results/text.h"

namespace hackbench::results {
namespace {

using Json = nlohmann::ordered_json;

std::string MarkdownCell(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '|' || c == '\\') escaped += '\\';
    escaped += c == '\n' ? ' ' : c;
  }
  return escaped;
}

std::string CsvCell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + "\"";
}

// fmt knows no locale unless asked: the point stays a point. Shortest form that
// reads back as the same number.
std::string Number(double value) { return fmt::format("{}", value); }
std::string Number(const std::optional<double>& value) {
  return value ? Number(*value) : "";
}

std::optional<double> Low(const std::optional<Interval>& interval) {
  return interval ? std::optional(interval->low) : std::nullopt;
}
std::optional<double> High(const std::optional<Interval>& interval) {
  return interval ? std::optional(interval->high) : std::nullopt;
}

Json ToJson(const Summary& summary) {
  return {{"n", summary.n},           {"mean", summary.mean},
          {"stddev", summary.stddev}, {"cov", summary.cov},
          {"min", summary.min},       {"median", summary.median},
          {"max", summary.max}};
}

Json OrNull(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? Json(*value) : Json();
}

Json ToJson(const ComparisonRow& row) {
  const Comparison& c = row.result;
  return {{"metric", row.metric.name},
          {"unit", row.metric.unit},
          {"better", row.metric.better},
          {"cell", row.cell},
          {"a", row.a},
          {"b", row.b},
          {"summary_a", ToJson(c.a)},
          {"summary_b", ToJson(c.b)},
          {"paired", c.paired},
          {"blocks", c.blocks},
          {"effect", c.effect},
          {"effect_low", OrNull(Low(c.interval))},
          {"effect_high", OrNull(High(c.interval))},
          {"mean_effect", c.mean_effect},
          {"confidence", c.options.confidence},
          {"p", c.p},
          {"p_exact", c.p_is_exact},
          {"p_adjusted", c.p_adjusted},
          {"b_wins", c.b_wins},
          {"detectable", OrNull(c.detectable)},
          {"margin", c.options.margin},
          {"verdict", VerdictWord(c)},
          {"why_none", c.why_none},
          {"failed_a", row.failed_a},
          {"launches_a", row.launches_a},
          {"failed_b", row.failed_b},
          {"launches_b", row.launches_b},
          {"confounded", row.confounded},
          {"notes", row.notes}};
}

}  // namespace

absl::StatusOr<std::string> FormatMarkdown(const Report& report) {
  std::string text =
      "| metric | cell | base | arm | base mean | arm mean | effect | CI | p "
      "adjusted | verdict |\n"
      "|:---|:---|:---|:---|---:|---:|---:|---:|---:|:---|\n";
  for (const ComparisonRow& row : report.rows) {
    const Comparison& c = row.result;
    const std::string interval =
        c.interval ? fmt::format("[{:+.1f}, {:+.1f}] %", 100 * c.interval->low,
                                 100 * c.interval->high)
                   : "-";
    text += fmt::format(
        "| {} [{}] | {} | {} | {} | {} ± {:.1f} % (n={}) | {} ± {:.1f} % "
        "(n={}) "
        "| {} | {} | {} | {} |\n",
        MarkdownCell(row.metric.name), row.metric.unit, MarkdownCell(row.cell),
        MarkdownCell(row.a), MarkdownCell(row.b), FigureText(c.a.mean),
        100 * c.a.cov, c.a.n, FigureText(c.b.mean), 100 * c.b.cov, c.b.n,
        PercentText(c.effect), interval, PText(c.p_adjusted), VerdictText(c));
  }
  text += "\n± is the CoV; effect: Hodges-Lehmann ratio, positive = more\n";
  const std::string notes = NotesText(report);
  return notes.empty() ? text : text + "\n```\n" + notes + "```\n";
}

absl::StatusOr<std::string> FormatCsv(const Report& report) {
  std::string text =
      "metric,unit,cell,a,b,n_a,n_b,mean_a,mean_b,stddev_a,stddev_b,median_a,"
      "median_b,paired,blocks,effect,effect_low,effect_high,p,p_adjusted,"
      "margin,detectable,verdict,failed_a,launches_a,failed_b,launches_b,"
      "confounded\r\n";
  for (const ComparisonRow& row : report.rows) {
    const Comparison& c = row.result;
    std::string confounded;
    for (const std::string& name : row.confounded) {
      confounded += (confounded.empty() ? "" : "; ") + name;
    }
    text += fmt::format(
        "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},"
        "{},{},{},{},{}\r\n",
        CsvCell(row.metric.name), CsvCell(row.metric.unit), CsvCell(row.cell),
        CsvCell(row.a), CsvCell(row.b), c.a.n, c.b.n, Number(c.a.mean),
        Number(c.b.mean), Number(c.a.stddev), Number(c.b.stddev),
        Number(c.a.median), Number(c.b.median), c.paired ? 1 : 0, c.blocks,
        Number(c.effect), Number(Low(c.interval)), Number(High(c.interval)),
        Number(c.p), Number(c.p_adjusted), Number(c.options.margin),
        Number(c.detectable), VerdictWord(c), row.failed_a, row.launches_a,
        row.failed_b, row.launches_b, CsvCell(confounded));
  }
  return text;
}

absl::StatusOr<std::string> FormatJson(const Report& report) {
  Json rows = Json::array();
  for (const ComparisonRow& row : report.rows) rows.push_back(ToJson(row));
  Json arms = Json::array();
  for (const ArmSummary& arm : report.arms) {
    arms.push_back({{"label", arm.label},
                    {"settings", arm.settings},
                    {"metric", arm.metric},
                    {"summary", ToJson(arm.summary)},
                    {"failed", arm.failed},
                    {"launches", arm.launches}});
  }
  const Json json = {{"schema", "hackbench.compare/1"},
                     {"version", HACKBENCH_VERSION},
                     {"title", report.title},
                     {"margin", report.margin},
                     {"alpha", report.alpha},
                     {"rows", rows},
                     {"arms", arms},
                     {"footnotes", report.footnotes}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace hackbench::results
