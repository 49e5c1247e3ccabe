#include "verification/training/run_config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "ref/io/json_reader.hpp"
#include "ref/model/option_fields.hpp"
#include "ref/numeric/errors.hpp"

namespace normproof::verification::training {

namespace model = ref::model;
using nlohmann::ordered_json;
using ref::numeric::UsageError;
using Settings = std::vector<std::pair<std::string, std::string>>;

namespace {

/// Calls `f(key, field)` for each setting of a model that consists of an encoder only. Settings
/// that are hidden while they have their default are visited only if `whole` is true.
void visit_encoder(RunConfig& c, bool whole, auto&& f) {
  model::EncoderConfig& e = c.train.encoder;
  const bool language = c.task == Task::language;
  f("encoder.d_model", e.d_model);
  f("encoder.num_heads", e.num_heads);
  f("encoder.d_ff", e.d_ff);
  f("encoder.num_layers", e.num_layers);
  f("encoder.activation", e.activation);
  f("encoder.placement", e.placement);
  if (!language) f("encoder.pooling", e.pooling);
  f("encoder.positions", e.positions);
  if (whole || e.scaled_embedding) f("encoder.scaled_embedding", e.scaled_embedding);
  if (!language) f("encoder.mask_padding", e.mask_padding);
  f("encoder.dropout", e.dropout);
  if (language) f("encoder.tied_head", e.tied_head);
}

/// Calls `f(key, field)` for each setting of a translator's model: first for the settings of the
/// whole model, then for the settings of the encoder and of the decoder. Settings that are hidden
/// while they have their default are visited only if `whole` is true.
void visit_translator(model::DecoderConfig& d, bool whole, auto&& f) {
  f("model.d_model", d.d_model);
  f("model.activation", d.activation);
  f("model.placement", d.placement);
  f("model.positions", d.positions);
  if (whole || d.scaled_embedding) f("model.scaled_embedding", d.scaled_embedding);
  f("model.dropout", d.dropout);
  f("model.tied_head", d.tied_head);
  f("encoder.num_heads", d.encoder.num_heads);
  f("encoder.d_ff", d.encoder.d_ff);
  f("encoder.num_layers", d.encoder.num_layers);
  f("decoder.num_heads", d.decoder.num_heads);
  f("decoder.d_ff", d.decoder.d_ff);
  f("decoder.num_layers", d.decoder.num_layers);
}

/// Calls `f(key, field)` for each setting of the sections that always have the same settings
/// (unlike "norm", whose settings depend on norm.name). Settings that are hidden while they have
/// their default are visited only if `whole` is true.
void visit_plain(RunConfig& c, bool whole, auto&& f) {
  if (whole || c.task != Task::classify) f("training.task", c.task);
  if (c.task == Task::translate) {
    visit_translator(c.translator, whole, f);
  } else {
    visit_encoder(c, whole, f);
  }
  f("loss.label_smoothing", c.train.loss.label_smoothing);
  if (c.task == Task::classify) f("loss.class_weights", c.train.class_weights);
  f("training.bias_initialization", c.train.bias_initialization);
  f("training.learning_rate", c.train.learning_rate);
  f("training.max_gradient_norm", c.train.max_gradient_norm);
  f("training.accumulation", c.train.accumulation);
  f("training.batch_size", c.batch_size);
  f("training.epochs", c.epochs);
  if (c.task == Task::language) f("training.context", c.context);
  if (c.task == Task::classify) {
    f("training.fixed_length", c.fixed_length);
    f("training.validation_share", c.validation_share);
  }
  if (whole || c.keep_checkpoints != 1) f("training.keep_checkpoints", c.keep_checkpoints);
  f("training.seed", c.train.seed);
  if (c.task == Task::translate) {
    f("translation.vocabulary_size", c.translation.vocabulary_size);
    f("translation.max_length", c.translation.max_length);
    f("translation.bleu_pairs", c.translation.bleu_pairs);
  }
}

/// Calls `f` for each section whose settings depend on its setting `name`, such as "norm" or
/// "optimizer". The arguments of `f` are the section, its options, and two functions. The first
/// function returns the name that belongs to given options. The second function returns the default
/// options for a given name.
void visit_named_sections(RunConfig& c, auto&& f) {
  const auto norm = [&](const char* section, model::NormOptions& options) {
    f(section, options, model::norm_name, model::norm_options);
  };
  if (c.task == Task::translate) {
    norm("norm", c.translator.encoder.norm);
    norm("final_norm", c.translator.encoder.final_norm);
    norm("decoder_norm", c.translator.decoder.norm);
    norm("decoder_final_norm", c.translator.decoder.final_norm);
  } else {
    norm("norm", c.train.encoder.norm);
  }
  f("optimizer", c.train.optimizer, model::optimizer_name, model::optimizer_options);
  f("schedule", c.train.schedule, model::schedule_name, model::schedule_options);
  f("initialization", c.train.initialization, model::initialization_name,
    model::initialization_options);
  f("feed_forward_initialization", c.train.feed_forward_initialization, model::initialization_name,
    model::initialization_options);
}

/// Checks that the options of a section have the field, or that the field is "name". Otherwise
/// throws an error that suggests the nearest known setting: "norm.name" for "norm.nam".
void check_field(const std::string& section, const auto& options, std::string_view field) {
  std::vector<std::string> known = {section + ".name"};
  for (const auto& [own, value] : model::list_options(options)) {
    if (field == own) return;
    known.push_back(fmt::format("{}.{}", section, own));
  }
  throw UsageError(
      ref::numeric::unknown_name("setting", fmt::format("{}.{}", section, field), known));
}

/// Checks each setting against the range that every run requires. Impossible combinations of
/// settings are rejected later, by the model.
void check_run(const RunConfig& config) {
  using model::throw_invalid_value, model::print_field;
  const auto positive = [](const char* key, auto value) {
    if (value < 1) throw_invalid_value(key, print_field(value), "1 or more");
  };
  const auto share = [](const char* key, double value) {
    if (!(value >= 0 && value < 1))
      throw_invalid_value(key, print_field(value), "a number from 0 on, below 1");
  };
  const bool translate = config.task == Task::translate;
  const auto layers = [&](const char* const keys[3], const auto& side) {
    positive(keys[0], side.num_heads);
    positive(keys[1], side.d_ff);
    positive(keys[2], side.num_layers);
  };
  static constexpr const char* kEncoder[] = {"encoder.num_heads", "encoder.d_ff",
                                             "encoder.num_layers"};
  static constexpr const char* kDecoder[] = {"decoder.num_heads", "decoder.d_ff",
                                             "decoder.num_layers"};
  if (translate) {
    positive("model.d_model", config.translator.d_model);
    layers(kEncoder, config.translator.encoder);
    layers(kDecoder, config.translator.decoder);
    share("model.dropout", config.translator.dropout);
    if (config.translation.vocabulary_size < 4)
      throw_invalid_value("translation.vocabulary_size",
                          print_field(config.translation.vocabulary_size),
                          "4 or more: <unk>, <s>, </s> and a word");
    positive("translation.max_length", config.translation.max_length);
  } else {
    positive("encoder.d_model", config.train.encoder.d_model);
    layers(kEncoder, config.train.encoder);
    share("encoder.dropout", config.train.encoder.dropout);
  }
  if (!(config.train.learning_rate >= 0))
    throw_invalid_value("training.learning_rate", print_field(config.train.learning_rate),
                        "0 or more");
  if (const auto most = config.train.max_gradient_norm; most && !(*most > 0))
    throw_invalid_value("training.max_gradient_norm", print_field(most),
                        "a number above 0, or none");
  const double smoothing = config.train.loss.label_smoothing;
  if (!(smoothing >= 0 && smoothing <= 1))
    throw_invalid_value("loss.label_smoothing", print_field(smoothing), "a number from 0 to 1");
  positive("training.batch_size", config.batch_size);
  positive("training.epochs", config.epochs);
  positive("training.accumulation", config.train.accumulation);
  positive("training.context", config.context);
  positive("training.keep_checkpoints", config.keep_checkpoints);
  if (config.fixed_length && *config.fixed_length < 2)
    throw_invalid_value("training.fixed_length", print_field(config.fixed_length),
                        "2 or more, or none");
  if (!(config.validation_share > 0 && config.validation_share < 1))
    throw_invalid_value("training.validation_share", print_field(config.validation_share),
                        "a number between 0 and 1");
}

/// Converts the text of a setting to its JSON value.
ordered_json parse_setting_value(const std::string& text) {
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

/// Returns the settings as pairs of key and text. `whole` includes the settings that
/// list_settings() leaves out.
Settings collect_settings(const RunConfig& config, bool whole) {
  RunConfig copy = config;
  Settings settings;
  visit_plain(copy, whole, [&](const char* key, auto& value) {
    settings.emplace_back(key, model::print_field(value));
  });
  visit_named_sections(copy, [&](const std::string& section, auto& options, auto name, auto) {
    settings.emplace_back(section + ".name", name(options));
    for (const auto& [field, value] : model::list_options(options))
      settings.emplace_back(fmt::format("{}.{}", section, field), value);
  });
  return settings;
}

std::string settings_json(const Settings& settings) {
  ordered_json object = ordered_json::object();
  for (const auto& [key, text] : settings) {
    const std::size_t dot = key.find('.');
    const bool frequency = key == "loss.class_weights";  // "none" is a name there
    object[key.substr(0, dot)][key.substr(dot + 1)] =
        frequency ? ordered_json(text) : parse_setting_value(text);
  }
  return object.dump(1) + "\n";
}

/// Whether an error about `argument` may be about the setting `key`. The argument "eps" may be the
/// setting "norm.eps", and "norm" may be "norm.name". For a translator, the argument may begin with
/// the encoder or decoder: "decoder.final_norm" for "decoder_final_norm.name", or "encoder.d_model"
/// for "model.d_model".
bool may_refer_to_setting(const RunConfig& config, const std::string& argument,
                          const std::string& key) {
  const auto is = [&](const std::string& name) { return key == name || key == name + ".name"; };
  const std::size_t dot = argument.find('.');
  const std::string side = argument.substr(0, dot);
  if (config.task != Task::translate || (side != "encoder" && side != "decoder"))
    return is(argument) || key.ends_with("." + argument) ||
           (config.task == Task::translate && key.ends_with("_" + argument + ".name"));
  const std::string field = argument.substr(dot + 1);
  return key == argument || is("model." + field) ||
         is(side == "encoder" ? field : "decoder_" + field);
}

/// Finds the setting that caused an error. `keys` are the settings whose names match the argument
/// of the error. The result is the first of them that has the rejected value and belongs to the
/// section of the layer or optimizer that rejected it. A layer that was called by another layer may
/// have no section; then the first setting with the rejected value is returned. Returns nothing if
/// there is none.
std::optional<std::string> find_rejected_setting(const Settings& settings,
                                                 const std::vector<std::string>& keys,
                                                 const ref::numeric::ContractViolation& violation) {
  const auto value_at = [&](const std::string& key) {
    const auto found = std::ranges::find(settings, key, &Settings::value_type::first);
    return found == settings.end() ? std::string() : found->second;
  };
  std::optional<std::string> other;
  bool has_section = false;
  for (const std::string& key : keys) {
    const bool own = value_at(key.substr(0, key.find('.')) + ".name") == violation.function;
    has_section = has_section || own;
    if (violation.observation != "is " + value_at(key)) continue;
    if (own) return key;
    if (!other) other = key;
  }
  return has_section ? std::nullopt : other;
}

/// Returns the default configuration of a translator. It is large enough for the synthetic sentence
/// pairs.
RunConfig default_translator() {
  RunConfig config;
  config.task = Task::translate;
  const model::LayersConfig layers{.num_heads = 4, .d_ff = 64, .num_layers = 1};
  config.translator = {.d_model = 32,
                       .encoder = layers,
                       .decoder = layers,
                       .placement = model::NormPlacement::pre,
                       .dropout = 0,
                       .tied_head = true};
  config.train.class_weights = model::ClassWeights::none;
  config.train.schedule = model::InverseSquareRoot{.warmup_steps = 100};
  config.train.learning_rate = 0.01;
  config.batch_size = 32;
  config.epochs = 10;
  return config;
}

/// Returns the task that a JSON configuration names, or nothing if it names none.
std::optional<Task> find_task(const ordered_json& object, const ref::io::JsonReader& reader) {
  if (!object.contains("training") || !object["training"].is_object() ||
      !object["training"].contains("task"))
    return std::nullopt;
  const std::string text = text_of(object["training"]["task"]);
  for (const auto& [name, task] : enum_names(Task()))
    if (text == name) return task;
  reader.fail("training.task", fmt::format("is '{}'", text), "classify, language or translate");
}

/// Throws the error for the unknown setting `key`. The error suggests the settings of the same
/// section and the settings of the same name in other sections. If there is no such section, it
/// suggests the nearest of all settings.
[[noreturn]] void refuse_setting(const RunConfig& config, std::string_view key) {
  const std::size_t dot = std::min(key.find('.'), key.size());
  std::vector<std::string> all, near;
  bool has_section = false;
  for (const auto& [name, text] : collect_settings(config, true)) {
    const bool same_section = name.starts_with(fmt::format("{}.", key.substr(0, dot)));
    has_section = has_section || same_section;
    if (same_section || (dot < key.size() && name.ends_with(key.substr(dot)))) near.push_back(name);
    all.push_back(name);
  }
  throw UsageError(ref::numeric::unknown_name("setting", key, has_section ? near : all));
}

}  // namespace

RunConfig default_config(Task task) {
  RunConfig config;
  if (task == Task::classify) return config;
  if (task == Task::translate) return default_translator();
  config.task = task;
  config.train.encoder = {.d_model = 32,
                          .num_heads = 4,
                          .d_ff = 128,
                          .num_layers = 2,
                          .placement = model::NormPlacement::pre,
                          .pooling = model::Pooling::per_position,
                          .dropout = 0,
                          .causal = true,
                          .tied_head = true};
  config.train.class_weights = model::ClassWeights::none;
  config.train.schedule = model::InverseSquareRoot{.warmup_steps = 50};
  config.train.learning_rate = 0.01;
  config.batch_size = 16;
  config.epochs = 5;
  return config;
}

Settings list_settings(const RunConfig& config) {
  return collect_settings(config, false);
}

std::string name_setting_in_error(const RunConfig& config,
                                  const ref::numeric::ContractError& error) {
  const ref::numeric::ContractViolation& violation = error.violation();
  const Settings settings = list_settings(config);
  std::vector<std::string> keys;
  for (const auto& [key, value] : settings)
    if (may_refer_to_setting(config, violation.argument, key)) keys.push_back(key);
  const std::optional<std::string> key =
      keys.size() == 1 ? keys.front() : find_rejected_setting(settings, keys, violation);
  if (!key) return sentence(violation);
  return fmt::format("{} {}; expected {}", *key, violation.observation, violation.expectation);
}

void set_setting(RunConfig& config, std::string_view key, std::string_view value) {
  RunConfig changed = config;
  bool found = false;
  visit_plain(changed, true, [&](const char* own, auto& field) {
    if (key != own) return;
    model::parse_field(key, value, field);
    found = true;
  });
  visit_named_sections(changed, [&](const std::string& section, auto& options, auto, auto of_name) {
    if (key == section)
      throw UsageError(ref::numeric::unknown_name("setting", key, {section + ".name"}));
    if (!key.starts_with(section + ".")) return;
    const std::string_view field = key.substr(section.size() + 1);
    if (field != "name") check_field(section, options, field);
    try {
      if (field == "name") {
        options = of_name(value);
      } else {
        model::set_option(options, field, value);
      }
    } catch (const UsageError& error) {
      // The inner error lacks the section, so the key is added.
      throw UsageError(fmt::format("{}: {}", key, error.what()));
    }
    found = true;
  });
  if (!found) refuse_setting(config, key);
  if (changed.task != config.task)
    model::throw_invalid_value(
        key, value, fmt::format("{}, the task of the run", model::print_field(config.task)));
  check_run(changed);
  config = changed;
}

std::string config_json(const RunConfig& config) {
  return settings_json(list_settings(config));
}

std::string whole_config_json(const RunConfig& config) {
  return settings_json(collect_settings(config, true));
}

RunConfig parse_config(std::string_view text, const std::string& file, Task task) {
  const ref::io::JsonReader reader(file);
  const ordered_json object = reader.parse(text, "an object a section, such as \"encoder\"");
  task = find_task(object, reader).value_or(task);
  RunConfig config = default_config(task);
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
    if (fields.empty()) reader.fail(section, "is empty", "settings, or no such section");
    if (fields.contains("name")) set(section + ".name", fields.at("name"));
    for (const auto& [field, value] : fields.items())
      if (field != "name") set(fmt::format("{}.{}", section, field), value);
  }
  return config;
}

}  // namespace normproof::verification::training
