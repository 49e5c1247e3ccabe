#include "verification/golden/tolerance/add_norm_allowances.hpp"

#include <algorithm>
#include <cmath>

#include "ref/norm/add_norm.hpp"
#include "verification/golden/corpus/kind.hpp"
#include "verification/golden/tolerance/units.hpp"

namespace normproof::verification::golden::tolerance {

using corpus::accumulation_arithmetic;
using corpus::storage_format;
using ref::numeric::any_order_error;
using ref::tensor::NamedTensors;
using ref::tensor::Tensor;

namespace {

namespace model = ref::model;
namespace norm = ref::norm;
using Numbers = Tensor<any_order_error>;
using Affine = norm::Affine<any_order_error>;

bool has_zero_centered_gamma(const Case& c) {
  return std::visit(
      [](const auto& options) {
        if constexpr (requires { options.zero_centred_gamma; }) return options.zero_centred_gamma;
        return false;
      },
      std::get<model::FunctionOptions>(c.options));
}

/// The LayerNorm that is applied to the sum of x and residual.
struct LayerNormOfSum {
  model::LayerNormOptions options;
  auto forward(const Numbers& sum, const Affine& affine) const {
    return norm::layer_norm(sum, affine, options);
  }
  template <class Saved>
  auto backward(const Numbers& grad_y, const Numbers& sum, const Affine& affine,
                const Saved& saved) const {
    return norm::layer_norm_backward(grad_y, sum, affine, saved);
  }
};
struct RMSNormOfSum {
  model::RMSNormOptions options;
  auto forward(const Numbers& sum, const Affine& affine) const {
    return norm::rms_norm(sum, affine, options);
  }
  template <class Saved>
  auto backward(const Numbers& grad_y, const Numbers& sum, const Affine& affine,
                const Saved& saved) const {
    return norm::rms_norm_backward(grad_y, sum, affine, saved);
  }
};

class StoredSumAllowances {
 public:
  StoredSumAllowances(const Case& c, const checks::evaluation::FunctionInputs& inputs,
                      Accumulation accumulation, NamedTensors<double>& bound,
                      OtherSums* sums_of_block)
      : dtype_(c.dtype),
        inputs_(inputs),
        u_(accumulation_arithmetic(accumulation).unit_roundoff),
        bound_(bound),
        sums_of_block_(sums_of_block),
        affine_{norm::effective_gamma(given("gamma"), has_zero_centered_gamma(c)), given("beta")},
        grad_y_(given("grad_y")),
        sum_(given("x")) {
    const Numbers residual = given("residual");
    for (std::size_t i = 0; i < sum_.size(); ++i) sum_.data()[i] += residual.data()[i];
  }

  template <class Layer>
  void allow(const Layer& layer) {
    const Numbers stored = rounded_sum();
    const auto whole = layer.forward(sum_, affine_);
    const auto rounded = layer.forward(stored, affine_);
    widen("y", whole.y, rounded.y);
    if (!ref::tensor::is_given(grad_y_)) return;
    const auto exact = layer.backward(grad_y_, sum_, affine_, whole.saved);
    widen(exact, layer.backward(grad_y_, stored, affine_, rounded.saved));
    widen(exact, layer.backward(grad_y_, stored, affine_, whole.saved));
    if (inputs_.tensors.contains("grad_sum")) allow_stored_term("grad_x", exact.grad_x);
  }

  /// Allows an implementation to round gamma x_hat before it adds beta. The error is bounded with
  /// `|gamma x_hat| <= |y| + |beta|`.
  void allow_beta_after_storing(const model::RMSNormOptions& options) {
    const Tensor<double>* const beta = inputs_.tensors.find("beta");
    if (beta == nullptr) return;
    const auto y = norm::rms_norm(sum_, affine_, options).y;
    Numbers largest = y;
    for (std::size_t i = 0; i < largest.size(); ++i)
      largest.data()[i] = std::fabs(y.data()[i].value) + std::fabs(beta->data()[i % beta->size()]);
    allow_stored_term("y", largest);
  }

 private:
  Numbers given(const char* name) const {
    const Tensor<double>* const tensor = inputs_.tensors.find(name);
    return tensor == nullptr ? Numbers() : ref::tensor::convert<any_order_error>(*tensor);
  }

  /// Rounds the sum to the dtype of the case. The sum may be so close to a midpoint of two numbers
  /// that the rounding error of the sum itself can change the result. In this case the error of the
  /// element is one unit in the last place. Otherwise it is 0.
  Numbers rounded_sum() const {
    Numbers stored = sum_;
    const auto round = [this](double v) {
      return ref::numeric::round_to(storage_format(dtype_), v);
    };
    for (any_order_error& element : stored) {
      const double s = element.value, least = round(s - kUlpError * u_ * std::fabs(s)),
                   most = round(s + kUlpError * u_ * std::fabs(s));
      element = any_order_error(round(s), most - least);
    }
    return stored;
  }

  /// Widens the bound of the output `name`, so that it also covers another way to compute this
  /// output. `exact` contains the exact values, and `other` contains the values of the other
  /// computation.
  void widen(const char* name, const Numbers& exact, const Numbers& other) {
    Tensor<double>& bound = bound_.at(name);
    for (std::size_t i = 0; i < bound.size(); ++i)
      bound.data()[i] = bound_of_both(bound.data()[i], exact.data()[i], other.data()[i]);
  }
  /// Widens the bound of a sum over rows, or stores the other sum if there are more rows.
  void widen_sum(const char* name, const Numbers& exact, const Numbers& other) {
    if (sums_of_block_ == nullptr)
      widen(name, exact, other);
    else
      sums_of_block_->back().set(name, other);
  }
  void widen(const norm::AffineGradients<any_order_error>& exact,
             const norm::AffineGradients<any_order_error>& other) {
    const Tensor<double>* const grad_sum = inputs_.tensors.find("grad_sum");
    Numbers first = exact.grad_x, second = other.grad_x;
    for (std::size_t i = 0; grad_sum != nullptr && i < first.size(); ++i) {
      first.data()[i] += any_order_error(grad_sum->data()[i]);
      second.data()[i] += any_order_error(grad_sum->data()[i]);
    }
    widen("grad_x", first, second);
    if (sums_of_block_ != nullptr) sums_of_block_->emplace_back();
    if (ref::tensor::is_given(affine_.gamma))
      widen_sum("grad_gamma", exact.grad_gamma, other.grad_gamma);
    if (ref::tensor::is_given(affine_.beta))
      widen_sum("grad_beta", exact.grad_beta, other.grad_beta);
  }

  /// Adds the error of one more rounding of a term to the dtype of the case.
  void allow_stored_term(const char* name, const Numbers& term) {
    const ref::numeric::Arithmetic format = accumulation_arithmetic(storage_format(dtype_));
    Tensor<double>& bound = bound_.at(name);
    for (std::size_t i = 0; i < bound.size(); ++i)
      bound.data()[i] += format.unit_roundoff *
                         (std::fabs(term.data()[i].value) + bound.data()[i] + 2 * format.tiny);
  }

  DType dtype_;
  const checks::evaluation::FunctionInputs& inputs_;
  double u_;
  NamedTensors<double>& bound_;
  OtherSums* sums_of_block_;  ///< null unless the case is a block of rows
  Affine affine_;
  Numbers grad_y_, sum_;
};

}  // namespace

double bound_of_both(double bound, const any_order_error& exact, const any_order_error& other) {
  const double away = std::fabs(other.value - exact.value);
  return std::max(bound, (away + other.error) * (1 + 0x1p-16));
}

void add_add_norm_allowances(const Case& c, const checks::evaluation::FunctionInputs& inputs,
                             Accumulation accumulation, NamedTensors<double>& bound, bool flushes,
                             OtherSums* sums_of_block) {
  if (!corpus::rounds_when_stored(c.dtype, accumulation)) return;
  const ref::numeric::AnyOrderArithmetic scope(arithmetic_of_candidate(accumulation, flushes));
  StoredSumAllowances sum(c, inputs, accumulation, bound, sums_of_block);
  const auto& function = std::get<model::FunctionOptions>(c.options);
  if (const auto* const own = std::get_if<model::AddLayerNormOptions>(&function)) {
    sum.allow(LayerNormOfSum{{.eps = own->eps}});
  } else if (const auto* const rms = std::get_if<model::AddRMSNormOptions>(&function)) {
    sum.allow(RMSNormOfSum{{.eps = rms->eps}});
    sum.allow_beta_after_storing({.eps = rms->eps});
  }
}

}  // namespace normproof::verification::golden::tolerance
