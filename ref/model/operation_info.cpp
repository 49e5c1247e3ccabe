#include "ref/model/operation_info.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <variant>

#include "ref/model/norm_layers.hpp"
#include "ref/model/operation_names.hpp"
#include "ref/numeric/errors.hpp"

namespace normproof::ref::model {
namespace {

using Operands = std::vector<OperandInfo>;

constexpr const char* kShapeOfRows = "[..., D]";
constexpr const char* kShapeOfTokens = "[N,D] or [B,T,D]";

OperandInfo optional(std::string name, std::string shape, OperandType type = OperandType::real) {
  return {std::move(name), std::move(shape), true, type};
}
OperandInfo mask(std::string name, std::string shape) {
  return optional(std::move(name), std::move(shape), OperandType::boolean);
}
OperandInfo integer(std::string name, std::string shape) {
  return {std::move(name), std::move(shape), false, OperandType::integer};
}

OperationInfo activation(const char* name) {
  return {.name = name,
          .operands = {{"x", kShapeOfRows}, optional("grad_y", kShapeOfRows)},
          .outputs = {{"y", kShapeOfRows}, optional("grad_x", kShapeOfRows)},
          .independence = Independence::element};
}
OperationInfo gated_activation(const char* name, const char* ungated) {
  return {
      .name = name,
      .operands = {{"x", kShapeOfRows}, {"gate", kShapeOfRows}, optional("grad_y", kShapeOfRows)},
      .outputs = {{"y", kShapeOfRows},
                  optional("grad_x", kShapeOfRows),
                  optional("grad_gate", kShapeOfRows)},
      .independence = Independence::element,
      .equal_forms = {{ungated, Combination::times_gate}}};
}
OperationInfo describe_norm_of_sum(const char* name, const char* norm) {
  return {.name = name,
          .operands = {{"x", kShapeOfTokens},
                       {"residual", kShapeOfTokens},
                       optional("grad_y", kShapeOfTokens),
                       optional("grad_sum", kShapeOfTokens),
                       optional("gamma", "[D]"),
                       optional("beta", "[D]")},
          .outputs = {{"y", kShapeOfTokens},
                      {"sum", kShapeOfTokens},
                      optional("grad_x", kShapeOfTokens),
                      optional("grad_gamma", "[D]"),
                      optional("grad_beta", "[D]")},
          .independence = Independence::row,
          .equal_forms = {{norm, Combination::of_sum}}};
}

// There is one function for each struct of options. If an alternative of a variant in operation.hpp
// has none, this file does not compile.

OperationInfo describe(const SoftmaxOptions&) {
  return {.name = "softmax",
          .operands = {{"x", kShapeOfRows},
                       optional("grad_y", kShapeOfRows),
                       mask("valid", kShapeOfRows)},
          .outputs = {{"y", kShapeOfRows}, optional("grad_x", kShapeOfRows)},
          .independence = Independence::row,
          .infinite_elements = InfiniteElements::minus_infinity_is_a_limit,
          .hidden_elements = HiddenElements::minus_infinity};
}
OperationInfo describe(const LogSoftmaxOptions&) {
  return {.name = "log_softmax",
          .operands = {{"x", kShapeOfRows}, optional("grad_y", kShapeOfRows)},
          .outputs = {{"y", kShapeOfRows}, optional("grad_x", kShapeOfRows)},
          .independence = Independence::row,
          .infinite_elements = InfiniteElements::minus_infinity_is_a_limit};
}
OperationInfo describe(const LogSumExpOptions&) {
  return {
      .name = "log_sum_exp",
      .operands = {{"x", kShapeOfRows}, optional("grad_y", "[...]"), mask("valid", kShapeOfRows)},
      .outputs = {{"y", "[...]"}, optional("grad_x", kShapeOfRows)},
      .independence = Independence::row,
      .reduces = true,
      .infinite_elements = InfiniteElements::minus_infinity_is_a_limit,
      .plus_infinity_makes_y_infinite = true};
}
OperationInfo describe(const ReluOptions&) {
  OperationInfo info = activation("relu");
  info.infinite_elements = InfiniteElements::minus_infinity_is_a_limit;
  info.gradient_compares_x = true;
  return info;
}
OperationInfo describe(const GeluOptions&) {
  return activation("gelu");
}
OperationInfo describe(const GeluTanhOptions&) {
  return activation("gelu_tanh");
}
OperationInfo describe(const SiluOptions&) {
  return activation("silu");
}
OperationInfo describe(const SwigluOptions&) {
  return gated_activation("swiglu", "silu");
}
OperationInfo describe(const GegluOptions&) {
  return gated_activation("geglu", "gelu");
}
OperationInfo describe(const AttentionOptions&) {
  return {.name = "attention",
          .operands = {{"q", "[B,H,T,D]"},
                       {"k", "[B,G,S,D]"},
                       {"v", "[B,G,S,E]"},
                       optional("grad_y", "[B,H,T,E]"),
                       optional("bias", "[B or 1, H or 1, T, S]"),
                       optional("sinks", "[H]"),
                       mask("valid", "[B,S]")},
          .outputs = {{"y", "[B,H,T,E]"},
                      optional("log_sum_exp", "[B,H,T]"),
                      optional("grad_q", "[B,H,T,D]"),
                      optional("grad_k", "[B,G,S,D]"),
                      optional("grad_v", "[B,G,S,E]"),
                      optional("grad_bias", "[B or 1, H or 1, T, S]"),
                      optional("grad_sinks", "[H]")},
          .independence = Independence::sample,
          .hidden_elements = HiddenElements::times_zero};
}
OperationInfo describe(const AddLayerNormOptions&) {
  return describe_norm_of_sum("add_layer_norm", "layer_norm");
}
OperationInfo describe(const AddRMSNormOptions&) {
  return describe_norm_of_sum("add_rms_norm", "rms_norm");
}
OperationInfo describe(const CrossEntropyOptions&) {
  return {.name = "cross_entropy",
          .operands = {{"logits", "[N,C]"},
                       integer("targets", "[N]"),
                       optional("class_weights", "[C]"),
                       mask("valid", "[N]")},
          .outputs = {{"loss", "[1] or [N]"}, {"grad_logits", "[N,C]"}},
          .infinite_elements = InfiniteElements::minus_infinity_is_a_limit};
}
OperationInfo describe(const RopeOptions&) {
  return {.name = "rope",
          .operands = {{"x", "[..., T, D]"},
                       {"cos", "[T,P]"},
                       {"sin", "[T,P]"},
                       optional("grad_y", "[..., T, D]")},
          .outputs = {{"y", "[..., T, D]"}, optional("grad_x", "[..., T, D]")},
          .independence = Independence::sample,
          .infinite_elements = InfiniteElements::make_nan};
}
OperationInfo describe(const L2NormOptions&) {
  return {.name = "l2_norm",
          .operands = {{"x", kShapeOfRows}, optional("grad_y", kShapeOfRows)},
          .outputs = {{"y", kShapeOfRows}, optional("grad_x", kShapeOfRows)},
          .independence = Independence::row};
}
// The scale of a row or of a part of it depends on all of its elements.
OperationInfo describe(const QuantizeOptions&) {
  OperationInfo info = activation("quantize");
  info.independence = Independence::row;
  return info;
}
OperationInfo describe(const DequantizeOptions&) {
  return activation("dequantize");
}
OperationInfo describe(const ReluSquaredOptions&) {
  OperationInfo info = activation("relu_squared");
  info.gradient_compares_x = true;
  return info;
}
OperationInfo describe(const SigmoidOptions&) {
  return activation("sigmoid");
}
OperationInfo describe(const LogSigmoidOptions&) {
  return activation("log_sigmoid");
}
OperationInfo describe(const SoftplusOptions&) {
  return activation("softplus");
}
OperationInfo describe(const TanhOptions&) {
  return activation("tanh");
}
OperationInfo describe(const MishOptions&) {
  return activation("mish");
}
OperationInfo describe(const MergeAttentionStatesOptions&) {
  return {.name = "merge_attention_states",
          .operands = {{"o", "[P,B,H,T,E]"},
                       {"log_sum_exp", "[P,B,H,T]"},
                       optional("grad_y", "[B,H,T,E]")},
          .outputs = {{"y", "[B,H,T,E]"},
                      {"log_sum_exp", "[B,H,T]"},
                      optional("grad_o", "[P,B,H,T,E]"),
                      optional("grad_log_sum_exp", "[P,B,H,T]")}};
}
OperationInfo describe(const GatedRMSNormOptions&) {
  return {.name = "gated_rms_norm",
          .operands = {{"x", kShapeOfRows},
                       {"gate", kShapeOfRows},
                       optional("grad_y", kShapeOfRows),
                       optional("gamma", "[D]"),
                       optional("beta", "[D]")},
          .outputs = {{"y", kShapeOfRows},
                      optional("grad_x", kShapeOfRows),
                      optional("grad_gate", kShapeOfRows),
                      optional("grad_gamma", "[D]"),
                      optional("grad_beta", "[D]")},
          .independence = Independence::row};
}

OperationInfo describe(const EncoderLayerOptions&) {
  return {.name = "encoder_layer",
          .operands = {{"x", "[B,T,D]"}, optional("grad_y", "[B,T,D]"), mask("valid", "[B,T]")},
          .outputs = {{"y", "[B,T,D]"}, optional("grad_x", "[B,T,D]")}};
}
OperationInfo describe(const EncoderOptions&) {
  return {.name = "encoder",
          .operands = {integer("tokens", "[B,T]"), integer("labels", "[B]"),
                       optional("class_weights", "[C]"), mask("valid", "[B,T]")},
          .outputs = {{"logits", "[B,C]"}, {"loss", "[1]"}}};
}
OperationInfo describe(const DecoderLayerOptions&) {
  return {.name = "decoder_layer",
          .operands = {{"x", "[B,T,D]"},
                       {"memory", "[B,S,D]"},
                       optional("grad_y", "[B,T,D]"),
                       mask("memory_valid", "[B,S]"),
                       mask("valid", "[B,T]")},
          .outputs = {
              {"y", "[B,T,D]"}, optional("grad_x", "[B,T,D]"), optional("grad_memory", "[B,S,D]")}};
}

OperationInfo describe(const TranslatorOptions&) {
  return {.name = "translator",
          .operands = {integer("source", "[B,S]"), integer("tokens", "[B,T]"),
                       integer("targets", "[B,T]"), mask("source_valid", "[B,S]"),
                       mask("valid", "[B,T]")},
          .outputs = {{"logits", "[B,T,V]"}, {"loss", "[1]"}}};
}
OperationInfo describe(const LanguageModelOptions&) {
  return {
      .name = "language_model",
      .operands = {integer("tokens", "[B,T]"), integer("targets", "[B,T]"), mask("valid", "[B,T]")},
      .outputs = {{"logits", "[B,T,V]"}, {"loss", "[1]"}}};
}
OperationInfo describe(const DecodingOptions&) {
  const auto cached = [](const char* name, const char* positions) {
    return optional(fmt::format("layers.<l>.self_attention.{}", name), positions);
  };
  return {.name = "decoding",
          .operands = {integer("tokens", "[B,T]"),
                       {"memory", "[B,S,D]"},
                       cached("past_keys", "[B,P,D]"),
                       cached("past_values", "[B,P,D]"),
                       mask("memory_valid", "[B,S]")},
          .outputs = {{"logits", "[B,T,V]"},
                      {"layers.<l>.self_attention.keys", "[B,P+T,D]"},
                      {"layers.<l>.self_attention.values", "[B,P+T,D]"}}};
}

OperationInfo optimizer(const OptimizerOptions& options, Operands moments) {
  moments.push_back(optional("iterations", "[1]", OperandType::integer));
  return {.name = optimizer_name(options),
          .operands = {{"parameter", "[...]"}, {"grad_parameter", "[...]"}},
          .outputs = {{"parameter", "[...]"}},
          .state = std::move(moments),
          .independence = Independence::element};
}
OperationInfo describe(const SgdOptions& options) {
  return optimizer(options, {optional("velocity", "[...]")});
}
OperationInfo describe(const AdamOptions& options) {
  return optimizer(options,
                   {optional("first_moment", "[...]"), optional("second_moment", "[...]")});
}
OperationInfo describe(const AdamWOptions& options) {
  return optimizer(options,
                   {optional("first_moment", "[...]"), optional("second_moment", "[...]")});
}

Independence find_independence(const NormLayer& layer) {
  const auto within_a_row = [](const NormPartition& cells) {
    return cells.partition == Partition::row || cells.partition == Partition::row_group;
  };
  if (layer.cells.empty()) return Independence::element;
  if (std::ranges::all_of(layer.cells, within_a_row)) return Independence::row;
  const bool across_samples = std::ranges::find(layer.cells, Partition::channel,
                                                &NormPartition::partition) != layer.cells.end();
  return across_samples ? Independence::none : Independence::sample;
}

InfiniteElements describe_infinite_elements(const NormLayer& layer) {
  // A limited factor, as of BatchRenorm, is finite for infinite statistics.
  const bool is_limited = std::holds_alternative<BatchRenormOptions>(norm_options(layer.name));
  const bool makes_nan =
      layer.cells.empty() ? layer.parameters.empty() : layer.centred() && !is_limited;
  return makes_nan ? InfiniteElements::make_nan : InfiniteElements::unspecified;
}

OperationInfo describe(const NormLayer& layer) {
  OperationInfo info = {.name = std::string(layer.name),
                        .kind = OperationKind::layer,
                        .operands = {{"x", kShapeOfTokens},
                                     optional("grad_y", kShapeOfTokens),
                                     mask("valid", "[N] or [B,T]")},
                        .outputs = {{"y", kShapeOfTokens}, optional("grad_x", kShapeOfTokens)},
                        .independence = find_independence(layer),
                        .infinite_elements = describe_infinite_elements(layer)};
  for (const NormParameter& parameter : layer.parameters) {
    const std::string shape(to_string(parameter.shape));
    info.operands.push_back(optional(std::string(parameter.name), shape));
    info.outputs.push_back(optional(fmt::format("grad_{}", parameter.name), shape));
  }
  for (const NormStatistic& statistic : layer.statistics)
    info.outputs.push_back(
        {.name = std::string(statistic.name),
         .shape = std::string(to_string(statistic.shape)),
         .optional = statistic.of != StatisticAvailability::forward || !statistic.option.empty()});
  for (const NormState& state : layer.state)
    info.state.push_back(optional(std::string(state.name), std::string(to_string(state.shape))));
  return info;
}

template <class... Options>
void add_descriptions(const std::variant<Options...>*, OperationKind kind,
                      std::vector<OperationInfo>& rows) {
  const auto add = [&](OperationInfo info) {
    info.kind = kind;
    rows.push_back(std::move(info));
  };
  (add(describe(Options{})), ...);
}

template <class Variant>
void add_descriptions(OperationKind kind, std::vector<OperationInfo>& rows) {
  add_descriptions(static_cast<const Variant*>(nullptr), kind, rows);
}

std::vector<OperationInfo> describe_all_operations() {
  std::vector<OperationInfo> rows;
  for (const NormLayer& layer : norm_layers()) rows.push_back(describe(layer));
  add_descriptions<FunctionOptions>(OperationKind::function, rows);
  add_descriptions<EncoderOperation>(OperationKind::encoder, rows);
  add_descriptions<TransformerOperation>(OperationKind::transformer, rows);
  add_descriptions<OptimizerOptions>(OperationKind::optimizer, rows);
  return rows;
}

struct KindAndIndex {
  OperationKind kind;
  std::size_t index;
};

KindAndIndex find_kind_and_index(const Operation& operation) {
  struct Place {
    KindAndIndex operator()(const NormOptions& o) const {
      return {OperationKind::layer, o.index()};
    }
    KindAndIndex operator()(const FunctionOptions& o) const {
      return {OperationKind::function, o.index()};
    }
    KindAndIndex operator()(const EncoderOperation& o) const {
      return {OperationKind::encoder, o.index()};
    }
    KindAndIndex operator()(const TransformerOperation& o) const {
      return {OperationKind::transformer, o.index()};
    }
    KindAndIndex operator()(const OptimizerOperation& o) const {
      return {OperationKind::optimizer, o.optimizer.index()};
    }
  };
  return std::visit(Place{}, operation);
}

}  // namespace

bool OperandInfo::has_samples() const {
  return std::ranges::any_of(std::initializer_list<const char*>{"[N", "[B", "[..."},
                             [this](const char* axis) { return shape.starts_with(axis); });
}

const OperandInfo* OperationInfo::operand(std::string_view operand_name) const {
  const auto found = std::ranges::find(operands, operand_name, &OperandInfo::name);
  return found == operands.end() ? nullptr : &*found;
}

bool OperationInfo::is_computed_per_row() const {
  return independence == Independence::row || independence == Independence::element;
}

std::span<const OperationInfo> operations() {
  static const std::vector<OperationInfo> rows = describe_all_operations();
  return rows;
}

std::span<const OperationInfo> operations(OperationKind kind) {
  const auto rows = operations();
  const auto first = std::ranges::find(rows, kind, &OperationInfo::kind);
  const auto last = std::ranges::find_if(first, rows.end(),
                                         [kind](const OperationInfo& o) { return o.kind != kind; });
  return {first, last};
}

const OperationInfo& operation_info(const Operation& operation) {
  const auto [kind, index] = find_kind_and_index(operation);
  return operations(kind)[index];
}

const OperationInfo& operation_info(const FunctionOptions& function) {
  return operations(OperationKind::function)[function.index()];
}

const OperationInfo& operation_info(std::string_view name) {
  const std::optional<std::string> known = find_operation_name(name);
  if (!known)
    throw numeric::UsageError(numeric::unknown_name("operation", name, operation_names()));
  return *std::ranges::find(operations(), *known, &OperationInfo::name);
}

std::string_view to_string(OperationKind kind) {
  switch (kind) {
    case OperationKind::layer:
      return "layer";
    case OperationKind::function:
      return "function";
    case OperationKind::encoder:
      return "encoder";
    case OperationKind::transformer:
      return "transformer";
    case OperationKind::optimizer:
      return "optimizer";
  }
  numeric::contract_failure("to_string", "kind", "is no enumerator", "an OperationKind");
}

std::string_view to_string(Independence independence) {
  switch (independence) {
    case Independence::element:
      return "element";
    case Independence::row:
      return "row";
    case Independence::sample:
      return "sample";
    case Independence::none:
      return "none";
  }
  numeric::contract_failure("to_string", "independence", "is no enumerator", "an Independence");
}

std::string_view to_string(InfiniteElements elements) {
  switch (elements) {
    case InfiniteElements::unspecified:
      return "unspecified";
    case InfiniteElements::make_nan:
      return "make_nan";
    case InfiniteElements::minus_infinity_is_a_limit:
      return "minus_infinity_is_a_limit";
  }
  numeric::contract_failure("to_string", "elements", "is no enumerator", "an InfiniteElements");
}

std::string_view to_string(OperandType type) {
  switch (type) {
    case OperandType::real:
      return "real";
    case OperandType::boolean:
      return "boolean";
    case OperandType::integer:
      return "integer";
  }
  numeric::contract_failure("to_string", "type", "is no enumerator", "an OperandType");
}

std::string_view to_string(Combination combination) {
  switch (combination) {
    case Combination::times_gate:
      return "times_gate";
    case Combination::of_sum:
      return "of_sum";
  }
  numeric::contract_failure("to_string", "combination", "is no enumerator", "a Combination");
}

}  // namespace normproof::ref::model
