#pragma once

#include "verification/checks/oracle/definition.hpp"

namespace normproof::verification::checks::oracle {

/// Three ways to compute a derivative. They share only the definition of the forward.
enum class Method {
  dual,          ///< for each input element, one forward on dual numbers
  complex_step,  ///< for each input element, one forward on complex numbers
  reverse        ///< one recorded forward and one backward sweep, for large inputs
};

/// The inputs of one step, at 100 digits. An absent tensor is default-constructed or has size 0.
struct OracleInputs {
  Tensor<oracle100> x;            ///< [N,D] or [B,T,D]
  Tensor<oracle100> gamma = {};   ///< with the shape that model::norm_layer states; ones if absent
  Tensor<oracle100> beta = {};    ///< with the shape that model::norm_layer states; zeros if absent
  Tensor<oracle100> grad_y = {};  ///< with the shape of x; only the forward is run if absent
  Mask valid = {};                ///< [N] or [B,T]; all rows are valid if absent
  ref::model::Mode mode = ref::model::Mode::training;
  NamedTensors<oracle100> others = {};  ///< parameters other than gamma and beta, by name
};

struct Gradients {
  Tensor<oracle100> x;
  Tensor<oracle100> gamma;
  Tensor<oracle100> beta;
  NamedTensors<oracle100> others;

  /// Returns the gradient of the parameter with this name.
  const Tensor<oracle100>& by(std::string_view parameter) const {
    return parameter == "gamma" ? gamma : parameter == "beta" ? beta : others.at(parameter);
  }
};

/// Returns x and all parameters. Absent parameters get the shape and the initial value that
/// model::norm_layer states.
/// Requires  (C1) every extent of x >= 1  (C3) parameters have their shapes  (C4) values finite
Arguments<oracle100> complete_arguments(const ref::model::NormOptions& options,
                                        const OracleInputs& inputs);

/// Differentiates the definition of a layer.
/// Computes  the vector-Jacobian product: the derivatives of L = sum(grad_y y) with respect to x,
///           gamma and beta
/// Requires  the preconditions of complete_arguments; (C5) inputs.grad_y has the shape of x
/// Error     about 1e-97 times the terms; the step h of the complex step method is 2^-4000 times
///           the largest |input|, and its truncation error is h^2 times a third derivative
Gradients oracle_gradients(const ref::model::NormOptions& options, const OracleInputs& inputs,
                           const NamedTensors<oracle100>& state, Method method);

}  // namespace normproof::verification::checks::oracle
