#include "verification/cli/study/study_power.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "ref/model/option_fields.hpp"
#include "ref/numeric/errors.hpp"
#include "verification/cli/shared_options.hpp"
#include "verification/cli/study/study_folder.hpp"
#include "verification/cli/study/study_language_report.hpp"
#include "verification/cli/study/study_language_run.hpp"
#include "verification/cli/typed_options.hpp"
#include "verification/studies/language/plan.hpp"
#include "verification/studies/language/power.hpp"

namespace normproof::verification::cli::study {

namespace {

/// Throws an error that says which training runs are missing in the folder for a comparison of
/// power_norm with layer_norm, and which command executes them.
[[noreturn]] void refuse_folder(const std::filesystem::path& out,
                                const studies::published::Store& store,
                                const studies::language::Results& results) {
  const bool quick = has_only_quick_cells(results);
  studies::language::Selection selection;
  selection.tasks = read_language_tasks(out, store);
  selection.norms = {"layer_norm", "power_norm"};
  if (quick) selection.size = studies::language::Size::quick;
  std::vector<std::string> missing;
  for (const studies::language::Cell& cell : rate_selection_cells(selection))
    if (const std::string name = cell_name(cell); !results.contains(name)) missing.push_back(name);
  throw ref::numeric::FileError(fmt::format(
      "{}: has no two seeds of a norm and of layer_norm at their chosen rates, for {} cells that "
      "choose them are missing, the first {}; expected those of 'normproof study run --study "
      "language --out {}{}{} --norms layer_norm,power_norm --seeds 2', with the data of the folder",
      (out / "results.jsonl").string(), missing.size(),
      missing.empty() ? std::string("none") : missing.front(), out.string(),
      quick ? " --quick" : "",
      selection.tasks.size() == 1
          ? fmt::format(" --tasks {}", ref::model::print_field(selection.tasks.front()))
          : std::string()));
}

}  // namespace

void StudyStatisticalPowerCommand::add(CLI::App& app) {
  add_study_option(
      app, study,
      "The norms of language models (default); the seeds of the published experiment are not "
      "paired");
  require(add_folder_option(app, "--out", out, "The folder of the study of language models"));
  add_number_option(app, "--seeds", seeds, 2, 1000,
                    "Number of paired seeds of the planned study (default: 5)");
  reports.add_with_json_flag(app);
  set_footer(
      app,
      R"(Uses the validation perplexities of the folder at the chosen rates, of at least two seeds, and for
translators also the BLEU. Prints the standard deviation of the paired differences to layer_norm,
and the mean difference that a two-sided t test at 5 % finds with probability 0.8.

Example:
  normproof study run --study language --out s --norms layer_norm,power_norm --seeds 2
  normproof study power --out s --seeds 5)");
}

Output StudyStatisticalPowerCommand::run() const {
  if (study == WhichStudy::published)
    throw ref::numeric::UsageError(
        "--study is published, whose seeds are not paired; expected language");
  const studies::published::Store store = open_store(out);
  const studies::language::Results results = read_language_results(out, store);
  if (power_rows(results, studies::language::validation_perplexity, seeds).empty())
    refuse_folder(out, store, results);
  nlohmann::ordered_json list = nlohmann::json::array();
  for (const auto& [what, quantity] :
       {std::pair{"perplexity", &studies::language::validation_perplexity},
        std::pair{"bleu", &studies::language::validation_bleu}})
    for (const studies::language::PowerRow& row : power_rows(results, quantity, seeds))
      list.push_back({{"condition", condition_name(row.condition)},
                      {"quantity", what},
                      {"norm", row.norm},
                      {"pairs", row.pairs},
                      {"deviation", row.deviation},
                      {"detectable", row.detectable}});
  support::report::Document document{"normproof: what the seeds can see"};
  for (support::report::Table& table : language_power_tables(results, seeds))
    document.add(std::move(table));
  document.add(support::report::Paragraph{fmt::format(
      "Published: {:+.1f} of PTB, {:+.1f} of WikiText-103, in perplexities of words; {:+.1f} of "
      "IWSLT14, {:+.1f} of WMT14, in BLEU.",
      studies::language::kPublishedPtb, studies::language::kPublishedWikiText,
      studies::language::kPublishedIwslt, studies::language::kPublishedWmt)});
  return {.document = document, .json = list.dump(1) + "\n"};
}

}  // namespace normproof::verification::cli::study
