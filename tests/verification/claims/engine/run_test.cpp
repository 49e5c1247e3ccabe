#include "verification/claims/engine/run.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <limits>
#include <stdexcept>

#include "tests/ref/numeric/error_message.hpp"
#include "verification/claims/fixtures/generators.hpp"

namespace normproof::verification::claims::engine {

using namespace fixtures;

namespace {

Claim make_claim_with_id(const std::string& id, std::function<Evidence(const Run&)> check) {
  return {.id = id, .expected = Verdict::holds, .check = std::move(check)};
}

Claim make_random_claim(const std::string& id) {
  return make_claim_with_id(id, [](const engine::Run& run) {
    return examine(run, Property<Batch>{.cases = batches({}),
                                        .judge = [](const Batch& b) { return within(b.x[0], 1.5); },
                                        .describe = [](const Batch& b) { return show(b); },
                                        .worst_meaning = "x / 1.5"});
  });
}

std::vector<Claim> three_claims() {
  return {make_random_claim("A1"), make_random_claim("A2"), make_random_claim("B1")};
}

std::vector<std::string> ids(const std::vector<Claim>& claims) {
  std::vector<std::string> result;
  for (const Claim& claim : claims) result.push_back(claim.id);
  return result;
}

void expect_same(const Result& a, const Result& b) {
  EXPECT_EQ(a.id, b.id);
  EXPECT_EQ(a.failure, b.failure);
  EXPECT_EQ(a.as_expected, b.as_expected);
  EXPECT_EQ(a.evidence.observed, b.evidence.observed);
  EXPECT_EQ(a.evidence.cases, b.evidence.cases);
  EXPECT_EQ(a.evidence.violations, b.evidence.violations);
  EXPECT_EQ(a.evidence.worst, b.evidence.worst);
  EXPECT_EQ(a.evidence.worst_meaning, b.evidence.worst_meaning);
  EXPECT_EQ(a.evidence.counterexample, b.evidence.counterexample);
  EXPECT_EQ(a.evidence.detail, b.evidence.detail);
  EXPECT_EQ(a.evidence.seed, b.evidence.seed);
}

TEST(SelectClaims, SelectsByGlobsInTheOrderOfTheLedger) {
  EXPECT_EQ(ids(select_claims(three_claims(), "*")), (std::vector<std::string>{"A1", "A2", "B1"}));
  EXPECT_EQ(ids(select_claims(three_claims(), "B1,A*")),
            (std::vector<std::string>{"A1", "A2", "B1"}));
  EXPECT_EQ(ids(select_claims(three_claims(), "B1, A*")),
            (std::vector<std::string>{"A1", "A2", "B1"}));
  EXPECT_EQ(ids(select_claims(three_claims(), " A2 ,B1 ")), (std::vector<std::string>{"A2", "B1"}));
  EXPECT_EQ(ids(select_claims(three_claims(), "?1")), (std::vector<std::string>{"A1", "B1"}));
  EXPECT_EQ(ids(select_claims(three_claims(), "A[2-9]")), (std::vector<std::string>{"A2"}));
}

TEST(SelectClaims, UnmatchedGlobListsTheKnownClaims) {
  try {
    select_claims(three_claims(), "Z9");
    FAIL() << "accepted";
  } catch (const ref::numeric::UsageError& error) {
    EXPECT_STREQ(error.what(), "--claims 'Z9' matches no claim; known: A1, A2, B1");
  }
}

TEST(SelectClaims, RejectsADuplicateGlob) {
  try {
    select_claims(three_claims(), "A1,B*, A1");
    FAIL() << "accepted";
  } catch (const ref::numeric::UsageError& error) {
    EXPECT_STREQ(error.what(), "--claims 'A1' is given twice; expected each glob once");
  }
}

TEST(SelectClaims, RejectsAnEmptyGlob) {
  for (const char* globs : {"", ",", "A1,", "A1, ,B1"}) try {
      select_claims(three_claims(), globs);
      ADD_FAILURE() << "accepted: " << globs;
    } catch (const ref::numeric::UsageError& error) {
      EXPECT_NE(std::string(error.what()).find("has an empty glob"), std::string::npos) << globs;
    }
}

TEST(RunClaims, EvidenceIsTheSameForAnyNumberOfJobs) {
  const auto one = run_claims(three_claims(), {.seed = 5, .cases = 60, .jobs = 1});
  const auto two = run_claims(three_claims(), {.seed = 5, .cases = 60, .jobs = 2});
  const auto many = run_claims(three_claims(), {.seed = 5, .cases = 60, .jobs = 9});
  ASSERT_EQ(one.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(one[i].evidence.cases, 60u);
    expect_same(one[i], two[i]);
    expect_same(one[i], many[i]);
    expect_same(one[i], evaluate(three_claims()[i], {.seed = 5, .cases = 60}));
  }
  // Each claim draws its own cases, and another seed draws others.
  EXPECT_NE(one[0].evidence.violations, one[1].evidence.violations);
  const auto other = run_claims(three_claims(), {.seed = 6, .cases = 60, .jobs = 1});
  EXPECT_NE(one[0].evidence.violations, other[0].evidence.violations);
}

TEST(RunClaims, CrashIsAFailureOfThatClaimOnly) {
  const std::vector<Claim> claims{
      make_random_claim("A1"),
      make_claim_with_id("A2",
                         [](const engine::Run&) -> Evidence {
                           ::raise(SIGKILL);
                           return {};
                         }),
      make_claim_with_id("A3", [](const engine::Run&) -> Evidence { ::_exit(0); }),
      make_claim_with_id(
          "A4", [](const engine::Run&) -> Evidence { throw std::runtime_error("broken"); }),
      make_random_claim("B1")};
  const auto results = run_claims(claims, {.cases = 20, .jobs = 2});
  EXPECT_EQ(results[0].failure, "");
  EXPECT_EQ(results[1].failure, "claim A2: its process was ended by signal 9 (Killed)");
  EXPECT_EQ(results[2].failure, "claim A3: its process ended with status 0 before it had reported");
  EXPECT_EQ(results[3].failure, "claim A4: its check threw: broken");
  EXPECT_EQ(results[4].evidence.cases, 20u);
  for (const std::size_t i : {1u, 2u, 3u}) {
    EXPECT_FALSE(results[i].as_expected);
    EXPECT_EQ(results[i].id, claims[i].id);
  }
}

TEST(RunClaims, TransfersEveryTextAndNumberFromItsWorkers) {
  Evidence sent;
  sent.observed = Verdict::holds;
  sent.cases = 7;
  sent.violations = 3;
  sent.worst = std::numeric_limits<double>::infinity();
  sent.worst_meaning = "größe";
  sent.counterexample = std::string(100000, 'x') + "\n\"quoted\"";
  sent.detail = "broken \xff utf-8";
  sent.seed = std::numeric_limits<std::uint64_t>::max();
  const auto got =
      run_claims({make_claim_with_id("A1", [&](const engine::Run&) { return sent; })}, {})[0];
  EXPECT_EQ(got.evidence.worst, sent.worst);
  EXPECT_EQ(got.evidence.worst_meaning, sent.worst_meaning);
  EXPECT_EQ(got.evidence.counterexample, sent.counterexample);
  EXPECT_EQ(got.evidence.detail, "broken \xef\xbf\xbd utf-8");
  EXPECT_EQ(got.evidence.seed, sent.seed);
  EXPECT_TRUE(got.as_expected);
  sent.worst = 0.1;
  EXPECT_EQ(run_claims({make_claim_with_id("A1", [&](const engine::Run&) { return sent; })}, {})[0]
                .evidence.worst,
            0.1);
}

TEST(RunClaims, ReportsProgressAndLeavesNoProcess) {
  std::vector<std::size_t> done;
  const auto progress = [&](const Result& result, std::size_t count, std::size_t total) {
    EXPECT_FALSE(result.id.empty());
    EXPECT_EQ(total, 3u);
    done.push_back(count);
  };
  run_claims(three_claims(), {.cases = 5, .jobs = 2}, progress);
  EXPECT_EQ(done, (std::vector<std::size_t>{1, 2, 3}));
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

TEST(RunClaims, WorkersEndIfProgressThrows) {
  const std::vector<Claim> claims{make_random_claim("A1"),
                                  make_claim_with_id("A2", [](const engine::Run&) -> Evidence {
                                    ::pause();
                                    return {};
                                  })};
  EXPECT_THROW(
      run_claims(claims, {.cases = 5, .jobs = 2},
                 [](const Result&, std::size_t, std::size_t) { throw std::runtime_error("stop"); }),
      std::runtime_error);
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

TEST(RunClaims, C1_RejectsZeroJobs) {
  EXPECT_EQ(ref::numeric::contract_message([] { run_claims(three_claims(), {.jobs = 0}); }),
            "run_claims: jobs is 0; expected at least 1 (C1)");
}

TEST(RunClaims, ZeroCasesFailEveryClaim) {
  for (const Result& result : run_claims(three_claims(), {.cases = 0})) {
    EXPECT_FALSE(result.as_expected);
    EXPECT_NE(result.failure.find("cases is 0"), std::string::npos) << result.failure;
  }
}

TEST(RunClaims, ReportsSensitivitiesIfRequested) {
  const Claim claim = make_claim_with_id("A1", [](const engine::Run& run) {
    Evidence e;
    e.cases = 1;
    const auto y = run.subject.relu(ref::tensor::full_tensor<double>({1}, 1));
    e.observed = y.data()[0] == 1 ? Verdict::holds : Verdict::refuted;
    return e;
  });
  EXPECT_TRUE(run_claims({claim}, {})[0].powers.empty());
  const auto planted = [](const Claim& of) {
    const auto scaled = [](double delta) {
      TestedImplementation subject;
      subject.relu = [delta](ref::tensor::Tensor<double> x) {
        x.data()[0] *= 1 + delta;
        return x;
      };
      return subject;
    };
    return std::vector<InjectedError>{{"ReLU of " + of.id, scaled}};
  };
  const auto powers = run_claims({claim}, {.planted = planted})[0].powers;
  ASSERT_EQ(powers.size(), 1u);
  EXPECT_EQ(powers[0].planted, "ReLU of A1");
  EXPECT_EQ(powers[0].smallest_rejected_error, 0x1p-52);
}

TEST(RunClaims, UsesTheGivenImplementation) {
  const Claim claim = make_claim_with_id("A1", [](const engine::Run& run) {
    Evidence e;
    e.cases = 1;
    NormInputs<double> in;
    in.x = ref::tensor::full_tensor<double>({1, 1}, 1);
    e.worst = run.subject.step<double>(ref::model::NoneOptions{}, in).outputs.at("y").data()[0];
    return e;
  });
  TestedImplementation subject;
  subject.step_double = [](const auto&, auto in, const auto&) {
    NormStep<double> step;
    in.x.data()[0] = 42;
    step.outputs.set("y", in.x);
    return step;
  };
  EXPECT_EQ(run_claims({claim}, {.subject = subject})[0].evidence.worst, 42);
}

}  // namespace
}  // namespace normproof::verification::claims::engine
