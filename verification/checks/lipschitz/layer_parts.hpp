#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "verification/checks/lipschitz/jacobian.hpp"
#include "verification/checks/lipschitz/lipschitz.hpp"

namespace normproof::verification::checks::lipschitz {

/// A layer as a map of one step: without padding, and with an exact backward.
struct Step {
  ref::model::NormOptions options;
  ref::model::NormInputs<double> inputs;  ///< x [rows, D]; no mask
  ref::tensor::NamedTensors<double> state;
  std::vector<std::size_t> rows;  ///< of the x that was given
  std::size_t width = 0;          ///< D
};

/// Computes  the step of valid rows alone. One of power_norm is power_norm_v's while it warms up,
///           and behind that what inference does: the same map of x
/// Requires  those of certify
/// Throws    ContractError, of the layer's forward too
Step exact_step(const ref::model::NormOptions& options,
                const ref::model::NormInputs<double>& inputs,
                const ref::tensor::NamedTensors<double>& state);

/// The parts of [rows, D]: where their elements lie, and their Jacobians.
struct Parts {
  PartKind kind = PartKind::row;
  std::string theory;
  std::vector<std::unique_ptr<Jacobian>> jacobians = {};
  std::size_t rows = 0, width = 0;

  Jacobian::Vector take(const ref::tensor::Tensor<double>& values, std::size_t part) const;
  void put(ref::tensor::Tensor<double>& values, std::size_t part,
           const Jacobian::Vector& from) const;
};

/// Throws    ContractError where the layer is not one of layer_names()
Parts parts_of(const Step& step);

/// The step of some of its parts, at other x and grad_y [rows, D].
Step restricted(const Step& step, PartKind kind, const std::vector<std::size_t>& parts,
                const ref::tensor::Tensor<double>& x, const ref::tensor::Tensor<double>& grad_y);

/// [rows, D] in the shape of the x that was given, whose rows of padding come from `padding`.
ref::tensor::Tensor<double> unpacked(const ref::tensor::Tensor<double>& packed, const Step& step,
                                     const ref::tensor::Tensor<double>& padding);

}  // namespace normproof::verification::checks::lipschitz
