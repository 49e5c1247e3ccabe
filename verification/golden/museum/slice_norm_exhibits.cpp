#include <algorithm>
#include <cmath>

#include "verification/golden/museum/slice_kernel.hpp"

namespace normproof::verification::golden::museum {

namespace model = ref::model;
using plain::PlainShape;

namespace {

using Answer = std::vector<StoredTensor>;

std::size_t group_count(const Case& c) {
  const auto& options = std::get<model::NormOptions>(c.options);
  return static_cast<std::size_t>(std::get<model::GroupNormOptions>(options).groups);
}

/// GroupNorm with an injected error: the sums for grad_x run over one channel instead of the whole
/// group. The elements of a slice are ordered by token, then by channel of the group.
Kernel backward_sums_by_channel() {
  return [](const Case& c, const KernelEnvironment&) {
    const std::size_t width = KernelCase(c).shape().d_model / group_count(c);
    return run_slice_kernel(c, {.backward = [width](const SliceGradient& slice) {
                              Values grad(slice.g.size());
                              for (std::size_t channel = 0; channel < width; ++channel) {
                                SliceGradient own{.moments = slice.moments};
                                for (std::size_t k = channel; k < slice.g.size(); k += width) {
                                  own.g.push_back(slice.g[k]);
                                  own.x_hat.push_back(slice.x_hat[k]);
                                  own.counts.push_back(slice.counts[k]);
                                  own.n += slice.counts[k] ? 1 : 0;
                                }
                                const Values part = correct_backward(own, true);
                                for (std::size_t k = 0; k < part.size(); ++k)
                                  grad[channel + k * width] = part[k];
                              }
                              return grad;
                            }});
  };
}

/// Computes x_hat of GroupNorm, in which each channel is normalized with the moments of the group
/// `group(channel)`.
Values x_hat_with_group_moments(KernelCase& work,
                                const std::function<std::size_t(std::size_t channel)>& group) {
  const PlainShape shape = work.shape();
  const std::size_t groups = group_count(work.of());
  const Values &mean = work.out("mean"), &rstd = work.out("rstd"), &x = work.in("x");
  Values x_hat;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::size_t sample = i / (shape.tokens * shape.d_model);
    const std::size_t k = sample * groups + group(i % shape.d_model);
    x_hat.push_back((x[i] - mean[k]) * rstd[k]);
  }
  return x_hat;
}

Answer group_index_by_remainder(const Case& c, const KernelEnvironment&) {
  KernelCase work(c);
  Values& grad_gamma = work.out("grad_gamma");
  if (grad_gamma.empty()) return work.answer();
  const std::size_t groups = group_count(c);
  const Values x_hat =
      x_hat_with_group_moments(work, [&](std::size_t channel) { return channel % groups; });
  std::ranges::fill(grad_gamma, 0.0);
  for (std::size_t i = 0; i < x_hat.size(); ++i)
    grad_gamma[i % grad_gamma.size()] += work.in("grad_y")[i] * x_hat[i];
  return work.answer();
}

/// GroupNorm with an injected error: with more than 128 samples, a reduction over 64 lanes writes
/// the sum of two adjacent channels to both of them.
Answer channel_gradients_added_in_pairs(const Case& c, const KernelEnvironment&) {
  constexpr std::size_t kManySamples = 128;
  KernelCase work(c);
  if (work.shape().samples <= kManySamples) return work.answer();
  for (const char* name : {"grad_gamma", "grad_beta"}) {
    Values& values = work.out(name);
    for (std::size_t d = 0; d + 1 < values.size(); d += 2)
      values[d] = values[d + 1] = values[d] + values[d + 1];
  }
  return work.answer();
}

/// GroupNorm with an injected error: the position of sample b in memory is computed as b times the
/// length of a group instead of b times the length of a sample. This affects both x and the
/// moments.
Answer sample_offset_by_group_length(const Case& c, const KernelEnvironment&) {
  Case other = c;
  const PlainShape shape = KernelCase(c).shape();
  const std::size_t length = shape.tokens * shape.d_model, span = length / group_count(c);
  for (StoredTensor& tensor : other.inputs) {
    if (tensor.name != "x") continue;
    const Values right = ref::io::widen(tensor);
    Values values = right;
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = right[i / length * span + i % length];
    tensor = ref::io::make_tensor(tensor.name, tensor.dtype, tensor.shape, values);
  }
  return run_with_mutation(other, {});
}

/// GroupNorm with an injected error: the tokens are padded with rows of zeros to a multiple of 32,
/// and the moments include this padding.
Answer moments_over_padded_rows(const Case& c, const KernelEnvironment&) {
  constexpr std::size_t kTileRows = 32;
  const PlainShape shape = KernelCase(c).shape();
  const std::size_t width = shape.d_model / group_count(c);
  const std::size_t tokens = (shape.tokens + kTileRows - 1) / kTileRows * kTileRows;
  const double more = static_cast<double>((tokens - shape.tokens) * width);
  return run_slice_kernel(c, {.measure = [more](const Values& x, double eps) {
                            const double n = static_cast<double>(x.size()) + more;
                            const double mean = sum_of(x) / n;
                            const double squares = more * mean * mean + sum_of_squares(x, mean);
                            return Moments{mean, 1 / std::sqrt(squares / n + eps)};
                          }});
}

/// GroupNorm with an injected error: the number of elements is rounded to float16 before the
/// division.
Answer moments_with_float16_count(const Case& c, const KernelEnvironment&) {
  return run_slice_kernel(c, {.measure = [](const Values& x, double eps) {
                            const double n =
                                rounded(static_cast<double>(x.size()), StorageFormat::float16);
                            const double mean = sum_of(x) / n;
                            double squares = 0;
                            for (const double v : x) squares += v * v;
                            return Moments{mean, 1 / std::sqrt(squares / n - mean * mean + eps)};
                          }});
}

Answer biased_running_variance(const Case& c, const KernelEnvironment&) {
  Case other = c;
  std::get<model::BatchNormOptions>(std::get<model::NormOptions>(other.options))
      .unbiased_running_variance = false;
  return run_with_mutation(other, {});
}

/// Computes y in inference. `rstd` computes the factor that multiplies `x - running_mean` from the
/// running variance.
Answer run_inference_with_rstd(const Case& c, double (*rstd)(double variance)) {
  KernelCase work(c);
  if (c.mode != model::Mode::inference) return work.answer();
  const std::size_t width = work.shape().d_model;
  Values& y = work.out("y");
  for (std::size_t i = 0; i < y.size(); ++i) {
    const std::size_t d = i % width;
    const double x_hat =
        (work.in("x")[i] - work.in("running_mean")[d]) * rstd(work.in("running_variance")[d]);
    const Values &gamma = work.in("gamma"), &beta = work.in("beta");
    y[i] = (gamma.empty() ? 1 : gamma[d]) * x_hat + (beta.empty() ? 0 : beta[d]);
  }
  return work.answer();
}

Answer inference_with_variance_as_rstd(const Case& c, const KernelEnvironment&) {
  return run_inference_with_rstd(c, [](double variance) { return variance; });
}

Answer batch_statistics_in_inference(const Case& c, const KernelEnvironment&) {
  KernelCase work(c);
  if (c.mode != model::Mode::inference) return work.answer();
  Case training = c;
  training.mode = model::Mode::training;
  KernelCase other(training);
  for (const char* name : {"y", "grad_x", "grad_gamma", "grad_beta"})
    if (work.has_output(name)) work.out(name) = other.out(name);
  return work.answer();
}

}  // namespace

std::vector<Exhibit> slice_norm_exhibits() {
  return {
      {"sums_by_channel", "uxlfoundation/oneDNN#3543",
       "the sums of grad_x run over each channel, not over its group",
       "its own reference, which had the same formula", "group_norm", std::nullopt,
       backward_sums_by_channel()},
      {"group_by_remainder", "tenstorrent/tt-metal#56202",
       "grad_gamma takes the moments of group c mod G for channel c", kUnknownGap, "group_norm",
       std::nullopt, group_index_by_remainder},
      {"two_channels_of_a_wavefront", "pytorch/pytorch#178872",
       "a reduction over 64 lanes adds the gradients of two channels, above 128 samples",
       "large batches on processors with 64 lanes", "group_norm", std::nullopt,
       channel_gradients_added_in_pairs},
      {"samples_by_the_span_of_a_group", "tenstorrent/tt-metal#56955",
       "every sample but the first begins too early, by the length of a group for that of a sample",
       "more than one sample and group on a core", "group_norm", std::nullopt,
       sample_offset_by_group_length},
      {"padded_rows", "tenstorrent/tt-metal#51159",
       "rows of zeros that fill a tile of 32 count in mean and variance",
       "heights times widths that are no multiple of 32", "group_norm", std::nullopt,
       moments_over_padded_rows},
      {"count_in_float16", "pytorch/executorch#16727",
       "the number of elements of a group is cast to float16: 2049 becomes 2048, 65520 infinity",
       "groups of more than 2048 elements", "group_norm", DType::float16,
       moments_with_float16_count},
      {"biased_running_variance", "tenstorrent/tt-metal#55438",
       "the running variance moves to the biased variance of the batch",
       "the running variance after a step", "batch_norm", std::nullopt, biased_running_variance},
      {"variance_taken_for_its_root", "ROCm/rocm-libraries#2492",
       "inference takes one for the other: the variance and its reciprocal root",
       "its own reference, which took them so too", "batch_norm", std::nullopt,
       inference_with_variance_as_rstd},
      {"batch_statistics_in_inference", "ooples/AiDotNet.Tensors#27",
       "inference normalises by the statistics of the batch", "nothing: a review found it",
       "batch_norm", std::nullopt, batch_statistics_in_inference},
  };
}

}  // namespace normproof::verification::golden::museum
