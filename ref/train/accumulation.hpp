#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "ref/encoder/encoder.hpp"
#include "ref/model/train_config.hpp"
#include "ref/ops/arithmetic.hpp"
#include "ref/train/gradients.hpp"

/// Computes the mean gradient of the batches of a step, and lends parameters to a model meanwhile.
namespace normproof::ref::train {

using tensor::NamedTensors;
using tensor::Tensor;

/// Returns a + b; its rows are those of both, ascending.
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

/// Adds the gradients of a batch to those of earlier batches. Both must have the same parameters in
/// the same lists.
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

/// Returns an encoder's gradients by name.
template <class T>
Gradients<T> by_name(encoder::EncoderGradients<T> own) {
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

/// Makes the warm-up of PowerNorm count one iteration for this step, however many batches it has,
/// as the paper does. It applies to the norms whose names begin with `places`.
template <class T>
void count_as_one_step(const model::NormOptions& norm, NamedTensors<T>& norms,
                       const NamedTensors<T>& before, std::string_view places = "") {
  if (!std::holds_alternative<model::PowerNormOptions>(norm)) return;
  for (auto& [name, values] : norms)
    if (name.starts_with(places) && name.ends_with(".iterations"))
      values.data()[0] = before.at(name).data()[0] + T(1);
}

/// Lends the parameters in `named` to a model, in the form that `make` creates. The destructor
/// returns them to `named`, also after an exception. Nothing is copied.
template <class T, class Parameters>
class Borrowed {
 public:
  template <class Make>
  Borrowed(NamedTensors<T>& named, Make make)
      : named_(named), parameters_(make(std::move(named))) {}
  ~Borrowed() { named_ = to_named(std::move(parameters_)); }
  Borrowed(const Borrowed&) = delete;
  Borrowed& operator=(const Borrowed&) = delete;

  const Parameters& get() const { return parameters_; }

 private:
  NamedTensors<T>& named_;
  Parameters parameters_;
};

/// Lends the parameters of an encoder.
template <class T>
Borrowed<T, encoder::EncoderParameters<T>> borrow(const model::TrainConfig& config,
                                                  NamedTensors<T>& named) {
  return {named, [&](NamedTensors<T>&& own) {
            return encoder::from_named(config.encoder, std::move(own));
          }};
}

}  // namespace normproof::ref::train
