#include "ref/model/operation.hpp"

#include <algorithm>

#include "ref/model/norm_fields.hpp"
#include "ref/model/operation_info.hpp"
#include "ref/model/option_choices.hpp"
#include "ref/model/option_fields.hpp"

namespace normproof::ref::model {

constexpr SinceVersion kSinceCausalEncoders{"2.12.0"}, kSinceScaledEmbedding{"2.15.0"},
    kSinceWindows{"2.19.0"}, kSinceSoftCap{"2.19.0"}, kSinceLogSumExpBase{"2.23.0"},
    kSinceReductions{"2.26.0"}, kSinceGatedOptions{"2.26.0"};

// option_fields.hpp finds these functions by argument-dependent lookup.
static void visit_fields(SoftmaxOptions&, auto&&) {}
static void visit_fields(LogSoftmaxOptions&, auto&&) {}
static void visit_fields(LogSumExpOptions&, auto&&) {}
static void visit_fields(ReluOptions&, auto&&) {}
static void visit_fields(GeluOptions&, auto&&) {}
static void visit_fields(GeluTanhOptions&, auto&&) {}
static void visit_fields(SiluOptions&, auto&&) {}
static void visit_fields(SwigluOptions& o, auto&& f) {
  f("limit", o.limit, kSinceGatedOptions);
  f("alpha", o.alpha, kSinceGatedOptions);
  f("beta", o.beta, kSinceGatedOptions);
}
static void visit_fields(GegluOptions&, auto&&) {}
static void visit_fields(AttentionOptions& o, auto&& f) {
  f("scale", o.scale);
  f("causal", o.causal);
  f("mask_corner", o.mask_corner, kSinceWindows);
  f("window_left", o.window_left, kSinceWindows);
  f("window_right", o.window_right, kSinceWindows);
  f("soft_cap", o.soft_cap, kSinceSoftCap);
  f("log_sum_exp_base", o.log_sum_exp_base, kSinceLogSumExpBase);
}
static void visit_fields(AddLayerNormOptions& o, auto&& f) {
  f("eps", o.eps);
  f("zero_centred_gamma", o.zero_centred_gamma, kSinceImageLayouts);
}
static void visit_fields(AddRMSNormOptions& o, auto&& f) {
  f("eps", o.eps);
  f("zero_centred_gamma", o.zero_centred_gamma, kSinceImageLayouts);
}
static void visit_fields(CrossEntropyOptions& o, auto&& f) {
  f("label_smoothing", o.loss.label_smoothing);
  f("reduction", o.reduction, kSinceReductions);
  f("z_loss", o.z_loss, kSinceReductions);
  f("soft_cap", o.soft_cap, kSinceReductions);
}
static void visit_fields(RopeOptions& o, auto&& f) {
  f("interleaved", o.interleaved);
}
static void visit_fields(L2NormOptions& o, auto&& f) {
  f("eps", o.eps);
  f("eps_placement", o.eps_placement);
}
static void visit_fields(QuantizeOptions&, auto&&) {}
static void visit_fields(DequantizeOptions&, auto&&) {}
static void visit_fields(ReluSquaredOptions&, auto&&) {}
static void visit_fields(SigmoidOptions&, auto&&) {}
static void visit_fields(LogSigmoidOptions&, auto&&) {}
static void visit_fields(SoftplusOptions& o, auto&& f) {
  f("beta", o.beta);
  f("threshold", o.threshold);
}
static void visit_fields(TanhOptions&, auto&&) {}
static void visit_fields(MishOptions&, auto&&) {}
static void visit_fields(MergeAttentionStatesOptions& o, auto&& f) {
  f("log_sum_exp_base", o.log_sum_exp_base);
}
static void visit_fields(GatedRMSNormOptions& o, auto&& f) {
  f("eps", o.eps);
  f("gate_position", o.gate_position);
  f("gate_activation", o.gate_activation);
  f("groups", o.groups);
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
  f("causal", o.causal, kSinceCausalEncoders);
}
static void visit_fields(EncoderOptions& o, auto&& f) {
  f("num_layers", o.num_layers);
  f("num_heads", o.num_heads);
  f("activation", o.activation);
  f("placement", o.placement);
  f("pooling", o.pooling);
  f("positions", o.positions);
  f("norm", o.norm);
  f("causal", o.causal, kSinceCausalEncoders);
  f("scaled_embedding", o.scaled_embedding, kSinceScaledEmbedding);
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
  f("scaled_embedding", o.scaled_embedding, kSinceScaledEmbedding);
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

/// The prefixes of the names of options that belong to a norm.
constexpr std::string_view kNormPrefix = "norm.", kDecoderNormPrefix = "decoder_norm.";
constexpr std::string_view kLearningRate = "learning_rate";
std::vector<std::string> list_names_of_kind(OperationKind kind) {
  std::vector<std::string> names;
  for (const OperationInfo& info : operations(kind)) names.push_back(info.name);
  return names;
}

NormOptions& encoder_norm(EncoderOperation& encoder) {
  return std::visit([](auto& o) -> NormOptions& { return o.norm; }, encoder);
}

NormOptions& encoder_norm(TransformerOperation& transformer) {
  return std::visit([](auto& o) -> NormOptions& { return o.norm; }, transformer);
}

/// Returns the options of the decoder's norm. Only a translator has them; for other operations the
/// result is null.
NormOptions* find_decoder_norm(TransformerOperation& transformer) {
  auto* const translator = std::get_if<TranslatorOptions>(&transformer);
  return translator == nullptr ? nullptr : &translator->decoder_norm;
}

/// Returns the name of an option without the prefix "norm." or "decoder_norm.".
std::string_view remove_option_prefix(std::string_view field) {
  for (const std::string_view prefix : {kNormPrefix, kDecoderNormPrefix})
    if (field.starts_with(prefix)) return field.substr(prefix.size());
  return field;
}

struct SetOption {
  std::string_view field, value;

  void operator()(NormOptions& layer) const { set_option(layer, field, value); }
  void operator()(FunctionOptions& function) const {
    set_field(function, operation_name(function), field, value);
  }
  void operator()(EncoderOperation& encoder) const {
    if (field.starts_with(kNormPrefix))
      return set_option(encoder_norm(encoder), field.substr(kNormPrefix.size()), value);
    set_field(encoder, operation_name(encoder), field, value);
  }
  void operator()(TransformerOperation& transformer) const {
    NormOptions* const decoder_options = find_decoder_norm(transformer);
    if (field.starts_with(kNormPrefix))
      return set_option(encoder_norm(transformer), remove_option_prefix(field), value);
    if (decoder_options != nullptr && field.starts_with(kDecoderNormPrefix))
      return set_option(*decoder_options, remove_option_prefix(field), value);
    set_field(transformer, operation_name(transformer), field, value);
  }
  void operator()(OptimizerOperation& steps) const {
    if (field == kLearningRate) return parse_field(field, value, steps.learning_rate);
    set_option(steps.optimizer, field, value);
  }
};

/// Lists the options of an operation. If `all` is true, it lists all options. Otherwise it lists
/// only the options that are written to files.
struct ListOptions {
  bool all;

  OptionTexts operator()(const NormOptions& layer) const { return list(layer); }
  OptionTexts operator()(const FunctionOptions& function) const { return fields(function); }
  OptionTexts operator()(EncoderOperation encoder) const {
    OptionTexts texts = fields(encoder);
    add(texts, kNormPrefix, encoder_norm(encoder));
    return texts;
  }
  OptionTexts operator()(TransformerOperation transformer) const {
    OptionTexts texts = fields(transformer);
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
  OptionTexts list(const NormOptions& norm) const {
    return all ? list_all_options(norm) : list_options(norm);
  }
  OptionTexts fields(const auto& options) const {
    return all ? list_all_fields(options) : list_fields(options);
  }
  void add(OptionTexts& texts, std::string_view prefix, const NormOptions& norm) const {
    for (const auto& [name, value] : list(norm))
      texts.emplace_back(fmt::format("{}{}", prefix, name), value);
  }
};

}  // namespace

std::vector<std::string> function_names() {
  return list_names_of_kind(OperationKind::function);
}

bool is_function(std::string_view name) {
  const auto functions = operations(OperationKind::function);
  return std::ranges::find(functions, name, &OperationInfo::name) != functions.end();
}

std::vector<std::string> encoder_operation_names() {
  return list_names_of_kind(OperationKind::encoder);
}

std::vector<std::string> transformer_operation_names() {
  return list_names_of_kind(OperationKind::transformer);
}

std::string operation_name(const Operation& operation) {
  return operation_info(operation).name;
}

std::vector<std::string> operation_names() {
  std::vector<std::string> names;
  for (const OperationInfo& info : operations()) names.push_back(info.name);
  return names;
}

Operation operation(std::string_view name) {
  const OperationInfo& info = operation_info(name);
  const auto index = static_cast<std::size_t>(&info - operations(info.kind).data());
  switch (info.kind) {
    case OperationKind::layer:
      return make_alternative<NormOptions>(index);
    case OperationKind::function:
      return make_alternative<FunctionOptions>(index);
    case OperationKind::encoder:
      return make_alternative<EncoderOperation>(index);
    case OperationKind::transformer:
      return make_alternative<TransformerOperation>(index);
    case OperationKind::optimizer:
      return OptimizerOperation{.optimizer = make_alternative<OptimizerOptions>(index)};
  }
  numeric::contract_failure("operation", "kind", "is no enumerator", "an OperationKind");
}

void set_option(Operation& operation, std::string_view field, std::string_view value) {
  std::visit(SetOption{field, value}, operation);
}

std::vector<std::pair<std::string, std::string>> list_all_options(const Operation& operation) {
  return std::visit(ListOptions{.all = true}, operation);
}

std::vector<OptionChoices> list_option_choices(const Operation& operation) {
  if (const auto* const norm = std::get_if<NormOptions>(&operation))
    return list_option_choices(*norm);
  if (const auto* const function = std::get_if<FunctionOptions>(&operation))
    return list_choices(*function);
  return {};
}

std::vector<std::pair<std::string, std::string>> list_options(const Operation& operation) {
  return std::visit(ListOptions{.all = false}, operation);
}

}  // namespace normproof::ref::model
