#include "verification/checks/evaluation/tensor_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "ref/io/file_failure.hpp"
#include "ref/numeric/errors.hpp"
#include "ref/tensor/contract.hpp"

namespace normproof::verification::checks::evaluation {

using ref::io::StoredTensor;
using ref::tensor::Mask;
using ref::tensor::Shape;
using ref::tensor::Tensor;

void TensorReader::fail(std::string_view name, std::string_view observation,
                        std::string_view expectation) const {
  ref::io::file_failure(file_, name, observation, expectation);
}

void TensorReader::check_names(const std::vector<std::string>& known) const {
  for (const StoredTensor& tensor : tensors_) {
    const bool is_scale =
        tensor.name.ends_with("_scale") || tensor.name.find("_scale_") != std::string::npos;
    if (scales_ && is_scale) continue;
    if (std::ranges::find(known, tensor.name) == known.end()) {
      throw ref::numeric::FileError(
          fmt::format("{}: {}", file_, ref::numeric::unknown_name("tensor", tensor.name, known)));
    }
  }
}

const StoredTensor* TensorReader::find(std::string_view name) const {
  const auto found = std::ranges::find(tensors_, name, &StoredTensor::name);
  return found == tensors_.end() ? nullptr : &*found;
}

const StoredTensor& TensorReader::required(std::string_view name,
                                           std::string_view expectation) const {
  const StoredTensor* const tensor = find(name);
  if (tensor == nullptr) fail(name, "is absent", expectation);
  return *tensor;
}

void TensorReader::check_shape(const StoredTensor& tensor, const Shape& expected) const {
  if (tensor.shape == expected) return;
  fail(tensor.name, "has shape " + ref::tensor::to_string(tensor.shape),
       "shape " + ref::tensor::to_string(expected));
}

std::vector<double> TensorReader::values(const StoredTensor& tensor) const {
  try {
    std::vector<double> values = ref::io::widen(tensor);
    if (!scales_) return values;
    const std::vector<double> scales = scales_(tensor);
    for (std::size_t i = 0; i < scales.size(); ++i) values[i] *= scales[i];
    return values;
  } catch (const ref::numeric::ContractError& error) {
    throw ref::numeric::FileError(fmt::format("{}: {}", file_, sentence(error.violation())));
  }
}

std::vector<double> TensorReader::mask_values(const StoredTensor& tensor) const {
  std::vector<double> flags = values(tensor);
  for (std::size_t i = 0; i < flags.size(); ++i) {
    if (flags[i] == 0 || flags[i] == 1) continue;
    fail(tensor.name,
         fmt::format("has the element {} = {}", ref::tensor::index_to_string(i, tensor.shape),
                     flags[i]),
         "booleans, or 0 and 1");
  }
  return flags;
}

std::vector<int> TensorReader::ids(const StoredTensor& tensor, std::size_t count) const {
  std::vector<int> numbers;
  for (const double value : values(tensor)) {
    const bool whole = value >= 0 && value < static_cast<double>(count) &&
                       value == static_cast<double>(static_cast<std::int32_t>(value));
    if (!whole)
      fail(tensor.name, fmt::format("has the element {}", value),
           fmt::format("whole numbers from 0 to {}", count - 1));
    numbers.push_back(static_cast<int>(value));
  }
  return numbers;
}

Tensor<double> select_step_slice(const std::vector<double>& values, std::size_t step,
                                 const Shape& shape) {
  Tensor<double> tensor = ref::tensor::empty_tensor<double>(shape);
  const auto begin = values.begin() + static_cast<std::ptrdiff_t>(step * tensor.size());
  std::copy_n(begin, tensor.size(), tensor.data());
  return tensor;
}

Mask convert_to_mask(const Tensor<double>& numbers) {
  Mask mask = ref::tensor::empty_tensor<bool>(ref::tensor::shape_of(numbers));
  for (std::size_t i = 0; i < mask.size(); ++i) mask.data()[i] = numbers.data()[i] != 0;
  return mask;
}

ref::tensor::NamedTensors<double> read_state(const TensorReader& reader,
                                             ref::tensor::NamedTensors<double> state) {
  for (auto& [name, initial] : state) {
    const StoredTensor* const tensor = reader.find(name);
    if (tensor == nullptr) continue;
    const Shape shape = ref::tensor::shape_of(initial);
    if (!(name == "iterations" && tensor->shape.empty())) reader.check_shape(*tensor, shape);
    initial = select_step_slice(reader.values(*tensor), 0, shape);
  }
  return state;
}

ref::tensor::Mask read_mask(const TensorReader& reader, std::string_view name, const Shape& shape) {
  const StoredTensor* const mask = reader.find(name);
  if (mask == nullptr) return {};
  reader.check_shape(*mask, shape);
  return convert_to_mask(select_step_slice(reader.mask_values(*mask), 0, shape));
}

std::optional<std::pair<std::size_t, std::size_t>> extents_of_matrix(const TensorReader& reader,
                                                                     std::string_view name) {
  const StoredTensor* const tensor = reader.find(name);
  if (tensor == nullptr || tensor->shape.size() != 2) return std::nullopt;
  return std::pair(tensor->shape[0], tensor->shape[1]);
}

}  // namespace normproof::verification::checks::evaluation
