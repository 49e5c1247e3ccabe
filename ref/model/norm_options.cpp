#include "ref/model/norm_options.hpp"

#include <iterator>
#include <span>

#include "ref/model/option_fields.hpp"

namespace normproof::ref::numeric {

// Found by argument-dependent lookup from option_fields.hpp, which asks for the names of a storage
// format.
static std::span<const std::pair<const char*, FloatType>> names_of(FloatType) {
  static const auto names = [] {
    std::vector<std::pair<const char*, FloatType>> stored;
    for (const FloatFormat& format : kFloatFormats)
      if (is_stored(format)) stored.emplace_back(format.name, format.type);
    return stored;
  }();
  return names;
}

}  // namespace normproof::ref::numeric

namespace normproof::ref::model {
namespace {

constexpr std::pair<const char*, CastOrder> kCastOrders[] = {
    {"after_gamma", CastOrder::after_gamma}, {"before_gamma", CastOrder::before_gamma}};

}  // namespace

// Found by argument-dependent lookup from option_fields.hpp.
static std::span<const std::pair<const char*, CastOrder>> names_of(CastOrder) {
  return kCastOrders;
}

// The fields of each struct by name: the one list that setting, listing and error messages share.
static void visit_fields(NoneOptions&, auto&&) {}
static void visit_fields(BatchNormOptions& o, auto&& f) {
  f("eps", o.eps);
  f("running_decay", o.running_decay);
  f("unbiased_running_variance", o.unbiased_running_variance);
}
static void visit_fields(LayerNormOptions& o, auto&& f) {
  f("eps", o.eps);
}
static void visit_fields(RMSNormOptions& o, auto&& f) {
  f("eps", o.eps);
  f("cast_order", o.cast_order);
  f("storage", o.storage);
}
static void visit_fields(GroupNormOptions& o, auto&& f) {
  f("eps", o.eps);
  f("groups", o.groups);
}
static void visit_fields(InstanceNormOptions& o, auto&& f) {
  f("eps", o.eps);
}
static void visit_fields(PowerNormVOptions& o, auto&& f) {
  f("eps", o.eps);
  f("running_decay", o.running_decay);
}
static void visit_fields(PowerNormOptions& o, auto&& f) {
  f("eps", o.eps);
  f("alpha_forward", o.alpha_forward);
  f("alpha_backward", o.alpha_backward);
  f("warmup_iterations", o.warmup_iterations);
}
static void visit_fields(PowerNormReleasedOptions& o, auto&& f) {
  f("eps", o.eps);
  f("alpha_forward", o.alpha_forward);
  f("alpha_backward", o.alpha_backward);
  f("warmup_iterations", o.warmup_iterations);
  f("groups", o.groups);
  f("group_eps", o.group_eps);
  f("group_scaling", o.group_scaling);
  f("divide_by_batch_psi", o.divide_by_batch_psi);
  f("cumulative_warmup_average", o.cumulative_warmup_average);
  f("pads_in_backward", o.pads_in_backward);
  f("scaled_nu", o.scaled_nu);
}
static void visit_fields(BatchRenormOptions& o, auto&& f) {
  f("eps", o.eps);
  f("running_decay", o.running_decay);
  f("r_max", o.r_max);
  f("d_max", o.d_max);
}
static void visit_fields(ScaleNormOptions& o, auto&& f) {
  f("eps", o.eps);
}
static void visit_fields(GroupScalingOptions& o, auto&& f) {
  f("eps", o.eps);
  f("groups", o.groups);
}

namespace {

constexpr const char* kNames[] = {"none",         "batch_norm", "layer_norm",
                                  "rms_norm",     "group_norm", "instance_norm",
                                  "power_norm_v", "power_norm", "power_norm_released",
                                  "batch_renorm", "scale_norm", "group_scaling"};
static_assert(std::size(kNames) == std::variant_size_v<NormOptions>);

}  // namespace

std::string norm_name(const NormOptions& options) {
  return kNames[options.index()];
}

bool has_gamma(const NormOptions& options) {
  return !std::holds_alternative<NoneOptions>(options) &&
         !std::holds_alternative<GroupScalingOptions>(options);
}

bool has_beta(const NormOptions& options) {
  return has_gamma(options) && !std::holds_alternative<ScaleNormOptions>(options);
}

std::vector<std::string> norm_names() {
  return {std::begin(kNames), std::end(kNames)};
}

NormOptions norm_options(std::string_view name) {
  for (std::size_t i = 0; i < std::size(kNames); ++i)
    if (name == kNames[i]) return alternative_at<NormOptions>(i);
  throw numeric::UsageError(numeric::unknown_name("layer", name, norm_names()));
}

void set_option(NormOptions& options, std::string_view field, std::string_view value) {
  set_field(options, norm_name(options), field, value);
}

std::vector<std::pair<std::string, std::string>> list_options(const NormOptions& options) {
  return list_fields(options);
}

}  // namespace normproof::ref::model
