#include "ref/model/attention_states.hpp"

#include <algorithm>
#include <limits>

#include "ref/numeric/errors.hpp"
#include "ref/tensor/contract.hpp"

namespace normproof::ref::model {

using numeric::Clause;
using tensor::Mask;
using tensor::Shape;

Shape AttentionStates::y_shape() const {
  Shape shape = queries;
  shape.push_back(value_features);
  return shape;
}

AttentionStates attention_states(std::string_view function, const Shape& o,
                                 const Shape& log_sum_exp, const Shape& present) {
  if (o.size() != 5 || std::ranges::find(o, std::size_t{0}) != o.end())
    numeric::contract_failure(function, "o", "has shape " + tensor::to_string(o),
                              "[P,B,H,T,E] with every extent at least 1", Clause::C1);
  const Shape states(o.begin(), o.end() - 1);
  tensor::check_shape(function, "log_sum_exp", log_sum_exp, states, Clause::C2);
  if (!present.empty()) tensor::check_shape(function, "present", present, states, Clause::C3);
  return {.splits = o[0],
          .queries = {o[1], o[2], o[3]},
          .rows = o[1] * o[2] * o[3],
          .value_features = o[4]};
}

SplitStates split_states(const tensor::Tensor<double>& log_sum_exp) {
  constexpr double kEmpty = -std::numeric_limits<double>::infinity();
  SplitStates result{log_sum_exp, {}};
  if (std::ranges::find(log_sum_exp, kEmpty) == log_sum_exp.end()) return result;
  result.present = tensor::full_tensor<bool>(tensor::shape_of(log_sum_exp), true);
  for (std::size_t i = 0; i < log_sum_exp.size(); ++i) {
    if (log_sum_exp.data()[i] != kEmpty) continue;
    result.present.data()[i] = false;
    result.finite.data()[i] = 0;
  }
  return result;
}

Mask states_by_row(const AttentionStates& states, const Mask& present) {
  if (!tensor::is_given(present)) return {};
  Mask by_row = tensor::empty_tensor<bool>({states.rows, states.splits});
  for (std::size_t row = 0; row < states.rows; ++row)
    for (std::size_t p = 0; p < states.splits; ++p)
      by_row.data()[row * states.splits + p] = present.data()[states.state(p, row)];
  return by_row;
}

Mask queries_without_state(const AttentionStates& states, const Mask& present) {
  if (!tensor::is_given(present)) return {};
  Mask without = tensor::full_tensor<bool>(states.queries, true);
  for (std::size_t i = 0; i < present.size(); ++i)
    if (present.data()[i]) without.data()[i % states.rows] = false;
  return without;
}

}  // namespace normproof::ref::model
