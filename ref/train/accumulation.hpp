#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "ref/encoder/encoder.hpp"
#include "ref/model/train_config.hpp"
#include "ref/ops/arithmetic.hpp"
#include "ref/train/gradients.hpp"

/// Functions that compute the mean gradient of the batches of one step. During this computation,
/// the parameters of the training state are lent to a model.
namespace normproof::ref::train {

using tensor::NamedTensors;
using tensor::Tensor;

/// Returns the sum of two row gradients, `a + b`. It has every row that `a` or `b` has, in
/// ascending order.
template <class T>
nn::RowGradient<T> add_row_gradients(const nn::RowGradient<T>& a, const nn::RowGradient<T>& b) {
  nn::RowGradient<T> sum;
  std::set_union(a.rows.begin(), a.rows.end(), b.rows.begin(), b.rows.end(),
                 std::back_inserter(sum.rows));
  const std::size_t width = a.values.shape(1);
  sum.values = tensor::full_tensor<T>({sum.rows.size(), width}, T(0));
  for (const auto* part : {&a, &b})
    for (std::size_t r = 0; r < part->rows.size(); ++r) {
      const auto to = static_cast<std::size_t>(std::ranges::lower_bound(sum.rows, part->rows[r]) -
                                               sum.rows.begin());
      for (std::size_t d = 0; d < width; ++d)
        sum.values.data()[to * width + d] += part->values.data()[r * width + d];
    }
  return sum;
}

/// Adds the gradients of one batch, `own`, to the sum of the gradients of earlier batches. The
/// batch and the sum must have the same parameters in the list `dense`, and the same parameters in
/// the list `rows`.
template <class T>
void accumulate(Gradients<T>& sum, Gradients<T> own) {
  if (sum.dense.empty()) {
    sum = std::move(own);
    return;
  }
  for (const auto& [name, values] : own.dense) ops::add_in_place(sum.dense.at(name), values);
  for (std::size_t k = 0; k < own.rows.size(); ++k)
    sum.rows[k].second = add_row_gradients(sum.rows[k].second, own.rows[k].second);
}

/// Returns the gradients of an encoder with the names of its parameters.
template <class T>
Gradients<T> to_named_gradients(encoder::EncoderGradients<T> own) {
  Gradients<T> gradients;
  if (!own.embedding.rows.empty())
    gradients.rows.emplace_back("embedding.weight", std::move(own.embedding));
  gradients.dense = encoder::to_named(std::move(own.parameters));
  return gradients;
}

template <class T>
void divide(Gradients<T>& gradients, std::size_t count) {
  const T n(static_cast<double>(count));
  const auto each = [&](Tensor<T>& values) {
    for (T& v : values) v /= n;
  };
  for (auto& [name, values] : gradients.dense) each(values);
  for (auto& [name, rows] : gradients.rows) each(rows.values);
}

/// Makes PowerNorm's counter of iterations increase by one for this step, as in the paper, however
/// many batches the step has. `norms` is the state of the norms after the step, `before` the state
/// before it. Only norms whose names begin with `places` are changed.
template <class T>
void set_iterations_to_one_step(const model::NormOptions& norm, NamedTensors<T>& norms,
                                const NamedTensors<T>& before, std::string_view places = "") {
  if (!std::holds_alternative<model::PowerNormOptions>(norm)) return;
  for (auto& [name, values] : norms)
    if (name.starts_with(places) && name.ends_with(".iterations"))
      values.data()[0] = before.at(name).data()[0] + T(1);
}

/// Moves the tensors out of `named` and into the parameter struct of a model, which `make` creates.
/// The destructor moves them back to `named`, also after an exception. Nothing is copied.
template <class T, class Parameters>
class BorrowedParameters {
 public:
  template <class Make>
  BorrowedParameters(NamedTensors<T>& named, Make make)
      : named_(named), parameters_(make(std::move(named))) {}
  ~BorrowedParameters() { named_ = to_named(std::move(parameters_)); }
  BorrowedParameters(const BorrowedParameters&) = delete;
  BorrowedParameters& operator=(const BorrowedParameters&) = delete;

  const Parameters& get() const { return parameters_; }

 private:
  NamedTensors<T>& named_;
  Parameters parameters_;
};

/// Lends the parameters in `named` to a model, as the parameter struct of an encoder. The
/// parameters are moved into the returned object. Its destructor moves them back to `named`.
template <class T>
BorrowedParameters<T, encoder::EncoderParameters<T>> borrow_parameters(
    const model::TrainConfig& config, NamedTensors<T>& named) {
  return {named, [&](NamedTensors<T>&& own) {
            return encoder::from_named(config.encoder, std::move(own));
          }};
}

}  // namespace normproof::ref::train
