#pragma once

#include <string>
#include <vector>

#include "gpu/device/device.hpp"
#include "verification/agreement/row.hpp"
#include "verification/evaluation/inputs.hpp"

namespace normproof::verification::agreement {

/// Of model::operation_names() those that a device computes: it has no layers of decoders
/// and no whole Transformers.
std::vector<std::string> operations_on_device();

/// Runs an operation by ref and on the device, step by step, and compares every tensor that it
/// leaves, bit for bit; or both refuse with the same sentence.
void agree_on_operation(gpu::device::Device& device, const ref::model::Operation& operation,
                        const evaluation::EvalInputs& inputs, std::string_view case_name,
                        Rows& rows);

}  // namespace normproof::verification::agreement
