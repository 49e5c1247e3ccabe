#include "ref/norm/gated_rms_norm.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "ref/norm/layer_support.hpp"
#include "ref/numeric/parallel.hpp"
#include "ref/ops/activation.hpp"
#include "ref/ops/reduce.hpp"

namespace normproof::ref::norm {
namespace {

using model::GateActivation;
using model::GatePosition;

/// Returns a tensor of this shape whose element i is formula(i).
template <class T, class Formula>
Tensor<T> elementwise(const Shape& shape, Formula formula) {
  constexpr std::size_t kGrain = 16384;  // elements per range; does not affect the bits
  Tensor<T> out = tensor::empty_tensor<T>(shape);
  T* const to = out.data();
  numeric::parallel_for(out.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) to[i] = formula(i);
  });
  return out;
}

/// The activation and the normalized groups of one call, which its forward and its backward use.
template <class T>
class GatedGroups {
 public:
  GatedGroups(std::string_view function, const GatedRMSNormInputs<T>& in,
              const model::GatedRMSNormOptions& options)
      : function_(function),
        in_(in),
        options_(options),
        width_(check_operands(function, in)),
        parameters_(function, in.affine, width_),
        group_(width_ / check_groups(function, options.groups, width_)) {
    check_eps(function, options.eps);
    activation_ = options.gate_activation == GateActivation::silu ? ops::silu(in.gate)
                                                                  : ops::sigmoid(in.gate);
    normalize();
  }

  Tensor<T> forward() const {
    const T* const a = activation_.data();
    return elementwise<T>(shape_of(in_.x), [&](std::size_t i) {
      const T y = scaled(i);
      return is_before() ? y : T(y * a[i]);
    });
  }

  GatedRMSNormGradients<T> backward(const Tensor<T>& grad_y) const {
    const Shape shape = shape_of(in_.x);
    const T *const a = activation_.data(), *const dy = grad_y.data(), *const x = in_.x.data();
    const Tensor<T> t = elementwise<T>(
        {rows(), width_}, [&](std::size_t i) { return is_before() ? dy[i] : T(dy[i] * a[i]); });
    GatedRMSNormGradients<T> gradients;
    gradients.beta = ops::sum_columns(t);
    gradients.gamma = ops::sum_columns(elementwise<T>(
        {rows(), width_}, [&](std::size_t i) { return t.data()[i] * hat_.data()[i]; }));
    const Tensor<T> grad_v = norm_gradient(t);
    const T* const dv = grad_v.data();
    gradients.x =
        elementwise<T>(shape, [&](std::size_t i) { return is_before() ? T(dv[i] * a[i]) : dv[i]; });
    const Tensor<T> grad_a = elementwise<T>(
        shape, [&](std::size_t i) { return is_before() ? T(dv[i] * x[i]) : T(dy[i] * scaled(i)); });
    check_statistic(function_, "the gradient of the activation", grad_a, "grad_y", grad_y,
                    Clause::C7, Clause::C7);
    gradients.gate = options_.gate_activation == GateActivation::silu
                         ? ops::silu_backward(grad_a, in_.gate)
                         : ops::sigmoid_backward(grad_a, in_.gate);
    check_statistic(function_, "grad_gamma", gradients.gamma, "grad_y", grad_y, Clause::C7,
                    Clause::C7);
    check_statistic(function_, "grad_beta", gradients.beta, "grad_y", grad_y, Clause::C7,
                    Clause::C7);
    return gradients;
  }

 private:
  static std::size_t check_operands(std::string_view function, const GatedRMSNormInputs<T>& in) {
    const Shape shape = shape_of(in.x);
    if (shape.empty() || std::ranges::find(shape, std::size_t{0}) != shape.end())
      numeric::contract_failure(function, "x", "has shape " + tensor::to_string(shape),
                                "[..., D] with every extent at least 1", Clause::C1);
    tensor::check_shape(function, "gate", shape_of(in.gate), shape, Clause::C1);
    tensor::check_finite(function, "x", in.x, Clause::C4);
    tensor::check_finite(function, "gate", in.gate, Clause::C4);
    return shape.back();
  }

  bool is_before() const { return options_.gate_position == GatePosition::before; }
  std::size_t rows() const { return in_.x.size() / width_; }
  Shape grouped_shape() const { return {in_.x.size() / group_, group_}; }
  T group_size() const { return T(static_cast<double>(group_)); }

  /// Computes v_hat, and 1 / sqrt(m + eps) of each group.
  void normalize() {
    const T *const x = in_.x.data(), *const a = activation_.data();
    const Tensor<T> v = elementwise<T>(
        grouped_shape(), [&](std::size_t i) { return is_before() ? T(x[i] * a[i]) : x[i]; });
    Tensor<T> square = ops::dot_rows(v, v);
    for (T& sum : square) sum = sum / group_size();
    rstd_ = reciprocal_root(square, options_.eps);
    check_reciprocal(function_, "rstd", rstd_, is_before() ? "x a(gate)" : "x", v);
    hat_ = elementwise<T>(grouped_shape(),
                          [&](std::size_t i) { return v.data()[i] * rstd_.data()[i / group_]; });
  }

  /// Returns gamma v_hat + beta at element i.
  T scaled(std::size_t i) const {
    const std::size_t d = i % width_;
    return parameters_.gamma()[d] * hat_.data()[i] + parameters_.beta()[d];
  }

  /// Returns the gradient of the input v of the norm, where t is the gradient of its output.
  Tensor<T> norm_gradient(const Tensor<T>& t) const {
    const Tensor<T> g = elementwise<T>(grouped_shape(), [&](std::size_t i) {
      return parameters_.gamma()[i % width_] * t.data()[i];
    });
    Tensor<T> c = ops::dot_rows(g, hat_);
    for (T& sum : c) sum = sum / group_size();
    return elementwise<T>(grouped_shape(), [&](std::size_t i) {
      const std::size_t group = i / group_;
      return (g.data()[i] - hat_.data()[i] * c.data()[group]) * rstd_.data()[group];
    });
  }

  std::string_view function_;
  const GatedRMSNormInputs<T>& in_;
  const model::GatedRMSNormOptions& options_;
  std::size_t width_;
  Parameters<T> parameters_;
  std::size_t group_;     ///< features of a group
  Tensor<T> activation_;  ///< a(gate)
  Tensor<T> hat_;         ///< v_hat [rows groups, group]
  Tensor<T> rstd_;        ///< 1 / sqrt(m + eps) [rows groups]
};

}  // namespace

template <numeric::Real T>
Tensor<T> gated_rms_norm(const GatedRMSNormInputs<T>& in,
                         const model::GatedRMSNormOptions& options) {
  Tensor<T> y = GatedGroups<T>("gated_rms_norm", in, options).forward();
  check_statistic("gated_rms_norm", "y", y, "x", in.x);
  return y;
}

template <numeric::Real T>
GatedRMSNormGradients<T> gated_rms_norm_backward(const Tensor<T>& grad_y,
                                                 const GatedRMSNormInputs<T>& in,
                                                 const model::GatedRMSNormOptions& options) {
  constexpr auto kName = "gated_rms_norm_backward";
  const GatedGroups<T> groups(kName, in, options);
  tensor::check_shape(kName, "grad_y", shape_of(grad_y), shape_of(in.x), Clause::C5);
  tensor::check_finite(kName, "grad_y", grad_y, Clause::C7);
  return groups.backward(grad_y);
}

#define NORMPROOF_INSTANTIATE(T)                                        \
  template Tensor<T> gated_rms_norm(const GatedRMSNormInputs<T>&,       \
                                    const model::GatedRMSNormOptions&); \
  template GatedRMSNormGradients<T> gated_rms_norm_backward(            \
      const Tensor<T>&, const GatedRMSNormInputs<T>&, const model::GatedRMSNormOptions&);
NORMPROOF_FOR_EACH_REAL(NORMPROOF_INSTANTIATE)
#undef NORMPROOF_INSTANTIATE

}  // namespace normproof::ref::norm
