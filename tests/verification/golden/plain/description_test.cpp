#include <span>

#include "tests/ref/norm/as_described.hpp"
#include "tests/verification/golden/certify/samples.hpp"
#include "verification/golden/plain/plain_layers.hpp"
#include "verification/golden/recipes/case_inputs.hpp"

namespace normproof::verification::golden::plain {
namespace {

using ref::tensor::NamedTensors;
using ref::tensor::Tensor;

void add(std::vector<StoredTensor>& tensors, std::string_view name, DType dtype,
         const Tensor<double>& values) {
  if (ref::tensor::is_given(values))
    tensors.push_back(ref::io::make_tensor(std::string(name), dtype, ref::tensor::shape_of(values),
                                           std::span(values.data(), values.size())));
}

Case case_of(const ref::model::NormOptions& options, const ref::norm::NormInputs<double>& in,
             const NamedTensors<double>& state) {
  Case c;
  c.reason = "described";
  c.options = options;
  c.mode = in.mode;
  add(c.inputs, "x", DType::float64, in.x);
  add(c.inputs, "gamma", DType::float64, in.gamma);
  add(c.inputs, "beta", DType::float64, in.beta);
  for (const auto& [name, values] : in.others) add(c.inputs, name, DType::float64, values);
  add(c.inputs, "grad_y", DType::float64, in.grad_y);
  add(c.inputs, "valid", DType::boolean, ref::tensor::convert<double>(in.valid));
  for (const auto& [name, values] : state)
    add(c.inputs, name, corpus::output_dtype(DType::float64, name), values);
  std::ranges::sort(c.inputs, {}, &StoredTensor::name);
  return c;
}

TEST(LayerDescription, MatchesThePlainLayers) {
  ref::norm::expect_layers_match_descriptions([](const auto& options, const auto& in,
                                                 const auto& state) {
    Sites sites;
    ref::norm::NormStep<double> step;
    for (const StoredTensor& tensor :
         run_plain(case_of(options, in, state), recipes::inputs_of(case_of(options, in, state)), {},
                   sites)) {
      auto values = ref::tensor::empty_tensor<double>(tensor.shape);
      std::ranges::copy(ref::io::widen(tensor), values.begin());
      (state.contains(tensor.name) ? step.state : step.outputs).set(tensor.name, std::move(values));
    }
    return step;
  });
}

}  // namespace
}  // namespace normproof::verification::golden::plain
