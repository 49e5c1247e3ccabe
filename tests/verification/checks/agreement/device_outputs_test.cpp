#include "verification/checks/agreement/device_outputs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "tests/ref/numeric/error_message.hpp"
#include "tests/verification/checks/compare/expect.hpp"
#include "verification/checks/agreement/device_functions.hpp"
#include "verification/checks/evaluation/sequence.hpp"
#include "verification/golden/certify/certificate.hpp"
#include "verification/golden/recipes/case_inputs.hpp"
#include "verification/golden/recipes/corpus.hpp"

namespace normproof::verification::checks::agreement {
namespace {

TEST(DeviceOutputs, MatchTheReferenceAlsoForSequencesAndLayouts) {
  const auto device = gpu::device::simulated_device(6);
  std::set<std::string> seen;
  std::size_t declined = 0, sequences = 0, layouts = 0;
  for (const golden::corpus::Case& c : golden::recipes::corpus(golden::corpus::Tier::quick)) {
    const std::string name = golden::corpus::case_folder(c);
    const bool affine = name.find("no_affine") == std::string::npos;
    const bool channels = name.find("/channels_") != std::string::npos;
    const std::string kind = std::string(c.sequence ? " steps" : "") +
                             (affine ? "" : " no affine") + (channels ? " channels" : "");
    if (!seen.insert(golden::corpus::case_operation_name(c) + kind).second) continue;
    checks::evaluation::EvalInputs inputs = golden::recipes::inputs_of(c, name);
    golden::certify::replace_not_finite(inputs, c, golden::certify::kReplacements);
    const auto answer = run_operation_on_device(*device, c.options, inputs, c.sequence);
    if (!answer) {
      const auto* const function = std::get_if<ref::model::FunctionOptions>(&c.options);
      EXPECT_TRUE((function != nullptr && !runs_on_device(*function)) ||
                  std::holds_alternative<ref::model::OptimizerOperation>(c.options) ||
                  std::holds_alternative<ref::model::TransformerOperation>(c.options))
          << name;
      ++declined;
      continue;
    }
    sequences += c.sequence;
    layouts += channels;
    std::set<std::string> names;
    for (const auto& [output, values] : *answer) names.insert(output);
    const auto expected = checks::evaluation::run_operation<double>(c.options, inputs, c.sequence);
    for (const auto& [output, values] : expected) names.erase(output);
    EXPECT_THAT(names, testing::IsEmpty()) << name;
    for (const auto& [output, values] : expected) {
      SCOPED_TRACE(name + " " + output);
      EXPECT_BITS_EQ(answer->at(output), values);
    }
  }
  EXPECT_GT(declined, 0U);
  EXPECT_GT(sequences, 3U);
  EXPECT_GT(layouts, 1U);
}

TEST(DeviceOutputs, C1_RejectsAWrongNumberOfSteps) {
  const auto device = gpu::device::simulated_device();
  const ref::model::NormOptions options = ref::model::LayerNormOptions{};
  checks::evaluation::EvalInputs inputs;
  const auto refused = [&](bool stacked) {
    return ref::numeric::contract_violation(
               [&] { run_operation_on_device(*device, options, inputs, stacked); })
        .observation;
  };
  EXPECT_EQ(refused(true), "has 0 steps");
  inputs.steps = {{.x = {{1, 2}, {3, 5}}}, {.x = {{1, 2}, {3, 5}}}};
  EXPECT_EQ(refused(false), "has 2 steps");
}

}  // namespace
}  // namespace normproof::verification::checks::agreement
