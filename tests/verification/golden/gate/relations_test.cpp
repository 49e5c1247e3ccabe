#include "verification/golden/gate/relations.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "tests/ref/io/temporary_folder.hpp"
#include "tests/verification/golden/certify/samples.hpp"
#include "verification/golden/certify/make.hpp"
#include "verification/golden/plain/plain_layers.hpp"
#include "verification/golden/recipes/case_inputs.hpp"
#include "verification/golden/recipes/corpus.hpp"
#include "verification/golden/recipes/scaled_corpus.hpp"

namespace normproof::verification::golden::gate {

using candidate::CandidateOutput;
using certify::list_corpus;
using certify::make_corpus;
using mutations::Sites;
using plain::run_plain;
using plain::Style;
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using Counts = std::map<RelationOutcome, std::size_t>;

std::vector<StoredTensor> plain_output(const StoredCase& stored, const Style& style = {}) {
  Sites sites;
  return run_plain(stored.description.c, recipes::inputs_of(stored.description.c), style, sites);
}

std::size_t count_samples(const StoredCase& stored) {
  return find(stored.description.c.inputs, "x")->shape[0];
}

// The number of operations with a case random-3x5x6-float32 whose output for one sample depends on
// the other samples. These are the layers with statistics of a batch.
constexpr std::size_t kAcrossSamples = 5;

class MetamorphicRelations : public ::testing::Test {
 protected:
  MetamorphicRelations() {
    make_corpus(golden(), {.only = "quick/*/random-3x5x6-float32"});
    cases_ = list_corpus(golden(), "*");
  }

  std::filesystem::path golden() const { return folder_ / "golden"; }
  std::size_t count_operations() const { return cases_.size(); }
  /// Returns the number of operations that compute each sample separately.
  std::size_t count_separate() const { return cases_.size() - kAcrossSamples; }

  /// Checks one relation on all cases. `filled` is the candidate in a second process, in which
  /// newly allocated memory is filled with a pattern.
  std::vector<RelationResult> check(Relation relation, const Candidate& query,
                                    const Candidate& filled) const {
    return check_relations(golden(), cases_, {query, filled}, {relation}, {});
  }
  std::vector<RelationResult> check(Relation relation, const Candidate& query) const {
    return check(relation, query, query);
  }
  static Counts count_relation_outcomes(const std::vector<RelationResult>& results) {
    Counts counts;
    for (const RelationResult& result : results) ++counts[result.outcome];
    return counts;
  }
  /// Returns the result for the case of this layer.
  static const RelationResult& result_of(const std::vector<RelationResult>& results,
                                         const std::string& layer) {
    return *std::ranges::find_if(results, [&](const RelationResult& result) {
      return result.path.starts_with("quick/" + layer + "/");
    });
  }

  tests::ref::io::TemporaryFolder folder_;
  std::vector<CaseDescription> cases_;
};

TEST_F(MetamorphicRelations, HoldForAPlainImplementation) {
  ASSERT_GT(count_operations(), 2 * kAcrossSamples);
  const Candidate plain = [](const StoredCase& stored) { return plain_output(stored); };
  for (const auto& [relation, applies] : {std::pair{Relation::repeat, count_operations()},
                                          std::pair{Relation::memory, count_operations()},
                                          std::pair{Relation::split, count_separate()},
                                          std::pair{Relation::permute, count_operations()},
                                          std::pair{Relation::neighbour, count_separate()}}) {
    Counts expected = {{RelationOutcome::held, applies}};
    if (applies < count_operations())
      expected[RelationOutcome::not_applicable] = count_operations() - applies;
    EXPECT_EQ(count_relation_outcomes(check(relation, plain)), expected) << to_string(relation);
  }
}

TEST(MetamorphicRelationsOfAttention, HoldForABiasThatIsTheSameForAllSamples) {
  const tests::ref::io::TemporaryFolder folder;
  const auto golden = folder / "golden";
  make_corpus(golden, {.only = "quick/attention/bias*float32"});
  const std::vector<CaseDescription> cases = list_corpus(golden, "*");
  const Candidate plain = [](const StoredCase& stored) { return plain_output(stored); };
  for (const Relation relation : {Relation::split, Relation::permute, Relation::neighbour}) {
    const auto results = check_relations(golden, cases, {plain, plain}, {relation}, {});
    EXPECT_EQ(results.size(), cases.size());
    for (const RelationResult& result : results)
      EXPECT_EQ(result.outcome, RelationOutcome::held)
          << to_string(relation) << " " << result.path << " " << result.sentence;
  }
}

// The splits take the place of samples. Each of them needs the others, but their order is free.
TEST(MetamorphicRelationsOfMergedSplits, HoldInAnyOrderOfTheSplits) {
  const tests::ref::io::TemporaryFolder folder;
  const auto golden = folder / "golden";
  make_corpus(golden, {.only = "quick/merge_attention_states/*float32"});
  const std::vector<CaseDescription> cases = list_corpus(golden, "*");
  const auto count = [&](Relation relation, const Candidate& candidate) {
    Counts counts;
    for (const RelationResult& result :
         check_relations(golden, cases, {candidate, candidate}, {relation}, {}))
      ++counts[result.outcome];
    return counts;
  };
  const Candidate plain = [](const StoredCase& stored) { return plain_output(stored); };
  EXPECT_EQ(count(Relation::split, plain)[RelationOutcome::not_applicable], cases.size());
  Counts permuted = count(Relation::permute, plain);
  EXPECT_GT(permuted[RelationOutcome::held], cases.size() / 2);
  EXPECT_EQ(permuted[RelationOutcome::broken], 0u);
  const Candidate lossy = [](const StoredCase& stored) {
    Sites sites(mutations::Mutation{"splits that are read", mutations::MutationOperator::drop});
    return run_plain(stored.description.c, recipes::inputs_of(stored.description.c), {}, sites);
  };
  EXPECT_GT(count(Relation::permute, lossy)[RelationOutcome::broken], cases.size() / 2);
}

TEST_F(MetamorphicRelations, DetectAnOutputThatChangesOnRepetition) {
  int calls = 0;
  const auto results = check(Relation::repeat, [&](const StoredCase& stored) {
    return replace_element(plain_output(stored), "y", 7, ++calls);
  });
  EXPECT_EQ(count_relation_outcomes(results),
            (Counts{{RelationOutcome::broken, count_operations()}}));
  EXPECT_THAT(results[0].sentence, AllOf(StartsWith("y at [0, 1, 1] is 1, and 3 the second time")));
}

TEST_F(MetamorphicRelations, DetectOutputsThatDependOnUninitializedMemory) {
  const auto results = check(
      Relation::memory, [](const StoredCase& stored) { return plain_output(stored); },
      [](const StoredCase& stored) {
        return replace_element(plain_output(stored), "grad_x", 0, 0x1.fefefep+127);
      });
  EXPECT_EQ(count_relation_outcomes(results),
            (Counts{{RelationOutcome::broken, count_operations()}}));
  EXPECT_THAT(results[0].sentence,
              HasSubstr("and 3.3961513649220713e+38 where new memory is filled"));
}

TEST_F(MetamorphicRelations, DetectOutputsThatDependOnTheBatchSize) {
  const auto results = check(Relation::split, [](const StoredCase& stored) {
    return plain_output(
        stored, {.sum = count_samples(stored) < 3 ? Style::Sum::backwards : Style::Sum::forwards});
  });
  EXPECT_EQ(result_of(results, "layer_norm").outcome, RelationOutcome::broken);
  EXPECT_THAT(result_of(results, "layer_norm").sentence, HasSubstr("in half of the batch"));
  EXPECT_EQ(result_of(results, "batch_norm").outcome, RelationOutcome::not_applicable);
}

TEST_F(MetamorphicRelations, DetectOutputsThatDependOnThePositionInTheBatch) {
  const auto results = check(Relation::permute, [](const StoredCase& stored) {
    const auto answer = plain_output(stored);
    return replace_element(answer, "y", 0, find_tensor_values(answer, "y")[0] + 0x1p-10);
  });
  // Outputs are compared bit by bit, or with the bound of the gate.
  EXPECT_EQ(count_relation_outcomes(results),
            (Counts{{RelationOutcome::broken, count_operations()}}));
  EXPECT_THAT(result_of(results, "layer_norm").sentence, HasSubstr("in reverse order"));
  EXPECT_THAT(result_of(results, "power_norm").sentence,
              AllOf(HasSubstr("y at [0, 0, 0] is "), HasSubstr("; expected ")));
}

TEST_F(MetamorphicRelations, DetectANaNThatSpreadsToOtherSamples) {
  const auto results = check(Relation::neighbour, [](const StoredCase& stored) {
    const auto answer = plain_output(stored);
    const std::vector<double> y = find_tensor_values(answer, "y");
    return replace_element(answer, "y", y.size() - 1, y.back() + 0 * y.front());
  });
  EXPECT_EQ(result_of(results, "rms_norm").outcome, RelationOutcome::broken);
  EXPECT_THAT(result_of(results, "rms_norm").sentence, HasSubstr("nan beside a sample of NaN"));
}

TEST_F(MetamorphicRelations, RunACaseThatEndsTheProgramOnlyOnce) {
  const std::string starts = (folder_ / "starts").string();
  const auto candidates = make_relation_candidates(
      "echo x >> '" + starts +
          "'; while read -r path rest; do case $path in */layer_norm/*) exit 7;; "
          "esac; echo \"$path not_offered\"; done",
      20);
  const auto results = check_relations(golden(), cases_, candidates, all_relations(), {});
  EXPECT_EQ(count_relation_outcomes(results),
            (Counts{{RelationOutcome::broken, 5},
                    {RelationOutcome::declined, (count_operations() - 1) * 5}}));
  EXPECT_EQ(result_of(results, "layer_norm").sentence,
            "the candidate ended with status 7 before it answered");
  EXPECT_EQ(std::filesystem::file_size(starts), 4u);  // two starts: one after it ended
}

TEST_F(MetamorphicRelations, ReportADeclinedCaseAsDeclinedForEveryRelation) {
  for (const Relation relation : all_relations())
    EXPECT_EQ(count_relation_outcomes(
                  check(relation, [](const StoredCase&) { return CandidateOutput::declined(); })),
              (Counts{{RelationOutcome::declined, count_operations()}}))
        << to_string(relation);
  // The candidate may decline half a batch, but not the repetition of a case that it has accepted.
  const auto small = check(Relation::split, [](const StoredCase& stored) {
    return count_samples(stored) < 3 ? CandidateOutput::declined() : plain_output(stored);
  });
  EXPECT_EQ(count_relation_outcomes(small),
            (Counts{{RelationOutcome::declined, count_separate()},
                    {RelationOutcome::not_applicable, count_operations() - count_separate()}}));
  int calls = 0;
  const auto again = check(Relation::repeat, [&](const StoredCase& stored) {
    return calls++ % 3 == 2 ? CandidateOutput::declined() : plain_output(stored);
  });
  EXPECT_EQ(count_relation_outcomes(again),
            (Counts{{RelationOutcome::broken, count_operations()}}));
  EXPECT_EQ(again[0].sentence, "the case is declined the second time");
}

TEST_F(MetamorphicRelations, ReportAMissingOutputOrWrongShapeInOneSentence) {
  const auto absent = check(Relation::repeat, [](const StoredCase&) -> std::vector<StoredTensor> {
    throw ref::numeric::FileError("the candidate ended");
  });
  EXPECT_EQ(result_of(absent, "layer_norm").sentence, "the candidate ended");
  const auto whole = check(Relation::split, [](const StoredCase& stored) {
    auto answer = plain_output(stored);
    for (StoredTensor& tensor : answer)
      if (count_samples(stored) < 3)
        tensor = make_stored_tensor(tensor.name, tensor.dtype, {1}, {0});
    return answer;
  });
  EXPECT_THAT(result_of(whole, "layer_norm").sentence,
              StartsWith("y has 1 samples in half of the batch"));
  const auto without = check(Relation::permute, [](const StoredCase& stored) {
    auto answer = plain_output(stored);
    if (find_tensor_values(stored.description.c.inputs, "x")[0] < 0)
      std::erase_if(answer, [](const auto& t) { return t.name == "grad_x"; });
    return answer;
  });
  EXPECT_GE(count_relation_outcomes(without)[RelationOutcome::broken], 1u);
}

TEST_F(MetamorphicRelations, RunTheProgramInTwoProcesses) {
  // The candidate's output is the value of the environment variable that fills memory. The value
  // differs in the second process.
  const RelationCandidates candidates = make_relation_candidates(
      "while read -r path rest; do echo \"$path y:float64:1 ${MALLOC_PERTURB_:-0}\"; done", 10);
  const auto results = check_relations(golden(), cases_, candidates, {Relation::memory}, {});
  EXPECT_EQ(results[0].sentence, "y at [0] is 0, and 128 where new memory is filled");
}

TEST(RelationNames, ParseBackAndUnknownOnesAreRejected) {
  for (const Relation relation : all_relations())
    EXPECT_EQ(parse_relation(to_string(relation)), relation);
  EXPECT_THAT(usage_error_message([] { parse_relation("splits"); }),
              StartsWith("unknown relation 'splits'; did you mean 'split'?"));
}

// The scales of an 8-bit case belong to its rows or to the whole case.
TEST(RelationsOf8BitCases, HoldForTheCorrectImplementation) {
  const Candidate plain = [](const StoredCase& stored) {
    return CandidateOutput(plain_output(stored));
  };
  for (const char* const op :
       {"layer_norm", "rms_norm", "silu", "swiglu", "quantize", "dequantize"})
    for (const Case& c : recipes::scaled_cases(corpus::Tier::quick, op, recipes::kCorpusSeed))
      for (const RelationResult& result :
           check_relations(certified(c), {plain, plain}, all_relations()))
        EXPECT_NE(result.outcome, RelationOutcome::broken)
            << case_folder(c) << ' ' << to_string(result.relation) << ' ' << result.sentence;
}

}  // namespace
}  // namespace normproof::verification::golden::gate
