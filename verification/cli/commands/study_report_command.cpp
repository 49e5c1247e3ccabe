#include "verification/cli/commands/study_report_command.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "ref/io/atomic_file.hpp"
#include "ref/numeric/errors.hpp"
#include "verification/cli/commands/study_folder.hpp"
#include "verification/cli/commands/study_report.hpp"
#include "verification/cli/options.hpp"
#include "verification/cli/shared_options.hpp"
#include "verification/cli/standard_streams.hpp"
#include "verification/report/html.hpp"
#include "verification/report/markdown.hpp"
#include "verification/report/text.hpp"

namespace normproof::verification::cli::commands {

using report::plural;

void StudyReportCommand::add(CLI::App& app) {
  require(add_folder(app, "--out", out,
                     "The folder of the study; report.html, report.md and its pictures are written "
                     "there"));
  add_json_flag(app, json);
  set_footer(app, R"(Example:
  normproof study report --out s)");
}

ExitStatus StudyReportCommand::run() const {
  const study::Store store = store_of(out);
  const StudyContents contents = read_contents(out, store);
  const study::Results& results = contents.results;
  const study::ClassCounts& classes = contents.classes;
  if (results.empty())
    throw ref::numeric::FileError(
        fmt::format("{}: holds no result; expected some of 'normproof study run'",
                    (out / "results.jsonl").string()));
  const report::Document document = study_document(results, classes);
  for (const report::Part& part : document.parts)
    if (const auto* const figure = std::get_if<report::Figure>(&part))
      if (figure->drawing.failure.empty())
        ref::io::write_file(out / figure->file, figure->drawing.svg + "\n");
  ref::io::write_file(out / "report.html", report::html(document));
  ref::io::write_file(out / "report.md", report::markdown(document));
  if (json) {
    write_stdout(study_summary(results, classes).dump(1) + "\n");
    return kSuccess;
  }
  std::string text = fmt::format("{}: {} and report.md\n", plural(results.size(), "cell"),
                                 (out / "report.html").string());
  for (const study::Condition& condition : conditions_of(results)) {
    const study::Agreement counts = study::agreement(tables_of(results, condition, classes));
    text += fmt::format("{}: {}\n", condition_name(condition), agreement_text(counts));
  }
  write_stdout(text);
  return kSuccess;
}

}  // namespace normproof::verification::cli::commands
