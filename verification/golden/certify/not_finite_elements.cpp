#include "verification/golden/certify/not_finite_elements.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "ref/model/attention_states.hpp"
#include "ref/model/operation_info.hpp"
#include "ref/numeric/any_order_error.hpp"
#include "verification/checks/evaluation/sequence.hpp"
#include "verification/golden/certify/not_finite.hpp"

namespace normproof::verification::golden::certify {

namespace {

/// Evaluates the case with replaced inputs and generic gradients.
ref::tensor::NamedTensors<double> evaluate_generic(const Evaluate& evaluate, const corpus::Case& c,
                                                   ref::model::OperationInputs inputs,
                                                   const Replacements& replacements) {
  replace_gradients_by_generic_numbers(inputs);
  replace_not_finite(inputs, c, replacements);
  return evaluate(c, inputs).value();
}

/// Connects the elements that a mask of softmax excludes with their row: their results are 0, and
/// NaN if an implementation adds -infinity to the row and a NaN is left in it.
void connect_excluded_elements(const ref::tensor::Mask& valid, std::size_t width,
                               ref::tensor::NamedTensors<double>& connections) {
  for (auto& [name, connection] : connections) {
    if (connection.size() != valid.size()) continue;
    for (std::size_t begin = 0; begin < connection.size(); begin += width) {
      const double largest =
          *std::max_element(connection.data() + begin, connection.data() + begin + width);
      for (std::size_t i = begin; i < begin + width; ++i)
        if (!valid.data()[i]) connection.data()[i] = largest;
    }
  }
}

/// Connects the gradients of empty splits with their query: they are 0, and NaN if an
/// implementation multiplies a weight of 0 by a NaN of the query.
void connect_empty_splits(const ref::tensor::Tensor<double>& logs,
                          ref::tensor::NamedTensors<double>& connections) {
  const ref::model::SplitStates states = ref::model::split_states(logs);
  if (!ref::tensor::is_given(states.present)) return;
  const std::size_t queries = logs.size() / logs.shape().front();
  for (auto& [name, connection] : connections) {
    if (connection.size() < logs.size() || connection.size() % logs.size() != 0) continue;
    const std::size_t width = connection.size() / logs.size();
    std::vector<bool> is_connected(queries, false);
    for (std::size_t i = 0; i < connection.size(); ++i)
      if (connection.data()[i] != 0) is_connected[i / width % queries] = true;
    for (std::size_t i = 0; i < connection.size(); ++i)
      if (!states.present.data()[i / width] && is_connected[i / width % queries])
        connection.data()[i] = 1;
  }
}

/// Returns a number for each element of each output: 0 if no operation computes the element from an
/// input that is not finite. A mask of attention is ignored: implementations may multiply a hidden
/// value by 0.
ref::tensor::NamedTensors<double> find_connections(corpus::Case c,
                                                   ref::model::OperationInputs inputs) {
  const ref::numeric::AnyOrderArithmetic scope(
      {.unit_roundoff = 0, .tiny = 0, .largest = std::numeric_limits<double>::infinity()});
  replace_not_finite(inputs, c, {.first = std::numeric_limits<double>::quiet_NaN(), .apart = 0});
  const ref::model::HiddenElements hidden = ref::model::operation_info(c.options).hidden_elements;
  if (hidden == ref::model::HiddenElements::times_zero) {
    for (const auto& [name, value] :
         {std::pair("causal", "false"), std::pair("window_left", "none"),
          std::pair("window_right", "none")})
      ref::model::set_option(c.options, name, value);
    inputs.function.valid = ref::tensor::Mask();
    if (inputs.function.tensors.contains("bias"))
      std::ranges::replace(inputs.function.tensors.at("bias"),
                           -std::numeric_limits<double>::infinity(), 0.0);
  }
  ref::tensor::NamedTensors<double> connections;
  for (const auto& [name, elements] :
       checks::evaluation::run_operation<ref::numeric::any_order_error>(c.options, inputs,
                                                                        c.sequence)) {
    auto errors = ref::tensor::empty_tensor<double>(ref::tensor::shape_of(elements));
    for (std::size_t i = 0; i < elements.size(); ++i) errors.data()[i] = elements.data()[i].error;
    connections.set(name, std::move(errors));
  }
  const ref::tensor::Mask& valid = inputs.function.valid;
  if (hidden == ref::model::HiddenElements::minus_infinity && ref::tensor::is_given(valid))
    connect_excluded_elements(valid, inputs.function.tensors.at("x").shape().back(), connections);
  const auto* const function = std::get_if<ref::model::FunctionOptions>(&c.options);
  if (function != nullptr &&
      std::holds_alternative<ref::model::MergeAttentionStatesOptions>(*function))
    connect_empty_splits(inputs.function.tensors.at(std::string(ref::model::kStateLogarithms)),
                         connections);
  return connections;
}

}  // namespace

NotFiniteElements::NotFiniteElements(const Evaluate& evaluate, const corpus::Case& c,
                                     const ref::model::OperationInputs& inputs)
    : case_(c), is_used_(has_not_finite(inputs)), is_of_user_(c.tier == corpus::Tier::user) {
  if (!is_used_) return;
  inputs_ = inputs;
  results_ = evaluate_generic(evaluate, c, inputs, kReplacements);
  others_ = evaluate_generic(evaluate, c, inputs, kOtherReplacements);
  if (!is_of_user_) return;
  connections_ = find_connections(c, inputs);
}

void NotFiniteElements::set(const std::string& name, std::vector<double>& values) const {
  if (!is_used_) return;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (is_minus_infinity(inputs_, case_, name, i))
      values[i] = -std::numeric_limits<double>::infinity();
    else if (is_nan(name, i))
      values[i] = std::numeric_limits<double>::quiet_NaN();
  }
}

bool NotFiniteElements::is_undetermined(const std::string& name, std::size_t i) const {
  if (!is_used_ || !is_of_user_) return false;
  if (may_be_dropped_at_limit(name, i)) return true;
  if (is_minus_infinity(inputs_, case_, name, i) || is_nan(name, i)) return false;
  return changes(name, i) || connections_.at(name).data()[i] != 0;
}

/// Whether the output reads x by a comparison alone.
bool NotFiniteElements::only_comparison_reads_x(const std::string& output) const {
  return output == "grad_x" && ref::model::operation_info(case_.options).gradient_compares_x;
}

/// Whether the element is a gradient that swiglu may drop because of its limit, and that depends on
/// a NaN: that of a NaN, which is compared with the limit, and that of an element at the limit or
/// beyond it, which may be multiplied by 0.
bool NotFiniteElements::may_be_dropped_at_limit(const std::string& name, std::size_t i) const {
  const auto* const function = std::get_if<ref::model::FunctionOptions>(&case_.options);
  const auto* const swiglu =
      function == nullptr ? nullptr : std::get_if<ref::model::SwigluOptions>(function);
  const bool is_limited = is_of_user_ && swiglu != nullptr && swiglu->limit.has_value();
  if (!is_limited || (name != "grad_x" && name != "grad_gate")) return false;
  const auto element = [&](const char* tensor) {
    return inputs_.function.tensors.at(tensor).data()[i];
  };
  const double own = name == "grad_x" ? element("x") : std::fabs(element("gate"));
  if (std::isnan(own)) return true;
  const bool depends_on_nan =
      std::isnan(element("x")) || std::isnan(element("gate")) || !std::isfinite(element("grad_y"));
  return own >= *swiglu->limit && depends_on_nan;
}

/// Whether the element changes with the numbers that replace the inputs.
bool NotFiniteElements::changes(const std::string& name, std::size_t i) const {
  return std::bit_cast<std::uint64_t>(results_.at(name).data()[i]) !=
         std::bit_cast<std::uint64_t>(others_.at(name).data()[i]);
}

bool NotFiniteElements::is_nan(const std::string& name, std::size_t i) const {
  if (!changes(name, i) || may_be_dropped_at_limit(name, i)) return false;
  // A mask leaves out a NaN that a product with 0 keeps.
  const bool is_product_with_0 =
      results_.at(name).data()[i] == 0 && others_.at(name).data()[i] == 0;
  if (is_of_user_ && only_comparison_reads_x(name))
    return !is_product_with_0 && std::isfinite(inputs_.function.tensors.at("x").data()[i]);
  return !is_of_user_ || connections_.at(name).data()[i] != 0;
}

}  // namespace normproof::verification::golden::certify
