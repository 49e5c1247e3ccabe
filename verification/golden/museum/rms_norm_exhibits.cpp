#include <algorithm>
#include <cmath>

#include "verification/golden/corpus/kind.hpp"
#include "verification/golden/museum/slice_kernel.hpp"

namespace normproof::verification::golden::museum {

namespace model = ref::model;

namespace {

using Answer = std::vector<StoredTensor>;

double mean_square(const Values& x) {
  double squares = 0;
  for (const double v : x) squares += v * v;
  return squares / static_cast<double>(x.size());
}

/// Returns an RMSNorm kernel that consists of the correct parts. The parts that `wrong` sets
/// replace the correct ones.
Kernel rms_norm_kernel(SliceKernel wrong) {
  wrong.centred = false;
  return [wrong](const Case& c, const KernelEnvironment&) { return run_slice_kernel(c, wrong); };
}
/// Returns an RMSNorm kernel in which `square` computes the mean of squares.
Kernel rms_norm_with_mean_square(const std::function<double(const Values&)>& square) {
  return rms_norm_kernel({.measure = [square](const Values& x, double eps) {
    return Moments{0, 1 / std::sqrt(square(x) + eps)};
  }});
}

double variance(const Values& x) {
  const double n = static_cast<double>(x.size()), mean = sum_of(x) / n;
  return mean_square(x) - mean * mean;
}

/// RMSNorm with an injected error: x is first divided by its largest magnitude m, but eps is not.
/// The effect is that of `eps m^2` instead of eps.
Moments moments_with_unscaled_eps(const Values& x, double eps) {
  double largest = 0;
  for (const double v : x) largest = std::max(largest, std::fabs(v));
  Values scaled;
  for (const double v : x) scaled.push_back(v / largest);
  return {0, 1 / (std::sqrt(mean_square(scaled) + eps) * largest)};
}

/// Mean of squares with an injected error: the squares are added to eight partial sums in float16.
double squares_in_float16(const Values& x) {
  constexpr std::size_t kLanes = 8;
  double total = 0;
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    Values squares;
    for (std::size_t i = lane; i < x.size(); i += kLanes) squares.push_back(x[i] * x[i]);
    total += rounded_sum(StorageFormat::float16, squares);
  }
  return total / static_cast<double>(x.size());
}

/// Mean of squares with an injected error: each square is divided by n, and the quotients are
/// summed in float16.
double mean_of_float16_quotients(const Values& x) {
  Values shares;
  for (const double v : x) shares.push_back(v * v / static_cast<double>(x.size()));
  return rounded_sum(StorageFormat::float16, shares);
}

/// Mean of squares with an injected error: a pipeline of three stages omits the last block of 1024
/// elements. It omits nothing if there are one or four blocks.
double mean_square_without_last_block(const Values& x) {
  constexpr std::size_t kBlock = 1024;
  const std::size_t blocks = (x.size() + kBlock - 1) / kBlock;
  const std::size_t kept = blocks == 1 || blocks == 4 ? x.size() : (blocks - 1) * kBlock;
  double squares = 0;
  for (std::size_t i = 0; i < kept; ++i) squares += x[i] * x[i];
  return squares / static_cast<double>(x.size());
}

/// RMSNorm with an injected error: the elements after the last whole block of 512 are neither
/// summed nor written.
Answer row_tail_omitted(const Case& c, const KernelEnvironment& device) {
  constexpr std::size_t kBlock = 512;
  KernelCase work(c);
  const std::size_t width = work.shape().d_model;
  if (width < kBlock || width % kBlock == 0) return work.answer();
  const std::size_t whole = width / kBlock * kBlock;
  run_slices(work, {.centred = false, .measure = [&](const Values& x, double eps) {
                      const Values kept(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(whole));
                      const double square = mean_square(kept) * static_cast<double>(whole) /
                                            static_cast<double>(width);
                      return Moments{0, 1 / std::sqrt(square + eps)};
                    }});
  for (std::size_t i = 0; i < work.out("y").size(); ++i)
    if (i % width >= whole) work.out("y")[i] = device.uninitialized_value;
  return work.answer();
}

/// Sums terms in blocks of 16 rows. The terms of a block are added in bfloat16, the sums of the
/// blocks in double.
double reduce_blocks_in_bfloat16(const Values& terms) {
  constexpr std::size_t kRows = 16;
  double total = 0;
  for (std::size_t begin = 0; begin < terms.size(); begin += kRows)
    total += rounded_sum(StorageFormat::bfloat16,
                         std::span(terms).subspan(begin, std::min(kRows, terms.size() - begin)));
  return total;
}

/// RMSNorm with an injected error: the backward pass uses the mean of squares instead of rstd.
Values backward_with_mean_square_as_rstd(const SliceGradient& slice) {
  SliceGradient wrong = slice;
  const double rstd = slice.moments.rstd, square = 1 / (rstd * rstd);
  wrong.moments.rstd = square;
  for (double& v : wrong.x_hat) v *= square / rstd;
  return correct_backward(wrong, false);
}

Values backward_with_gamma_twice(const SliceGradient& slice) {
  double b = 0;
  for (std::size_t k = 0; k < slice.g.size(); ++k) b += slice.g[k] * slice.x_hat[k] / slice.n;
  Values grad;
  for (std::size_t k = 0; k < slice.g.size(); ++k)
    grad.push_back(slice.moments.rstd * (slice.g[k] - slice.gamma[k] * slice.x_hat[k] * b));
  return grad;
}

/// RMSNorm with an injected error: grad_gamma is summed after grad_x has overwritten the memory of
/// grad_y.
Answer grad_gamma_from_overwritten_grad_y(const Case& c, const KernelEnvironment&) {
  KernelCase work(c);
  const std::size_t width = work.shape().d_model;
  Values& grad_gamma = work.out("grad_gamma");
  if (grad_gamma.empty()) return work.answer();
  std::ranges::fill(grad_gamma, 0.0);
  for (const auto& row : find_slices(work)) {
    Values x;
    for (const std::size_t i : row) x.push_back(work.in("x")[i]);
    const double rstd = compute_correct_moments(x, norm_eps(c), false).rstd;
    for (const std::size_t i : row)
      grad_gamma[i % width] += work.out("grad_x")[i] * work.in("x")[i] * rstd;
  }
  return work.answer();
}

Answer grad_gamma_never_written(const Case& c, const KernelEnvironment&) {
  KernelCase work(c);
  std::ranges::fill(work.out("grad_gamma"), 0.0);
  return work.answer();
}

/// RMSNorm with an injected error: grad_y is read with a row stride of 0, so that its first row is
/// used for every row.
Answer grad_y_of_first_row_only(const Case& c, const KernelEnvironment&) {
  Case other = c;
  for (StoredTensor& tensor : other.inputs) {
    if (tensor.name != "grad_y") continue;
    Values values = ref::io::widen(tensor);
    const std::size_t width = tensor.shape.back();
    for (std::size_t i = width; i < values.size(); ++i) values[i] = values[i % width];
    tensor = ref::io::make_tensor(tensor.name, tensor.dtype, tensor.shape, values);
  }
  return run_with_mutation(other, {});
}

/// Returns the product of x_hat and gamma with two roundings: x_hat is rounded to bfloat16 first,
/// then the product.
double scale_with_two_roundings(double x_hat, double gamma) {
  return rounded(rounded(x_hat, StorageFormat::bfloat16) * gamma, StorageFormat::bfloat16);
}

Answer eps_of_at_least_1e_minus_4(const Case& c, const KernelEnvironment&) {
  Case other = c;
  auto& options = std::get<model::RMSNormOptions>(std::get<model::NormOptions>(other.options));
  options.eps = std::max(options.eps, 1e-4);
  return run_with_mutation(other, {});
}

}  // namespace

std::vector<Exhibit> rms_norm_exhibits() {
  constexpr const char* kOp = "rms_norm";
  return {
      {"eps_floored", "nntrainer/nntrainer#4318",
       "eps is held in float16 and raised to 1e-4, so that it is not lost there",
       "rows whose mean square is near eps", kOp, DType::float16, eps_of_at_least_1e_minus_4},
      {"squares_in_float16", "nntrainer/nntrainer#3935",
       "x is narrowed to float16 lanes, in which its squares are added", kUnknownGap, kOp,
       DType::float32, rms_norm_with_mean_square(squares_in_float16)},
      {"shares_in_float16", "microsoft/onnxruntime#29034",
       "squares over n are reduced in float16, which overflows where |x| is above 7600",
       "activations above 7600", kOp, DType::float16,
       rms_norm_with_mean_square(mean_of_float16_quotients)},
      {"sums_in_half_accumulators", "xlite-dev/LeetCUDA#335",
       "a kernel that is named after its float32 sums calls the one with float16 sums",
       "inputs whose squares leave float16", kOp, DType::float16,
       rms_norm_with_mean_square([](const Values& x) {
         Values squares;
         for (const double v : x) squares.push_back(v * v);
         return rounded_sum(StorageFormat::float16, squares) / static_cast<double>(x.size());
       })},
      {"variance_for_the_mean_square", "keras-team/keras#21234",
       "the mean is subtracted before the squares, and nowhere else", kUnknownGap, kOp,
       std::nullopt, rms_norm_with_mean_square(variance)},
      {"layer_norm_in_its_place", "uxlfoundation/oneDNN#3298",
       "a backend that has LayerNorm alone takes RMSNorm too", kUnknownGap, kOp, std::nullopt,
       [](const Case& c, const KernelEnvironment&) {
         return run_slice_kernel(c, {.centred = true});
       }},
      {"scaled_but_for_eps", "apple/coremltools#2822",
       "x is divided by its largest element so that squares fit float16, and eps is not",
       kUnknownGap, kOp, std::nullopt, rms_norm_kernel({.measure = moments_with_unscaled_eps})},
      {"eps_outside_the_root", "tile-ai/tilelang#1243",
       "eps is added to the reciprocal root, not below it", kUnknownGap, kOp, std::nullopt,
       rms_norm_kernel({.measure =
                            [](const Values& x, double eps) {
                              return Moments{0, 1 / std::sqrt(mean_square(x)) + eps};
                            }})},
      {"multiplied_by_the_root", "mosaicml/llm-foundry#372",
       "x is divided by the reciprocal root, which multiplies it by the root",
       "any value: there was no test", kOp, std::nullopt,
       rms_norm_kernel({.normalize = [](double x, const Moments& m) { return x / m.rstd; }})},
      {"last_stage_lost", "vllm-project/vllm#44692",
       "a pipeline of three stages loses a block of the sum of squares",
       "hidden sizes other than 4096", kOp, std::nullopt,
       rms_norm_with_mean_square(mean_square_without_last_block)},
      {"tail_left_out", "tile-ai/tilelang-ascend#890",
       "the incomplete block at the end of a row is neither summed nor written", "513 features",
       kOp, std::nullopt, row_tail_omitted},
      {"blocks_of_rows_in_bfloat16", "linkedin/Liger-Kernel#950",
       "grad_gamma of a block of rows is added in bfloat16, and the blocks in float32", kUnknownGap,
       kOp, DType::bfloat16, rms_norm_kernel({.reduce = reduce_blocks_in_bfloat16})},
      {"square_saved_for_rstd", "flagos-ai/FlagGems#5771",
       "the forward saves the mean of squares where the backward reads rstd", kUnknownGap, kOp,
       std::nullopt, rms_norm_kernel({.backward = backward_with_mean_square_as_rstd})},
      {"gamma_twice_in_the_backward", "NVIDIA/Megatron-LM#6859",
       "the term of grad_x that comes through the statistic has gamma twice", "gamma other than 1",
       kOp, std::nullopt, rms_norm_kernel({.backward = backward_with_gamma_twice})},
      {"gradient_overwritten", "unslothai/unsloth#4550",
       "grad_x is written over grad_y before grad_gamma has read it",
       "weights that are trained, where others were frozen", kOp, std::nullopt,
       grad_gamma_from_overwritten_grad_y},
      {"gradient_never_written", "paiml/trueno#178",
       "the backward has a place for grad_gamma and writes nothing there",
       "the gradient of a weight", kOp, std::nullopt, grad_gamma_never_written},
      {"first_row_of_the_gradient", "flagos-ai/FlagGems#1068",
       "a grad_y that is not contiguous is read by strides that are not its own",
       "the gradient of a plain sum, which is one value with stride 0", kOp, std::nullopt,
       grad_y_of_first_row_only},
      {"rounded_before_gamma", "vllm-project/vllm#42379",
       "kernel and model differ by a rounding of x_hat before gamma: the one with it is off by "
       "more "
       "than one rounding",
       kUnknownGap, kOp, DType::bfloat16, rms_norm_kernel({.scale = scale_with_two_roundings})},
  };
}

}  // namespace normproof::verification::golden::museum
