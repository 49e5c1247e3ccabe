#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cfenv>
#include <functional>

#include "tests/verification/bindings/c/opened.hpp"
#include "tests/verification/cli/program_run.hpp"
#include "tests/verification/golden/certify/samples.hpp"

// Tests of the functions that call back into the caller's code.
namespace normproof::tests::verification::bindings::c {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

class CAbiCallbacks : public CAbi {
 protected:
  using Kernel = std::function<std::int32_t(const normproof_case& question)>;

  /// Runs normproof_relation with this callback. Returns the outcome and the sentence, such as
  /// "broken: why".
  std::string check_relation(const char* name, Kernel kernel) {
    const char* outcome = nullptr;
    const char* sentence = nullptr;
    const auto call = [](void* user, const normproof_case* question) {
      return (*static_cast<Kernel*>(user))(*question);
    };
    status_ = normproof_relation(corpus_, name, call, &kernel, &outcome, &sentence);
    if (status_ != NORMPROOF_OK) return error();
    return std::string(outcome) + (*sentence == '\0' ? "" : ": ") + sentence;
  }

  /// A callback for a case: its only output is y = x times a factor. A row of y depends only on the
  /// same row of x.
  std::int32_t output_scaled_x(const normproof_case& question, double factor) {
    for (std::size_t i = 0; i < question.input_count; ++i) {
      const normproof_tensor& x = question.inputs[i];
      if (std::string_view(x.name) != "x") continue;
      const auto* const values = static_cast<const double*>(x.data);
      std::vector<double> y(values, values + x.bytes / sizeof(double));
      for (double& value : y) value *= factor;
      EXPECT_EQ(normproof_answer(corpus_, "y", x.dtype, x.rank, x.shape, y.data()), NORMPROOF_OK)
          << error();
    }
    return 0;
  }

  std::int32_t status_ = 0;
};

TEST_F(CAbiCallbacks, RelationCheckDetectsOutputsThatBreakARelation) {
  ASSERT_EQ(open(kRandom), NORMPROOF_OK);
  select(0);
  int ask_candidate = 0;
  const auto same = [&](const normproof_case& question) {
    ++ask_candidate;
    return output_scaled_x(question, 2);
  };
  for (const char* name : {"repeat", "split", "permute", "neighbour"})
    EXPECT_EQ(check_relation(name, same), "held") << name;
  EXPECT_EQ(ask_candidate, 3 + 3 + 2 + 2);
  ask_candidate = 0;
  const auto drifting = [&](const normproof_case& question) {
    return output_scaled_x(question, 1 + ++ask_candidate);
  };
  EXPECT_THAT(check_relation("repeat", drifting),
              AllOf(HasSubstr("broken: y at [0, 0, 0] is "), HasSubstr("the second time")));
  const auto by_batch = [&](const normproof_case& question) {
    return output_scaled_x(question,
                           static_cast<double>(question.inputs[question.input_count - 1].shape[0]));
  };
  EXPECT_THAT(check_relation("split", by_batch), HasSubstr("in half of the batch"));
  EXPECT_STREQ(normproof_case_path(corpus_, 0), kRandom);
  // The case is still selected.
  EXPECT_EQ(judge(golden::reference_output(read_committed_case(kRandom))).passed, 1);
}

TEST_F(CAbiCallbacks, RelationCheckReportsACallbackThatDeclinesOrFails) {
  ASSERT_EQ(open(kRandom), NORMPROOF_OK);
  const auto silent = [](const normproof_case&) { return 0; };
  EXPECT_THAT(check_relation("repeat", silent), HasSubstr("no case is selected"));
  select(0);
  EXPECT_EQ(check_relation("repeat", silent), "broken: the answer has no output");
  EXPECT_EQ(check_relation("repeat",
                           [&](const normproof_case&) { return normproof_decline(corpus_, "no"); }),
            "declined");
  EXPECT_EQ(
      check_relation("repeat",
                     [&](const normproof_case&) { return normproof_fail(corpus_, "it raised"); }),
      "broken: it raised");
  EXPECT_THAT(check_relation("repeat", [](const normproof_case&) { return 7; }),
              HasSubstr("ask returned 7 of " + std::string(kRandom)));
  EXPECT_EQ(status_, NORMPROOF_FAILED);
  EXPECT_THAT(check_relation("memory", silent), HasSubstr("needs a process of its own"));
  EXPECT_THAT(check_relation("repeet", silent), HasSubstr("did you mean 'repeat'"));
  EXPECT_EQ(status_, NORMPROOF_USAGE);
  const char* text = nullptr;
  EXPECT_EQ(normproof_relation(corpus_, "repeat", nullptr, nullptr, &text, &text), NORMPROOF_USAGE);
}

TEST_F(CAbiCallbacks, CallbackRunsInTheCallersFloatingPointMode) {
  ASSERT_EQ(open(kRandom), NORMPROOF_OK);
  select(0);
  ASSERT_EQ(std::fesetround(FE_UPWARD), 0);
  int rounding = -1;
  const std::string outcome = check_relation("repeat", [&](const normproof_case& question) {
    rounding = std::fegetround();
    return output_scaled_x(question, 2);
  });
  const int afterwards = std::fegetround();
  std::fesetround(FE_TONEAREST);
  EXPECT_EQ(outcome, "held");
  EXPECT_EQ(rounding, FE_UPWARD);
  EXPECT_EQ(afterwards, FE_UPWARD);
}

TEST_F(CAbiCallbacks, NormproofMakeWritesTheSameCorpusAsTheProgram) {
  ASSERT_EQ(normproof_new(&corpus_), NORMPROOF_OK);
  const tests::ref::io::TemporaryFolder folder;
  const fs::path own = folder / "own", other = folder / "other";
  std::vector<std::string> told;
  const auto progress = [](void* user, const char* path, std::size_t done, std::size_t of) {
    auto& lines = *static_cast<std::vector<std::string>*>(user);
    lines.push_back(fmt::format("{} {} {}", path, done, of));
    return std::int32_t{0};
  };
  const char* const glob = "quick/layer_norm/t[wv]*";
  ASSERT_EQ(normproof_make(corpus_, own.c_str(), "quick", glob, 2, progress, &told), NORMPROOF_OK)
      << error();
  ASSERT_EQ(cli::run("$N golden make --out '" + other.string() + "' --only '" + glob + "'").status,
            0);
  EXPECT_EQ(cli::run("diff -r '" + own.string() + "' '" + other.string() + "'").out, "");
  ASSERT_FALSE(told.empty());
  EXPECT_THAT(told.back(), HasSubstr(fmt::format(" {0} {0}", told.size())));
  EXPECT_EQ(open("*", own), NORMPROOF_OK) << error();
  EXPECT_EQ(normproof_case_count(corpus_), told.size());
}

TEST_F(CAbiCallbacks, StoppedOrRejectedNormproofMakeWritesNothing) {
  ASSERT_EQ(normproof_new(&corpus_), NORMPROOF_OK);
  const tests::ref::io::TemporaryFolder folder;
  const fs::path out = folder / "out";
  int calls = 0;
  const auto stop = [](void* user, const char*, std::size_t, std::size_t) {
    ++*static_cast<int*>(user);
    return std::int32_t{1};
  };
  EXPECT_EQ(normproof_make(corpus_, out.c_str(), "quick", "quick/layer_norm/o*", 2, stop, &calls),
            NORMPROOF_FAILED);
  EXPECT_THAT(error(), HasSubstr("progress stopped it"));
  EXPECT_EQ(calls, 1);
  EXPECT_TRUE(fs::is_empty(folder.path()));
  const auto refused = [&](const char* tiers, const char* glob, int jobs) {
    EXPECT_EQ(normproof_make(corpus_, out.c_str(), tiers, glob, jobs, nullptr, nullptr),
              NORMPROOF_USAGE);
    return error();
  };
  EXPECT_THAT(refused("quik", nullptr, 1), HasSubstr("did you mean 'quick'"));
  EXPECT_THAT(refused("own", nullptr, 1), HasSubstr("tier"));
  EXPECT_THAT(refused("", nullptr, 1), HasSubstr("tier"));
  EXPECT_THAT(refused("quick", "*/lay_norm/*", 1), HasSubstr("names no case"));
  EXPECT_THAT(refused("quick", nullptr, -1), HasSubstr("jobs is -1"));
  EXPECT_THAT(refused(nullptr, nullptr, 1), HasSubstr("null"));
}

}  // namespace
}  // namespace normproof::tests::verification::bindings::c
