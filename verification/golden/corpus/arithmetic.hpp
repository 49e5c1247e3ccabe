#pragma once

#include "ref/numeric/any_order_error.hpp"
#include "verification/golden/corpus/case.hpp"

namespace normproof::verification::golden::corpus {

/// The number format in which a candidate (the implementation under test) computes its sums and
/// products. It may differ from the dtype in which the candidate stores tensors.
using Accumulation = ref::model::StorageFormat;
std::string_view to_string(Accumulation accumulation);
/// Returns the accumulation format of that name, such as "float32" or "bf16".
/// Throws    UsageError with the nearest known name
Accumulation parse_accumulation(std::string_view name);
ref::numeric::Arithmetic accumulation_arithmetic(Accumulation accumulation);

/// Returns the format in which kernels usually accumulate: float32 for 16-bit dtypes, otherwise the
/// dtype itself.
Accumulation usual_accumulation(DType dtype);

/// Returns the dtype of the output `name` of a case with this dtype. Kernels for 16-bit dtypes
/// store statistics, losses, optimizer moments and running statistics in float32. A count of
/// iterations is int64.
DType output_dtype(DType dtype, std::string_view name);
/// Overload for a case whose inputs may have different dtypes. The gradient with respect to an
/// input has the dtype of that input.
DType output_dtype(const Case& c, std::string_view name);

/// Whether storing a number in `dtype` can round it. This is the case if `dtype` has fewer digits
/// than the accumulation format or a larger smallest subnormal number.
bool rounds_when_stored(DType dtype, Accumulation accumulation);

/// Returns the unit roundoff of a floating-point dtype. For every other dtype, returns 2^-53.
double unit_roundoff(DType dtype);

/// Returns the unit in the last place of x in the dtype, computed as if the dtype had no smallest
/// exponent.
double ulp_size(double x, DType dtype);

}  // namespace normproof::verification::golden::corpus
