#include "verification/cli/regress.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ref/io/atomic_file.hpp"
#include "ref/numeric/errors.hpp"
#include "ref/numeric/parallel.hpp"
#include "verification/cli/output_files.hpp"
#include "verification/cli/progress_bar.hpp"
#include "verification/cli/regress_page.hpp"
#include "verification/cli/regress_report.hpp"
#include "verification/cli/standard_streams.hpp"
#include "verification/cli/text.hpp"
#include "verification/determinism/environment.hpp"
#include "verification/regression/own_answers.hpp"
#include "verification/report/junit.hpp"

namespace normproof::verification::cli {

using ref::numeric::FileError;
using ref::numeric::UsageError;
using regression::History;
using regression::RecordedCase;
using regression::Recording;

namespace {

golden::gate::Ask ask_of(const RegressRecordCommand& command) {
  if (command.candidate) {
    std::error_code error;
    if (!std::filesystem::is_directory(*command.candidate, error))
      throw FileError(fmt::format("{}: there is no such folder; expected answers to record",
                                  clean_line(command.candidate->string())));
    return golden::gate::from_folder(*command.candidate);
  }
  return command.pipe ? golden::gate::from_program(*command.pipe, command.timeout)
                      : regression::from_this_program();
}

std::string candidate_of(const RegressRecordCommand& command) {
  if (command.candidate) return fmt::format("--candidate {}", command.candidate->string());
  return command.pipe ? fmt::format("--pipe {}", *command.pipe) : "--self";
}

void check_label(const std::vector<Recording>& recordings, const std::string& label) {
  if (label.empty()) return;
  const auto found = std::ranges::find(recordings, label, &Recording::label);
  if (found != recordings.end())
    throw UsageError(fmt::format("--label '{}' is that of line {} already; expected another one",
                                 label, found - recordings.begin() + 1));
}

/// The two recordings that a comparison is about.
RegressReport report_of(const RegressCompareCommand& command, const History& history) {
  RegressReport report;
  report.allow_towards = command.allow_towards;
  if (std::error_code error; !std::filesystem::exists(command.history, error))
    throw FileError(fmt::format("{}: there is no such file; expected a history",
                                clean_line(command.history.string())));
  report.recordings = history.read();
  const std::size_t count = report.recordings.size();
  if (count < 2)
    throw FileError(fmt::format("{}: has one recording; expected two or more to compare",
                                clean_line(command.history.string())));
  report.to = command.to ? place_of(report.recordings, "--to", *command.to) : count - 1;
  if (!command.from && report.to == 0)
    throw UsageError("--to is the first recording; expected --from as well");
  report.from = command.from ? place_of(report.recordings, "--from", *command.from) : report.to - 1;
  if (report.from == report.to)
    throw UsageError(fmt::format("--from and --to are both {}; expected two recordings",
                                 clean_line(regression::name_of(report.recordings, report.to))));
  report.change = regression::change_between(history, report.recordings[report.from],
                                             report.recordings[report.to]);
  return report;
}

}  // namespace

bool regress_record(const RegressRecordCommand& command) {
  const History history(command.history);
  const std::vector<Recording> before = history.read();
  check_label(before, command.label);
  ref::io::check_writable(command.history);
  const auto cases = golden::certify::list_corpus(command.golden, command.only);
  const golden::gate::Ask ask = ask_of(command);
  ref::numeric::set_num_threads(1);  // the cases are the tasks
  ProgressBar progress;
  const std::vector<RecordedCase> recorded = regression::record_cases(
      command.golden, cases, ask,
      [&](const std::string& sha256, const std::vector<golden::corpus::StoredTensor>& answer) {
        history.keep(sha256, answer);
      },
      command.pipe ? 1 : command.jobs,
      [&](std::size_t done) {
        progress.show("recording", done, cases.size(), cases[done - 1].path);
      });
  Recording recording = regression::summarize(recorded);
  if (recording.answered == 0)
    throw FileError(fmt::format(
        "{}: no case was answered, so nothing is recorded: {}", clean_line(candidate_of(command)),
        recorded.empty() ? "all are declined" : clean_line(recorded.front().problem)));
  recording.label = command.label;
  recording.candidate = candidate_of(command);
  recording.environment = determinism::environment();
  history.append(recording, recorded);
  std::string text = fmt::format(
      "{}: line {}{}: {}, {}{}\n", clean_line(command.history.string()), before.size() + 1,
      command.label.empty() ? "" : fmt::format(" '{}'", clean_line(command.label)),
      plural(recording.cases, "case"), plural(recording.outputs, "output"),
      recorded.size() == cases.size()
          ? ""
          : fmt::format(", {} declined", cases.size() - recorded.size()));
  for (const RecordedCase& one : recorded)
    if (!one.problem.empty())
      text += fmt::format("NO ANSWER to {}: {}\n", one.path, clean_line(one.problem));
  write_stdout(text);
  return recording.answered == recording.cases;
}

bool regress_compare(const RegressCompareCommand& command) {
  check_outputs({{"--history", command.history}},
                {{"--html", command.html}, {"--json", command.json}, {"--junit", command.junit}});
  const RegressReport report = report_of(command, History(command.history));
  write_all({[&] { write_stdout(regress_text(report)); },
             to_file(command.html, [&] { return regress_page(report); }),
             to_file(command.json, [&] { return regress_json(report); }),
             to_file(command.junit, [&] { return report::junit(regress_checks(report)); })});
  return report.passed();
}

}  // namespace normproof::verification::cli
