#pragma once

#include "verification/checks/oracle/definition.hpp"

namespace normproof::verification::checks::oracle {

/// Three ways to a derivative that share nothing but the definition of the forward.
enum class Method {
  dual,          ///< one forward on dual numbers per input
  complex_step,  ///< one forward on complex numbers per input
  reverse        ///< one forward on a tape, one sweep back: for large inputs
};

/// What one step takes, at 100 digits. Absent tensors are default-constructed or of size 0.
struct OracleInputs {
  Tensor<oracle100> x;            ///< [N,D] or [B,T,D]
  Tensor<oracle100> gamma = {};   ///< as model::norm_layer has it, or absent: ones
  Tensor<oracle100> beta = {};    ///< as model::norm_layer has it, or absent: zeros
  Tensor<oracle100> grad_y = {};  ///< the shape of x, or absent: forward alone
  Mask valid = {};                ///< [N] or [B,T], or absent: all
  ref::model::Mode mode = ref::model::Mode::training;
  NamedTensors<oracle100> others = {};  ///< parameters beside gamma and beta, by name
};

struct Gradients {
  Tensor<oracle100> x;
  Tensor<oracle100> gamma;
  Tensor<oracle100> beta;
  NamedTensors<oracle100> others;

  /// The gradient by the parameter of that name.
  const Tensor<oracle100>& by(std::string_view parameter) const {
    return parameter == "gamma" ? gamma : parameter == "beta" ? beta : others.at(parameter);
  }
};

/// The parameters written out, with the extents and initial values that model::norm_layer has.
/// Requires  (C1) every extent of x >= 1  (C3) parameters have their shapes  (C4) values finite
Arguments<oracle100> written_out(const ref::model::NormOptions& options,
                                 const OracleInputs& inputs);

/// Computes  the vector-Jacobian product: d L/d x, d L/d gamma, d L/d beta of L = sum(grad_y y)
/// Requires  those of written_out; (C5) inputs.grad_y has the shape of x
/// Error     about 1e-97 times the terms; the complex step's h is 2^-4000 times the largest
///           |input|, and its truncation h^2 times a third derivative
Gradients oracle_gradients(const ref::model::NormOptions& options, const OracleInputs& inputs,
                           const NamedTensors<oracle100>& state, Method method);

}  // namespace normproof::verification::checks::oracle
