#include "verification/golden/recipes/transformer_corpus.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "ref/model/operation_info.hpp"
#include "verification/golden/corpus/layer_traits.hpp"
#include "verification/golden/recipes/norm_recipe.hpp"
#include "verification/golden/recipes/transformer_recipe.hpp"

namespace normproof::verification::golden::recipes {

using corpus::DType;
using corpus::has_option;

namespace {

using Options = std::vector<std::pair<std::string, std::string>>;

class TransformerCases {
 public:
  TransformerCases(Tier tier, std::string_view operation, std::uint64_t seed)
      : tier_(tier),
        operation_(operation),
        seed_(seed),
        translates_(ref::model::is_operation_name<ref::model::TranslatorOptions>(operation)),
        decodes_(ref::model::is_operation_name<ref::model::DecodingOptions>(operation)) {}

  std::vector<Case> take() { return std::move(cases_); }

  void quick() {
    if (translates_) add_translator_cases();
    if (decodes_) add_decoding_cases();
    if (!translates_ && !decodes_) add_language_model_cases();
  }

  void standard() {
    for (const char* name : {"a", "b"})
      for (const char* placement : {"post", "pre"})
        add({.reason = fmt::format("random_{}", name),
             .why = "a larger model of another seed",
             .options = with_label_smoothing(gelu(placement, "4"), "0.1"),
             .samples = placement[1] == 'o' ? std::size_t{3} : 4,
             .source = 6,
             .tokens = 7,
             .d_model = 16,
             .d_ff = 12,
             .source_words = 11,
             .words = 13,
             .past = decodes_ ? std::size_t{5} : 0});
    add_norms();
    add_layers();
    add_losses();
    add_caches();
    extents();
    values();
    for (const DType dtype : {DType::bfloat16, DType::float16}) low_precision_cases(dtype);
  }

  /// Adds the cases of the tier `full`. Only decoding has such cases; for a model with a loss the
  /// error bound would be too wide to be useful.
  void full() {
    if (!decodes_) return;
    add({.reason = "large_pre",
         .why = "more keys than a block of attention has, in the cache and of the source, eight "
                "heads",
         .options = gelu("pre", "8"),
         .samples = 2,
         .source = 70,
         .tokens = 5,
         .d_model = 24,
         .d_ff = 33,
         .words = 129,
         .past = 130});
  }

 private:
  void add(const TransformerRecipe& recipe) {
    cases_.push_back(transformer_case(tier_, operation_, recipe, seed_));
  }

  static Options gelu(const char* placement, const char* heads) {
    return {{"placement", placement}, {"num_heads", heads}, {"activation", "gelu"}};
  }
  static Options with(Options options, const Options& more) {
    options.insert(options.end(), more.begin(), more.end());
    return options;
  }
  static Fill offset_by(double offset) {
    return [offset](std::size_t, double normal) { return offset + normal; };
  }
  /// Returns the options that set eps on the encoder side and the decoder side.
  Options eps_options(const char* eps) const {
    Options options = {{"norm.eps", eps}};
    if (translates_) options.emplace_back("decoder_norm.eps", eps);
    return options;
  }
  /// Adds label smoothing if the operation has a loss.
  Options with_label_smoothing(Options options, const char* smoothing) const {
    if (!decodes_) options.emplace_back("label_smoothing", smoothing);
    return options;
  }
  /// Adds the option that selects the norm and, for a translator, the norm of the decoder.
  Options with_norm(Options options, const std::string& norm,
                    const std::string& decoder_norm) const {
    options.emplace_back("norm", norm);
    if (translates_) options.emplace_back("decoder_norm", decoder_norm);
    return options;
  }

  void add_translator_cases() {
    add({.reason = "pre_batch_norm",
         .why = "statistics of the batch in the encoder alone; features that differ by little; "
                "logits of 800, whose exp overflows",
         .options =
             with_label_smoothing(with_norm(gelu("pre", "2"), "batch_norm", "layer_norm"), "0.1"),
         .samples = 2,
         .source = 3,
         .tokens = 4,
         .fills = {{"decoder.embedding.weight", offset_by(1e6)},
                   {"encoder.embedding.weight", offset_by(1e4)},
                   {"head.bias", offset_by(800)}}});
    add({.reason = "tied_post_layer_norm",
         .why = "the head has the target embedding's weight, whose gradient is a sum; sources and "
                "targets of several lengths, one of a single token, beside whole ones",
         .options = with_label_smoothing(with(gelu("post", "2"), {{"tied_head", "true"}}), "0.1")});
    add({.reason = "without_mask",
         .why = "a target as long as its source, whose positions could be taken for it, and no "
                "smoothing",
         .options = with(with_norm({}, "rms_norm", "rms_norm"), {{"norm.eps", "0.25"},
                                                                 {"decoder_norm.eps", "0.25"},
                                                                 {"num_heads", "2"},
                                                                 {"activation", "gelu_tanh"}}),
         .dtype = DType::float32,
         .samples = 2,
         .source = 3,
         .pads = false});
    scaled_embedding();
  }

  void add_language_model_cases() {
    add({.reason = "tied_pre_layer_norm",
         .why = "the head has the embedding's weight, whose gradient is a sum; sentences of "
                "several lengths",
         .options = with_label_smoothing(with(gelu("pre", "2"), {{"tied_head", "true"}}), "0.1"),
         .tokens = 4});
    add({.reason = "pre_batch_norm",
         .why = "statistics over later tokens too, of features that differ by little, no "
                "smoothing; logits of 800, whose exp overflows",
         .options = {{"norm", "batch_norm"}, {"num_heads", "2"}, {"placement", "pre"}},
         .tokens = 4,
         .fills = {{"embedding.weight", offset_by(1e4)}, {"head.bias", offset_by(800)}}});
    add({.reason = "pre_rms_norm",
         .why = "sentences without padding",
         .options = with_label_smoothing(with(gelu("pre", "1"), {{"norm", "rms_norm"}}), "0.1"),
         .dtype = DType::float32,
         .samples = 2,
         .pads = false});
    scaled_embedding();
  }

  void add_decoding_cases() {
    add({.reason = "post_layer_norm",
         .why = "from the first token on: an empty cache, which each token joins",
         .options = gelu("post", "2"),
         .samples = 2});
    add({.reason = "one_step",
         .why = "one token behind a cache of four: its position is that of the fifth",
         .options = with(gelu("pre", "2"), {{"tied_head", "true"}}),
         .samples = 2,
         .tokens = 1,
         .past = 4,
         .fills = {{"embedding.weight", offset_by(1e4)}}});
    add({.reason = "chunk_power_norm",
         .why = "two tokens behind a cache of three, running psi",
         .options = {{"placement", "pre"}, {"norm", "power_norm"}, {"norm.eps", "0.25"}},
         .tokens = 2,
         .past = 3});
    for (const DType dtype : {DType::float32, DType::bfloat16})
      add({.reason = "one_step_rms_norm",
           .why = "a cache as it is stored",
           .options = with(gelu("pre", "2"), {{"norm", "rms_norm"}}),
           .dtype = dtype,
           .samples = 2,
           .tokens = 1,
           .past = 2});
    add({.reason = "past_64_positions",
         .why = "a block of 64 keys and one more behind the step: the position of the token, and "
                "the last keys",
         .options = with(gelu("pre", "2"), {{"norm", "rms_norm"}}),
         .dtype = DType::float32,
         .samples = 1,
         .source = 2,
         .tokens = 1,
         .d_model = 2,
         .past = 65});
    scaled_embedding();
  }

  void scaled_embedding() {
    add({.reason = "scaled_embedding",
         .why = "the embedding times sqrt(3), which no dtype has, before positions are added; the "
                "tied head has the weight as it is",
         .options = with_label_smoothing(
             with(gelu("pre", "1"), {{"tied_head", "true"}, {"scaled_embedding", "true"}}), "0.1"),
         .samples = 2,
         .d_model = 3,
         .past = decodes_ ? std::size_t{2} : 0});
  }

  /// Adds cases for each norm, once before the sublayers and once after them. The norm is used on
  /// the encoder side. It is also used on the decoder side unless its statistics are computed over
  /// a sentence.
  void add_norms() {
    for (const std::string& norm : ref::model::norm_names()) {
      const bool over_sentences =
          ref::model::norm_layer(ref::model::norm_options(norm)).uses_statistics_per_sample();
      if (over_sentences && !translates_) continue;
      for (const char* placement : {"post", "pre"}) {
        Options options =
            with_label_smoothing(with_norm(gelu(placement, "2"), norm,
                                           over_sentences ? std::string("layer_norm") : norm),
                                 "0.1");
        if (has_option(norm, "warmup_iterations")) {
          options.emplace_back("norm.warmup_iterations", placement[1] == 'o' ? "2" : "3");
          options.emplace_back("norm.alpha_forward", "0.8");
        }
        if (has_option(norm, "groups")) {
          options.emplace_back("norm.groups", "2");
          if (translates_ && !over_sentences) options.emplace_back("decoder_norm.groups", "2");
        }
        add({.reason = fmt::format("{}_{}", placement, norm),
             .why = "each norm at each of its places",
             .options = options,
             .past = decodes_ ? std::size_t{2} : 0});
      }
    }
    if (translates_)
      add({.reason = "power_norm_in_the_decoder",
           .why = "statistics of the batch on the decoder's side alone",
           .options = with_label_smoothing(with_norm(gelu("post", "2"), "layer_norm", "power_norm"),
                                           "0.1"),
           .samples = 4});
  }

  void add_layers() {
    add({.reason = "two_layers",
         .why = "the memory's gradient is that of two layers",
         .options = with_label_smoothing(with(gelu("post", "2"), {{"num_layers", "2"}}), "0.1"),
         .samples = 2,
         .tokens = 5,
         .past = decodes_ ? std::size_t{3} : 0});
    add({.reason = "three_layers",
         .why = "three layers a side, a tied head",
         .options = with(gelu("pre", "2"), {{"num_layers", "3"}, {"tied_head", "true"}}),
         .samples = 2,
         .source = 5,
         .past = decodes_ ? std::size_t{1} : 0});
    add({.reason = "without_positions",
         .why = "the embedding alone",
         .options = with(gelu("post", "2"), {{"positions", "false"}}),
         .past = decodes_ ? std::size_t{2} : 0});
    for (const DType dtype : {DType::float64, DType::float32, DType::bfloat16})
      add({.reason = "scaled_post",
           .why = "an embedding times sqrt(5) under a norm, and a head of its own; eps keeps the "
                  "bound of few bits small",
           .options =
               with(with(gelu("post", "1"), eps_options("0.25")), {{"scaled_embedding", "true"}}),
           .dtype = dtype,
           .d_model = 5,
           .past = decodes_ ? std::size_t{1} : 0});
    add({.reason = "scaled_without_positions",
         .why = "an embedding times sqrt(6), and nothing added",
         .options = with(gelu("pre", "2"), {{"scaled_embedding", "true"}, {"positions", "false"}}),
         .d_model = 6});
    add({.reason = "eight_heads",
         .why = "eight heads of one feature",
         .options = {{"num_heads", "8"}, {"activation", "gelu_tanh"}, {"placement", "pre"}},
         .d_model = 8});
    add({.reason = "relu",
         .why = "one head, rectified; as many tokens as the source has, and padding at the same "
                "places",
         .options = {{"num_heads", "1"}, {"tied_head", "true"}},
         .source = 4,
         .tokens = 4});
  }

  void add_losses() {
    if (decodes_) return;
    add({.reason = "wholly_smoothed",
         .why = "label smoothing 1: every word is as much a target as any",
         .options = with_label_smoothing(gelu("post", "2"), "1")});
    add({.reason = "one_word",
         .why = "V = 1: the loss and every gradient are 0",
         .options = gelu("pre", "2"),
         .dtype = DType::float32,
         .words = 1});
    add({.reason = "many_words",
         .why = "a vocabulary of 1031 words, of which few occur",
         .options = with_label_smoothing(gelu("pre", "2"), "0.1"),
         .words = 1031});
  }

  void add_caches() {
    if (!decodes_) return;
    add({.reason = "without_mask",
         .why = "a memory without padding",
         .options = gelu("post", "2"),
         .pads = false,
         .past = 2});
    add({.reason = "long_cache",
         .why = "one key more than a vector of 32 behind the step",
         .options = gelu("pre", "2"),
         .samples = 2,
         .tokens = 1,
         .past = 32});
    for (const DType dtype : {DType::float32, DType::bfloat16})
      add({.reason = "past_64_positions",
           .why = "two blocks of 64 keys and more behind a chunk of two tokens",
           .options = with(gelu("pre", "2"), {{"norm", "rms_norm"}}),
           .dtype = dtype,
           .samples = 2,
           .tokens = 2,
           .d_model = 16,
           .past = 131});
    add({.reason = "many_words",
         .why = "a vocabulary of 1031 words",
         .options = gelu("pre", "2"),
         .dtype = DType::float32,
         .words = 1031});
    add({.reason = "one_word",
         .why = "V = 1",
         .options = gelu("pre", "2"),
         .dtype = DType::float32,
         .words = 1});
  }

  void extents() {
    add({.reason = "one_token",
         .why = "T = 1 and S = 1: the only keys take all",
         .options = with_label_smoothing(gelu("post", "2"), "0.1"),
         .source = 1,
         .tokens = 1,
         .pads = false});
    add({.reason = "one_sentence",
         .why = "B = 1; of decoding as many keys in the cache as the memory has",
         .options = with_label_smoothing(gelu("pre", "2"), "0.1"),
         .samples = 1,
         .past = decodes_ ? std::size_t{4} : 0});
    add({.reason = "long_sentences",
         .why = "one token more than a vector of 32 on both sides",
         .options = with_label_smoothing(gelu("pre", "2"), "0.1"),
         .samples = 2,
         .source = 33,
         .tokens = 33});
    add({.reason = "one_feature",
         .why = "D = 1: one head of one feature, normalised over the tokens",
         .options = with_norm(gelu("post", "1"), "batch_norm", "batch_norm"),
         .dtype = DType::float32,
         .d_model = 1});
    add({.reason = "narrow_feed_forward",
         .why = "F = 1: everything passes one feature",
         .options = gelu("pre", "1"),
         .d_ff = 1});
    add({.reason = "wide_feed_forward",
         .why = "a feed-forward of 1025 features: a sum that ends early",
         .options = gelu("pre", "1"),
         .samples = 2,
         .d_ff = 1025});
    add({.reason = "many_sentences",
         .why = "gradients of parameters over 516 rows: a sum that ends early",
         .options = with_label_smoothing(gelu("pre", "1"), "0.1"),
         .samples = 129,
         .tokens = 4});
  }

  void values() {
    const Fill zero = [](std::size_t, double) { return 0.0; };
    const Fill turned = [](std::size_t i, double) { return i % 2 == 0 ? -1.25 : 0.0; };
    const std::string side = translates_ ? "decoder." : "";
    add({.reason = "offset_1e6",
         .why = "features that differ by little; logits of 800, whose exp overflows",
         .options = with_label_smoothing(gelu("pre", "2"), "0.1"),
         .fills = {{side + "embedding.weight", offset_by(1e6)},
                   {"encoder.embedding.weight", offset_by(1e4)},
                   {"head.bias", offset_by(800)}}});
    add({.reason = "large_eps",
         .why = "eps beside the variance: where it is added, and how it is rounded, can be told",
         .options = with(gelu("post", "2"), eps_options("0.3"))});
    add({.reason = "gamma_0_and_negative",
         .why = "a gamma of 0 takes gradients away, one below 0 turns them round",
         .options = gelu("post", "2"),
         .fills = {{side + "layers.0.norm1.gamma", turned},
                   {side + "layers.0.norm2.gamma", turned}}});
    add({.reason = "alpha_0_and_negative",
         .why = "DyT with an alpha of 0, whose y is beta, and with one below 0",
         .options = with_norm(gelu("pre", "2"), "dyt", "dyt"),
         .fills = {{side + "layers.0.norm1.alpha", [](std::size_t, double) { return -0.75; }},
                   {side + "layers.0.norm2.alpha", zero}}});
    add({.reason = "statistics_of_0",
         .why = "running variances of 0 before the step",
         .options =
             with(with_norm(gelu("post", "2"), "batch_norm", "batch_norm"), {{"norm.eps", "0.25"}}),
         .fills = {{side + "layers.0.norm1.running_variance", zero}}});
    add({.reason = "psi_of_0",
         .why = "a running psi^2 of 0 before a step of the warm-up",
         .options = with(with_norm(gelu("post", "2"), "power_norm", "power_norm"),
                         {{"norm.warmup_iterations", "4"}, {"norm.eps", "0.25"}}),
         .fills = {{side + "layers.0.norm1.running_psi2", zero}}});
  }

  void low_precision_cases(DType dtype) {
    add({.reason = "post_layer_norm",
         .why = "parameters of 16 bits, and one rounding at the end: what is between is float32",
         .options = with_label_smoothing(gelu("post", "2"), "0.1"),
         .dtype = dtype,
         .past = decodes_ ? std::size_t{3} : 0});
    add({.reason = "pre_batch_norm",
         .why = "parameters of 16 bits and running statistics of float32",
         .options =
             with_label_smoothing(with_norm(gelu("pre", "2"), "batch_norm", "layer_norm"), "0.1"),
         .dtype = dtype,
         .past = decodes_ ? std::size_t{3} : 0});
  }

  Tier tier_;
  std::string_view operation_;
  std::uint64_t seed_;
  bool translates_, decodes_;
  std::vector<Case> cases_ = {};
};

}  // namespace

std::vector<Case> transformer_cases(Tier tier, std::string_view operation, std::uint64_t seed) {
  TransformerCases cases(tier, operation, seed);
  if (tier == Tier::quick) cases.quick();
  if (tier == Tier::standard) cases.standard();
  if (tier == Tier::full) cases.full();
  return cases.take();
}

}  // namespace normproof::verification::golden::recipes
