#include "verification/cli/verify/verify.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <vector>

#include "ref/numeric/errors.hpp"
#include "verification/claims/engine/run.hpp"
#include "verification/claims/ledger/grounds.hpp"
#include "verification/claims/ledger/sparse_channel.hpp"
#include "verification/cli/output_files.hpp"
#include "verification/cli/progress_bar.hpp"
#include "verification/cli/standard_streams.hpp"
#include "verification/cli/typed_options.hpp"
#include "verification/cli/verify/json_report.hpp"
#include "verification/cli/verify/verify_checks.hpp"
#include "verification/cli/verify/verify_document.hpp"
#include "verification/report/junit.hpp"
#include "verification/report/text.hpp"

namespace normproof::verification::cli::verify {

using report::clean;
using report::clean_line;

namespace fs = std::filesystem;

namespace {

constexpr double kAlpha = 0.9;
constexpr std::size_t kPeriods = 100;
constexpr std::size_t kLongestSentence = 512;

NuSeries periodic_channel(std::size_t period) {
  double decay = 1;  // alpha^(K-1): of running_psi2 while the channel is quiet
  for (std::size_t i = 1; i < period; ++i) decay *= kAlpha;
  NuSeries series{.period = period, .theta = 1 / decay - kAlpha, .nu = {}};
  const std::vector<double> nu = claims::ledger::nu_series(kAlpha, period, kPeriods);
  for (std::size_t batch = 0; batch < nu.size(); batch += period) series.nu.push_back(nu[batch]);
  return series;
}

/// The theorems with their statements, a sentence each, or why there is none.
std::string grounds_text(const claims::ledger::Grounds& grounds) {
  std::string text(grounds.reason);
  for (const claims::ledger::Theorem& theorem : grounds.theorems)
    text += fmt::format("{}{} (verification/proofs/{}): {}", text.empty() ? "" : " ", theorem.name,
                        theorem.file, theorem.statement);
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
  return reported;
}

}  // namespace

void VerifyCommand::add(CLI::App& app) {
  add_text(app, "--claims", claims,
           "The claims to check: globs on their ids, separated by commas, such as 'A*,D1[0-3]' "
           "(default: all)",
           "GLOB");
  add_seed(app, seed, "every random choice");
  add_number(app, "--cases", cases, 1, 1'000'000'000,
             "Cases that each claim is tried on (default: 1000)");
  add_jobs(app, jobs, "Claims");
  add_corpus_files(app, files);
  reports.add(app, {ReportForm::json, ReportForm::junit, ReportForm::html});
  set_footer(
      app,
      R"(Prints a table of the claims and their verdicts, then the statistics of the batches, on standard
output. The same seed, cases and files give the same bytes, whatever --jobs is.
Exit status 1 if a verdict is unexpected or a layer becomes unstable.

Examples:
  normproof verify
  normproof verify --claims 'C*' --cases 100000 --seed 7
  normproof verify --data Sentences_AllAgree.txt --vocab vocab.txt --html report.html
  normproof verify --json report.json --junit report.xml)");
}

Report make_report(const VerifyCommand& command) {
  check_outputs({{"--data", command.files.data}, {"--vocab", command.files.vocab}},
                command.reports.named());
  const auto selected = claims::engine::select_claims(claims::ledger::ledger(), command.claims);
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
  const auto results = claims::engine::run_claims(
      selected, {.seed = command.seed, .cases = command.cases, .jobs = command.jobs},
      [&](const claims::engine::Result& result, std::size_t done, std::size_t total) {
        progress.show("checking claims", done, total, result.id);
      });
  for (std::size_t i = 0; i < selected.size(); ++i)
    report.claims.push_back(report_claim(selected[i], results[i]));
  report.statistics = statistics::collect_statistics(
      corpus.tokenized, {.seed = command.seed}, [&](std::size_t step, std::size_t steps) {
        progress.show("following batches", step, steps, corpus.name);
      });
  for (const std::size_t period : {10u, 11u, 12u})
    report.nu_series.push_back(periodic_channel(period));
  return report;
}

ExitStatus VerifyCommand::run() const {
  const Report report = make_report(*this);
  write_all(
      {[&] { write_stdout(verify_text(report, terminal_width(STDOUT_FILENO, default_width))); },
       to_file(reports.json, [&] { return json_report(report); }),
       to_file(reports.junit, [&] { return report::junit(verify_checks(report)); }),
       to_file(reports.html, [&] { return verify_page(report); })});
  return succeeded(report) ? kSuccess : kNumericalFailure;
}

}  // namespace normproof::verification::cli::verify
