#include "verification/cli/gpu/gpu_agree.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/verification/cli/parsed.hpp"
#include "tests/verification/cli/program_run.hpp"

namespace normproof::tests::verification::cli::gpu {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;
using tests::ref::io::TemporaryFolder;

TEST(GpuAgreeOptions, ParsesEveryOption) {
  namespace golden = normproof::verification::golden;
  namespace gpu = normproof::gpu;
  const auto given = parse_command<tool::gpu::GpuAgreeCommand>(
      {"--device", "cuda", "--seed", "7", "--json", "a.json", "--jobs", "2", "--mode", "cublas",
       "--precision", "tf32", "--tier", "standard", "--html", "a.html"});
  EXPECT_EQ(given.device, normproof::gpu::device::Backend::cuda);
  EXPECT_EQ(given.seed, 7u);
  EXPECT_EQ(given.jobs, 2);
  EXPECT_EQ(given.reports.file("--json"), "a.json");
  EXPECT_FALSE(given.reports.file("--junit"));
  EXPECT_EQ(given.reports.file("--html"), "a.html");
  EXPECT_EQ(given.mode, tool::gpu::GpuProductMode::cublas);
  EXPECT_EQ(given.precision, normproof::gpu::ops::Precision::tf32);
  EXPECT_EQ(given.tier, normproof::verification::golden::corpus::Tier::standard);
  const auto plain = parse_command<tool::gpu::GpuAgreeCommand>({"--seed", "0"});
  EXPECT_EQ(plain.device, normproof::gpu::device::Backend::simulated);
  EXPECT_EQ(plain.mode, tool::gpu::GpuProductMode::ordered);
  EXPECT_EQ(plain.tier, normproof::verification::golden::corpus::Tier::quick);
  EXPECT_EQ(plain.seed, 0u);
  EXPECT_EQ(plain.only, normproof::verification::golden::corpus::PathGlobs("*"));
}

TEST(GpuAgreeOptions, AcceptOtherNamesOfOperationsAndFormats) {
  EXPECT_EQ(
      parse_command<tool::gpu::GpuAgreeCommand>({"--only", "swish", "--only", "*_norm"}).only.globs,
      (std::vector<std::string>{"silu", "*_norm"}));
  EXPECT_EQ(parse_command<tool::gpu::GpuAgreeCommand>({"--mode", "cublas", "--precision", "bf16"})
                .precision,
            normproof::gpu::ops::Precision::bfloat16);
}

TEST(GpuAgreeOptions, ErrorsNameInvalidOptions) {
  const auto refused = [](const Arguments& arguments, const std::string& what) {
    EXPECT_THAT(refusal<tool::gpu::GpuAgreeCommand>(arguments), HasSubstr(what));
  };
  refused({"--device", "gpu"}, "simulated, cuda");
  refused({"--sed", "1"}, "'--seed'");
  refused({"--mode", "blas"}, "'cublas'");
  refused({"--precision", "tf32"}, "without --mode cublas");
  refused({"--mode", "cublas", "--precision", "float"}, "'float32'");
  refused({"--mode", "cublas", "--only", "relu"}, "--only is given with --mode cublas");
  refused({"--only", "relu", "--only", "reluu"},
          "--only 'reluu' names no row; expected one of sums");
  refused({"--tier", "full"}, "quick, standard");
}

TEST(GpuProgram, CommandAgreePrintsOneRowPerOperationAndWritesFiles) {
  const TemporaryFolder folder;
  const Outcome outcome =
      run("cd '" + folder.path().string() +
          "'; $N gpu agree --seed 3 --only matmul --only layer_norm --only softmax --only training"
          " --json a.json --junit a.xml");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(StartsWith("device simulated, ordered mode, seed 3"),
                                 HasSubstr("\nlayer_norm "), HasSubstr("\ntraining "),
                                 HasSubstr("cases: the same bits")));
  EXPECT_THAT(read_file(folder / "a.json"),
              AllOf(HasSubstr("\"agree\": true"), HasSubstr("\"operation\": \"matmul\"")));
  EXPECT_THAT(read_file(folder / "a.xml"), HasSubstr("name=\"softmax\""));
}

TEST(GpuProgram, CublasModeComparesEveryProductWithItsBound) {
  const TemporaryFolder folder;
  const Outcome outcome = run("cd '" + folder.path().string() +
                              "'; $N gpu agree --mode cublas --precision bfloat16 --html a.html");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out,
              AllOf(HasSubstr("bfloat16 with sums in float32"), HasSubstr("\nproduct, exact "),
                    HasSubstr("\ntraining "), HasSubstr("every product within its bound")));
  EXPECT_EQ(outcome.err, "");
  EXPECT_THAT(read_file(folder / "a.html"), HasSubstr("outcome good"));
}

TEST(GpuProgram, FilesAreWrittenEvenIfPrintingFails) {
  const TemporaryFolder folder;
  const Outcome outcome = run("cd '" + folder.path().string() +
                              "'; $N gpu agree --mode cublas --json a.json > /dev/full");
  EXPECT_EQ(outcome.status, 3);
  EXPECT_THAT(outcome.err, HasSubstr("standard output"));
  EXPECT_THAT(read_file(folder / "a.json"), HasSubstr("\"operation\": \"training\""));
}

TEST(GpuProgram, CommandTrainPrintsTheHashesOfDeviceAndReference) {
  const Outcome outcome = run("$N gpu train --steps 2 --norm power_norm --optimizer adam");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out,
              AllOf(HasSubstr("step    2  loss "), EndsWith("by ref: the same trajectory\n")));
  for (const auto& [task, title] :
       {std::pair("language", "a language model, dyt with adamw, 2 steps"),
        std::pair("translate", "a translator, dyt with adamw, 2 steps")}) {
    const Outcome other =
        run(std::string("$N gpu train --steps 2 --norm dyt --optimizer adamw --task ") + task);
    EXPECT_EQ(other.status, 0) << other.err;
    EXPECT_THAT(other.out, AllOf(testing::StartsWith(title), HasSubstr("step    2  loss "),
                                 EndsWith("by ref: the same trajectory\n")));
    const Outcome scaled =
        run(std::string("$N gpu train --steps 2 --scaled-embedding --task ") + task);
    EXPECT_THAT(scaled.out, AllOf(HasSubstr("layer_norm, scaled embeddings with sgd, 2 steps"),
                                  EndsWith("by ref: the same trajectory\n")));
    const Outcome plain = run(std::string("$N gpu train --steps 2 --task ") + task);
    EXPECT_NE(plain.out.substr(plain.out.find("sha256")),
              scaled.out.substr(scaled.out.find("sha256")));
  }
  const Outcome refused = run("$N gpu train --steps 2 --norm group_norm --task translate");
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.err, HasSubstr("--norm is 'group_norm'; expected one without"));
}

TEST(GpuProgram, CommandProbeOrderPrintsTheSummationTreeAndTheVerdict) {
  const Outcome ours = run("$N probe-order matmul --terms 600");
  EXPECT_EQ(ours.status, 0) << ours.err;
  EXPECT_THAT(ours.out, AllOf(HasSubstr("600 terms: [0..255 [256..511] [512..599]]\n"),
                              HasSubstr("this is the contract's order, R1")));
  // Rule R2 adds the terms 0, 1, 2 and 3 in one lane each. Rule R1 adds them from left to right.
  EXPECT_THAT(run("$N probe-order device-sum-elements --terms 4").out,
              HasSubstr("4 terms: [0 2 [1 3]]\n"));
}

TEST(GpuProgram, ReportsOneSentenceAndStatus77IfThereIsNoGpu) {
  const Outcome outcome = run("$N gpu agree --device cuda");
  if (outcome.status == 0) GTEST_SKIP() << "this machine has a GPU";
  EXPECT_EQ(outcome.status, 77);
  EXPECT_THAT(outcome.err, StartsWith("normproof: no device: "));
  for (const char* command :
       {"gpu agree --device cuda --mode cublas", "gpu train --device cuda", "probe-order cublas",
        "probe-order cublas-float16", "probe-order device-dmma --terms 16",
        "probe-order device-dmma-wide --terms 16"})
    EXPECT_EQ(run(std::string("$N ") + command).status, 77) << command;
}

TEST(GpuProgram, TensorCoresNeedAGpu) {
  const Outcome outcome = run("$N probe-order device-dmma --device simulated --terms 16");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err,
              HasSubstr("--device is simulated for device-dmma; expected cuda, or none"));
}

}  // namespace
}  // namespace normproof::tests::verification::cli::gpu
