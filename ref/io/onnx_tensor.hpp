#pragma once

#include <cstddef>
#include <vector>

#include "ref/io/stored_tensor.hpp"

namespace normproof::ref::io {

/// Returns the bytes of ONNX's TensorProto for a tensor. The files input_<i>.pb and output_<i>.pb
/// of a test data set consist of such bytes. The same tensor gives the same bytes.
///
/// Source    onnx.proto: dims (field 1), data_type (2), name (8), raw_data (9), in this order;
///           Protocol Buffers' wire format
/// Requires  the requirements of sorted_by_name
/// Throws    ContractError
std::vector<std::byte> encode_onnx_tensor(const StoredTensor& tensor);

}  // namespace normproof::ref::io
