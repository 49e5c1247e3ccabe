#include "verification/cli/verify/verify.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "ref/numeric/errors.hpp"
#include "verification/claims/engine/run.hpp"
#include "verification/claims/ledger/grounds.hpp"
#include "verification/claims/ledger/planted.hpp"
#include "verification/claims/ledger/sparse_channel.hpp"
#include "verification/cli/output_files.hpp"
#include "verification/cli/progress_bar.hpp"
#include "verification/cli/standard_streams.hpp"
#include "verification/cli/typed_options.hpp"
#include "verification/cli/verify/checkers.hpp"
#include "verification/cli/verify/json_report.hpp"
#include "verification/cli/verify/verify_checks.hpp"
#include "verification/cli/verify/verify_document.hpp"
#include "verification/support/report/junit.hpp"
#include "verification/support/report/text.hpp"

namespace normproof::verification::cli::verify {

using support::report::clean;
using support::report::clean_line;

namespace fs = std::filesystem;

namespace {

constexpr double kAlpha = 0.9;
constexpr std::size_t kPeriods = 100;
constexpr std::size_t kLongestSentence = 512;

NuSeries periodic_channel(std::size_t period) {
  double decay = 1;  // alpha^(K-1): the decay of running_psi2 while the channel is inactive
  for (std::size_t i = 1; i < period; ++i) decay *= kAlpha;
  NuSeries series{.period = period, .theta = 1 / decay - kAlpha, .nu = {}};
  const std::vector<double> nu = claims::ledger::nu_series(kAlpha, period, kPeriods);
  for (std::size_t batch = 0; batch < nu.size(); batch += period) series.nu.push_back(nu[batch]);
  return series;
}

/// Returns what the theorems assume beyond the claim, and their statements, one sentence each; or
/// why there is none.
std::string grounds_text(const claims::ledger::Grounds& grounds) {
  std::string text(grounds.theorems.empty() ? grounds.reason : grounds.premises);
  for (const claims::ledger::Theorem& theorem : grounds.theorems)
    text += fmt::format("{}{} (verification/claims/proofs/{}): {}", text.empty() ? "" : " ",
                        theorem.name, theorem.file, theorem.statement);
  return text;
}

ReportedClaim report_claim(const claims::engine::Claim& claim,
                           const claims::engine::Result& result) {
  const claims::engine::Evidence& evidence = result.evidence;
  ReportedClaim reported;
  reported.id = clean_line(claim.id);
  reported.title = clean_line(claim.title);
  reported.statement = clean(claim.statement);
  reported.source = clean_line(claim.source);
  reported.assumptions = clean(claim.assumptions);
  reported.expected_to_hold = claim.expected == claims::engine::Verdict::holds;
  reported.dropped = clean_line(claim.dropped);
  reported.holds = evidence.observed == claims::engine::Verdict::holds;
  reported.as_expected = result.as_expected;
  reported.cases = evidence.cases;
  reported.violations = evidence.violations;
  reported.worst = evidence.worst;
  reported.worst_meaning = clean_line(evidence.worst_meaning);
  reported.counterexample = clean(evidence.counterexample);
  reported.detail = clean(evidence.detail);
  reported.seed = evidence.seed;
  reported.failure = clean(result.failure);
  const claims::ledger::Grounds grounds = claims::ledger::grounds_of(claim.id);
  reported.evidence = claims::ledger::basis_name(grounds.basis);
  reported.evidence_detail = clean(grounds_text(grounds));
  for (const claims::ledger::Theorem& theorem : grounds.theorems)
    reported.theorems.emplace_back(theorem.name);
  for (const claims::engine::Power& power : result.powers)
    reported.powers.push_back({clean_line(power.planted), power.least_rejected});
  return reported;
}

/// Turns theorems that the ledger lists but the checker did not report into a failure: the program
/// was built from another checkout.
void expect_theorems(CheckerReport& proofs, const std::vector<claims::engine::Claim>& selected) {
  if (proofs.state != CheckerReport::State::passed) return;
  for (const claims::ledger::Theorem& theorem : claims::ledger::theorems()) {
    if (std::ranges::find(selected, theorem.claim, &claims::engine::Claim::id) == selected.end())
      continue;
    const bool checked = std::ranges::any_of(proofs.items, [&](const CheckedItem& item) {
      return item.claim == theorem.claim && item.text.starts_with(std::string(theorem.name) + ",");
    });
    if (checked) continue;
    proofs.state = CheckerReport::State::failed;
    proofs.summary =
        fmt::format("theorem {} of the ledger is not among those of the checkout", theorem.name);
    return;
  }
}

/// Returns the ids that --claims selects, for a checker to skip the others; none if all are
/// selected.
std::vector<std::string> among(const std::vector<claims::engine::Claim>& selected) {
  std::vector<std::string> ids;
  if (selected.size() == claims::ledger::ledger().size()) return ids;
  for (const claims::engine::Claim& claim : selected) ids.push_back(claim.id);
  return ids;
}

}  // namespace

void VerifyCommand::add(CLI::App& app) {
  add_text(app, "--claims", claims,
           "The claims to check: globs on their ids, separated by commas, such as 'A*, D1[0-3]' "
           "(default: all)",
           "GLOB");
  add_seed(app, seed, "every random choice");
  add_number(
      app, "--cases", cases, 1, 1'000'000'000,
      "Cases that each claim is tried on (default: 1000); with 1 a claim that is refuted may "
      "meet no counterexample");
  add_jobs(app, jobs, "Claims");
  add_corpus_files(app, files);
  add_flag(app, "--proofs", proofs,
           "Have Coq check the theorems about those of --claims, too: runs "
           "verification/claims/proofs/check of "
           "the checkout around the program or the current folder");
  add_flag(
      app, "--smt", smt,
      "Have z3 check small instances of those of --claims that are polynomial or rational, and "
      "find counterexamples of those that are refuted: runs verification/claims/proofs/smt/check "
      "likewise");
  add_flag(app, "--power", power,
           "Measure how small an error each check rejects: errors of every size are planted in the "
           "implementation (about twelve times as long)");
  reports.add(app, {ReportForm::json, ReportForm::junit, ReportForm::html, ReportForm::markdown});
  set_footer(
      app,
      R"(Prints a table of the claims and their verdicts, then the statistics of the batches, on standard
output; --markdown writes what stands behind each claim. The same seed, cases and files give the
same bytes, whatever --jobs is.
Exit status 1 if a verdict is unexpected, a layer becomes unstable, or a theorem or an instance is
not as it should be; 77 if all is as expected but what --proofs or --smt needs is not installed.

Examples:
  normproof verify
  normproof verify --claims 'C*' --cases 100000 --seed 7
  normproof verify --data Sentences_AllAgree.txt --vocab vocab.txt --html report.html
  normproof verify --proofs --html report.html
  normproof verify --claims 'E*' --power --markdown evidence.md
  normproof verify --json report.json --junit report.xml)");
}

Report make_report(const VerifyCommand& command) {
  check_outputs({{"--data", command.files.data}, {"--vocab", command.files.vocab}},
                command.reports.named());
  const auto selected = claims::engine::select_claims(claims::ledger::ledger(), command.claims);
  std::vector<std::pair<Checker, fs::path>> checkers;
  if (command.proofs)
    checkers.emplace_back(proofs_checker(), find_in_checkout(proofs_checker().file));
  if (command.smt) checkers.emplace_back(smt_checker(), find_in_checkout(smt_checker().file));
  const Corpus corpus = load_corpus(command.files, kLongestSentence);
  Report report{.version = NORMPROOF_VERSION,
                .seed = command.seed,
                .cases = command.cases,
                .corpus = clean_line(corpus.name),
                .claims = {},
                .statistics = {},
                .nu_series = {}};
  ProgressBar progress;
  progress.show("checking claims", 0, selected.size(), "");
  claims::engine::RunSettings settings{
      .seed = command.seed, .cases = command.cases, .jobs = command.jobs};
  if (command.power)
    settings.planted = [](const claims::engine::Claim& claim) {
      return claims::ledger::planted_for(claim.id);
    };
  const auto results = claims::engine::run_claims(
      selected, settings,
      [&](const claims::engine::Result& result, std::size_t done, std::size_t total) {
        progress.show("checking claims", done, total, result.id);
      });
  for (std::size_t i = 0; i < selected.size(); ++i)
    report.claims.push_back(report_claim(selected[i], results[i]));
  report.statistics = checks::statistics::collect_statistics(
      corpus.tokenized, {.seed = command.seed}, [&](std::size_t step, std::size_t steps) {
        progress.show("following batches", step, steps, corpus.name);
      });
  for (const std::size_t period : {10u, 11u, 12u})
    report.nu_series.push_back(periodic_channel(period));
  for (std::size_t i = 0; i < checkers.size(); ++i) {
    const auto& [checker, program] = checkers[i];
    progress.show("checking " + checker.what, i, checkers.size(), checker.file.string());
    report.checkers.push_back(run_checker(checker, program, command.jobs, among(selected)));
  }
  if (command.proofs) expect_theorems(report.checkers.front(), selected);
  return report;
}

ExitStatus VerifyCommand::run() const {
  const Report report = make_report(*this);
  write_all(
      {[&] { write_stdout(verify_text(report, terminal_width(STDOUT_FILENO, default_width))); },
       to_file(reports.json, [&] { return json_report(report); }),
       to_file(reports.junit, [&] { return support::report::junit(verify_checks(report)); }),
       to_file(reports.markdown, [&] { return evidence_markdown(report); }),
       to_file(reports.html, [&] { return verify_page(report); })});
  if (!succeeded(report)) return kNumericalFailure;
  return has_skipped(report) ? kSkipped : kSuccess;
}

}  // namespace normproof::verification::cli::verify
