#pragma once

#include <cstddef>

#include "ref/model/norm_inputs.hpp"
#include "ref/model/norm_layers.hpp"
#include "ref/tensor/named_tensors.hpp"
#include "ref/tensor/tensor.hpp"

namespace normproof::verification::checks::evaluation {

/// Where element i of a tensor [B,T,D], in C order, lies in the same tensor as the layout has it,
/// whose extents are `shape`.
inline std::size_t place_in(ref::model::Layout layout, const std::vector<std::size_t>& shape,
                            std::size_t i) {
  if (layout != ref::model::Layout::channels_first) return i;
  const std::size_t channels = shape[1], tokens = shape[2] * shape[3];
  const std::size_t channel = i % channels, row = i / channels;
  return (row / tokens * channels + channel) * tokens + row % tokens;
}

/// A tensor with the shape of x, as the layout has it, as rows; an empty one stays empty.
/// Requires  that of shape_in_rows
template <class T>
ref::tensor::Tensor<T> in_rows(ref::model::Layout layout, const ref::tensor::Tensor<T>& x) {
  if (layout == ref::model::Layout::rows || !ref::tensor::is_given(x)) return x;
  const ref::tensor::Shape shape = ref::tensor::shape_of(x);
  auto rows = ref::tensor::empty_tensor<T>(ref::model::shape_in_rows(layout, shape));
  for (std::size_t i = 0; i < rows.size(); ++i)
    rows.data()[i] = x.data()[place_in(layout, shape, i)];
  return rows;
}

/// The reverse: the rows as the layout has them, with these extents.
template <class T>
ref::tensor::Tensor<T> laid_out(ref::model::Layout layout, const ref::tensor::Shape& shape,
                                const ref::tensor::Tensor<T>& rows) {
  if (layout == ref::model::Layout::rows) return rows;
  auto x = ref::tensor::empty_tensor<T>(shape);
  for (std::size_t i = 0; i < rows.size(); ++i)
    x.data()[place_in(layout, shape, i)] = rows.data()[i];
  return x;
}

/// A step's inputs with x, grad_y and the mask as rows.
template <class T>
ref::model::NormInputs<T> inputs_in_rows(ref::model::Layout layout,
                                         ref::model::NormInputs<T> inputs) {
  if (layout == ref::model::Layout::rows) return inputs;
  inputs.x = in_rows(layout, inputs.x);
  inputs.grad_y = in_rows(layout, inputs.grad_y);
  if (ref::tensor::is_given(inputs.valid))
    inputs.valid.reshape({inputs.x.shape(0), inputs.x.shape(1)});
  return inputs;
}

/// A step's outputs: those with the shape of x as the layout has them.
template <class T>
void lay_out(ref::model::Layout layout, const ref::tensor::Shape& x,
             ref::tensor::NamedTensors<T>& outputs) {
  for (const char* name : {"y", "grad_x"})
    if (const ref::tensor::Tensor<T>* const rows = outputs.find(name))
      outputs.set(name, laid_out(layout, x, *rows));
}

}  // namespace normproof::verification::checks::evaluation
