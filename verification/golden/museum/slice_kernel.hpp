#pragma once

#include <functional>
#include <vector>

#include "verification/golden/museum/work.hpp"

namespace normproof::verification::golden::museum {

struct Moments {
  double mean = 0, rstd = 0;
};

/// The inputs of a slice's backward: the elements that share its moments.
struct SliceGradient {
  Values g = {};      ///< gamma times grad_y
  Values gamma = {};  ///< gamma of each element
  Values x_hat = {};
  std::vector<bool> counts = {};  ///< whether each element counts in the moments; padding may not
  double n = 0;                   ///< the number of elements that count
  Moments moments = {};
};

/// A norm over slices, made of parts of which an exhibit replaces one by a wrong one. The correct
/// parts compute in `double`.
struct SliceKernel {
  bool centred = true;
  /// Computes the moments of the elements that count.
  std::function<Moments(const Values& x, double eps)> measure = {};
  std::function<double(double x, const Moments& moments)> normalize = {};
  std::function<double(double x_hat, double gamma)> scale = {};
  std::function<Values(const SliceGradient& slice)> backward = {};
  /// Sums over the rows: grad_gamma and grad_beta of a feature.
  std::function<double(const Values& terms)> reduce = {};
};

/// Returns the sum of squared distances from `mean`.
double sum_of_squares(const Values& x, double mean);
Moments right_moments(const Values& x, double eps, bool centred);
/// rstd (g - mean(g) - x_hat mean(g x_hat))
Values right_backward(const SliceGradient& slice, bool centred);

/// Returns the elements that share their moments in the case's operation.
plain::Slices find_slices(const Work& work);
/// Runs the kernel and replaces y, the gradients and the moments by its results. Sequences and
/// inference are left unchanged.
void run_slices(Work& work, const SliceKernel& kernel);
std::vector<StoredTensor> run_slice_kernel(const Case& c, const SliceKernel& kernel);

}  // namespace normproof::verification::golden::museum
