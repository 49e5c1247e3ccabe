#include "verification/golden/plain/plain_transformers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/verification/golden/certify/samples.hpp"
#include "verification/golden/gate/check.hpp"
#include "verification/golden/gate/diagnose.hpp"
#include "verification/golden/mutations/mistake_name.hpp"
#include "verification/golden/recipes/case_inputs.hpp"
#include "verification/golden/recipes/transformer_corpus.hpp"

namespace normproof::verification::golden::plain {

using gate::CaseResult;
using gate::check_case;
using recipes::transformer_cases;
namespace {

Case find_transformer_case(const std::string& operation, const std::string& reason,
                           Tier tier = Tier::quick) {
  for (Case& c : transformer_cases(tier, operation, 1))
    if (c.reason == reason) return std::move(c);
  ADD_FAILURE() << operation << " has no case " << reason;
  return {};
}

std::vector<StoredTensor> run_transformer_with(const Case& c, const Mutation& mutation = {},
                                               const Style& style = {}) {
  Sites sites(mutation);
  return run_plain_transformer(c, recipes::inputs_of(c), style, sites);
}

/// Returns the names of the outputs that the mutation changes.
std::vector<std::string> changed_model_outputs(const Case& c, const Mutation& mutation) {
  const auto right = run_transformer_with(c), wrong = run_transformer_with(c, mutation);
  std::vector<std::string> moved;
  for (const StoredTensor& tensor : right)
    if (find_tensor_values(right, tensor.name) != find_tensor_values(wrong, tensor.name))
      moved.push_back(tensor.name);
  return moved;
}

TEST(PlainTransformers, EveryStyleReturnsAllOutputsAndPassesTheGate) {
  for (const std::string& operation : ref::model::transformer_operation_names())
    for (const Case& c : transformer_cases(Tier::quick, operation, 1)) {
      const StoredCase stored = certified(c);
      for (const Style& style :
           {Style{}, Style{.sum = Style::Sum::backwards}, Style{.divide = true},
            Style{.sum = Style::Sum::pairwise, .welford = true, .powers = true}}) {
        const CaseResult result = check_case(stored, run_transformer_with(c, {}, style), {});
        EXPECT_TRUE(result.passed()) << case_folder(c);
        EXPECT_EQ(result.tensors.size(), stored.description.outputs.size()) << case_folder(c);
      }
    }
}

/// Each mutation must be offered by its name, and a case of the quick tier must reject it.
TEST(PlainTransformers, MutationsOfWholeModelsAreOfferedAndRejected) {
  using enum MutationOperator;
  const std::vector<std::pair<const char*, std::vector<Mutation>>> kMistakes = {
      {"translator",
       {{"causal mask", drop},
        {"causal mask", one_more},
        {"causal mask", one_less},
        {"causal mask", transposed},
        {"cross_attention: memory", other},
        {"cross_attention: mask of the keys", ignore_mask},
        {"encoder: mask of the keys", ignore_mask},
        {"encoder: causal mask", insert},
        {"targets", one_more},
        {"targets", one_less},
        {"loss: smoothing of ignored rows", insert},
        {"loss: smoothing of the target", drop},
        {"loss: label smoothing of a class", one_less},
        {"loss: divisor of the mean loss", insert},
        {"loss: mask of the loss", ignore_mask},
        {"bias of head", drop},
        {"gradients of the tied weight", forget_first},
        {"gradients of the tied weight", forget_last},
        {"norm after the last layer", drop},
        {"encoder: norm after the last layer", drop},
        {"factor sqrt(D) of the embedding", drop},
        {"encoder: factor sqrt(D) of the embedding", drop},
        {"encoder: factor sqrt(D) of the embedding", insert},
        {"encoder: factor sqrt(D) of grad_embedding.weight", drop},
        {"factor sqrt(D) of the embedding, forward and backward", drop},
        {"factor sqrt(D) of both embeddings, forward and backward", drop},
        {"factor sqrt(D) of both embeddings, forward and backward", insert},
        {"factor sqrt(D) of both embeddings' gradients", drop},
        {"encoder: sqrt(D) on the position", insert},
        {"sqrt(D) on every position", insert},
        {"sqrt(D) on the tied head", insert},
        {"sqrt(D) on the tied head", inverted}}},
      {"language_model",
       {{"causal mask", drop},
        {"targets", one_more},
        {"targets", one_less},
        {"gradients of the tied weight", forget_first},
        {"loss: smoothing of ignored rows", insert},
        {"norm after the last layer", drop},
        {"factor sqrt(D) of the embedding", drop},
        {"factor sqrt(D) of the embedding", square},
        {"factor sqrt(D) of the embedding", half_precision},
        {"factor sqrt(D) of the embedding", single_precision},
        {"factor sqrt(D) of grad_embedding.weight", drop},
        {"factor sqrt(D) of the embedding, forward and backward", drop},
        {"sqrt(D) on the position", insert},
        {"sqrt(D) on the tied head", insert},
        {"sqrt(D) on the tied head", inverted},
        {"sqrt(D) on the head's gradient", insert}}},
      {"decoding",
       {{"positions of the cache", one_less},
        {"positions of the cache", one_more},
        {"positions of the cache", drop},
        {"place in the cache", one_less},
        {"place in the cache", one_more},
        {"place in the cache", drop},
        {"writing to the cache", other},
        {"sentence of the cache", other},
        {"causal mask of new tokens", drop},
        {"causal mask of new tokens", one_more},
        {"causal mask of new tokens", other},
        {"oldest row of the cache", drop},
        {"rows that the cache has", one_less},
        {"order of past keys", rotated},
        {"order of past values", rotated_back},
        {"order of past keys and values", rotated},
        {"order of past keys and values", rotated_back},
        {"order of the cache", rotated},
        {"order of the cache", rotated_back},
        {"1/sqrt(d_k) of keys in the cache", insert},
        {"1/sqrt(d_k) of keys in the cache", other},
        {"1/sqrt(d_k) of past keys", insert},
        {"1/sqrt(d_k) of past keys", drop},
        {"1/sqrt(d_k) of past keys in the cache", insert},
        {"1/sqrt(d_k) of every key in the cache", insert},
        {"1/sqrt(d_k) of all keys that are kept", insert},
        {"1/sqrt(d_k) of new keys that are kept", insert},
        {"factor sqrt(D) of the embedding", drop},
        {"factor sqrt(D) of the embedding", insert},
        {"sqrt(D) on the position", insert},
        {"sqrt(D) on the tied head", insert},
        {"sqrt(D) on the tied head", inverted},
        {"position of a token", drop},
        {"position of a token", reset},
        {"cross_attention: memory", other},
        {"cross_attention: mask of the keys", ignore_mask}}}};
  for (const auto& [operation, mistakes] : kMistakes) {
    std::vector<std::pair<StoredCase, std::vector<Mutation>>> asked;
    for (const Case& c : transformer_cases(Tier::quick, operation, 1)) {
      Sites sites;
      sites.list();
      run_plain_transformer(c, recipes::inputs_of(c), {}, sites);
      asked.emplace_back(certified(c), sites.seen());
    }
    for (const Mutation& mistake : mistakes) {
      bool offered = false, rejected = false;
      for (const auto& [stored, seen] : asked) {
        if (std::ranges::find(seen, mistake) == seen.end()) continue;
        offered = true;
        const auto answer = run_transformer_with(stored.description.c, mistake);
        rejected |= !check_case(stored, answer, {}).passed();
      }
      EXPECT_TRUE(offered) << operation << " " << mistake.site;
      EXPECT_TRUE(rejected) << operation << " " << mistake.site << ": " << to_string(mistake.op);
    }
  }
}

TEST(PlainTransformers, MutationsOfTheLossChangeNoLogit) {
  const Case c = find_transformer_case("translator", "tied_post_layer_norm");
  using enum MutationOperator;
  for (const Mutation& mistake : {Mutation{"targets", one_more}, Mutation{"targets", one_less},
                                  Mutation{"loss: smoothing of ignored rows", insert},
                                  Mutation{"loss: smoothing of the target", drop}}) {
    const auto moved = changed_model_outputs(c, mistake);
    EXPECT_THAT(moved, ::testing::Contains("loss")) << mistake.site;
    EXPECT_THAT(moved, ::testing::Not(::testing::Contains("logits"))) << mistake.site;
  }
  EXPECT_THAT(changed_model_outputs(c, {"loss: mask of the gradient", ignore_mask}),
              ::testing::Not(::testing::Contains("loss")));
}

TEST(PlainTransformers, TiedWeightSumsTwoGradients) {
  const Case c = find_transformer_case("language_model", "tied_pre_layer_norm");
  for (const MutationOperator op : {MutationOperator::forget_first, MutationOperator::forget_last})
    EXPECT_EQ(changed_model_outputs(c, {"gradients of the tied weight", op}),
              std::vector<std::string>{"grad_embedding.weight"});
}

TEST(PlainTransformers, MutationsOfTheEncoderAffectOnlyTheEncoderSide) {
  const Case c = find_transformer_case("translator", "tied_post_layer_norm");
  Sites sites;
  sites.list();
  run_plain_transformer(c, recipes::inputs_of(c), {}, sites);
  const auto has = [&](const char* site) {
    return std::ranges::any_of(sites.seen(), [&](const Mutation& m) { return m.site == site; });
  };
  EXPECT_TRUE(has("encoder: residual of attention"));
  EXPECT_FALSE(has("residual of attention"));
  EXPECT_TRUE(has("residual of self-attention"));
  // No gradient reaches padding. So it does not matter which rows are summed for the gradient of a
  // parameter.
  EXPECT_FALSE(has("norm: rows of the parameter gradients"));
  const auto right = run_transformer_with(c),
             wrong = run_transformer_with(c, {"encoder: eps", MutationOperator::drop});
  // The eps of the norms is at another mutation site.
  EXPECT_EQ(find_tensor_values(right, "logits"), find_tensor_values(wrong, "logits"));
  EXPECT_THAT(changed_model_outputs(c, {"encoder: norm: eps", MutationOperator::ten_times}),
              ::testing::Contains("logits"));
}

TEST(PlainTransformers, OnlyATranslatorHasTwoEmbeddings) {
  for (const std::string& operation : ref::model::transformer_operation_names()) {
    const Case c = find_transformer_case(operation, "scaled_embedding");
    Sites sites;
    sites.list();
    run_plain_transformer(c, recipes::inputs_of(c), {}, sites);
    const auto both = std::ranges::count_if(sites.seen(), [](const Mutation& m) {
      return m.site.find("both embeddings") != std::string::npos ||
             m.site.find("every position") != std::string::npos;
    });
    EXPECT_EQ(both, operation == "translator" ? 4 : 0) << operation;
  }
}

/// Expects each mutation to change the expected rows of the first sentence's key-value cache.
TEST(PlainTransformers, EachMutationChangesTheKeyValueCacheAsItsNameStates) {
  const Case c = find_transformer_case("decoding", "chunk_power_norm");
  constexpr std::size_t kRows = 5, kWidth = 4;
  const std::string name = "layers.0.self_attention.values";
  const auto rows = [&](const Mutation& mutation) {
    const auto right = find_tensor_values(run_transformer_with(c), name),
               wrong = find_tensor_values(run_transformer_with(c, mutation), name);
    std::string other;
    for (std::size_t row = 0; row < kRows; ++row) {
      const auto at = static_cast<std::ptrdiff_t>(row * kWidth);
      other += std::equal(right.begin() + at, right.begin() + at + kWidth, wrong.begin() + at)
                   ? '.'
                   : 'x';
    }
    return other;
  };
  using enum MutationOperator;
  EXPECT_EQ(rows({}), ".....");
  EXPECT_EQ(rows({"place in the cache", one_less}), "..xxx");
  EXPECT_EQ(rows({"place in the cache", one_more}), "...xx");
  EXPECT_EQ(rows({"place in the cache", drop}), "xx.xx");
  EXPECT_EQ(rows({"positions of the cache", one_less}), ".....");
  EXPECT_EQ(rows({"sentence of the cache", other}), "xxx..");
  EXPECT_EQ(rows({"order of past values", rotated}), "xxx..");
  EXPECT_EQ(rows({"order of past keys", rotated}), ".....");
  EXPECT_EQ(rows({"order of past keys and values", rotated_back}), "xxx..");
  EXPECT_EQ(rows({"order of the cache", rotated}), "xxxxx");
  EXPECT_EQ(rows({"oldest row of the cache", drop}), ".....");
  EXPECT_EQ(rows({"position of a token", drop}), "...xx");
}

/// Whether the mutation's site, a text that says what it changes, is about the key-value cache.
bool is_cache_mutation(const Mutation& mutation) {
  return std::ranges::any_of(
      std::vector<std::string>{"cache", "new tokens", "past keys", "past values", "that are kept"},
      [&](const std::string& part) { return mutation.site.find(part) != std::string::npos; });
}

/// The tested implementation has another order of operations than the diagnosis uses. If a mutation
/// of the key-value cache fails a case, the diagnosis must name it. If another mutation fails a
/// case, the first diagnosis must not be a mutation of the cache.
TEST(PlainTransformers, DiagnosisNamesMutationsOfTheKeyValueCacheAndNoOthers) {
  std::size_t of_the_cache = 0;
  for (const char* reason : {"chunk_power_norm", "post_layer_norm", "one_step_rms_norm"}) {
    const Case c = find_transformer_case("decoding", reason);
    const StoredCase stored = certified(c);
    Sites all;
    all.list();
    run_plain_transformer(c, recipes::inputs_of(c), {}, all);
    std::size_t number = 0;
    for (const Mutation& mistake : all.seen()) {
      if (!is_cache_mutation(mistake) && ++number % 4 != 0) continue;  // a diagnosis is slow
      const auto answer =
          run_transformer_with(c, mistake, {.sum = Style::Sum::backwards, .divide = true});
      const CaseResult result = check_case(stored, answer, {});
      if (result.passed()) continue;
      std::vector<std::string> names;
      for (const gate::Diagnosis& found : gate::diagnose(stored, answer, result))
        names.push_back(found.what);
      const std::string name = mutations::mistake_name(mistake);
      if (!is_cache_mutation(mistake)) {
        EXPECT_FALSE(is_cache_mutation({names.at(0)})) << case_folder(c) << " " << name;
        continue;
      }
      ++of_the_cache;
      EXPECT_THAT(names, ::testing::Contains(name)) << case_folder(c);
    }
  }
  EXPECT_GT(of_the_cache, 50u);
}

}  // namespace
}  // namespace normproof::verification::golden::plain
