#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ref/encoder/parameters.hpp"
#include "ref/io/stored_tensor.hpp"

/// The parameters of an encoder under the names, and in the layout, of a PyTorch module with the
/// parts `embedding` (torch.nn.Embedding), `encoder` (torch.nn.TransformerEncoder) and `head`
/// (torch.nn.Linear): docs/guide/formats.md, PyTorch's weights. The layouts are the same, element by
/// element, so that every tensor keeps its bits in both directions.
/// torch.nn.TransformerEncoderLayer has LayerNorm alone: an encoder with any other norm cannot be
/// expressed.
namespace normproof::verification::training {

/// What a run begins with; absent: random ones by the seed.
using GivenWeights = std::optional<ref::tensor::NamedTensors<double>>;

/// The hash of the weights, as that of a step; empty for none.
std::string hash_of_weights(const GivenWeights& weights);

/// "encoder.layers.0.self_attn.in_proj_weight" for "layers.0.attention.in.weight".
std::string pytorch_name(const std::string& parameter);

/// Every parameter, as float64.
/// Throws    UsageError where the norm is not LayerNorm
std::vector<ref::io::StoredTensor> to_pytorch(const ref::encoder::EncoderConfig& config,
                                              const ref::tensor::NamedTensors<double>& parameters);

/// Parameters from PyTorch's names. `module.` and `_orig_mod.` in names, from torch.nn.DataParallel
/// and torch.compile, are left out. float64 keeps its bits; float32, float16 and bfloat16 are
/// widened, which is exact.
/// Throws    UsageError as to_pytorch; FileError naming `file`, the tensor and what was expected:
///           one is absent, not a parameter of the configuration, of another shape, of integers, or
///           has an element that is not finite
ref::tensor::NamedTensors<double> from_pytorch(const ref::encoder::EncoderConfig& config,
                                               std::span<const ref::io::StoredTensor> tensors,
                                               const std::string& file);

}  // namespace normproof::verification::training
