#include "ref/model/norm_layers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <type_traits>
#include <variant>

#include "ref/model/norm_fields.hpp"
#include "ref/numeric/errors.hpp"

namespace normproof::ref::model {
namespace {

constexpr NormParameter kGammaAndBeta[] = {{"gamma", EntryShape::features, 1},
                                           {"beta", EntryShape::features, 0}};
constexpr NormParameter kOneGamma[] = {{"gamma", EntryShape::one, 1}};
constexpr NormParameter kGammaBetaAndAlpha[] = {{"gamma", EntryShape::features, 1},
                                                {"beta", EntryShape::features, 0},
                                                {"alpha", EntryShape::one, 0.5, "alpha0"}};

constexpr NormState kMeanAndVariance[] = {{"running_mean", EntryShape::features, 0},
                                          {"running_variance", EntryShape::features, 1}};
constexpr NormState kPsi2[] = {{"running_psi2", EntryShape::features, 1}};
constexpr NormState kPsi2AndNu[] = {{"running_psi2", EntryShape::features, 1},
                                    {"nu", EntryShape::features, 0},
                                    {"iterations", EntryShape::one, 0}};

constexpr NormPartition kRows[] = {{Partition::row, false}};
constexpr NormPartition kCenteredRows[] = {{Partition::row, true}};
constexpr NormPartition kRowGroups[] = {{Partition::row_group, false}};
constexpr NormPartition kChannels[] = {{Partition::channel, false}};
constexpr NormPartition kCenteredChannels[] = {{Partition::channel, true}};
constexpr NormPartition kCenteredSampleChannels[] = {{Partition::sample_channel, true}};
constexpr NormPartition kCenteredSampleGroups[] = {{Partition::sample_group, true}};
constexpr NormPartition kRowGroupsThenChannels[] = {
    {Partition::row_group, false, "group_eps", "group_scaling"}, {Partition::channel, false}};

constexpr auto kAfterTrainingForward = StatisticAvailability::training_forward;
constexpr auto kAfterTrainingBackward = StatisticAvailability::training_backward;
constexpr NormStatistic kMeanAndRstdOfRows[] = {{"mean", EntryShape::rows},
                                                {"rstd", EntryShape::rows}};
constexpr NormStatistic kRstdOfRows[] = {{"rstd", EntryShape::rows}};
constexpr NormStatistic kRnormOfRows[] = {{"rnorm", EntryShape::rows}};
constexpr NormStatistic kRstdOfRowGroups[] = {{"rstd", EntryShape::row_groups}};
constexpr NormStatistic kMeanAndRstdOfSampleChannels[] = {{"mean", EntryShape::sample_channels},
                                                          {"rstd", EntryShape::sample_channels}};
constexpr NormStatistic kMeanAndRstdOfSampleGroups[] = {{"mean", EntryShape::sample_groups},
                                                        {"rstd", EntryShape::sample_groups}};
constexpr NormStatistic kBatchNormStatistics[] = {
    {"mean", EntryShape::features, kAfterTrainingForward},
    {"biased_variance", EntryShape::features, kAfterTrainingForward},
    {"rstd", EntryShape::features}};
constexpr NormStatistic kBatchRenormStatistics[] = {
    {"mean", EntryShape::features, kAfterTrainingForward},
    {"biased_variance", EntryShape::features, kAfterTrainingForward},
    {"rstd", EntryShape::features},
    {"r", EntryShape::features, kAfterTrainingForward},
    {"d", EntryShape::features, kAfterTrainingForward}};
constexpr NormStatistic kPowerNormVStatistics[] = {
    {"quadratic_mean", EntryShape::features, kAfterTrainingForward},
    {"rstd", EntryShape::features}};
constexpr NormStatistic kPowerNormStatistics[] = {
    {"quadratic_mean", EntryShape::features, kAfterTrainingForward},
    {"rstd", EntryShape::features},
    {"mean_x_hat_squared", EntryShape::features, kAfterTrainingBackward},
    {"mean_g_x_hat", EntryShape::features, kAfterTrainingBackward}};
constexpr NormStatistic kPowerNormReleasedStatistics[] = {
    {"quadratic_mean", EntryShape::features, kAfterTrainingForward},
    {"rstd", EntryShape::features},
    {"batch_rstd", EntryShape::features, kAfterTrainingForward},
    {"group_rstd", EntryShape::row_groups, StatisticAvailability::forward, "group_scaling"},
    {"mean_x_hat_squared", EntryShape::features, kAfterTrainingBackward},
    {"mean_g_x_hat", EntryShape::features, kAfterTrainingBackward}};

// There is one description for each struct of options. If an alternative of NormOptions has none,
// this file does not compile.
template <class Options>
struct LayerDescription;

template <>
struct LayerDescription<NoneOptions> {
  static constexpr NormLayer value{.name = "none"};
};
template <>
struct LayerDescription<BatchNormOptions> {
  static constexpr NormLayer value{.name = "batch_norm",
                                   .cells = kCenteredChannels,
                                   .parameters = kGammaAndBeta,
                                   .state = kMeanAndVariance,
                                   .statistics = kBatchNormStatistics};
};
template <>
struct LayerDescription<LayerNormOptions> {
  static constexpr NormLayer value{.name = "layer_norm",
                                   .cells = kCenteredRows,
                                   .parameters = kGammaAndBeta,
                                   .statistics = kMeanAndRstdOfRows};
};
template <>
struct LayerDescription<RMSNormOptions> {
  static constexpr NormLayer value{
      .name = "rms_norm", .cells = kRows, .parameters = kGammaAndBeta, .statistics = kRstdOfRows};
};
template <>
struct LayerDescription<GroupNormOptions> {
  static constexpr NormLayer value{.name = "group_norm",
                                   .cells = kCenteredSampleGroups,
                                   .parameters = kGammaAndBeta,
                                   .statistics = kMeanAndRstdOfSampleGroups};
};
template <>
struct LayerDescription<InstanceNormOptions> {
  static constexpr NormLayer value{.name = "instance_norm",
                                   .cells = kCenteredSampleChannels,
                                   .parameters = kGammaAndBeta,
                                   .statistics = kMeanAndRstdOfSampleChannels};
};
template <>
struct LayerDescription<PowerNormVOptions> {
  static constexpr NormLayer value{.name = "power_norm_v",
                                   .cells = kChannels,
                                   .parameters = kGammaAndBeta,
                                   .state = kPsi2,
                                   .statistics = kPowerNormVStatistics};
};
template <>
struct LayerDescription<PowerNormOptions> {
  static constexpr NormLayer value{.name = "power_norm",
                                   .cells = kChannels,
                                   .parameters = kGammaAndBeta,
                                   .state = kPsi2AndNu,
                                   .statistics = kPowerNormStatistics,
                                   .exact_backward = false};
};
template <>
struct LayerDescription<PowerNormReleasedOptions> {
  static constexpr NormLayer value{.name = "power_norm_released",
                                   .cells = kRowGroupsThenChannels,
                                   .parameters = kGammaAndBeta,
                                   .state = kPsi2AndNu,
                                   .statistics = kPowerNormReleasedStatistics,
                                   .exact_backward = false};
};
template <>
struct LayerDescription<BatchRenormOptions> {
  static constexpr NormLayer value{.name = "batch_renorm",
                                   .cells = kCenteredChannels,
                                   .parameters = kGammaAndBeta,
                                   .state = kMeanAndVariance,
                                   .statistics = kBatchRenormStatistics};
};
template <>
struct LayerDescription<ScaleNormOptions> {
  static constexpr NormLayer value{
      .name = "scale_norm", .cells = kRows, .parameters = kOneGamma, .statistics = kRnormOfRows};
};
template <>
struct LayerDescription<GroupScalingOptions> {
  static constexpr NormLayer value{
      .name = "group_scaling", .cells = kRowGroups, .statistics = kRstdOfRowGroups};
};

template <>
struct LayerDescription<DyTOptions> {
  static constexpr NormLayer value{.name = "dyt", .parameters = kGammaBetaAndAlpha};
};

template <class Variant>
struct LayerTable;
template <class... Options>
struct LayerTable<std::variant<Options...>> {
  static constexpr std::array<NormLayer, sizeof...(Options)> kLayers{
      LayerDescription<Options>::value...};
};

/// Returns the value of the field with this name. If no field has this name and the type V, the
/// result is empty.
template <class V>
std::optional<V> find_option(NormOptions options, std::string_view field) {
  std::optional<V> found;
  std::visit(
      [&](auto& o) {
        visit_fields(o, [&](std::string_view own, auto& value, SinceVersion = {}) {
          if constexpr (std::is_same_v<std::remove_cvref_t<decltype(value)>, V>)
            if (own == field) found = value;
        });
      },
      options);
  return found;
}

}  // namespace

bool NormLayer::centred() const {
  return std::ranges::any_of(cells, &NormPartition::centred);
}

bool NormLayer::uses_statistics_per_sample() const {
  return std::ranges::any_of(cells, [](const NormPartition& c) {
    return c.partition == Partition::sample_channel || c.partition == Partition::sample_group;
  });
}

bool NormLayer::uses_statistics_over_rows() const {
  return uses_statistics_per_sample() || std::ranges::any_of(cells, [](const NormPartition& c) {
           return c.partition == Partition::channel;
         });
}

const NormParameter* NormLayer::parameter(std::string_view parameter_name) const {
  const auto found = std::ranges::find(parameters, parameter_name, &NormParameter::name);
  return found == parameters.end() ? nullptr : &*found;
}

std::span<const NormLayer> norm_layers() {
  return LayerTable<NormOptions>::kLayers;
}

const NormLayer& norm_layer(const NormOptions& options) {
  return norm_layers()[options.index()];
}

void check_parameter(const NormLayer& layer, std::string_view given) {
  if (layer.parameter(given) != nullptr) return;
  numeric::contract_failure(
      layer.name, given, "is given",
      layer.parameters.empty() ? "no parameters" : fmt::format("no {}", given),
      numeric::Clause::C3);
}

std::optional<double> number_option(const NormOptions& options, std::string_view field) {
  return find_option<double>(options, field);
}
std::optional<std::int64_t> count_option(const NormOptions& options, std::string_view field) {
  return find_option<std::int64_t>(options, field);
}
std::optional<bool> switch_option(const NormOptions& options, std::string_view field) {
  return find_option<bool>(options, field);
}

Layout norm_layout(const NormOptions& options) {
  return find_option<Layout>(options, "layout").value_or(Layout::rows);
}

NormOptions use_row_layout(NormOptions options) {
  if (norm_layout(options) != Layout::rows) set_option(options, "layout", "rows");
  return options;
}

std::vector<std::size_t> shape_in_rows(Layout layout, const std::vector<std::size_t>& x) {
  if (layout == Layout::rows) return x;
  if (x.size() != 4)
    numeric::contract_failure("shape_in_rows", "x", fmt::format("has {} axes", x.size()),
                              "4 axes where the layout is channels_first or channels_last",
                              numeric::Clause::C1);
  if (layout == Layout::channels_last) return {x[0], x[1] * x[2], x[3]};
  return {x[0], x[2] * x[3], x[1]};
}

void check_row_layout(const NormOptions& options) {
  if (norm_layout(options) != Layout::rows)
    numeric::contract_failure(norm_layer(options).name, "layout", "is not rows", "rows",
                              numeric::Clause::C13);
}

bool has_zero_centered_gamma(const NormOptions& options) {
  return switch_option(options, "zero_centred_gamma").value_or(false);
}

NormOptions use_plain_gamma(NormOptions options) {
  if (has_zero_centered_gamma(options)) set_option(options, "zero_centred_gamma", "false");
  return options;
}

void check_plain_gamma(const NormOptions& options) {
  if (has_zero_centered_gamma(options))
    numeric::contract_failure(norm_layer(options).name, "zero_centred_gamma", "is true",
                              "false, and 1 + gamma in place of gamma, or norm_step, which adds it",
                              numeric::Clause::C14);
}

bool is_switched_on(const NormOptions& options, std::string_view option) {
  return option.empty() || switch_option(options, option).value();
}

double initial_value(const NormOptions& options, const NormParameter& parameter) {
  if (parameter.name == "gamma" && has_zero_centered_gamma(options)) return parameter.initial - 1;
  return parameter.option.empty() ? parameter.initial
                                  : number_option(options, parameter.option).value();
}

std::vector<std::size_t> entry_extents(EntryShape shape, const std::vector<std::size_t>& x,
                                       const NormOptions& options) {
  const auto groups = static_cast<std::size_t>(count_option(options, "groups").value_or(1));
  std::vector<std::size_t> rows = shape_in_rows(norm_layout(options), x);
  const std::size_t samples = rows.front(), features = rows.back();
  rows.pop_back();
  switch (shape) {
    case EntryShape::one:
    case EntryShape::features:
      return {entry_extent(shape, features)};
    case EntryShape::rows:
      return rows;
    case EntryShape::row_groups:
      rows.push_back(groups);
      return rows;
    case EntryShape::sample_channels:
      return {samples, features};
    case EntryShape::sample_groups:
      return {samples, groups};
  }
  numeric::contract_failure("entry_extents", "shape", "is no enumerator", "an EntryShape");
}

std::size_t entry_extent(EntryShape shape, std::size_t d_model) {
  if (shape == EntryShape::one) return 1;
  if (shape == EntryShape::features) return d_model;
  numeric::contract_failure("entry_extent", "shape", "depends on the rows of x", "[1] or [D]",
                            numeric::Clause::C1);
}

std::string_view to_string(Partition partition) {
  switch (partition) {
    case Partition::row:
      return "row";
    case Partition::row_group:
      return "row_group";
    case Partition::channel:
      return "channel";
    case Partition::sample_channel:
      return "sample_channel";
    case Partition::sample_group:
      return "sample_group";
  }
  numeric::contract_failure("to_string", "partition", "is no enumerator", "a Partition");
}

std::string_view to_string(EntryShape shape) {
  switch (shape) {
    case EntryShape::one:
      return "[1]";
    case EntryShape::features:
      return "[D]";
    case EntryShape::rows:
      return "[N] or [B,T]";
    case EntryShape::row_groups:
      return "[N,groups] or [B,T,groups]";
    case EntryShape::sample_channels:
      return "[B,D]";
    case EntryShape::sample_groups:
      return "[B,groups]";
  }
  numeric::contract_failure("to_string", "shape", "is no enumerator", "an EntryShape");
}

std::string_view to_string(StatisticAvailability of) {
  switch (of) {
    case StatisticAvailability::forward:
      return "forward";
    case StatisticAvailability::training_forward:
      return "training_forward";
    case StatisticAvailability::training_backward:
      return "training_backward";
  }
  numeric::contract_failure("to_string", "of", "is no enumerator", "a StatisticOf");
}

}  // namespace normproof::ref::model
