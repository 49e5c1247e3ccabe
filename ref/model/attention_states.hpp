#pragma once

#include <string_view>

#include "ref/tensor/tensor.hpp"

/// The shapes and the empty splits of merge_attention_states (ref/nn/merge_attention_states.hpp),
/// which ref and gpu share.
namespace normproof::ref::model {

/// The name of the tensor of logarithms, which is an input and an output.
inline constexpr std::string_view kStateLogarithms = "log_sum_exp";

/// The extents of the partial results of attention, o [P,B,H,T,E].
struct AttentionStates {
  std::size_t splits = 0;          ///< P
  tensor::Shape queries;           ///< [B,H,T]
  std::size_t rows = 0;            ///< B H T
  std::size_t value_features = 0;  ///< E

  tensor::Shape y_shape() const;
  /// Returns the index of an element of log_sum_exp [P,B,H,T].
  std::size_t state(std::size_t split, std::size_t row) const { return split * rows + row; }
};

/// Checks the shapes of the partial results and returns their extents. If `present` is not given,
/// its shape has no axes.
/// Requires  (C1) o is [P,B,H,T,E] with extents of at least 1
///           (C2) log_sum_exp has the shape of o without its last axis
///           (C3) present is empty, or has the shape of log_sum_exp
/// Throws    ContractError
AttentionStates attention_states(std::string_view function, const tensor::Shape& o,
                                 const tensor::Shape& log_sum_exp, const tensor::Shape& present);

/// The logarithms of partial results, of which some are -infinity.
struct SplitStates {
  tensor::Tensor<double> finite;  ///< the logarithms, with 0 in place of -infinity
  tensor::Mask present;           ///< false for -infinity; empty if there is none
};

/// Divides log_sum_exp [P,B,H,T] into finite numbers and a mask. A logarithm of -infinity belongs
/// to an empty split.
SplitStates split_states(const tensor::Tensor<double>& log_sum_exp);

/// Returns the mask of the splits of each query, [B H T, P]. It is empty if `present` is.
tensor::Mask states_by_row(const AttentionStates& states, const tensor::Mask& present);
/// Returns for each query whether all of its splits are empty, [B,H,T]. The result is empty if
/// `present` is.
tensor::Mask queries_without_state(const AttentionStates& states, const tensor::Mask& present);

/// Whether a split is not empty.
inline bool is_present(const tensor::Mask& present, std::size_t state) {
  return !tensor::is_given(present) || present.data()[state];
}

}  // namespace normproof::ref::model
