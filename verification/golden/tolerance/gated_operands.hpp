#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "verification/checks/evaluation/inputs.hpp"
#include "verification/golden/corpus/case.hpp"

/// The operands of silu and of the gated activations after the limit, alpha and beta.
namespace normproof::verification::golden::tolerance {

/// One element of the formula y = (c s(v)) factor.
struct GatedElement {
  double c, v, factor;
  bool keeps_grad_x, keeps_grad_gate;  ///< whether the operand is within the limit
  bool is_x_at_limit, is_gate_at_limit;
};

/// Computes the elements of a case. Operations other than swiglu have no limit, alpha = 1 and
/// beta = 0. Without a gate, the factor is 1.
class GatedOperands {
 public:
  GatedOperands(const corpus::Case& c, const checks::evaluation::FunctionInputs& inputs)
      : x_(inputs.tensors.at("x")), gate_(inputs.tensors.find("gate")) {
    const auto& function = std::get<ref::model::FunctionOptions>(c.options);
    if (const auto* const found = std::get_if<ref::model::SwigluOptions>(&function))
      options_ = *found;
  }

  bool adds_beta() const { return options_.beta != 0; }

  GatedElement operator()(std::size_t i) const {
    const double limit = options_.limit.value_or(std::numeric_limits<double>::infinity());
    const double x = x_.data()[i], c = std::min(x, limit);
    if (gate_ == nullptr) return {c, options_.alpha * c, 1, x <= limit, true, x == limit, false};
    const double gate = gate_->data()[i];
    return {c,
            options_.alpha * c,
            std::clamp(gate, -limit, limit) + options_.beta,
            x <= limit,
            std::fabs(gate) <= limit,
            x == limit,
            std::fabs(gate) == limit};
  }

 private:
  const ref::tensor::Tensor<double>& x_;
  const ref::tensor::Tensor<double>* gate_;
  ref::model::SwigluOptions options_ = {};
};

}  // namespace normproof::verification::golden::tolerance
