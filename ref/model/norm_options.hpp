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

/// Training uses the statistics of the batch and moves the running ones; inference uses the running
/// ones and moves nothing.
enum class Mode { training, inference };

/// How the elements of x, and of what has its shape, lie in a file or an array. The functions of
/// ref/norm and gpu/norm take rows alone; verification/checks/evaluation makes rows of the others.
enum class Layout {
  rows,            ///< [N,D] or [B,T,D]
  channels_first,  ///< [B,D,H,W], D channels: T = H W tokens
  channels_last    ///< [B,H,W,D]
};

/// One struct a layer: pure description. Every field has the name that `normproof eval --set`
/// takes. eps is always added to the squared statistic inside the root.
/// running_decay, alpha_forward and alpha_backward are the weight of the OLD value.

struct NoneOptions {};

struct BatchNormOptions {
  double eps = 1e-5;
  double running_decay = 0.9;
  bool unbiased_running_variance = true;  ///< running variance from n/(n-1) times the biased one
  Layout layout = Layout::rows;
};

struct LayerNormOptions {
  double eps = 1e-5;
  bool zero_centred_gamma = false;  ///< 1 + gamma multiplies: norm_step adds the 1
};

/// Where a low-precision implementation rounds: y = gamma * cast(x_hat), or y = cast(gamma *
/// x_hat).
enum class CastOrder { after_gamma, before_gamma };
/// The format that the cast rounds to, ties to even, one that tensors are stored in; float64 is no
/// cast.
using StorageFormat = numeric::FloatType;

struct RMSNormOptions {
  double eps = 1e-5;
  CastOrder cast_order = CastOrder::after_gamma;
  StorageFormat storage = StorageFormat::float64;
  bool zero_centred_gamma = false;  ///< 1 + gamma multiplies: norm_step adds the 1
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
  std::int64_t warmup_iterations = 0;  ///< first iterations that normalise by the batch's own psi
};

/// As released. Each switch is one difference from the paper; with all of them off, no group
/// scaling and the same alphas, eps and warm-up it computes what PowerNorm computes.
struct PowerNormReleasedOptions {
  double eps = 1e-5;
  double alpha_forward = 0.9;
  double alpha_backward = 0.9;
  std::int64_t warmup_iterations = 10000;
  std::int64_t groups = 1;                ///< of group scaling
  double group_eps = 1e-5;                ///< of group scaling
  bool group_scaling = true;              ///< per-token, per-group RMS scaling comes first
  bool divide_by_batch_psi = true;        ///< the backward divides by the batch's psi, always
  bool cumulative_warmup_average = true;  ///< running_psi2: cumulative mean and EMA during warm-up
  bool pads_in_backward = true;           ///< Gamma and Lambda average over padded rows too
  bool scaled_nu = true;                  ///< the state nu holds ema_gz = nu / (1 - alpha_backward)
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

/// Dynamic tanh takes no statistics, so that it has no eps.
struct DyTOptions {
  double alpha0 = 0.5;  ///< the initial value of the parameter alpha
};

/// Every layer of ref/norm: the closed list.
using NormOptions =
    std::variant<NoneOptions, BatchNormOptions, LayerNormOptions, RMSNormOptions, GroupNormOptions,
                 InstanceNormOptions, PowerNormVOptions, PowerNormOptions, PowerNormReleasedOptions,
                 BatchRenormOptions, ScaleNormOptions, GroupScalingOptions, DyTOptions>;

/// "none", "batch_norm", "layer_norm", "rms_norm", "group_norm", "instance_norm", "power_norm_v",
/// "power_norm", "power_norm_released", "batch_renorm", "scale_norm", "group_scaling", "dyt".
std::string norm_name(const NormOptions& options);
std::vector<std::string> norm_names();

/// The layer's default options.
/// Throws    UsageError with the nearest known name
NormOptions norm_options(std::string_view name);

/// Sets one field from text, e.g. ("eps", "1e-3"), ("storage", "bfloat16"), ("group_scaling", "0").
/// Throws    UsageError with the nearest known field, or naming field, value and expectation
void set_option(NormOptions& options, std::string_view field, std::string_view value);

/// Every field with its value as text, in the order of declaration; doubles in shortest form that
/// reads back to the same bits. `layout` and `zero_centred_gamma` are listed where they are set:
/// what was written before there were such options reads as it did.
std::vector<std::pair<std::string, std::string>> list_options(const NormOptions& options);
/// The same with these, set or not.
std::vector<std::pair<std::string, std::string>> list_all_options(const NormOptions& options);

}  // namespace normproof::ref::model
