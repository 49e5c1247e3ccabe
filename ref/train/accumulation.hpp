#pragma once

#include <algorithm>
#include <string>
#include <utility>

#include "ref/encoder/encoder.hpp"
#include "ref/model/train_config.hpp"
#include "ref/ops/arithmetic.hpp"
#include "ref/train/gradients.hpp"

/// The mean gradient of the batches of a step, and the parameters while it is computed.
namespace normproof::ref::train {

using tensor::NamedTensors;
using tensor::Tensor;

/// a + b: the rows of both, ascending.
template <class T>
nn::RowGradient<T> sum_of(const nn::RowGradient<T>& a, const nn::RowGradient<T>& b) {
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

/// The gradients of a batch, added to those before it.
template <class T>
void accumulate(Gradients<T>& sum, encoder::EncoderGradients<T> own) {
  const bool sparse = !own.embedding.rows.empty();
  NamedTensors<T> dense = encoder::to_named(std::move(own.parameters));
  if (sum.dense.empty()) {
    sum.dense = std::move(dense);
    if (sparse) sum.rows.emplace_back("embedding.weight", std::move(own.embedding));
    return;
  }
  for (const auto& [name, values] : dense) ops::add_in_place(sum.dense.at(name), values);
  if (sparse) sum.rows[0].second = sum_of(sum.rows[0].second, own.embedding);
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

/// The paper's warm-up of PowerNorm counts optimizer steps, however many batches they have.
template <class T>
void count_once(const model::NormOptions& norm, NamedTensors<T>& norms,
                const NamedTensors<T>& before) {
  if (!std::holds_alternative<model::PowerNormOptions>(norm)) return;
  for (auto& [name, values] : norms)
    if (name.ends_with(".iterations")) values.data()[0] = before.at(name).data()[0] + T(1);
}

/// The parameters as the encoder takes them, given back under their names at the end, whatever
/// happens in between: no copy.
template <class T>
class Borrowed {
 public:
  Borrowed(const model::TrainConfig& config, NamedTensors<T>& named)
      : named_(named), parameters_(encoder::from_named(config.encoder, std::move(named))) {}
  ~Borrowed() { named_ = encoder::to_named(std::move(parameters_)); }
  Borrowed(const Borrowed&) = delete;
  Borrowed& operator=(const Borrowed&) = delete;

  const encoder::EncoderParameters<T>& get() const { return parameters_; }

 private:
  NamedTensors<T>& named_;
  encoder::EncoderParameters<T> parameters_;
};

}  // namespace normproof::ref::train
