#pragma once

#include <string>
#include <vector>

#include "ref/io/stored_tensor.hpp"
#include "ref/model/operation.hpp"

namespace normproof::verification::golden::corpus {

using ref::io::DType;
using ref::io::StoredTensor;
using ref::model::Mode;
using ref::model::Operation;

/// The size class of a case. quick: committed, runs in seconds. standard: minutes. full: shapes
/// beyond every limit of kernels. user: a user's case, which is in no corpus.
enum class Tier { quick, standard, full, user };
std::string_view to_string(Tier tier);
/// Returns the tier of that name; `user` is not a tier of a corpus.
/// Throws    UsageError with the nearest known name
Tier parse_tier(std::string_view name);

/// A case of the corpus: an operation with its options and inputs, and the reason why it is there.
struct Case {
  Tier tier = Tier::quick;
  std::string reason;  ///< the name of the regime: lower-case letters, digits and '_'
  std::string why;     ///< what the case is meant to find, in one sentence
  Operation options;
  Mode mode = Mode::training;
  DType dtype = DType::float64;  ///< the dtype of the inputs and of a candidate's outputs
  bool sequence =
      false;  ///< whether x, grad_y and valid (or grad_parameter) begin with an axis of steps
  bool exact = false;  ///< whether every operation is exact in dtype, so that the tolerance is 0
  std::vector<StoredTensor>
      inputs;  ///< the inputs of `normproof eval`, in ascending order of names
};

/// Returns the format that a floating-point dtype stores; float64 for other dtypes.
ref::model::StorageFormat storage_of(DType dtype);

/// Returns the name of the operation, such as "layer_norm".
std::string op_name(const Case& c);
/// Returns the folder of the case in a corpus: "quick/layer_norm/offset_1e4-7x16-float32". It
/// contains the shape of the main input.
std::string path_of(const Case& c);

const StoredTensor* find(const std::vector<StoredTensor>& tensors, std::string_view name);

/// Returns the tensor that gives a case its shape: x, the tokens of an encoder, an optimizer's
/// parameter, q of attention or the logits of cross_entropy; null if the case has none of them.
const StoredTensor* main_input(const Case& c);

}  // namespace normproof::verification::golden::corpus
