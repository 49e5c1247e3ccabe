#include "verification/cli/verify/json_report.hpp"

#include <nlohmann/json.hpp>

#include "verification/checks/statistics/statistics_json.hpp"
#include "verification/support/report/json_number.hpp"

namespace normproof::verification::cli::verify {

using nlohmann::ordered_json;

namespace {

ordered_json claim_json(const ReportedClaim& claim) {
  ordered_json powers = ordered_json::array();
  for (const SmallestRejectedError& power : claim.powers)
    powers.push_back(
        {{"planted", power.planted},
         {"least_rejected", support::report::json_number(power.smallest_rejected_error)}});
  return {{"id", claim.id},
          {"title", claim.title},
          {"statement", claim.statement},
          {"source", claim.source},
          {"assumptions", claim.assumptions},
          {"expected", claim.expected_to_hold ? "holds" : "refuted"},
          {"dropped", claim.dropped},
          {"observed", claim.holds ? "holds" : "refuted"},
          {"as_expected", claim.as_expected},
          {"evidence", claim.evidence},
          {"evidence_detail", claim.evidence_detail},
          {"cases", claim.cases},
          {"violations", claim.violations},
          {"worst", support::report::json_number(claim.worst)},
          {"worst_meaning", claim.worst_meaning},
          {"counterexample", claim.counterexample},
          {"detail", claim.detail},
          {"seed", claim.seed},
          {"failure", claim.failure},
          {"powers", powers}};
}

ordered_json checker_json(const CheckerReport& checker) {
  ordered_json json = {{"name", checker.name},
                       {"outcome", to_string(checker.state)},
                       {"summary", checker.summary},
                       {checker.what, ordered_json::array()}};
  for (const CheckedItem& item : checker.items)
    json[checker.what].push_back(
        {{"claim", item.claim}, {"verdict", item.verdict}, {"text", item.text}});
  return json;
}

}  // namespace

std::string json_report(const Report& report) {
  ordered_json json = {{"program", "normproof"},
                       {"version", report.version},
                       {"seed", report.seed},
                       {"cases", report.cases},
                       {"corpus", report.corpus},
                       {"passed", succeeded(report) && !has_skipped_checker(report)},
                       {"summary", closing_line(report)}};
  json["claims"] = ordered_json::array();
  for (const ReportedClaim& claim : report.claims) json["claims"].push_back(claim_json(claim));
  json["statistics"] = checks::statistics::to_json(report.statistics);
  json["nu_series"] = ordered_json::array();
  for (const NuSeries& series : report.nu_series) {
    ordered_json nu = ordered_json::array();
    for (const double value : series.nu) nu.push_back(support::report::json_number(value));
    json["nu_series"].push_back({{"period", series.period},
                                 {"theta", support::report::json_number(series.theta)},
                                 {"nu", nu}});
  }
  json["checkers"] = ordered_json::array();
  for (const CheckerReport& checker : report.checkers)
    json["checkers"].push_back(checker_json(checker));
  return json.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace normproof::verification::cli::verify
