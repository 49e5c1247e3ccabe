#include "verification/training/pytorch_weights.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>
#include <variant>

#include "ref/io/file_failure.hpp"
#include "ref/numeric/errors.hpp"
#include "ref/tensor/contract.hpp"
#include "ref/train/train_state.hpp"

namespace normproof::verification::training {

using ref::encoder::EncoderConfig;
using ref::encoder::ParameterShape;
using ref::io::StoredTensor;
using ref::tensor::NamedTensors;
using ref::tensor::Tensor;

namespace {

/// Parts of parameter names, each with the corresponding part of PyTorch's name. The parts in
/// `kPartNames` may occur anywhere in a name, the parts in `kEndingNames` only at its end.
constexpr std::pair<std::string_view, std::string_view> kPartNames[] = {
    {".attention.in.", ".self_attn.in_proj_"},
    {".attention.out.", ".self_attn.out_proj."},
    {".feed_forward.first.", ".linear1."},
    {".feed_forward.second.", ".linear2."},
    {"final_norm.", "encoder.norm."}};
constexpr std::pair<std::string_view, std::string_view> kEndingNames[] = {{".gamma", ".weight"},
                                                                          {".beta", ".bias"}};

void check_norm_is_layer_norm(const EncoderConfig& config) {
  if (!std::holds_alternative<ref::model::LayerNormOptions>(config.norm))
    throw ref::numeric::UsageError(
        fmt::format("norm.name is '{}', which torch.nn.TransformerEncoderLayer does not have; "
                    "expected layer_norm",
                    ref::model::norm_name(config.norm)));
}

std::string expected_shape_text(const ParameterShape& wanted) {
  return fmt::format("float64 {}, as the configuration has it",
                     ref::tensor::to_string(wanted.shape));
}

Tensor<double> check_and_return_weights(const StoredTensor& tensor, const ParameterShape& wanted,
                                        const std::string& file) {
  if (!ref::io::is_float(tensor.dtype) || tensor.shape != wanted.shape)
    ref::io::file_failure(file, tensor.name,
                          fmt::format("is {} {}", ref::io::to_string(tensor.dtype),
                                      ref::tensor::to_string(tensor.shape)),
                          expected_shape_text(wanted));
  const std::vector<double> values = ref::io::widen(tensor);
  const auto bad = std::ranges::find_if_not(values, [](double v) { return std::isfinite(v); });
  if (bad != values.end())
    ref::io::file_failure(
        file, tensor.name,
        fmt::format("at {} is {}",
                    ref::tensor::index_to_string(static_cast<std::size_t>(bad - values.begin()),
                                                 wanted.shape),
                    *bad),
        "finite elements");
  Tensor<double> result = ref::tensor::empty_tensor<double>(wanted.shape);
  std::ranges::copy(values, result.data());
  return result;
}

/// Returns the name without the prefixes that torch.nn.DataParallel and torch.compile add to it.
std::string strip_wrapper_prefixes(std::string name) {
  for (const std::string_view part : {"module.", "_orig_mod."})
    for (std::size_t at = 0; (at = name.find(part, at)) != std::string::npos;) {
      if (at == 0 || name[at - 1] == '.')
        name.erase(at, part.size());
      else
        ++at;
    }
  return name;
}

}  // namespace

std::string hash_weights(const InitialWeights& weights) {
  return weights ? ref::train::state_sha256({*weights, {}, {}, 0}) : std::string();
}

std::string pytorch_name(const std::string& parameter) {
  std::string name = parameter;
  for (const auto& [own, theirs] : kPartNames)
    if (const std::size_t at = name.find(own); at != std::string::npos)
      name.replace(at, own.size(), theirs);
  for (const auto& [own, theirs] : kEndingNames)
    if (name.ends_with(own)) name.replace(name.size() - own.size(), own.size(), theirs);
  return name.starts_with("layers.") ? fmt::format("encoder.{}", name) : name;
}

std::vector<StoredTensor> to_pytorch(const EncoderConfig& config,
                                     const NamedTensors<double>& parameters) {
  check_norm_is_layer_norm(config);
  std::vector<StoredTensor> tensors;
  for (const ParameterShape& own : ref::encoder::parameter_shapes(config)) {
    const Tensor<double>& values = parameters.at(own.name);
    ref::tensor::check_shape("to_pytorch", own.name, ref::tensor::shape_of(values), own.shape);
    tensors.push_back(ref::io::make_tensor(pytorch_name(own.name), own.shape,
                                           std::span(values.data(), values.size())));
  }
  return tensors;
}

NamedTensors<double> from_pytorch(const EncoderConfig& config,
                                  std::span<const StoredTensor> tensors, const std::string& file) {
  check_norm_is_layer_norm(config);
  NamedTensors<double> parameters;
  std::vector<std::string> known;
  std::vector<std::string> names;
  names.reserve(tensors.size());
  for (const StoredTensor& tensor : tensors) {
    std::string name = strip_wrapper_prefixes(tensor.name);
    if (std::ranges::find(names, name) != names.end())
      ref::io::file_failure(file, tensor.name, fmt::format("is a second '{}'", name), "one");
    names.push_back(std::move(name));
  }
  for (const ParameterShape& own : ref::encoder::parameter_shapes(config)) {
    const std::string& name = known.emplace_back(pytorch_name(own.name));
    const auto at = std::ranges::find(names, name);
    const auto found = tensors.begin() + (at - names.begin());
    if (at == names.end()) ref::io::file_failure(file, name, "is absent", expected_shape_text(own));
    parameters.set(own.name, check_and_return_weights(*found, own, file));
  }
  for (const std::string& name : names)
    if (std::ranges::find(known, name) == known.end())
      ref::io::file_failure(file, name, "is no parameter of the configuration",
                            fmt::format("its {} parameters alone; num_layers is {}", known.size(),
                                        config.num_layers));
  return parameters;
}

}  // namespace normproof::verification::training
