#pragma once

#include "ref/numeric/any_order_error.hpp"
#include "verification/golden/corpus/case.hpp"

namespace normproof::verification::golden::corpus {

/// The format of a candidate's sums and products, which may differ from the dtype that it stores.
using Accumulation = ref::model::StorageFormat;
std::string_view to_string(Accumulation accumulation);
/// Throws    UsageError with the nearest known name
Accumulation parse_accumulation(std::string_view name);
ref::numeric::Arithmetic arithmetic_of(Accumulation accumulation);

/// Returns the format that kernels usually accumulate in: float32 for 16-bit dtypes, otherwise the
/// dtype itself.
Accumulation usual_accumulation(DType dtype);

/// Returns the dtype of an output. Kernels for 16-bit dtypes keep statistics, losses, moments and
/// state in float32; a count is an int64.
DType output_dtype(DType dtype, std::string_view name);
/// Overload for cases whose inputs differ in dtype: a gradient has the dtype of its input.
DType output_dtype(const Case& c, std::string_view name);

/// Whether storing in the dtype rounds numbers that the arithmetic holds: the dtype has fewer
/// digits or a larger smallest subnormal number.
bool rounds_when_stored(DType dtype, Accumulation accumulation);

/// Returns the unit roundoff of a floating-point dtype; 2^-53 for other dtypes.
double unit_roundoff(DType dtype);

/// Returns the unit in the last place of numbers of the dtype near x, ignoring that x may be
/// subnormal.
double ulp_of(double x, DType dtype);

}  // namespace normproof::verification::golden::corpus
