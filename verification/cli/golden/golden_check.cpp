#include "verification/cli/golden/golden_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "ref/data/utf8.hpp"
#include "ref/io/atomic_file.hpp"
#include "ref/numeric/errors.hpp"
#include "ref/numeric/parallel.hpp"
#include "verification/checks/agreement/device_outputs.hpp"
#include "verification/checks/agreement/float32_outputs.hpp"
#include "verification/cli/device_option.hpp"
#include "verification/cli/golden/golden_options.hpp"
#include "verification/cli/progress_bar.hpp"
#include "verification/cli/shell_line.hpp"
#include "verification/cli/typed_options.hpp"
#include "verification/golden/candidate/double_candidate.hpp"
#include "verification/golden/candidate/folder_candidate.hpp"
#include "verification/golden/candidate/program_candidate.hpp"
#include "verification/golden/corpus/kind.hpp"
#include "verification/golden/corpus/scaling.hpp"
#include "verification/golden/gate/check_cases.hpp"
#include "verification/golden/reports/golden_document.hpp"
#include "verification/golden/reports/golden_page.hpp"
#include "verification/support/report/markdown.hpp"
#include "verification/support/report/text.hpp"

namespace normproof::verification::cli::golden {

using support::report::clean_line;
using verification::golden::reports::GoldenReport;
using verification::golden::reports::Outcome;

namespace {

/// Reads a file with a list of globs. Unlike other files, it may be empty.
std::string read_globs(const std::filesystem::path& file) {
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

/// Checks that the corpus has exactly the required version, if one is given.
void check_version(const verification::golden::certify::CorpusVersion& corpus,
                   const std::optional<std::string>& required) {
  if (!required || corpus.matches_version_text(*required)) return;
  throw ref::numeric::FileError(fmt::format(
      "the corpus is of version {}; expected {}, as --corpus-version says (this program "
      "makes {}; docs/changelog.md says what changed)",
      corpus.text(), clean_line(*required),
      verification::golden::certify::built_corpus_version().text()));
}

std::string reproduction_line(const GoldenCheckCommand& command, const std::string& path,
                              Outcome outcome) {
  const GoldenCheckCommand usual;
  GoldenCheckCommand alone = command;
  alone.only = path;
  alone.min_cases = usual.min_cases;
  alone.corpus_version = usual.corpus_version;
  // A case that passes unexpectedly (xpass) fails only because of this list.
  if (outcome != Outcome::xpass) alone.xfail = usual.xfail;
  alone.jobs = usual.jobs;
  alone.reports = usual.reports;
  return shell_line("golden check", alone);
}

}  // namespace

void GoldenCheckCommand::add(CLI::App& app) {
  add_golden_option(app, golden);
  add_candidate(app, candidate);
  add_pipe_option(app, pipe, timeout);
  add_device_option(app, device,
                    "Check this program's GPU code, on the first GPU (cuda) or on a simulated one. "
                    "layer_norm and rms_norm of 32 and 16 bits run in float32, the rest in double; "
                    "optimizers, whole Transformers and 8-bit outputs are declined");
  add_list_option(
      app, "--outputs", options.outputs,
      "The outputs to check, separated by commas (default: y, the gradients, the state, and "
      "statistics that are present)");
  add_accumulation_option(
      app, options.accumulation,
      "The dtype of the candidate's sums (default: float32 for 16-bit cases, else the "
      "dtype of the case)");
  add_formula_option(
      app, options.formula,
      "two_pass (default); stable: activations keep their relative accuracy in their tails; "
      "folded: x r - m r is accepted too, with the error that it may have; or one_pass: so "
      "is E[x^2] - E[x]^2");
  add_cast_order_option(
      app, options.cast_order,
      "after_gamma (default); before_gamma: in 16 bits, a norm may round x_hat before it "
      "multiplies by gamma, as the RMSNorm of Llama does; or stored_statistics: a norm of rows may "
      "store the mean and rstd in 16 bits, as PyTorch does on a CPU");
  add_loss_dtype_option(app, options.loss_dtype,
                        "wide (default): the loss of 16-bit logits is float32; or logits: it has "
                        "their dtype, and the "
                        "log-probabilities may be stored in it, too");
  add_scale_rounding_option(app, options.scale_rounding,
                            "floor (default), up, nearest, even or ceil: how the scales of the "
                            "blocks of an 8-bit y are rounded to powers of two");
  add_flag(app, "--flush-subnormals", options.flush_subnormals,
           "Declare that the candidate flushes subnormal numbers to zero. Without this option such "
           "a candidate fails");
  add_flag(app, "--skip-diagnosis", options.skip_diagnosis,
           "Do not search for the mistake of a case that fails");
  add_only_option(app, only);
  add_number_option(app, "--min-cases", min_cases, 1, 1'000'000'000,
                    "Fail if fewer cases are judged (default: 1)");
  add_text_option(
      app, "--corpus-version", corpus_version,
      "The required version of the corpus: 2, 2.4 or 2.4.0; with another version the exit "
      "status is 3",
      "VERSION");
  add_file_option(
      app, "--xfail", xfail,
      "A file of cases that are known to fail, one glob per line; a case that passes is a failure");
  add_flag(app, "--strict", strict,
           "Fail if an element is not verified, because its bound is infinite or would accept "
           "zeros");
  reports.add(app);
  add_jobs_option(app, jobs, "Cases to check");
  check_after_parsing(app, [&app] {
    require_one_option_of(app, {"--candidate", "--pipe", "--device"});
  });
  set_footer(
      app,
      R"(Prints the metrics of every output, and for each failure the element, its bound and the command
that reproduces it. An element passes if |got - exact| <= bound: docs/error_analysis.md,
section 8.
--json writes one object per line and case.
Exit status 1 if a case fails; 2 if the shell does not find the program of --pipe, or cannot run
it.

Examples:
  normproof golden check --golden golden --candidate answers --junit report.xml
  normproof golden check --golden golden --pipe 'python3 adapter.py' --only '*/rms_norm/*'
  normproof golden check --golden golden --device cuda)");
}

verification::golden::candidate::Candidate GoldenCheckCommand::source() const {
  using verification::golden::candidate::Candidate;
  using verification::golden::candidate::CandidateOutput;
  using verification::golden::corpus::Case;
  if (candidate) return verification::golden::candidate::make_folder_candidate(*candidate);
  if (pipe)
    return verification::golden::candidate::make_program_candidate(
        *pipe, timeout, verification::golden::candidate::kMaxRestarts, print_candidate_errors);
  const std::shared_ptr<normproof::gpu::device::Device> opened = open_rank_device(*device);
  const Candidate in_double = verification::golden::candidate::double_candidate(
      [opened](const Case& c, const checks::evaluation::EvalInputs& inputs) {
        if (verification::golden::corpus::is_scaled(c))
          return std::optional<ref::tensor::NamedTensors<double>>();
        return checks::agreement::run_operation_on_device(*opened, c.options, inputs, c.sequence);
      });
  return [opened, in_double](const verification::golden::certify::StoredCase& stored)
             -> verification::golden::candidate::CandidateOutput {
    const verification::golden::corpus::Case& c = stored.description.c;
    if (auto output = checks::agreement::run_float32_norm_on_device(*opened, c))
      return std::move(*output);
    CandidateOutput output = in_double(stored);
    if (!output.is_declined()) return output;
    return CandidateOutput::declined(verification::golden::corpus::is_scaled(c)
                                         ? "the GPU path has no results of 8 bits"
                                     : verification::golden::corpus::is_optimizer(c)
                                         ? "the GPU path has no optimizers"
                                         : "the GPU path answers no whole Transformers");
  };
}

/// Checks all cases. The progress bar and the candidate's process end when this function returns,
/// which is before anything is printed.
std::vector<verification::golden::gate::CaseResult> GoldenCheckCommand::check(
    const std::vector<verification::golden::certify::CaseDescription>& cases) const {
  const verification::golden::candidate::Candidate checked = source();
  verification::golden::gate::CheckOptions check_options = options;
  check_options.maps = reports.file("--html").has_value();
  ProgressBar progress;
  // A program or a device computes one case at a time.
  return verification::golden::gate::check_cases(
      golden, cases, checked, check_options, candidate ? jobs : 1, [&](std::size_t done) {
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
                      Outcome outcome) { return reproduction_line(*this, path, outcome); },
      .file = [this](const std::string& path) { return (golden / path / "case.json").string(); },
      .corpus = std::move(corpus)};
}

std::vector<NamedFile> GoldenCheckCommand::inputs() const {
  return {{"--golden", golden / "manifest.json"},
          {"--xfail", xfail},
          {"--golden", golden},
          {"--candidate", candidate}};
}

Output GoldenCheckCommand::run() const {
  const std::string known_failures = xfail ? read_globs(*xfail) : std::string();
  const auto cases = verification::golden::certify::list_corpus(golden, only);
  const verification::golden::certify::CorpusVersion corpus =
      verification::golden::certify::corpus_version(golden);
  check_version(corpus, corpus_version);
  std::error_code error;
  if (candidate && !std::filesystem::is_directory(*candidate, error))
    throw ref::numeric::FileError(
        fmt::format("{}: there is no such folder; expected the candidate's answers",
                    clean_line(candidate->string())));
  if (candidate) check_is_not_corpus(*candidate, golden);
  ref::numeric::set_num_threads(1);
  namespace golden_reports = verification::golden::reports;
  const auto report = std::make_shared<const GoldenReport>(
      golden_reports::golden_report(check(cases), settings(known_failures, corpus)));
  return {.status = report->passed() ? kSuccess : kNumericalFailure,
          .document = [report] { return golden_reports::golden_document(*report); },
          .checks = [report] { return golden_reports::golden_checks(*report); },
          .html = [report] { return golden_reports::golden_page(*report); },
          .markdown =
              [report] {
                return support::report::markdown(golden_reports::golden_job_summary(*report));
              }};
}

}  // namespace normproof::verification::cli::golden
