#pragma once

#include <type_traits>
#include <variant>

#include "verification/golden/corpus/case.hpp"

namespace normproof::verification::golden::corpus {

/// Whether the operation of the case is a norm layer (ref/norm).
inline bool is_layer(const Case& c) {
  return std::holds_alternative<ref::model::NormOptions>(c.options);
}
inline bool is_function(const Case& c) {
  return std::holds_alternative<ref::model::FunctionOptions>(c.options);
}
/// Whether the operation of the case is an encoder, an encoder layer or a decoder layer.
inline bool is_encoder(const Case& c) {
  return std::holds_alternative<ref::model::EncoderOperation>(c.options);
}
/// Whether the operation of the case is a translator, a language model or decoding.
inline bool is_transformer(const Case& c) {
  return std::holds_alternative<ref::model::TransformerOperation>(c.options);
}
inline bool is_optimizer(const Case& c) {
  return std::holds_alternative<ref::model::OptimizerOperation>(c.options);
}

template <class Options, class... Own>
bool has_options_type(const std::variant<Own...>& kind) {
  return std::visit([]<class Held>(const Held&) { return std::is_same_v<Held, Options>; }, kind);
}
template <class Options>
bool has_options_type(const ref::model::OptimizerOperation& operation) {
  return has_options_type<Options>(operation.optimizer);
}

/// Whether the operation of the case has options of this type, as in
/// `has_operation<LogSumExpOptions>(c)`.
template <class Options>
bool has_operation(const Case& c) {
  return std::visit([](const auto& kind) { return has_options_type<Options>(kind); }, c.options);
}

}  // namespace normproof::verification::golden::corpus
