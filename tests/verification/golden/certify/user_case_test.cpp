#include "verification/golden/certify/user_case.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ref/numeric/errors.hpp"
#include "tests/verification/golden/certify/samples.hpp"
#include "verification/golden/corpus/kind.hpp"

namespace normproof::verification::golden::certify {
namespace {

using ref::numeric::error_message;
using ref::numeric::UsageError;
using testing::AllOf;
using testing::HasSubstr;

const std::filesystem::path kCorpus =
    std::filesystem::path(NORMPROOF_SOURCE_DIR) / "verification/golden/data";

UserCase convert_to_user_case(const Case& c) {
  return {.name = "mine",
          .op = corpus::case_operation_name(c),
          .mode = c.mode == ref::model::Mode::training ? "training" : "inference",
          .options = ref::model::list_options(c.options),
          .sequence = c.sequence,
          .inputs = c.inputs};
}

// Layers, functions, an encoder and an optimizer of the corpus, submitted as user-supplied cases.
TEST(UserCaseOfTheGate, IsCertifiedToTheValuesOfTheCorpus) {
  const auto descriptions = list_corpus(kCorpus, "*");
  for (std::size_t i = 0; i < descriptions.size(); i += 41) {
    const StoredCase stored = read_case(kCorpus, descriptions[i]);
    const Case& c = stored.description.c;
    // All tensors of a user-supplied case have the dtype of its inputs. The dtype of y cannot be
    // chosen separately.
    if (corpus::main_input(c)->dtype != c.dtype && !corpus::is_encoder(c)) continue;
    // Only a recipe may declare a case exact. A user-supplied case cannot.
    UserCase question = convert_to_user_case(c);
    std::ranges::reverse(question.inputs);
    const StoredCase own = certify_user_case(make_user_case(question), i % 2 == 0 ? 2 : 1);
    EXPECT_EQ(own.expected, stored.expected) << stored.description.path;
    EXPECT_EQ(own.description.c.inputs, c.inputs);
    EXPECT_EQ(own.description.outputs, stored.description.outputs);
    EXPECT_THAT(own.description.path,
                testing::StartsWith("own/" + corpus::case_operation_name(c) + "/mine-"));
    EXPECT_THAT(own.description.case_text,
                AllOf(HasSubstr("\"tier\": \"own\""), HasSubstr(own.description.path)));
  }
}

TEST(UserCaseOfTheGate, RefusesANegativeSecondMomentInOneSentence) {
  for (const char* optimizer : {"adam", "adamw"}) {
    const auto cases = list_corpus(kCorpus, fmt::format("quick/{}/*-float64", optimizer));
    ASSERT_FALSE(cases.empty());
    UserCase question = convert_to_user_case(read_case(kCorpus, cases.front()).description.c);
    StoredTensor& moment =
        *std::ranges::find(question.inputs, "second_moment", &StoredTensor::name);
    std::vector<double> values = ref::io::widen(moment);
    values.back() = -1;
    moment = make_stored_tensor("second_moment", moment.dtype, moment.shape, values);
    EXPECT_THAT(error_message<UsageError>([&] { make_user_case(question); }),
                AllOf(HasSubstr("is -1; expected numbers that are not negative"),
                      HasSubstr(fmt::format("because {} takes", optimizer))));
  }
}

// The numbers that double has near such scores are so far from each other that the exponential of
// a distance below half of a unit overflows.
TEST(UserCaseOfTheGate, CertifiesAttentionWithScoresFarBeyondTheDigitsOfDouble) {
  for (const auto& [dtype, size] :
       {std::pair{DType::float32, 1e31}, std::pair{DType::bfloat16, 1e22}}) {
    const auto tensor = [dtype = dtype](const char* name, std::vector<std::size_t> shape,
                                        std::vector<double> values) {
      for (double& v : values) v = round_to_dtype(dtype, v);
      return ref::io::make_tensor(name, dtype, std::move(shape), values);
    };
    const StoredCase stored = certify_user_case(
        make_user_case(
            {.name = "mine",
             .op = "attention",
             .inputs = {tensor("q", {1, 1, 1, 3}, {size, 0.3 * size, 1}),
                        tensor("k", {1, 1, 2, 3}, {1, 2, 3, 2, -1, 0.3}),
                        tensor("v", {1, 1, 2, 1}, {1, 3}), tensor("grad_y", {1, 1, 1, 1}, {1})}}),
        1);
    // The second score is larger, so that its weight is 1.
    EXPECT_THAT(find_tensor_values(stored.expected, "y"), testing::ElementsAre(3));
    EXPECT_THAT(find_tensor_values(stored.expected, "grad_v"), testing::ElementsAre(0, 1));
    EXPECT_THAT(find_tensor_values(stored.expected, "grad_q"), testing::ElementsAre(0, 0, 0));
  }
}

// An interval of 50 digits around such scores is wider than the numbers whose exponential is
// finite.
TEST(UserCaseOfTheGate, RefusesScoresFarBeyondTheDigitsOfIntervalsInOneSentence) {
  const auto tensor = [](const char* name, std::vector<std::size_t> shape,
                         const std::vector<double>& values) {
    return ref::io::make_tensor(name, DType::float64, std::move(shape), values);
  };
  const Case c = make_user_case(
      {.name = "mine",
       .op = "attention",
       .inputs = {tensor("q", {1, 1, 1, 3}, {1e200, 3e199, 1}),
                  tensor("k", {1, 1, 2, 3}, {1, 2, 3, 2, -1, 0.3}),
                  tensor("v", {1, 1, 2, 1}, {1, 3}), tensor("grad_y", {1, 1, 1, 1}, {1})}});
  EXPECT_THAT(error_message<UsageError>([&] { certify_user_case(c, 1); }),
              AllOf(HasSubstr("a result cannot be enclosed with 50 digits"),
                    HasSubstr("expected inputs whose intermediate results are smaller")));
}

TEST(UserCaseOfTheGate, ReadsOptionsFromAJsonObjectOfTexts) {
  EXPECT_TRUE(parse_user_options("").empty());
  EXPECT_EQ(parse_user_options(R"({"eps":"1e-3"})"),
            (std::vector<std::pair<std::string, std::string>>{{"eps", "1e-3"}}));
  for (const char* other : {"{", "[]", "1"})
    EXPECT_THAT(error_message<UsageError>([&] { parse_user_options(other); }),
                HasSubstr("no JSON object"));
  EXPECT_THAT(error_message<UsageError>([] { parse_user_options(R"({"eps":1e-3})"); }),
              HasSubstr("the option 'eps' is no text"));
}

TEST(UserCaseOfTheGate, ReportsAnyMismatchInOneSentence) {
  const UserCase right = convert_to_user_case(layer_norm_case_of_one_and_three("1e-05"));
  ASSERT_EQ(make_user_case(right).tier, corpus::Tier::user);
  const auto refused = [&](auto&& change) {
    UserCase wrong = right;
    change(wrong);
    return error_message<UsageError>([&] { make_user_case(wrong); });
  };
  EXPECT_THAT(refused([](auto& q) { q.op = "layer_nrom"; }),
              HasSubstr("did you mean 'layer_norm'"));
  EXPECT_THAT(refused([](auto& q) { q.name = "My case"; }), HasSubstr("expected small letters"));
  EXPECT_THAT(refused([](auto& q) { q.name = ""; }), HasSubstr("expected small letters"));
  EXPECT_THAT(refused([](auto& q) { q.mode = "train"; }), HasSubstr("did you mean 'training'"));
  EXPECT_THAT(refused([](auto& q) {
                q.options = {{"epz", "1"}};
              }),
              HasSubstr("did you mean 'eps'"));
  EXPECT_THAT(refused([](auto& q) { q.options = {{"eps", "-1"}}; }), HasSubstr("eps"));
  EXPECT_THAT(refused([](auto& q) { q.inputs.pop_back(); }),
              AllOf(HasSubstr("x is absent"), HasSubstr("own/layer_norm/mine-")));
  EXPECT_THAT(refused([](auto& q) { q.inputs.push_back(q.inputs[0]); }), HasSubstr("given twice"));
  EXPECT_THAT(refused([](auto& q) { q.inputs[0].name = "grad_z"; }),
              HasSubstr("unknown tensor 'grad_z'"));
  EXPECT_THAT(refused([](auto& q) { q.inputs[0].shape = {2, 1}; }), HasSubstr("grad_y has shape"));
  EXPECT_THAT(refused([](auto& q) {
                q.inputs[1] = make_stored_tensor("x", DType::int32, {1, 2}, {1, 3});
              }),
              HasSubstr("x has dtype int32; expected float64"));
}

}  // namespace
}  // namespace normproof::verification::golden::certify
