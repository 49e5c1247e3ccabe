#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ref/io/stored_tensor.hpp"
#include "ref/norm/norm.hpp"
#include "verification/evaluation/functions.hpp"

namespace normproof::verification::evaluation {

/// What `normproof eval` reads from a file: the inputs of every step, and the state before the
/// first.
struct EvalInputs {
  std::vector<ref::norm::NormInputs<double>> steps;
  ref::tensor::NamedTensors<double> state;
  FunctionInputs function = {};  ///< of a function, which has no steps
};

/// Computes  the inputs of the layer: x, optional gamma, beta, grad_y, valid, and the tensors of
/// its
///           state, those absent from initial_state; each widened exactly to double. With
///           `sequence` x, grad_y and valid have a leading axis of steps
/// Shapes    x [N,D] or [B,T,D] (with `sequence` [S,N,D] or [S,B,T,D]); grad_y as x; valid as x
///           without D, boolean or 0 and 1 of any dtype; gamma and beta of rank 1; the state as
///           initial_state, `iterations` [1] or []
/// Throws    FileError naming `file`, the tensor and the expectation; an unknown tensor with the
///           nearest known name
EvalInputs eval_inputs(std::string_view file, std::span<const ref::io::StoredTensor> tensors,
                       const ref::model::NormOptions& options, ref::model::Mode mode,
                       bool sequence);

/// The same of any operation. A function takes x [..., D] of rank 2 at least, grad_y with the shape
/// of y, and valid with that of x where it takes a mask; mode and sequence mean nothing to it.
EvalInputs operation_inputs(std::string_view file, std::span<const ref::io::StoredTensor> tensors,
                            const ref::model::Operation& operation, ref::model::Mode mode,
                            bool sequence);

}  // namespace normproof::verification::evaluation
