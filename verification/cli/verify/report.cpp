#include "verification/cli/verify/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "verification/support/report/text.hpp"

namespace normproof::verification::cli::verify {

using support::report::plural;

std::string verdict_text(const ReportedClaim& claim) {
  if (!claim.failure.empty()) return "FAILED";
  const std::string_view observed = claim.holds ? "holds" : "refuted";
  if (!claim.as_expected) return fmt::format("UNEXPECTED: {}", observed);
  return claim.holds ? "holds" : "refuted, as expected";
}

std::vector<std::string> reasons(const ReportedClaim& claim) {
  if (!claim.failure.empty()) return {claim.failure};
  std::vector<std::string> lines;
  if (!claim.expected_to_hold && !claim.dropped.empty())
    lines.push_back("dropped: " + claim.dropped);
  if (!claim.holds && !claim.counterexample.empty())
    lines.push_back("counterexample: " + claim.counterexample);
  return lines;
}

std::string power_text(const SmallestRejectedError& power) {
  constexpr int kMaxErrorExponent = -20, kMinErrorExponent = -399;
  if (std::isinf(power.smallest_rejected_error)) return power.planted + ": not even δ = 1";
  const int exponent = std::ilogb(power.smallest_rejected_error);
  if (exponent <= kMinErrorExponent)
    return fmt::format("{}: every δ tried, down to 2^{}", power.planted, exponent);
  if (exponent <= kMaxErrorExponent)
    return fmt::format("{}: from δ = 2^{} on", power.planted, exponent);
  return fmt::format("{}: from δ = {:.2g} on", power.planted, power.smallest_rejected_error);
}

std::vector<std::string> unexpected_claims(const Report& report) {
  std::vector<std::string> ids;
  for (const ReportedClaim& claim : report.claims)
    if (!claim.as_expected) ids.push_back(claim.id);
  return ids;
}

std::string_view to_string(CheckerReport::State state) {
  switch (state) {
    case CheckerReport::State::passed:
      return "passed";
    case CheckerReport::State::failed:
      return "failed";
    case CheckerReport::State::skipped:
      break;
  }
  return "skipped";
}

bool succeeded(const Report& report) {
  const bool checked = std::ranges::none_of(report.checkers, [](const CheckerReport& checker) {
    return checker.state == CheckerReport::State::failed;
  });
  return checked && unexpected_claims(report).empty() &&
         !checks::statistics::has_error(report.statistics);
}

bool has_skipped_checker(const Report& report) {
  return std::ranges::any_of(report.checkers, [](const CheckerReport& checker) {
    return checker.state == CheckerReport::State::skipped;
  });
}

std::string closing_line(const Report& report) {
  const std::vector<std::string> unexpected = unexpected_claims(report);
  const std::size_t total = report.claims.size();
  std::string line = succeeded(report) ? "PASSED: " : "FAILED: ";
  if (unexpected.empty()) {
    std::size_t refuted = 0;
    for (const ReportedClaim& claim : report.claims) refuted += claim.holds ? 0 : 1;
    line += fmt::format("{} as expected ({} hold, {} refuted where an assumption is dropped); ",
                        plural(total, "claim"), total - refuted, refuted);
  } else {
    line += fmt::format("{} of {} not as expected ({}); ", unexpected.size(),
                        plural(total, "claim"), fmt::join(unexpected, ", "));
  }
  line += checks::statistics::has_error(report.statistics) ? "the statistics have an error."
                                                           : "the statistics have no error.";
  for (const CheckerReport& checker : report.checkers)
    line += fmt::format(" --{}: {}: {}.", checker.name, to_string(checker.state), checker.summary);
  return line;
}

}  // namespace normproof::verification::cli::verify
