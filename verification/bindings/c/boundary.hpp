#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cfenv>
#include <string_view>

#include "ref/io/stored_tensor.hpp"
#include "ref/numeric/errors.hpp"
#include "verification/bindings/c/normproof.h"

/// Conversions between the C interface and C++: dtypes, tensors, arguments and the floating-point
/// mode.
namespace normproof::verification::bindings::c {

inline std::int32_t dtype_number(ref::io::DType dtype) {
  return static_cast<std::int32_t>(std::ranges::find(ref::io::kDTypes, dtype) -
                                   std::begin(ref::io::kDTypes));
}

/// Checks a condition on the arguments of a function.
/// Throws    UsageError if `met` is false. The message contains `function` and `sentence`
inline void require(bool met, const char* function, std::string_view sentence) {
  if (!met) throw ref::numeric::UsageError(fmt::format("{}: {}", function, sentence));
}

/// A caller's tensor without its elements, and the number of bytes of its elements.
struct TensorDescription {
  ref::io::StoredTensor tensor;
  std::size_t bytes = 0;
};
/// Checks the description of a caller's tensor and converts it. If the rank is rejected, `shape` is
/// not read.
/// Requires  `name` is not null
/// Throws    UsageError that names `function` and the tensor
TensorDescription tensor_description(const char* function, const char* name, std::int32_t dtype,
                                     std::int32_t rank, const std::int64_t* shape,
                                     const void* data);

/// Sets the default floating-point mode during the lifetime of this object, and restores the
/// caller's mode afterwards. The caller's mode may flush subnormal numbers to zero or round
/// differently, but the gate needs the default mode.
class DefaultFloatingPointMode {
 public:
  DefaultFloatingPointMode() {
    std::fegetenv(&callers_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~DefaultFloatingPointMode() { std::fesetenv(&callers_); }
  DefaultFloatingPointMode(const DefaultFloatingPointMode&) = delete;
  DefaultFloatingPointMode& operator=(const DefaultFloatingPointMode&) = delete;

  /// Calls `f`, a function of the caller, in the caller's floating-point mode, and returns its
  /// result.
  template <class F>
  auto call_in_caller_mode(F&& f) const {
    std::fesetenv(&callers_);
    const auto result = f();
    std::fegetenv(&callers_);
    std::fesetenv(FE_DFL_ENV);
    return result;
  }

 private:
  mutable std::fenv_t callers_;
};

}  // namespace normproof::verification::bindings::c
