#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "verification/golden/corpus/case.hpp"

/// Public bugs, each made again from its description as a small wrong kernel. No code of others is
/// in here.
namespace normproof::verification::golden::museum {

using corpus::Case;
using corpus::DType;
using ref::io::StoredTensor;

/// What a kernel runs on.
struct Device {
  double leftover = 0;  ///< what memory holds that nobody has written
};

/// The answer of a kernel to any case of its operation; where its bug does not show, a right one.
using Kernel = std::function<std::vector<StoredTensor>(const Case&, const Device&)>;

/// Where neither the report nor the mend says what the tests had not tried.
inline constexpr const char* kNotSaid = "not said";

struct Exhibit {
  std::string name;            ///< lower case, digits and '_'
  std::string link;            ///< "owner/project#number", an issue or a pull request at GitHub
  std::string sentence;        ///< what goes wrong
  std::string missed_by;       ///< what its own tests had not tried
  std::string op;              ///< the operation of the corpus
  std::optional<DType> dtype;  ///< the one in which it goes wrong; absent: in any
  Kernel run;
};

std::vector<Exhibit> layer_norm_exhibits();
std::vector<Exhibit> rms_norm_exhibits();
std::vector<Exhibit> slice_norm_exhibits();  ///< statistics over groups of channels, and over rows
std::vector<Exhibit> function_exhibits();
std::vector<Exhibit> attention_exhibits();
std::vector<Exhibit> optimizer_exhibits();

/// Every exhibit, family by family.
std::vector<Exhibit> all_exhibits();

}  // namespace normproof::verification::golden::museum
