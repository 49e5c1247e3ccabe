#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cfenv>
#include <string_view>

#include "ref/io/stored_tensor.hpp"
#include "ref/numeric/errors.hpp"
#include "verification/bindings/c/normproof.h"

/// What stands between C and C++: dtypes, tensors, arguments, the floating-point mode.
namespace normproof::verification::bindings::c {

inline std::int32_t number_of(ref::io::DType dtype) {
  return static_cast<std::int32_t>(std::ranges::find(ref::io::kDTypes, dtype) -
                                   std::begin(ref::io::kDTypes));
}

/// Throws    UsageError where a condition on the arguments of a function is not met
inline void require(bool met, const char* function, std::string_view sentence) {
  if (!met) throw ref::numeric::UsageError(fmt::format("{}: {}", function, sentence));
}

/// The tensor that a caller describes, without its elements, and how many bytes these take.
struct Described {
  ref::io::StoredTensor tensor;
  std::size_t bytes = 0;
};
/// Requires  a name; the shape is not read where the rank is refused
/// Throws    UsageError that names `function` and the tensor
Described described(const char* function, const char* name, std::int32_t dtype, std::int32_t rank,
                    const std::int64_t* shape, const void* data);

/// Candidates flush subnormal numbers to zero, or round otherwise: the gate does not.
class OwnMode {
 public:
  OwnMode() {
    std::fegetenv(&callers_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~OwnMode() { std::fesetenv(&callers_); }
  OwnMode(const OwnMode&) = delete;
  OwnMode& operator=(const OwnMode&) = delete;

  /// f() in the mode of the caller, where it is the caller's code.
  template <class F>
  auto outside(F&& f) const {
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
