#pragma once

#include <string>
#include <vector>

#include "ref/norm/norm.hpp"
#include "ref/numeric/random.hpp"

/// Random sequences of batches for tests of power_norm and power_norm_released. These layers carry
/// a state from step to step.
namespace normproof::ref::norm {

/// Returns a tensor of standard normal numbers times `scale`. Different names give different
/// tensors.
template <class T = double>
Tensor<T> normal_tensor(const tensor::Shape& shape, std::uint64_t seed, const std::string& name,
                        double scale = 1) {
  const numeric::RandomStream stream(seed, name);
  Tensor<T> result = tensor::empty_tensor<T>(shape);
  for (std::size_t i = 0; i < result.size(); ++i) result.data()[i] = T(scale * stream.normal(i));
  return result;
}

/// Returns the inputs of step t of a sequence. x and grad_y have shape [rows,features]. The scale
/// of x changes from step to step. The last `padded` rows are padding with three times this scale.
/// gamma and beta are the same in every step.
template <class T = double>
NormInputs<T> make_sequence_inputs(std::uint64_t seed, std::size_t t, std::size_t rows,
                                   std::size_t features, std::size_t padded) {
  const std::string step = std::to_string(t);
  NormInputs<T> in;
  in.x = normal_tensor<T>({rows, features}, seed, "x" + step, 0.5 + static_cast<double>(t % 3));
  in.grad_y = normal_tensor<T>({rows, features}, seed, "grad_y" + step);
  in.gamma = normal_tensor<T>({features}, seed, "gamma");
  in.beta = normal_tensor<T>({features}, seed, "beta");
  in.valid = Mask::from_shape({rows});
  for (std::size_t i = 0; i < rows; ++i) {
    in.valid.data()[i] = i + padded < rows;
    for (std::size_t j = 0; !in.valid.data()[i] && j < features; ++j)
      in.x.data()[i * features + j] *= T(3);
  }
  return in;
}

/// Runs norm_step on `steps` inputs of make_sequence_inputs, starting from the initial state.
/// Returns the result of each step.
template <class T = double>
std::vector<NormStep<T>> run_sequence(const model::NormOptions& options, std::uint64_t seed,
                                      std::size_t steps, std::size_t rows, std::size_t features,
                                      std::size_t padded) {
  std::vector<NormStep<T>> result;
  auto state = initial_state<T>(options, features);
  for (std::size_t t = 0; t < steps; ++t) {
    result.push_back(
        norm_step(options, make_sequence_inputs<T>(seed, t, rows, features, padded), state));
    state = result.back().state;
  }
  return result;
}

}  // namespace normproof::ref::norm
