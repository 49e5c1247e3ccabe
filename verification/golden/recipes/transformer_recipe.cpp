#include "verification/golden/recipes/transformer_recipe.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "verification/checks/evaluation/transformers.hpp"
#include "verification/golden/corpus/arithmetic.hpp"
#include "verification/golden/recipes/encoder_recipe.hpp"

namespace normproof::verification::golden::recipes {

using corpus::Mode;
using corpus::output_dtype;
using ref::model::DecodingOptions;
using ref::model::LanguageModelOptions;
using ref::model::TransformerOperation;
using ref::model::TranslatorOptions;

namespace {

/// Returns the id of word `number`. The numbers skip the second-to-last word of the vocabulary,
/// which therefore never occurs in a case.
double word_id(std::size_t words, std::size_t number) {
  return static_cast<double>(number == words - 2 ? words - 1 : number);
}
/// Returns the id of word t of a target sentence. Word 0 is the start mark, and the words after it
/// run through the other words of the vocabulary in turn. A vocabulary of fewer than five words has
/// no start mark.
double target_word(std::size_t words, std::size_t sentence, std::size_t t) {
  if (words < 5) return static_cast<double>((sentence + t) % words);
  return t == 0 ? 1 : word_id(words, 2 + (2 * sentence + t) % (words - 3));
}
double source_word(std::size_t words, std::size_t sentence, std::size_t t) {
  if (words < 4) return static_cast<double>((sentence + t) % words);
  return word_id(words, 1 + (sentence + 2 * t) % (words - 2));
}

class TransformerCaseMaker {
 public:
  TransformerCaseMaker(Case c, const TransformerRecipe& recipe, std::uint64_t seed)
      : case_(std::move(c)), recipe_(recipe), seed_(seed) {}

  Case make() {
    const auto& operation = std::get<TransformerOperation>(case_.options);
    add_words("tokens", recipe_.tokens, 0);
    std::visit(*this, operation);
    const ref::model::DecoderConfig config = make_config(operation);
    // A Transformer has many sublayers, which amplify errors. Small weights keep the float32 bound
    // useful.
    for (const auto& [name, shape] :
         checks::evaluation::transformer_parameters(operation, config)) {
      const auto initial = checks::evaluation::initial_norm_value(operation, config, name);
      const double scale = name.ends_with("embedding.weight") ? 1 : 0.25;
      add_input(name, shape, initial ? norm_fill(*initial) : scaled_normal(scale), case_.dtype);
    }
    for (const auto& [name, initial] : checks::evaluation::transformer_state(operation, config))
      add_input(name, ref::tensor::shape_of(initial), state_fill(name),
                output_dtype(case_.dtype, name));
    std::ranges::sort(case_.inputs, {}, &StoredTensor::name);
    return std::move(case_);
  }

  void operator()(const TranslatorOptions&) {
    add_targets();
    add_input(
        "source", {recipe_.samples, recipe_.source},
        [&](std::size_t i, double) {
          const std::size_t length = recipe_.source;
          return is_pad(length, i) ? 0.0
                                   : source_word(recipe_.source_words, i / length, i % length);
        },
        DType::int64);
    add_valid_mask("source_valid", recipe_.source);
  }
  void operator()(const LanguageModelOptions&) { add_targets(); }
  void operator()(const DecodingOptions& o) {
    case_.mode = Mode::inference;
    add_input("memory", {recipe_.samples, recipe_.source, recipe_.d_model}, standard_normal_element,
              case_.dtype);
    add_valid_mask("memory_valid", recipe_.source);
    for (std::size_t l = 0; recipe_.past > 0 && l < o.num_layers; ++l)
      for (const char* part : {"keys", "values"})
        add_input(fmt::format("layers.{}.self_attention.past_{}", l, part),
                  {recipe_.samples, recipe_.past, recipe_.d_model}, standard_normal_element,
                  case_.dtype);
  }

 private:
  /// Whether a row is padding. Sentence k of the n sentences ends with at most n - 1 - k padding
  /// tokens, so that the last row of the batch is a token.
  bool is_pad(std::size_t length, std::size_t row) const {
    const std::size_t t = row % length, after = recipe_.samples - 1 - row / length;
    return recipe_.pads && t > 0 && t + after % length >= length;
  }

  static Fill scaled_normal(double scale) {
    return [scale](std::size_t, double normal) { return scale * normal; };
  }

  void add_input(const std::string& name, const std::vector<std::size_t>& shape, const Fill& usual,
                 DType dtype) {
    const auto own = std::ranges::find(recipe_.fills, name, &std::pair<std::string, Fill>::first);
    const Fill& fill = own == recipe_.fills.end() ? usual : own->second;
    case_.inputs.push_back(filled_tensor(case_, name, shape, dtype, fill, seed_));
  }

  /// Adds the words of the target, beginning with word `first`. In decoding there is no padding.
  void add_words(const char* name, std::size_t length, std::size_t first) {
    const bool pads =
        !std::holds_alternative<DecodingOptions>(std::get<TransformerOperation>(case_.options));
    add_input(
        name, {recipe_.samples, length},
        [&, pads](std::size_t i, double) {
          return pads && is_pad(length, i)
                     ? 0.0
                     : target_word(recipe_.words, i / length, i % length + first);
        },
        DType::int64);
  }

  void add_targets() {
    add_words("targets", recipe_.tokens, 1);
    add_valid_mask("valid", recipe_.tokens);
  }

  void add_valid_mask(const char* name, std::size_t length) {
    if (!recipe_.pads) return;
    add_input(
        name, {recipe_.samples, length},
        [&](std::size_t row, double) { return is_pad(length, row) ? 0.0 : 1.0; }, DType::boolean);
  }

  ref::model::DecoderConfig make_config(const TransformerOperation& operation) const {
    return checks::evaluation::transformer_config(operation, [&](const std::string& name) {
      using Extents = std::pair<std::size_t, std::size_t>;
      const bool embedding = name.ends_with("embedding.weight");
      return embedding ? Extents{name.starts_with("encoder") ? recipe_.source_words : recipe_.words,
                                 recipe_.d_model}
                       : Extents{recipe_.d_ff, recipe_.d_model};
    });
  }

  Case case_;
  const TransformerRecipe& recipe_;
  std::uint64_t seed_;
};

}  // namespace

Case transformer_case(Tier tier, std::string_view operation, const TransformerRecipe& recipe,
                      std::uint64_t seed) {
  Case c;
  c.tier = tier;
  c.reason = recipe.reason;
  c.why = recipe.why;
  c.options = ref::model::operation(operation);
  for (const auto& [name, value] : recipe.options) ref::model::set_option(c.options, name, value);
  c.mode = Mode::training;
  c.dtype = recipe.dtype;
  return TransformerCaseMaker(std::move(c), recipe, seed).make();
}

}  // namespace normproof::verification::golden::recipes
