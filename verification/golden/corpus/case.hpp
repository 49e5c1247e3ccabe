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

/// The size class of a case. `quick`: committed to the repository, checked in seconds. `standard`:
/// checked in minutes. `full`: shapes that exceed every size limit that is common in kernels.
/// `user`: supplied by a user and part of no corpus.
enum class Tier { quick, standard, full, user };
std::string_view to_string(Tier tier);
/// Returns the tier of that name. The name of `Tier::user` is not accepted, because no corpus has
/// that tier.
/// Throws    UsageError with the nearest known name
Tier parse_tier(std::string_view name);

/// One case of the corpus: an operation with its options and inputs, and the reason for including
/// it.
struct Case {
  Tier tier = Tier::quick;
  /// The name of the numerical situation that the case covers, such as "offset_1e4": lower-case
  /// letters, digits and '_'.
  std::string reason;
  std::string why;  ///< one sentence: which errors the case is meant to find
  Operation options;
  Mode mode = Mode::training;
  DType dtype = DType::float64;  ///< dtype of the inputs and of the expected outputs
  /// Whether the first axis of the inputs x, grad_y and valid is an axis of steps. For an
  /// optimizer, this is the first axis of grad_parameter.
  bool sequence = false;
  /// Whether the dtype represents every intermediate result exactly, so that the tolerance is 0.
  bool exact = false;
  /// The inputs of the operation, under the names that `normproof apply` gives them, sorted by
  /// name.
  std::vector<StoredTensor> inputs;
};

/// Returns the format in which a floating-point dtype stores numbers. For every other dtype,
/// returns float64.
ref::model::StorageFormat storage_format(DType dtype);

/// Returns the name of the operation, such as "layer_norm".
std::string case_operation_name(const Case& c);
/// Returns the folder of the case in a corpus, such as "quick/layer_norm/offset_1e4-7x16-float32".
/// The name contains the shape of the main input.
std::string case_folder(const Case& c);

const StoredTensor* find(const std::vector<StoredTensor>& tensors, std::string_view name);

/// Returns the tensor whose shape appears in the path of the case: x, the tokens of an encoder, an
/// optimizer's parameter, q of attention, the logits of cross_entropy, or o of
/// merge_attention_states. Returns null if the case has none of these inputs.
const StoredTensor* main_input(const Case& c);

}  // namespace normproof::verification::golden::corpus
