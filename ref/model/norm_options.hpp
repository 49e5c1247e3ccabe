#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "ref/numeric/float_format.hpp"

namespace normproof::ref::model {

/// Training uses the statistics of the batch and updates the running ones. Inference uses the
/// running statistics and updates nothing.
enum class Mode { training, inference };

/// How the elements of x, and of tensors of its shape, are ordered in a file or an array. The
/// functions of ref/norm and gpu/norm accept only rows; verification/checks/evaluation converts the
/// other layouts to rows.
enum class Layout {
  rows,            ///< [N,D] or [B,T,D]
  channels_first,  ///< [B,D,H,W]: D channels, and T = H W tokens
  channels_last    ///< [B,H,W,D]
};

/// Options of the layers, one struct per layer. Every field has the name that
/// `normproof apply --set` accepts. eps is always added to the squared statistic inside the root.
/// running_decay, alpha_forward and alpha_backward are the weight of the OLD value.

struct NoneOptions {};

struct BatchNormOptions {
  double eps = 1e-5;
  double running_decay = 0.9;
  /// Updates the running variance with n/(n-1) times the biased one.
  bool unbiased_running_variance = true;
  Layout layout = Layout::rows;
};

struct LayerNormOptions {
  double eps = 1e-5;
  bool zero_centred_gamma = false;  ///< the scale is 1 + gamma; norm_step adds the 1
};

/// Where a low-precision implementation rounds: y = gamma * cast(x_hat), or y = cast(gamma *
/// x_hat).
enum class CastOrder { after_gamma, before_gamma };
/// The format that the cast rounds to, with ties to even. It is one of the formats that tensors are
/// stored in; float64 means no cast.
using StorageFormat = numeric::FloatType;

struct RMSNormOptions {
  double eps = 1e-5;
  CastOrder cast_order = CastOrder::after_gamma;
  StorageFormat storage = StorageFormat::float64;
  bool zero_centred_gamma = false;  ///< the scale is 1 + gamma; norm_step adds the 1
};

struct GroupNormOptions {
  double eps = 1e-5;
  std::int64_t groups = 1;
  Layout layout = Layout::rows;
};

struct InstanceNormOptions {
  double eps = 1e-5;
};

struct PowerNormVOptions {
  double eps = 1e-5;
  double running_decay = 0.9;
};

struct PowerNormOptions {
  double eps = 1e-5;
  double alpha_forward = 0.9;
  double alpha_backward = 0.9;
  /// Number of first iterations that normalize by the batch's psi.
  std::int64_t warmup_iterations = 0;
};

/// PowerNorm as in the released code. Each switch is one difference from the paper. With all
/// switches off and the same alphas, eps and warm-up, it computes what PowerNorm computes.
struct PowerNormReleasedOptions {
  double eps = 1e-5;
  double alpha_forward = 0.9;
  double alpha_backward = 0.9;
  std::int64_t warmup_iterations = 10000;
  std::int64_t groups = 1;  ///< for group scaling
  double group_eps = 1e-5;  ///< for group scaling
  /// Scales each group of features of each token by its RMS first.
  bool group_scaling = true;
  bool divide_by_batch_psi = true;  ///< the backward always divides by the batch's psi
  /// running_psi2 gets a cumulative mean and a moving average in the warm-up.
  bool cumulative_warmup_average = true;
  bool pads_in_backward = true;  ///< Gamma and Lambda are averages over padded rows too
  bool scaled_nu = true;         ///< the state nu holds ema_gz = nu / (1 - alpha_backward)
};

struct BatchRenormOptions {
  double eps = 1e-5;
  double running_decay = 0.9;
  double r_max = 3.0;
  double d_max = 5.0;
};

struct ScaleNormOptions {
  double eps = 1e-5;
};

struct GroupScalingOptions {
  double eps = 1e-5;
  std::int64_t groups = 1;
};

/// Dynamic tanh has no statistics, so it has no eps.
struct DyTOptions {
  double alpha0 = 0.5;  ///< the initial value of the parameter alpha
};

/// All layers of ref/norm.
using NormOptions =
    std::variant<NoneOptions, BatchNormOptions, LayerNormOptions, RMSNormOptions, GroupNormOptions,
                 InstanceNormOptions, PowerNormVOptions, PowerNormOptions, PowerNormReleasedOptions,
                 BatchRenormOptions, ScaleNormOptions, GroupScalingOptions, DyTOptions>;

/// Returns the name of the layer: "none", "batch_norm", "layer_norm", "rms_norm", "group_norm",
/// "instance_norm", "power_norm_v", "power_norm", "power_norm_released", "batch_renorm",
/// "scale_norm", "group_scaling" or "dyt". norm_names returns all of them.
std::string norm_name(const NormOptions& options);
std::vector<std::string> norm_names();

/// Returns the layer's default options.
/// Throws    UsageError that suggests the nearest known name
NormOptions norm_options(std::string_view name);

/// Sets one field from text, e.g. ("eps", "1e-3"), ("storage", "bfloat16"), ("group_scaling", "0").
/// Throws    UsageError that suggests the nearest known field, or names field, value and
///           expectation
void set_option(NormOptions& options, std::string_view field, std::string_view value);

/// Returns every field with its value as text, in the order of declaration. A double has the
/// shortest form that reads back to the same bits. `layout` and `zero_centred_gamma` are listed
/// only if they differ from their defaults, because older files do not contain them.
std::vector<std::pair<std::string, std::string>> list_options(const NormOptions& options);
/// Returns every field, including those that list_options omits.
std::vector<std::pair<std::string, std::string>> list_all_options(const NormOptions& options);

}  // namespace normproof::ref::model
