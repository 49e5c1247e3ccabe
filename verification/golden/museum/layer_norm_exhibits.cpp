#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "verification/golden/museum/slice_kernel.hpp"

namespace normproof::verification::golden::museum {

using plain::Slices;

namespace {

using Answer = std::vector<StoredTensor>;

constexpr std::size_t kTile = 32;

/// LayerNorm with an injected error: the row is padded with zeros to a power of two, and the
/// variance includes the squared distances of these zeros from the mean.
Answer variance_over_padded_lanes(const Case& c, const KernelEnvironment&) {
  return run_slice_kernel(c, {.measure = [](const Values& x, double eps) {
                            const double n = static_cast<double>(x.size());
                            const double lanes = static_cast<double>(std::bit_ceil(x.size()));
                            const double mean = sum_of(x) / n;
                            const double squares =
                                (lanes - n) * mean * mean + sum_of_squares(x, mean);
                            return Moments{mean, 1 / std::sqrt(squares / n + eps)};
                          }});
}

/// LayerNorm with an injected error: the mean is computed over a whole tile at the end of the row.
/// The tile includes memory behind the row.
Answer mean_over_uncleared_tile(const Case& c, const KernelEnvironment& device) {
  return run_slice_kernel(c, {.measure = [uninitialized_value = device.uninitialized_value](
                                             const Values& x, double eps) {
                            const std::size_t behind = (kTile - x.size() % kTile) % kTile;
                            Values tile = x;
                            tile.insert(tile.end(), behind, uninitialized_value);
                            const double n = static_cast<double>(x.size()), mean = sum_of(tile) / n;
                            return Moments{mean, 1 / std::sqrt(sum_of_squares(x, mean) / n + eps)};
                          }});
}

/// LayerNorm with an injected error: x_hat is computed as `x rstd - mean rstd` by a fused
/// multiply-add, instead of `(x - mean) rstd`.
Answer normalize_by_folded_shift(const Case& c, const KernelEnvironment&) {
  return run_slice_kernel(c, {.normalize = [](double x, const Moments& m) {
                            const float mean = static_cast<float>(m.mean),
                                        rstd = static_cast<float>(m.rstd);
                            return double{std::fma(static_cast<float>(x), rstd, -(mean * rstd))};
                          }});
}

/// Computes the variance in one pass as E[x^2] - E[x]^2 in float32, in the variants of several
/// published kernels.
struct OnePassVariance {
  std::size_t lanes = 1;     ///< number of partial sums, which are added at the end
  bool divide_each = false;  ///< whether each term is divided by n before it is added
  bool clamp = false;        ///< whether a negative variance is replaced by 0

  Moments operator()(const Values& x, double eps) const {
    const float n = static_cast<float>(x.size()), share = divide_each ? n : 1;
    std::vector<float> sums(lanes), squares(lanes);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const float v = static_cast<float>(x[i]);
      sums[i % lanes] += v / share;
      squares[i % lanes] += v * v / share;
    }
    float sum = 0, square = 0;
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      sum += sums[lane];
      square += squares[lane];
    }
    const float mean = sum / (n / share);
    float variance = square / (n / share) - mean * mean;
    if (clamp) variance = std::max(variance, 0.0f);
    return {mean, 1 / std::sqrt(variance + static_cast<float>(eps))};
  }
};
Kernel one_pass_kernel(const OnePassVariance& how) {
  return [how](const Case& c, const KernelEnvironment&) {
    return run_slice_kernel(c, {.measure = how});
  };
}

/// LayerNorm with an injected error: mean and variance are accumulated in float16, the dtype of x.
Answer moments_in_float16(const Case& c, const KernelEnvironment&) {
  return run_slice_kernel(c, {.measure = [](const Values& x, double eps) {
                            const double n = static_cast<double>(x.size());
                            const double mean = rounded_sum(StorageFormat::float16, x) / n;
                            Values squares;
                            for (const double v : x) squares.push_back((v - mean) * (v - mean));
                            const double variance =
                                rounded_sum(StorageFormat::float16, squares) / n;
                            return Moments{mean, 1 / std::sqrt(variance + eps)};
                          }});
}

Answer mean_subtracted_twice(const Case& c, const KernelEnvironment&) {
  return run_slice_kernel(c, {.backward = [](const SliceGradient& slice) {
                            Values grad = correct_backward(slice, true);
                            const double mean = sum_of(slice.g) / slice.n;
                            for (double& g : grad) g -= slice.moments.rstd * mean;
                            return grad;
                          }});
}

/// LayerNorm with an injected error: the backward pass sums `g x_hat` over the last tile only, with
/// `g = gamma grad_y`.
Answer backward_of_last_tile_only(const Case& c, const KernelEnvironment&) {
  return run_slice_kernel(
      c, {.backward = [](const SliceGradient& slice) {
        const std::size_t size = slice.g.size(), last = (size - 1) / kTile * kTile;
        const double a = sum_of(slice.g) / slice.n;
        double b = 0;
        for (std::size_t k = last; k < size; ++k) b += slice.g[k] * slice.x_hat[k] / slice.n;
        Values grad;
        for (std::size_t k = 0; k < size; ++k)
          grad.push_back(slice.moments.rstd * (slice.g[k] - a - slice.x_hat[k] * b));
        return grad;
      }});
}

/// The values `g = gamma grad_y` and x_hat for all elements, used by wrong backward passes that mix
/// rows.
struct NormalizedRows {
  explicit NormalizedRows(KernelCase& work)
      : width(work.shape().d_model), slices(find_slices(work)) {
    const Values &x = work.in("x"), &gamma = work.in("gamma"), &grad_y = work.in("grad_y");
    x_hat.resize(x.size());
    g.resize(x.size());
    for (const auto& slice : slices) {
      Values row;
      for (const std::size_t i : slice) row.push_back(x[i]);
      moments.push_back(compute_correct_moments(row, norm_eps(work.of()), true));
      for (const std::size_t i : slice) {
        x_hat[i] = (x[i] - moments.back().mean) * moments.back().rstd;
        g[i] = grad_y.empty() ? 0 : (gamma.empty() ? 1 : gamma[i % width]) * grad_y[i];
      }
    }
  }

  std::size_t width;
  Slices slices;
  std::vector<Moments> moments;
  Values x_hat, g;
};

/// LayerNorm with an injected error: the sums of the backward pass run over a block of two rows
/// instead of one row.
Answer backward_sums_over_two_rows(const Case& c, const KernelEnvironment&) {
  KernelCase work(c);
  const NormalizedRows rows(work);
  const double n = static_cast<double>(rows.width);
  for (std::size_t i = 0; i < work.out("grad_x").size(); ++i) {
    const std::size_t row = i / rows.width, first = row / 2 * 2;
    double a = 0, b = 0;
    for (std::size_t k = first * rows.width; k < std::min((first + 2) * rows.width, rows.g.size());
         ++k) {
      a += rows.g[k] / n;
      b += rows.g[k] * rows.x_hat[k] / n;
    }
    work.out("grad_x")[i] = rows.moments[row].rstd * (rows.g[i] - a - rows.x_hat[i] * b);
  }
  return work.answer();
}

/// LayerNorm with an injected error: the backward pass treats x of shape [B,T,D] as B rows of `T D`
/// elements.
Answer backward_of_rank_2(const Case& c, const KernelEnvironment& device) {
  KernelCase work(c);
  const plain::PlainShape shape = work.shape();
  const Values &x = work.in("x"), &gamma = work.in("gamma"), &grad_y = work.in("grad_y");
  if (grad_y.empty() || shape.tokens == 1) return work.answer();
  const std::vector<Moments> moments = NormalizedRows(work).moments;
  const std::size_t wide = shape.tokens * shape.d_model;
  Values grad_gamma(shape.d_model), grad_beta(shape.d_model);
  for (std::size_t b = 0; b < shape.samples; ++b) {
    SliceGradient row{.n = static_cast<double>(wide), .moments = moments[b]};
    for (std::size_t k = 0; k < wide; ++k) {
      const std::size_t i = b * wide + k;
      const double weight = gamma.empty()      ? 1
                            : k < gamma.size() ? gamma[k]
                                               : device.uninitialized_value;
      row.g.push_back(weight * grad_y[i]);
      row.x_hat.push_back((x[i] - moments[b].mean) * moments[b].rstd);
      row.counts.push_back(true);
      if (k >= shape.d_model) continue;
      grad_gamma[k] += grad_y[i] * row.x_hat.back();
      grad_beta[k] += grad_y[i];
    }
    std::ranges::copy(correct_backward(row, true),
                      work.out("grad_x").begin() + static_cast<std::ptrdiff_t>(b * wide));
  }
  if (work.has_output("grad_gamma")) work.out("grad_gamma") = grad_gamma;
  if (work.has_output("grad_beta")) work.out("grad_beta") = grad_beta;
  return work.answer();
}

Answer gradients_in_bfloat16(const Case& c, const KernelEnvironment&) {
  return run_slice_kernel(c, {.reduce = [](const Values& terms) {
                            return rounded_sum(StorageFormat::bfloat16, terms);
                          }});
}

/// LayerNorm with an injected error: grad_gamma is computed with a mean and an rstd that were
/// rounded to bfloat16, the dtype of x.
Answer rounded_moments(const Case& c, const KernelEnvironment&) {
  KernelCase work(c);
  const NormalizedRows rows(work);
  const auto to_bfloat16 = [](double v) { return rounded(v, StorageFormat::bfloat16); };
  Values& grad_gamma = work.out("grad_gamma");
  std::ranges::fill(grad_gamma, 0.0);
  for (std::size_t i = 0; i < work.in("grad_y").size() && !grad_gamma.empty(); ++i) {
    const Moments& m = rows.moments[i / rows.width];
    grad_gamma[i % rows.width] +=
        work.in("grad_y")[i] * (work.in("x")[i] - to_bfloat16(m.mean)) * to_bfloat16(m.rstd);
  }
  return work.answer();
}

/// LayerNorm with an injected error: with few features and many rows, grad_gamma and grad_beta omit
/// the rows of the last, incomplete block. In the published kernel the buffer of partial sums was
/// one block too short.
Answer last_block_of_rows_dropped(const Case& c, const KernelEnvironment&) {
  constexpr std::size_t kBlock = 8, kNarrow = 64, kTall = 1024;
  return run_slice_kernel(
      c, {.reduce = [narrow = KernelCase(c).shape().d_model < kNarrow](const Values& terms) {
        const std::size_t rows = terms.size();
        const bool blocks = narrow && rows >= kTall;
        return sum_of(std::span(terms).first(blocks ? rows / kBlock * kBlock : rows));
      }});
}

/// LayerNorm with an injected error: the kernel assumes warps of 64 lanes, but they have 32. In
/// each block of 64 elements of grad_gamma and grad_beta, the upper 32 are not written.
Answer half_of_parameter_gradients_unwritten(const Case& c, const KernelEnvironment& device) {
  KernelCase work(c);
  for (const char* name : {"grad_gamma", "grad_beta"}) {
    Values& values = work.out(name);
    for (std::size_t d = 0; d < values.size(); ++d)
      if (d % 64 >= 32) values[d] = device.uninitialized_value;
  }
  return work.answer();
}

Answer gradients_unwritten(const Case& c, const KernelEnvironment& device) {
  KernelCase work(c);
  for (const char* name : {"grad_gamma", "grad_beta"})
    std::ranges::fill(work.out(name), device.uninitialized_value);
  return work.answer();
}

/// LayerNorm with an injected error: two adjacent 16-bit elements of gamma are read as one float32.
Answer gamma_misread_as_float32(const Case& c, const KernelEnvironment& device) {
  KernelCase work(c);
  const Values& gamma = work.in("gamma");
  if (gamma.empty()) return work.answer();
  const auto bits = [&](std::size_t d) {
    const double v = d < gamma.size() ? gamma[d] : device.uninitialized_value;
    return std::bit_cast<std::uint32_t>(static_cast<float>(v)) >> 16;
  };
  const NormalizedRows rows(work);
  Values& y = work.out("y");
  for (std::size_t i = 0; i < y.size(); ++i) {
    const std::size_t d = i % rows.width;
    const auto misread = std::bit_cast<float>(bits(2 * d) | bits(2 * d + 1) << 16);
    y[i] = misread * rows.x_hat[i] + (work.in("beta").empty() ? 0 : work.in("beta")[d]);
  }
  return work.answer();
}

}  // namespace

std::vector<Exhibit> layer_norm_exhibits() {
  constexpr const char* kOp = "layer_norm";
  return {
      {"padded_lanes_in_the_variance", "linkedin/Liger-Kernel#519",
       "zeros that fill a row to a power of two count in the variance, each with mean squared",
       "rows whose length is no power of two", kOp, std::nullopt, variance_over_padded_lanes},
      {"unclean_tile", "tenstorrent/tt-metal#42549",
       "the mean sums the whole last tile, with what stands behind the row",
       "padding that is not zero", kOp, std::nullopt, mean_over_uncleared_tile},
      {"shift_by_product", "pytorch/pytorch#188372",
       "x rstd - mean rstd for (x - mean) rstd: a gradient of gamma where 0 is right",
       "one feature far from 0", kOp, DType::float32, normalize_by_folded_shift},
      {"one_pass_in_order", "microsoft/onnxruntime#28463",
       "E[x^2] - E[x]^2 in float32 falls below 0 far from the origin, and its root is NaN",
       "rows far from 0 beside their spread", kOp, DType::float32, one_pass_kernel({})},
      {"one_pass_in_lanes", "microsoft/onnxruntime#21935",
       "partial sums of x and x^2, whose difference is noise where a row is constant",
       "a row of equal values", kOp, DType::float32, one_pass_kernel({.lanes = 8})},
      {"one_pass_by_shares", "apache/tvm#19592",
       "means of x and x^2 from terms divided by n: NaN for one row of large values",
       "a row of large values", kOp, DType::float32, one_pass_kernel({.divide_each = true})},
      {"one_pass_clamped", "tracel-ai/burn#5607",
       "a variance in one pass, 0 where it falls below: no NaN, and no right digit either",
       "rows of a small spread around 10000", kOp, DType::float32,
       one_pass_kernel({.clamp = true})},
      {"one_pass_of_a_warp", "ml-explore/mlx#2238",
       "a warp adds x and x^2, and takes the root of their difference", "rows near 1449.5", kOp,
       DType::float32, one_pass_kernel({.lanes = 32})},
      {"moments_in_float16", "pytorch/executorch#16727",
       "mean and variance are added up in float16, the dtype of x",
       "rows of a large variance in 16 bits", kOp, DType::float16, moments_in_float16},
      {"mean_subtracted_twice", "tenstorrent/tt-metal#53215",
       "a register still holds mean(g) when the next product adds to it: it is subtracted twice",
       "an error above 0.15, for the tolerance was 0.5", kOp, std::nullopt, mean_subtracted_twice},
      {"last_tile_alone", "tenstorrent/tt-metal#53204",
       "of the sum of g x_hat only the last tile survives",
       "an error that is small beside its tolerance of 0.5", kOp, std::nullopt,
       backward_of_last_tile_only},
      {"sums_over_the_block", "flagos-ai/FlagGems#59",
       "the two sums of grad_x run over all rows of a block", "blocks of more than one row", kOp,
       std::nullopt, backward_sums_over_two_rows},
      {"backward_of_rank_2", "flagos-ai/FlagGems#5392",
       "the backward takes the first axis for all rows, and the rest for one row", "an x of rank 3",
       kOp, std::nullopt, backward_of_rank_2},
      {"gradients_in_bfloat16", "karpathy/llm.c#476",
       "grad_gamma and grad_beta are added up in bfloat16", "nothing: its own check had failed",
       kOp, DType::bfloat16, gradients_in_bfloat16},
      {"rounded_moments", "pytorch/pytorch#140259",
       "mean and rstd are truncated to the dtype of x before grad_gamma is summed", kUnknownGap,
       kOp, DType::bfloat16, rounded_moments},
      {"last_block_of_rows_dropped", "BobMcDear/attorch#18",
       "grad_gamma and grad_beta lose the rows of the last, incomplete block",
       "1024 rows or more whose number the block does not divide", kOp, std::nullopt,
       last_block_of_rows_dropped},
      {"upper_half_unwritten", "pytorch/pytorch#183861",
       "warps are taken for 64 lanes wide, and half of the features get no gradient",
       "processors with warps of 32", kOp, std::nullopt, half_of_parameter_gradients_unwritten},
      {"gradients_unwritten", "pytorch/pytorch#183825",
       "grad_gamma and grad_beta are memory that nobody wrote",
       "parameters that learn behind an input that does not", kOp, std::nullopt,
       gradients_unwritten},
      {"gamma_taken_for_float32", "openxla/xla#10875",
       "gamma in bfloat16 goes to a library that reads float32", kUnknownGap, kOp, DType::bfloat16,
       gamma_misread_as_float32},
  };
}

}  // namespace normproof::verification::golden::museum
