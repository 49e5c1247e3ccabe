#include "verification/cli/gpu_command_line.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/ref/numeric/error_message.hpp"
#include "verification/cli/command_line.hpp"

namespace normproof::verification::cli {
namespace {

using gpu::device::Backend;
using ::testing::HasSubstr;

TEST(GpuCommandLine, AgreeTakesADeviceASeedAndFiles) {
  const auto command = std::get<GpuAgreeCommand>(parse_command_line(
      {"gpu", "agree", "--device", "cuda", "--seed", "7", "--json", "a.json", "--jobs", "2"}));
  EXPECT_EQ(command.device, Backend::cuda);
  EXPECT_EQ(command.seed, 7u);
  EXPECT_EQ(command.jobs, 2);
  EXPECT_EQ(command.json, "a.json");
  EXPECT_FALSE(command.junit);
  EXPECT_EQ(std::get<GpuAgreeCommand>(parse_command_line({"gpu", "agree"})).device,
            Backend::simulated);
}

TEST(GpuCommandLine, AgreeTakesAModeAPrecisionATierAndAPage) {
  const auto command = std::get<GpuAgreeCommand>(
      parse_command_line({"gpu", "agree", "--mode", "cublas", "--precision", "tf32", "--tier",
                          "standard", "--html", "a.html", "--seed", "0"}));
  EXPECT_EQ(command.mode, GpuMode::cublas);
  EXPECT_EQ(command.precision, gpu::ops::Precision::tf32);
  EXPECT_EQ(command.tier, golden::corpus::Tier::standard);
  EXPECT_EQ(command.html, "a.html");
  EXPECT_EQ(command.seed, 0u);
  const auto plain = std::get<GpuAgreeCommand>(parse_command_line({"gpu", "agree"}));
  EXPECT_EQ(plain.mode, GpuMode::ordered);
  EXPECT_EQ(plain.tier, golden::corpus::Tier::quick);
  EXPECT_EQ(std::get<GpuTrainCommand>(parse_command_line({"gpu", "train", "--seed", "0"})).seed,
            0u);
}

TEST(GpuCommandLine, TrainAndProbeOrder) {
  const auto train = std::get<GpuTrainCommand>(parse_command_line(
      {"gpu", "train", "--norm", "batch_norm", "--optimizer", "adam", "--steps", "3"}));
  EXPECT_EQ(train.norm, "batch_norm");
  EXPECT_EQ(train.optimizer, "adam");
  EXPECT_EQ(train.steps, 3);
  EXPECT_EQ(train.seed, 42u);
  const auto probe =
      std::get<ProbeOrderCommand>(parse_command_line({"probe-order", "matmul", "--terms", "300"}));
  EXPECT_EQ(probe.subject, "matmul");
  EXPECT_EQ(probe.terms, 300u);
}

TEST(GpuCommandLine, WhatIsWrongIsNamed) {
  const auto message = [](const std::vector<std::string>& arguments) {
    return ref::numeric::error_message<ref::numeric::UsageError>(
        [&] { parse_command_line(arguments); });
  };
  EXPECT_THAT(message({"gpu", "agree", "--device", "gpu"}), HasSubstr("simulated, cuda"));
  EXPECT_THAT(message({"gpu", "train", "--norm", "layernorm"}), HasSubstr("'layer_norm'"));
  EXPECT_THAT(message({"gpu", "train", "--steps", "0"}), HasSubstr("--steps is '0'"));
  EXPECT_THAT(message({"probe-order", "matmull"}), HasSubstr("'matmul'"));
  EXPECT_THAT(message({"gpu", "agre"}), HasSubstr("'agree'"));
  EXPECT_THAT(message({"gpu", "agree", "--sed", "1"}), HasSubstr("'--seed'"));
  EXPECT_THAT(message({"gpu", "agree", "--mode", "blas"}), HasSubstr("'cublas'"));
  EXPECT_THAT(message({"gpu", "agree", "--precision", "tf32"}), HasSubstr("without --mode cublas"));
  EXPECT_THAT(message({"gpu", "agree", "--mode", "cublas", "--precision", "float"}),
              HasSubstr("'float32'"));
  EXPECT_THAT(message({"gpu", "agree", "--tier", "full"}), HasSubstr("quick, standard"));
  EXPECT_THAT(message({"probe-order", "matmul", "--device", "simulated"}),
              HasSubstr("--device is given for matmul"));
  EXPECT_THAT(message({"probe-order", "cublas", "--device", "simulated"}),
              HasSubstr("--device is simulated for cublas; expected cuda"));
  EXPECT_THAT(message({"probe-order", "sum-elements", "--side", "9"}),
              HasSubstr("--side is given"));
  EXPECT_THAT(message({"probe-order", "device-matmul", "--terms", "10000"}),
              HasSubstr("4.1e+11 additions at least; expected 2209 at most"));
}

}  // namespace
}  // namespace normproof::verification::cli
