#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ref/encoder/parameters.hpp"
#include "ref/io/stored_tensor.hpp"

/// The parameters of an encoder under the names, and in the layout, of a PyTorch module with the
/// parts `embedding` (torch.nn.Embedding), `encoder` (torch.nn.TransformerEncoder) and `head`
/// (torch.nn.Linear); see docs/guide/formats.md, "PyTorch's weights". Both layouts agree element by
/// element, so every tensor keeps its bits in both directions. torch.nn.TransformerEncoderLayer has
/// only LayerNorm: an encoder with any other norm cannot be converted.
namespace normproof::verification::training {

/// The initial weights of a run; absent: random weights from the seed.
using InitialWeights = std::optional<ref::tensor::NamedTensors<double>>;

/// Returns the hash of the weights, computed as that of a step; empty for none.
std::string hash_weights(const InitialWeights& weights);

/// Returns PyTorch's name of a parameter, such as "encoder.layers.0.self_attn.in_proj_weight" for
/// "layers.0.attention.in.weight".
std::string pytorch_name(const std::string& parameter);

/// Converts every parameter to a float64 tensor with PyTorch's name.
/// Throws    UsageError if the norm is not LayerNorm
std::vector<ref::io::StoredTensor> to_pytorch(const ref::encoder::EncoderConfig& config,
                                              const ref::tensor::NamedTensors<double>& parameters);

/// Converts tensors with PyTorch's names to parameters. The parts `module.` and `_orig_mod.` of
/// names, from torch.nn.DataParallel and torch.compile, are removed. float64 keeps its bits;
/// float32, float16 and bfloat16 are widened exactly.
/// Throws    UsageError as to_pytorch; FileError naming `file`, the tensor and what was expected if
///           a tensor is absent, is not a parameter of the configuration, has another shape, holds
///           integers, or has an element that is not finite
ref::tensor::NamedTensors<double> from_pytorch(const ref::encoder::EncoderConfig& config,
                                               std::span<const ref::io::StoredTensor> tensors,
                                               const std::string& file);

}  // namespace normproof::verification::training
