#pragma once

#include <string_view>

#include "gpu/device/device.hpp"
#include "verification/checks/agreement/row.hpp"
#include "verification/checks/evaluation/inputs.hpp"

namespace normproof::verification::checks::agreement {

/// Returns the names of the operations that a device supports: all of model::operation_names()
/// except gated_rms_norm and the whole Transformers. compare_trajectory (trajectory.hpp) compares
/// the training steps of Transformers instead.
std::vector<std::string> operations_on_device();

/// Runs an operation with ref and on the device, step by step, and compares every output bit for
/// bit. If ref rejects the inputs, the device must give the same error message.
void compare_operation(gpu::device::Device& device, const ref::model::Operation& operation,
                       const checks::evaluation::EvalInputs& inputs, std::string_view case_name,
                       Rows& rows);

}  // namespace normproof::verification::checks::agreement
