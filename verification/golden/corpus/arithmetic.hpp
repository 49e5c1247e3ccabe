#pragma once

#include "ref/numeric/any_order_error.hpp"
#include "verification/golden/corpus/case.hpp"

namespace normproof::verification::golden::corpus {

/// What a candidate computes with: the dtype of its sums and products, whatever it stores.
using Accumulation = ref::model::StorageFormat;
std::string_view to_string(Accumulation accumulation);
/// Throws    UsageError with the nearest known name
Accumulation accumulation_of(std::string_view name);
ref::numeric::Arithmetic arithmetic_of(Accumulation accumulation);

/// As kernels do it: float32 for 16 bits, else the dtype itself.
Accumulation usual_accumulation(DType dtype);

/// The dtype of an output of the case. Kernels for 16 bits keep statistics, losses, moments and
/// state in float32, and a count is an int64.
DType dtype_of_output(DType dtype, std::string_view name);
/// The same where inputs may have other dtypes: a gradient has that of what it belongs to.
DType dtype_of_output(const Case& c, std::string_view name);

/// Whether the dtype rounds what the arithmetic holds: it has fewer digits, or ends at larger
/// subnormal numbers.
bool rounds_when_stored(DType dtype, Accumulation accumulation);

/// The unit roundoff of a float dtype; 2^-53 for the others.
double unit_roundoff(DType dtype);

/// The unit in the last place of numbers of the dtype like x, subnormal ones aside.
double ulp_of(double x, DType dtype);

}  // namespace normproof::verification::golden::corpus
