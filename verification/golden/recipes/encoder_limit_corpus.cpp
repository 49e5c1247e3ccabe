#include "verification/golden/recipes/encoder_limit_corpus.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <utility>

#include "verification/golden/corpus/layer_traits.hpp"
#include "verification/golden/recipes/encoder_recipe.hpp"
#include "verification/golden/recipes/norm_recipe.hpp"

namespace normproof::verification::golden::recipes {

using corpus::Case;
using corpus::DType;
using corpus::has_option;
using corpus::is_layer_with_options;
using corpus::Tier;

namespace {

using Settings = std::vector<std::pair<std::string, std::string>>;
constexpr DType kLowPrecisionEncoderDtypes[] = {DType::bfloat16, DType::float16};

Settings gelu(const char* placement, const char* heads) {
  return {{"placement", placement}, {"num_heads", heads}, {"activation", "gelu"}};
}
Settings with(Settings settings, const Settings& more) {
  settings.insert(settings.end(), more.begin(), more.end());
  return settings;
}

class EncoderLimitCases : public EncoderCaseList {
 public:
  using EncoderCaseList::EncoderCaseList;

  void quick() {
    if (decoder_) return;
    for (const DType dtype : kLowPrecisionEncoderDtypes) {
      add({.reason = "post_layer_norm",
           .why = "x and parameters of 16 bits, and one rounding at the end: what is between is "
                  "float32",
           .options = with(gelu("post", "2"), {{"activation", "relu"}}),
           .dtype = dtype});
      add({.reason = "pre_batch_norm",
           .why = "parameters of 16 bits and running statistics of float32",
           .options = with(gelu("pre", "2"), {{"norm", "batch_norm"}}),
           .dtype = dtype});
      if (whole_)
        add({.reason = "per_position",
             .why = "each real token takes the label of its sentence, padding none",
             .options = {{"pooling", "per_position"}, {"num_heads", "2"}},
             .dtype = dtype});
      else
        add_layers(dtype);
    }
    if (!whole_) add_float16_limit_cases();
  }

  void standard() {
    for (const DType dtype : kLowPrecisionEncoderDtypes) low_precision_cases(dtype);
    if (decoder_) add_float16_limit_cases();
    add_case_of_every_norm(
        {.reason = "pre", .why = "an encoder with a norm that few have", .dtype = DType::float32});
    extents();
    values();
    add_float64_cases();
  }

 private:
  void add_layers(DType dtype) {
    add({.reason = "large_scores",
         .why = "scores of a hundred: softmax takes nearly one key alone",
         .options = {{"num_heads", "2"}, {"activation", "gelu"}},
         .dtype = dtype,
         .fills = {{"x", scaled_by(12)}}});
    add({.reason = "dropout_post",
         .why = "four masks; what is kept is divided by 1 - 0.25, in the backward too",
         .options = with(gelu("post", "2"), {{"dropout", "0.25"}}),
         .dtype = dtype});
  }

  void add_float16_limit_cases() {
    const auto in_every = [](std::size_t period) {
      return [period](std::size_t i, double normal) {
        return i / 4 % period == 0 ? 0x1p-17 * normal : normal;
      };
    };
    add({.reason = "subnormal_16_bits",
         .why = kWhySubnormal,
         .options = gelu("post", "2"),
         .dtype = DType::float16,
         .fills = {{"x", in_every(2)}, {"grad_y", in_every(3)}}});
    add({.reason = "near_largest",
         .why = kWhyNearLargest,
         .options = gelu("pre", "2"),
         .dtype = DType::float16,
         .fills = {{"x", near_largest}}});
  }

  void low_precision_cases(DType dtype) {
    // For whole encoders and decoders the float32 bound would be too wide to be useful here.
    for (const char* placement : {"post", "pre"})
      if (!whole_ && !decoder_)
        add({.reason = "random_a",
             .why = "a larger encoder of another seed",
             .options = gelu(placement, "4"),
             .dtype = dtype,
             .samples = placement[1] == 'o' ? std::size_t{3} : 4,
             .tokens = 7,
             .d_model = 16,
             .d_ff = 12});
    if (!decoder_)
      add({.reason = "odd_batch_norm",
           .why = "odd extents, three heads of three features, no multiple of any vector",
           .options = {{"norm", "batch_norm"}, {"num_heads", "3"}, {"activation", "gelu_tanh"}},
           .dtype = dtype,
           .samples = 3,
           .tokens = 5,
           .d_model = 9,
           .d_ff = 7});
    add({.reason = "many_sentences",
         .why =
             "gradients of parameters over 387 rows: a sum that is kept in 16 bits stops growing",
         .options = gelu("pre", "2"),
         .dtype = dtype,
         .samples = 129});
    add({.reason = "long_sentences",
         .why = "one key more than a vector of 32: long rows of scores",
         .options = gelu("post", "2"),
         .dtype = dtype,
         .tokens = 33});
    add({.reason = "wide_feed_forward",
         .why = "a feed-forward of one feature more than two vectors of 32",
         .options = gelu("pre", "1"),
         .dtype = dtype,
         .d_ff = 65});
  }

  /// Adds one case for each norm that no case of the quick tier has. Each case follows the recipe
  /// `like`, except that it has another norm.
  void add_case_of_every_norm(const EncoderRecipe& like) {
    for (const std::string& norm : ref::model::norm_names()) {
      if (decoder_ &&
          ref::model::norm_layer(ref::model::norm_options(norm)).uses_statistics_per_sample())
        continue;
      if (is_layer_with_options<ref::model::LayerNormOptions>(norm) ||
          is_layer_with_options<ref::model::BatchNormOptions>(norm) ||
          has_option(norm, "warmup_iterations"))
        continue;
      Settings options = with(gelu("pre", "2"), {{"norm", norm}});
      if (has_option(norm, "groups")) options.emplace_back("norm.groups", "2");
      EncoderRecipe recipe = like;
      recipe.reason += "_" + norm;
      recipe.options = std::move(options);
      add(recipe);
    }
  }

  /// Adds float64 cases that reveal errors which float32 cases hide: a factor that is rounded to 16
  /// bits, or one lost term in a thousand. For a whole encoder the float32 bound is wider than the
  /// effect of such an error.
  void add_float64_cases() {
    const auto between_tokens = [](std::size_t b, std::size_t t) { return (t + b) % 3 == 1; };
    add_case_of_every_norm({.reason = "pre",
                            .why = "a norm that few have: its factors rounded to 16 bits",
                            .pad = between_tokens});
    add({.reason = "many_sentences",
         .why = "gradients of parameters over 1041 rows, of a word over 347: a sum that ends early",
         .options = gelu("pre", "2"),
         .samples = 347,
         .pad = between_tokens});
    if (decoder_) return;
    if (!whole_)
      return add({.reason = "long_sentences",
                  .why = "a sentence of 1025 tokens: a sum over keys or queries that ends early",
                  .options = gelu("pre", "1"),
                  .samples = 1,
                  .tokens = 1025,
                  .d_ff = 5});
    add({.reason = "many_classes",
         .why = "1025 classes: a sum of exponentials that ends early",
         .options = gelu("pre", "2"),
         .classes = 1025});
    add({.reason = "wide_feed_forward",
         .why = "a feed-forward of 1025 features: a sum that ends early",
         .options = gelu("pre", "1"),
         .samples = 3,
         .d_ff = 1025});
    add({.reason = "one_class",
         .why = "C = 1: the loss and every gradient are 0",
         .options = gelu("pre", "2"),
         .classes = 1});
  }

  void extents() {
    const auto add_wide = [&](EncoderRecipe recipe) {
      recipe.why += ": more than a block has threads";
      add(recipe);
    };
    add({.reason = "one_feature",
         .why = "D = 1: one head of one feature, normalised over the tokens",
         .options = with(gelu("post", "1"), {{"norm", "batch_norm"}}),
         .dtype = DType::float32,
         .samples = 3,
         .d_model = 1});
    add({.reason = "many_sentences",
         .why = "more sentences than four warps have threads",
         .options = gelu("pre", "1"),
         .dtype = DType::float32,
         .samples = 130,
         .d_model = 2,
         .d_ff = 3});
    if (!whole_) {
      add_wide({.reason = "wide_feed_forward",
                .why = "a feed-forward of 1025 features",
                .options = gelu("pre", "1"),
                .dtype = DType::float32,
                .d_model = 2,
                .d_ff = 1025});
      if (decoder_) return;
      return add_wide({.reason = "long_sentences",
                       .why = "a sentence of 1025 tokens",
                       .options = gelu("pre", "1"),
                       .dtype = DType::float32,
                       .samples = 1,
                       .tokens = 1025,
                       .d_model = 2,
                       .d_ff = 3});
    }
    add({.reason = "one_word",
         .why = "V = 1: every token is the same, and padding too",
         .options = gelu("pre", "2"),
         .dtype = DType::float32,
         .vocabulary = 1});
    add_wide({.reason = "many_words",
              .why = "1031 words, of which few occur",
              .options = gelu("pre", "2"),
              .dtype = DType::float32,
              .vocabulary = 1031});
    add_wide({.reason = "many_classes",
              .why = "1025 classes",
              .options = gelu("pre", "2"),
              .dtype = DType::float32,
              .classes = 1025});
  }

  void values() {
    const std::string layer = whole_ ? "layers.0." : "";
    const Fill zero = [](std::size_t, double) { return 0.0; };
    const Fill turned = [](std::size_t i, double) { return i % 2 == 0 ? -1.25 : 0.0; };
    const Fill some = [](std::size_t i, double normal) { return i % 3 == 1 ? 0.0 : normal; };
    add({.reason = "gamma_0_and_negative",
         .why = "a gamma of 0 takes gradients away, one below 0 turns them round",
         .options = gelu("post", "2"),
         .dtype = DType::float32,
         .fills = {{layer + "norm1.gamma", turned}, {layer + "norm2.gamma", turned}}});
    add({.reason = "alpha_0_and_negative",
         .why = "DyT with an alpha of 0, whose y is beta, and with one below 0",
         .options = with(gelu("pre", "2"), {{"norm", "dyt"}}),
         .dtype = DType::float32,
         .fills = {{layer + "norm1.alpha", [](std::size_t, double) { return -0.75; }},
                   {layer + "norm2.alpha", zero}}});
    add({.reason = "statistics_of_0",
         .why = "running variances of 0 before the step",
         .options = with(gelu("post", "2"), {{"norm", "batch_norm"}}),
         .dtype = DType::float32,
         .fills = {{layer + "norm1.running_variance", zero},
                   {layer + "norm2.running_variance", zero}}});
    add({.reason = "psi_of_0",
         .why = "a running psi^2 of 0 before a step of the warm-up",
         .options =
             with(gelu("post", "2"), {{"norm", "power_norm"}, {"norm.warmup_iterations", "4"}}),
         .dtype = DType::float32,
         .fills = {{layer + "norm1.running_psi2", zero}, {layer + "norm2.running_psi2", zero}}});
    if (!whole_)
      add({.reason = "zeros_in_x",
           .why = "elements of 0 in x and in the gradient",
           .options = gelu("pre", "2"),
           .dtype = DType::float32,
           .fills = {{"x", some}, {"grad_y", some}}});
  }
};

}  // namespace

std::vector<Case> encoder_limit_cases(Tier tier, std::string_view operation, std::uint64_t seed) {
  EncoderLimitCases cases(tier, operation, seed);
  if (tier == Tier::quick) cases.quick();
  if (tier == Tier::standard) cases.standard();
  return cases.take();
}

}  // namespace normproof::verification::golden::recipes
