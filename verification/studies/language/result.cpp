#include "verification/studies/language/result.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "ref/io/json_reader.hpp"

namespace normproof::verification::studies::language {

using nlohmann::json;
using nlohmann::ordered_json;
using ref::io::JsonReader;

namespace {

ordered_json number_or_null(const std::optional<double>& number) {
  return number ? ordered_json(*number) : ordered_json();
}

ordered_json series_json(const Series& series) {
  ordered_json array = ordered_json::array();
  for (const auto& number : series) array.push_back(number_or_null(number));
  return array;
}

std::optional<double> read_number(const JsonReader& reader, const json& value,
                                  const std::string& field) {
  if (value.is_null()) return std::nullopt;
  if (!value.is_number())
    reader.fail(field, fmt::format("is a {}", value.type_name()), "a number or null");
  return value.get<double>();
}

std::optional<double> read_optional(const JsonReader& reader, const json& object, const char* key) {
  return object.contains(key) ? read_number(reader, object.at(key), key) : std::nullopt;
}

Series read_series(const JsonReader& reader, const json& object, const std::string& field,
                   const char* key) {
  Series series;
  for (const json& value : reader.array(object, field, key))
    series.push_back(read_number(reader, value, field));
  return series;
}

NormLayerFluctuation read_norm_layer_fluctuation(const JsonReader& reader, const json& object,
                                                 const std::string& field) {
  if (!object.is_object()) reader.fail(field, "is no object", "site, statistic, mean and pieces");
  return {reader.text(object, field + ".site", "site"),
          reader.text(object, field + ".statistic", "statistic"),
          read_optional(reader, object, "mean"),
          read_series(reader, object, field + ".pieces", "pieces")};
}

NormLayerGradientBound read_norm_layer_gradient_bound(const JsonReader& reader, const json& object,
                                                      const std::string& field) {
  if (!object.is_object()) reader.fail(field, "is no object", "site, largest, channels and pieces");
  return {reader.text(object, field + ".site", "site"), read_optional(reader, object, "largest"),
          reader.number(object, field + ".channels", "channels"),
          read_series(reader, object, field + ".pieces", "pieces")};
}

}  // namespace

std::optional<double> CellResult::last_validation_loss() const {
  if (diverged || validation_loss.empty()) return std::nullopt;
  return validation_loss.back();
}

std::optional<double> CellResult::last_validation_bleu() const {
  if (diverged || validation_bleu.empty()) return std::nullopt;
  return validation_bleu.back();
}

std::string result_line(const CellResult& result) {
  ordered_json object = {{"name", result.name},
                         {"sha256", result.sha256},
                         {"data_sha256", result.data_sha256},
                         {"steps", result.steps},
                         {"training_loss", series_json(result.training_loss)},
                         {"validation_loss", series_json(result.validation_loss)}};
  if (!result.validation_bleu.empty())
    object["validation_bleu"] = series_json(result.validation_bleu);
  if (result.test_loss) object["test_loss"] = *result.test_loss;
  if (result.test_bleu) object["test_bleu"] = *result.test_bleu;
  if (result.max_weighted_gamma) object["max_weighted_gamma"] = *result.max_weighted_gamma;
  object["fluctuation"] = ordered_json::array();
  for (const NormLayerFluctuation& own : result.fluctuation)
    object["fluctuation"].push_back({{"site", own.site},
                                     {"statistic", own.statistic},
                                     {"mean", number_or_null(own.mean)},
                                     {"pieces", series_json(own.pieces)}});
  for (const NormLayerGradientBound& own : result.gradient_bound)
    object["gradient_bound"].push_back({{"site", own.site},
                                        {"largest", number_or_null(own.largest)},
                                        {"channels", own.channels},
                                        {"pieces", series_json(own.pieces)}});
  if (result.diverged)
    object["diverged"] = {{"step", result.diverged->step}, {"sentence", result.diverged->sentence}};
  return object.dump();
}

CellResult parse_result(std::string_view line, const std::string& file) {
  const JsonReader reader(file);
  const json object = reader.parse(line, "a result of a cell");
  CellResult result;
  result.name = reader.text(object, "name", "name");
  result.sha256 = reader.sha256(object, "sha256", "sha256");
  result.data_sha256 = reader.sha256(object, "data_sha256", "data_sha256");
  result.steps = reader.whole(object, "steps", "steps");
  result.training_loss = read_series(reader, object, "training_loss", "training_loss");
  result.validation_loss = read_series(reader, object, "validation_loss", "validation_loss");
  if (object.contains("validation_bleu"))
    result.validation_bleu = read_series(reader, object, "validation_bleu", "validation_bleu");
  result.test_loss = read_optional(reader, object, "test_loss");
  result.test_bleu = read_optional(reader, object, "test_bleu");
  result.max_weighted_gamma = read_optional(reader, object, "max_weighted_gamma");
  for (const json& site : reader.array(object, "fluctuation", "fluctuation"))
    result.fluctuation.push_back(read_norm_layer_fluctuation(
        reader, site, fmt::format("fluctuation[{}]", result.fluctuation.size())));
  if (object.contains("gradient_bound"))
    for (const json& site : reader.array(object, "gradient_bound", "gradient_bound"))
      result.gradient_bound.push_back(read_norm_layer_gradient_bound(
          reader, site, fmt::format("gradient_bound[{}]", result.gradient_bound.size())));
  if (object.contains("diverged")) {
    const json& diverged = reader.object(object, "diverged", "diverged");
    result.diverged = {reader.whole(diverged, "diverged.step", "step"),
                       reader.text(diverged, "diverged.sentence", "sentence")};
  }
  return result;
}

}  // namespace normproof::verification::studies::language
