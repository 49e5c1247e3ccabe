#include "verification/support/report/sarif.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "verification/support/report/text.hpp"

namespace normproof::verification::support::report {

using nlohmann::ordered_json;

namespace {

/// Returns the path as a URI. Characters that a URI cannot contain are written as %XX.
std::string to_uri(const std::string& path) {
  std::string address;
  for (const char c : path) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("/-._~").find(c) != std::string_view::npos;
    if (plain)
      address += c;
    else
      address += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return address;
}

/// Returns the message of a SARIF result: "quick/a: y is absent; as by one-pass variance (repro:
/// normproof golden check ...)".
std::string result_message(const Check& check, const Finding& finding) {
  std::string text = fmt::format("{}: {}", check.name, finding.sentence);
  for (const std::string& remark : check.remarks) text += "; " + remark;
  if (!check.repro.empty()) text += fmt::format(" (repro: {})", check.repro);
  return clean_line(text);
}

ordered_json make_locations(const Check& check) {
  if (check.file.empty()) return ordered_json::array();
  ordered_json place = {{"artifactLocation", {{"uri", to_uri(check.file)}}}};
  if (check.line > 0) place["region"] = {{"startLine", check.line}};
  return ordered_json::array({{{"physicalLocation", std::move(place)}}});
}

ordered_json make_result(const Check& check, const Finding& finding, std::size_t rule) {
  const bool failed = check.outcome != Outcome::skipped;
  return {{"ruleId", finding.rule},
          {"ruleIndex", rule},
          {"kind", failed ? "fail" : "notApplicable"},
          {"level", failed ? "error" : "none"},
          {"message", {{"text", result_message(check, finding)}}},
          {"locations", make_locations(check)}};
}

}  // namespace

std::string sarif(const Checks& checks) {
  ordered_json rules = ordered_json::array(), results = ordered_json::array();
  std::vector<std::string> known;
  for (const CheckSuite& suite : checks)
    for (const Check& check : suite.checks) {
      if (check.outcome == Outcome::passed) continue;
      for (const Finding& finding : check.findings) {
        if (finding.rule.empty()) continue;
        const auto rule =
            static_cast<std::size_t>(std::ranges::find(known, finding.rule) - known.begin());
        if (rule == known.size()) {
          known.push_back(finding.rule);
          rules.push_back({{"id", finding.rule}});
        }
        results.push_back(make_result(check, finding, rule));
      }
    }
  ordered_json run = {{"tool", {{"driver", {{"name", "normproof"}, {"rules", rules}}}}},
                      {"results", results}};
  for (const CheckSuite& suite : checks)
    for (const auto& [name, value] : suite.properties) run["properties"][name] = clean_line(value);
  const ordered_json document = {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                                 {"version", "2.1.0"},
                                 {"runs", ordered_json::array({run})}};
  return document.dump(1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace normproof::verification::support::report
