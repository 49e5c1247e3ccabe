#include "verification/golden/tolerance/function_allowances.hpp"

#include <cmath>
#include <limits>

#include "ref/numeric/elementary_array.hpp"
#include "ref/ops/gelu_tanh_cancellation.hpp"
#include "verification/golden/corpus/kind.hpp"
#include "verification/golden/tolerance/activation_allowances.hpp"
#include "verification/golden/tolerance/attention_allowances.hpp"
#include "verification/golden/tolerance/cross_entropy_allowances.hpp"
#include "verification/golden/tolerance/gated_norm_allowances.hpp"
#include "verification/golden/tolerance/gated_operands.hpp"
#include "verification/golden/tolerance/merge_allowances.hpp"
#include "verification/golden/tolerance/units.hpp"

namespace normproof::verification::golden::tolerance {

using corpus::accumulation_arithmetic;
using corpus::has_operation;
using corpus::storage_format;
using ref::tensor::NamedTensors;
using ref::tensor::Tensor;

namespace {

/// Allows the published formula of gelu_tanh, in which 1 + tanh cancels for negative x. The
/// reference's formula does not cancel.
void allow_cancellation(const checks::evaluation::FunctionInputs& inputs, double u, Formula formula,
                        NamedTensors<double>& errors) {
  const Tensor<double>& x = inputs.tensors.at("x");
  const Tensor<double>* const grad_y = inputs.tensors.find("grad_y");
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (formula == Formula::stable && x.data()[i] < 0) continue;
    const double magnitude = std::fabs(x.data()[i]);
    errors.at("y").data()[i] += ref::ops::gelu_tanh_cancellation(u, magnitude);
    if (grad_y == nullptr) continue;
    errors.at("grad_x").data()[i] +=
        ref::ops::gelu_tanh_backward_cancellation(u, magnitude, std::fabs(grad_y->data()[i]));
  }
}

/// Allows the published sigmoid `s = 1/(1 + exp(-v))`, in which v is x or, in swiglu, alpha times
/// the limited x. If exp(-v) overflows, s is 0, so that the error may be as large as s. In the
/// derivative `s (1 + v (1 - s))`, the difference has an error of at most 9 unit roundoffs for v >
/// 0, in any order of operations.
void allow_published_sigmoid(const Case& c, const checks::evaluation::FunctionInputs& inputs,
                             const ref::numeric::Arithmetic& arithmetic, Formula formula,
                             NamedTensors<double>& errors) {
  const GatedOperands operands(c, inputs);
  const Tensor<double>* const grad_y = inputs.tensors.find("grad_y");
  const bool has_gate = inputs.tensors.contains("gate");
  for (std::size_t i = 0; i < inputs.tensors.at("x").size(); ++i) {
    const GatedElement at = operands(i);
    if (formula == Formula::stable && at.v < 0) continue;
    const double magnitude = std::fabs(at.v);
    const double by = std::fabs(at.factor);
    const double dy = grad_y == nullptr ? 0 : std::fabs(grad_y->data()[i]);
    const double e = ref::numeric::exp(-magnitude);
    double y_error = 0, slope_error = kPublishedSigmoidError * arithmetic.unit_roundoff * magnitude;
    if (at.v < 0) {
      const bool overflows = e <= 2 / arithmetic.largest;
      y_error = overflows ? std::fabs(at.c) * e : 0;
      slope_error = overflows ? (1 + magnitude) * e : 0;
    }
    errors.at("y").data()[i] += y_error * by;
    if (grad_y == nullptr) continue;
    if (at.keeps_grad_x) errors.at("grad_x").data()[i] += slope_error * by * dy;
    if (has_gate && at.keeps_grad_gate) errors.at("grad_gate").data()[i] += y_error * dy;
  }
}

/// Sets the bounds of gelu and geglu for x < -2 to those of formulas without the cancellation of 1
/// + erf: x Phi(x) with `Phi(x) = erfc(-x / sqrt(2)) / 2`, and Phi(x) + x phi(x) for the gradient.
/// The rounding of the argument is multiplied by the condition of Phi and phi, which is at most
/// x^2. Phi(x) is at most phi(x)/|x|.
void set_stable_gelu_bounds(const checks::evaluation::FunctionInputs& inputs,
                            const ref::numeric::Arithmetic& arithmetic,
                            NamedTensors<double>& errors) {
  constexpr double kTailBegin = -2, kDensityAt0 = 0.3989422804014327;
  // The operations of each formula, and the operations that compute the argument.
  constexpr double kOperations = 6, kArgumentOperations = 2, kSlack = 1 + 0x1p-20;
  const Tensor<double>& x = inputs.tensors.at("x");
  const Tensor<double>* const grad_y = inputs.tensors.find("grad_y");
  const Tensor<double>* const gate = inputs.tensors.find("gate");
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double v = x.data()[i];
    if (v >= kTailBegin) continue;
    const double density = kDensityAt0 * ref::numeric::exp(-v * v / 2), below = density / -v;
    const double relative = kSlack * kOperationError * arithmetic.unit_roundoff *
                            (kOperations + kArgumentOperations * v * v);
    // Each operation with a subnormal result is off by `tiny`; x multiplies one of them.
    const double tiny = kOperations * arithmetic.tiny * (1 - v);
    const double by = gate == nullptr ? 1 : std::fabs(gate->data()[i]);
    const double y_error = relative * -v * below + tiny;
    errors.at("y").data()[i] = y_error * by + arithmetic.tiny;
    if (grad_y == nullptr) continue;
    const double dy = std::fabs(grad_y->data()[i]);
    errors.at("grad_x").data()[i] =
        (relative * (below - v * density) + tiny) * by * dy + arithmetic.tiny * (1 + dy);
    if (gate != nullptr) errors.at("grad_gate").data()[i] = y_error * dy + arithmetic.tiny;
  }
}

/// Allows implementations that run the activation, the sum of gate and beta, and the product as
/// separate operations. They round the activation a(x) and the sum to the dtype of the case before
/// these are multiplied. In the backward pass, they round the sum, and the product of grad_y and
/// the sum. The product of a stored value and a power of two needs no second rounding. If nothing
/// is added to the gate, it is not rounded.
void allow_stored_factors(const Case& c, const checks::evaluation::FunctionInputs& inputs,
                          const NamedTensors<double>& values, Accumulation accumulation,
                          NamedTensors<double>& errors) {
  if (!corpus::rounds_when_stored(c.dtype, accumulation)) return;
  const double u = accumulation_arithmetic(accumulation).unit_roundoff;
  const ref::numeric::Arithmetic format = accumulation_arithmetic(storage_format(c.dtype));
  const Tensor<double>* const grad_y = inputs.tensors.find("grad_y");
  const GatedOperands operands(c, inputs);
  constexpr double kMaxActivationSlope = 1.2;  // exceeds the derivatives of silu and gelu
  // `sums` is the number of factors that are rounded sums with beta.
  const auto allow = [&](const char* name, const Tensor<double>& value, double sums,
                         auto other_factor) {
    Tensor<double>& error = errors.at(name);
    for (std::size_t i = 0; i < error.size(); ++i) {
      int exponent = 0;
      const bool once = std::fabs(std::frexp(other_factor(i), &exponent)) == 0.5;
      const double moved =
          ((once ? 0 : 1) + sums) * (std::fabs(value.data()[i]) + error.data()[i]) +
          2 * format.tiny * std::fabs(other_factor(i));
      error.data()[i] += format.unit_roundoff * moved * operation_slack(4, u);
    }
  };
  const double sums = operands.adds_beta() ? 1 : 0;
  allow("y", values.at("y"), sums, [&](std::size_t i) { return operands(i).factor; });
  if (grad_y == nullptr) return;
  allow("grad_x", values.at("grad_x"), sums, [&](std::size_t) { return kMaxActivationSlope; });
  allow("grad_gate", values.at("grad_gate"), 0, [&](std::size_t i) { return grad_y->data()[i]; });
}

/// Allows every gradient from 0 to that of the reference for an element at the limit itself.
/// Libraries differ there: a comparison with the limit keeps the gradient or drops it, and a
/// minimum may pass one half of it.
void allow_any_gradient_at_limit(const Case& c, const checks::evaluation::FunctionInputs& inputs,
                                 const NamedTensors<double>& values, NamedTensors<double>& errors) {
  constexpr double kSlack = 1 + 0x1p-40;
  const GatedOperands operands(c, inputs);
  const auto allow = [&](const char* name, std::size_t i) {
    double& error = errors.at(name).data()[i];
    error = kSlack * (std::fabs(values.at(name).data()[i]) + 2 * error);
  };
  for (std::size_t i = 0; i < inputs.tensors.at("x").size(); ++i) {
    const GatedElement at = operands(i);
    if (at.is_x_at_limit) allow("grad_x", i);
    if (at.is_gate_at_limit) allow("grad_gate", i);
  }
}

/// Allows implementations of rope that round each product to the dtype of the case before they add
/// two products. A product with 0 or a power of two is exact.
void allow_stored_products(const Case& c, const checks::evaluation::FunctionInputs& inputs,
                           Accumulation accumulation, NamedTensors<double>& errors) {
  if (!corpus::rounds_when_stored(c.dtype, accumulation)) return;
  const double u = accumulation_arithmetic(accumulation).unit_roundoff;
  const ref::numeric::Arithmetic format = accumulation_arithmetic(storage_format(c.dtype));
  const bool interleaved =
      std::get<ref::model::RopeOptions>(std::get<ref::model::FunctionOptions>(c.options))
          .interleaved;
  const Tensor<double>& cos = inputs.tensors.at("cos");
  const Tensor<double>& sin = inputs.tensors.at("sin");
  const std::size_t pairs = cos.shape(1), tokens = cos.shape(0);
  const auto moved = [&](double x, double factor) {
    int exponent = 0;
    const bool held = factor == 0 || std::fabs(std::frexp(factor, &exponent)) == 0.5;
    return format.unit_roundoff * ((held ? 0 : std::fabs(x * factor)) + 2 * format.tiny);
  };
  const auto allow = [&](const char* name, const Tensor<double>& x) {
    const std::size_t width = x.shape().back();
    for (std::size_t i = 0; i < x.size(); ++i) {
      const std::size_t d = i % width;
      if (d >= 2 * pairs) continue;
      const std::size_t p = interleaved ? d / 2 : d % pairs;
      const bool second = interleaved ? d % 2 == 1 : d >= pairs;
      const std::size_t apart = interleaved ? 1 : pairs, other = second ? i - apart : i + apart;
      const std::size_t at = i / width % tokens * pairs + p;
      errors.at(name).data()[i] +=
          (moved(x.data()[i], cos.data()[at]) + moved(x.data()[other], sin.data()[at])) *
          operation_slack(4, u);
    }
  };
  allow("y", inputs.tensors.at("x"));
  if (inputs.tensors.contains("grad_y")) allow("grad_x", inputs.tensors.at("grad_y"));
}

/// Returns an upper bound of `exp(a) - 1` for a >= 0.
double exp_minus_one_bound(double a) {
  return a * ref::numeric::exp(a);
}

/// Widens the bound of grad_x for backward passes that use the stored y. It processes one row after
/// the other.
class StoredYAllowances {
 public:
  StoredYAllowances(const Case& c, const checks::evaluation::FunctionInputs& inputs,
                    const Tensor<double>& y, Accumulation accumulation, NamedTensors<double>& bound)
      : y_(y),
        x_(inputs.tensors.at("x")),
        dy_(inputs.tensors.at("grad_y")),
        error_(bound.at("y")),
        valid_(inputs.valid),
        grad_(bound.at("grad_x")),
        u_(accumulation_arithmetic(accumulation).unit_roundoff),
        width_(ref::tensor::shape_of(x_).back()) {
    if (corpus::rounds_when_stored(c.dtype, accumulation))
      format_ = accumulation_arithmetic(storage_format(c.dtype));
  }

  void run(const Case& c) {
    for (std::size_t row = 0; row < x_.size() / width_; ++row) {
      if (has_operation<ref::model::SoftmaxOptions>(c)) softmax(row * width_);
      if (has_operation<ref::model::LogSoftmaxOptions>(c)) log_softmax(row * width_);
      if (has_operation<ref::model::LogSumExpOptions>(c)) log_sum_exp(row);
    }
  }

 private:
  /// Returns the error of rounding y[i] to the dtype of the case.
  double stored(std::size_t i) const {
    if (format_.unit_roundoff == 0) return 0;
    if (y_.data()[i] == 0 && error_.data()[i] == 0) return 0;  // a masked element has no effect
    return format_.unit_roundoff * (std::fabs(y_.data()[i]) + error_.data()[i] + 2 * format_.tiny);
  }
  /// Adds `amount` to the bound of an element of grad_x. `amount` is first enlarged by a factor.
  /// This factor covers the rounding errors of the candidate when it adds the terms.
  void add(std::size_t i, double amount) {
    const double sum =
        grad_.data()[i] + amount * (1 + kUlpError * static_cast<double>(width_ + 8) * u_);
    grad_.data()[i] = std::isnan(sum) ? std::numeric_limits<double>::infinity() : sum;
  }

  /// Widens the bound of softmax's gradient, `grad_x_i = y_i (grad_y_i - s)`, where s is the sum of
  /// grad_y y.
  void softmax(std::size_t begin) {
    double s = 0, off = 0, moved = 0;
    for (std::size_t i = begin; i < begin + width_; ++i) {
      const double dy = std::fabs(dy_.data()[i]);
      s += dy_.data()[i] * y_.data()[i];
      off += dy * (error_.data()[i] + stored(i));
      moved += dy * stored(i);
    }
    for (std::size_t i = begin; i < begin + width_; ++i)
      add(i, stored(i) * (std::fabs(dy_.data()[i] - s) + off) +
                 (std::fabs(y_.data()[i]) + error_.data()[i]) * moved);
  }

  /// Widens the bound of log_softmax's gradient, `grad_x_i = grad_y_i - exp(y_i) s`, where s is the
  /// sum of grad_y.
  void log_softmax(std::size_t begin) {
    double s = 0, magnitude = 0;
    for (std::size_t i = begin; i < begin + width_; ++i) {
      s += dy_.data()[i];
      magnitude += std::fabs(dy_.data()[i]);
    }
    const double largest = std::fabs(s) + static_cast<double>(width_) * u_ * magnitude;
    for (std::size_t i = begin; i < begin + width_; ++i)
      add(i, largest * ref::numeric::exp(y_.data()[i] + error_.data()[i]) *
                 exp_minus_one_bound(stored(i)));
  }

  /// Widens the bound of log_sum_exp's gradient, `grad_x_i = grad_y exp(x_i - y)`, by the error of
  /// y and the rounding errors of the difference.
  void log_sum_exp(std::size_t row) {
    const double off = error_.data()[row] + stored(row);
    for (std::size_t i = row * width_; i < (row + 1) * width_; ++i) {
      if (ref::tensor::is_given(valid_) && !valid_.data()[i]) continue;
      const double difference = x_.data()[i] - y_.data()[row];
      add(i, std::fabs(dy_.data()[row]) * ref::numeric::exp(difference) *
                 exp_minus_one_bound(off + kOperationError * u_ * (std::fabs(difference) + off)));
    }
  }

  const Tensor<double>& y_;
  const Tensor<double>& x_;
  const Tensor<double>& dy_;
  const Tensor<double>& error_;
  const ref::tensor::Mask& valid_;
  Tensor<double>& grad_;
  double u_;
  std::size_t width_;
  ref::numeric::Arithmetic format_{.unit_roundoff = 0, .tiny = 0, .largest = 0};
};

/// Widens the bound of l2_norm's gradient for two kinds of backward passes: one that uses y as
/// stored in the dtype of the case, and one that applies the powers of the reciprocal norm in
/// another order.
class L2BackwardAllowances {
 public:
  L2BackwardAllowances(const Case& c, const checks::evaluation::FunctionInputs& inputs,
                       Accumulation accumulation, NamedTensors<double>& bound)
      : options_(
            std::get<ref::model::L2NormOptions>(std::get<ref::model::FunctionOptions>(c.options))),
        x_(inputs.tensors.at("x")),
        dy_(inputs.tensors.at("grad_y")),
        error_(bound.at("y")),
        grad_(bound.at("grad_x")),
        u_(accumulation_arithmetic(accumulation).unit_roundoff),
        width_(ref::tensor::shape_of(x_).back()) {
    if (corpus::rounds_when_stored(c.dtype, accumulation))
      format_ = accumulation_arithmetic(storage_format(c.dtype));
  }

  void run() {
    for (std::size_t begin = 0; begin < x_.size(); begin += width_) row(begin);
  }

 private:
  void row(std::size_t begin) {
    double square = 0;
    for (std::size_t i = begin; i < begin + width_; ++i) square += x_.data()[i] * x_.data()[i];
    const double n = std::sqrt(square), eps = options_.eps;
    const auto placement = options_.eps_placement;
    const double divisor = placement == ref::model::EpsPlacement::inside ? std::sqrt(square + eps)
                           : placement == ref::model::EpsPlacement::outside ? n + eps
                                                                            : std::fmax(n, eps);
    const double r = 1 / divisor;
    // The factor of y in the derivative of the norm. If the norm is near the floor eps, rounding
    // may move it to either side.
    const double w =
        placement == ref::model::EpsPlacement::outside ? (n == 0 ? 0 : divisor / n) : 1;
    double magnitude = 0, off = 0, moved = 0;
    for (std::size_t i = begin; i < begin + width_; ++i) {
      const double dy = std::fabs(dy_.data()[i]) * w;
      magnitude += dy * std::fabs(x_.data()[i] * r);
      off += dy * error_.data()[i];
      moved += dy * stored(i, r);
    }
    for (std::size_t i = begin; i < begin + width_; ++i) {
      const double y = std::fabs(x_.data()[i] * r) + error_.data()[i];
      const double of_order = 16 * u_ * (std::fabs(dy_.data()[i]) + y * magnitude);
      const double amount = r * (stored(i, r) * (magnitude + off + moved) + y * moved + of_order);
      const double sum = grad_.data()[i] + amount * (1 + 4 * static_cast<double>(width_ + 8) * u_);
      grad_.data()[i] = std::isnan(sum) ? std::numeric_limits<double>::infinity() : sum;
    }
  }
  /// Returns the error of rounding y[i] to the dtype of the case.
  double stored(std::size_t i, double r) const {
    if (format_.unit_roundoff == 0) return 0;
    return format_.unit_roundoff *
           (std::fabs(x_.data()[i] * r) + error_.data()[i] + 2 * format_.tiny);
  }

  const ref::model::L2NormOptions& options_;
  const Tensor<double>& x_;
  const Tensor<double>& dy_;
  const Tensor<double>& error_;
  Tensor<double>& grad_;
  double u_;
  std::size_t width_;
  ref::numeric::Arithmetic format_{.unit_roundoff = 0, .tiny = 0, .largest = 0};
};

}  // namespace

void add_function_allowances(const Case& c, const checks::evaluation::FunctionInputs& inputs,
                             const NamedTensors<double>& values, Accumulation accumulation,
                             Formula formula, NamedTensors<double>& bound, bool flushes,
                             OtherSums* sums_of_block) {
  if (has_operation<ref::model::GeluTanhOptions>(c))
    allow_cancellation(inputs, accumulation_arithmetic(accumulation).unit_roundoff, formula, bound);
  if (has_operation<ref::model::SiluOptions>(c) || has_operation<ref::model::SwigluOptions>(c))
    allow_published_sigmoid(c, inputs, accumulation_arithmetic(accumulation), formula, bound);
  add_activation_allowances(c, inputs, values, arithmetic_of_candidate(accumulation, flushes),
                            accumulation, formula, bound);
  const bool is_gelu =
      has_operation<ref::model::GeluOptions>(c) || has_operation<ref::model::GegluOptions>(c);
  if (is_gelu && formula == Formula::stable)
    set_stable_gelu_bounds(inputs, arithmetic_of_candidate(accumulation, flushes), bound);
  if (has_operation<ref::model::GatedRMSNormOptions>(c))
    add_gated_norm_allowances(c, inputs, accumulation, formula, bound);
  else if (inputs.tensors.contains("gate"))
    allow_stored_factors(c, inputs, values, accumulation, bound);
  if (has_operation<ref::model::SwigluOptions>(c) && inputs.tensors.contains("grad_y"))
    allow_any_gradient_at_limit(c, inputs, values, bound);
  if (has_operation<ref::model::AttentionOptions>(c) && inputs.tensors.contains("grad_y"))
    add_attention_allowances(c, inputs, accumulation, bound);
  if (has_operation<ref::model::MergeAttentionStatesOptions>(c))
    add_merge_allowances(c, inputs, accumulation, bound);
  if (inputs.tensors.contains("residual"))
    add_add_norm_allowances(c, inputs, accumulation, bound, flushes, sums_of_block);
  if (has_operation<ref::model::RopeOptions>(c))
    allow_stored_products(c, inputs, accumulation, bound);
  if (has_operation<ref::model::CrossEntropyOptions>(c))
    add_cross_entropy_allowances(c, inputs, accumulation, bound);
  if (has_operation<ref::model::L2NormOptions>(c) && inputs.tensors.contains("grad_y"))
    L2BackwardAllowances(c, inputs, accumulation, bound).run();
  const bool from_y = has_operation<ref::model::SoftmaxOptions>(c) ||
                      has_operation<ref::model::LogSoftmaxOptions>(c) ||
                      has_operation<ref::model::LogSumExpOptions>(c);
  if (from_y && inputs.tensors.find("grad_y") != nullptr)
    StoredYAllowances(c, inputs, values.at("y"), accumulation, bound).run(c);
}

}  // namespace normproof::verification::golden::tolerance
