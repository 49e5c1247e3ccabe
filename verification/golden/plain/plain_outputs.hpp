#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "verification/golden/corpus/arithmetic.hpp"
#include "verification/golden/plain/plain_encoder_parts.hpp"

namespace normproof::verification::golden::plain {

/// The outputs of an encoder or a whole Transformer by name. `shapes` contains the shapes of all
/// outputs except the gradients of parameters and the new state. The gradient of a parameter has
/// the shape of the parameter, and the new state has the shape of the old state.
template <class T>
struct NamedOutputs {
  NamedNumbers<T> values;
  std::map<std::string, std::vector<std::size_t>> shapes;

  void store_output(const std::string& name, std::vector<std::size_t> shape, Numbers<T> numbers) {
    shapes[name] = std::move(shape);
    values[name] = std::move(numbers);
  }
};

/// Whether errors in writing rows can be injected into this output. Such errors cannot be injected
/// into the state.
inline bool has_write_mutations(const std::string& name) {
  for (const char* own : {"y", "logits", "loss"})
    if (name == own) return true;
  for (const char* part : {"attention.weights", "attention.keys", "attention.values"})
    if (name.ends_with(part)) return true;
  return name.starts_with("grad_");
}

/// Converts the outputs to tensors in the dtypes that a kernel stores. `tensors` are the inputs
/// that have gradients.
template <class T>
std::vector<StoredTensor> store_outputs(const Case& c, NamedOutputs<T> answer,
                                        const ref::tensor::NamedTensors<double>& tensors,
                                        const ref::tensor::NamedTensors<double>& state,
                                        const Style& style, Sites& sites) {
  std::vector<StoredTensor> stored;
  for (auto& [name, values] : answer.values) {
    const auto own = answer.shapes.find(name);
    const auto* const of =
        name.starts_with("grad_") ? tensors.find(name.substr(5)) : state.find(name);
    const std::vector<std::size_t> shape =
        own == answer.shapes.end() ? ref::tensor::shape_of(*of) : own->second;
    const PlainShape rows{values.size() / shape.back(), 1, shape.back()};
    if (has_write_mutations(name)) write_rows(name, rows, values, sites, false);
    stored.push_back(
        stored_tensor(name, corpus::output_dtype(c.dtype, name), shape, values, style, sites));
  }
  return stored;
}

}  // namespace normproof::verification::golden::plain
