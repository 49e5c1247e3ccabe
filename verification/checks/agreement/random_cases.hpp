#pragma once

#include <cstdint>
#include <functional>

#include "verification/checks/evaluation/inputs.hpp"

namespace normproof::verification::checks::agreement {

/// One question to a device: an operation and its inputs.
struct RandomCase {
  std::string name;
  ref::model::Operation operation;
  checks::evaluation::EvalInputs inputs;
};

/// Calls `take` with cases of a norm or a function; of another operation there are none: extents of
/// 1, odd ones, more rows than 65535, masks of some rows and of none, values of all magnitudes
/// between 2^-20 and 2^20. A function of the seed.
void for_each_random_case(std::uint64_t seed, const std::string& operation,
                          const std::function<void(const RandomCase&)>& take);

/// A tensor of values of all magnitudes, as the random cases have it.
ref::tensor::Tensor<double> random_tensor(std::uint64_t seed, const std::string& name,
                                          const ref::tensor::Shape& shape);

}  // namespace normproof::verification::checks::agreement
