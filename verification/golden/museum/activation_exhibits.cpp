#include <cmath>

#include "verification/golden/museum/kernel_case.hpp"

namespace normproof::verification::golden::museum {

namespace {

/// Returns y for an element x, or `right`, the right value, where the bug does not matter.
using WrongActivation = double (*)(float x, double right);

/// Replaces y by that of a wrong activation. The gradient is right.
Kernel with_wrong_y(WrongActivation wrong) {
  return [wrong](const Case& c, const KernelEnvironment&) {
    KernelCase work(c);
    const Values& x = work.in("x");
    for (std::size_t i = 0; i < x.size(); ++i) {
      double& y = work.out("y")[i];
      y = wrong(static_cast<float>(x[i]), y);
    }
    return work.answer();
  };
}

/// The tail of log_sigmoid is taken to be `-exp(c - x)` with the wrong sign of the exponent.
double log_sigmoid_that_diverges(float x, double right) {
  return x > 60 ? -std::exp(x - 83) : right;
}
double log_sigmoid_without_residual(float x, double right) {
  return x <= -4 ? double{x} : right;
}
double softplus_without_tail(float x, double right) {
  return x < -5 ? 0 : right;
}
double sigmoid_of_zero_tail(float x, double right) {
  return x < -8 ? 0 : right;
}
double sigmoid_of_one_exponential(float x, double) {
  const float e = std::exp(x);
  return e / (1 + e);
}
double tanh_of_one_overflowing_exponential(float x, double) {
  const float e = std::exp(2 * x);
  return (e - 1) / (e + 1);
}

}  // namespace

std::vector<Exhibit> activation_exhibits() {
  return {
      {"log_sigmoid_diverges", "tenstorrent/tt-metal#55457",
       "beyond the largest argument of an approximation, the result grows instead of vanishing",
       "large positive inputs", "log_sigmoid", DType::bfloat16,
       with_wrong_y(log_sigmoid_that_diverges)},
      {"log_sigmoid_is_x", "tenstorrent/tt-metal#53787",
       "at -4 and below, the result is x, without log(1 + exp(x))", "tests in 16 bits alone",
       "log_sigmoid", DType::float32, with_wrong_y(log_sigmoid_without_residual)},
      {"softplus_without_tail", "tenstorrent/tt-metal#51866",
       "the logarithm is dropped for large magnitudes of both signs: 0 below -5", kUnknownGap,
       "softplus", DType::bfloat16, with_wrong_y(softplus_without_tail)},
      {"sigmoid_without_tail", "tenstorrent/tt-metal#26211",
       "moderately large negative inputs give 0", "inputs below -8", "sigmoid", DType::bfloat16,
       with_wrong_y(sigmoid_of_zero_tail)},
      {"sigmoid_overflows", "clab/dynet#1525",
       "exp(x)/(1 + exp(x)) is infinity over infinity above 88", "inputs above 88", "sigmoid",
       DType::float32, with_wrong_y(sigmoid_of_one_exponential)},
      {"tanh_overflows", "sonos/tract#2846",
       "tanh from exp(2 x) is infinity over infinity above 44", "inputs above 44", "tanh",
       DType::float32, with_wrong_y(tanh_of_one_overflowing_exponential)},
  };
}

}  // namespace normproof::verification::golden::museum
