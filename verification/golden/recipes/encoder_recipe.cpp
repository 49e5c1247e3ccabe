#include "verification/golden/recipes/encoder_recipe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "verification/checks/evaluation/encoders.hpp"
#include "verification/golden/corpus/arithmetic.hpp"

namespace normproof::verification::golden::recipes {

using corpus::Mode;
using corpus::output_dtype;

namespace {

/// Whether the row is padding if sentences have `length` tokens. If the recipe does not say which
/// tokens are padding, then the last b tokens of sentence b are padding.
bool is_pad(const EncoderRecipe& recipe, std::size_t length, std::size_t row) {
  const std::size_t b = row / length, t = row % length;
  return t > 0 && (recipe.pad ? recipe.pad(b, t) : t + b >= length);
}

/// Returns a number near 1 but never 1, so that norms and linear maps amplify errors little.
double near_one(std::size_t d, double normal) {
  const double share = std::fabs(normal) / 8;
  const double magnitude = d % 2 == 0 ? 1.25 + share : 0.75 / (1 + share);
  return d % 3 == 1 ? -magnitude : magnitude;
}

class EncoderCaseMaker {
 public:
  EncoderCaseMaker(Tier tier, std::string_view operation, std::uint64_t seed)
      : tier_(tier),
        operation_(operation),
        seed_(seed),
        whole_(ref::model::is_operation_name<ref::model::EncoderOptions>(operation)) {}

  Case make(const EncoderRecipe& recipe) const {
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
    add_valid(c, recipe, "valid", recipe.tokens);
    const auto& operation = std::get<ref::model::EncoderOperation>(c.options);
    if (std::holds_alternative<ref::model::DecoderLayerOptions>(operation)) {
      add_input(c, recipe, "memory", {recipe.samples, recipe.keys, recipe.d_model},
                standard_normal_element, c.dtype);
      add_valid(c, recipe, "memory_valid", recipe.keys);
    }
    const ref::model::EncoderConfig config = make_config(operation, recipe);
    add_weights(c, recipe, operation, config);
    for (const auto& [place, shape] : checks::evaluation::mask_shapes(
             operation, config, recipe.samples, recipe.tokens, recipe.keys))
      add_mask(c, place, shape, config.dropout);
    std::ranges::sort(c.inputs, {}, &StoredTensor::name);
    return c;
  }

 private:
  void add_input(Case& c, const EncoderRecipe& recipe, const std::string& name,
                 const std::vector<std::size_t>& shape, const Fill& usual, DType dtype) const {
    const auto own = std::ranges::find(recipe.fills, name, &std::pair<std::string, Fill>::first);
    const Fill& fill = own == recipe.fills.end() ? usual : own->second;
    c.inputs.push_back(filled_tensor(c, name, shape, dtype, fill, seed_));
  }

  void add_x(Case& c, const EncoderRecipe& recipe) const {
    const std::vector<std::size_t> shape = {recipe.samples, recipe.tokens, recipe.d_model};
    add_input(c, recipe, "x", shape, standard_normal_element, c.dtype);
    add_input(c, recipe, "grad_y", shape, standard_normal_element, c.dtype);
  }

  void add_valid(Case& c, const EncoderRecipe& recipe, const char* name, std::size_t length) const {
    if (!recipe.pads) return;
    add_input(
        c, recipe, name, {recipe.samples, length},
        [&](std::size_t row, double) { return is_pad(recipe, length, row) ? 0.0 : 1.0; },
        DType::boolean);
  }

  /// Adds the token ids. Token 1 occurs in every sentence. Token 3 occurs in no sentence. Token 0
  /// occurs only as padding, unless it is the only token of the vocabulary.
  void add_tokens(Case& c, const EncoderRecipe& recipe) const {
    add_input(
        c, recipe, "tokens", {recipe.samples, recipe.tokens},
        [&](std::size_t i, double) {
          constexpr double kIds[] = {1, 4, 2};
          const std::size_t t = i % recipe.tokens;
          if (recipe.vocabulary == 1 || (recipe.pads && is_pad(recipe, recipe.tokens, i)))
            return 0.0;
          if (recipe.vocabulary == 5 || t == 0) return kIds[t % 3];
          return static_cast<double>(4 + 3 * i % (recipe.vocabulary - 4));
        },
        DType::int64);
    add_input(
        c, recipe, "labels", {recipe.samples},
        [&](std::size_t b, double) { return static_cast<double>((2 * b + 1) % recipe.classes); },
        DType::int64);
    if (recipe.class_weights)
      add_input(
          c, recipe, "class_weights", {recipe.classes},
          [](std::size_t k, double normal) { return positive(k, normal) + static_cast<double>(k); },
          c.dtype);
  }

  /// Adds a dropout mask. It is drawn like the mask of step 0 in a training run with the seed of
  /// the corpus.
  void add_mask(Case& c, const std::string& place, const std::vector<std::size_t>& shape,
                double rate) const {
    const ref::tensor::Mask keep = ref::nn::dropout_mask(
        shape, rate, {seed_, 0, fmt::format("{}/{}/{}", operation_, c.reason, place)});
    c.inputs.push_back(ref::io::make_tensor(fmt::format("{}.keep", place), DType::boolean, shape,
                                            std::vector<double>(keep.begin(), keep.end())));
  }

  static ref::model::EncoderConfig make_config(const ref::model::EncoderOperation& operation,
                                               const EncoderRecipe& recipe) {
    return checks::evaluation::encoder_config(operation, [&](const std::string& name) {
      using Extents = std::pair<std::size_t, std::size_t>;
      return name.starts_with("embedding") ? Extents{recipe.vocabulary, recipe.d_model}
             : name.starts_with("head")    ? Extents{recipe.classes, recipe.d_model}
                                           : Extents{recipe.d_ff, recipe.d_model};
    });
  }

  /// Adds the parameters of the operation and of its norms, and the state of the norms.
  void add_weights(Case& c, const EncoderRecipe& recipe,
                   const ref::model::EncoderOperation& operation,
                   const ref::model::EncoderConfig& config) const {
    // A decoder layer has three sublayers, which amplify errors more than two. Smaller weights keep
    // the float32 bound useful.
    const double scale =
        std::holds_alternative<ref::model::DecoderLayerOptions>(operation) ? 0.25 : 0.5;
    for (const auto& [name, shape] : checks::evaluation::operation_parameters(operation, config))
      add_input(c, recipe, name, shape, choose_fill(config, name, scale), c.dtype);
    for (const auto& [name, initial] : checks::evaluation::operation_state(operation, config))
      add_input(c, recipe, name, ref::tensor::shape_of(initial), state_fill(name),
                output_dtype(c.dtype, name));
  }

  static Fill choose_fill(const ref::model::EncoderConfig& config, const std::string& parameter,
                          double scale) {
    if (const auto* const of_norm = ref::encoder::norm_parameter(config, parameter))
      return norm_fill(of_norm->initial);
    const double own = parameter == "embedding.weight" ? 1 : scale;
    return [=](std::size_t, double normal) { return own * normal; };
  }

  Tier tier_;
  std::string_view operation_;
  std::uint64_t seed_;
  bool whole_;
};

}  // namespace

double standard_normal_element(std::size_t, double normal) {
  return normal;
}

Fill norm_fill(double initial) {
  if (initial == 0)
    return [](std::size_t d, double normal) { return far_from_zero(d, normal) / 2; };
  return [initial](std::size_t d, double normal) { return initial * near_one(d, normal); };
}

Case encoder_case(Tier tier, std::string_view operation, const EncoderRecipe& recipe,
                  std::uint64_t seed) {
  return EncoderCaseMaker(tier, operation, seed).make(recipe);
}

}  // namespace normproof::verification::golden::recipes
