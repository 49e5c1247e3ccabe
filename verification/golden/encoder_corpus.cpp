#include "verification/golden/encoder_corpus.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <utility>

#include "verification/evaluation/encoders.hpp"
#include "verification/golden/certificate.hpp"
#include "verification/golden/recipe.hpp"

namespace normproof::verification::golden {
namespace {

/// The extents of a case, and how it differs from the ordinary one.
struct EncoderRecipe {
  std::string reason, why;
  std::vector<std::pair<std::string, std::string>> options = {};
  DType dtype = DType::float64;
  std::size_t samples = 2, tokens = 3, d_model = 4, d_ff = 6;
  bool inference = false, pads = true, class_weights = true;
  std::vector<std::pair<std::string, Fill>> fills = {};  ///< tensors that are not as usual
};

constexpr std::size_t kVocabulary = 5, kClasses = 3;

/// Sentence b has its last b tokens as padding; the first has none, and each has a token.
bool is_pad(const EncoderRecipe& recipe, std::size_t row) {
  const std::size_t b = row / recipe.tokens, t = row % recipe.tokens;
  return t > 0 && t + b >= recipe.tokens;
}

/// 1 nowhere, and near it: what each norm and each map multiplies errors by stays small.
double near_one(std::size_t d, double normal) {
  const double share = std::fabs(normal) / 8;
  const double magnitude = d % 2 == 0 ? 1.25 + share : 0.75 / (1 + share);
  return d % 3 == 1 ? -magnitude : magnitude;
}

class EncoderCases {
 public:
  EncoderCases(Tier tier, std::string_view operation, std::uint64_t seed)
      : tier_(tier), operation_(operation), seed_(seed), whole_(operation == "encoder") {}

  std::vector<Case> take() { return std::move(cases_); }

  void quick() {
    for (const char* norm : {"layer_norm", "batch_norm", "power_norm", "power_norm_released"})
      for (const char* placement : {"post", "pre"}) ordinary(norm, placement);
    ordinary("power_norm", "post", DType::float32);
    if (!whole_) ordinary("layer_norm", "post", DType::float32);
    add({.reason = "without_mask",
         .why = "no padding: every key is attended to",
         .options = {{"activation", "gelu"}},
         .pads = false});
    add({.reason = "large_eps",
         .why = "eps beside the variance: where it is added can be told",
         .options = {{"norm.eps", "0.25"}, {"num_heads", "2"}}});
    add({.reason = "eight_features",
         .why = "three sentences of 5, 4 and 3 tokens; heads of four features",
         .options = {{"num_heads", "2"}, {"activation", "gelu"}},
         .samples = 3,
         .tokens = 5,
         .d_model = 8});
    add({.reason = "offset_1e6",
         .why = "features that differ by little: the squares lose what the variance is made of",
         .options = {{"placement", "pre"}, {"activation", "gelu"}},
         .fills = {{whole_ ? "embedding.weight" : "x",
                    [](std::size_t, double normal) { return 1e6 + normal; }}}});
    if (whole_)
      wholes();
    else
      layers();
  }

  void standard() {
    for (const char* name : {"a", "b", "c"})
      for (const char* placement : {"post", "pre"})
        add({.reason = fmt::format("random_{}", name),
             .why = "a larger encoder of another seed",
             .options = {{"placement", placement}, {"num_heads", "4"}, {"activation", "gelu"}},
             .samples = placement[1] == 'o' ? std::size_t{3} : 4,
             .tokens = 7,
             .d_model = 16,
             .d_ff = 12});
  }

 private:
  void ordinary(const std::string& norm, const std::string& placement,
                DType dtype = DType::float64) {
    const bool post = placement == "post";
    EncoderRecipe recipe{.reason = fmt::format("{}_{}", placement, norm),
                         .why = "an ordinary encoder with padding, two heads",
                         .options = {{"norm", norm},
                                     {"placement", placement},
                                     {"num_heads", "2"},
                                     {"activation", post ? "relu" : "gelu"}},
                         .dtype = dtype};
    if (norm.starts_with("power_norm")) {
      // Two iterations are done: the warm-up is over, or this step is its last.
      recipe.options.emplace_back("norm.warmup_iterations", post ? "2" : "3");
      recipe.options.emplace_back("norm.alpha_forward", "0.8");
    }
    add(recipe);
  }

  void layers() {
    add({.reason = "inference_batch_norm",
         .why = "running statistics normalise, and gradients do not pass through them",
         .options = {{"norm", "batch_norm"}, {"num_heads", "2"}},
         .inference = true});
    add({.reason = "large_scores",
         .why = "scores of a hundred: softmax takes nearly one key alone",
         .options = {{"num_heads", "2"}, {"activation", "gelu"}},
         .fills = {{"x", [](std::size_t, double normal) { return 12 * normal; }}}});
  }

  void wholes() {
    add({.reason = "two_layers",
         .why = "what the first layer answers is what the second takes",
         .options = {{"num_layers", "2"}, {"num_heads", "2"}, {"activation", "gelu"}}});
    add({.reason = "two_layers_pre_power_norm",
         .why = "five norms, each with a state of its own",
         .options = {{"num_layers", "2"},
                     {"num_heads", "2"},
                     {"norm", "power_norm"},
                     {"placement", "pre"}}});
    add({.reason = "per_position",
         .why = "each real token takes the label of its sentence, padding none",
         .options = {{"pooling", "per_position"}, {"num_heads", "2"}}});
    add({.reason = "without_positions",
         .why = "the embedding alone",
         .options = {{"positions", "0"}, {"activation", "gelu"}}});
    add({.reason = "without_class_weights",
         .why = "every sentence counts the same in the loss",
         .options = {{"num_heads", "2"}, {"activation", "gelu"}},
         .class_weights = false});
  }

  void add(const EncoderRecipe& recipe) {
    Case c;
    c.tier = tier_;
    c.reason = recipe.reason;
    c.why = recipe.why;
    c.options = ref::model::operation(operation_);
    for (const auto& [name, value] : recipe.options) ref::model::set_option(c.options, name, value);
    c.mode = recipe.inference ? Mode::inference : Mode::training;
    c.dtype = recipe.dtype;
    if (whole_)
      add_tokens(c, recipe);
    else
      add_x(c, recipe);
    if (recipe.pads)
      put(
          c, recipe, "valid", {recipe.samples, recipe.tokens},
          [&](std::size_t row, double) { return is_pad(recipe, row) ? 0.0 : 1.0; }, DType::boolean);
    add_weights(c, recipe);
    std::ranges::sort(c.inputs, {}, &StoredTensor::name);
    cases_.push_back(std::move(c));
  }

  void put(Case& c, const EncoderRecipe& recipe, const std::string& name,
           const std::vector<std::size_t>& shape, const Fill& usual, DType dtype) const {
    const auto own = std::ranges::find(recipe.fills, name, &std::pair<std::string, Fill>::first);
    const Fill& fill = own == recipe.fills.end() ? usual : own->second;
    c.inputs.push_back(filled_tensor(c, name, shape, dtype, fill, seed_));
  }

  void add_x(Case& c, const EncoderRecipe& recipe) const {
    const auto random = [](std::size_t, double normal) { return normal; };
    const std::vector<std::size_t> shape = {recipe.samples, recipe.tokens, recipe.d_model};
    put(c, recipe, "x", shape, random, c.dtype);
    put(c, recipe, "grad_y", shape, random, c.dtype);
  }

  /// The id 1 occurs in every sentence and 0 in none but as padding; 3 occurs nowhere.
  void add_tokens(Case& c, const EncoderRecipe& recipe) const {
    put(
        c, recipe, "tokens", {recipe.samples, recipe.tokens},
        [&](std::size_t i, double) {
          constexpr double kIds[] = {1, 4, 2};
          return recipe.pads && is_pad(recipe, i) ? 0.0 : kIds[i % recipe.tokens % 3];
        },
        DType::int64);
    put(
        c, recipe, "labels", {recipe.samples},
        [](std::size_t b, double) { return static_cast<double>((2 * b + 1) % kClasses); },
        DType::int64);
    if (recipe.class_weights)
      put(
          c, recipe, "class_weights", {kClasses},
          [](std::size_t k, double normal) { return positive(k, normal) + static_cast<double>(k); },
          c.dtype);
  }

  /// The parameters and the state of the norms.
  void add_weights(Case& c, const EncoderRecipe& recipe) const {
    const auto& operation = std::get<ref::model::EncoderOperation>(c.options);
    ref::model::EncoderConfig config =
        evaluation::encoder_config(operation, [&](const std::string& name) {
          using Extents = std::pair<std::size_t, std::size_t>;
          return name.starts_with("embedding") ? Extents{kVocabulary, recipe.d_model}
                 : name.starts_with("head")    ? Extents{kClasses, recipe.d_model}
                                               : Extents{recipe.d_ff, recipe.d_model};
        });
    for (const auto& [name, shape] : ref::encoder::parameter_shapes(config))
      if (const auto own = evaluation::name_in(operation, name))
        put(c, recipe, *own, shape, fill_of(*own), c.dtype);
    for (const auto& [name, initial] : ref::encoder::initial_norm_state<double>(config))
      if (const auto own = evaluation::name_in(operation, name))
        put(c, recipe, *own, ref::tensor::shape_of(initial), fill_of_state(*own),
            dtype_of_output(c.dtype, *own));
  }

  static Fill fill_of(const std::string& parameter) {
    if (parameter.ends_with("gamma")) return near_one;
    if (parameter.ends_with("beta"))
      return [](std::size_t d, double normal) { return far_from_zero(d, normal) / 2; };
    const double scale = parameter == "embedding.weight" ? 1 : 0.5;
    return [=](std::size_t, double normal) { return scale * normal; };
  }

  Tier tier_;
  std::string_view operation_;
  std::uint64_t seed_;
  bool whole_;
  std::vector<Case> cases_;
};

}  // namespace

std::vector<Case> encoder_cases(Tier tier, std::string_view operation, std::uint64_t seed) {
  EncoderCases cases(tier, operation, seed);
  if (tier == Tier::quick) cases.quick();
  if (tier == Tier::standard) cases.standard();
  return cases.take();
}

}  // namespace normproof::verification::golden
