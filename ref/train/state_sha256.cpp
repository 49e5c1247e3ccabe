#include <fmt/format.h>

#include <bit>
#include <span>

#include "ref/io/sha256.hpp"
#include "ref/tensor/contract.hpp"
#include "ref/train/train_state.hpp"

namespace normproof::ref::train {
namespace {

static_assert(std::endian::native == std::endian::little);

void append_tensor_lines(std::string& lines, const NamedTensors<double>& tensors) {
  for (const auto& [name, values] : tensors)
    lines += fmt::format("{} float64 {} {}\n", name, tensor::to_string(tensor::shape_of(values)),
                         io::sha256(std::as_bytes(std::span(values.data(), values.size()))));
}

}  // namespace

std::string state_sha256(const TrainState<double>& state) {
  std::string lines;
  append_tensor_lines(lines, state.parameters);
  append_tensor_lines(lines, state.norms);
  return io::sha256(lines);
}

}  // namespace normproof::ref::train
