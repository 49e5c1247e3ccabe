#include "verification/golden/recipes/encoder_corpus.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <utility>

#include "verification/evaluation/encoders.hpp"
#include "verification/golden/corpus/arithmetic.hpp"
#include "verification/golden/corpus/layer_traits.hpp"
#include "verification/golden/recipes/recipe.hpp"

namespace normproof::verification::golden::recipes {

using corpus::Case;
using corpus::DType;
using corpus::dtype_of_output;
using corpus::has_option;
using corpus::Mode;
using corpus::StoredTensor;
using corpus::Tier;

namespace {

/// The extents of a case, and how it differs from the ordinary one.
struct EncoderRecipe {
  std::string reason, why;
  std::vector<std::pair<std::string, std::string>> options = {};
  DType dtype = DType::float64;
  std::size_t samples = 2, tokens = 3, d_model = 4, d_ff = 6;
  std::size_t vocabulary = 5, classes = 3;
  bool inference = false, pads = true, class_weights = true;
  /// Whether token t of sentence b is padding; the first of each is none.
  std::function<bool(std::size_t b, std::size_t t)> pad = {};
  std::vector<std::pair<std::string, Fill>> fills = {};  ///< tensors that are not as usual
};

/// Whether the row is padding: as the recipe says, else the last b tokens of sentence b.
bool is_pad(const EncoderRecipe& recipe, std::size_t row) {
  const std::size_t b = row / recipe.tokens, t = row % recipe.tokens;
  return t > 0 && (recipe.pad ? recipe.pad(b, t) : t + b >= recipe.tokens);
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
             .options = gelu(placement, "4"),
             .samples = placement[1] == 'o' ? std::size_t{3} : 4,
             .tokens = 7,
             .d_model = 16,
             .d_ff = 12});
    for (const char* norm : {"batch_norm", "power_norm", "power_norm_released"})
      add({.reason = fmt::format("odd_{}", norm),
           .why = "odd extents, three heads of three features, no multiple of any vector",
           .options = {{"norm", norm}, {"num_heads", "3"}, {"activation", "gelu_tanh"}},
           .samples = 3,
           .tokens = 5,
           .d_model = 9,
           .d_ff = 7});
    shapes();
    paddings();
    if (whole_)
      add({.reason = "three_layers",
           .why = "three layers, 17 classes and 31 words",
           .options = with(gelu("pre", "2"), {{"num_layers", "3"}}),
           .samples = 3,
           .tokens = 6,
           .vocabulary = 31,
           .classes = 17});
    else
      add({.reason = "dropout",
           .why = "masks of several lanes, in heads of four features",
           .options = with(gelu("post", "4"), {{"dropout", "0.3"}}),
           .samples = 3,
           .tokens = 9,
           .d_model = 16,
           .d_ff = 33});
  }

  void full() {
    for (const char* placement : {"post", "pre"})
      add({.reason = fmt::format("large_{}", placement),
           .why = "more tokens than a block of attention has, eight heads",
           .options = gelu(placement, "8"),
           .tokens = 130,
           .d_model = 24,
           .d_ff = 65,
           .vocabulary = 97,
           .classes = 5});
  }

 private:
  using Settings = std::vector<std::pair<std::string, std::string>>;

  static Settings gelu(const char* placement, const char* heads) {
    return {{"placement", placement}, {"num_heads", heads}, {"activation", "gelu"}};
  }
  static Settings with(Settings settings, const Settings& more) {
    settings.insert(settings.end(), more.begin(), more.end());
    return settings;
  }

  void shapes() {
    add({.reason = "one_token",
         .why = "T = 1: the only key takes all, and no gradient passes the softmax",
         .options = gelu("post", "2"),
         .samples = 3,
         .tokens = 1,
         .pads = false});
    add({.reason = "one_sentence",
         .why = "B = 1",
         .options = gelu("pre", "2"),
         .samples = 1,
         .tokens = 5});
    add({.reason = "one_feature_a_head",
         .why = "as many heads as features: a score is one product",
         .options = gelu("post", "6"),
         .d_model = 6});
    add({.reason = "eight_heads",
         .why = "eight heads of three features",
         .options = gelu("pre", "8"),
         .d_model = 24,
         .d_ff = 5});
    add({.reason = "long_sentences",
         .why = "one key more than a vector of 32: long rows of scores",
         .options = gelu("post", "2"),
         .tokens = 33});
    add({.reason = "wide_feed_forward",
         .why = "a feed-forward of one feature more than two vectors of 32",
         .options = gelu("pre", "1"),
         .d_ff = 65});
    add({.reason = "narrow_feed_forward",
         .why = "F = 1: everything passes one feature",
         .options = gelu("pre", "1"),
         .d_ff = 1});
  }

  void paddings() {
    add({.reason = "first_tokens_alone",
         .why = "nothing but padding behind the first token of each sentence",
         .options = gelu("post", "2"),
         .samples = 3,
         .tokens = 4,
         .pad = [](std::size_t, std::size_t) { return true; }});
    add({.reason = "scattered_padding",
         .why = "padding between tokens: a length alone does not say where it is",
         .options = gelu("pre", "2"),
         .samples = 3,
         .tokens = 7,
         .pad = [](std::size_t b, std::size_t t) { return (t + b) % 3 == 1; }});
  }

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
    if (has_option(norm, "warmup_iterations")) {
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
    dropouts();
  }

  /// The masks are inputs: what another random stream would draw does not matter.
  void dropouts() {
    const auto with_rate = [](const char* rate, const char* placement, const char* activation) {
      return Settings{{"placement", placement},
                      {"num_heads", "2"},
                      {"activation", activation},
                      {"dropout", rate}};
    };
    for (const DType dtype : {DType::float64, DType::float32})
      add({.reason = "dropout_post",
           .why = "four masks; what is kept is divided by 1 - 0.25, in the backward too",
           .options = with_rate("0.25", "post", "gelu"),
           .dtype = dtype});
    add({.reason = "dropout_pre",
         .why = "dropout behind a residual that no norm follows",
         .options = with_rate("0.25", "pre", "relu")});
    add({.reason = "dropout_most",
         .why = "seven of ten are dropped: some rows of the weights wholly",
         .options = with_rate("0.7", "pre", "gelu"),
         .tokens = 4});
    add({.reason = "dropout_eight_features",
         .why = "three sentences, heads of four features, without padding",
         .options = with_rate("0.1", "post", "gelu"),
         .samples = 3,
         .tokens = 5,
         .d_model = 8,
         .pads = false});
    add({.reason = "inference_dropout",
         .why = "masks that are there and not used",
         .options = with_rate("0.25", "pre", "gelu"),
         .inference = true});
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
    const auto& operation = std::get<ref::model::EncoderOperation>(c.options);
    const ref::model::EncoderConfig config = config_of(operation, recipe);
    add_weights(c, recipe, operation, config);
    for (const auto& [place, shape] :
         evaluation::mask_shapes(config, recipe.samples, recipe.tokens))
      add_mask(c, place, shape, config.dropout);
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
          const std::size_t t = i % recipe.tokens;
          if (recipe.pads && is_pad(recipe, i)) return 0.0;
          if (recipe.vocabulary == 5 || t == 0) return kIds[t % 3];
          return static_cast<double>(4 + 3 * i % (recipe.vocabulary - 4));
        },
        DType::int64);
    put(
        c, recipe, "labels", {recipe.samples},
        [&](std::size_t b, double) { return static_cast<double>((2 * b + 1) % recipe.classes); },
        DType::int64);
    if (recipe.class_weights)
      put(
          c, recipe, "class_weights", {recipe.classes},
          [](std::size_t k, double normal) { return positive(k, normal) + static_cast<double>(k); },
          c.dtype);
  }

  /// Drawn as in training, as step 0 of a run with the seed of the corpus.
  void add_mask(Case& c, const std::string& place, const std::vector<std::size_t>& shape,
                double rate) const {
    const ref::tensor::Mask keep = ref::nn::dropout_mask(
        shape, rate, {seed_, 0, fmt::format("{}/{}/{}", operation_, c.reason, place)});
    c.inputs.push_back(ref::io::make_tensor(fmt::format("{}.keep", place), DType::boolean, shape,
                                            std::vector<double>(keep.begin(), keep.end())));
  }

  static ref::model::EncoderConfig config_of(const ref::model::EncoderOperation& operation,
                                             const EncoderRecipe& recipe) {
    return evaluation::encoder_config(operation, [&](const std::string& name) {
      using Extents = std::pair<std::size_t, std::size_t>;
      return name.starts_with("embedding") ? Extents{recipe.vocabulary, recipe.d_model}
             : name.starts_with("head")    ? Extents{recipe.classes, recipe.d_model}
                                           : Extents{recipe.d_ff, recipe.d_model};
    });
  }

  /// The parameters and the state of the norms.
  void add_weights(Case& c, const EncoderRecipe& recipe,
                   const ref::model::EncoderOperation& operation,
                   const ref::model::EncoderConfig& config) const {
    for (const auto& [name, shape] : ref::encoder::parameter_shapes(config))
      if (const auto own = evaluation::name_in(operation, name))
        put(c, recipe, *own, shape, fill_of(config, *own), c.dtype);
    for (const auto& [name, initial] : ref::encoder::initial_norm_state<double>(config))
      if (const auto own = evaluation::name_in(operation, name))
        put(c, recipe, *own, ref::tensor::shape_of(initial), fill_of_state(*own),
            dtype_of_output(c.dtype, *own));
  }

  static Fill fill_of(const ref::model::EncoderConfig& config, const std::string& parameter) {
    if (const auto* const of_norm = ref::encoder::norm_parameter(config, parameter)) {
      if (of_norm->initial == 0)
        return [](std::size_t d, double normal) { return far_from_zero(d, normal) / 2; };
      return [scale = of_norm->initial](std::size_t d, double normal) {
        return scale * near_one(d, normal);
      };
    }
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
  if (tier == Tier::full) cases.full();
  return cases.take();
}

}  // namespace normproof::verification::golden::recipes
