#pragma once

#include <string_view>
#include <utility>

#include "ref/model/norm_options.hpp"
#include "ref/tensor/named_tensors.hpp"

namespace normproof::ref::model {

/// The inputs of one step of any norm layer.
template <class T>
struct NormInputs {
  tensor::Tensor<T> x;            ///< [N,D] or [B,T,D]
  tensor::Tensor<T> gamma = {};   ///< has the shape that NormLayer states; empty means ones
  tensor::Tensor<T> beta = {};    ///< has the shape that NormLayer states; empty means zeros
  tensor::Tensor<T> grad_y = {};  ///< has the shape of x; if empty, only the forward runs
  tensor::Mask valid = {};        ///< [N] or [B,T], true for a real token; empty if all are real
  Mode mode = Mode::training;
  tensor::NamedTensors<T> others = {};  ///< parameters other than gamma and beta, by name
};

/// The trained parameters of a layer, or their gradients. They have the names and the order that
/// the layer's NormLayer states. An absent parameter has its initial value.
template <class T>
using NormParameters = tensor::NamedTensors<T>;

/// Returns the parameter with the name `name`, or null if it is absent.
template <class T>
const tensor::Tensor<T>* find_parameter(const NormInputs<T>& inputs, std::string_view name) {
  const tensor::Tensor<T>* const found = name == "gamma"  ? &inputs.gamma
                                         : name == "beta" ? &inputs.beta
                                                          : inputs.others.find(name);
  return found != nullptr && tensor::is_given(*found) ? found : nullptr;
}

template <class T>
void set_parameter(NormInputs<T>& inputs, std::string_view name, tensor::Tensor<T> values) {
  if (name == "gamma")
    inputs.gamma = std::move(values);
  else if (name == "beta")
    inputs.beta = std::move(values);
  else
    inputs.others.set(name, std::move(values));
}

}  // namespace normproof::ref::model
