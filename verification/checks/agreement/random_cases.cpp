#include "verification/checks/agreement/random_cases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "ref/model/operation_info.hpp"
#include "ref/numeric/random.hpp"
#include "ref/tensor/contract.hpp"

namespace normproof::verification::checks::agreement {
namespace {

namespace model = ref::model;
using ref::tensor::Mask;
using ref::tensor::Shape;

enum class MaskKind { none, some, all };

struct RandomShape {
  Shape x;
  MaskKind masked;
};

/// The shapes of x. For a norm, the last axis counts the features, and all other axes count the
/// rows. A function reduces the last axis.
const RandomShape kShapes[] = {{{2, 1}, MaskKind::none},   {{1, 33}, MaskKind::none},
                               {{31, 7}, MaskKind::some},  {{5, 3, 65}, MaskKind::some},
                               {{2, 2, 9}, MaskKind::all}, {{65537, 2}, MaskKind::none},
                               {{129, 32}, MaskKind::some}};

Mask random_mask(std::uint64_t seed, const std::string& name, const Shape& shape, MaskKind masked) {
  if (masked == MaskKind::none) return {};
  const ref::numeric::RandomStream random(seed, name + "/valid");
  Mask valid = ref::tensor::full_tensor<bool>(shape, false);
  for (std::size_t i = 0; masked == MaskKind::some && i < valid.size(); ++i)
    valid.data()[i] = random.uniform(i) < 0.7;
  return valid;
}

RandomCase make_norm_case(std::uint64_t seed, const std::string& layer, const RandomShape& shape,
                          model::Mode mode) {
  RandomCase c;
  c.name = fmt::format("{}/{}{}", layer, ref::tensor::to_string(shape.x),
                       mode == model::Mode::inference ? "/inference" : "");
  const auto options = model::norm_options(layer);
  c.operation = options;
  const std::size_t d_model = shape.x.back();
  ref::norm::NormInputs<double> in;
  in.x = random_tensor(seed, c.name + "/x", shape.x);
  in.grad_y = random_tensor(seed, c.name + "/grad_y", shape.x);
  for (const model::NormParameter& own : model::norm_layer(options).parameters)
    ref::norm::set_parameter(in, own.name,
                             random_tensor(seed, fmt::format("{}/{}", c.name, own.name),
                                           {model::entry_extent(own.shape, d_model)}));
  in.valid = random_mask(seed, c.name, {shape.x.begin(), shape.x.end() - 1}, shape.masked);
  in.mode = mode;
  c.inputs.state = ref::norm::initial_state<double>(options, d_model);
  c.inputs.steps = {in, in};
  return c;
}

struct RandomHeads {
  std::size_t samples, heads, kv_heads, tokens, keys, features, values;
  bool causal;
  MaskKind masked;
  const char *window_left = "none", *window_right = "none", *mask_corner = "bottom_right";
  const char* soft_cap = "none";
  bool sinks = false;
  const char* log_sum_exp_base = "e";
  /// The first two extents of a bias: of samples and of heads. They are 0 if there is no bias.
  std::size_t bias_samples = 0, bias_heads = 0;
};

const RandomHeads kHeads[] = {
    {1, 1, 1, 1, 1, 1, 1, false, MaskKind::none},
    {2, 6, 2, 5, 33, 3, 4, false, MaskKind::some},
    {1, 4, 1, 33, 31, 8, 8, true, MaskKind::none},
    {3, 2, 2, 7, 129, 5, 2, true, MaskKind::some},
    {2, 2, 1, 3, 4, 2, 2, false, MaskKind::all},
    {2, 4, 2, 9, 33, 3, 4, true, MaskKind::some, "5"},
    {1, 2, 1, 12, 7, 3, 4, false, MaskKind::none, "2", "1", "top_left"},
    {2, 4, 2, 9, 33, 3, 4, true, MaskKind::some, "none", "none", "bottom_right", "1.5"},
    {2, 6, 2, 5, 33, 3, 4, true, MaskKind::some, "none", "none", "bottom_right", "none", true},
    {2, 2, 1, 3, 4, 2, 2, false, MaskKind::all, "none", "none", "bottom_right", "none", true},
    {2, 4, 1, 12, 7, 3, 4, true, MaskKind::none, "2", "none", "bottom_right", "1.5", true, "2"},
    {2, 4, 2, 5, 33, 3, 4, true, MaskKind::some, "none", "none", "bottom_right", "1.5", true, "e",
     2, 4},
    {3, 2, 1, 5, 7, 3, 4, false, MaskKind::none, "none", "none", "bottom_right", "none", false, "e",
     1, 2},
    {3, 2, 2, 5, 7, 3, 4, false, MaskKind::some, "none", "none", "bottom_right", "none", false, "e",
     3, 1},
    {3, 4, 2, 5, 7, 3, 4, false, MaskKind::none, "none", "none", "bottom_right", "none", false, "e",
     1, 1}};

RandomCase attention_case(std::uint64_t seed, const RandomHeads& h) {
  RandomCase c;
  const bool has_window = std::string_view(h.window_left) != "none";
  const bool has_cap = std::string_view(h.soft_cap) != "none";
  c.name = fmt::format("attention/{}x{}x{}x{}{}{}{}{}{}", h.samples, h.heads, h.tokens, h.keys,
                       h.causal ? "/causal" : "", has_window ? "/window" : "",
                       has_cap ? "/soft_cap" : "", h.sinks ? "/sinks" : "",
                       h.bias_samples > 0 ? "/bias" : "");
  c.operation = model::operation("attention");
  model::set_option(c.operation, "window_left", h.window_left);
  model::set_option(c.operation, "window_right", h.window_right);
  model::set_option(c.operation, "mask_corner", h.mask_corner);
  model::set_option(c.operation, "soft_cap", h.soft_cap);
  model::set_option(c.operation, "log_sum_exp_base", h.log_sum_exp_base);
  if (h.causal) model::set_option(c.operation, "causal", "true");
  auto& in = c.inputs.function;
  const auto set = [&](const char* name, const Shape& shape) {
    in.tensors.set(name, random_tensor(seed, fmt::format("{}/{}", c.name, name), shape));
  };
  set("q", {h.samples, h.heads, h.tokens, h.features});
  set("k", {h.samples, h.kv_heads, h.keys, h.features});
  set("v", {h.samples, h.kv_heads, h.keys, h.values});
  set("grad_y", {h.samples, h.heads, h.tokens, h.values});
  if (h.sinks) set("sinks", {h.heads});
  if (h.bias_samples > 0) {
    set("bias", {h.bias_samples, h.bias_heads, h.tokens, h.keys});
    // Some elements hide keys.
    ref::tensor::Tensor<double>& bias = in.tensors.at("bias");
    for (std::size_t i = 0; i < bias.size(); i += 5)
      bias.data()[i] = -std::numeric_limits<double>::infinity();
  }
  in.valid = random_mask(seed, c.name, {h.samples, h.keys}, h.masked);
  return c;
}

RandomCase make_rope_case(std::uint64_t seed, std::size_t tokens, bool interleaved) {
  RandomCase c;
  c.name = fmt::format("rope/{}{}", tokens, interleaved ? "/interleaved" : "");
  c.operation = model::operation("rope");
  model::set_option(c.operation, "interleaved", interleaved ? "true" : "false");
  auto& in = c.inputs.function;
  const std::size_t width = tokens % 7 + 2;
  for (const char* name : {"x", "grad_y"})
    in.tensors.set(name, random_tensor(seed, c.name + name, {2, 3, tokens, width}));
  for (const char* name : {"cos", "sin"})
    in.tensors.set(name, random_tensor(seed, c.name + name, {tokens, width / 2}));
  return c;
}

RandomCase make_merge_case(std::uint64_t seed, std::size_t splits, bool has_empty,
                           const char* base) {
  RandomCase c;
  c.name =
      fmt::format("merge_attention_states/{}/base_{}{}", splits, base, has_empty ? "/empty" : "");
  c.operation = model::operation("merge_attention_states");
  model::set_option(c.operation, "log_sum_exp_base", base);
  auto& in = c.inputs.function;
  const std::size_t features = splits % 5 + 3;
  in.tensors.set("o", random_tensor(seed, c.name + "/o", {splits, 2, 3, 5, features}));
  in.tensors.set("grad_y", random_tensor(seed, c.name + "/grad_y", {2, 3, 5, features}));
  auto logs = random_tensor(seed, c.name + "/log_sum_exp", {splits, 2, 3, 5});
  const ref::numeric::RandomStream random(seed, c.name + "/empty");
  for (std::size_t i = 0; i < logs.size() && has_empty; ++i)
    if (random.below(i, 2) == 0) logs.data()[i] = -std::numeric_limits<double>::infinity();
  in.tensors.set("log_sum_exp", logs);
  return c;
}

RandomCase make_cross_entropy_case(std::uint64_t seed, const RandomShape& shape, double smoothing) {
  RandomCase c;
  c.name = fmt::format("cross_entropy/{}/{}", ref::tensor::to_string(shape.x), smoothing);
  c.operation = model::operation("cross_entropy");
  model::set_option(c.operation, "label_smoothing", fmt::format("{}", smoothing));
  auto& in = c.inputs.function;
  const std::size_t classes = shape.x.back();
  in.tensors.set("logits", random_tensor(seed, c.name + "/logits", shape.x));
  auto weights = random_tensor(seed, c.name + "/class_weights", {classes});
  for (double& weight : weights) weight = weight < 0 ? -weight : weight;
  if (smoothing > 0) in.tensors.set("class_weights", weights);
  const ref::numeric::RandomStream random(seed, c.name + "/targets");
  for (std::size_t i = 0; i < shape.x[0]; ++i)
    in.targets.push_back(static_cast<int>(random.below(i, classes)));
  in.valid = random_mask(seed, c.name, {shape.x[0]}, shape.masked);
  return c;
}

RandomCase make_function_case(std::uint64_t seed, const std::string& function,
                              const RandomShape& shape) {
  RandomCase c;
  c.name = fmt::format("{}/{}", function, ref::tensor::to_string(shape.x));
  c.operation = model::operation(function);
  auto& in = c.inputs.function;
  in.tensors.set("x", random_tensor(seed, c.name + "/x", shape.x));
  const model::OperationInfo& info = model::operation_info(function);
  Shape y = shape.x;
  if (info.reduces) y.pop_back();
  in.tensors.set("grad_y", random_tensor(seed, c.name + "/grad_y", y));
  if (info.takes("gate")) in.tensors.set("gate", random_tensor(seed, c.name + "/gate", shape.x));
  if (info.takes("residual")) {
    for (const char* name : {"residual", "grad_sum"})
      in.tensors.set(name, random_tensor(seed, fmt::format("{}/{}", c.name, name), shape.x));
  }
  if (info.takes("gamma")) {
    for (const char* name : {"gamma", "beta"})
      in.tensors.set(name,
                     random_tensor(seed, fmt::format("{}/{}", c.name, name), {shape.x.back()}));
  }
  if (info.has_mask_operand()) in.valid = random_mask(seed, c.name, shape.x, shape.masked);
  return c;
}

}  // namespace

ref::tensor::Tensor<double> random_tensor(std::uint64_t seed, const std::string& name,
                                          const Shape& shape) {
  const ref::numeric::RandomStream random(seed, name), scale(seed, name + "/scale");
  auto values = ref::tensor::empty_tensor<double>(shape);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto power = static_cast<double>(std::uint64_t{1} << scale.below(i, 41));
    values.data()[i] = random.normal(i) * power * 0x1p-20;
  }
  return values;
}

namespace {

using Take = std::function<void(const RandomCase&)>;

/// Makes the random cases of a function. There is one overload for each rule by which a function's
/// input shapes depend on each other.
struct FunctionCases {
  std::uint64_t seed;
  const std::string& name;
  const Take& take;

  template <class Options>
  void operator()(const Options&) const {
    for (const RandomShape& shape : kShapes) take(make_function_case(seed, name, shape));
  }
  void operator()(const model::AttentionOptions&) const {
    for (const RandomHeads& heads : kHeads) take(attention_case(seed, heads));
  }
  void operator()(const model::RopeOptions&) const {
    for (const std::size_t tokens : {1, 2, 31, 33, 129})
      for (const bool interleaved : {false, true}) take(make_rope_case(seed, tokens, interleaved));
  }
  void operator()(const model::MergeAttentionStatesOptions&) const {
    for (const std::size_t splits : {1, 2, 7, 33, 129})
      for (const bool has_empty : {false, true})
        for (const char* base : {"e", "2"}) take(make_merge_case(seed, splits, has_empty, base));
  }
  void operator()(const model::CrossEntropyOptions&) const {
    for (const RandomShape& shape : kShapes)
      for (const double smoothing : {0.0, 0.1})
        if (shape.x.size() == 2) take(make_cross_entropy_case(seed, shape, smoothing));
  }
};

}  // namespace

void for_each_random_case(std::uint64_t seed, const std::string& name, const Take& take) {
  const model::Operation operation = model::operation(name);
  if (std::holds_alternative<model::NormOptions>(operation))
    for (const RandomShape& shape : kShapes) {
      take(make_norm_case(seed, name, shape, model::Mode::training));
      if (shape.masked != MaskKind::all)
        take(make_norm_case(seed, name, shape, model::Mode::inference));
    }
  if (const auto* const function = std::get_if<model::FunctionOptions>(&operation))
    std::visit(FunctionCases{seed, name, take}, *function);
}

}  // namespace normproof::verification::checks::agreement
