#include "verification/golden/mutations/joint_sites.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "tests/verification/golden/certify/samples.hpp"
#include "verification/golden/gate/diagnose.hpp"
#include "verification/golden/mutations/mistake_name.hpp"
#include "verification/golden/plain/plain_layers.hpp"
#include "verification/golden/recipes/case_inputs.hpp"
#include "verification/golden/recipes/corpus.hpp"
#include "verification/golden/recipes/encoder_corpus.hpp"
#include "verification/golden/recipes/optimizer_corpus.hpp"

namespace normproof::verification::golden::mutations {

using gate::check_case;
using gate::diagnose;
using gate::Diagnosis;
using recipes::encoder_cases;
using recipes::optimizer_cases;
namespace {

using namespace normproof::verification::golden::plain;
using ::testing::Contains;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using ::testing::Not;
using enum MutationOperator;

TEST(JointMutationSites, AreOfferedAfterTwoOfTheirSitesWereReached) {
  Sites sites;
  sites.list();
  sites.term("residual of attention", 1.0);
  sites.term("residual of attention", 1.0);
  const Mutation every = {"every residual", drop};
  EXPECT_THAT(sites.seen(), Not(Contains(every)));
  sites.term("residual of the feed-forward", 1.0);
  EXPECT_THAT(sites.seen(), Contains(every));
  EXPECT_THAT(sites.seen(), Not(Contains(Mutation{"every residual", twice})));
  EXPECT_THAT(sites.seen(),
              Not(Contains(Mutation{"residual of attention, forward and backward", drop})));
}

TEST(JointMutationSites, ActAtAllOfTheirSitesAndNowhereElse) {
  Sites sites({"every residual", drop});
  EXPECT_EQ(sites.term("residual of attention", 3.0), 0);
  EXPECT_EQ(sites.term("residual of the feed-forward in the backward", 3.0), 0);
  EXPECT_EQ(sites.term("mean", 3.0), 3);
  // A joint site of a model also acts at the sites of a part of the model, by their names in the
  // model. A part has its own joint sites.
  Sites masks({"every mask", invert_mask});
  EXPECT_FALSE(masks.mask("mask of the keys", true));
  EXPECT_FALSE(masks.part("norm: ").mask("mask of the statistics", true));
  EXPECT_TRUE(masks.part("other: ").mask("mask of the statistics", true));
  EXPECT_EQ(Sites({"norm: gamma, forward and backward", negate})
                .part("norm: ")
                .factor("gamma in grad_x", 3.0),
            -3);
}

TEST(JointMutationSites, AreAllOfferedInTheQuickTier) {
  std::set<std::string> open;
  for (const JointSite& joint : joint_sites()) EXPECT_TRUE(open.emplace(joint.name).second);
  for (const Case& c : recipes::corpus(Tier::quick)) {
    Sites sites;
    sites.list();
    run_plain(c, recipes::inputs_of(c), {}, sites);
    for (const Mutation& mutation : sites.seen()) open.erase(mutation.site);
    if (open.empty()) break;
  }
  EXPECT_THAT(open, IsEmpty());
}

Case find_case(const std::string& op, const std::string& reason) {
  const corpus::Operation operation = ref::model::operation(op);
  const bool is_encoder = std::holds_alternative<ref::model::EncoderOperation>(operation);
  const bool is_optimizer = std::holds_alternative<ref::model::OptimizerOperation>(operation);
  for (Case& c : is_encoder     ? encoder_cases(Tier::quick, op, 1)
                 : is_optimizer ? optimizer_cases(Tier::quick, op, 1)
                                : std::vector<Case>())
    if (c.reason == reason) return std::move(c);
  return plain_recipe(op, {5, 8}).make(1);
}

void change(std::vector<StoredTensor>& tensors, const std::string& name,
            const std::function<double(std::size_t, double)>& f) {
  for (StoredTensor& tensor : tensors) {
    if (tensor.name != name) continue;
    std::vector<double> values = ref::io::widen(tensor);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = f(i, values[i]);
    tensor = make_stored_tensor(name, tensor.dtype, tensor.shape, values);
    return;
  }
  ADD_FAILURE() << "there is no " << name;
}

/// A mistake, and the case to which it applies. The output of a candidate with the mistake is the
/// reference's output for another case.
struct CaseWithMistake {
  std::string op, reason;
  std::function<void(Case&)> other;  ///< turns the case into the other case
  std::string named;
  std::vector<std::string> outputs;  ///< the outputs that the diagnosis must explain
  /// The output with the mistake is computed from another case. This function converts the
  /// gradients of that case's inputs into gradients of the inputs of the case to which the mistake
  /// applies.
  std::function<void(std::vector<StoredTensor>&)> chain = {};
};

std::function<void(Case&)> set_case_option(const std::string& name, const std::string& value) {
  return [=](Case& c) { ref::model::set_option(c.options, name, value); };
}

std::function<void(Case&)> constant(const std::vector<std::string>& names, double value) {
  return [=](Case& c) {
    for (const std::string& name : names)
      change(c.inputs, name, [=](auto, double) { return value; });
  };
}

const std::vector<std::string> kBiases = {"attention.in.bias", "attention.out.bias",
                                          "feed_forward.first.bias", "feed_forward.second.bias"};
const std::vector<std::string> kMasks = {"attention.weights.keep", "attention.y.keep",
                                         "feed_forward.active.keep", "feed_forward.y.keep"};

/// Multiplies the parameters that produce the queries by a factor, for a model of eight features.
/// `tensors` are parameters, or their gradients.
void scale_queries(std::vector<StoredTensor>& tensors, const std::string& prefix, double factor) {
  constexpr std::size_t kWidth = 8;
  change(tensors, prefix + "attention.in.weight",
         [=](std::size_t i, double w) { return i < kWidth * kWidth ? factor * w : w; });
  change(tensors, prefix + "attention.in.bias",
         [=](std::size_t i, double w) { return i < kWidth ? factor * w : w; });
}

/// Returns the mistake that multiplies the attention scores by a factor. `named` is the expected
/// diagnosis.
CaseWithMistake mistake_in_scores(double factor, const std::string& named) {
  return {"encoder_layer",
          "eight_features",
          [=](Case& c) { scale_queries(c.inputs, "", factor); },
          named,
          {"attention.weights", "grad_attention.in.weight", "grad_x", "y"},
          [=](auto& answer) { scale_queries(answer, "grad_", factor); }};
}

std::vector<CaseWithMistake> mistakes() {
  return {
      {"layer_norm",
       "",
       constant({"gamma"}, 1),
       "gamma, forward and backward: dropped",
       {"grad_x", "y"}},
      {"batch_norm",
       "",
       set_case_option("running_decay", "0.1"),
       "every running statistic: its weight and that of the new value exchanged",
       {"running_mean", "running_variance"}},
      {"encoder_layer",
       "post_layer_norm",
       set_case_option("placement", "pre"),
       "place of the norm: pre instead of post, or the reverse",
       {"attention.weights", "grad_x", "y"}},
      {"encoder_layer",
       "large_eps",
       set_case_option("norm.eps", "1e-30"),
       "norm: eps: dropped",
       {"grad_norm1.gamma", "grad_norm2.gamma", "grad_x", "y"}},
      mistake_in_scores(2, "1/sqrt(d_k), forward and backward: dropped"),
      mistake_in_scores(std::sqrt(0.5), "1/sqrt(d_k): with d_model instead of d_k"),
      {"encoder_layer",
       "eight_features",
       constant(kBiases, 0),
       "bias of every linear map: dropped",
       {"attention.weights", "grad_x", "y"}},
      {"encoder_layer",
       "post_layer_norm",
       constant({"norm1.gamma", "norm2.gamma"}, 1),
       "norm: gamma, forward and backward: dropped",
       {"grad_x", "y"}},
      {"encoder_layer",
       "post_batch_norm",
       constant({"valid"}, 1),
       "every mask: ignored",
       {"attention.weights", "grad_x", "norm1.running_mean", "norm2.running_variance", "y"}},
      {"encoder_layer",
       "dropout_post",
       set_case_option("dropout", "1e-300"),
       "every dropout: not divided by 1 - p",
       {"grad_feed_forward.second.weight", "grad_x", "y"}},
      {"encoder_layer",
       "dropout_pre",
       [](Case& c) {
         set_case_option("dropout", "1e-300")(c);
         constant(kMasks, 1)(c);
       },
       "every dropout: dropped",
       {"grad_feed_forward.second.weight", "grad_x", "y"}},
      {"encoder_layer",
       "dropout_post",
       [](Case& c) {
         for (const std::string& mask : kMasks)
           change(c.inputs, mask, [](auto, double v) { return 1 - v; });
       },
       "mask of every dropout: inverted",
       {"grad_x", "y"}},
      {"encoder",
       "post_layer_norm",
       constant({"valid"}, 1),
       "every mask: ignored",
       {"grad_head.bias", "logits", "loss"}},
      {"adam",
       "default_options",
       constant({"iterations"}, 1e5),
       "bias correction of both moments: dropped",
       {"parameter"}},
      {"adamw",
       "default_options",
       constant({"iterations"}, 1e5),
       "bias correction of both moments: dropped",
       {"parameter"}},
  };
}

std::vector<Diagnosis> diagnose_candidate(const StoredCase& stored,
                                          const std::vector<StoredTensor>& answer) {
  return diagnose(stored, answer, check_case(stored, answer, {}));
}

TEST(JointMutationSites, DiagnosisNamesAMistakeMadeAtEverySiteFirst) {
  for (const CaseWithMistake& mistaken : mistakes()) {
    const StoredCase stored = certified(find_case(mistaken.op, mistaken.reason));
    StoredCase other = stored;
    mistaken.other(other.description.c);
    auto answer = reference_output(other);
    std::erase_if(answer, [](const auto& tensor) { return tensor.name == "iterations"; });
    if (mistaken.chain) mistaken.chain(answer);
    const auto found = diagnose_candidate(stored, answer);
    ASSERT_THAT(found, Not(IsEmpty())) << mistaken.op << ": " << mistaken.named;
    EXPECT_EQ(found[0].what, mistaken.named) << mistaken.op;
    EXPECT_THAT(found[0].outputs, IsSupersetOf(mistaken.outputs)) << mistaken.named;
  }
}

/// No case of the reference reproduces these mistakes. The plain implementation makes them, in
/// another order of operations than the diagnosis.
TEST(JointMutationSites, DiagnosisNamesAMistakeInCodeOfAnotherStyle) {
  struct InjectedMistake {
    std::string op, reason;
    Mutation mutation;
  };
  for (const InjectedMistake& wrong :
       {InjectedMistake{"encoder_layer", "eight_features", {"every residual", drop}},
        InjectedMistake{"encoder_layer",
                        "pre_layer_norm",
                        {"residual of attention, forward and backward", drop}},
        InjectedMistake{"encoder_layer", "eight_features", {"causal mask", insert}},
        InjectedMistake{"encoder_layer", "post_layer_norm", {"y of padding", drop}},
        InjectedMistake{"encoder_layer", "post_layer_norm", {"norm1 and norm2", other}},
        InjectedMistake{
            "encoder_layer", "inference_dropout", {"every dropout in inference", insert}},
        InjectedMistake{"encoder", "pre_layer_norm", {"norm after the last layer", drop}},
        InjectedMistake{"encoder",
                        "post_layer_norm",
                        {"factor sqrt(D) of the embedding, forward and backward", insert}},
        InjectedMistake{"adam", "default_options", {"1 - beta1 and 1 - beta2", drop}}}) {
    const StoredCase stored = certified(find_case(wrong.op, wrong.reason));
    Sites sites(wrong.mutation);
    const auto found = diagnose_candidate(
        stored, run_plain(stored.description.c, recipes::inputs_of(stored.description.c),
                          {.sum = Style::Sum::backwards, .divide = true}, sites));
    ASSERT_THAT(found, Not(IsEmpty())) << wrong.mutation.site;
    EXPECT_EQ(found[0].what, mistake_name(wrong.mutation));
  }
}

}  // namespace
}  // namespace normproof::verification::golden::mutations
