#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace normproof::ref::model {

/// The options of training. Every field has the name that set_option accepts.
/// docs/specification/training.md explains them.

struct SgdOptions {
  double momentum = 0;  ///< weight of the old velocity; the new gradient has weight 1
};
struct AdamOptions {
  double beta1 = 0.9;    ///< weight of the old first moment
  double beta2 = 0.999;  ///< weight of the old second moment
  double eps = 1e-8;     ///< added outside the root
};
struct AdamWOptions {
  double beta1 = 0.9;
  double beta2 = 0.999;
  double eps = 1e-8;
  double weight_decay = 0.01;  ///< multiplied by the learning rate; not part of the gradient
};
/// The options of any optimizer of ref/train.
using OptimizerOptions = std::variant<SgdOptions, AdamOptions, AdamWOptions>;

struct ConstantRate {};
struct InverseSquareRoot {
  /// The number of steps in which the rate grows linearly to the base rate, its maximum.
  std::int64_t warmup_steps = 4000;
};
struct LinearWarmup {
  /// The number of steps in which the rate grows linearly to the base rate. Afterwards it is
  /// constant.
  std::int64_t warmup_steps = 4000;
};
/// The options of any schedule of the learning rate.
using ScheduleOptions = std::variant<ConstantRate, InverseSquareRoot, LinearWarmup>;

struct LossOptions {
  double label_smoothing = 0;  ///< the probability that is spread evenly over all classes
};

struct XavierNormal {
  double gain = 1;
};
struct XavierUniform {
  double gain = 1;
};
struct KaimingNormal {
  double gain = 1;
};
struct KaimingUniform {
  double gain = 1;
};
struct PlainUniform {
  double limit = 0.1;  ///< the range is [-limit, limit]
};
/// The options of any initialization of a weight.
using InitializationOptions =
    std::variant<XavierNormal, XavierUniform, KaimingNormal, KaimingUniform, PlainUniform>;

/// Returns the name of the optimizer: "sgd", "adam" or "adamw". optimizer_names returns all of
/// them.
std::string optimizer_name(const OptimizerOptions& options);
std::vector<std::string> optimizer_names();
/// Returns the name of the schedule: "constant", "inverse_square_root" or "linear_warmup".
/// schedule_names returns all of them.
std::string schedule_name(const ScheduleOptions& options);
std::vector<std::string> schedule_names();
/// Returns the name of the initialization: "xavier_normal", "xavier_uniform", "kaiming_normal",
/// "kaiming_uniform" or "uniform". initialization_names returns all of them.
std::string initialization_name(const InitializationOptions& options);
std::vector<std::string> initialization_names();

/// Return the default options of the optimizer, schedule or initialization with this name.
/// Throws    UsageError that suggests the nearest known name
OptimizerOptions optimizer_options(std::string_view name);
ScheduleOptions schedule_options(std::string_view name);
InitializationOptions initialization_options(std::string_view name);

/// Set and list the options of training. They work like the functions of the same names for
/// NormOptions.
void set_option(OptimizerOptions& options, std::string_view field, std::string_view value);
void set_option(ScheduleOptions& options, std::string_view field, std::string_view value);
void set_option(LossOptions& options, std::string_view field, std::string_view value);
void set_option(InitializationOptions& options, std::string_view field, std::string_view value);
std::vector<std::pair<std::string, std::string>> list_options(const OptimizerOptions& options);
std::vector<std::pair<std::string, std::string>> list_options(const ScheduleOptions& options);
std::vector<std::pair<std::string, std::string>> list_options(const LossOptions& options);
std::vector<std::pair<std::string, std::string>> list_options(const InitializationOptions& options);

}  // namespace normproof::ref::model
