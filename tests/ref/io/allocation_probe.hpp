#pragma once

#include <cstddef>

namespace normproof::tests::ref::io {

/// Measures the largest single request to operator new, in bytes, since its construction. Only one
/// probe may be in use at a time. The source file replaces operator new in the whole program.
class AllocationProbe {
 public:
  AllocationProbe();
  std::size_t largest_request_bytes() const;
};

}  // namespace normproof::tests::ref::io
