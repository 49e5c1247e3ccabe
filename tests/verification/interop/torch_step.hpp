#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "ref/io/stored_tensor.hpp"
#include "ref/train/trainer.hpp"
#include "verification/checks/compare/comparison.hpp"

// One step of training, asked of verification/interop/torch_step.py and judged:
// docs/guide/interop.md, One step of training.
namespace normproof::verification::interop {

using ref::tensor::NamedTensors;
using ref::tensor::Tensor;

/// What is asked: LayerNorm, plain SGD, no dropout, no class weights.
struct StepQuestion {
  ref::model::TrainConfig config;
  ref::train::LabelledBatch batch;
  NamedTensors<double> parameters;
};

/// Writes config.json, as a run has it, weights.npz and batch.npz.
void write_question(const std::filesystem::path& folder, const StepQuestion& question);

/// The exact results under the names of an answer, and how far an implementation of others in
/// float64 may be from them: any_order_error with the unit roundoff 2^-52.
struct StepExpectation {
  NamedTensors<ref::numeric::oracle100> exact;
  NamedTensors<double> bounds;
};

/// Of the whole step, from the weights on: "loss", and "grad.<name>" and "after.<name>" of each
/// parameter under PyTorch's names.
/// Throws    std::logic_error where the argument of a ReLU may be on either side of 0, so that no
///           bound is known
StepExpectation expect_step(const StepQuestion& question);

/// The same step in parts, each from what the answer itself has before it: the embedding, layer by
/// layer forward and backward, from the last layer to the loss and back, and the optimizer. The
/// bound of a part does not grow with the number of layers. Beside the names above "x.<l>", what
/// goes into layer l, and "grad_x.<l>", l up to the number of layers.
/// Throws    as expect_step; ContractError where the answer lacks what a part begins with
StepExpectation expect_parts(const StepQuestion& question,
                             const std::vector<ref::io::StoredTensor>& answer);

/// One of the tensors of an answer, held against what was expected.
struct Judgement {
  std::string name;
  checks::compare::Comparison comparison;
};

/// Every expected tensor, compared; one that is absent, or not float64, fails.
std::vector<Judgement> judge(const std::vector<ref::io::StoredTensor>& answer,
                             const StepExpectation& expected);

}  // namespace normproof::verification::interop
