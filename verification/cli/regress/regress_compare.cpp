#include "verification/cli/regress/regress_compare.hpp"

#include <fmt/format.h>

#include <memory>

#include "ref/numeric/errors.hpp"
#include "verification/checks/regression/history.hpp"
#include "verification/cli/regress/regress_page.hpp"
#include "verification/cli/regress/regress_report.hpp"
#include "verification/cli/typed_options.hpp"
#include "verification/support/report/checks.hpp"
#include "verification/support/report/text.hpp"

namespace normproof::verification::cli::regress {

using checks::regression::History;
using ref::numeric::FileError;
using ref::numeric::UsageError;
using support::report::clean_line;

namespace {

/// Finds the two recordings that the command compares.
RegressReport select_recordings(const RegressCompareCommand& command, const History& history) {
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
  report.to = command.to ? find_recording(report.recordings, "--to", *command.to) : count - 1;
  if (!command.from && report.to == 0)
    throw UsageError("--to is the first recording; expected --from as well");
  report.from =
      command.from ? find_recording(report.recordings, "--from", *command.from) : report.to - 1;
  if (report.from == report.to)
    throw UsageError(
        fmt::format("--from and --to are both {}; expected two recordings",
                    clean_line(checks::regression::name_of(report.recordings, report.to))));
  report.change = checks::regression::compare_recordings(history, report.recordings[report.from],
                                                         report.recordings[report.to]);
  return report;
}

}  // namespace

void RegressCompareCommand::add(CLI::App& app) {
  require(add_file_option(app, "--history", history,
                          "The history that 'normproof regress record' wrote"));
  add_text_option(app, "--from", from,
                  "Label of the first recording, or '@3' for line 3 (default: the one before --to)",
                  "LABEL");
  add_text_option(app, "--to", to,
                  "Label of the second recording, or '@4' for line 4 (default: the last one)",
                  "LABEL");
  add_choice_option(app, "--allow", allow_towards, {{"none", false}, {"towards", true}},
                    "Which changes are allowed: none (default), or those towards the truth");
  reports.add(app);
  set_footer(
      app,
      R"(Prints one line for each output whose bits changed: how many elements, by how many ulp at most,
and the error before and after. 'towards' the truth: of the largest and the mean share of the
bound, none has grown and at least one has shrunk; 'away' is the reverse.
Exit status 1 if a change is not allowed; 3 if FILE is damaged, empty or has only one recording.

Examples:
  normproof regress compare --history h.jsonl --html h.html --junit h.xml
  normproof regress compare --history h.jsonl --from v1 --to v2 --allow towards)");
}

std::vector<NamedFile> RegressCompareCommand::inputs() const {
  return {{"--history", history}};
}

Output RegressCompareCommand::run() const {
  const auto report =
      std::make_shared<const RegressReport>(select_recordings(*this, History(history)));
  return {.status = report->passed() ? kSuccess : kNumericalFailure,
          .document = [report] { return regress_document(*report); },
          .checks = [report] { return regress_checks(*report); },
          .text = regress_text(*report),
          .json = [report] { return regress_json(*report); }};
}

}  // namespace normproof::verification::cli::regress
