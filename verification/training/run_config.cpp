#include "verification/training/run_config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <span>

#include "ref/io/json_reader.hpp"
#include "ref/model/option_fields.hpp"
#include "ref/numeric/errors.hpp"

namespace normproof::verification::training {

namespace model = ref::model;
using nlohmann::ordered_json;
using ref::numeric::UsageError;
using Settings = std::vector<std::pair<std::string, std::string>>;

namespace {

template <class E>
struct EnumNames;
template <>
struct EnumNames<model::Activation> {
  static constexpr std::pair<const char*, model::Activation> kNames[] = {
      {"relu", model::Activation::relu},
      {"gelu", model::Activation::gelu},
      {"gelu_tanh", model::Activation::gelu_tanh}};
};
template <>
struct EnumNames<model::NormPlacement> {
  static constexpr std::pair<const char*, model::NormPlacement> kNames[] = {
      {"post", model::NormPlacement::post}, {"pre", model::NormPlacement::pre}};
};
template <>
struct EnumNames<model::Pooling> {
  static constexpr std::pair<const char*, model::Pooling> kNames[] = {
      {"masked_mean", model::Pooling::masked_mean}, {"per_position", model::Pooling::per_position}};
};
template <>
struct EnumNames<model::ClassWeights> {
  static constexpr std::pair<const char*, model::ClassWeights> kNames[] = {
      {"none", model::ClassWeights::none},
      {"inverse_frequency", model::ClassWeights::inverse_frequency},
      {"frequency", model::ClassWeights::frequency}};
};

template <class N>
concept Number = std::is_arithmetic_v<N> && !std::is_same_v<N, bool>;

[[noreturn]] void refuse(std::string_view key, std::string_view value,
                         std::string_view expectation) {
  throw UsageError(fmt::format("{} is '{}'; expected {}", key, value, expectation));
}

template <class E>
requires std::is_enum_v<E>
void read(std::string_view key, std::string_view text, E& value) {
  std::vector<std::string> known;
  for (const auto& [name, e] : EnumNames<E>::kNames) {
    known.emplace_back(name);
    if (text != name) continue;
    value = e;
    return;
  }
  refuse(key, text, fmt::format("one of {}", fmt::join(known, ", ")));
}
template <Number N>
void read(std::string_view key, std::string_view text, N& value) {
  constexpr const char* kKind = std::is_floating_point_v<N> ? "a finite number" : "a whole number";
  N parsed{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), parsed);
  bool finite = true;
  if constexpr (std::is_floating_point_v<N>) finite = std::isfinite(parsed);
  if (error != std::errc{} || end != text.data() + text.size() || !finite) refuse(key, text, kKind);
  value = parsed;
}
void read(std::string_view key, std::string_view text, bool& value) {
  if (text != "true" && text != "false" && text != "1" && text != "0")
    refuse(key, text, "true, false, 1 or 0");
  value = text == "true" || text == "1";
}
template <class N>
void read(std::string_view key, std::string_view text, std::optional<N>& value) {
  if (text == "none") {
    value.reset();
    return;
  }
  N parsed{};
  try {
    read(key, text, parsed);
  } catch (const UsageError&) {
    refuse(key, text,
           std::is_floating_point_v<N> ? "a finite number, or none" : "a whole number, or none");
  }
  value = parsed;
}

template <class E>
requires std::is_enum_v<E> std::string written(E value) {
  for (const auto& [name, e] : EnumNames<E>::kNames)
    if (e == value) return name;
  return {};
}
template <class N>
requires std::is_arithmetic_v<N> std::string written(N value) {
  if constexpr (std::is_same_v<N, bool>)
    return value ? "true" : "false";
  else
    return fmt::format("{}", value);
}
template <class N>
std::string written(const std::optional<N>& value) {
  return value ? written(*value) : "none";
}

/// The plain fields, by key.
void visit_plain(RunConfig& c, auto&& f) {
  model::EncoderConfig& e = c.train.encoder;
  f("encoder.d_model", e.d_model);
  f("encoder.num_heads", e.num_heads);
  f("encoder.d_ff", e.d_ff);
  f("encoder.num_layers", e.num_layers);
  f("encoder.activation", e.activation);
  f("encoder.placement", e.placement);
  f("encoder.pooling", e.pooling);
  f("encoder.positions", e.positions);
  f("encoder.mask_padding", e.mask_padding);
  f("encoder.dropout", e.dropout);
  f("loss.label_smoothing", c.train.loss.label_smoothing);
  f("loss.class_weights", c.train.class_weights);
  f("training.learning_rate", c.train.learning_rate);
  f("training.max_gradient_norm", c.train.max_gradient_norm);
  f("training.accumulation", c.train.accumulation);
  f("training.batch_size", c.batch_size);
  f("training.epochs", c.epochs);
  f("training.fixed_length", c.fixed_length);
  f("training.validation_share", c.validation_share);
  f("training.seed", c.train.seed);
}

/// The sections whose fields depend on a name: f(section, options, name, options of a name).
void visit_chosen(RunConfig& c, auto&& f) {
  f("norm", c.train.encoder.norm, model::norm_name, model::norm_options);
  f("optimizer", c.train.optimizer, model::optimizer_name, model::optimizer_options);
  f("schedule", c.train.schedule, model::schedule_name, model::schedule_options);
  f("initialization", c.train.initialization, model::initialization_name,
    model::initialization_options);
  f("feed_forward_initialization", c.train.feed_forward_initialization, model::initialization_name,
    model::initialization_options);
}

/// What the settings cannot be together is the encoder's to say; what no run can have is said here.
void check_run(const RunConfig& config) {
  const auto positive = [](const char* key, auto value) {
    if (value < 1) refuse(key, fmt::format("{}", value), "1 or more");
  };
  positive("training.batch_size", config.batch_size);
  positive("training.epochs", config.epochs);
  positive("training.accumulation", config.train.accumulation);
  if (config.fixed_length && *config.fixed_length < 2)
    refuse("training.fixed_length", written(config.fixed_length), "2 or more, or none");
  if (!(config.validation_share > 0 && config.validation_share < 1))
    refuse("training.validation_share", written(config.validation_share),
           "a number between 0 and 1");
}

/// Text as the JSON value that it stands for.
ordered_json value_of(const std::string& text) {
  if (text == "none") return nullptr;
  if (text == "true" || text == "false") return text == "true";
  const ordered_json number = ordered_json::parse(text, nullptr, false);
  return number.is_number() ? number : ordered_json(text);
}

std::string text_of(const ordered_json& value) {
  if (value.is_null()) return "none";
  if (value.is_boolean()) return value.get<bool>() ? "true" : "false";
  return value.is_string() ? value.get<std::string>() : value.dump();
}

}  // namespace

Settings list_settings(const RunConfig& config) {
  RunConfig copy = config;
  Settings settings;
  visit_plain(copy,
              [&](const char* key, auto& value) { settings.emplace_back(key, written(value)); });
  visit_chosen(copy, [&](const std::string& section, auto& options, auto name, auto) {
    settings.emplace_back(section + ".name", name(options));
    for (const auto& [field, value] : model::list_options(options))
      settings.emplace_back(fmt::format("{}.{}", section, field), value);
  });
  return settings;
}

void set_setting(RunConfig& config, std::string_view key, std::string_view value) {
  RunConfig changed = config;
  bool found = false;
  visit_plain(changed, [&](const char* own, auto& field) {
    if (key != own) return;
    read(key, value, field);
    found = true;
  });
  visit_chosen(changed, [&](const std::string& section, auto& options, auto, auto of_name) {
    if (!key.starts_with(section + ".")) return;
    const std::string_view field = key.substr(section.size() + 1);
    if (field == "name")
      options = of_name(value);
    else
      model::set_option(options, field, value);
    found = true;
  });
  if (!found) {
    std::vector<std::string> known;
    for (const auto& [own, text] : list_settings(config)) known.push_back(own);
    throw UsageError(ref::numeric::unknown_name("setting", key, known));
  }
  check_run(changed);
  config = changed;
}

std::string config_json(const RunConfig& config) {
  ordered_json object = ordered_json::object();
  for (const auto& [key, text] : list_settings(config)) {
    const std::size_t dot = key.find('.');
    const bool frequency = key == "loss.class_weights";  // "none" is a name there
    object[key.substr(0, dot)][key.substr(dot + 1)] =
        frequency ? ordered_json(text) : value_of(text);
  }
  return object.dump(1) + "\n";
}

RunConfig parse_config(std::string_view text, const std::string& file) {
  const ref::io::JsonReader reader(file);
  const ordered_json object = reader.parse(text, "an object a section, such as \"encoder\"");
  RunConfig config;
  const auto set = [&](const std::string& key, const ordered_json& value) {
    try {
      set_setting(config, key, text_of(value));
    } catch (const UsageError& error) {
      throw ref::numeric::FileError(fmt::format("{}: {}", file, error.what()));
    }
  };
  for (const auto& [section, fields] : object.items()) {
    if (!fields.is_object())
      reader.fail(section, "is no object", "a section such as {\"d_model\": 32}");
    if (fields.contains("name")) set(section + ".name", fields.at("name"));
    for (const auto& [field, value] : fields.items())
      if (field != "name") set(fmt::format("{}.{}", section, field), value);
  }
  return config;
}

}  // namespace normproof::verification::training
