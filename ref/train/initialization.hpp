#pragma once

#include <cstdint>
#include <string_view>

#include "ref/model/train_options.hpp"
#include "ref/tensor/tensor.hpp"

namespace normproof::ref::train {

/// Returns the initial values of a parameter. Element i is computed from element i of the random
/// stream "init/<name>".
/// Source    Xavier: [GB10]; Kaiming: [HZRS15]; docs/specification/training.md
/// Computes  fan_out and fan_in are the extents of a weight [fan_out,fan_in]; the fan_in of an
///           embedding [V,D] is D. normal(i) is standard normal, uniform(i) is in [0,1):
///           xavier_normal     (gain sqrt(2 / (fan_in + fan_out))) normal(i)
///           xavier_uniform    (gain sqrt(6 / (fan_in + fan_out))) (2 uniform(i) - 1)
///           kaiming_normal    (gain / sqrt(fan_in)) normal(i)
///           kaiming_uniform   (gain sqrt(3 / fan_in)) (2 uniform(i) - 1)
///           uniform           limit (2 uniform(i) - 1)
/// Shapes    the result has the shape `shape`
/// Requires  (C1) the rank is 2, or any for uniform, which does not use fans; extents are at least
///           1  (C2) gain and limit are finite and >= 0
/// Order     docs/specification/determinism.md, rule R6; 2 uniform(i) - 1 is exact, rule R4 for the
///           rest
/// Throws    ContractError
tensor::Tensor<double> initial_values(const model::InitializationOptions& options,
                                      std::string_view name, const tensor::Shape& shape,
                                      std::uint64_t seed);

}  // namespace normproof::ref::train
