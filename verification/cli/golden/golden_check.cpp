#include "verification/cli/golden/golden_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "ref/data/utf8.hpp"
#include "ref/io/atomic_file.hpp"
#include "ref/numeric/errors.hpp"
#include "ref/numeric/parallel.hpp"
#include "verification/checks/agreement/device_answers.hpp"
#include "verification/checks/agreement/float32_answers.hpp"
#include "verification/checks/regression/own_answers.hpp"
#include "verification/cli/device_option.hpp"
#include "verification/cli/golden/golden_options.hpp"
#include "verification/cli/output_files.hpp"
#include "verification/cli/progress_bar.hpp"
#include "verification/cli/shell_line.hpp"
#include "verification/cli/standard_streams.hpp"
#include "verification/cli/typed_options.hpp"
#include "verification/golden/corpus/kind.hpp"
#include "verification/golden/corpus/scaling.hpp"
#include "verification/golden/reports/golden_page.hpp"
#include "verification/support/report/json_lines.hpp"
#include "verification/support/report/junit.hpp"
#include "verification/support/report/markdown.hpp"
#include "verification/support/report/sarif.hpp"
#include "verification/support/report/terminal.hpp"
#include "verification/support/report/text.hpp"

namespace normproof::verification::cli::golden {

using support::report::clean_line;
using verification::golden::reports::GoldenReport;
using verification::golden::reports::Outcome;

namespace {

/// Reads a list of globs. Unlike other files, it may be empty.
std::string read_list(const std::filesystem::path& file) {
  std::error_code error;
  const bool empty =
      std::filesystem::is_regular_file(file, error) && std::filesystem::file_size(file, error) == 0;
  std::string text = empty && !error ? std::string() : ref::io::read_text(file);
  if (text.starts_with(ref::data::kByteOrderMark))
    throw ref::numeric::FileError(fmt::format(
        "{}: begins with a UTF-8 byte order mark; expected a glob a line, without a mark",
        clean_line(file.string())));
  return text;
}

/// Checks that the corpus has exactly the requested version.
void check_version(const verification::golden::certify::CorpusVersion& corpus,
                   const std::optional<std::string>& asked) {
  if (!asked || corpus.is_denoted_by(*asked)) return;
  throw ref::numeric::FileError(fmt::format(
      "the corpus is of version {}; expected {}, as --corpus-version says (this program "
      "makes {}; docs/changelog.md says what changed)",
      corpus.text(), clean_line(*asked),
      verification::golden::certify::built_corpus_version().text()));
}

std::string repro_line(const GoldenCheckCommand& command, const std::string& path,
                       Outcome outcome) {
  const GoldenCheckCommand usual;
  GoldenCheckCommand alone = command;
  alone.only = path;
  alone.min_cases = usual.min_cases;
  alone.corpus_version = usual.corpus_version;
  // Such a case fails because it is on that list.
  if (outcome != Outcome::xpass) alone.xfail = usual.xfail;
  alone.jobs = usual.jobs;
  alone.reports = usual.reports;
  return shell_line("golden check", alone);
}

}  // namespace

void GoldenCheckCommand::add(CLI::App& app) {
  add_golden(app, golden);
  add_candidate(app, candidate);
  add_pipe(app, pipe, timeout);
  add_device(app, device,
             "The kernels of this program's GPU path, layer_norm and rms_norm of 32 and 16 bits in "
             "float32, else in double: on the first GPU (cuda) or on a simulated one; optimizers, "
             "whole Transformers and results of 8 bits are declined");
  add_list(app, "--outputs", options.outputs,
           "The outputs to check, with commas between (default: y, the gradients and the state, "
           "and statistics that are there)");
  add_accumulation(app, options.accumulation,
                   "The dtype of the candidate's sums (default: float32 for 16 bits, else the "
                   "dtype of the case)");
  add_formula(app, options.formula,
              "two_pass (default); folded: x r - m r is right too, and off by what it may lose; or "
              "one_pass: so is E[x^2] - E[x]^2");
  add_flag(
      app, "--flush-subnormals", options.flush_subnormals,
      "The candidate flushes subnormal numbers to 0: one that does fails where it does not say "
      "so");
  add_only(app, only);
  add_number(app, "--min-cases", min_cases, 1, 1'000'000'000,
             "Fewer cases that are judged are a failure (default: 1)");
  add_text(app, "--corpus-version", corpus_version,
           "The version that the corpus has to be of: 2, 2.4 or 2.4.0, which others are told by "
           "exit status 3",
           "VERSION");
  add_file(app, "--xfail", xfail,
           "Cases that are known to fail, a glob a line; one that passes is a failure");
  add_flag(app, "--strict", strict,
           "An element that is not judged is a failure: with another formula or arithmetic a bound "
           "may claim nothing");
  reports.add(app, {ReportForm::json_lines, ReportForm::junit, ReportForm::sarif, ReportForm::html,
                    ReportForm::markdown});
  add_jobs(app, jobs, "Cases that are checked");
  check_afterwards(app, [&app] { require_one_of(app, {"--candidate", "--pipe", "--device"}); });
  set_footer(
      app,
      R"(Prints the metrics of every output, and for each failure the element, its bound and the command
that reproduces it. An element passes where |got - exact| <= bound: docs/derivations/error_analysis.md,
section 8.
Exit status 1 if a case fails; 2 if the shell does not find the program of --pipe, or cannot run
it.

Examples:
  normproof golden check --golden golden --candidate answers --junit report.xml
  normproof golden check --golden golden --pipe 'python3 adapter.py' --only '*/rms_norm/*'
  normproof golden check --golden golden --device cuda)");
}

verification::golden::gate::Candidate GoldenCheckCommand::source() const {
  if (candidate) return verification::golden::gate::from_folder(*candidate);
  if (pipe)
    return verification::golden::gate::from_program(
        *pipe, timeout, verification::golden::gate::kMaxRestarts, show_complaints);
  const std::shared_ptr<normproof::gpu::device::Device> opened = open_rank_device(*device);
  const verification::golden::gate::Candidate in_double =
      checks::regression::double_candidate([opened](const verification::golden::corpus::Case& c,
                                                    const checks::evaluation::EvalInputs& inputs) {
        if (verification::golden::corpus::is_scaled(c))
          return std::optional<ref::tensor::NamedTensors<double>>();
        return checks::agreement::answer_on_device(*opened, c.options, inputs, c.sequence);
      });
  return [opened, in_double](const verification::golden::certify::StoredCase& stored)
             -> verification::golden::gate::CandidateOutput {
    const verification::golden::corpus::Case& c = stored.description.c;
    if (auto own = checks::agreement::run_float32_norm_on_device(*opened, c))
      return std::move(*own);
    verification::golden::gate::CandidateOutput answer = in_double(stored);
    if (!answer)
      answer.reason = verification::golden::corpus::is_scaled(c)
                          ? "the GPU path has no results of 8 bits"
                      : verification::golden::corpus::is_optimizer(c)
                          ? "the GPU path has no optimizers"
                          : "the GPU path answers no whole Transformers";
    return answer;
  };
}

/// Checks the cases. The progress bar and the candidate's process end with this function, before
/// anything is reported.
std::vector<verification::golden::gate::CaseResult> GoldenCheckCommand::check(
    const std::vector<verification::golden::certify::CaseDescription>& cases) const {
  const verification::golden::gate::Candidate ask = source();
  verification::golden::gate::CheckOptions asked = options;
  asked.maps = reports.html.has_value();
  ProgressBar progress;
  // A program or a device answers one case at a time.
  return verification::golden::gate::check_cases(
      golden, cases, ask, asked, candidate ? jobs : 1, [&](std::size_t done) {
        progress.show("checking", done, cases.size(), cases[done - 1].path);
      });
}

verification::golden::reports::ReportSettings GoldenCheckCommand::settings(
    std::string xfail_list,
    std::optional<verification::golden::certify::CorpusVersion> corpus) const {
  return {
      .min_cases = min_cases,
      .strict = strict,
      .xfail = std::move(xfail_list),
      .xfail_name = xfail ? xfail->string() : "--xfail",
      .checks_whole_corpus = only == "*",
      .repro = [this](const std::string& path,
                      Outcome outcome) { return repro_line(*this, path, outcome); },
      .file = [this](const std::string& path) { return (golden / path / "case.json").string(); },
      .corpus = std::move(corpus)};
}

ExitStatus GoldenCheckCommand::run() const {
  check_outputs({{"--golden", golden / "manifest.json"}, {"--xfail", xfail}}, reports.named());
  for (const NamedFile& file : reports.named()) {
    check_outside(file, golden);
    if (candidate) check_outside(file, *candidate);
  }
  const std::string known_failures = xfail ? read_list(*xfail) : std::string();
  const auto cases = verification::golden::certify::list_corpus(golden, only);
  const verification::golden::certify::CorpusVersion corpus =
      verification::golden::certify::corpus_version(golden);
  check_version(corpus, corpus_version);
  std::error_code error;
  if (candidate && !std::filesystem::is_directory(*candidate, error))
    throw ref::numeric::FileError(
        fmt::format("{}: there is no such folder; expected the candidate's answers",
                    clean_line(candidate->string())));
  ref::numeric::set_num_threads(1);
  const GoldenReport report =
      verification::golden::reports::golden_report(check(cases), settings(known_failures, corpus));
  const support::report::Checks checks = verification::golden::reports::golden_checks(report);
  write_all(
      {[&] {
         write_stdout(support::report::terminal_text(
             verification::golden::reports::golden_document(report)));
       },
       to_file(reports.json, [&] { return support::report::json_lines(checks); }),
       to_file(reports.junit, [&] { return support::report::junit(checks); }),
       to_file(reports.sarif, [&] { return support::report::sarif(checks); }),
       to_file(reports.html, [&] { return verification::golden::reports::golden_page(report); }),
       to_file(reports.markdown, [&] {
         return support::report::markdown(
             verification::golden::reports::golden_job_summary(report));
       })});
  return report.passed() ? kSuccess : kNumericalFailure;
}

}  // namespace normproof::verification::cli::golden
