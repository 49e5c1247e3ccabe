#pragma once

#include <algorithm>
#include <cstddef>
#include <string>

#include "ref/tensor/named_tensors.hpp"

namespace normproof::verification::checks::evaluation {

/// Stores the values of one step in a tensor that has a leading axis of steps.
/// Requires  step 0 is stored first, and `steps` is the same in each call
template <class T>
void store_step(ref::tensor::NamedTensors<T>& stack, const std::string& name,
                const ref::tensor::Tensor<T>& values, std::size_t step, std::size_t steps) {
  if (step == 0) {
    ref::tensor::Shape shape = ref::tensor::shape_of(values);
    shape.insert(shape.begin(), steps);
    stack.set(name, ref::tensor::empty_tensor<T>(shape));
  }
  std::copy_n(values.data(), values.size(), stack.at(name).data() + step * values.size());
}

}  // namespace normproof::verification::checks::evaluation
