#include "verification/cli/golden.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ref/io/atomic_file.hpp"
#include "ref/numeric/errors.hpp"
#include "ref/numeric/parallel.hpp"
#include "verification/cli/golden_report.hpp"
#include "verification/cli/output_files.hpp"
#include "verification/cli/progress_bar.hpp"
#include "verification/cli/standard_streams.hpp"
#include "verification/cli/text.hpp"
#include "verification/report/json_lines.hpp"
#include "verification/report/junit.hpp"
#include "verification/report/sarif.hpp"

namespace normproof::verification::cli {

namespace {

/// A list may be empty, where other files may not.
std::string read_list(const std::filesystem::path& file) {
  std::error_code error;
  const bool empty =
      std::filesystem::is_regular_file(file, error) && std::filesystem::file_size(file, error) == 0;
  return empty && !error ? std::string() : ref::io::read_text(file);
}

/// The corpus and the answers are not to be replaced by a report.
void check_outside(const char* option, const std::optional<std::filesystem::path>& file,
                   const std::filesystem::path& folder) {
  if (!file) return;
  std::error_code error;
  const auto inside = std::filesystem::weakly_canonical(std::filesystem::absolute(*file), error);
  const auto above = std::filesystem::weakly_canonical(std::filesystem::absolute(folder), error);
  const auto [end, rest] = std::mismatch(above.begin(), above.end(), inside.begin(), inside.end());
  if (end == above.end())
    throw ref::numeric::UsageError(fmt::format("{} {} is in {}; expected a file elsewhere", option,
                                               file->string(), folder.string()));
}

}  // namespace

void golden_make(const GoldenMakeCommand& command) {
  ref::numeric::set_num_threads(1);  // the cases are the tasks
  ProgressBar progress;
  const golden::certify::MakeSummary summary = golden::certify::make_corpus(
      command.out, {.tiers = command.tiers,
                    .only = command.only,
                    .jobs = command.jobs,
                    .finished = [&](const std::string& path, std::size_t done, std::size_t total) {
                      progress.show("certifying", done, total, path);
                    }});
  write_stdout(fmt::format("{}: {}, {} elements certified\n", clean_line(command.out.string()),
                           plural(summary.cases, "case"), count_text(summary.elements)));
}

void golden_export(const GoldenExportCommand& command) {
  const golden::gate::ExportSummary summary =
      golden::gate::export_corpus(command.golden, command.only, command.format, command.out);
  write_stdout(
      fmt::format("{}: {}{}\n", clean_line(command.out.string()), plural(summary.cases, "case"),
                  summary.left_out == 0
                      ? ""
                      : fmt::format("; {} left out, for npz knows no bfloat16", summary.left_out)));
}

bool golden_check(const GoldenCheckCommand& command) {
  check_outputs({{"--golden", command.golden / "manifest.json"}, {"--xfail", command.xfail}},
                {{"--json", command.json},
                 {"--junit", command.junit},
                 {"--sarif", command.sarif},
                 {"--markdown", command.markdown}});
  for (const auto& [option, file] :
       {std::pair{"--json", &command.json}, std::pair{"--junit", &command.junit},
        std::pair{"--sarif", &command.sarif}, std::pair{"--markdown", &command.markdown}}) {
    check_outside(option, *file, command.golden);
    if (command.candidate) check_outside(option, *file, *command.candidate);
  }
  const std::string xfail = command.xfail ? read_list(*command.xfail) : std::string();
  const auto cases = golden::certify::list_corpus(command.golden, command.only);
  std::error_code error;
  if (command.candidate && !std::filesystem::is_directory(*command.candidate, error))
    throw ref::numeric::FileError(
        fmt::format("{}: there is no such folder; expected the candidate's answers",
                    clean_line(command.candidate->string())));
  ref::numeric::set_num_threads(1);
  ProgressBar progress;
  const golden::gate::Ask ask = command.candidate
                                    ? golden::gate::from_folder(*command.candidate)
                                    : golden::gate::from_program(*command.pipe, command.timeout);
  // A program answers one question at a time.
  const GoldenReport report = golden_report(
      golden::gate::check_cases(
          command.golden, cases, ask, command.options, command.candidate ? command.jobs : 1,
          [&](std::size_t done) {
            progress.show("checking", done, cases.size(), cases[done - 1].path);
          }),
      command, xfail);
  const report::Checks checks = golden_checks(report);
  write_all({[&] { write_stdout(golden_text(report)); },
             to_file(command.json, [&] { return report::json_lines(checks); }),
             to_file(command.junit, [&] { return report::junit(checks); }),
             to_file(command.sarif, [&] { return report::sarif(checks); }),
             to_file(command.markdown, [&] { return golden_markdown(report); })});
  return report.passed();
}

}  // namespace normproof::verification::cli
