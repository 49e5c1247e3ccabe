#include <algorithm>
#include <cfloat>
#include <cmath>
#include <limits>
#include <numbers>

#include "verification/golden/museum/kernel_case.hpp"

namespace normproof::verification::golden::museum {

namespace {

using Answer = std::vector<StoredTensor>;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Computes a row of y from a row of x. Masked elements of the row are -infinity.
using RowKernel = std::function<Values(const Values& row)>;

/// Runs `kernel` on each row to compute y, and computes grad_x from that y. With g, the gradient of
/// y, the formula is `grad_x = y (g - sum(g y))`.
Answer run_softmax(const Case& c, const RowKernel& kernel) {
  KernelCase work(c);
  const std::size_t width = work.shape().d_model;
  const Values &x = work.in("x"), &valid = work.in("valid"), &grad_y = work.in("grad_y");
  for (std::size_t begin = 0; begin < x.size(); begin += width) {
    Values row(width);
    for (std::size_t d = 0; d < width; ++d)
      row[d] = valid.empty() || valid[begin + d] != 0 ? x[begin + d] : -kInfinity;
    const Values y = kernel(row);
    double sum = 0;
    for (std::size_t d = 0; d < width; ++d) {
      work.out("y")[begin + d] = y[d];
      if (!grad_y.empty()) sum += grad_y[begin + d] * y[d];
    }
    for (std::size_t d = 0; d < width && work.has_output("grad_x"); ++d)
      work.out("grad_x")[begin + d] = row[d] == -kInfinity ? 0 : y[d] * (grad_y[begin + d] - sum);
  }
  return work.answer();
}
Kernel softmax_with_row_kernel(const RowKernel& kernel) {
  return [kernel](const Case& c, const KernelEnvironment&) { return run_softmax(c, kernel); };
}

double largest_value(const Values& row) {
  double largest = -kInfinity;
  for (const double v : row)
    if (!(v <= largest)) largest = v;
  return largest;
}

/// Returns `exp(v - largest)` for each element v, divided by the sum of these exponentials.
/// Returns zeros if every element is masked.
Values probabilities(const Values& row, double largest,
                     const std::function<double(const Values&)>& sum) {
  Values e;
  for (const double v : row) e.push_back(v == -kInfinity ? 0 : std::exp(v - largest));
  const double total = sum(e);
  for (double& v : e) v = total == 0 ? 0 : v / total;
  return e;
}
double plain_sum(const Values& terms) {
  return sum_of(terms);
}

Values softmax_with_bfloat16_sum(const Values& row) {
  return probabilities(row, largest_value(row), [](const Values& terms) {
    return rounded_sum(StorageFormat::bfloat16, terms);
  });
}

/// Softmax with an injected error: each thread processes four adjacent elements, and a thread whose
/// elements are all masked makes the sum NaN.
Values softmax_by_threads(const Values& row) {
  constexpr std::size_t kLanes = 4;
  bool broken = false;
  for (std::size_t begin = 0; begin < row.size(); begin += kLanes)
    broken =
        broken ||
        std::all_of(row.begin() + static_cast<std::ptrdiff_t>(begin),
                    row.begin() + static_cast<std::ptrdiff_t>(std::min(begin + kLanes, row.size())),
                    [](double v) { return v == -kInfinity; });
  if (broken) return Values(row.size(), std::numeric_limits<double>::quiet_NaN());
  return probabilities(row, largest_value(row), plain_sum);
}

/// Softmax with an injected error: the search for the maximum starts from -50000 instead of
/// -infinity.
Values softmax_with_finite_minus_infinity(const Values& row) {
  constexpr double kMaskSentinel = -5e4;
  return probabilities(row, std::max(kMaskSentinel, largest_value(row)), plain_sum);
}

/// Softmax with an injected error: masked elements become -FLT_MAX. In a row that is masked
/// completely, -FLT_MAX is then the maximum.
Values softmax_masked_with_flt_max(const Values& row) {
  Values finite = row;
  for (double& v : finite) v = std::max(v, -double{FLT_MAX});
  return probabilities(finite, largest_value(finite), plain_sum);
}

/// Softmax with an injected error: the search for the maximum skips NaN. A maximum of -infinity is
/// taken to mean that every element is masked.
Values softmax_ignoring_nan(const Values& row) {
  double largest = -kInfinity;
  for (const double v : row) largest = std::fmax(largest, v);
  if (largest == -kInfinity) return Values(row.size(), 0.0);
  return probabilities(row, largest, plain_sum);
}

/// Softmax with an injected error: the final gradient is multiplied by grad_y again.
Answer softmax_gradient_times_grad_y(const Case& c, const KernelEnvironment&) {
  KernelCase work(c);
  for (std::size_t i = 0; i < work.out("grad_x").size(); ++i)
    work.out("grad_x")[i] *= work.in("grad_y")[i];
  return work.answer();
}

Answer log_of_softmax(const Case& c, const KernelEnvironment&) {
  KernelCase work(c);
  const std::size_t width = work.shape().d_model;
  const Values& x = work.in("x");
  for (std::size_t begin = 0; begin < x.size(); begin += width) {
    const Values row(x.begin() + static_cast<std::ptrdiff_t>(begin),
                     x.begin() + static_cast<std::ptrdiff_t>(begin + width));
    const Values p = probabilities(row, largest_value(row), plain_sum);
    for (std::size_t d = 0; d < width; ++d)
      work.out("y")[begin + d] = std::log(static_cast<float>(p[d]));
  }
  return work.answer();
}

double argument(double x, double root = std::numbers::sqrt2 * std::numbers::inv_sqrtpi) {
  return root * (x + 0.044715 * x * x * x);
}

/// Computes `y = x (1 + t) / 2` and its derivative. Both use `t = tanh(argument(x))`, in which
/// `tanh` is the given function.
Answer run_gelu_tanh(const Case& c, const std::function<double(double z, std::size_t i)>& tanh) {
  KernelCase work(c);
  for (std::size_t i = 0; i < work.in("x").size(); ++i) {
    const double x = work.in("x")[i], t = tanh(argument(x), i);
    work.out("y")[i] = x * (1 + t) / 2;
    if (!work.has_output("grad_x")) continue;
    const double slope = argument(1) / 1.044715 * (1 + 3 * 0.044715 * x * x);
    work.out("grad_x")[i] = work.in("grad_y")[i] * ((1 + t) + x * (1 - t * t) * slope) / 2;
  }
  return work.answer();
}

/// Computes tanh(z) as `(e - 1) / (e + 1)` in float32, with `e = exp(2 z)`. The exponential may
/// overflow.
double tanh_of_one_exponential(double z, std::size_t) {
  const float e = std::exp(2 * static_cast<float>(z));
  return (e - 1) / (e + 1);
}
double tanh_of_two_exponentials(double z, std::size_t) {
  const float up = std::exp(static_cast<float>(z)), down = std::exp(-static_cast<float>(z));
  return (up - down) / (up + down);
}
Kernel gelu_with_tanh(const std::function<double(double, std::size_t)>& tanh) {
  return [tanh](const Case& c, const KernelEnvironment&) { return run_gelu_tanh(c, tanh); };
}

/// GELU with an injected error: elements are processed in vectors of four doubles, whose tanh is
/// computed from an exponential that may overflow. The elements that do not fill a vector use tanh
/// of the standard library.
Answer gelu_overflowing_in_full_vectors(const Case& c, const KernelEnvironment&) {
  constexpr std::size_t kLanes = 4;
  const std::size_t whole = KernelCase(c).in("x").size() / kLanes * kLanes;
  return run_gelu_tanh(c, [whole](double z, std::size_t i) {
    if (i >= whole) return std::tanh(z);
    const double e = std::exp(2 * z);
    return (e - 1) / (e + 1);
  });
}

/// GELU with an injected error: the value is read from a lookup table whose arguments and values
/// are float16.
Answer gelu_from_float16_table(const Case& c, const KernelEnvironment&) {
  KernelCase work(c);
  for (std::size_t i = 0; i < work.in("x").size(); ++i) {
    const double x = rounded(work.in("x")[i], StorageFormat::float16);
    if (std::fabs(x) >= 10) continue;
    work.out("y")[i] = rounded(x * (1 + std::tanh(argument(x))) / 2, StorageFormat::float16);
  }
  return work.answer();
}

/// GELU with an injected error: the constant sqrt(2/pi) is computed in float16.
Answer gelu_with_float16_root(const Case& c, const KernelEnvironment&) {
  const double ratio = rounded(2 / std::numbers::pi, StorageFormat::float16);
  const double root = rounded(std::sqrt(ratio), StorageFormat::float16);
  KernelCase work(c);
  for (std::size_t i = 0; i < work.in("x").size(); ++i) {
    const double x = work.in("x")[i];
    work.out("y")[i] = x * (1 + std::tanh(argument(x, root))) / 2;
  }
  return work.answer();
}

}  // namespace

std::vector<Exhibit> function_exhibits() {
  return {
      {"sum_in_bfloat16", "tenstorrent/tt-metal#52045",
       "the exponentials of a row are added in 16 bits, and probabilities do not add up to 1",
       kUnknownGap, "softmax", DType::bfloat16, softmax_with_row_kernel(softmax_with_bfloat16_sum)},
      {"thread_without_elements", "flashinfer-ai/flashinfer#1178",
       "a thread whose elements are all -infinity subtracts infinities, and the row is NaN",
       "runs of elements that take no part", "softmax", std::nullopt,
       softmax_with_row_kernel(softmax_by_threads)},
      {"finite_infinity", "flashinfer-ai/flashinfer#4267",
       "-50000 stands for -infinity: a row below it becomes zeros", "scores below -50000",
       "softmax", std::nullopt, softmax_with_row_kernel(softmax_with_finite_minus_infinity)},
      {"masked_by_a_number", "NVIDIA/TensorRT-LLM#17477",
       "in a row where nothing takes part every element has weight 1", "rows without elements",
       "softmax", std::nullopt, softmax_with_row_kernel(softmax_masked_with_flt_max)},
      {"blind_to_nan", "intel/torch-xpu-ops#5022",
       "the maximum drops NaN: a row of NaN and masked elements is taken for one without any",
       "NaN beside masked elements", "softmax", std::nullopt,
       softmax_with_row_kernel(softmax_ignoring_nan)},
      {"gradient_multiplied_again", "pocketpy/cTensor#31",
       "the backward multiplies a gradient that is complete by grad_y once more", kUnknownGap,
       "softmax", std::nullopt, softmax_gradient_times_grad_y},
      {"log_of_softmax", "tenstorrent/pytorch2.0_ttnn#1341",
       "log(softmax(x)) is -infinity where the probability vanishes",
       "logits far below the largest", "log_softmax", DType::float32, log_of_softmax},
      {"exponential_overflows_in_16_bits", "intel/llm-scaler#484",
       "tanh from exp(2 z): infinity over infinity for x above 11", "activations above 11",
       "gelu_tanh", DType::float16, gelu_with_tanh(tanh_of_one_exponential)},
      {"fast_tanh", "pytorch/pytorch#186278",
       "a fast tanh overflows, since its argument grows with the cube of x", "inputs above 10",
       "gelu_tanh", DType::bfloat16, gelu_with_tanh(tanh_of_one_exponential)},
      {"two_exponentials_overflow", "pytorch/executorch#22323",
       "sinh over cosh from exponentials is NaN for x below -13", "inputs below -13", "gelu_tanh",
       DType::float32, gelu_with_tanh(tanh_of_two_exponentials)},
      {"overflow_in_full_vectors", "ooples/AiDotNet.Tensors#594",
       "tanh in double by an exponential: NaN for x above 19, but not in the tail of the array",
       "inputs above 19 in whole vectors", "gelu_tanh", DType::float64,
       gelu_overflowing_in_full_vectors},
      {"table_of_float16", "ggml-org/llama.cpp#29252",
       "x is rounded to float16 and looked up in a table of float16", kUnknownGap, "gelu_tanh",
       DType::float32, gelu_from_float16_table},
      {"root_in_float16", "microsoft/onnxscript#2179", "sqrt(2/pi) is computed in float16",
       kUnknownGap, "gelu_tanh", DType::float16, gelu_with_float16_root},
  };
}

}  // namespace normproof::verification::golden::museum
