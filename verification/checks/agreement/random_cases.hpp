#pragma once

#include <cstdint>
#include <functional>

#include "verification/checks/evaluation/inputs.hpp"

namespace normproof::verification::checks::agreement {

/// A test case for a device: an operation and its inputs.
struct RandomCase {
  std::string name;
  ref::model::Operation operation;
  checks::evaluation::EvalInputs inputs;
};

/// Calls `take` with random cases of a norm or a function, drawn from the seed. It does nothing for
/// other operations. The cases have extents of 1, odd extents, more than 65535 rows, masks with
/// some or no valid rows, and values of all magnitudes from 2^-20 to 2^20.
void for_each_random_case(std::uint64_t seed, const std::string& operation,
                          const std::function<void(const RandomCase&)>& take);

/// Returns a tensor of random values of all magnitudes from 2^-20 to 2^20.
ref::tensor::Tensor<double> random_tensor(std::uint64_t seed, const std::string& name,
                                          const ref::tensor::Shape& shape);

}  // namespace normproof::verification::checks::agreement
