#pragma once

#include <cstddef>

namespace normproof::tests::ref::io {

/// The largest single request to operator new since the construction of the last probe. The program
/// that links this file has its operator new replaced.
class AllocationProbe {
 public:
  AllocationProbe();
  std::size_t largest() const;
};

}  // namespace normproof::tests::ref::io
