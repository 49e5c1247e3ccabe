#include "verification/golden/recipes/encoder_corpus.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "verification/golden/corpus/layer_traits.hpp"
#include "verification/golden/recipes/encoder_recipe.hpp"

namespace normproof::verification::golden::recipes {

using corpus::Case;
using corpus::DType;
using corpus::has_option;
using corpus::Tier;

namespace {

class EncoderCases : public EncoderCaseList {
 public:
  using EncoderCaseList::EncoderCaseList;

  void quick() {
    if (decoder_) return add_decoder_cases();
    for (const char* norm : {"layer_norm", "batch_norm", "power_norm", "power_norm_released"})
      for (const char* placement : {"post", "pre"}) add_ordinary_case(norm, placement);
    add_ordinary_case("power_norm", "post", DType::float32);
    if (!whole_) add_ordinary_case("layer_norm", "post", DType::float32);
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
      add_whole_encoder_cases();
    else
      layers();
    add_causal_cases();
  }

  void standard() {
    if (decoder_) add_source_cases();
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
    add_shape_cases();
    add_padding_cases();
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
    if (decoder_) return;
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

  void add_shape_cases() {
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
    if (!decoder_)
      add({.reason = "causal_long",
           .why = "a causal mask over one key more than a vector of 32",
           .options = make_causal(gelu("pre", "2")),
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

  void add_padding_cases() {
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

  void add_ordinary_case(const std::string& norm, const std::string& placement,
                         DType dtype = DType::float64) {
    const bool post = placement == "post";
    EncoderRecipe recipe{.reason = fmt::format("{}_{}", placement, norm),
                         .why = decoder_ ? "an ordinary layer of a decoder, with padding in source "
                                           "and target, two heads"
                                         : "an ordinary encoder with padding, two heads",
                         .options = {{"norm", norm},
                                     {"placement", placement},
                                     {"num_heads", "2"},
                                     {"activation", post ? "relu" : "gelu"}},
                         .dtype = dtype};
    if (has_option(norm, "warmup_iterations")) {
      // Two iterations were done before: the warm-up is over, or this step is its last.
      recipe.options.emplace_back("norm.warmup_iterations", post ? "2" : "3");
      recipe.options.emplace_back("norm.alpha_forward", "0.8");
    }
    add(recipe);
  }

  Settings make_causal(Settings settings) const {
    if (decoder_) return settings;  // it is always causal and has no such option
    settings.emplace_back("causal", "true");
    if (whole_) settings.emplace_back("pooling", "per_position");
    return settings;
  }

  /// Adds cases with a causal mask: rows with few visible keys next to rows with many, and a
  /// sentence that ends early, so that some keys are masked both by the causal mask and as padding.
  void add_causal_cases() {
    for (const DType dtype : {DType::float64, DType::float32, DType::bfloat16})
      if (!whole_ || dtype == DType::float64)
        add({.reason = "causal_post",
             .why = "a token sees itself and those before it: the first one alone itself",
             .options = make_causal(gelu("post", "2")),
             .dtype = dtype,
             .tokens = 4});
    add({.reason = "causal_pre_power_norm",
         .why = "psi and the statistics of the backward run over tokens that the mask keeps apart",
         .options = make_causal({{"placement", "pre"}, {"num_heads", "2"}, {"norm", "power_norm"}}),
         .samples = 3,
         .tokens = 5});
    add({.reason = "causal_without_padding",
         .why = "one mask alone, three heads of as many features as there are tokens",
         .options = make_causal(gelu("pre", "3")),
         .d_model = 9,
         .pads = false});
    if (!whole_)
      add({.reason = "causal_dropout",
           .why = "the mask of the dropout has a place for keys that are not seen",
           .options = make_causal({{"num_heads", "2"}, {"dropout", "0.25"}}),
           .tokens = 4});
  }

  void inference() {
    add({.reason = "inference_batch_norm",
         .why = "running statistics normalise, and gradients do not pass through them",
         .options = {{"norm", "batch_norm"}, {"num_heads", "2"}},
         .inference = true});
  }

  /// Adds the cases of a decoder layer. In most cases the source is longer or shorter than the
  /// target, and the padding of the source begins at another position.
  void add_decoder_cases() {
    add_ordinary_case("layer_norm", "post");
    for (const DType dtype : {DType::float32, DType::bfloat16})
      add_ordinary_case("layer_norm", "pre", dtype);
    add_ordinary_case("batch_norm", "pre");
    add_ordinary_case("power_norm", "post");
    add({.reason = "short_source_power_norm",
         .why = "more queries than keys, pre-norm, psi of each of three norms",
         .options =
             with(gelu("pre", "2"), {{"norm", "power_norm"}, {"norm.warmup_iterations", "3"}}),
         .samples = 3,
         .tokens = 4,
         .keys = 2});
    add({.reason = "without_mask",
         .why = "no padding, and as many keys as queries: x could be taken for the memory",
         .options = {{"activation", "gelu"}},
         .keys = 3,
         .pads = false});
    for (const DType dtype : {DType::float64, DType::float32})
      add({.reason = "large_eps",
           .why = "eps beside the variance: where it is added can be told",
           .options = {{"norm.eps", "0.25"}, {"num_heads", "2"}},
           .dtype = dtype});
    add({.reason = "offset_1e6",
         .why = "features that differ by little: the squares lose what the variance is made of",
         .options = gelu("pre", "2"),
         .fills = {{"x", [](std::size_t, double normal) { return 1e6 + normal; }}}});
    add({.reason = "dropout_post",
         .why = "six masks; what is kept is divided by 1 - 0.25, in the backward too",
         .options = with(gelu("post", "2"), {{"dropout", "0.25"}})});
    add({.reason = "dropout_pre",
         .why = "dropout behind residuals that no norm follows, masks of more keys than queries",
         .options = with(gelu("pre", "2"), {{"dropout", "0.5"}}),
         .dtype = DType::float32,
         .keys = 5});
    inference();
  }

  void add_source_cases() {
    add_ordinary_case("power_norm_released", "post");
    add({.reason = "one_key",
         .why = "S = 1: the only key of the source takes all, and no gradient passes that softmax",
         .options = gelu("post", "2"),
         .samples = 3,
         .keys = 1,
         .pads = false});
    add({.reason = "one_query",
         .why = "T = 1: a first token, which sees itself and the source",
         .options = gelu("pre", "2"),
         .samples = 3,
         .tokens = 1,
         .keys = 5});
    add({.reason = "long_source",
         .why = "one key of the source more than a vector of 32, few queries",
         .options = gelu("pre", "2"),
         .keys = 33});
  }

  void layers() {
    inference();
    add({.reason = "large_scores",
         .why = "scores of a hundred: softmax takes nearly one key alone",
         .options = {{"num_heads", "2"}, {"activation", "gelu"}},
         .fills = {{"x", [](std::size_t, double normal) { return 12 * normal; }}}});
    add_dropout_cases();
  }

  /// Adds cases with dropout. The masks are inputs, so that it does not matter how an
  /// implementation draws random numbers.
  void add_dropout_cases() {
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

  void add_whole_encoder_cases() {
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
    add({.reason = "scaled_embedding",
         .why = "the embedding times sqrt(3), which no dtype has, before positions are added",
         .options = with(gelu("pre", "1"), {{"scaled_embedding", "true"}}),
         .d_model = 3});
    add({.reason = "without_class_weights",
         .why = "every sentence counts the same in the loss",
         .options = {{"num_heads", "2"}, {"activation", "gelu"}},
         .class_weights = false});
  }
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
