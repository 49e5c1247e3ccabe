#include "ref/ops/reduce.hpp"
#include "verification/checks/determinism/probe.hpp"

namespace normproof::verification::checks::determinism {
namespace {

namespace ops = ref::ops;
using ref::tensor::Shape;
using ref::tensor::Tensor;

Tensor<double> terms(const std::string& kind, Inputs& inputs, const Shape& shape) {
  if (kind == "wide") return inputs.wide_range_numbers(shape, -300, 300);
  if (kind == "subnormal") return inputs.wide_range_numbers(shape, -1074, -1015);
  if (kind == "cancelling") return inputs.cancelling(shape);
  return inputs.draw_normals(shape);
}

std::string text_of(const Shape& shape) {
  std::string text;
  for (const std::size_t extent : shape) {
    if (!text.empty()) text += 'x';
    text += std::to_string(extent);
  }
  return text;
}

}  // namespace

void add_sum_probes(std::vector<Probe>& probes) {
  for (const std::string kind : {"normal", "wide", "cancelling", "subnormal"}) {
    // The numbers of elements are close to 32, the number of lanes, and to multiples of 32.
    const std::string name = "sum/elements_" + kind;
    probes.push_back({name, [=](Values& values) {
                        Inputs inputs(name);
                        for (const std::size_t count :
                             {1u,  2u,  3u,  15u, 16u, 17u,  31u,  32u,  33u,   47u,  63u,
                              64u, 65u, 95u, 96u, 97u, 127u, 128u, 129u, 1000u, 4099u})
                          values.add(ops::sum_elements(terms(kind, inputs, {count})));
                      }});
    for (const Shape& shape : {Shape{5, 31}, Shape{31, 5}, Shape{33, 65}, Shape{130, 9},
                               Shape{9, 130}, Shape{257, 100}}) {
      const std::string prefix = "sum/" + kind + "_" + text_of(shape);
      probes.push_back({prefix, [=](Values& values) {
                          Inputs inputs(prefix);
                          const Tensor<double> x = terms(kind, inputs, shape);
                          const Tensor<double> w = inputs.draw_uniforms(shape, -1, 1);
                          values.add(ops::sum_rows(x));
                          values.add(ops::sum_columns(x));
                          values.add(ops::dot_rows(x, w));
                        }});
    }
  }
}

}  // namespace normproof::verification::checks::determinism
