#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace normproof::ref::model {

/// How a model is trained: pure description. Every field has the name that set_option takes. What
/// each of them does: docs/specification/training.md.

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
  double weight_decay = 0.01;  ///< times the learning rate, apart from the gradient
};
/// Every optimizer of ref/train: the closed list.
using OptimizerOptions = std::variant<SgdOptions, AdamOptions, AdamWOptions>;

struct ConstantRate {};
struct InverseSquareRoot {
  std::int64_t warmup_steps = 4000;  ///< linear up to the base rate, which is the peak
};
struct LinearWarmup {
  std::int64_t warmup_steps = 4000;  ///< linear up to the base rate, then constant
};
/// Every schedule of the learning rate: the closed list.
using ScheduleOptions = std::variant<ConstantRate, InverseSquareRoot, LinearWarmup>;

struct LossOptions {
  double label_smoothing = 0;  ///< share of the target that is spread over all classes
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
  double limit = 0.1;  ///< of either sign
};
/// Every way of filling a weight: the closed list.
using InitializationOptions =
    std::variant<XavierNormal, XavierUniform, KaimingNormal, KaimingUniform, PlainUniform>;

/// "sgd", "adam", "adamw".
std::string optimizer_name(const OptimizerOptions& options);
std::vector<std::string> optimizer_names();
/// "constant", "inverse_square_root", "linear_warmup".
std::string schedule_name(const ScheduleOptions& options);
std::vector<std::string> schedule_names();
/// "xavier_normal", "xavier_uniform", "kaiming_normal", "kaiming_uniform", "uniform".
std::string initialization_name(const InitializationOptions& options);
std::vector<std::string> initialization_names();

/// The default options of a name.
/// Throws    UsageError with the nearest known name
OptimizerOptions optimizer_options(std::string_view name);
ScheduleOptions schedule_options(std::string_view name);
InitializationOptions initialization_options(std::string_view name);

/// set_option and list_options of the options of training, as of NormOptions.
void set_option(OptimizerOptions& options, std::string_view field, std::string_view value);
void set_option(ScheduleOptions& options, std::string_view field, std::string_view value);
void set_option(LossOptions& options, std::string_view field, std::string_view value);
void set_option(InitializationOptions& options, std::string_view field, std::string_view value);
std::vector<std::pair<std::string, std::string>> list_options(const OptimizerOptions& options);
std::vector<std::pair<std::string, std::string>> list_options(const ScheduleOptions& options);
std::vector<std::pair<std::string, std::string>> list_options(const LossOptions& options);
std::vector<std::pair<std::string, std::string>> list_options(const InitializationOptions& options);

}  // namespace normproof::ref::model
