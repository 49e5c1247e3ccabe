#pragma once

#include <span>
#include <string>
#include <vector>

#include "ref/io/stored_tensor.hpp"
#include "ref/norm/norm.hpp"
#include "ref/numeric/random.hpp"
#include "ref/tensor/contract.hpp"

namespace normproof::tests::verification::checks::evaluation {

using Shape = std::vector<std::size_t>;

inline normproof::ref::io::StoredTensor random_tensor(const std::string& name, Shape shape,
                                                      double offset = 0) {
  std::size_t size = 1;
  for (const std::size_t extent : shape) size *= extent;
  const normproof::ref::numeric::RandomStream stream(11, name);
  std::vector<double> values(size);
  for (std::size_t i = 0; i < size; ++i) values[i] = offset + stream.normal(i);
  return normproof::ref::io::make_tensor(name, std::move(shape), std::span<const double>(values));
}

/// Returns a boolean mask of this shape. If `padded` is true, every third row is padding, starting
/// with the third.
inline normproof::ref::io::StoredTensor mask_tensor(Shape shape, bool padded = true) {
  std::size_t size = 1;
  for (const std::size_t extent : shape) size *= extent;
  normproof::ref::io::StoredTensor mask{"valid", normproof::ref::io::DType::boolean,
                                        std::move(shape), std::vector<std::byte>(size)};
  for (std::size_t i = 0; i < size; ++i) mask.bytes[i] = std::byte{!padded || i % 3 != 2};
  return mask;
}

/// Returns all input tensors of a layer. `shape` is the shape of x in one step. If `steps` is not
/// 0, the tensors that change from step to step have a leading axis of `steps` steps.
inline std::vector<normproof::ref::io::StoredTensor> sample_tensors(const std::string& layer,
                                                                    Shape shape,
                                                                    std::size_t steps = 0) {
  const auto options = normproof::ref::model::norm_options(layer);
  const std::size_t d_model = shape.back();
  const auto stacked = [&](Shape s) {
    if (steps != 0) s.insert(s.begin(), steps);
    return s;
  };
  // Each sample of these layers needs a real token. In a shape [N,D], each row is a sample.
  const auto& described = normproof::ref::model::norm_layer(options);
  const bool padded = shape.size() == 3 || !described.uses_statistics_per_sample();
  std::vector<normproof::ref::io::StoredTensor> tensors = {
      random_tensor("x", stacked(shape), 0.5), random_tensor("grad_y", stacked(shape)),
      mask_tensor(stacked(Shape(shape.begin(), shape.end() - 1)), padded)};
  for (const auto& own : described.parameters)
    tensors.push_back(random_tensor(std::string(own.name),
                                    {normproof::ref::model::entry_extent(own.shape, d_model)}));
  for (const auto& [name, initial] :
       normproof::ref::norm::initial_state<double>(options, d_model)) {
    if (name == "iterations") {
      const std::vector<std::int64_t> two = {2};
      tensors.push_back(
          normproof::ref::io::make_tensor(name, {1}, std::span<const std::int64_t>(two)));
    } else {
      // Statistics that are squares must be positive.
      auto values = random_tensor(name, {d_model});
      std::vector<double> numbers = normproof::ref::io::widen(values);
      if (name == "running_variance" || name == "running_psi2")
        for (double& number : numbers) number = 0.5 + number * number;
      tensors.push_back(
          normproof::ref::io::make_tensor(name, {d_model}, std::span<const double>(numbers)));
    }
  }
  return tensors;
}

}  // namespace normproof::tests::verification::checks::evaluation
