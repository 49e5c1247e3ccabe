#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ref/encoder/parameters.hpp"
#include "ref/io/stored_tensor.hpp"

/// Converts the parameters of an encoder to the names and layout of a PyTorch module, and back. The
/// module has the parts `embedding` (torch.nn.Embedding), `encoder` (torch.nn.TransformerEncoder)
/// and `head` (torch.nn.Linear); see docs/guide/formats.md, "PyTorch's weights". The two layouts
/// have the same elements in the same order, so tensors keep their bits.
/// torch.nn.TransformerEncoderLayer supports only LayerNorm: an encoder with any other norm cannot
/// be converted.
namespace normproof::verification::training {

/// The initial weights of a run, if the user supplies them. Otherwise the run starts with random
/// weights that depend on the seed.
using InitialWeights = std::optional<ref::tensor::NamedTensors<double>>;

/// Returns the hash of the weights, or an empty text if there are none. The hash is computed in the
/// same way as state_sha256.
std::string hash_weights(const InitialWeights& weights);

/// Returns the name that PyTorch gives to a parameter: "encoder.layers.0.self_attn.in_proj_weight"
/// for "layers.0.attention.in.weight".
std::string pytorch_name(const std::string& parameter);

/// Converts every parameter to a float64 tensor with PyTorch's name.
/// Throws    UsageError if the norm is not LayerNorm
std::vector<ref::io::StoredTensor> to_pytorch(const ref::encoder::EncoderConfig& config,
                                              const ref::tensor::NamedTensors<double>& parameters);

/// Converts tensors with PyTorch's names to parameters. The prefixes `module.` and `_orig_mod.`,
/// which torch.nn.DataParallel and torch.compile add to names, are removed. float64 tensors keep
/// their bits; float32, float16 and bfloat16 tensors are widened exactly.
/// Throws    UsageError if the norm is not LayerNorm; FileError naming `file`, the tensor and the
///           expectation if a tensor is absent, is not a parameter of the configuration, has
///           another shape, holds integers, or has an element that is not finite
ref::tensor::NamedTensors<double> from_pytorch(const ref::encoder::EncoderConfig& config,
                                               std::span<const ref::io::StoredTensor> tensors,
                                               const std::string& file);

}  // namespace normproof::verification::training
