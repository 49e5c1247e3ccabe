#pragma once

#include <string_view>

#include "gpu/device/device.hpp"
#include "verification/checks/agreement/row.hpp"
#include "verification/checks/evaluation/inputs.hpp"

namespace normproof::verification::checks::agreement {

/// Of model::operation_names() those whose cases a device answers: all but whole Transformers, of
/// which steps of training are compared (trajectory.hpp).
std::vector<std::string> operations_on_device();

/// Runs an operation by ref and on the device, step by step, and compares every tensor that it
/// leaves, bit for bit; or both refuse with the same sentence.
void agree_on_operation(gpu::device::Device& device, const ref::model::Operation& operation,
                        const checks::evaluation::EvalInputs& inputs, std::string_view case_name,
                        Rows& rows);

}  // namespace normproof::verification::checks::agreement
