#include "verification/golden/tolerance/gated_norm_allowances.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include "ref/numeric/elementary_array.hpp"
#include "verification/golden/corpus/arithmetic.hpp"
#include "verification/golden/tolerance/units.hpp"

namespace normproof::verification::golden::tolerance {

using corpus::accumulation_arithmetic;
using corpus::storage_format;
using ref::tensor::NamedTensors;
using ref::tensor::Tensor;

namespace {

namespace model = ref::model;

/// A value, and the error that other implementations may have beyond that of the reference's
/// operations.
struct Approximate {
  double value = 0, error = 0;
};
Approximate operator*(const Approximate& a, const Approximate& b) {
  return {a.value * b.value,
          std::fabs(a.value) * b.error + a.error * (std::fabs(b.value) + b.error)};
}
Approximate operator+(const Approximate& a, const Approximate& b) {
  return {a.value + b.value, a.error + b.error};
}

class GatedNormAllowances {
 public:
  GatedNormAllowances(const Case& c, const checks::evaluation::FunctionInputs& inputs,
                      Accumulation accumulation, Formula formula, NamedTensors<double>& bound)
      : options_(std::get<model::GatedRMSNormOptions>(std::get<model::FunctionOptions>(c.options))),
        inputs_(inputs),
        arithmetic_(accumulation_arithmetic(accumulation)),
        is_stable_(formula == Formula::stable),
        bound_(bound),
        x_(inputs.tensors.at("x")),
        gate_(inputs.tensors.at("gate")),
        grad_y_(inputs.tensors.find("grad_y")),
        width_(ref::tensor::shape_of(x_).back()),
        group_(width_ / static_cast<std::size_t>(options_.groups)) {
    if (corpus::rounds_when_stored(c.dtype, accumulation))
      format_ = accumulation_arithmetic(storage_format(c.dtype));
  }

  void run() {
    for (std::size_t begin = 0; begin < x_.size(); begin += group_) group(begin);
  }

 private:
  /// Adds the error of rounding to the dtype of the case.
  Approximate stored(Approximate v) const {
    v.error += format_.unit_roundoff * (std::fabs(v.value) + v.error + 2 * format_.tiny);
    return v;
  }
  bool is_before() const { return options_.gate_position == model::GatePosition::before; }
  bool is_silu() const { return options_.gate_activation == model::GateActivation::silu; }

  static double sigmoid(double z) {
    const double e = ref::numeric::exp(-std::fabs(z));
    return z < 0 ? e / (1 + e) : 1 / (1 + e);
  }
  /// Returns s(z) for z < 0 if exp(-z) overflows, so that 1/(1 + exp(-z)) is 0.
  double lost_sigmoid(double z) const {
    const double e = z < 0 ? ref::numeric::exp(z) : 1;
    return !is_stable_ && e <= 2 / arithmetic_.largest ? e : 0;
  }
  Approximate activation(double z) const {
    const double s = sigmoid(z), lost = lost_sigmoid(z);
    return stored(is_silu() ? Approximate{z * s, std::fabs(z) * lost} : Approximate{s, lost});
  }
  /// Returns the derivative of the activation. The sigmoid itself may be stored and read again.
  Approximate slope(double z) const {
    const double s = sigmoid(z), d = s * (1 - s), magnitude = std::fabs(z);
    const double difference = z > 0 ? kPublishedSigmoidError * arithmetic_.unit_roundoff : 0;
    const double of_stored = 3 * format_.unit_roundoff * s, lost = lost_sigmoid(z);
    if (!is_silu()) return {d, difference + of_stored + lost};
    return {s + z * d, magnitude * (difference + of_stored) + (1 + magnitude) * lost};
  }
  double parameter(const char* name, std::size_t i, double absent) const {
    const Tensor<double>* const own = inputs_.tensors.find(name);
    return own == nullptr ? absent : own->data()[i % width_];
  }
  /// Widens the bound of an output by an error. A small factor covers the errors of second order.
  void widen(const char* name, std::size_t i, double error) {
    double& bound = bound_.at(name).data()[i];
    bound += error * (1 + 0x1p-4);
    if (std::isnan(bound)) bound = std::numeric_limits<double>::infinity();
  }

  /// Widens the bounds of the elements of one group of one row, which begins at `begin`.
  void group(std::size_t begin) {
    const auto n = static_cast<double>(group_);
    std::vector<Approximate> a(group_), v(group_), hat(group_), norm(group_);
    Approximate square;
    for (std::size_t k = 0; k < group_; ++k) {
      const std::size_t i = begin + k;
      a[k] = activation(gate_.data()[i]);
      v[k] = {x_.data()[i], 0};
      if (is_before()) v[k] = stored(v[k] * a[k]);
      square = square + v[k] * v[k];
    }
    const double r = 1 / std::sqrt(square.value / n + options_.eps);
    const Approximate rstd{r, r * r * r * square.error / n / 2};
    for (std::size_t k = 0; k < group_; ++k) {
      const std::size_t i = begin + k;
      hat[k] = stored(v[k] * rstd);
      norm[k] = stored(Approximate{parameter("gamma", i, 1), 0} * hat[k]);
      if (inputs_.tensors.contains("beta"))
        norm[k] = stored(norm[k] + Approximate{parameter("beta", i, 0), 0});
      widen("y", i, is_before() ? norm[k].error : (norm[k] * a[k]).error);
    }
    if (grad_y_ != nullptr) gradients(begin, a, hat, norm, rstd);
  }

  void gradients(std::size_t begin, const std::vector<Approximate>& a,
                 const std::vector<Approximate>& hat, const std::vector<Approximate>& norm,
                 const Approximate& rstd) {
    const auto n = static_cast<double>(group_);
    std::vector<Approximate> g(group_);
    Approximate c;
    for (std::size_t k = 0; k < group_; ++k) {
      const std::size_t i = begin + k;
      const Approximate dy{grad_y_->data()[i], 0}, t = is_before() ? dy : stored(dy * a[k]);
      g[k] = stored(Approximate{parameter("gamma", i, 1), 0} * t);
      c = c + g[k] * hat[k];
      if (inputs_.tensors.contains("gamma")) widen("grad_gamma", i % width_, (t * hat[k]).error);
      if (inputs_.tensors.contains("beta")) widen("grad_beta", i % width_, t.error);
    }
    c = {-c.value / n, c.error / n};
    for (std::size_t k = 0; k < group_; ++k) {
      const std::size_t i = begin + k;
      const Approximate dv = stored((g[k] + hat[k] * c) * rstd);
      widen("grad_x", i, is_before() ? (dv * a[k]).error : dv.error);
      const Approximate of_activation =
          stored(is_before() ? dv * Approximate{x_.data()[i], 0}
                             : Approximate{grad_y_->data()[i], 0} * norm[k]);
      widen("grad_gate", i, (of_activation * slope(gate_.data()[i])).error);
    }
  }

  const model::GatedRMSNormOptions& options_;
  const checks::evaluation::FunctionInputs& inputs_;
  ref::numeric::Arithmetic arithmetic_;
  bool is_stable_;
  NamedTensors<double>& bound_;
  const Tensor<double>& x_;
  const Tensor<double>& gate_;
  const Tensor<double>* grad_y_;
  std::size_t width_, group_;
  ref::numeric::Arithmetic format_{.unit_roundoff = 0, .tiny = 0, .largest = 0};
};

}  // namespace

void add_gated_norm_allowances(const Case& c, const checks::evaluation::FunctionInputs& inputs,
                               Accumulation accumulation, Formula formula,
                               NamedTensors<double>& bound) {
  GatedNormAllowances(c, inputs, accumulation, formula, bound).run();
}

}  // namespace normproof::verification::golden::tolerance
