#include "ref/model/train_options.hpp"

#include <iterator>
#include <optional>

#include "ref/model/operation_names.hpp"
#include "ref/model/option_fields.hpp"

namespace normproof::ref::model {

// option_fields.hpp finds these functions by argument-dependent lookup.
static void visit_fields(SgdOptions& o, auto&& f) {
  f("momentum", o.momentum);
}
static void visit_fields(AdamOptions& o, auto&& f) {
  f("beta1", o.beta1);
  f("beta2", o.beta2);
  f("eps", o.eps);
}
static void visit_fields(AdamWOptions& o, auto&& f) {
  f("beta1", o.beta1);
  f("beta2", o.beta2);
  f("eps", o.eps);
  f("weight_decay", o.weight_decay);
}
static void visit_fields(ConstantRate&, auto&&) {}
static void visit_fields(InverseSquareRoot& o, auto&& f) {
  f("warmup_steps", o.warmup_steps);
}
static void visit_fields(LinearWarmup& o, auto&& f) {
  f("warmup_steps", o.warmup_steps);
}
static void visit_fields(LossOptions& o, auto&& f) {
  f("label_smoothing", o.label_smoothing);
}
static void visit_fields(XavierNormal& o, auto&& f) {
  f("gain", o.gain);
}
static void visit_fields(XavierUniform& o, auto&& f) {
  f("gain", o.gain);
}
static void visit_fields(KaimingNormal& o, auto&& f) {
  f("gain", o.gain);
}
static void visit_fields(KaimingUniform& o, auto&& f) {
  f("gain", o.gain);
}
static void visit_fields(PlainUniform& o, auto&& f) {
  f("limit", o.limit);
}

namespace {

constexpr const char* kOptimizers[] = {"sgd", "adam", "adamw"};
constexpr const char* kSchedules[] = {"constant", "inverse_square_root", "linear_warmup"};
constexpr const char* kInitializations[] = {"xavier_normal", "xavier_uniform", "kaiming_normal",
                                            "kaiming_uniform", "uniform"};
static_assert(std::size(kOptimizers) == std::variant_size_v<OptimizerOptions>);
static_assert(std::size(kSchedules) == std::variant_size_v<ScheduleOptions>);
static_assert(std::size(kInitializations) == std::variant_size_v<InitializationOptions>);

template <std::size_t count>
std::vector<std::string> copy_names(const char* const (&names)[count]) {
  return {std::begin(names), std::end(names)};
}

template <class Variant, std::size_t count>
Variant default_alternative(const char* const (&names)[count], std::string_view kind,
                            std::string_view name) {
  for (std::size_t i = 0; i < count; ++i)
    if (name == names[i]) return make_alternative<Variant>(i);
  throw numeric::UsageError(numeric::unknown_name(kind, name, copy_names(names)));
}

}  // namespace

std::string optimizer_name(const OptimizerOptions& options) {
  return kOptimizers[options.index()];
}
std::string schedule_name(const ScheduleOptions& options) {
  return kSchedules[options.index()];
}
std::string initialization_name(const InitializationOptions& options) {
  return kInitializations[options.index()];
}

std::vector<std::string> optimizer_names() {
  return copy_names(kOptimizers);
}
std::vector<std::string> schedule_names() {
  return copy_names(kSchedules);
}
std::vector<std::string> initialization_names() {
  return copy_names(kInitializations);
}

OptimizerOptions optimizer_options(std::string_view name) {
  const std::optional<std::string> known = find_operation_name(name);
  return default_alternative<OptimizerOptions>(kOptimizers, "optimizer",
                                               known ? std::string_view(*known) : name);
}
ScheduleOptions schedule_options(std::string_view name) {
  return default_alternative<ScheduleOptions>(kSchedules, "schedule", name);
}
InitializationOptions initialization_options(std::string_view name) {
  return default_alternative<InitializationOptions>(kInitializations, "initialization", name);
}

void set_option(OptimizerOptions& options, std::string_view field, std::string_view value) {
  set_field(options, optimizer_name(options), field, value);
}
void set_option(ScheduleOptions& options, std::string_view field, std::string_view value) {
  set_field(options, schedule_name(options), field, value);
}
void set_option(LossOptions& options, std::string_view field, std::string_view value) {
  std::variant<LossOptions> one(options);
  set_field(one, "loss", field, value);
  options = std::get<0>(one);
}
void set_option(InitializationOptions& options, std::string_view field, std::string_view value) {
  set_field(options, initialization_name(options), field, value);
}

std::vector<std::pair<std::string, std::string>> list_options(const OptimizerOptions& options) {
  return list_fields(options);
}
std::vector<std::pair<std::string, std::string>> list_options(const ScheduleOptions& options) {
  return list_fields(options);
}
std::vector<std::pair<std::string, std::string>> list_options(const LossOptions& options) {
  return list_fields(std::variant<LossOptions>(options));
}
std::vector<std::pair<std::string, std::string>> list_options(
    const InitializationOptions& options) {
  return list_fields(options);
}

}  // namespace normproof::ref::model
