#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "verification/checks/lipschitz/jacobian.hpp"
#include "verification/checks/lipschitz/lipschitz.hpp"

namespace normproof::verification::checks::lipschitz {

/// One step of a layer as a function of x. There is no padding, and the backward is the exact
/// derivative.
struct Step {
  ref::model::NormOptions options;
  ref::model::NormInputs<double> inputs;  ///< x [rows, D]; no mask
  ref::tensor::NamedTensors<double> state;
  std::vector<std::size_t> rows;  ///< indices of the rows in the given x
  std::size_t width = 0;          ///< D
};

/// Returns the step with only the valid rows. A step of power_norm is replaced by a step with the
/// same function of x and an exact backward: during warm-up by a training step of power_norm_v,
/// after warm-up by an inference step of power_norm.
/// Requires  the preconditions of certify
/// Throws    ContractError; any exception of the layer's forward
Step make_exact_step(const ref::model::NormOptions& options,
                     const ref::model::NormInputs<double>& inputs,
                     const ref::tensor::NamedTensors<double>& state);

/// The parts of x [rows, D] that the layer processes independently: the places of their elements,
/// and their Jacobians.
struct Parts {
  PartKind kind = PartKind::row;
  std::string theory;
  std::vector<std::unique_ptr<Jacobian>> jacobians = {};
  std::size_t rows = 0, width = 0;

  Jacobian::Vector gather(const ref::tensor::Tensor<double>& values, std::size_t part) const;
  void scatter(ref::tensor::Tensor<double>& values, std::size_t part,
               const Jacobian::Vector& from) const;
};

/// Returns the parts of a step. The parts are its channels or its rows.
/// Throws    ContractError if the layer is not one of layer_names()
Parts make_parts(const Step& step);

/// Returns the same step with only some of its parts, and with other values x and grad_y [rows, D].
Step select_parts(const Step& step, PartKind kind, const std::vector<std::size_t>& parts,
                  const ref::tensor::Tensor<double>& x, const ref::tensor::Tensor<double>& grad_y);

/// Converts a tensor [rows, D] without padding to the shape of the given x. Rows of padding are
/// copied from `padding`.
ref::tensor::Tensor<double> insert_padding_rows(const ref::tensor::Tensor<double>& packed,
                                                const Step& step,
                                                const ref::tensor::Tensor<double>& padding);

}  // namespace normproof::verification::checks::lipschitz
