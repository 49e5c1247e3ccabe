#include "verification/checks/evaluation/operation_tables.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "ref/model/norm_layers.hpp"
#include "ref/model/operation_info.hpp"

namespace normproof::verification::checks::evaluation {
namespace {

using nlohmann::ordered_json;
using ref::model::NormLayer;
using ref::model::NormParameter;
using ref::model::NormPartition;
using ref::model::NormState;
using ref::model::NormStatistic;
using ref::model::OperandInfo;
using ref::model::OperationInfo;
using ref::model::OperationKind;
using ref::model::StatisticAvailability;

/// Returns a text such as "mean [D] in training".
std::string description_text(const NormStatistic& statistic) {
  std::string text = fmt::format("{} {}", statistic.name, ref::model::to_string(statistic.shape));
  if (statistic.of == StatisticAvailability::training_forward) text += " in training";
  if (statistic.of == StatisticAvailability::training_backward)
    text += " after a backward in training";
  if (!statistic.option.empty()) text += fmt::format(" with {}", statistic.option);
  return text;
}

std::string description_text(const NormPartition& cells) {
  return fmt::format("{}{}{}", ref::model::to_string(cells.partition),
                     cells.centred ? " centred" : "",
                     cells.option.empty() ? "" : fmt::format(" with {}", cells.option));
}

/// Returns a text such as "gamma [D] 1", with the initial value at the end. If the initial value is
/// given by an option, the name of the option is at the end: "alpha [1] alpha0".
std::string description_text(const NormParameter& parameter) {
  return fmt::format("{} {} {}", parameter.name, ref::model::to_string(parameter.shape),
                     parameter.option.empty() ? fmt::format("{}", parameter.initial)
                                              : std::string(parameter.option));
}

std::string description_text(const NormState& state) {
  return fmt::format("{} {} {}", state.name, ref::model::to_string(state.shape), state.initial);
}

/// Joins the entries with commas, such as "x, y". Returns `none` if there are no entries.
template <class Entries>
std::string join_texts(const Entries& entries, std::string_view none) {
  std::vector<std::string> texts;
  for (const auto& entry : entries) texts.push_back(description_text(entry));
  return texts.empty() ? std::string(none) : fmt::format("{}", fmt::join(texts, ", "));
}

/// Joins the entries with commas for a cell of a table, with each name in backquotes.
template <class Entries>
std::string table_cell(const Entries& entries) {
  std::vector<std::string> texts;
  for (const auto& entry : entries) {
    const std::string text = description_text(entry);
    texts.push_back(fmt::format("`{}`{}", entry.name, text.substr(entry.name.size())));
  }
  return fmt::format("{}", fmt::join(texts, "; "));
}

template <class Entry>
void set_option_field(ordered_json& object, const Entry& entry) {
  if (!entry.option.empty()) object["option"] = entry.option;
}

/// Returns a JSON object with the keys "name" and "shape".
template <class Entry>
ordered_json entry_json(const Entry& entry) {
  return {{"name", entry.name}, {"shape", ref::model::to_string(entry.shape)}};
}

template <class Entries, class F>
ordered_json json_array(const Entries& entries, F object_of) {
  ordered_json array = ordered_json::array();
  for (const auto& entry : entries) array.push_back(object_of(entry));
  return array;
}

using OptionTexts = std::vector<std::pair<std::string, std::string>>;

OptionTexts options_of(const OperationInfo& info) {
  return ref::model::list_all_options(ref::model::operation(info.name));
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

std::vector<std::string> operand_names(const OperationInfo& info, bool optional) {
  std::vector<std::string> names;
  for (const OperandInfo& operand : info.operands)
    if (operand.optional == optional) names.push_back(operand.name);
  return names;
}

ordered_json operands_json(const std::vector<OperandInfo>& operands) {
  return json_array(operands, [](const OperandInfo& operand) {
    return ordered_json{{"name", operand.name},
                        {"shape", operand.shape},
                        {"optional", operand.optional},
                        {"type", ref::model::to_string(operand.type)}};
  });
}

void add_layer(const NormLayer& layer, ordered_json& object) {
  object["cells"] = json_array(layer.cells, [](const NormPartition& cells) {
    ordered_json one = {{"partition", ref::model::to_string(cells.partition)},
                        {"centred", cells.centred},
                        {"eps", cells.eps}};
    set_option_field(one, cells);
    return one;
  });
  object["parameters"] = json_array(layer.parameters, [](const NormParameter& parameter) {
    ordered_json one = entry_json(parameter);
    one["initial"] = parameter.initial;
    set_option_field(one, parameter);
    return one;
  });
  object["state"] = json_array(layer.state, [](const NormState& state) {
    ordered_json one = entry_json(state);
    one["initial"] = state.initial;
    return one;
  });
  object["statistics"] = json_array(layer.statistics, [](const NormStatistic& statistic) {
    ordered_json one = entry_json(statistic);
    one["of"] = ref::model::to_string(statistic.of);
    set_option_field(one, statistic);
    return one;
  });
  object["exact_backward"] = layer.exact_backward;
}

/// Returns the layer of the operation, or nullptr if the operation is not a norm layer.
const NormLayer* find_layer(const OperationInfo& info) {
  if (info.kind != OperationKind::layer) return nullptr;
  return &ref::model::norm_layer(ref::model::norm_options(info.name));
}

ordered_json operation_json(const OperationInfo& info) {
  ordered_json object = {{"name", info.name},
                         {"kind", ref::model::to_string(info.kind)},
                         {"options", options_json(options_of(info))},
                         {"operands", operands_json(info.operands)},
                         {"outputs", operands_json(info.outputs)},
                         {"state", operands_json(info.state)},
                         {"independence", ref::model::to_string(info.independence)},
                         {"takes_mask", info.has_mask_operand()},
                         {"reduces", info.reduces},
                         {"infinite_elements", ref::model::to_string(info.infinite_elements)}};
  object["equal_forms"] = json_array(info.equal_forms, [](const ref::model::EqualForm& form) {
    return ordered_json{{"operation", form.operation},
                        {"combination", ref::model::to_string(form.combination)}};
  });
  if (const NormLayer* const layer = find_layer(info)) {
    add_layer(*layer, object);
  } else {
    object["inputs"] = operand_names(info, false);
    object["optional"] = operand_names(info, true);
  }
  return object;
}

std::string names_text(const std::vector<std::string>& names) {
  return names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

std::string operations_text() {
  std::string text;
  const auto line = [&](std::string_view field, std::string_view value) {
    text += fmt::format("  {:<14}{}\n", field, value);
  };
  for (const OperationInfo& info : ref::model::operations()) {
    text += fmt::format("{}{}\n", text.empty() ? "" : "\n", info.name);
    line("kind", ref::model::to_string(info.kind));
    line("options", options_text(options_of(info)));
    if (const NormLayer* const layer = find_layer(info)) {
      line("cells", join_texts(layer->cells, "none: element by element"));
      line("parameters", join_texts(layer->parameters, "none"));
      line("state", join_texts(layer->state, "none"));
      line("statistics", join_texts(layer->statistics, "none"));
      line("backward", layer->exact_backward ? "the derivative" : "approximate in training");
    } else {
      line("inputs", names_text(operand_names(info, false)));
      line("optional", names_text(operand_names(info, true)));
    }
    line("independence", ref::model::to_string(info.independence));
    line("infinities", ref::model::to_string(info.infinite_elements));
  }
  return text;
}

std::string operations_json() {
  return json_array(ref::model::operations(), operation_json).dump(1) + "\n";
}

std::string layers_markdown() {
  std::string text =
      "| layer | parameters, initial value | state, initial value | statistics "
      "|\n|---|---|---|---|\n";
  for (const NormLayer& layer : ref::model::norm_layers())
    text += fmt::format("| `{}` | {} | {} | {} |\n", layer.name, table_cell(layer.parameters),
                        table_cell(layer.state), table_cell(layer.statistics));
  return text;
}

}  // namespace normproof::verification::checks::evaluation
