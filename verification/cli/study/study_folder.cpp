#include "verification/cli/study/study_folder.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "ref/io/atomic_file.hpp"
#include "ref/numeric/errors.hpp"
#include "verification/cli/standard_streams.hpp"
#include "verification/support/report/html.hpp"
#include "verification/support/report/markdown.hpp"
#include "verification/support/report/text.hpp"

namespace normproof::verification::cli::study {

using support::report::clean_line;

studies::published::Store open_store(const std::filesystem::path& out) {
  return studies::published::Store(out, [](const std::string& sentence) {
    write_stderr(fmt::format("normproof: {}\n", clean_line(sentence)));
  });
}

void check_study(const std::filesystem::path& out, const std::string& text, WhichStudy study) {
  const auto identity = nlohmann::json::parse(text, nullptr, false);
  const auto format = identity.is_object() ? identity.find("format") : identity.end();
  if (format == identity.end() || !format->is_string()) return;
  const std::string name = format->get<std::string>();
  if (study == WhichStudy::published && name.starts_with("normproof-language-study-"))
    throw ref::numeric::UsageError(fmt::format(
        "{} is the folder of a study of language models; expected --study language, or another "
        "folder",
        out.string()));
  if (study == WhichStudy::language && name.starts_with("normproof-study-"))
    throw ref::numeric::UsageError(fmt::format(
        "{} is the folder of the published experiment; expected that of a study of language "
        "models, as study run --study language makes",
        out.string()));
}

studies::published::Identity read_identity(const std::filesystem::path& out,
                                           const std::string& text) {
  check_study(out, text, WhichStudy::published);
  return studies::published::parse_identity(text, (out / "study.json").string());
}

StudyContents read_contents(const std::filesystem::path& out,
                            const studies::published::Store& store) {
  studies::published::Identity identity = read_identity(out, store.identity());
  const auto lines = store.results();
  store.check_data(identity.data_sha256);
  return {std::move(identity.classes),
          studies::published::read_results(lines, (out / "results.jsonl").string())};
}

void write_report(const std::filesystem::path& out, const support::report::Document& document) {
  for (const support::report::Part& part : document.parts)
    if (const auto* const figure = std::get_if<support::report::Figure>(&part))
      if (figure->drawing.failure.empty())
        ref::io::write_file(out / figure->file, figure->drawing.svg + "\n");
  ref::io::write_file(out / "report.html", support::report::html(document));
  ref::io::write_file(out / "report.md", support::report::markdown(document));
}

std::string duration_text(double seconds) {
  if (seconds < 120) return fmt::format("{:.0f} s", seconds);
  if (seconds < 7200) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

}  // namespace normproof::verification::cli::study
