#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "verification/checks/lipschitz/jacobian.hpp"
#include "verification/checks/lipschitz/lipschitz.hpp"

namespace normproof::verification::checks::lipschitz {

/// A layer as a function of x in one step: without padding, and with an exact backward.
struct Step {
  ref::model::NormOptions options;
  ref::model::NormInputs<double> inputs;  ///< x [rows, D]; no mask
  ref::tensor::NamedTensors<double> state;
  std::vector<std::size_t> rows;  ///< indices of the rows in the given x
  std::size_t width = 0;          ///< D
};

/// Returns the step with only the valid rows. A step of power_norm becomes a step of power_norm_v
/// during warm-up and an inference step after that, which is the same function of x.
/// Requires  the preconditions of certify
/// Throws    ContractError, also that of the layer's forward
Step exact_step(const ref::model::NormOptions& options,
                const ref::model::NormInputs<double>& inputs,
                const ref::tensor::NamedTensors<double>& state);

/// The parts of [rows, D]: the locations of their elements, and their Jacobians.
struct Parts {
  PartKind kind = PartKind::row;
  std::string theory;
  std::vector<std::unique_ptr<Jacobian>> jacobians = {};
  std::size_t rows = 0, width = 0;

  Jacobian::Vector gather(const ref::tensor::Tensor<double>& values, std::size_t part) const;
  void scatter(ref::tensor::Tensor<double>& values, std::size_t part,
               const Jacobian::Vector& from) const;
};

/// Throws    ContractError if the layer is not one of layer_names()
Parts make_parts(const Step& step);

/// Returns the step for some of its parts, with other x and grad_y [rows, D].
Step restricted(const Step& step, PartKind kind, const std::vector<std::size_t>& parts,
                const ref::tensor::Tensor<double>& x, const ref::tensor::Tensor<double>& grad_y);

/// Returns [rows, D] in the shape of the given x. Rows of padding come from `padding`.
ref::tensor::Tensor<double> unpacked(const ref::tensor::Tensor<double>& packed, const Step& step,
                                     const ref::tensor::Tensor<double>& padding);

}  // namespace normproof::verification::checks::lipschitz
