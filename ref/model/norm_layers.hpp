#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "ref/model/norm_options.hpp"

/// What each norm layer is like: conventions, never arithmetic. Names, parameters, initial states,
/// the shapes inside encoders, test cases, probes, benchmarks and the tables of docs/guide/formats.md
/// follow from it; `normproof layers` prints it. The formulas of ref/norm, gpu/norm, the oracle,
/// the plain implementations and NumPy do not: tests hold each of them against it.
namespace normproof::ref::model {

/// The elements of x [B,T,D] that statistics are taken over and normalise: a cell. [N,D] is N
/// samples of one token.
enum class Partition {
  row,             ///< the features of a token
  row_group,       ///< D/groups consecutive features of a token
  channel,         ///< a feature of every token; the valid tokens count
  sample_channel,  ///< a feature of the tokens of a sample; the valid tokens count
  sample_group  ///< D/groups consecutive features of the tokens of a sample; the valid ones count
};

/// The shape of what belongs to a layer, by the extents of its x.
enum class EntryShape {
  one,              ///< [1]
  features,         ///< [D]
  rows,             ///< [N] or [B,T]
  row_groups,       ///< [N,groups] or [B,T,groups]
  sample_channels,  ///< [B,D]
  sample_groups     ///< [B,groups]
};

/// One cut of x into cells, whose statistics normalise it.
struct NormCells {
  Partition partition;
  bool centred;                  ///< a mean is subtracted
  std::string_view eps = "eps";  ///< the option that is added to the squared statistic
  std::string_view option = {};  ///< a switch that turns it on; empty: always on
};

/// A trained parameter; where a caller leaves it out, it has its initial value.
struct NormParameter {
  std::string_view name;
  EntryShape shape;
  double initial;
  std::string_view option = {};  ///< an option whose value is the initial one instead
};

/// What a layer carries from step to step.
struct NormState {
  std::string_view name;
  EntryShape shape;
  double initial;
};

/// When a statistic is among the outputs of a step.
enum class StatisticOf { forward, training_forward, training_backward };

struct NormStatistic {
  std::string_view name;
  EntryShape shape;
  StatisticOf of = StatisticOf::forward;
  std::string_view option = {};  ///< a switch that turns it on; empty: always on
};

struct NormLayer {
  std::string_view name;
  std::span<const NormCells> cells = {};  ///< in the order of their application
  std::span<const NormParameter> parameters = {};
  std::span<const NormState> state = {};
  std::span<const NormStatistic> statistics = {};  ///< in the order of a step's outputs
  /// grad_x is the derivative of y by x, what is clamped or carried from step to step held fixed.
  bool exact_backward = true;

  /// Some cells are centred.
  bool centred() const;
  /// Statistics over several rows: a mask has a meaning.
  bool over_rows() const;
  /// Statistics of each sample: in [N,D] each row is one, with a single token.
  bool over_samples() const;
  /// Null where the layer has none of that name.
  const NormParameter* parameter(std::string_view parameter_name) const;
};

/// Every layer, in the order of the alternatives of NormOptions.
std::span<const NormLayer> norm_layers();
const NormLayer& norm_layer(const NormOptions& options);

/// Checks    a parameter that a caller gives
/// Requires  (C3) the layer has one of that name
void check_parameter(const NormLayer& layer, std::string_view given);

/// The options' value of a field of that name and type; nothing where the layer has no such field.
std::optional<double> number_option(const NormOptions& options, std::string_view field);
std::optional<std::int64_t> count_option(const NormOptions& options, std::string_view field);
std::optional<bool> switch_option(const NormOptions& options, std::string_view field);

/// The layer's layout: rows where it has no such option.
Layout layout_of(const NormOptions& options);
/// The same layer of rows.
NormOptions with_rows(NormOptions options);
/// The extents that x has as rows: [B,H W,D] for [B,D,H,W] and [B,H,W,D], those of x for rows.
/// Requires  (C1) x has 4 axes, but in rows
std::vector<std::size_t> shape_in_rows(Layout layout, const std::vector<std::size_t>& x);

/// Checks    what a layer computes on
/// Requires  (C13) the layout is rows
void check_rows(const NormOptions& options);

/// Whether 1 + gamma multiplies, not gamma.
bool has_zero_centred_gamma(const NormOptions& options);

/// Whether an entry of the layer's description is on: its `option`, where it has one.
bool is_on(const NormOptions& options, std::string_view option);

/// The initial value of one of the layer's parameters.
double initial_value(const NormOptions& options, const NormParameter& parameter);

/// Computes  the extents that `shape` names, for x as the layout has it and options.groups, where
///           the layer has groups, else 1 of them
std::vector<std::size_t> extents_of(EntryShape shape, const std::vector<std::size_t>& x,
                                    const NormOptions& options);
/// The same for what does not depend on the rows of x.
/// Requires  (C1) shape is `one` or `features`
std::size_t extent_of(EntryShape shape, std::size_t d_model);

/// "row_group"; "[N,groups] or [B,T,groups]"; "training_forward".
std::string_view to_string(Partition partition);
std::string_view to_string(EntryShape shape);
std::string_view to_string(StatisticOf of);

}  // namespace normproof::ref::model
