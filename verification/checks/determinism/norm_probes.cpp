#include "ref/norm/norm.hpp"
#include "verification/checks/determinism/probe.hpp"

namespace normproof::verification::checks::determinism {
namespace {

namespace model = ref::model;
namespace norm = ref::norm;
using ref::tensor::Mask;
using ref::tensor::NamedTensors;
using ref::tensor::Shape;
using ref::tensor::Tensor;

/// A way to run a layer. Each case runs forward and backward for three steps. The state after a
/// step is the state before the next step.
struct Case {
  const char* name;
  Shape shape;
  bool masked = false;
  model::Mode mode = model::Mode::training;
  bool parameters = true;
  bool folded = false;  ///< whether outputs are added by Values::add_block_hashes
  enum Kind { normal, offset, wide_range_number, uniform } kind = normal;
};

const Case kCases[] = {
    {.name = "small", .shape = {7, 6}},
    {.name = "lanes", .shape = {33, 66}, .folded = true},
    {.name = "long_columns", .shape = {131, 4}, .folded = true},
    {.name = "sentences", .shape = {3, 7, 6}, .masked = true},
    {.name = "no_parameters", .shape = {9, 6}, .parameters = false},
    {.name = "inference", .shape = {5, 8}, .mode = model::Mode::inference},
    {.name = "offset", .shape = {34, 4}, .kind = Case::offset},
    {.name = "wide", .shape = {5, 34}, .kind = Case::wide_range_number},
    // This tensor is large enough to be shared by four threads.
    {.name = "shared", .shape = {400, 340}, .folded = true, .kind = Case::uniform},
    // The outputs are large enough to use non-temporal stores.
    {.name = "large", .shape = {1033, 512}, .folded = true, .kind = Case::uniform},
};

/// A layer and its name. The options select a branch of its code.
struct Layer {
  std::string name;
  model::NormOptions options;
};

std::vector<Layer> layers() {
  std::vector<Layer> all;
  for (const std::string& name : model::norm_names())
    all.push_back({name, model::norm_options(name)});
  const auto add = [&all](const char* name, const char* layer,
                          std::initializer_list<std::pair<const char*, const char*>> settings) {
    Layer variant{name, model::norm_options(layer)};
    for (const auto& [field, value] : settings) model::set_option(variant.options, field, value);
    all.push_back(std::move(variant));
  };
  add("batch_norm_biased", "batch_norm", {{"unbiased_running_variance", "0"}});
  add("rms_norm_float32", "rms_norm", {{"storage", "float32"}});
  add("rms_norm_bfloat16", "rms_norm", {{"storage", "bfloat16"}, {"cast_order", "before_gamma"}});
  add("rms_norm_float16", "rms_norm", {{"storage", "float16"}});
  add("group_norm_2", "group_norm", {{"groups", "2"}});
  add("power_norm_warm_up", "power_norm", {{"warmup_iterations", "2"}});
  add("power_norm_released_2", "power_norm_released",
      {{"warmup_iterations", "1"}, {"groups", "2"}});
  add("group_scaling_2", "group_scaling", {{"groups", "2"}});
  return all;
}

Tensor<double> collect_values(const Case& c, Inputs& inputs, const Shape& shape) {
  switch (c.kind) {
    case Case::wide_range_number:
      return inputs.wide_range_numbers(shape, -60, 60);
    case Case::uniform:
      return inputs.draw_uniforms(shape, -1, 2);
    case Case::normal:
    case Case::offset:
      break;
  }
  Tensor<double> t = inputs.draw_normals(shape);
  if (c.kind == Case::offset)
    for (double& value : t) value += 1e6;
  return t;
}

Mask make_mask(const Case& c, Inputs& inputs) {
  if (!c.masked) return {};
  Mask valid = ref::tensor::empty_tensor<bool>({c.shape[0], c.shape[1]});
  for (bool& token : valid) token = inputs.below(4) != 0;
  valid.data()[0] = true;
  return valid;
}

void add_all(const Case& c, const NamedTensors<double>& tensors, Values& values) {
  for (const auto& [name, tensor] : tensors) {
    if (c.folded)
      values.add_block_hashes(tensor);
    else
      values.add(tensor);
  }
}

void run(const std::string& probe, const Layer& layer, const Case& c, Values& values) {
  Inputs inputs(probe);
  const std::size_t d_model = c.shape.back();
  auto state = norm::initial_state<double>(layer.options, d_model);
  const int steps = c.kind == Case::uniform ? 1 : 3;
  norm::NormInputs<double> in;
  for (const model::NormParameter& own : model::norm_layer(layer.options).parameters)
    if (c.parameters)
      norm::set_parameter(in, own.name,
                          inputs.draw_normals({model::entry_extent(own.shape, d_model)}));
  in.mode = c.mode;
  for (int step = 0; step < steps; ++step) {
    in.x = collect_values(c, inputs, c.shape);
    in.grad_y = collect_values(c, inputs, c.shape);
    in.valid = make_mask(c, inputs);
    auto out = norm::norm_step(layer.options, in, state);
    add_all(c, out.outputs, values);
    add_all(c, out.state, values);
    state = std::move(out.state);
  }
}

template <class... Options>
bool holds_one_of_types(const model::NormOptions& options) {
  return (std::holds_alternative<Options>(options) || ...);
}

}  // namespace

void add_norm_probes(std::vector<Probe>& probes) {
  for (const Layer& layer : layers()) {
    const bool variant = layer.name != model::norm_name(layer.options);
    // Large inputs for one layer of each kind of kernel: statistics per row, statistics per column,
    // and layers with kernels of their own.
    const bool large =
        holds_one_of_types<model::LayerNormOptions, model::BatchNormOptions,
                           model::PowerNormOptions, model::ScaleNormOptions>(layer.options);
    for (const Case& c : kCases) {
      if (c.kind == Case::uniform && (variant || large != (c.shape[0] > 1000))) continue;
      const std::string name = "norm/" + layer.name + "_" + c.name;
      probes.push_back({name, [=](Values& values) { run(name, layer, c, values); }});
    }
  }
}

}  // namespace normproof::verification::checks::determinism
