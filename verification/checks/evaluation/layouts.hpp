#pragma once

#include <cstddef>

#include "ref/model/norm_inputs.hpp"
#include "ref/model/norm_layers.hpp"
#include "ref/tensor/named_tensors.hpp"
#include "ref/tensor/tensor.hpp"

namespace normproof::verification::checks::evaluation {

/// Returns the position in memory of element i of a tensor. The index i counts the elements of
/// [B,T,D] in row-major order. `shape` is the tensor's shape in the layout.
inline std::size_t memory_index(ref::model::Layout layout, const std::vector<std::size_t>& shape,
                                std::size_t i) {
  if (layout != ref::model::Layout::channels_first) return i;
  const std::size_t channels = shape[1], tokens = shape[2] * shape[3];
  const std::size_t channel = i % channels, row = i / channels;
  return (row / tokens * channels + channel) * tokens + row % tokens;
}

/// Converts a tensor with the shape of x from its layout to rows of features. An empty tensor stays
/// empty.
/// Requires  the preconditions of shape_in_rows
template <class T>
ref::tensor::Tensor<T> convert_to_rows(ref::model::Layout layout, const ref::tensor::Tensor<T>& x) {
  if (layout == ref::model::Layout::rows || !ref::tensor::is_given(x)) return x;
  const ref::tensor::Shape shape = ref::tensor::shape_of(x);
  auto rows = ref::tensor::empty_tensor<T>(ref::model::shape_in_rows(layout, shape));
  for (std::size_t i = 0; i < rows.size(); ++i)
    rows.data()[i] = x.data()[memory_index(layout, shape, i)];
  return rows;
}

/// Converts rows of features to a tensor of the given layout and shape.
template <class T>
ref::tensor::Tensor<T> convert_to_layout(ref::model::Layout layout, const ref::tensor::Shape& shape,
                                         const ref::tensor::Tensor<T>& rows) {
  if (layout == ref::model::Layout::rows) return rows;
  auto x = ref::tensor::empty_tensor<T>(shape);
  for (std::size_t i = 0; i < rows.size(); ++i)
    x.data()[memory_index(layout, shape, i)] = rows.data()[i];
  return x;
}

/// Converts x, grad_y and the mask of a step from the layout to rows of features.
template <class T>
ref::model::NormInputs<T> convert_inputs_to_rows(ref::model::Layout layout,
                                                 ref::model::NormInputs<T> inputs) {
  if (layout == ref::model::Layout::rows) return inputs;
  inputs.x = convert_to_rows(layout, inputs.x);
  inputs.grad_y = convert_to_rows(layout, inputs.grad_y);
  if (ref::tensor::is_given(inputs.valid))
    inputs.valid.reshape({inputs.x.shape(0), inputs.x.shape(1)});
  return inputs;
}

/// Converts outputs of a step from rows of features to the layout. It converts only the outputs
/// that have the shape of x.
template <class T>
void convert_outputs_to_layout(ref::model::Layout layout, const ref::tensor::Shape& x,
                               ref::tensor::NamedTensors<T>& outputs) {
  for (const char* name : {"y", "grad_x"})
    if (const ref::tensor::Tensor<T>* const rows = outputs.find(name))
      outputs.set(name, convert_to_layout(layout, x, *rows));
}

}  // namespace normproof::verification::checks::evaluation
