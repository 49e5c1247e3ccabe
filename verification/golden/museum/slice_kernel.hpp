#pragma once

#include <functional>
#include <vector>

#include "verification/golden/museum/kernel_case.hpp"

namespace normproof::verification::golden::museum {

struct Moments {
  double mean = 0, rstd = 0;
};

/// The inputs of the backward pass of one slice. A slice is the set of elements that share a mean
/// and an rstd.
struct SliceGradient {
  Values g = {};      ///< gamma times grad_y
  Values gamma = {};  ///< gamma of each element
  Values x_hat = {};
  /// Whether each element is included in the moments. Padding may be excluded.
  std::vector<bool> counts = {};
  double n = 0;  ///< number of elements that are included
  Moments moments = {};
};

/// A norm kernel that consists of replaceable parts. An exhibit replaces one part by a wrong one.
/// Every part that is not set is the correct one, computed in `double`.
struct SliceKernel {
  bool centred = true;
  /// Computes the moments of a slice from the elements that are included.
  std::function<Moments(const Values& x, double eps)> measure = {};
  std::function<double(double x, const Moments& moments)> normalize = {};
  std::function<double(double x_hat, double gamma)> scale = {};
  std::function<Values(const SliceGradient& slice)> backward = {};
  /// Sums the terms of one feature over all rows, for grad_gamma and grad_beta.
  std::function<double(const Values& terms)> reduce = {};
};

/// Returns the sum of squared distances from `mean`.
double sum_of_squares(const Values& x, double mean);
Moments compute_correct_moments(const Values& x, double eps, bool centred);
/// Returns grad_x of a slice: `rstd (g - mean(g) - x_hat mean(g x_hat))`. If `centred` is false,
/// the term `mean(g)` is omitted.
Values correct_backward(const SliceGradient& slice, bool centred);

/// Returns the slices of a case: lists of the elements that share their moments.
plain::Slices find_slices(const KernelCase& work);
/// Runs the kernel on a case and replaces y, the gradients and the moments by its results. It
/// changes nothing if the case is a sequence of steps or runs in inference.
void run_slices(KernelCase& work, const SliceKernel& kernel);
std::vector<StoredTensor> run_slice_kernel(const Case& c, const SliceKernel& kernel);

}  // namespace normproof::verification::golden::museum
