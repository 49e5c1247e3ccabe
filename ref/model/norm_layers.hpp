#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "ref/model/norm_options.hpp"

/// Tables that describe all norm layers: names, parameters, initial states and shapes, but no
/// arithmetic. Encoders, test cases, benchmarks, the determinism check and the tables of
/// docs/guide/formats.md are built from them, and `normproof operations` prints them. The formulas
/// of ref/norm and gpu/norm and the independent implementations do not use the tables; tests check
/// these formulas and implementations against them.
namespace normproof::ref::model {

/// The kinds of sets into which the elements of x [B,T,D] are partitioned. The elements of one set
/// share their statistics and are normalized by them. [N,D] counts as N samples of one token.
enum class Partition {
  row,        ///< a set is all features of a token
  row_group,  ///< a set is D/groups consecutive features of a token
  channel,    ///< a set is one feature of all tokens; only valid tokens enter statistics
  /// A set is one feature of all tokens of a sample. Only valid tokens enter the statistics.
  sample_channel,
  /// A set is D/groups consecutive features of all tokens of a sample. Only valid tokens enter the
  /// statistics.
  sample_group
};

/// The shape of a parameter, a state or a statistic, expressed by the extents of x.
enum class EntryShape {
  one,              ///< [1]
  features,         ///< [D]
  rows,             ///< [N] or [B,T]
  row_groups,       ///< [N,groups] or [B,T,groups]
  sample_channels,  ///< [B,D]
  sample_groups     ///< [B,groups]
};

/// One normalization that a layer applies: how x is partitioned into sets of elements, and how the
/// statistics of a set normalize it.
struct NormPartition {
  Partition partition;
  bool centred;                  ///< whether the mean is subtracted
  std::string_view eps = "eps";  ///< name of the option that is added to the squared statistic
  std::string_view option = {};  ///< name of the switch that turns it on; empty if always on
};

/// A trained parameter of a layer. If a caller omits it, it has its initial value.
struct NormParameter {
  std::string_view name;
  EntryShape shape;
  double initial;
  std::string_view option = {};  ///< name of an option whose value replaces `initial`
};

/// A quantity that a layer keeps from one step to the next, such as a running mean.
struct NormState {
  std::string_view name;
  EntryShape shape;
  double initial;
};

/// The calls that return a statistic: every forward, only a forward in training, or only a backward
/// in training.
enum class StatisticAvailability { forward, training_forward, training_backward };

struct NormStatistic {
  std::string_view name;
  EntryShape shape;
  StatisticAvailability of = StatisticAvailability::forward;
  std::string_view option = {};  ///< name of the switch that turns it on; empty if always on
};

struct NormLayer {
  std::string_view name;
  std::span<const NormPartition> cells = {};  ///< the normalizations, in the order of application
  std::span<const NormParameter> parameters = {};
  std::span<const NormState> state = {};
  std::span<const NormStatistic> statistics = {};  ///< in the order of a step's outputs
  /// Whether grad_x is the exact derivative of y with respect to x. Clamped values and the state of
  /// earlier steps count as constants.
  bool exact_backward = true;

  /// Whether the layer subtracts a mean in at least one of its normalizations.
  bool centred() const;
  /// Whether statistics are taken over several rows. A mask has an effect only in this case.
  bool uses_statistics_over_rows() const;
  /// Whether statistics are taken per sample. For x [N,D], each row is a sample with a single
  /// token.
  bool uses_statistics_per_sample() const;
  /// Returns the parameter with this name, or null if the layer has none.
  const NormParameter* parameter(std::string_view parameter_name) const;
};

/// Returns the descriptions of all layers, in the order of the alternatives of NormOptions.
std::span<const NormLayer> norm_layers();
const NormLayer& norm_layer(const NormOptions& options);

/// Checks the name of a parameter that a caller passed.
/// Requires  (C3) the layer has a parameter of that name
void check_parameter(const NormLayer& layer, std::string_view given);

/// Return the value of the option `field`. If the layer has no option with this name and type, the
/// result is empty.
std::optional<double> number_option(const NormOptions& options, std::string_view field);
std::optional<std::int64_t> count_option(const NormOptions& options, std::string_view field);
std::optional<bool> switch_option(const NormOptions& options, std::string_view field);

/// Returns the layout of the layer's tensors. If the layer has no option `layout`, the result is
/// Layout::rows.
Layout norm_layout(const NormOptions& options);
/// Returns the options with the layout changed to Layout::rows.
NormOptions use_row_layout(NormOptions options);
/// Returns the shape of x after conversion to Layout::rows: [B,H W,D] for [B,D,H,W] and for
/// [B,H,W,D], and the shape of x itself for rows.
/// Requires  (C1) x has 4 axes unless the layout is rows
std::vector<std::size_t> shape_in_rows(Layout layout, const std::vector<std::size_t>& x);

/// Checks that the layout of the options is one that the layers can compute on.
/// Requires  (C13) the layout is rows
void check_row_layout(const NormOptions& options);

/// Whether the layer multiplies by 1 + gamma instead of gamma.
bool has_zero_centered_gamma(const NormOptions& options);
/// Returns the options without a zero-centered gamma. They are those of a layer whose gamma already
/// contains the 1.
NormOptions use_plain_gamma(NormOptions options);
/// Checks that the options have no zero-centered gamma. The functions of single layers multiply by
/// gamma itself; norm_forward and norm_step of ref/norm/norm.hpp add the 1.
/// Requires  (C14) gamma is not zero-centered
void check_plain_gamma(const NormOptions& options);

/// Whether the option with the name `option`, a boolean option of the layer, is on. If the name is
/// empty, the result is true.
bool is_switched_on(const NormOptions& options, std::string_view option);

/// Returns the initial value of a parameter of the layer.
double initial_value(const NormOptions& options, const NormParameter& parameter);

/// Returns the extents of a parameter, a state or a statistic whose shape is `shape`. The argument
/// `x` holds the extents of the tensor x, in the layout that the options state. The number of
/// groups is options.groups, or 1 if the layer has no groups.
std::vector<std::size_t> entry_extents(EntryShape shape, const std::vector<std::size_t>& x,
                                       const NormOptions& options);
/// Returns the extent of a parameter, a state or a statistic whose shape does not depend on the
/// rows of x.
/// Requires  (C1) shape is `one` or `features`
std::size_t entry_extent(EntryShape shape, std::size_t d_model);

/// Return text such as "row_group", "[N,groups] or [B,T,groups]" or "training_forward".
std::string_view to_string(Partition partition);
std::string_view to_string(EntryShape shape);
std::string_view to_string(StatisticAvailability of);

}  // namespace normproof::ref::model
