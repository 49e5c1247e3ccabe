#include "verification/cli/study_command_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "ref/numeric/errors.hpp"
#include "verification/cli/help.hpp"
#include "verification/cli/option_values.hpp"

namespace normproof::verification::cli {

using ref::numeric::UsageError;

namespace {

void add_selection(CLI::App& verb, StudyTexts& texts) {
  verb.add_option("--protocol", texts.protocols,
                  "corrected (default), published, corrected+FAULT,\npublished-FAULT, several "
                  "between commas, or all fourteen:\nall")
      ->type_name("LIST");
  verb.add_option("--tables", texts.tables, "Tables, such as 1,3-4, or none (default: 1-6)")
      ->type_name("LIST");
  verb.add_option("--figures", texts.figures, "Figures, such as 2,4-6, or none (default: 2-6)")
      ->type_name("LIST");
  verb.add_flag("--no-initialization", texts.no_initialization,
                "Without the two uniform initializations");
  verb.add_option("--norms", texts.norms,
                  "Norms between commas, or all (default: layer_norm,\nbatch_norm,none,power_norm)")
      ->type_name("LIST");
  verb.add_option("--rates", texts.rates,
                  "Learning rates of the tables (default:\n10,1,0.5,0.1,1e-2,1e-3,1e-4)")
      ->type_name("LIST");
  verb.add_option(
          "--padding", texts.padding,
          "Length of a batch: its longest sentence or 512 (default:\n512 where the protocol "
          "is published, else longest)")
      ->type_name("longest|512");
  verb.add_option("--seeds", texts.seeds, "Seeds of tables and curves: 42, 43, ... (default: 1)")
      ->type_name("N");
  verb.add_option("--gradient-seeds", texts.gradient_seeds,
                  "Seeds of figures 2 and 3: 1, 2, ... (default: 100)")
      ->type_name("N");
  verb.add_option("--cells", texts.cells, "These cells and no others, by the names of study list")
      ->type_name("LIST");
  verb.add_flag("--quick", texts.quick,
                "Table 1 at three rates, figures at 20 steps and two seeds");
}

void add_out(CLI::App& verb, StudyTexts& texts, const char* what) {
  verb.add_option("--out", texts.out, what)->required()->type_name("DIR");
}

void add_json(CLI::App& verb, StudyTexts& texts) {
  verb.add_flag("--json", texts.json, "Standard output as JSON");
}

void add_jobs(CLI::App& verb, StudyTexts& texts) {
  verb.add_option("--jobs", texts.jobs,
                  "Cells at the same time (default: the number of\nprocessors; 1 as a rank of "
                  "mpirun, or on a GPU); no bit\ndepends on it")
      ->type_name("N");
}

void add_device(CLI::App& verb, StudyTexts& texts) {
  verb.add_option(
          "--device", texts.device,
          "What trains: processor (default), cuda, the first GPU,\nor simulated, a GPU simulated, "
          "slowly; cells with dynamics\nalways the processor; no bit depends on it")
      ->type_name("NAME");
}

void add_data(CLI::App& verb, StudyTexts& texts) {
  verb.add_option("--data", texts.data,
                  "Sentences in the format of Financial PhraseBank\n(default: a made-up corpus)")
      ->type_name("FILE");
  verb.add_option("--vocab", texts.vocab, "The WordPiece vocabulary to --data: vocab.txt")
      ->type_name("FILE");
  verb.add_option("--validation", texts.validation,
                  "Numbers of the sentences to validate on, from 0, a line\neach (default: a fifth "
                  "of all)")
      ->type_name("FILE");
}

template <class Value, class Parse>
std::vector<Value> parse_list(const std::string& text, const Parse& parse) {
  std::vector<Value> values;
  for (const std::string& part : study::split_list(text)) values.push_back(parse(part));
  return values;
}

/// `all`, alone, or what `parse` makes of the parts between the commas.
template <class Value, class Parse>
std::vector<Value> parse_list_or_all(const char* option, const std::string& text,
                                     const std::vector<Value>& all, const Parse& parse) {
  if (text == "all") return all;
  return parse_list<Value>(text, [&](const std::string& part) {
    if (part == "all")
      throw UsageError(
          fmt::format("{} is '{}'; expected all alone, or names between commas", option, text));
    return parse(part);
  });
}

/// One of the known names.
std::string known_name(const char* kind, const std::string& name,
                       const std::vector<std::string>& known) {
  if (std::ranges::find(known, name) == known.end())
    throw UsageError(ref::numeric::unknown_name(kind, name, known));
  return name;
}

std::vector<std::size_t> numbers_or_none(const char* option, const std::string& text,
                                         std::size_t least, std::size_t most) {
  if (text == "none") return {};
  return study::parse_numbers(option, text, least, most);
}

study::Selection selection_of(const CLI::App& verb, const StudyTexts& texts) {
  const auto given = [&](const char* option) { return verb.count(option) > 0; };
  study::Selection selection = texts.quick ? study::quick_selection() : study::Selection();
  if (given("--protocol"))
    selection.protocols = parse_list_or_all("--protocol", texts.protocols,
                                            study::standard_protocols(), study::parse_protocol);
  if (given("--padding"))
    selection.padding = parse_choice<study::Padding>(
        "--padding", texts.padding,
        {{"longest", study::Padding::longest}, {"512", study::Padding::fixed_512}});
  if (given("--tables")) selection.tables = numbers_or_none("--tables", texts.tables, 1, 6);
  if (given("--figures")) selection.figures = numbers_or_none("--figures", texts.figures, 2, 6);
  if (texts.no_initialization) selection.initialization = false;
  if (given("--norms"))
    selection.norms = parse_list_or_all(
        "--norms", texts.norms, study::study_norms(),
        [](const std::string& name) { return known_name("norm", name, study::study_norms()); });
  if (given("--rates"))
    selection.rates = parse_list<std::string>(texts.rates, [](const std::string& name) {
      return known_name("learning rate", name, study::study_rates());
    });
  if (given("--seeds"))
    selection.seeds = parse_number<std::size_t>("--seeds", texts.seeds, 1, 1000);
  if (given("--gradient-seeds"))
    selection.gradient_seeds =
        parse_number<std::size_t>("--gradient-seeds", texts.gradient_seeds, 1, 1000);
  return selection;
}

/// The cells that --cells names: nothing else selects beside it.
std::vector<std::string> named_cells(const CLI::App& verb, const StudyTexts& texts) {
  if (verb.count("--cells") == 0) return {};
  for (const char* option :
       {"--protocol", "--tables", "--figures", "--no-initialization", "--norms", "--rates",
        "--padding", "--seeds", "--gradient-seeds", "--quick"})
    if (verb.count(option) > 0)
      throw UsageError(
          fmt::format("--cells names the cells by itself; expected no {} beside it", option));
  return study::split_list(texts.cells);
}

bool is_rank() {
  return std::getenv("OMPI_COMM_WORLD_RANK") != nullptr || std::getenv("PMI_RANK") != nullptr;
}

}  // namespace

void add_study(CLI::App& app, StudyTexts& texts) {
  CLI::App& study = *app.add_subcommand(
      "study", "The published experiment again, its faults as switches,\nPowerNorm beside it");
  study.footer(study_footer());
  CLI::App& list = *study.add_subcommand("list", "The names of the cells");
  add_selection(list, texts);
  CLI::App& run = *study.add_subcommand(
      "run",
      "Compute the cells that the folder does not have; killed\nat any point, the same "
      "command goes on");
  add_selection(run, texts);
  add_data(run, texts);
  add_jobs(run, texts);
  add_device(run, texts);
  add_out(run, texts, "The folder of the study: made, or gone on with");
  CLI::App& status =
      *study.add_subcommand("status", "What is done, what is missing, and how long it takes");
  add_selection(status, texts);
  add_jobs(status, texts);
  add_out(status, texts, "The folder of the study");
  CLI::App& report = *study.add_subcommand(
      "report", "Tables, figures and conclusions of what is done, beside\nwhat was published");
  add_out(report, texts,
          "The folder of the study; report.html, report.md and\nits pictures are "
          "written there");
  for (CLI::App* verb : study.get_subcommands({})) {
    add_json(*verb, texts);
    verb->allow_extras();
    verb->group("Commands");
    verb->get_formatter()->column_width(22);
  }
}

StudyCommand study_command(const CLI::App& verb, const StudyTexts& texts) {
  StudyCommand command;
  command.verb = parse_choice<StudyVerb>("study command", verb.get_name(),
                                         {{"list", StudyVerb::list},
                                          {"run", StudyVerb::run},
                                          {"status", StudyVerb::status},
                                          {"report", StudyVerb::report}});
  command.json = texts.json;
  if (command.verb != StudyVerb::list) command.out = *path_of(verb, "--out");
  if (command.verb == StudyVerb::report) return command;
  command.selection = selection_of(verb, texts);
  command.cells = named_cells(verb, texts);
  if (command.verb == StudyVerb::list) return command;
  if (command.verb == StudyVerb::run && verb.count("--device") > 0)
    command.device = parse_choice<std::optional<gpu::device::Backend>>(
        "device", texts.device,
        {{"processor", std::nullopt},
         {"simulated", gpu::device::Backend::simulated},
         {"cuda", gpu::device::Backend::cuda}});
  const bool alone = is_rank() || command.device == gpu::device::Backend::cuda;
  command.jobs = alone && verb.count("--jobs") == 0 ? 1 : thread_count(verb, "--jobs", texts.jobs);
  if (command.verb == StudyVerb::status) return command;
  command.source.files = {path_of(verb, "--data"), path_of(verb, "--vocab")};
  command.source.validation = path_of(verb, "--validation");
  return command;
}

}  // namespace normproof::verification::cli
