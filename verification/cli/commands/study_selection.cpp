#include "verification/cli/commands/study_selection.hpp"

#include <fmt/ranges.h>

#include <algorithm>

#include "verification/cli/typed_options.hpp"

namespace normproof::verification::cli::commands {

using ref::numeric::UsageError;

namespace {

/// How an option writes what its field holds.
std::string same_name(const std::string& name) {
  return name;
}

std::string number_name(std::size_t number) {
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

/// `all`, alone, or what `parse` makes of the parts between the commas.
template <class Value, class Parse>
auto list_or_all(const char* option, const std::vector<Value>& all, Parse parse) {
  return [=](const std::string& text) {
    if (text == "all") return all;
    std::vector<Value> values;
    for (const std::string& part : study::split_list(text)) {
      if (part == "all")
        throw UsageError(
            fmt::format("{} is '{}'; expected all alone, or names between commas", option, text));
      values.push_back(parse(part));
    }
    return values;
  };
}

/// One of the known names.
auto known_name(const char* kind, const std::vector<std::string>& known) {
  return [=](const std::string& name) {
    if (std::ranges::find(known, name) == known.end())
      throw UsageError(ref::numeric::unknown_name(kind, name, known));
    return name;
  };
}

void add_numbers(CLI::App& app, const char* option, std::optional<std::vector<std::size_t>>& field,
                 std::size_t least, std::size_t most, const std::string& help) {
  const auto parse = [=](const std::string& text) {
    return text == "none" ? std::vector<std::size_t>()
                          : study::parse_numbers(option, text, least, most);
  };
  const auto print = [](const std::vector<std::size_t>& numbers) {
    return numbers.empty() ? "none" : list_printer<std::size_t>(number_name)(numbers);
  };
  add_value(app, option, field, parse, print, help, "LIST");
}

/// Nothing else selects beside --cells.
void check_alone(const CLI::App& app) {
  for (const char* option :
       {"--protocol", "--tables", "--figures", "--no-initialization", "--norms", "--rates",
        "--padding", "--seeds", "--gradient-seeds", "--quick"})
    if (is_given(app, option))
      throw UsageError(
          fmt::format("--cells names the cells by itself; expected no {} beside it", option));
}

}  // namespace

void StudySelection::add(CLI::App& app) {
  constexpr std::size_t kMostSeeds = 1000;
  add_value(app, "--protocol", protocols,
            list_or_all("--protocol", study::standard_protocols(), study::parse_protocol),
            list_printer<study::Protocol>(study::protocol_name),
            "corrected (default), published, corrected+FAULT, published-FAULT, several between "
            "commas, or all fourteen: all",
            "LIST");
  add_numbers(app, "--tables", tables, 1, 6, "Tables, such as 1,3-4, or none (default: 1-6)");
  add_numbers(app, "--figures", figures, 2, 6, "Figures, such as 2,4-6, or none (default: 2-6)");
  add_flag(app, "--no-initialization", no_initialization,
           "Without the two uniform initializations");
  add_value(app, "--norms", norms,
            list_or_all("--norms", study::study_norms(), known_name("norm", study::study_norms())),
            list_printer<std::string>(same_name),
            "Norms between commas, or all (default: layer_norm, batch_norm,none,power_norm)",
            "LIST");
  add_value(
      app, "--rates", rates,
      [known = known_name("learning rate", study::study_rates())](const std::string& text) {
        std::vector<std::string> values;
        for (const std::string& part : study::split_list(text)) values.push_back(known(part));
        return values;
      },
      list_printer<std::string>(same_name),
      "Learning rates of the tables (default: 10,1,0.5,0.1,1e-2,1e-3,1e-4)", "LIST");
  add_choice(app, "--padding", padding,
             {{"longest", study::Padding::longest}, {"512", study::Padding::fixed_512}},
             "Length of a batch: its longest sentence or 512 (default: 512 where the protocol is "
             "published, else longest)");
  add_number(app, "--seeds", seeds, 1, kMostSeeds,
             "Seeds of tables and curves: 42, 43, ... (default: 1)");
  add_number(app, "--gradient-seeds", gradient_seeds, 1, kMostSeeds,
             "Seeds of figures 2 and 3: 1, 2, ... (default: 100)");
  add_value(app, "--cells", cells, study::split_list, list_printer<std::string>(same_name),
            "These cells and no others, by the names of study list", "LIST");
  add_flag(app, "--quick", quick, "Table 1 at three rates, figures at 20 steps and two seeds");
  check_afterwards(app, [&app] {
    if (is_given(app, "--cells")) check_alone(app);
  });
}

study::Selection StudySelection::selection() const {
  study::Selection selected = quick ? study::quick_selection() : study::Selection();
  if (protocols) selected.protocols = *protocols;
  if (padding) selected.padding = *padding;
  if (tables) selected.tables = *tables;
  if (figures) selected.figures = *figures;
  if (no_initialization) selected.initialization = false;
  if (norms) selected.norms = *norms;
  if (rates) selected.rates = *rates;
  if (seeds) selected.seeds = *seeds;
  if (gradient_seeds) selected.gradient_seeds = *gradient_seeds;
  return selected;
}

std::vector<study::Cell> cells_of(const StudySelection& selection) {
  std::vector<study::Cell> cells;
  cells.reserve(selection.cells.size());
  for (const std::string& name : selection.cells) {
    study::Cell cell = study::parse_cell(name);
    if (std::ranges::find(cells, cell) == cells.end()) cells.push_back(std::move(cell));
  }
  if (cells.empty()) cells = plan(selection.selection());
  if (cells.empty())
    throw UsageError("no cell is selected; expected a table, a figure or an initialization");
  return cells;
}

}  // namespace normproof::verification::cli::commands
