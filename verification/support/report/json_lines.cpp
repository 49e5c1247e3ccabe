#include "verification/support/report/json_lines.hpp"

#include "verification/support/report/text.hpp"

namespace normproof::verification::support::report {

using nlohmann::ordered_json;

namespace {

ordered_json check_object(const CheckSuite& suite, const Check& check) {
  ordered_json object = check.properties;
  for (const auto& [name, value] : suite.properties) object[name] = clean_line(value);
  object["outcome"] = check.verdict.empty() ? to_string(check.outcome) : check.verdict;
  object["findings"] = ordered_json::array();
  for (const Finding& finding : check.findings)
    object["findings"].push_back(clean_line(finding.sentence));
  if (!check.repro.empty()) object["repro"] = clean_line(check.repro);
  return object;
}

}  // namespace

std::string json_lines(const Checks& checks) {
  std::string text;
  for (const CheckSuite& suite : checks)
    for (const Check& check : suite.checks)
      text +=
          check_object(suite, check).dump(-1, ' ', false, ordered_json::error_handler_t::replace) +
          "\n";
  return text;
}

}  // namespace normproof::verification::support::report
