#include "verification/cli/study/study_report_command.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "ref/numeric/errors.hpp"
#include "verification/cli/options.hpp"
#include "verification/cli/shared_options.hpp"
#include "verification/cli/study/study_folder.hpp"
#include "verification/cli/study/study_language_run.hpp"
#include "verification/cli/study/study_report.hpp"
#include "verification/support/report/text.hpp"

namespace normproof::verification::cli::study {

using support::report::plural;

void StudyReportCommand::add(CLI::App& app) {
  add_study_option(app, study);
  require(add_folder_option(
      app, "--out", out,
      "The folder of the study; report.html, report.md and its pictures are written "
      "there"));
  add_json_flag(app, json);
  set_footer(app, R"(Examples:
  normproof study report --out s
  normproof study report --study language --out s)");
}

Output StudyReportCommand::run() const {
  if (study == WhichStudy::language) return report_language_study(out, json);
  const studies::published::Store store = open_store(out);
  const StudyContents contents = read_contents(out, store);
  const studies::published::Results& results = contents.results;
  const studies::published::ClassCounts& classes = contents.classes;
  if (results.empty())
    throw ref::numeric::FileError(
        fmt::format("{}: holds no result; expected some of 'normproof study run'",
                    (out / "results.jsonl").string()));
  write_report(out, study_document(results, classes));
  if (json) return printed(study_summary(results, classes).dump(1) + "\n");
  std::string text = fmt::format("{}: {} and report.md\n", plural(results.size(), "cell"),
                                 (out / "report.html").string());
  for (const studies::published::Condition& condition : list_conditions(results)) {
    const studies::published::Agreement counts =
        studies::published::agreement(make_tables(results, condition, classes));
    text += fmt::format("{}: {}\n", condition_name(condition), agreement_text(counts));
  }
  return printed(text);
}

}  // namespace normproof::verification::cli::study
