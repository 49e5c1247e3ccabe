#include "verification/checks/evaluation/optimizers.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/ref/numeric/error_message.hpp"
#include "tests/verification/checks/evaluation/sample_tensors.hpp"
#include "verification/checks/evaluation/sequence.hpp"

namespace normproof::tests::verification::checks::evaluation {
namespace {

using namespace normproof::verification::checks::evaluation;
namespace model = normproof::ref::model;
using normproof::ref::numeric::contract_message;
using normproof::ref::numeric::error_message;
using normproof::ref::numeric::FileError;
using normproof::ref::tensor::NamedTensors;
using Stored = std::vector<normproof::ref::io::StoredTensor>;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

normproof::ref::io::StoredTensor stored_tensor(const char* name, Shape shape,
                                               const std::vector<double>& values) {
  return normproof::ref::io::make_tensor(name, std::move(shape), std::span<const double>(values));
}

model::Operation make_operation(const char* name,
                                const std::vector<std::pair<const char*, const char*>>& options) {
  model::Operation operation = model::operation(name);
  for (const auto& [field, value] : options) model::set_option(operation, field, value);
  return operation;
}

NamedTensors<double> run(const model::Operation& operation, const Stored& tensors,
                         bool sequence = true) {
  return run_operation<double>(
      operation, operation_inputs("f", tensors, operation, model::Mode::training, sequence),
      sequence);
}

std::vector<double> list(const NamedTensors<double>& results, const char* name) {
  const auto& values = results.at(name);
  return {values.begin(), values.end()};
}

TEST(OptimizerEvaluation, MomentumKeepsTheVelocityBetweenSteps) {
  const auto results =
      run(make_operation("sgd", {{"momentum", "0.5"}, {"learning_rate", "0.25"}}),
          {stored_tensor("parameter", {1}, {8}), stored_tensor("grad_parameter", {3, 1}, {4, 2, 0}),
           stored_tensor("velocity", {1}, {8}), stored_tensor("iterations", {1}, {5})});
  EXPECT_THAT(list(results, "velocity"), ElementsAre(8, 6, 3));
  EXPECT_THAT(list(results, "parameter"), ElementsAre(6, 4.5, 3.75));
  EXPECT_THAT(list(results, "iterations"), ElementsAre(6, 7, 8));
}

TEST(OptimizerEvaluation, SgdWithoutMomentumReturnsNoVelocity) {
  const auto operation = make_operation("sgd", {{"learning_rate", "0.25"}});
  const Stored tensors = {stored_tensor("parameter", {2}, {8, 1}),
                          stored_tensor("grad_parameter", {2}, {4, 0})};
  const auto results = run(operation, tensors, false);
  EXPECT_THAT(results.names(), ElementsAre("parameter", "iterations"));
  EXPECT_THAT(list(results, "parameter"), ElementsAre(7, 1));
}

/// With beta1 = 1/2 and beta2 = 3/4, the bias corrections of the second step are 3/4 and 7/16.
TEST(OptimizerEvaluation, BiasCorrectionsContinueFromEarlierSteps) {
  const auto operation = make_operation(
      "adam", {{"beta1", "0.5"}, {"beta2", "0.75"}, {"eps", "0.5"}, {"learning_rate", "0.75"}});
  const Stored tensors = {
      stored_tensor("parameter", {1}, {0}), stored_tensor("grad_parameter", {1, 1}, {2}),
      stored_tensor("first_moment", {1}, {0}), stored_tensor("second_moment", {1}, {1}),
      stored_tensor("iterations", {1}, {1})};
  const auto results = run(operation, tensors);
  EXPECT_THAT(list(results, "first_moment"), ElementsAre(1));
  EXPECT_THAT(list(results, "second_moment"), ElementsAre(1.75));
  EXPECT_THAT(list(results, "parameter"), ElementsAre(-0.4));  // -(3/4)/(3/4) 1 / (2 + 1/2)
}

TEST(OptimizerEvaluation, RunInTwoPartsGivesTheSameStepsAsOneRun) {
  for (const char* name : {"sgd", "adam", "adamw"}) {
    model::Operation operation = model::operation(name);
    if (std::string_view(name) == "sgd") model::set_option(operation, "momentum", "0.9");
    const auto p = random_tensor("p", {2, 3});
    const auto g = normproof::ref::io::widen(random_tensor("g", {4, 2, 3}));
    const auto part = [&](std::size_t begin, std::size_t end) {
      return stored_tensor("grad_parameter", {end - begin, 2, 3},
                           {g.begin() + static_cast<std::ptrdiff_t>(6 * begin),
                            g.begin() + static_cast<std::ptrdiff_t>(6 * end)});
    };
    const std::vector<double> start = normproof::ref::io::widen(p);
    const auto whole = run(operation, {stored_tensor("parameter", {2, 3}, start), part(0, 4)});
    const auto first = run(operation, {stored_tensor("parameter", {2, 3}, start), part(0, 1)});
    Stored rest = {part(1, 4)};
    for (const auto& [own, values] : first)
      rest.push_back(stored_tensor(own.c_str(), own == "iterations" ? Shape{1} : Shape{2, 3},
                                   {values.begin(), values.end()}));
    const auto second = run(operation, rest);
    for (const auto& [own, values] : whole) {
      const std::size_t size = values.size() / 4;
      EXPECT_TRUE(std::equal(values.begin() + static_cast<std::ptrdiff_t>(size), values.end(),
                             second.at(own).begin(), second.at(own).end()))
          << name << " " << own;
    }
  }
}

TEST(OptimizerEvaluation, ErrorsNameTheTensorAndWhatIsExpected) {
  const auto operation = make_operation("adam", {});
  const auto message = [&](const Stored& tensors) {
    return error_message<FileError>([&] { run(operation, tensors); });
  };
  const auto p = stored_tensor("parameter", {2}, {1, 2}),
             g = stored_tensor("grad_parameter", {1, 2}, {1, 2});
  EXPECT_THAT(message({p}), HasSubstr("grad_parameter is absent"));
  EXPECT_THAT(message({g}), HasSubstr("parameter is absent"));
  EXPECT_THAT(message({p, stored_tensor("grad_parameter", {2}, {1, 2})}),
              HasSubstr("grad_parameter has shape [2]; expected shape [2, 2]"));
  EXPECT_THAT(message({p, g, stored_tensor("velocity", {2}, {1, 2})}),
              HasSubstr("unknown tensor 'velocity'"));
  EXPECT_THAT(message({p, g, stored_tensor("second_moment", {1}, {1})}),
              HasSubstr("second_moment has shape [1]; expected shape [2]"));
}

TEST(RunOptimizer, C1_RejectsFractionalIterations) {
  for (const double count : {0.5, -1.0, 2e6})
    EXPECT_EQ(contract_message([&] {
                run(make_operation("adam", {}), {stored_tensor("parameter", {1}, {1}),
                                                 stored_tensor("grad_parameter", {1, 1}, {1}),
                                                 stored_tensor("iterations", {1}, {count})});
              }),
              fmt::format("optimizer: iterations is {}; expected a whole number from 0 to 1e6 (C1)",
                          count));
}

}  // namespace
}  // namespace normproof::tests::verification::checks::evaluation
