#pragma once

#include <string_view>
#include <utility>

#include "ref/model/norm_options.hpp"
#include "ref/tensor/named_tensors.hpp"

namespace normproof::ref::model {

/// One step of any layer: what goes in.
template <class T>
struct NormInputs {
  tensor::Tensor<T> x;            ///< [N,D] or [B,T,D]
  tensor::Tensor<T> gamma = {};   ///< as norm_layer has it, or empty: ones
  tensor::Tensor<T> beta = {};    ///< as norm_layer has it, or empty: zeros
  tensor::Tensor<T> grad_y = {};  ///< the shape of x, or empty: forward alone
  tensor::Mask valid = {};        ///< [N] or [B,T], true = a real token, or empty: all
  Mode mode = Mode::training;
  tensor::NamedTensors<T> others = {};  ///< parameters beside gamma and beta, by name
};

/// The trained parameters of a layer, or the gradients by them, under the names and in the order of
/// norm_layer. One that is left out has its initial value.
template <class T>
using NormParameters = tensor::NamedTensors<T>;

/// The parameter of that name; null where it is left out.
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
