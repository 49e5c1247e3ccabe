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

/// quick: committed, seconds; standard: minutes; full: shapes past every limit that kernels have;
/// own: a question of somebody's own, which is in no corpus.
enum class Tier { quick, standard, full, own };
std::string_view to_string(Tier tier);
/// A tier of a corpus.
/// Throws    UsageError with the nearest known name
Tier tier_of(std::string_view name);

/// One question to an implementation of an operation: options and inputs, and why they are there.
struct Case {
  Tier tier = Tier::quick;
  std::string reason;  ///< the name of the regime: lower case, digits and '_'
  std::string why;     ///< what it is meant to find, in one sentence
  Operation options;
  Mode mode = Mode::training;
  DType dtype = DType::float64;  ///< of the inputs, and of what a candidate answers
  bool sequence = false;  ///< x, grad_y and valid, or grad_parameter, have a leading axis of steps
  bool exact = false;     ///< every operation is exact in dtype: the tolerance is 0
  std::vector<StoredTensor> inputs;  ///< as for `normproof eval`, in ascending order of names
};

/// The format that a float dtype stores; float64 for the others.
ref::model::StorageFormat storage_of(DType dtype);

/// "layer_norm"
std::string op_of(const Case& c);
/// "quick/layer_norm/offset_1e4-7x16-float32": the folder of the case in a corpus, with the
/// shape of its main input.
std::string path_of(const Case& c);

const StoredTensor* find(const std::vector<StoredTensor>& tensors, std::string_view name);

/// The tensor that gives a case its shape: x, the tokens of an encoder, an optimizer's parameter,
/// q of attention, the logits of cross_entropy; absent where none of them is there.
const StoredTensor* main_input(const Case& c);

}  // namespace normproof::verification::golden::corpus
