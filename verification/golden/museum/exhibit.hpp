#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "verification/golden/corpus/case.hpp"

/// Published bugs, each reimplemented from its description as a small wrong kernel. No third-party
/// code is included.
namespace normproof::verification::golden::museum {

using corpus::Case;
using corpus::DType;
using ref::io::StoredTensor;

/// The environment of a kernel.
struct Device {
  double uninitialized_value = 0;  ///< the contents of uninitialized memory
};

/// Returns the output of a kernel for any case of its operation. If its bug does not affect the
/// case, the output is correct.
using Kernel = std::function<std::vector<StoredTensor>(const Case&, const Device&)>;

/// For bugs whose report and fix do not say what the tests had missed.
inline constexpr const char* kUnknownGap = "not said";

struct Exhibit {
  std::string name;            ///< lower-case letters, digits and '_'
  std::string link;            ///< "owner/project#number", a GitHub issue or pull request
  std::string sentence;        ///< what goes wrong
  std::string missed_by;       ///< what the project's own tests had not covered
  std::string op;              ///< the operation of the corpus
  std::optional<DType> dtype;  ///< the only dtype that is affected; absent: all are
  Kernel run;
};

std::vector<Exhibit> layer_norm_exhibits();
std::vector<Exhibit> rms_norm_exhibits();
std::vector<Exhibit> slice_norm_exhibits();  ///< statistics over groups of channels, and over rows
std::vector<Exhibit> function_exhibits();
std::vector<Exhibit> attention_exhibits();
std::vector<Exhibit> optimizer_exhibits();

/// Returns every exhibit, family by family.
std::vector<Exhibit> all_exhibits();

}  // namespace normproof::verification::golden::museum
