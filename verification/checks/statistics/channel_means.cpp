#include "verification/checks/statistics/channel_means.hpp"

namespace normproof::verification::checks::statistics {

using ref::tensor::Mask;
using ref::tensor::Tensor;

namespace {

/// Returns the mean of term(value, channel) over the valid rows, for each channel.
template <class F>
Tensor<double> compute_means(const Tensor<double>& values, const Mask& valid, const F& term) {
  const std::size_t width = values.shape().back();
  Tensor<double> means = ref::tensor::full_tensor<double>({width}, 0);
  double count = 0;
  for (std::size_t row = 0; row < values.size() / width; ++row) {
    if (ref::tensor::is_given(valid) && !valid.data()[row]) continue;
    ++count;
    for (std::size_t c = 0; c < width; ++c)
      means.data()[c] += term(values.data()[row * width + c], c);
  }
  for (double& mean : means) mean /= count;
  return means;
}

}  // namespace

Tensor<double> channel_means(const Tensor<double>& values, const Mask& valid) {
  return compute_means(values, valid, [](double value, std::size_t) { return value; });
}

Tensor<double> channel_mean_squares(const Tensor<double>& values, const Mask& valid,
                                    const Tensor<double>& centre) {
  if (!ref::tensor::is_given(centre))
    return compute_means(values, valid, [](double value, std::size_t) { return value * value; });
  return compute_means(values, valid, [&](double value, std::size_t c) {
    const double off = value - centre.data()[c];
    return off * off;
  });
}

}  // namespace normproof::verification::checks::statistics
