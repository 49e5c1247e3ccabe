#include "verification/cli/verify/verify.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "ref/numeric/errors.hpp"
#include "verification/claims/engine/run.hpp"
#include "verification/claims/ledger/grounds.hpp"
#include "verification/claims/ledger/injected_errors.hpp"
#include "verification/claims/ledger/sparse_channel.hpp"
#include "verification/cli/progress_bar.hpp"
#include "verification/cli/standard_streams.hpp"
#include "verification/cli/typed_options.hpp"
#include "verification/cli/verify/checkers.hpp"
#include "verification/cli/verify/json_report.hpp"
#include "verification/cli/verify/verify_checks.hpp"
#include "verification/cli/verify/verify_document.hpp"
#include "verification/support/report/checks.hpp"
#include "verification/support/report/text.hpp"

namespace normproof::verification::cli::verify {

using support::report::clean;
using support::report::clean_line;

namespace fs = std::filesystem;

namespace {

constexpr double kAlpha = 0.9;
constexpr std::size_t kPeriods = 100;
constexpr std::size_t kMaxSentenceTokens = 512;

NuSeries simulate_periodic_channel(std::size_t period) {
  double decay = 1;  // alpha^(K-1), by which running_psi2 decays while the channel is inactive
  for (std::size_t i = 1; i < period; ++i) decay *= kAlpha;
  NuSeries series{.period = period, .theta = 1 / decay - kAlpha, .nu = {}};
  const std::vector<double> nu = claims::ledger::nu_series(kAlpha, period, kPeriods);
  for (std::size_t batch = 0; batch < nu.size(); batch += period) series.nu.push_back(nu[batch]);
  return series;
}

/// Returns the assumptions that the theorems have in addition to the assumptions of the claim,
/// followed by the statement of each theorem. If there is no theorem, returns the reason why there
/// is none.
std::string evidence_text(const claims::ledger::Grounds& grounds) {
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
  reported.evidence_detail = clean(evidence_text(grounds));
  for (const claims::ledger::Theorem& theorem : grounds.theorems)
    reported.theorems.emplace_back(theorem.name);
  for (const claims::engine::CheckSensitivity& power : result.powers)
    reported.powers.push_back({clean_line(power.planted), power.smallest_rejected_error});
  return reported;
}

/// Marks the checker `proofs` as failed if it did not report a theorem that the ledger lists. This
/// happens if the program was built from another checkout.
void require_listed_theorems(CheckerReport& proofs,
                             const std::vector<claims::engine::Claim>& selected) {
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

/// Returns the ids of the claims that --claims selects, so that a checker skips all others. The
/// list is empty if all claims are selected.
std::vector<std::string> list_selected_ids(const std::vector<claims::engine::Claim>& selected) {
  std::vector<std::string> ids;
  if (selected.size() == claims::ledger::ledger().size()) return ids;
  for (const claims::engine::Claim& claim : selected) ids.push_back(claim.id);
  return ids;
}

}  // namespace

void VerifyCommand::add(CLI::App& app) {
  add_text_option(
      app, "--claims", claims,
      "The claims to check: globs on their ids, separated by commas, such as 'A*, D1[0-3]' "
      "(default: all)",
      "GLOB");
  add_seed_option(app, seed, "every random choice");
  add_number_option(
      app, "--cases", cases, 1, 1'000'000'000,
      "Test cases per claim (default: 1000); with 1, a claim that should be refuted may "
      "meet no counterexample");
  add_jobs_option(app, jobs, "Claims to check");
  add_corpus_files_option(app, files);
  add_flag(
      app, "--proofs", proofs,
      "Also let Coq check the theorems about these claims. Runs verification/claims/proofs/check "
      "of the checkout that contains the program or the current folder");
  add_flag(app, "--smt", smt,
           "Also let z3 check small instances of the polynomial and rational ones of these claims, "
           "and find counterexamples to those that should be refuted. Runs "
           "verification/claims/proofs/smt/check of the same checkout");
  add_flag(app, "--power", power,
           "Measure the smallest error that each check rejects, by injecting errors of every size "
           "into the implementation (takes about twelve times as long)");
  reports.add(app);
  set_footer(
      app,
      R"(Prints a table of the claims with their verdicts, then the statistics of the batches. --markdown
writes the evidence for each claim. The same seed, cases and files give the same bytes for any
--jobs.
Exit status 1 if a verdict is unexpected, a layer becomes unstable, or a theorem or an instance
fails; 77 if all is as expected but a program that --proofs or --smt needs is not installed.

Examples:
  normproof verify
  normproof verify --claims 'C*' --cases 100000 --seed 7
  normproof verify --data Sentences_AllAgree.txt --vocab vocab.txt --html report.html
  normproof verify --proofs --html report.html
  normproof verify --claims 'E*' --power --markdown evidence.md
  normproof verify --json report.json --junit report.xml)");
}

std::vector<NamedFile> VerifyCommand::inputs() const {
  return {{"--data", files.data}, {"--vocab", files.vocab}};
}

Report make_report(const VerifyCommand& command) {
  const auto selected = claims::engine::select_claims(claims::ledger::ledger(), command.claims);
  std::vector<std::pair<Checker, fs::path>> checkers;
  if (command.proofs)
    checkers.emplace_back(proofs_checker(), find_in_checkout(proofs_checker().file));
  if (command.smt) checkers.emplace_back(smt_checker(), find_in_checkout(smt_checker().file));
  const Corpus corpus = load_corpus(command.files, kMaxSentenceTokens);
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
      return claims::ledger::injected_errors_for(claim.id);
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
    report.nu_series.push_back(simulate_periodic_channel(period));
  for (std::size_t i = 0; i < checkers.size(); ++i) {
    const auto& [checker, program] = checkers[i];
    progress.show("checking " + checker.what, i, checkers.size(), checker.file.string());
    report.checkers.push_back(
        run_checker(checker, program, command.jobs, list_selected_ids(selected)));
  }
  if (command.proofs) require_listed_theorems(report.checkers.front(), selected);
  return report;
}

Output VerifyCommand::run() const {
  const auto report = std::make_shared<const Report>(make_report(*this));
  const ExitStatus passed = has_skipped_checker(*report) ? kExitCheckerSkipped : kSuccess;
  return {
      .status = succeeded(*report) ? passed : kNumericalFailure,
      .checks = [report] { return verify_checks(*report); },
      .text =
          [report] { return verify_text(*report, terminal_width(STDOUT_FILENO, default_width)); },
      .json = [report] { return json_report(*report); },
      .html = [report] { return verify_page(*report); },
      .markdown = [report] { return evidence_markdown(*report); }};
}

}  // namespace normproof::verification::cli::verify
