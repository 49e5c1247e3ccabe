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

/// Whether a step trains. Training uses the statistics of the batch and updates the running
/// statistics. Inference uses the running statistics and updates nothing.
enum class Mode { training, inference };

/// The order in which the elements of x, and of tensors of its shape, are stored in a file or an
/// array. The functions of ref/norm and gpu/norm accept only rows. verification/checks/evaluation
/// converts the other layouts to rows.
enum class Layout {
  rows,            ///< [N,D] or [B,T,D]
  channels_first,  ///< [B,D,H,W]: D channels, and T = H W tokens
  channels_last    ///< [B,H,W,D]
};

/// The options of the norm layers, one struct per layer. Every field has the name that `normproof
/// apply --set` accepts. eps is added to the squared statistic, inside the root. running_decay,
/// alpha_forward and alpha_backward are the weights of the OLD value when a running average is
/// updated.

struct NoneOptions {};

struct BatchNormOptions {
  double eps = 1e-5;
  double running_decay = 0.9;
  /// Whether the running variance is updated with the biased variance times n/(n-1), where n is the
  /// number of valid rows.
  bool unbiased_running_variance = true;
  Layout layout = Layout::rows;
};

struct LayerNormOptions {
  double eps = 1e-5;
  bool zero_centred_gamma = false;  ///< the scale is 1 + gamma; norm_step adds the 1
};

/// When a low-precision implementation rounds. With `after_gamma`, it computes `y = cast(gamma *
/// x_hat)`. With `before_gamma`, it computes `y = gamma * cast(x_hat)`.
enum class CastOrder { after_gamma, before_gamma };
/// The format to which the cast rounds, with ties to even. It is a format in which tensors can be
/// stored; float64 means no cast.
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
  /// The number of iterations at the start in which the layer normalizes by the quadratic mean of
  /// the batch instead of the running quadratic mean.
  std::int64_t warmup_iterations = 0;
};

/// PowerNorm as in the authors' released code. Each switch turns on one difference from the paper.
/// If all switches are off, and the alphas, eps and the warm-up have the values of PowerNorm, the
/// layer computes what PowerNorm computes.
struct PowerNormReleasedOptions {
  double eps = 1e-5;
  double alpha_forward = 0.9;
  double alpha_backward = 0.9;
  std::int64_t warmup_iterations = 10000;
  std::int64_t groups = 1;  ///< groups of features of the group scaling
  double group_eps = 1e-5;  ///< eps of the group scaling
  /// Whether each group of features of each token is first divided by its root mean square.
  bool group_scaling = true;
  /// Whether the backward always divides by psi of the batch, the root of its quadratic mean.
  bool divide_by_batch_psi = true;
  /// Whether the warm-up updates running_psi2 twice: by a cumulative mean and by a moving average.
  bool cumulative_warmup_average = true;
  /// Whether padded rows are included in the means that update nu, the running statistic of the
  /// backward.
  bool pads_in_backward = true;
  /// Whether the state `nu` holds the nu of the paper divided by 1 - alpha_backward. The variable
  /// ema_gz of the released code holds this quotient too.
  bool scaled_nu = true;
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

/// The options of dynamic tanh. It has no statistics, so it has no eps.
struct DyTOptions {
  double alpha0 = 0.5;  ///< the initial value of the parameter alpha
};

/// The options of any layer of ref/norm.
using NormOptions =
    std::variant<NoneOptions, BatchNormOptions, LayerNormOptions, RMSNormOptions, GroupNormOptions,
                 InstanceNormOptions, PowerNormVOptions, PowerNormOptions, PowerNormReleasedOptions,
                 BatchRenormOptions, ScaleNormOptions, GroupScalingOptions, DyTOptions>;

/// Returns the name of the layer: "none", "batch_norm", "layer_norm", "rms_norm", "group_norm",
/// "instance_norm", "power_norm_v", "power_norm", "power_norm_released", "batch_renorm",
/// "scale_norm", "group_scaling" or "dyt". norm_names returns all of them.
std::string norm_name(const NormOptions& options);
std::vector<std::string> norm_names();

/// Returns the default options of the layer with this name.
/// Throws    UsageError that suggests the nearest known name
NormOptions norm_options(std::string_view name);

/// Sets the field `field` from text. Examples: ("eps", "1e-3"), ("storage", "bfloat16"),
/// ("group_scaling", "0").
/// Throws    UsageError. For an unknown field it suggests the nearest known field; for a wrong
///           value it names the field, the value and what is expected
void set_option(NormOptions& options, std::string_view field, std::string_view value);

/// Returns the name and the value of every field as text, in the order of declaration. A double is
/// printed in the shortest form that reads back to the same bits. `layout` and `zero_centred_gamma`
/// are listed only if they differ from their defaults, because older files do not contain them.
std::vector<std::pair<std::string, std::string>> list_options(const NormOptions& options);
/// Returns the name and the value of every field as text, including the fields that list_options
/// omits.
std::vector<std::pair<std::string, std::string>> list_all_options(const NormOptions& options);

}  // namespace normproof::ref::model
