#include "verification/golden/certify/manifest.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "ref/io/json_reader.hpp"
#include "ref/io/sha256.hpp"
#include "ref/numeric/contract_version.hpp"
#include "ref/numeric/errors.hpp"
#include "verification/golden/certify/condition.hpp"
#include "verification/golden/corpus/kind.hpp"
#include "verification/golden/corpus/scaling.hpp"

namespace normproof::verification::golden::certify {

using corpus::case_folder;
using corpus::case_operation_name;
using corpus::find;
using corpus::has_operation;
using corpus::is_encoder;
using corpus::is_layer;
using corpus::is_optimizer;
using corpus::is_transformer;
using corpus::parse_tier;
using nlohmann::json;
using ref::io::DType;
using ref::io::JsonReader;
using ref::model::Mode;
using ref::model::Operation;

namespace {

std::string to_json_text(const json& object) {
  return object.dump(1) + "\n";
}

/// Returns the part of a case's entry in manifest.json that is also written to case.json.
std::string make_case_file_text(const json& whole) {
  json object = json::object();
  for (const char* key :
       {"dtype", "format", "mode", "op", "options", "path", "reason", "sequence", "why"})
    object[key] = whole.at(key);
  return object.dump() + "\n";
}

/// Rounds x to three significant decimal digits.
double round_to_three_digits(double x) {
  return std::strtod(fmt::format("{:.2e}", x).c_str(), nullptr);
}

/// Returns a text such as "2^-198", which means that every enclosure is narrower than this fraction
/// of its value. Returns "0" if every enclosure is a single point.
std::string power_of_two(long exponent) {
  return exponent == std::numeric_limits<long>::min() ? "0" : fmt::format("2^{}", exponent);
}

json tensors_json(const std::vector<StoredTensor>& tensors) {
  json object = json::object();
  for (const StoredTensor& tensor : tensors)
    object[tensor.name] =
        fmt::format("{} [{}]", ref::io::to_string(tensor.dtype), fmt::join(tensor.shape, ","));
  return object;
}

json optimizer_conventions(const Case& c) {
  json object = {{"iterations", "steps done before the first one"}};
  if (has_operation<ref::model::SgdOptions>(c)) {
    object["momentum"] = "weight of the old velocity; the new gradient has weight 1";
    return object;
  }
  object["beta1"] = object["beta2"] = "weight of the old moment";
  object["eps"] = "added to the root of the corrected second moment";
  if (has_operation<ref::model::AdamWOptions>(c))
    object["weight_decay"] = "times the learning rate, apart from the gradient and the moments";
  return object;
}

/// Adds the conventions of some options. A case lists such a convention only if it uses the option.
void add_option_conventions(const Case& c, json& object) {
  for (const auto& [name, value] : ref::model::list_options(c.options)) {
    if (name == "zero_centred_gamma") object["gamma"] = "1 + gamma multiplies";
    if (name == "layout")
      object["layout"] = fmt::format("x, grad_y, y and grad_x are {}",
                                     value == "channels_first" ? "[B,D,H,W]" : "[B,H,W,D]");
    if (name == "scaled_embedding")
      object["embedding"] =
          "times sqrt(D), the real number, before positions are added; a tied head has the weight "
          "as it is";
  }
}

/// Adds the conventions of a translator, a language model or decoding.
void add_transformer_conventions(const Case& c, json& object) {
  const bool model = has_operation<ref::model::LanguageModelOptions>(c);
  object[model ? "attention.in" : "self_attention.in"] =
      "queries, keys, values; in each, head after head";
  if (!model) object["cross_attention.memory"] = "keys, values; in each, head after head";
  if (has_operation<ref::model::DecodingOptions>(c)) {
    object.erase("valid");
    object["memory_valid"] = "true = a real token of the source";
    object["past_keys"] =
        "those of the positions before, not scaled; the first token is behind them";
    return;
  }
  if (has_operation<ref::model::TranslatorOptions>(c))
    object["source_valid"] = "true = a real token of the source";
  object["loss"] =
      "the mean over real tokens; label smoothing s gives each word s/V, the target too";
  object["targets"] = "what each position predicts, not shifted again";
  for (const auto& [name, value] : ref::model::list_options(c.options))
    if (name == "tied_head" && value == "true")
      object["head"] = "the embedding's weight, whose gradient is the sum of both";
}

/// Returns the conventions of the operation in which frameworks differ.
json operation_conventions(const Case& c) {
  if (is_optimizer(c)) return optimizer_conventions(c);
  const bool encoder = is_encoder(c), transformer = is_transformer(c);
  json object = {{"valid", "true = the element takes part"}};
  add_option_conventions(c, object);
  if (!encoder && !transformer && !is_layer(c)) return object;
  object["eps"] = "added to the squared statistic, inside the root";
  object["valid"] = "true = a real token";
  if (transformer) {
    add_transformer_conventions(c, object);
  } else if (has_operation<ref::model::DecoderLayerOptions>(c)) {
    object["self_attention.in"] = "queries, keys, values; in each, head after head";
    object["cross_attention.memory"] = "keys, values; in each, head after head";
    object["memory_valid"] = "true = a real token of the source";
  } else if (encoder) {
    object["attention.in"] = "queries, keys, values; in each, head after head";
  }
  if (find(c.inputs, "feed_forward.y.keep") != nullptr)
    object["dropout"] = "in training times 1/(1 - dropout) where keep is true, else 0";
  if (has_operation<ref::model::EncoderOptions>(c) || transformer) {
    if (encoder) object["loss"] = "the sum of weighted losses by the sum of the targets' weights";
    const bool is_low_precision = ref::io::item_size(c.dtype) < 4;
    object["positions"] = fmt::format("sin and cos in turn, each rounded to float64, then to {}",
                                      is_low_precision ? "float32" : "the dtype");
  }
  for (const auto& [own, value] : ref::model::list_options(c.options)) {
    const std::string name = own.substr(own.rfind('.') + 1);
    if (name == "running_decay" || name == "alpha_forward" || name == "alpha_backward")
      object[name] = "weight of the old value";
    if (name == "unbiased_running_variance")
      object["running_variance"] =
          value == "true" ? "takes n/(n-1) times the biased variance" : "takes the biased variance";
  }
  const bool has_nu = std::ranges::any_of(c.inputs, [](const StoredTensor& tensor) {
    return tensor.name == "nu" || tensor.name.ends_with(".nu");
  });
  if (has_nu) object["nu"] = "grad_x takes that of the step before";
  return object;
}

/// Adds the conventions for the scales of a case with 8-bit tensors.
void add_scale_conventions(const Case& c, json& object) {
  object["overflow"] = "the largest number, with its sign";
  object["gradients"] = "by the real numbers that x and y stand for; no rounding has a derivative";
  for (const StoredTensor& input : c.inputs) {
    constexpr std::string_view kSuffix = "_scale";
    if (!input.name.ends_with(kSuffix)) continue;
    if (input.name == corpus::tensor_scale_name("x") ||
        input.name == corpus::tensor_scale_name("y")) {
      const std::string_view tensor = std::string_view(input.name).substr(0, 1);
      object[input.name] =
          fmt::format("the scales of the blocks of {} are multiplied by {}", tensor, input.name);
      continue;
    }
    const std::string of = input.name.substr(0, input.name.size() - kSuffix.size());
    object[input.name] = find(c.inputs, of) != nullptr
                             ? fmt::format("{0} times {1} is what enters", of, input.name)
                             : fmt::format("{0} is stored as {0} by {1}", of, input.name);
  }
  if (corpus::output_scaling(c, "y") == corpus::OutputScaling::blocks)
    object["y_scale"] =
        "of 32 elements of the last axis, 2^(floor(log2 of the largest magnitude) - emax)";
  if (corpus::output_scaling(c, "y") == corpus::OutputScaling::blocks_of_tensor)
    object["y_scale"] =
        "of 16 elements of the last axis, the largest magnitude over the largest number and over "
        "y_tensor_scale, rounded to e4m3, and at least 2^-9";
  if (corpus::has_one_scale_of_y(c))
    object["y_scale"] =
        "of all elements, as y_scale_group is -1: the largest magnitude over the largest number";
  else if (corpus::output_scaling(c, "y") == corpus::OutputScaling::groups)
    object["y_scale"] =
        "of y_scale_group elements of the last axis, the largest magnitude, at most y_scale_ub, "
        "over the largest number, and at least y_scale_min";
}

json convention(const Case& c) {
  json object = operation_conventions(c);
  if (corpus::is_scaled(c)) add_scale_conventions(c, object);
  return object;
}

std::size_t count_elements(const std::vector<StoredTensor>& tensors) {
  std::size_t count = 0;
  for (const StoredTensor& tensor : tensors)
    count += tensor.bytes.size() / ref::io::item_size(tensor.dtype);
  return count;
}

DType parse_dtype(const JsonReader& reader, const json& object, const std::string& field) {
  const std::string name = reader.text(object, field, "dtype");
  const auto dtype = ref::io::find_dtype(name);
  if (!dtype || !ref::io::is_float(*dtype))
    reader.fail(field, fmt::format("is '{}'", name), ref::io::list_dtypes(ref::io::is_float));
  return *dtype;
}

Operation parse_options(const JsonReader& reader, const json& object, const std::string& prefix) {
  Operation options;
  try {
    const std::string op = reader.text(object, prefix + "op", "op");
    options = ref::model::operation(op);
    if (ref::model::operation_name(options) != op)  // another name, which files do not have
      throw ref::numeric::UsageError(
          ref::numeric::unknown_name("operation", op, ref::model::operation_names()));
    for (const auto& [name, value] : reader.object(object, prefix + "options", "options").items()) {
      if (!value.is_string())
        reader.fail(fmt::format("{}options.{}", prefix, name), "is no string",
                    "a value as --set takes it");
      ref::model::set_option(options, name, value.get<std::string>());
    }
  } catch (const ref::numeric::UsageError& error) {
    reader.fail(prefix + "op", fmt::format("cannot be used: {}", error.what()),
                "a known operation");
  }
  return options;
}

CaseDescription parse_object(const JsonReader& reader, const json& object,
                             const std::string& prefix) {
  CaseDescription description;
  Case& c = description.c;
  const auto field = [&](const char* name) { return prefix + name; };
  const std::string format = reader.text(object, field("format"), "format");
  if (format != kCaseFormat)
    reader.fail(field("format"), fmt::format("is '{}'", format), fmt::format("'{}'", kCaseFormat));
  description.path = reader.text(object, field("path"), "path");
  // The path becomes the name of a folder, so it must not point outside the corpus.
  const bool plain = description.path.find_first_not_of(
                         "abcdefghijklmnopqrstuvwxyz0123456789_-/") == std::string::npos &&
                     !description.path.empty() && description.path.front() != '/' &&
                     description.path.find("//") == std::string::npos;
  if (!plain)
    reader.fail(field("path"), fmt::format("is '{}'", description.path),
                "small letters, digits, '_', '-' and '/' between folders");
  try {
    c.tier = parse_tier(reader.text(object, field("tier"), "tier"));
  } catch (const ref::numeric::UsageError& error) {
    reader.fail(field("tier"), fmt::format("cannot be used: {}", error.what()), "a tier");
  }
  c.reason = reader.text(object, field("reason"), "reason");
  c.why = reader.text(object, field("why"), "why");
  c.options = parse_options(reader, object, prefix);
  const std::string mode = reader.text(object, field("mode"), "mode");
  if (mode != "training" && mode != "inference")
    reader.fail(field("mode"), fmt::format("is '{}'", mode), "training or inference");
  c.mode = mode == "training" ? Mode::training : Mode::inference;
  c.dtype = parse_dtype(reader, object, field("dtype"));
  c.sequence = reader.boolean(object, field("sequence"), "sequence");
  c.exact = reader.boolean(object, field("exact"), "exact");
  description.condition = reader.number(object, field("condition"), "condition");
  for (const auto& [name, text] : reader.object(object, field("expected"), "expected").items())
    if (!name.ends_with("_lo")) description.outputs.push_back(name);
  const json& hashes = reader.object(object, field("sha256"), "sha256");
  description.inputs_sha256 = reader.sha256(hashes, field("sha256.inputs"), "inputs");
  description.expected_sha256 = reader.sha256(hashes, field("sha256.expected"), "expected");
  return description;
}

}  // namespace

std::string manifest_entry_text(const Case& c, const Expected& expected) {
  json options = json::object();
  for (const auto& [name, value] : ref::model::list_options(c.options)) options[name] = value;
  const Certificate& certificate = expected.certificate;
  const json object = {
      {"certificate",
       {{"bits", certificate.bits},
        {"elements", certificate.elements},
        {"ties", certificate.ties},
        {"second_widest", power_of_two(certificate.second_widest)},
        {"widest", power_of_two(certificate.widest)}}},
      {"condition", round_to_three_digits(condition_number(c))},
      {"convention", convention(c)},
      {"dtype", ref::io::to_string(c.dtype)},
      {"exact", c.exact},
      {"expected", tensors_json(expected.tensors)},
      {"format", kCaseFormat},
      {"inputs", tensors_json(c.inputs)},
      {"mode", c.mode == Mode::training ? "training" : "inference"},
      {"op", case_operation_name(c)},
      {"options", options},
      {"path", case_folder(c)},
      {"reason", c.reason},
      {"sequence", c.sequence},
      {"sha256",
       {{"expected", content_sha256(expected.tensors)}, {"inputs", content_sha256(c.inputs)}}},
      {"tier", to_string(c.tier)},
      {"tolerance", c.exact ? "exact" : "any_order_error; docs/error_analysis.md, section 8"},
      {"totals",
       {{"elements", count_elements(expected.tensors)}, {"tensors", expected.tensors.size()}}},
      {"why", c.why}};
  return to_json_text(object);
}

std::string case_file_text(const std::string& case_text) {
  return make_case_file_text(json::parse(case_text));
}

std::string manifest_json(const std::vector<std::string>& case_texts) {
  json cases = json::array();
  std::size_t tensors = 0, elements = 0;
  for (const std::string& text : case_texts) {
    cases.push_back(json::parse(text));
    tensors += cases.back()["totals"]["tensors"].get<std::size_t>();
    elements += cases.back()["totals"]["elements"].get<std::size_t>();
  }
  const json manifest = {
      {"cases", cases},
      {"format", kManifestFormat},
      {"generator",
       {{"contract", ref::numeric::kArithmeticContract}, {"program", "normproof golden make"}}},
      {"totals", {{"cases", case_texts.size()}, {"elements", elements}, {"tensors", tensors}}}};
  return to_json_text(manifest);
}

std::vector<CaseDescription> parse_manifest(std::string_view text, const std::string& file) {
  const JsonReader reader(file);
  const json manifest = reader.parse(text, "what 'normproof golden make' writes");
  const std::string format = reader.text(manifest, "format", "format");
  if (format != kManifestFormat)
    reader.fail("format", fmt::format("is '{}'", format), fmt::format("'{}'", kManifestFormat));
  std::vector<CaseDescription> cases;
  for (const json& object : reader.array(manifest, "cases", "cases")) {
    const std::string prefix = fmt::format("cases[{}].", cases.size());
    if (!object.is_object()) reader.fail(prefix, "is no object", "a case");
    CaseDescription description = parse_object(reader, object, prefix);
    description.case_text = to_json_text(object);
    description.file_text = make_case_file_text(object);
    if (!cases.empty() && description.path <= cases.back().path)
      reader.fail(prefix + "path", fmt::format("is '{}'", description.path),
                  fmt::format("a path after '{}'", cases.back().path));
    cases.push_back(std::move(description));
  }
  if (cases.empty()) reader.fail("cases", "has no entry", "at least one");
  const json& totals = reader.object(manifest, "totals", "totals");
  if (const std::uint64_t count = reader.whole(totals, "totals.cases", "cases");
      count != cases.size())
    reader.fail("totals.cases", fmt::format("is {}", count),
                fmt::format("the number of cases, {}", cases.size()));
  return cases;
}

}  // namespace normproof::verification::golden::certify
