#pragma once

#include <cstddef>

namespace normproof::tests::ref::io {

/// Records the largest single request to operator new since the last probe was constructed. A
/// program that links this file gets a replaced operator new.
class AllocationProbe {
 public:
  AllocationProbe();
  std::size_t largest() const;
};

}  // namespace normproof::tests::ref::io
