#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "ref/model/norm_options.hpp"

/// Descriptions of all norm layers: conventions only, no arithmetic. Names, parameters, initial
/// states, the shapes inside encoders, test cases, probes, benchmarks and the tables of
/// docs/guide/formats.md follow from them; `normproof operations` prints them. The formulas of
/// ref/norm, gpu/norm, the oracle, the plain implementations and NumPy do not use them; tests check
/// each of those against the descriptions.
namespace normproof::ref::model {

/// Kinds of cells. A cell is the set of elements of x [B,T,D] that share statistics and are
/// normalized by them. [N,D] counts as N samples of one token.
enum class Partition {
  row,        ///< all features of a token
  row_group,  ///< D/groups consecutive features of a token
  channel,    ///< one feature of all tokens; only valid tokens enter the statistics
  /// One feature of the tokens of a sample; only valid tokens enter the statistics.
  sample_channel,
  /// D/groups consecutive features of the tokens of a sample; only valid tokens enter the
  /// statistics.
  sample_group
};

/// The shape of a parameter, a state or a statistic, in terms of the extents of x.
enum class EntryShape {
  one,              ///< [1]
  features,         ///< [D]
  rows,             ///< [N] or [B,T]
  row_groups,       ///< [N,groups] or [B,T,groups]
  sample_channels,  ///< [B,D]
  sample_groups     ///< [B,groups]
};

/// One partition of x into cells, whose statistics normalize it.
struct NormCells {
  Partition partition;
  bool centred;                  ///< whether a mean is subtracted
  std::string_view eps = "eps";  ///< name of the option that is added to the squared statistic
  std::string_view option = {};  ///< name of the switch that turns it on; empty if always on
};

/// A trained parameter. It has its initial value if a caller omits it.
struct NormParameter {
  std::string_view name;
  EntryShape shape;
  double initial;
  std::string_view option = {};  ///< name of an option whose value replaces `initial`
};

/// A quantity that a layer carries from step to step.
struct NormState {
  std::string_view name;
  EntryShape shape;
  double initial;
};

/// When a statistic is among the outputs of a step: after every forward, after a forward in
/// training, or after a backward in training.
enum class StatisticOf { forward, training_forward, training_backward };

struct NormStatistic {
  std::string_view name;
  EntryShape shape;
  StatisticOf of = StatisticOf::forward;
  std::string_view option = {};  ///< name of the switch that turns it on; empty if always on
};

struct NormLayer {
  std::string_view name;
  std::span<const NormCells> cells = {};  ///< in the order in which they are applied
  std::span<const NormParameter> parameters = {};
  std::span<const NormState> state = {};
  std::span<const NormStatistic> statistics = {};  ///< in the order of a step's outputs
  /// Whether grad_x is the derivative of y in x, with clamped values and carried state held fixed.
  bool exact_backward = true;

  /// Whether some cells are centered.
  bool centred() const;
  /// Whether statistics run over several rows, so that a mask has an effect.
  bool over_rows() const;
  /// Whether statistics are taken per sample. In [N,D] each row is a sample with a single token.
  bool over_samples() const;
  /// Returns the parameter of that name, or null if the layer has none.
  const NormParameter* parameter(std::string_view parameter_name) const;
};

/// Returns every layer, in the order of the alternatives of NormOptions.
std::span<const NormLayer> norm_layers();
const NormLayer& norm_layer(const NormOptions& options);

/// Checks the name of a parameter that a caller gives.
/// Requires  (C3) the layer has a parameter of that name
void check_parameter(const NormLayer& layer, std::string_view given);

/// Return the value of the option of that name and type, or nothing if the layer has no such
/// option.
std::optional<double> number_option(const NormOptions& options, std::string_view field);
std::optional<std::int64_t> count_option(const NormOptions& options, std::string_view field);
std::optional<bool> switch_option(const NormOptions& options, std::string_view field);

/// Returns the layer's layout, which is rows if it has no such option.
Layout layout_of(const NormOptions& options);
/// Returns the same options with the layout rows.
NormOptions with_rows(NormOptions options);
/// Returns the extents that x has as rows: [B,H W,D] for [B,D,H,W] and [B,H,W,D], and those of x
/// for rows.
/// Requires  (C1) x has 4 axes unless the layout is rows
std::vector<std::size_t> shape_in_rows(Layout layout, const std::vector<std::size_t>& x);

/// Checks that a layer can compute on its layout.
/// Requires  (C13) the layout is rows
void check_rows(const NormOptions& options);

/// Whether the scale is 1 + gamma instead of gamma.
bool has_zero_centered_gamma(const NormOptions& options);

/// Whether an entry of the layer's description is on, given the name of its switch; an empty name
/// means yes.
bool is_switched_on(const NormOptions& options, std::string_view option);

/// Returns the initial value of one of the layer's parameters.
double initial_value(const NormOptions& options, const NormParameter& parameter);

/// Returns the extents that `shape` names, for an x of the layer's layout. The number of groups is
/// options.groups, or 1 if the layer has no groups.
std::vector<std::size_t> extents_of(EntryShape shape, const std::vector<std::size_t>& x,
                                    const NormOptions& options);
/// Returns the extent of a shape that does not depend on the rows of x.
/// Requires  (C1) shape is `one` or `features`
std::size_t extent_of(EntryShape shape, std::size_t d_model);

/// Return text such as "row_group", "[N,groups] or [B,T,groups]" or "training_forward".
std::string_view to_string(Partition partition);
std::string_view to_string(EntryShape shape);
std::string_view to_string(StatisticOf of);

}  // namespace normproof::ref::model
