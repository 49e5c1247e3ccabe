#include "verification/golden/tolerance/activation_allowances.hpp"

#include <cmath>
#include <limits>

#include "ref/numeric/elementary_array.hpp"
#include "ref/numeric/power_of_two.hpp"
#include "verification/golden/corpus/arithmetic.hpp"
#include "verification/golden/corpus/kind.hpp"
#include "verification/golden/tolerance/units.hpp"

namespace normproof::verification::golden::tolerance {

namespace model = ref::model;
using corpus::accumulation_arithmetic;
using corpus::has_operation;
using corpus::storage_format;
using ref::tensor::NamedTensors;
using ref::tensor::Tensor;

namespace {

/// The numbers of one element of an activation: x, grad_y, the exact y, and the bound of y.
struct Element {
  double x, grad_y, y, y_error;
};
/// The errors by which the bounds of y and grad_x grow. The error of grad_x is for a grad_y of 1.
struct Widening {
  double y = 0, grad_x = 0;
};

class ActivationAllowances {
 public:
  ActivationAllowances(const Case& c, const ref::numeric::Arithmetic& arithmetic,
                       Accumulation accumulation, Formula formula)
      : c_(c), arithmetic_(arithmetic), u_(arithmetic.unit_roundoff), formula_(formula) {
    if (corpus::rounds_when_stored(c.dtype, accumulation))
      format_ = accumulation_arithmetic(storage_format(c.dtype));
  }

  Widening operator()(const Element& at) const {
    if (has_operation<model::SigmoidOptions>(c_)) return sigmoid(at);
    if (has_operation<model::LogSigmoidOptions>(c_)) return log_sigmoid(at);
    if (const auto* const options = softplus_options()) return softplus(*options, at);
    if (has_operation<model::TanhOptions>(c_)) return tanh(at);
    return mish(at);
  }

  /// Returns the bound of y by a stable formula if it is relative to y where that of the reference
  /// is not; infinity otherwise. log(1 + e) has the relative errors of the logarithm and of e. The
  /// argument beta x of e has one rounding, unless beta is a power of two.
  double stable_bound(const Element& at) const {
    const auto* const options = softplus_options();
    const double beta = options == nullptr ? 1 : options->beta, v = beta * at.x;
    const bool is_small = options == nullptr ? at.x > 0 : v < 0;
    if (formula_ != Formula::stable || !is_small || !has_logarithm())
      return std::numeric_limits<double>::infinity();
    const double argument = ref::numeric::is_power_of_two(beta) ? 0 : std::fabs(v);
    const double operations = options == nullptr ? 2 : 3;
    return operation_slack(4, u_) * kOperationError * u_ * (operations + argument) *
               std::fabs(at.y) +
           4 * arithmetic_.tiny / beta;
  }

 private:
  const model::SoftplusOptions* softplus_options() const {
    return std::get_if<model::SoftplusOptions>(&std::get<model::FunctionOptions>(c_.options));
  }
  bool has_logarithm() const {
    return softplus_options() != nullptr || has_operation<model::LogSigmoidOptions>(c_);
  }
  bool is_stable() const { return formula_ == Formula::stable; }

  /// Returns the error of rounding y to the dtype of the case.
  double stored(const Element& at) const {
    return format_.unit_roundoff * (std::fabs(at.y) + at.y_error + 2 * format_.tiny);
  }
  /// Returns s(v) = exp(v) for v < 0 if exp(-v) overflows, so that 1/(1 + exp(-v)) is 0.
  double lost_sigmoid(double v) const {
    const double e = v < 0 ? ref::numeric::exp(v) : 1;
    return !is_stable() && e <= 2 / arithmetic_.largest ? e : 0;
  }
  /// Returns the error of `exp(d)`, a sigmoid s that is computed from y. `d` is a difference of two
  /// numbers whose magnitudes are at most `magnitude`, and y has the error `off`.
  double sigmoid_from_y(double s, double off, double magnitude) const {
    const double a = off + kOperationError * u_ * magnitude;
    return s * (a * ref::numeric::exp(a) + kOperationError * u_);
  }

  Widening sigmoid(const Element& at) const {
    const double lost = lost_sigmoid(at.x);
    const double of_difference = at.x > 0 ? kPublishedSigmoidError * u_ : 0;
    return {lost, of_difference + lost + stored(at)};
  }

  Widening log_sigmoid(const Element& at) const {
    const double s = at.x < 0 ? 1 : ref::numeric::exp(-at.x);
    return {is_stable() ? 0 : kPublishedSoftplusError * u_,
            lost_sigmoid(-at.x) +
                sigmoid_from_y(s, at.y_error + stored(at), std::fabs(at.x) + std::fabs(at.y))};
  }

  Widening softplus(const model::SoftplusOptions& options, const Element& at) const {
    const double v = options.beta * at.x, s = v > 0 ? 1 : ref::numeric::exp(v);
    if (options.threshold && v > *options.threshold) return {};
    return {is_stable() ? 0 : kPublishedSoftplusError * u_ / options.beta,
            lost_sigmoid(v) + sigmoid_from_y(s, options.beta * (at.y_error + stored(at)),
                                             std::fabs(v) + options.beta * std::fabs(at.y))};
  }

  Widening tanh(const Element& at) const {
    return {0,
            2 * std::fabs(at.y) * (at.y_error + stored(at)) + (kOperationError + kUlpError) * u_};
  }

  Widening mish(const Element& at) const {
    if (is_stable() && at.x < 0) return {};
    const double x = std::fabs(at.x);
    return {2 * kOperationError * u_ * x,
            kOperationError * u_ * (3 + 8 * x) + x * lost_sigmoid(at.x)};
  }

  const Case& c_;
  ref::numeric::Arithmetic arithmetic_;
  double u_;
  Formula formula_;
  ref::numeric::Arithmetic format_{.unit_roundoff = 0, .tiny = 0, .largest = 0};
};

bool has_allowance(const Case& c) {
  return has_operation<model::SigmoidOptions>(c) || has_operation<model::LogSigmoidOptions>(c) ||
         has_operation<model::SoftplusOptions>(c) || has_operation<model::TanhOptions>(c) ||
         has_operation<model::MishOptions>(c);
}

}  // namespace

bool has_stable_formula(const Case& c) {
  return has_operation<model::SiluOptions>(c) || has_operation<model::GeluOptions>(c) ||
         has_operation<model::GeluTanhOptions>(c) || has_operation<model::SwigluOptions>(c) ||
         has_operation<model::GegluOptions>(c) ||
         (has_allowance(c) && !has_operation<model::TanhOptions>(c));
}

void add_activation_allowances(const Case& c, const checks::evaluation::FunctionInputs& inputs,
                               const NamedTensors<double>& values,
                               const ref::numeric::Arithmetic& arithmetic,
                               Accumulation accumulation, Formula formula,
                               NamedTensors<double>& bound) {
  if (!has_allowance(c)) return;
  const ActivationAllowances allowances(c, arithmetic, accumulation, formula);
  const Tensor<double>& x = inputs.tensors.at("x");
  const Tensor<double>* const grad_y = inputs.tensors.find("grad_y");
  const Tensor<double>& y = values.at("y");
  Tensor<double>& y_bound = bound.at("y");
  for (std::size_t i = 0; i < x.size(); ++i) {
    Element at{x.data()[i], grad_y == nullptr ? 0 : std::fabs(grad_y->data()[i]), y.data()[i],
               y_bound.data()[i]};
    at.y_error = std::fmin(at.y_error, allowances.stable_bound(at));
    const Widening more = allowances(at);
    y_bound.data()[i] = at.y_error + more.y;
    if (grad_y != nullptr)
      bound.at("grad_x").data()[i] +=
          more.grad_x * at.grad_y * operation_slack(4, arithmetic.unit_roundoff);
  }
}

}  // namespace normproof::verification::golden::tolerance
