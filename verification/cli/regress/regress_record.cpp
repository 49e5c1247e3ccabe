#include "verification/cli/regress/regress_record.hpp"

#include <fmt/format.h>

#include <utility>

#include "ref/io/atomic_file.hpp"
#include "ref/numeric/errors.hpp"
#include "ref/numeric/parallel.hpp"
#include "verification/checks/determinism/environment.hpp"
#include "verification/checks/regression/history.hpp"
#include "verification/checks/regression/recording.hpp"
#include "verification/cli/golden/golden_options.hpp"
#include "verification/cli/progress_bar.hpp"
#include "verification/cli/typed_options.hpp"
#include "verification/golden/candidate/double_candidate.hpp"
#include "verification/golden/candidate/folder_candidate.hpp"
#include "verification/golden/candidate/program_candidate.hpp"
#include "verification/support/report/text.hpp"

namespace normproof::verification::cli::regress {

using checks::regression::History;
using checks::regression::RecordedCase;
using checks::regression::Recording;
using ref::numeric::FileError;
using support::report::clean_line;
using support::report::plural;

namespace {

verification::golden::candidate::Candidate make_candidate(const RegressRecordCommand& command) {
  if (command.candidate) {
    std::error_code error;
    if (!std::filesystem::is_directory(*command.candidate, error))
      throw FileError(fmt::format("{}: there is no such folder; expected answers to record",
                                  clean_line(command.candidate->string())));
    golden::check_is_not_corpus(*command.candidate, command.golden);
    return verification::golden::candidate::make_folder_candidate(*command.candidate);
  }
  return command.pipe
             ? verification::golden::candidate::make_program_candidate(
                   *command.pipe, command.timeout, verification::golden::candidate::kMaxRestarts,
                   golden::print_candidate_errors)
             : verification::golden::candidate::reference_candidate();
}

std::string candidate_name(const RegressRecordCommand& command) {
  if (command.candidate) return fmt::format("--candidate {}", command.candidate->string());
  return command.pipe ? fmt::format("--pipe {}", *command.pipe) : "--self";
}

}  // namespace

void RegressRecordCommand::add(CLI::App& app) {
  golden::add_golden_option(app, golden);
  require(add_file_option(app, "--history", history,
                          "The history to append to; created if it does not exist"));
  golden::add_candidate(app, candidate);
  golden::add_pipe_option(app, pipe, timeout);
  add_flag(app, "--self", self, "Record this program itself, in double");
  const TextConstraint no_place = {
      [](const std::string& text) { return !text.empty() && !text.starts_with('@'); },
      "a text that does not begin with @"};
  add_text_option(app, "--label", label,
                  "A name for the recording, such as a commit (default: none; '@3' is line 3)",
                  "TEXT", no_place);
  golden::add_only_option(app, only);
  add_jobs_option(app, jobs, "Cases to record");
  check_after_parsing(app, [&app] {
    require_one_option_of(app, {"--candidate", "--pipe", "--self"});
  });
  set_footer(
      app,
      R"(Appends one line to FILE, and stores each distinct output once in the folder FILE.answers. Another
recording of the same outputs takes only its line. Exit status 1 if a case got no output; this is
recorded. If no case got one, nothing is recorded and the status is 3, as for a damaged file.

Examples:
  normproof regress record --golden golden --history h.jsonl --self --label "$COMMIT"
  normproof regress record --golden golden --history h.jsonl --pipe ./my_kernel)");
}

Output RegressRecordCommand::run() const {
  const History recorded_history(history);
  checks::regression::check_label(recorded_history.read(), label);
  ref::io::check_writable(history);
  const auto cases = verification::golden::certify::list_corpus(golden, only);
  const verification::golden::candidate::Candidate recorded_candidate = make_candidate(*this);
  ref::numeric::set_num_threads(1);  // the cases run in parallel instead
  ProgressBar progress;
  const std::vector<RecordedCase> recorded = checks::regression::record_cases(
      golden, cases, recorded_candidate,
      [&](const std::string& sha256,
          const std::vector<verification::golden::corpus::StoredTensor>& answer) {
        recorded_history.keep(sha256, answer);
      },
      pipe ? 1 : jobs,
      [&](std::size_t done) {
        progress.show("recording", done, cases.size(), cases[done - 1].path);
      });
  Recording recording = checks::regression::summarize(recorded);
  if (recording.answered == 0)
    throw FileError(fmt::format(
        "{}: no case was answered, so nothing is recorded: {}", clean_line(candidate_name(*this)),
        recorded.empty() ? "all are declined" : clean_line(recorded.front().problem)));
  recording.label = label;
  recording.candidate = candidate_name(*this);
  recording.environment = checks::determinism::environment();
  const std::size_t line = recorded_history.append(recording, recorded);
  std::string text =
      fmt::format("{}: line {}{}: {}, {}{}\n", clean_line(history.string()), line,
                  label.empty() ? "" : fmt::format(" '{}'", clean_line(label)),
                  plural(recording.cases, "case"), plural(recording.outputs, "output"),
                  recorded.size() == cases.size()
                      ? ""
                      : fmt::format(", {} declined", cases.size() - recorded.size()));
  for (const RecordedCase& one : recorded)
    if (!one.problem.empty())
      text += fmt::format("NO ANSWER to {}: {}\n", one.path, clean_line(one.problem));
  return printed(std::move(text),
                 recording.answered == recording.cases ? kSuccess : kNumericalFailure);
}

}  // namespace normproof::verification::cli::regress
