#include "ref/model/operation.hpp"

#include <algorithm>
#include <iterator>

#include "ref/model/option_fields.hpp"

namespace normproof::ref::model {

// option_fields.hpp finds these by argument-dependent lookup.
static void visit_fields(SoftmaxOptions&, auto&&) {}
static void visit_fields(LogSoftmaxOptions&, auto&&) {}
static void visit_fields(LogSumExpOptions&, auto&&) {}
static void visit_fields(ReluOptions&, auto&&) {}
static void visit_fields(GeluOptions&, auto&&) {}
static void visit_fields(GeluTanhOptions&, auto&&) {}
static void visit_fields(SiluOptions&, auto&&) {}
static void visit_fields(SwigluOptions&, auto&&) {}
static void visit_fields(GegluOptions&, auto&&) {}
static void visit_fields(AttentionOptions& o, auto&& f) {
  f("scale", o.scale);
  f("causal", o.causal);
}
static void visit_fields(AddLayerNormOptions& o, auto&& f) {
  f("eps", o.eps);
  f("zero_centred_gamma", o.zero_centred_gamma);
}
static void visit_fields(AddRMSNormOptions& o, auto&& f) {
  f("eps", o.eps);
  f("zero_centred_gamma", o.zero_centred_gamma);
}
static void visit_fields(CrossEntropyOptions& o, auto&& f) {
  f("label_smoothing", o.loss.label_smoothing);
}
static void visit_fields(RopeOptions& o, auto&& f) {
  f("interleaved", o.interleaved);
}
static void visit_layer_fields(auto& o, auto&& f) {
  f("num_heads", o.num_heads);
  f("activation", o.activation);
  f("placement", o.placement);
  f("dropout", o.dropout);
  f("norm", o.norm);
}
static void visit_fields(EncoderLayerOptions& o, auto&& f) {
  visit_layer_fields(o, f);
  f("causal", o.causal);
}
static void visit_fields(EncoderOptions& o, auto&& f) {
  f("num_layers", o.num_layers);
  f("num_heads", o.num_heads);
  f("activation", o.activation);
  f("placement", o.placement);
  f("pooling", o.pooling);
  f("positions", o.positions);
  f("norm", o.norm);
  f("causal", o.causal);
  f("scaled_embedding", o.scaled_embedding);
}
static void visit_fields(DecoderLayerOptions& o, auto&& f) {
  visit_layer_fields(o, f);
}
static void visit_transformer_fields(auto& o, auto&& f) {
  f("num_layers", o.num_layers);
  f("num_heads", o.num_heads);
  f("activation", o.activation);
  f("placement", o.placement);
  f("positions", o.positions);
  f("tied_head", o.tied_head);
  f("norm", o.norm);
  f("scaled_embedding", o.scaled_embedding);
}
static void visit_fields(TranslatorOptions& o, auto&& f) {
  visit_transformer_fields(o, f);
  f("label_smoothing", o.label_smoothing);
  f("decoder_norm", o.decoder_norm);
}
static void visit_fields(LanguageModelOptions& o, auto&& f) {
  visit_transformer_fields(o, f);
  f("label_smoothing", o.label_smoothing);
}
static void visit_fields(DecodingOptions& o, auto&& f) {
  visit_transformer_fields(o, f);
}
static void parse_field(std::string_view, std::string_view text, NormOptions& value) {
  value = norm_options(text);
}
static std::string print_field(const NormOptions& value) {
  return norm_name(value);
}

namespace {

constexpr const char* kFunctionNames[] = {
    "softmax",        "log_softmax",  "log_sum_exp",   "relu",  "gelu",
    "gelu_tanh",      "silu",         "swiglu",        "geglu", "attention",
    "add_layer_norm", "add_rms_norm", "cross_entropy", "rope"};
static_assert(std::size(kFunctionNames) == std::variant_size_v<FunctionOptions>);

constexpr const char* kEncoderNames[] = {"encoder_layer", "encoder", "decoder_layer"};
static_assert(std::size(kEncoderNames) == std::variant_size_v<EncoderOperation>);

constexpr const char* kTransformerNames[] = {"translator", "language_model", "decoding"};
static_assert(std::size(kTransformerNames) == std::variant_size_v<TransformerOperation>);

/// Prefixes of the options of a norm.
constexpr std::string_view kNormPrefix = "norm.", kDecoderNormPrefix = "decoder_norm.";
constexpr std::string_view kLearningRate = "learning_rate";
/// An encoder option that was added after files had been written, with the value that a file means
/// if it does not name the option.
constexpr std::pair<std::string_view, std::string_view> kEncoderLegacyDefault = {"causal", "false"};

struct NameOf {
  std::string operator()(const NormOptions& layer) const { return norm_name(layer); }
  std::string operator()(const FunctionOptions& function) const {
    return kFunctionNames[function.index()];
  }
  std::string operator()(const EncoderOperation& encoder) const {
    return kEncoderNames[encoder.index()];
  }
  std::string operator()(const TransformerOperation& transformer) const {
    return kTransformerNames[transformer.index()];
  }
  std::string operator()(const OptimizerOperation& steps) const {
    return optimizer_name(steps.optimizer);
  }
};

NormOptions& encoder_norm(EncoderOperation& encoder) {
  return std::visit([](auto& o) -> NormOptions& { return o.norm; }, encoder);
}

NormOptions& encoder_norm(TransformerOperation& transformer) {
  return std::visit([](auto& o) -> NormOptions& { return o.norm; }, transformer);
}

/// Returns the decoder's norm, which only a translator has, or null.
NormOptions* find_decoder_norm(TransformerOperation& transformer) {
  auto* const translator = std::get_if<TranslatorOptions>(&transformer);
  return translator == nullptr ? nullptr : &translator->decoder_norm;
}

/// Returns the name of an option without the prefix of its norm.
std::string_view name_without_prefix(std::string_view field) {
  for (const std::string_view prefix : {kNormPrefix, kDecoderNormPrefix})
    if (field.starts_with(prefix)) return field.substr(prefix.size());
  return field;
}

struct SetOption {
  std::string_view field, value;

  void operator()(NormOptions& layer) const { set_option(layer, field, value); }
  void operator()(FunctionOptions& function) const {
    set_field(function, NameOf{}(function), field, value);
  }
  void operator()(EncoderOperation& encoder) const {
    if (field.starts_with(kNormPrefix))
      return set_option(encoder_norm(encoder), field.substr(kNormPrefix.size()), value);
    set_field(encoder, NameOf{}(encoder), field, value);
  }
  void operator()(TransformerOperation& transformer) const {
    NormOptions* const decoder_options = find_decoder_norm(transformer);
    if (field.starts_with(kNormPrefix))
      return set_option(encoder_norm(transformer), name_without_prefix(field), value);
    if (decoder_options != nullptr && field.starts_with(kDecoderNormPrefix))
      return set_option(*decoder_options, name_without_prefix(field), value);
    set_field(transformer, NameOf{}(transformer), field, value);
  }
  void operator()(OptimizerOperation& steps) const {
    if (field == kLearningRate) return parse_field(field, value, steps.learning_rate);
    set_option(steps.optimizer, field, value);
  }
};

struct ListAllOptions {
  OptionTexts operator()(const NormOptions& layer) const { return list_all_options(layer); }
  OptionTexts operator()(const FunctionOptions& function) const {
    return list_all_fields(function);
  }
  OptionTexts operator()(EncoderOperation encoder) const {
    OptionTexts texts = list_all_fields(encoder);
    add(texts, kNormPrefix, encoder_norm(encoder));
    return texts;
  }
  OptionTexts operator()(TransformerOperation transformer) const {
    OptionTexts texts = list_all_fields(transformer);
    add(texts, kNormPrefix, encoder_norm(transformer));
    if (const NormOptions* const decoder_options = find_decoder_norm(transformer))
      add(texts, kDecoderNormPrefix, *decoder_options);
    return texts;
  }
  OptionTexts operator()(const OptimizerOperation& steps) const {
    OptionTexts texts = list_options(steps.optimizer);
    texts.emplace_back(kLearningRate, print_field(steps.learning_rate));
    return texts;
  }

 private:
  static void add(OptionTexts& texts, std::string_view prefix, const NormOptions& norm) {
    for (const auto& [name, value] : list_all_options(norm))
      texts.emplace_back(fmt::format("{}{}", prefix, name), value);
  }
};

}  // namespace

std::vector<std::string> function_names() {
  return {std::begin(kFunctionNames), std::end(kFunctionNames)};
}

bool is_function(std::string_view name) {
  return std::ranges::find(kFunctionNames, name) != std::end(kFunctionNames);
}

std::vector<std::string> encoder_operation_names() {
  return {std::begin(kEncoderNames), std::end(kEncoderNames)};
}

std::vector<std::string> transformer_operation_names() {
  return {std::begin(kTransformerNames), std::end(kTransformerNames)};
}

std::string operation_name(const Operation& operation) {
  return std::visit(NameOf{}, operation);
}

std::vector<std::string> operation_names() {
  std::vector<std::string> names = norm_names();
  names.insert(names.end(), std::begin(kFunctionNames), std::end(kFunctionNames));
  names.insert(names.end(), std::begin(kEncoderNames), std::end(kEncoderNames));
  names.insert(names.end(), std::begin(kTransformerNames), std::end(kTransformerNames));
  const std::vector<std::string> optimizers = optimizer_names();
  names.insert(names.end(), optimizers.begin(), optimizers.end());
  return names;
}

Operation operation(std::string_view name) {
  for (std::size_t i = 0; i < std::size(kFunctionNames); ++i)
    if (name == kFunctionNames[i]) return make_alternative<FunctionOptions>(i);
  for (std::size_t i = 0; i < std::size(kEncoderNames); ++i)
    if (name == kEncoderNames[i]) return make_alternative<EncoderOperation>(i);
  for (std::size_t i = 0; i < std::size(kTransformerNames); ++i)
    if (name == kTransformerNames[i]) return make_alternative<TransformerOperation>(i);
  const std::vector<std::string> optimizers = optimizer_names();
  if (std::ranges::find(optimizers, name) != optimizers.end())
    return OptimizerOperation{.optimizer = optimizer_options(name)};
  const std::vector<std::string> layers = norm_names();
  if (std::ranges::find(layers, name) != layers.end()) return norm_options(name);
  throw numeric::UsageError(numeric::unknown_name("operation", name, operation_names()));
}

void set_option(Operation& operation, std::string_view field, std::string_view value) {
  std::visit(SetOption{field, value}, operation);
}

std::vector<std::pair<std::string, std::string>> list_all_options(const Operation& operation) {
  return std::visit(ListAllOptions{}, operation);
}

std::vector<std::pair<std::string, std::string>> list_options(const Operation& operation) {
  OptionTexts texts = list_all_options(operation);
  const bool encoder = std::holds_alternative<EncoderOperation>(operation);
  std::erase_if(texts, [encoder](const auto& field) {
    const std::string_view name = field.first;
    if (encoder && std::pair(name, std::string_view(field.second)) == kEncoderLegacyDefault)
      return true;
    return is_legacy_default(name_without_prefix(name), field.second);
  });
  return texts;
}

}  // namespace normproof::ref::model
