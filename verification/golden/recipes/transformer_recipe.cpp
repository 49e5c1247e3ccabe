#include "verification/golden/recipes/transformer_recipe.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "verification/checks/evaluation/transformers.hpp"
#include "verification/golden/corpus/arithmetic.hpp"
#include "verification/golden/recipes/encoder_recipe.hpp"

namespace normproof::verification::golden::recipes {

using corpus::dtype_of_output;
using corpus::Mode;
using ref::model::DecodingOptions;
using ref::model::LanguageModelOptions;
using ref::model::TransformerOperation;
using ref::model::TranslatorOptions;

namespace {

/// The word of that number of a vocabulary, whose last but one occurs nowhere.
double occurring(std::size_t words, std::size_t number) {
  return static_cast<double>(number == words - 2 ? words - 1 : number);
}
/// Word t of a sentence of the target: its mark of beginning, then others in turn.
double word_of(std::size_t words, std::size_t sentence, std::size_t t) {
  if (words < 5) return static_cast<double>((sentence + t) % words);
  return t == 0 ? 1 : occurring(words, 2 + (2 * sentence + t) % (words - 3));
}
double source_word(std::size_t words, std::size_t sentence, std::size_t t) {
  if (words < 4) return static_cast<double>((sentence + t) % words);
  return occurring(words, 1 + (sentence + 2 * t) % (words - 2));
}

class TransformerCaseMaker {
 public:
  TransformerCaseMaker(Case c, const TransformerRecipe& recipe, std::uint64_t seed)
      : case_(std::move(c)), recipe_(recipe), seed_(seed) {}

  Case make() {
    const auto& operation = std::get<TransformerOperation>(case_.options);
    put_words("tokens", recipe_.tokens, 0);
    std::visit(*this, operation);
    const ref::model::DecoderConfig config = config_of(operation);
    // Many sublayers multiply errors: the bound of float32 has to say something.
    for (const auto& [name, shape] :
         checks::evaluation::transformer_parameters(operation, config)) {
      const auto initial = checks::evaluation::initial_norm_value(operation, config, name);
      const double scale = name.ends_with("embedding.weight") ? 1 : 0.25;
      put(name, shape, initial ? fill_of_norm(*initial) : scaled_normal(scale), case_.dtype);
    }
    for (const auto& [name, initial] : checks::evaluation::transformer_state(operation, config))
      put(name, ref::tensor::shape_of(initial), fill_of_state(name),
          dtype_of_output(case_.dtype, name));
    std::ranges::sort(case_.inputs, {}, &StoredTensor::name);
    return std::move(case_);
  }

  void operator()(const TranslatorOptions&) {
    put_targets();
    put(
        "source", {recipe_.samples, recipe_.source},
        [&](std::size_t i, double) {
          const std::size_t length = recipe_.source;
          return is_pad(length, i) ? 0.0
                                   : source_word(recipe_.source_words, i / length, i % length);
        },
        DType::int64);
    put_valid("source_valid", recipe_.source);
  }
  void operator()(const LanguageModelOptions&) { put_targets(); }
  void operator()(const DecodingOptions& o) {
    case_.mode = Mode::inference;
    put("memory", {recipe_.samples, recipe_.source, recipe_.d_model}, as_drawn, case_.dtype);
    put_valid("memory_valid", recipe_.source);
    for (std::size_t l = 0; recipe_.past > 0 && l < o.num_layers; ++l)
      for (const char* part : {"keys", "values"})
        put(fmt::format("layers.{}.self_attention.past_{}", l, part),
            {recipe_.samples, recipe_.past, recipe_.d_model}, as_drawn, case_.dtype);
  }

 private:
  /// As many of the last tokens of each sentence as there are sentences behind it, or fewer: the
  /// last row is a token.
  bool is_pad(std::size_t length, std::size_t row) const {
    const std::size_t t = row % length, after = recipe_.samples - 1 - row / length;
    return recipe_.pads && t > 0 && t + after % length >= length;
  }

  static Fill scaled_normal(double scale) {
    return [scale](std::size_t, double normal) { return scale * normal; };
  }

  void put(const std::string& name, const std::vector<std::size_t>& shape, const Fill& usual,
           DType dtype) {
    const auto own = std::ranges::find(recipe_.fills, name, &std::pair<std::string, Fill>::first);
    const Fill& fill = own == recipe_.fills.end() ? usual : own->second;
    case_.inputs.push_back(filled_tensor(case_, name, shape, dtype, fill, seed_));
  }

  /// The words of the target from `first` on; of decoding none is padding.
  void put_words(const char* name, std::size_t length, std::size_t first) {
    const bool pads =
        !std::holds_alternative<DecodingOptions>(std::get<TransformerOperation>(case_.options));
    put(
        name, {recipe_.samples, length},
        [&, pads](std::size_t i, double) {
          return pads && is_pad(length, i) ? 0.0
                                           : word_of(recipe_.words, i / length, i % length + first);
        },
        DType::int64);
  }

  void put_targets() {
    put_words("targets", recipe_.tokens, 1);
    put_valid("valid", recipe_.tokens);
  }

  void put_valid(const char* name, std::size_t length) {
    if (!recipe_.pads) return;
    put(
        name, {recipe_.samples, length},
        [&](std::size_t row, double) { return is_pad(length, row) ? 0.0 : 1.0; }, DType::boolean);
  }

  ref::model::DecoderConfig config_of(const TransformerOperation& operation) const {
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
