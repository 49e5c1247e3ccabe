#include "verification/operands/layer_tables.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "ref/model/norm_layers.hpp"
#include "ref/model/operation.hpp"
#include "verification/operands/operands.hpp"
#include "verification/operands/optional_operands.hpp"

namespace normproof::verification::operands {
namespace {

using nlohmann::ordered_json;
using ref::model::NormCells;
using ref::model::NormLayer;
using ref::model::NormOptions;
using ref::model::NormParameter;
using ref::model::NormState;
using ref::model::NormStatistic;
using ref::model::StatisticOf;

NormOptions defaults_of(const NormLayer& layer) {
  return ref::model::norm_options(layer.name);
}

/// "mean [D], in training"
std::string text_of(const NormStatistic& statistic) {
  std::string text = fmt::format("{} {}", statistic.name, ref::model::to_string(statistic.shape));
  if (statistic.of == StatisticOf::training_forward) text += " in training";
  if (statistic.of == StatisticOf::training_backward) text += " after a backward in training";
  if (!statistic.option.empty()) text += fmt::format(" with {}", statistic.option);
  return text;
}

std::string text_of(const NormCells& cells) {
  return fmt::format("{}{}{}", ref::model::to_string(cells.partition),
                     cells.centred ? " centred" : "",
                     cells.option.empty() ? "" : fmt::format(" with {}", cells.option));
}

/// "gamma [D] 1"; "alpha [1] alpha0", the value of that option
std::string text_of(const NormParameter& parameter) {
  return fmt::format("{} {} {}", parameter.name, ref::model::to_string(parameter.shape),
                     parameter.option.empty() ? fmt::format("{}", parameter.initial)
                                              : std::string(parameter.option));
}

std::string text_of(const NormState& state) {
  return fmt::format("{} {} {}", state.name, ref::model::to_string(state.shape), state.initial);
}

/// "x, y"; `none` where there are none.
template <class Entries>
std::string list_of(const Entries& entries, std::string_view none) {
  std::vector<std::string> texts;
  for (const auto& entry : entries) texts.push_back(text_of(entry));
  return texts.empty() ? std::string(none) : fmt::format("{}", fmt::join(texts, ", "));
}

/// What a table calls an entry: its name in code, then the rest.
template <class Entries>
std::string cell_of(const Entries& entries) {
  std::vector<std::string> texts;
  for (const auto& entry : entries) {
    const std::string text = text_of(entry);
    texts.push_back(fmt::format("`{}`{}", entry.name, text.substr(entry.name.size())));
  }
  return fmt::format("{}", fmt::join(texts, "; "));
}

template <class Entry>
void put_option(ordered_json& object, const Entry& entry) {
  if (!entry.option.empty()) object["option"] = entry.option;
}

/// {"name": ..., "shape": ...}
template <class Entry>
ordered_json entry_json(const Entry& entry) {
  return {{"name", entry.name}, {"shape", ref::model::to_string(entry.shape)}};
}

template <class Entries, class F>
ordered_json array_of(const Entries& entries, F object_of) {
  ordered_json array = ordered_json::array();
  for (const auto& entry : entries) array.push_back(object_of(entry));
  return array;
}

using OptionTexts = std::vector<std::pair<std::string, std::string>>;

OptionTexts options_of(const NormLayer& layer) {
  return ref::model::list_all_options(defaults_of(layer));
}

OptionTexts options_of(std::string_view function) {
  return ref::model::list_all_options(ref::model::operation(function));
}

std::string options_text(const OptionTexts& options) {
  std::vector<std::string> texts;
  for (const auto& [name, value] : options) texts.push_back(fmt::format("{}={}", name, value));
  return texts.empty() ? "none" : fmt::format("{}", fmt::join(texts, " "));
}

ordered_json options_json(const OptionTexts& options) {
  ordered_json object = ordered_json::object();
  for (const auto& [name, value] : options) object[name] = value;
  return object;
}

ordered_json function_json(const std::string& function) {
  return {{"name", function},
          {"kind", "function"},
          {"options", options_json(options_of(function))},
          {"inputs", operands_of(function)},
          {"optional", optional_operands_of(function)}};
}

ordered_json layer_json(const NormLayer& layer) {
  return {{"name", layer.name},
          {"kind", "layer"},
          {"options", options_json(options_of(layer))},
          {"cells", array_of(layer.cells,
                             [](const NormCells& cells) {
                               ordered_json object = {
                                   {"partition", ref::model::to_string(cells.partition)},
                                   {"centred", cells.centred},
                                   {"eps", cells.eps}};
                               put_option(object, cells);
                               return object;
                             })},
          {"parameters", array_of(layer.parameters,
                                  [](const NormParameter& parameter) {
                                    ordered_json object = entry_json(parameter);
                                    object["initial"] = parameter.initial;
                                    put_option(object, parameter);
                                    return object;
                                  })},
          {"state", array_of(layer.state,
                             [](const NormState& state) {
                               ordered_json object = entry_json(state);
                               object["initial"] = state.initial;
                               return object;
                             })},
          {"statistics", array_of(layer.statistics,
                                  [](const NormStatistic& statistic) {
                                    ordered_json object = entry_json(statistic);
                                    object["of"] = ref::model::to_string(statistic.of);
                                    put_option(object, statistic);
                                    return object;
                                  })},
          {"exact_backward", layer.exact_backward}};
}

}  // namespace

std::string layers_text() {
  std::string text;
  const auto title = [&](std::string_view name) {
    text += fmt::format("{}{}\n", text.empty() ? "" : "\n", name);
  };
  const auto line = [&](std::string_view field, std::string_view value) {
    text += fmt::format("  {:<12}{}\n", field, value);
  };
  for (const NormLayer& layer : ref::model::norm_layers()) {
    title(layer.name);
    line("options", options_text(options_of(layer)));
    line("cells", list_of(layer.cells, "none: element by element"));
    line("parameters", list_of(layer.parameters, "none"));
    line("state", list_of(layer.state, "none"));
    line("statistics", list_of(layer.statistics, "none"));
    line("backward", layer.exact_backward ? "the derivative" : "approximate in training");
  }
  for (const std::string& function : ref::model::function_names()) {
    title(function);
    line("options", options_text(options_of(function)));
    line("inputs", fmt::format("{}", fmt::join(operands_of(function), ", ")));
    line("optional", fmt::format("{}", fmt::join(optional_operands_of(function), ", ")));
  }
  return text;
}

std::string layers_json() {
  ordered_json array = array_of(ref::model::norm_layers(), layer_json);
  for (const std::string& function : ref::model::function_names())
    array.push_back(function_json(function));
  return array.dump(1) + "\n";
}

std::string layers_markdown() {
  std::string text =
      "| layer | parameters, initial value | state, initial value | statistics "
      "|\n|---|---|---|---|\n";
  for (const NormLayer& layer : ref::model::norm_layers())
    text += fmt::format("| `{}` | {} | {} | {} |\n", layer.name, cell_of(layer.parameters),
                        cell_of(layer.state), cell_of(layer.statistics));
  return text;
}

}  // namespace normproof::verification::operands
