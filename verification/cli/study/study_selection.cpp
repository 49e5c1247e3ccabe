#include "verification/cli/study/study_selection.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "ref/model/operation_names.hpp"
#include "ref/model/option_fields.hpp"
#include "verification/cli/typed_options.hpp"
#include "verification/studies/language/choice.hpp"

namespace normproof::verification::cli::study {

using ref::numeric::UsageError;

namespace {

/// Returns the name unchanged. It is the parser of an option whose value is the text itself.
std::string parse_name_unchanged(const std::string& name) {
  return name;
}

std::string number_option_name(std::size_t number) {
  return std::to_string(number);
}

template <class Value, class Name>
auto list_printer(Name name) {
  return [name](const std::vector<Value>& values) {
    std::string text;
    for (const Value& value : values) text += (text.empty() ? "" : ",") + name(value);
    return text;
  };
}

/// Returns a function that parses a list: the word `all` alone, or values separated by commas.
/// `parse` converts each value.
template <class Value, class Parse>
auto make_list_or_all_parser(const char* option, const std::vector<Value>& all, Parse parse) {
  return [=](const std::string& text) {
    if (text == "all") return all;
    std::vector<Value> values;
    for (const std::string& part : studies::published::split_list(text)) {
      if (part == "all")
        throw UsageError(
            fmt::format("{} is '{}'; expected all alone, or names between commas", option, text));
      values.push_back(parse(part));
    }
    return values;
  };
}

/// Returns a function that accepts a name only if it is one of `known`.
auto known_name_parser(const char* kind, const std::vector<std::string>& known) {
  return [=](const std::string& name) {
    if (std::ranges::find(known, name) == known.end())
      throw UsageError(ref::numeric::unknown_name(kind, name, known));
    return name;
  };
}

void add_numbers_option(CLI::App& app, const char* option,
                        std::optional<std::vector<std::size_t>>& field, std::size_t minimum,
                        std::size_t maximum, const std::string& help) {
  const auto parse = [=](const std::string& text) {
    return text == "none" ? std::vector<std::size_t>()
                          : studies::published::parse_numbers(option, text, minimum, maximum);
  };
  const auto print = [](const std::vector<std::size_t>& numbers) {
    return numbers.empty() ? "none" : list_printer<std::size_t>(number_option_name)(numbers);
  };
  add_value_option(app, option, field, parse, print, help, "LIST");
}

const Choices<WhichStudy>& study_choices() {
  static const Choices<WhichStudy> choices = {{"published", WhichStudy::published},
                                              {"language", WhichStudy::language}};
  return choices;
}

/// Returns the norms of a study. For the study of language models, these are the norms of all
/// tasks. Each task uses the norms that it supports.
std::vector<std::string> list_known_norms(WhichStudy study) {
  return study == WhichStudy::language ? studies::language::study_norms(training::Task::translate)
                                       : studies::published::study_norms();
}

/// Replaces the single name `all` by the names of all norms of the study.
std::vector<std::string> expand_all_norms(const std::vector<std::string>& norms, WhichStudy study) {
  return norms == std::vector<std::string>{"all"} ? list_known_norms(study) : norms;
}

/// Parses the word `all` alone, or names separated by commas. It does not check the names, because
/// the known names depend on the study.
std::vector<std::string> parse_norms(const std::string& text) {
  std::vector<std::string> names = studies::published::split_list(text);
  if (names.size() > 1 && std::ranges::find(names, "all") != names.end())
    throw UsageError(
        fmt::format("--norms is '{}'; expected all alone, or names between commas", text));
  for (std::string& name : names) name = ref::model::find_operation_name(name).value_or(name);
  return names;
}

/// Checks that all given options and norms belong to the selected study.
void check_selected_study(const CLI::App& app, const StudySelection& selection) {
  const bool language = selection.study == WhichStudy::language;
  const std::vector<const char*> other_options =
      language ? std::vector<const char*>{"--protocol",          "--tables", "--figures",
                                          "--no-initialization", "--rates",  "--padding",
                                          "--gradient-seeds"}
               : std::vector<const char*>{"--placements", "--tasks"};
  for (const char* option : other_options)
    if (is_given(app, option))
      throw UsageError(fmt::format("{} is given; expected none with --study {}", option,
                                   language ? "language" : "published"));
  if (selection.norms)
    for (const std::string& norm : expand_all_norms(*selection.norms, selection.study))
      known_name_parser("norm", list_known_norms(selection.study))(norm);
  if (language && selection.seeds && *selection.seeds < studies::language::kRateSelectionSeeds)
    throw UsageError(fmt::format("--seeds is '{}'; expected {} or more with --study language",
                                 *selection.seeds, studies::language::kRateSelectionSeeds));
}

/// If --cells is given, checks that no other option that selects training runs is given.
void check_cells_given_alone(const CLI::App& app) {
  for (const char* option :
       {"--protocol", "--tables", "--figures", "--no-initialization", "--norms", "--rates",
        "--padding", "--seeds", "--gradient-seeds", "--quick", "--placements", "--tasks"})
    if (is_given(app, option))
      throw UsageError(
          fmt::format("--cells names the cells by itself; expected no {} beside it", option));
}

/// Checks that the named training runs belong to the selected study. Only the beginning of each
/// name is checked.
void check_cells(const StudySelection& selection) {
  const bool language = selection.study == WhichStudy::language;
  std::vector<std::string> other_beginnings = {"corrected", "published"};
  if (!language) other_beginnings = {"language/", "translate/"};
  for (const std::string& name : selection.cells)
    for (const std::string& beginning : other_beginnings)
      if (name.starts_with(beginning))
        throw UsageError(fmt::format("cell '{}' is one of {}; expected --study {} with it", name,
                                     language ? "the published experiment" : "language models",
                                     language ? "published" : "language"));
}

}  // namespace

void add_study_option(CLI::App& app, WhichStudy& study, const char* help) {
  add_choice_option(app, "--study", study, study_choices(), help);
}

void StudySelection::add(CLI::App& app) {
  constexpr std::size_t kMaxSeeds = 1000;
  add_study_option(app, study);
  add_value_option(
      app, "--protocol", protocols,
      make_list_or_all_parser("--protocol", studies::published::standard_protocols(),
                              studies::published::parse_protocol),
      list_printer<studies::published::Protocol>(studies::published::protocol_name),
      "corrected (default), published, corrected+FAULT, published-FAULT, several separated "
      "by commas, or all",
      "LIST");
  add_numbers_option(app, "--tables", tables, 1, 6,
                     "Tables, such as 1,3-4, or none (default: 1-6)");
  add_numbers_option(app, "--figures", figures, 2, 6,
                     "Figures, such as 2,4-6, or none (default: 2-6)");
  add_flag(app, "--no-initialization", no_initialization,
           "Without the two uniform initializations");
  add_value_option(
      app, "--norms", norms, parse_norms, list_printer<std::string>(parse_name_unchanged),
      "Norms separated by commas, or all (default: layer_norm, batch_norm,none,power_norm; "
      "for language models all)",
      "LIST");
  add_value_option(
      app, "--rates", rates,
      [known = known_name_parser("learning rate", studies::published::study_rates())](
          const std::string& text) {
        std::vector<std::string> values;
        for (const std::string& part : studies::published::split_list(text))
          values.push_back(known(part));
        return values;
      },
      list_printer<std::string>(parse_name_unchanged),
      "Learning rates of the tables (default: 10,1,0.5,0.1,1e-2,1e-3,1e-4)", "LIST");
  add_choice_option(
      app, "--padding", padding,
      {{"longest", studies::published::Padding::longest},
       {"512", studies::published::Padding::fixed_512}},
      "Length of a batch: its longest sentence, or 512 (default: 512 if the protocol is "
      "published, else longest)");
  add_number_option(
      app, "--seeds", seeds, 1, kMaxSeeds,
      "Number of seeds of tables and curves: 42, 43, ... (default: 1); for language models, "
      "of the tests: 1, 2, ... (default: 5)");
  add_number_option(app, "--gradient-seeds", gradient_seeds, 1, kMaxSeeds,
                    "Number of seeds of figures 2 and 3: 1, 2, ... (default: 100)");
  add_value_option(
      app, "--cells", cells, studies::published::split_list,
      list_printer<std::string>(parse_name_unchanged),
      "Only these cells, by the names that study list prints; replaces all other choices", "LIST");
  add_flag(app, "--quick", quick,
           "Table 1 at three rates, figures at 20 steps and two seeds; for language models small "
           "ones, on a synthetic text and synthetic pairs");
  add_value_option(
      app, "--tasks", tasks,
      [](const std::string& text) {
        std::set<training::Task> values;
        for (const std::string& part : studies::published::split_list(text)) {
          const auto found = std::ranges::find_if(
              studies::language::study_tasks(),
              [&](training::Task task) { return ref::model::print_field(task) == part; });
          if (found == studies::language::study_tasks().end())
            ref::model::throw_invalid_value("--tasks", part,
                                            "language, translate or both between commas");
          values.insert(*found);
        }
        return std::vector<training::Task>(values.begin(), values.end());
      },
      list_printer<training::Task>(
          [](training::Task value) { return ref::model::print_field(value); }),
      "For language models: language, translate or both separated by a comma (default: to run, "
      "those whose data are given; for the status, those of the folder; else both)",
      "LIST");
  add_value_option(
      app, "--placements", placements,
      [](const std::string& text) {
        std::vector<ref::model::NormPlacement> values;
        for (const std::string& part : studies::published::split_list(text))
          ref::model::parse_field("--placements", part, values.emplace_back());
        return values;
      },
      list_printer<ref::model::NormPlacement>(
          [](ref::model::NormPlacement value) { return ref::model::print_field(value); }),
      "For language models: post, pre or both separated by a comma (default: post,pre)", "LIST");
  check_after_parsing(app, [this, &app] {
    if (is_given(app, "--cells")) check_cells_given_alone(app);
    check_selected_study(app, *this);
    check_cells(*this);
  });
}

studies::published::Selection StudySelection::selection() const {
  studies::published::Selection selected =
      quick ? studies::published::quick_selection() : studies::published::Selection();
  if (protocols) selected.protocols = *protocols;
  if (padding) selected.padding = *padding;
  if (tables) selected.tables = *tables;
  if (figures) selected.figures = *figures;
  if (no_initialization) selected.initialization = false;
  if (norms) selected.norms = expand_all_norms(*norms, study);
  if (rates) selected.rates = *rates;
  if (seeds) selected.seeds = *seeds;
  if (gradient_seeds) selected.gradient_seeds = *gradient_seeds;
  return selected;
}

studies::language::Selection StudySelection::language_selection() const {
  studies::language::Selection selected;
  if (tasks) selected.tasks = *tasks;
  if (quick) selected.size = studies::language::Size::quick;
  if (norms) selected.norms = expand_all_norms(*norms, study);
  if (placements) selected.placements = *placements;
  if (seeds) selected.seeds = *seeds;
  return selected;
}

std::vector<studies::published::Cell> select_cells(const StudySelection& selection) {
  std::vector<studies::published::Cell> cells;
  cells.reserve(selection.cells.size());
  for (const std::string& name : selection.cells) {
    studies::published::Cell cell = studies::published::parse_cell(name);
    if (std::ranges::find(cells, cell) == cells.end()) cells.push_back(std::move(cell));
  }
  if (cells.empty()) cells = plan(selection.selection());
  if (cells.empty())
    throw UsageError("no cell is selected; expected a table, a figure or an initialization");
  return cells;
}

StudySelection select_quick_if_needed(const StudySelection& selection,
                                      const std::vector<studies::published::Cell>& there) {
  if (!selection.cells.empty()) return selection;
  const auto has_all = [&](const StudySelection& of) {
    const std::vector<studies::published::Cell> cells = select_cells(of);
    return std::ranges::all_of(there, [&](const studies::published::Cell& cell) {
      return std::ranges::find(cells, cell) != cells.end();
    });
  };
  StudySelection quick = selection;
  quick.quick = true;
  return !has_all(selection) && has_all(quick) ? quick : selection;
}

std::vector<studies::language::Cell> named_language_cells(const StudySelection& selection) {
  std::vector<studies::language::Cell> cells;
  for (const std::string& name : selection.cells) {
    studies::language::Cell cell = studies::language::parse_cell(name);
    if (std::ranges::find(cells, cell) == cells.end()) cells.push_back(std::move(cell));
  }
  return cells;
}

std::vector<studies::language::Cell> list_language_cells(
    const StudySelection& selection, const studies::language::Results& results) {
  std::vector<studies::language::Cell> cells = named_language_cells(selection);
  if (!cells.empty()) return cells;
  const studies::language::Selection selected = selection.language_selection();
  cells = rate_selection_cells(selected);
  if (cells.empty())
    throw UsageError("no cell is selected; expected a norm that one of the tasks has");
  for (studies::language::Cell& cell : test_cells(selected, results))
    cells.push_back(std::move(cell));
  for (studies::language::Cell& cell : dynamics_cells(selected, results))
    cells.push_back(std::move(cell));
  return cells;
}

}  // namespace normproof::verification::cli::study
