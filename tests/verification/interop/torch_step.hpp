#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "ref/io/stored_tensor.hpp"
#include "ref/train/trainer.hpp"
#include "verification/checks/compare/comparison.hpp"

// One training step of PyTorch, which verification/interop/torch_step.py runs, and its expected
// result. See "One step of training" in docs/guide/interop.md.
namespace normproof::verification::interop {

using ref::tensor::NamedTensors;
using ref::tensor::Tensor;

/// The inputs of the training step: the model, a batch and the parameters. The model has LayerNorm,
/// plain SGD, no dropout and no class weights.
struct StepInputs {
  ref::model::TrainConfig config;
  ref::train::LabelledBatch batch;
  NamedTensors<double> parameters;
};

/// Writes the files that torch_step.py reads: config.json in the format of a training run,
/// weights.npz and batch.npz.
void write_step_inputs(const std::filesystem::path& folder, const StepInputs& question);

/// The exact results of a step, under the names that PyTorch's answer uses, and error bounds for
/// another implementation in float64. The bounds are computed by any_order_error with the unit
/// roundoff 2^-52.
struct ExpectedStep {
  NamedTensors<ref::numeric::oracle100> exact;
  NamedTensors<double> bounds;
};

/// Returns the expected results of the whole step: "loss", and "grad.<name>" and "after.<name>" of
/// each parameter. `<name>` is the name of the parameter in PyTorch.
/// Throws    std::logic_error if the argument of a ReLU may be on either side of 0, so that no
///           bound is known
ExpectedStep compute_expected_step(const StepInputs& question);

/// Returns the expected results of each part of the step, computed from the inputs of that part in
/// `answer`. The parts are the embedding, each layer's forward and backward, the step from the last
/// layer to the loss and back, and the optimizer. So the bound of a part does not grow with the
/// number of layers. There are two more names: "x.<l>" is the input of layer l, and "grad_x.<l>"
/// its gradient, for l from 0 to the number of layers.
/// Throws    as compute_expected_step; ContractError if `answer` lacks the inputs of a part
ExpectedStep compute_expected_parts(const StepInputs& question,
                                    const std::vector<ref::io::StoredTensor>& answer);

/// The comparison of one tensor of PyTorch's answer with the expected tensor.
struct TensorComparison {
  std::string name;
  checks::compare::Comparison comparison;
};

/// Compares every expected tensor with the tensor of the same name in `answer`. A tensor that is
/// absent from `answer` or not float64 fails.
std::vector<TensorComparison> judge(const std::vector<ref::io::StoredTensor>& answer,
                                    const ExpectedStep& expected);

}  // namespace normproof::verification::interop
