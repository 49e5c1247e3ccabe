#include "verification/cli/verify/verify_checks.hpp"

#include <fmt/format.h>

#include "verification/support/report/text.hpp"

namespace normproof::verification::cli::verify {

using support::report::number_text;
using support::report::plural;

namespace {

support::report::Check make_check(const ReportedClaim& claim) {
  support::report::Check check{.group = "normproof.claims",
                               .name = fmt::format("{} {}", claim.id, claim.title),
                               .properties = {{"id", claim.id}}};
  if (claim.as_expected) return check;
  check.outcome =
      claim.failure.empty() ? support::report::Outcome::failed : support::report::Outcome::error;
  check.findings = {{claim.id, verdict_text(claim)}};
  check.remarks = {claim.statement,
                   fmt::format("expected: {}", claim.expected_to_hold ? "holds" : "refuted")};
  for (const std::string& reason : reasons(claim)) check.remarks.push_back(reason);
  check.remarks.push_back(fmt::format("seed {}, {} of {} violate it, worst {} ({})", claim.seed,
                                      claim.violations, plural(claim.cases, "case"),
                                      number_text(claim.worst), claim.worst_meaning));
  return check;
}

support::report::Check make_check(const checks::statistics::RecordedScenario& followed) {
  support::report::Check check{.group = "normproof.statistics",
                               .name = followed.scenario.name + " is stable"};
  const auto& stability = followed.stability;
  if (stability.stability != checks::statistics::Stability::error) return check;
  check.outcome = support::report::Outcome::failed;
  check.findings = {{"unstable", "unstable"}};
  check.remarks = {fmt::format(
      "(1 - alpha) Gamma is 2 or more twice running, at step {}; its largest value is {}",
      stability.first_error, number_text(stability.max_theta))};
  return check;
}

support::report::Check make_padding_check(const checks::statistics::Statistics& found) {
  support::report::Check check{.group = "normproof.statistics", .name = "masked padding is inert"};
  if (found.padding_is_inert) return check;
  check.outcome = support::report::Outcome::failed;
  check.findings = {{"padding", "padding leaks"}};
  check.remarks = {"masked PowerNorm statistics depend on the [PAD] embedding"};
  return check;
}

/// Returns one check for each item that a checker checked. If the checker was skipped, or failed
/// without a failed item, one more check states the reason.
support::report::CheckSuite checker_suite(const CheckerReport& checker) {
  const std::string group = "normproof." + checker.name;
  support::report::CheckSuite suite{group};
  for (const CheckedItem& item : checker.items) {
    support::report::Check check{
        .group = group, .name = item.claim + " " + item.text, .properties = {{"id", item.claim}}};
    if (!item.good) {
      check.outcome = support::report::Outcome::failed;
      check.findings = {{item.claim, item.verdict + ": " + item.text}};
    }
    suite.checks.push_back(std::move(check));
  }
  const bool has_failure =
      support::report::count_checks(suite, support::report::Outcome::failed) > 0;
  if (checker.state == CheckerReport::State::passed || has_failure) return suite;
  const bool skipped = checker.state == CheckerReport::State::skipped;
  suite.checks.push_back(
      {.group = group,
       .name = "the " + checker.what,
       .outcome = skipped ? support::report::Outcome::skipped : support::report::Outcome::error,
       .findings = {{checker.name, checker.summary}}});
  return suite;
}

}  // namespace

support::report::Checks verify_checks(const Report& report) {
  support::report::CheckSuite claims{"normproof.claims"}, followed{"normproof.statistics"};
  for (const ReportedClaim& claim : report.claims) claims.checks.push_back(make_check(claim));
  for (const checks::statistics::RecordedScenario& one : report.statistics.followed)
    if (one.scenario.decides) followed.checks.push_back(make_check(one));
  followed.checks.push_back(make_padding_check(report.statistics));
  support::report::Checks suites{claims, followed};
  for (const CheckerReport& checker : report.checkers) suites.push_back(checker_suite(checker));
  return suites;
}

}  // namespace normproof::verification::cli::verify
