#include "ref/norm/group_norm.hpp"

#include "ref/model/norm_layers.hpp"
#include "ref/norm/kernels.hpp"
#include "ref/norm/layer_support.hpp"
#include "ref/numeric/fp_environment.hpp"

namespace normproof::ref::norm {
namespace {

/// The positions of the elements of one sample and one group of features, in ascending order of
/// tokens, then features.
struct GroupElements {
  std::size_t offset;  // index of the group's first feature in the sample's first token
  std::size_t width;   // number of features in the group
  std::size_t d_model;
  std::vector<std::size_t> tokens;  // indices of the selected tokens, ascending

  std::size_t count() const { return tokens.size() * width; }
  std::size_t operator()(std::size_t i) const {
    return offset + tokens[i / width] * d_model + i % width;
  }
};

struct GroupPartition {
  std::string_view function;
  const Mask& valid;
  Extents extents;
  std::size_t groups;

  bool is_valid(std::size_t sample, std::size_t token) const {
    return !tensor::is_given(valid) || valid.data()[sample * extents.seq_len + token];
  }

  /// Returns the elements of one sample and one group. If valid_only is true, it omits the elements
  /// of padded tokens.
  GroupElements group_elements(std::size_t sample, std::size_t group, bool valid_only) const {
    const std::size_t width = extents.d_model / groups;
    GroupElements result{
        sample * extents.seq_len * extents.d_model + group * width, width, extents.d_model, {}};
    for (std::size_t token = 0; token < extents.seq_len; ++token)
      if (!valid_only || is_valid(sample, token)) result.tokens.push_back(token);
    if (result.tokens.empty()) {
      numeric::contract_failure(function, "valid",
                                "has no valid token in sample " + std::to_string(sample),
                                "at least one valid token in each sample", Clause::C8);
    }
    return result;
  }
};

template <class T>
T divide_by_count(const T& sum, std::size_t count) {
  return sum / T(static_cast<double>(count));
}

}  // namespace

template <numeric::Real T>
GroupNormForward<T> group_norm(const Tensor<T>& x, const Affine<T>& affine, const Mask& valid,
                               const model::GroupNormOptions& options) {
  constexpr auto kName = "group_norm";
  const Extents e = tensor::check_activations(kName, "x", shape_of(x));
  check_eps(kName, options.eps);
  model::check_row_layout(options);
  tensor::check_mask(kName, valid, shape_of(x), Clause::C8);
  const std::size_t groups = check_groups(kName, options.groups, e.d_model);
  const Parameters<T> parameters(kName, affine, e.d_model);
  tensor::check_finite(kName, "x", x, Clause::C4);
  numeric::check_fp_mode();

  GroupNormForward<T> result;
  result.y = tensor::empty_tensor<T>(shape_of(x));
  result.saved.mean = tensor::empty_tensor<T>({e.batch_size, groups});
  result.saved.rstd = tensor::empty_tensor<T>({e.batch_size, groups});
  const GroupPartition partition{kName, valid, e, groups};
  const T* p = x.data();
  for (std::size_t sample = 0; sample < e.batch_size; ++sample) {
    for (std::size_t group = 0; group < groups; ++group) {
      const GroupElements counted = partition.group_elements(sample, group, true);
      const T mean = divide_by_count(
          ops::lane_sum<T>(counted.count(), [&](std::size_t i) { return p[counted(i)]; }),
          counted.count());
      T variance = divide_by_count(ops::lane_sum<T>(counted.count(),
                                                    [&](std::size_t i) {
                                                      const T d = p[counted(i)] - mean;
                                                      return T(d * d);
                                                    }),
                                   counted.count());
      numeric::tighten_variance(variance, mean, counted.count(),
                                [&](std::size_t i) { return p[counted(i)]; });
      const T rstd = T(1) / numeric::square_root(T(variance + T(options.eps)));
      result.saved.mean.data()[sample * groups + group] = mean;
      result.saved.rstd.data()[sample * groups + group] = rstd;
      const GroupElements all = partition.group_elements(sample, group, false);
      for (std::size_t i = 0; i < all.count(); ++i) {
        const std::size_t at = all(i);
        const std::size_t channel = at % e.d_model;
        result.y.data()[at] =
            parameters.gamma()[channel] * ((p[at] - mean) * rstd) + parameters.beta()[channel];
      }
    }
  }
  check_statistic(kName, "mean", result.saved.mean, "x", x);
  check_reciprocal(kName, "rstd", result.saved.rstd, "x", x);
  return result;
}

template <numeric::Real T>
AffineGradients<T> group_norm_backward(const Tensor<T>& grad_y, const Tensor<T>& x,
                                       const Affine<T>& affine, const Mask& valid,
                                       const GroupNormSaved<T>& saved,
                                       const model::GroupNormOptions& options) {
  constexpr auto kName = "group_norm_backward";
  const Extents e = tensor::check_activations(kName, "x", shape_of(x));
  tensor::check_mask(kName, valid, shape_of(x), Clause::C8);
  const std::size_t groups = check_groups(kName, options.groups, e.d_model);
  model::check_row_layout(options);
  check_backward(kName, grad_y, x, "mean", saved.mean, {e.batch_size, groups});
  check_backward(kName, grad_y, x, "rstd", saved.rstd, {e.batch_size, groups});
  numeric::check_fp_mode();
  const Parameters<T> parameters(kName, affine, e.d_model);

  AffineGradients<T> result{tensor::empty_tensor<T>(shape_of(x)),
                            tensor::empty_tensor<T>({e.d_model}),
                            tensor::empty_tensor<T>({e.d_model})};
  const std::size_t width = e.d_model / groups;
  const auto x_hat = [&](std::size_t at) {
    const std::size_t sample = at / (e.seq_len * e.d_model);
    const std::size_t statistic = sample * groups + at % e.d_model / width;
    return T((x.data()[at] - saved.mean.data()[statistic]) * saved.rstd.data()[statistic]);
  };
  const auto g = [&](std::size_t at) {
    return T(parameters.gamma()[at % e.d_model] * grad_y.data()[at]);
  };
  const GroupPartition partition{kName, valid, e, groups};
  for (std::size_t sample = 0; sample < e.batch_size; ++sample) {
    for (std::size_t group = 0; group < groups; ++group) {
      const std::size_t m = partition.group_elements(sample, group, true).count();
      const GroupElements all = partition.group_elements(sample, group, false);
      const T& rstd = saved.rstd.data()[sample * groups + group];
      const T a = divide_by_count(
          ops::lane_sum<T>(all.count(), [&](std::size_t i) { return g(all(i)); }), m);
      const T c = divide_by_count(
          ops::lane_sum<T>(all.count(),
                           [&](std::size_t i) { return T(g(all(i)) * x_hat(all(i))); }),
          m);
      for (std::size_t i = 0; i < all.count(); ++i) {
        const std::size_t at = all(i);
        const bool counts = partition.is_valid(sample, i / width);
        result.grad_x.data()[at] =
            counts ? T((g(at) - (a + x_hat(at) * c)) * rstd) : T(g(at) * rstd);
      }
    }
  }
  ops::Scratch<T> sums(2 * e.d_model);
  const auto add_row = [&](T* sum, std::size_t row) {
    for (std::size_t i = 0; i < e.d_model; ++i) {
      const std::size_t at = row * e.d_model + i;
      sum[i] += grad_y.data()[at] * x_hat(at);
      sum[e.d_model + i] += grad_y.data()[at];
    }
  };
  ops::column_sum<T>(e.rows(), 2 * e.d_model, sums.get(),
                     [&](T* sum, auto... row) { (add_row(sum, row), ...); });
  for (std::size_t i = 0; i < e.d_model; ++i) {
    result.grad_gamma.data()[i] = sums[i];
    result.grad_beta.data()[i] = sums[e.d_model + i];
  }
  check_gradients(kName, result, grad_y);
  return result;
}

#define NORMPROOF_INSTANTIATE(T)                                                                   \
  template GroupNormForward<T> group_norm(const Tensor<T>&, const Affine<T>&, const Mask&,         \
                                          const model::GroupNormOptions&);                         \
  template AffineGradients<T> group_norm_backward(                                                 \
      const Tensor<T>&, const Tensor<T>&, const Affine<T>&, const Mask&, const GroupNormSaved<T>&, \
      const model::GroupNormOptions&);
NORMPROOF_FOR_EACH_REAL(NORMPROOF_INSTANTIATE)
#undef NORMPROOF_INSTANTIATE

}  // namespace normproof::ref::norm
