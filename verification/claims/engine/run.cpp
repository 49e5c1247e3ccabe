#include "verification/claims/engine/run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fnmatch.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "ref/numeric/errors.hpp"
#include "ref/numeric/hexadecimal.hpp"
#include "ref/numeric/parallel.hpp"
#include "verification/claims/engine/power.hpp"
#include "verification/support/process/pool.hpp"

namespace normproof::verification::claims::engine {

namespace {

// Returns a result as one line of JSON. `worst` is text in hexadecimal, because it may be infinite.
std::string result_to_line(const Result& result) {
  const Evidence& e = result.evidence;
  nlohmann::json line = {{"id", result.id},
                         {"failure", result.failure},
                         {"as_expected", result.as_expected},
                         {"holds", e.observed == Verdict::holds},
                         {"cases", e.cases},
                         {"violations", e.violations},
                         {"worst", ref::numeric::hexadecimal(e.worst)},
                         {"worst_meaning", e.worst_meaning},
                         {"counterexample", e.counterexample},
                         {"detail", e.detail},
                         {"seed", e.seed},
                         {"powers", nlohmann::json::array()}};
  for (const CheckSensitivity& power : result.powers)
    line["powers"].push_back(
        {power.planted, ref::numeric::hexadecimal(power.smallest_rejected_error)});
  return line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

Result result_from_line(const std::string& text) {
  const auto line = nlohmann::json::parse(text);
  Result result;
  result.id = line.at("id").get<std::string>();
  result.failure = line.at("failure").get<std::string>();
  result.as_expected = line.at("as_expected").get<bool>();
  Evidence& e = result.evidence;
  e.observed = line.at("holds").get<bool>() ? Verdict::holds : Verdict::refuted;
  e.cases = line.at("cases").get<std::size_t>();
  e.violations = line.at("violations").get<std::size_t>();
  e.worst = std::strtod(line.at("worst").get<std::string>().c_str(), nullptr);
  e.worst_meaning = line.at("worst_meaning").get<std::string>();
  e.counterexample = line.at("counterexample").get<std::string>();
  e.detail = line.at("detail").get<std::string>();
  e.seed = line.at("seed").get<std::uint64_t>();
  for (const auto& power : line.at("powers"))
    result.powers.push_back({power.at(0).get<std::string>(),
                             std::strtod(power.at(1).get<std::string>().c_str(), nullptr)});
  return result;
}

// Returns the result that a claim's process has reported. If the process died, returns a failure.
Result reported_result(const Claim& claim, const support::process::WorkerReport& report) {
  if (report.text.ends_with('\n')) return result_from_line(report.text);
  Result result;
  result.id = claim.id;
  result.failure =
      report.ending.by_signal
          ? fmt::format("claim {}: its process was ended by {}", claim.id, report.ending.to_text())
          : fmt::format("claim {}: its process ended with {} before it had reported", claim.id,
                        report.ending.to_text());
  return result;
}

}  // namespace

std::vector<Claim> select_claims(const std::vector<Claim>& claims, std::string_view globs) {
  std::vector<Claim> selected;
  std::vector<std::string> patterns(1);
  for (const char c : globs) {
    if (c == ',')
      patterns.emplace_back();
    else
      patterns.back() += c;
  }
  for (std::string& pattern : patterns) {
    pattern.erase(0, pattern.find_first_not_of(' '));
    pattern.erase(pattern.find_last_not_of(' ') + 1);
  }
  if (std::ranges::find(patterns, "") != patterns.end())
    throw ref::numeric::UsageError(
        fmt::format("--claims '{}' has an empty glob; expected globs with commas between", globs));
  for (auto pattern = patterns.begin(); pattern != patterns.end(); ++pattern)
    if (std::find(patterns.begin(), pattern, *pattern) != pattern)
      throw ref::numeric::UsageError(
          fmt::format("--claims '{}' is given twice; expected each glob once", *pattern));
  std::vector<bool> matches(patterns.size());
  std::vector<std::string> known;
  for (const Claim& claim : claims) {
    bool wanted = false;
    for (std::size_t i = 0; i < patterns.size(); ++i) {
      if (::fnmatch(patterns[i].c_str(), claim.id.c_str(), 0) != 0) continue;
      matches[i] = wanted = true;
    }
    if (wanted) selected.push_back(claim);
    known.push_back(claim.id);
  }
  for (std::size_t i = 0; i < patterns.size(); ++i)
    if (!matches[i])
      throw ref::numeric::UsageError(fmt::format("--claims '{}' matches no claim; known: {}",
                                                 patterns[i], fmt::join(known, ", ")));
  return selected;
}

std::vector<Result> run_claims(const std::vector<Claim>& claims, const RunSettings& settings,
                               const Progress& progress) {
  if (settings.jobs < 1)
    ref::numeric::contract_failure("run_claims", "jobs", fmt::format("is {}", settings.jobs),
                                   "at least 1", ref::numeric::Clause::C1);
  Run run;
  run.seed = settings.seed;
  run.cases = settings.cases;
  run.subject = settings.subject;

  std::vector<Result> results(claims.size());
  std::size_t done = 0;
  support::process::run_pool(
      "run_claims", claims.size(), settings.jobs,
      [&](std::size_t i) {
        ref::numeric::set_num_threads(1);
        Result result = evaluate(claims[i], run);
        if (settings.planted)
          for (const InjectedError& planted : settings.planted(claims[i]))
            result.powers.push_back(
                {planted.what, smallest_rejected_error(claims[i], planted, run)});
        return result_to_line(result);
      },
      [&](std::size_t i, const support::process::WorkerReport& report) {
        results[i] = reported_result(claims[i], report);
        ++done;
        if (progress) progress(results[i], done, claims.size());
      });
  return results;
}

}  // namespace normproof::verification::claims::engine
