#pragma once

#include <functional>
#include <vector>

#include "verification/golden/museum/work.hpp"

namespace normproof::verification::golden::museum {

struct Moments {
  double mean = 0, rstd = 0;
};

/// What the backward of a slice takes: the elements that share its moments.
struct SliceGradient {
  Values g = {};      ///< gamma times grad_y
  Values gamma = {};  ///< of each element
  Values x_hat = {};
  std::vector<bool> counts = {};  ///< whether it is in the moments: padding may not be
  double n = 0;                   ///< how many are
  Moments moments = {};
};

/// A norm by slices, in parts of which an exhibit has a wrong one. The right ones are in `double`.
struct SliceKernel {
  bool centred = true;
  /// Of the elements that count.
  std::function<Moments(const Values& x, double eps)> measure = {};
  std::function<double(double x, const Moments& moments)> normalise = {};
  std::function<double(double x_hat, double gamma)> scale = {};
  std::function<Values(const SliceGradient& slice)> backward = {};
  /// Over the rows: grad_gamma and grad_beta of a feature.
  std::function<double(const Values& terms)> reduce = {};
};

/// Of the distances from `mean`.
double sum_of_squares(const Values& x, double mean);
Moments right_moments(const Values& x, double eps, bool centred);
/// rstd (g - mean(g) - x_hat mean(g x_hat))
Values right_backward(const SliceGradient& slice, bool centred);

/// The elements that share their moments, as the operation has it.
plain::Slices slices_of(const Work& work);
/// Puts what the kernel makes of a norm into the place of y, the gradients and the moments; leaves
/// sequences and inference alone.
void run_slices(Work& work, const SliceKernel& kernel);
std::vector<StoredTensor> answer_slices(const Case& c, const SliceKernel& kernel);

}  // namespace normproof::verification::golden::museum
