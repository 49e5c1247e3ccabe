#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "verification/golden/corpus/case.hpp"

/// Published bugs of kernels. Each is reimplemented from its description as a small wrong kernel.
/// No third-party code is included.
namespace normproof::verification::golden::museum {

using corpus::Case;
using corpus::DType;
using ref::io::StoredTensor;

/// The environment in which a kernel runs.
struct KernelEnvironment {
  double uninitialized_value = 0;  ///< the value that uninitialized memory contains
};

/// Runs a kernel with a bug on any case of its operation and returns the outputs. If the bug does
/// not affect the case, the outputs are correct.
using Kernel = std::function<std::vector<StoredTensor>(const Case&, const KernelEnvironment&)>;

/// The value of Exhibit::missed_by if neither the bug report nor the fix says what the tests had
/// not covered.
inline constexpr const char* kUnknownGap = "not said";

struct Exhibit {
  std::string name;            ///< lower-case letters, digits and '_'
  std::string link;            ///< GitHub issue or pull request, as "owner/project#number"
  std::string sentence;        ///< what goes wrong
  std::string missed_by;       ///< what the tests of that project had not covered
  std::string op;              ///< name of the operation
  std::optional<DType> dtype;  ///< the only dtype that is affected; nothing if all are
  Kernel run;
};

std::vector<Exhibit> layer_norm_exhibits();
std::vector<Exhibit> rms_norm_exhibits();
/// Bugs in norms with statistics over groups of channels or over rows.
std::vector<Exhibit> slice_norm_exhibits();
std::vector<Exhibit> function_exhibits();
/// Bugs in sigmoid, log_sigmoid, softplus and tanh.
std::vector<Exhibit> activation_exhibits();
/// Bugs in the limit, alpha and beta of swiglu, and in the layout of its operands.
std::vector<Exhibit> swiglu_exhibits();
std::vector<Exhibit> attention_exhibits();
std::vector<Exhibit> loss_exhibits();
/// Bugs in the merge of partial results of attention.
std::vector<Exhibit> merge_exhibits();
/// Bugs in gated_rms_norm.
std::vector<Exhibit> gated_norm_exhibits();
std::vector<Exhibit> optimizer_exhibits();
/// Bugs in outputs of 8 bits with scales.
std::vector<Exhibit> scaled_exhibits();

/// Returns all exhibits of all families.
std::vector<Exhibit> all_exhibits();

}  // namespace normproof::verification::golden::museum
