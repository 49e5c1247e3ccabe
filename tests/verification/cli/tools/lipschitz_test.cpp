#include "verification/cli/tools/lipschitz.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include <nlohmann/json.hpp>

#include "ref/io/tensor_file.hpp"
#include "ref/numeric/errors.hpp"
#include "tests/ref/numeric/error_message.hpp"
#include "tests/verification/checks/evaluation/sample_tensors.hpp"
#include "tests/verification/cli/parsed.hpp"
#include "tests/verification/cli/program_run.hpp"

namespace normproof::tests::verification::cli::tools {
namespace {

using namespace normproof::verification::cli;
using namespace normproof::verification::cli::tools;
using namespace tests::verification::checks::evaluation;
namespace io = normproof::ref::io;
using normproof::ref::numeric::error_message;
using normproof::ref::numeric::FileError;
using normproof::ref::numeric::UsageError;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class LipschitzProgram : public testing::Test {
 protected:
  /// Runs the program with x = (1, 1, -2) and gamma = (3, 3, 3). The shape {1, 3} makes x a row,
  /// {3, 1} a column.
  Outcome run(const std::string& arguments, const Shape& shape = {1, 3}) {
    const std::vector<double> x = {1, 1, -2}, gamma(shape[1], 3.0);
    io::write_tensors(folder_ / "x.npz",
                      std::vector<io::StoredTensor>{
                          io::make_tensor("x", shape, std::span<const double>(x)),
                          io::make_tensor("gamma", {shape[1]}, std::span<const double>(gamma))});
    return cli::run("cd '" + folder_.path().string() + "' && \"$N\" lipschitz " + arguments);
  }

  tests::ref::io::TemporaryFolder folder_;
};

TEST_F(LipschitzProgram, PrintsTheJacobianNormForATextbookRow) {
  const Outcome done = run("layer_norm --in x.npz --set eps=0");
  EXPECT_EQ(done.status, 0) << done.err;
  EXPECT_EQ(done.out,
            "x.npz, layer_norm: the operator norm of dy/dx, one part a row of 1 row\n"
            "\n"
            "all parts  at most  attained       gap  max|gamma|/sigma\n"
            "at x       2.12132   2.12132  2.09e-16           2.12132\n"
            "\n"
            "row, at x  at most  attained       gap  max|gamma|/sigma\n"
            "0          2.12132   2.12132  2.09e-16           2.12132\n");
}

TEST_F(LipschitzProgram, JsonHasEveryPartAndTheBall) {
  const Outcome done = run("power_norm_v --in x.npz --set eps=0.25 --radius 3 --json", {3, 1});
  EXPECT_EQ(done.status, 0) << done.err;
  const auto json = nlohmann::json::parse(done.out);
  EXPECT_EQ(json["layer"], "power_norm_v");
  EXPECT_EQ(json["part"], "channel");
  EXPECT_EQ(json["theory"], "|gamma|/psi");
  EXPECT_EQ(json["radius"], 3.0);
  ASSERT_EQ(json["parts"].size(), 1u);
  EXPECT_EQ(json["parts"][0]["index"], 0);
  EXPECT_EQ(json["parts"][0]["at"], json["at"]);
  const double at = json["at"]["upper"].get<double>();
  // Both ends are rounded outward to a JSON number.
  constexpr double kOutwardRounding = 4 * std::numeric_limits<double>::epsilon();
  EXPECT_GE(at, 2);  // 3 / sqrt(2 + 1/4)
  EXPECT_LE(at, 2 + 2 * kOutwardRounding);
  EXPECT_LE(json["at"]["lower"].get<double>(), at);
  const double lower = json["around"]["lower"], upper = json["around"]["upper"];
  EXPECT_LE(lower, 6);  // 3 / sqrt(1/4): 0 is in the ball
  EXPECT_GE(lower, 6 - 6 * kOutwardRounding);
  EXPECT_GE(upper, 6);
  EXPECT_LE(upper, 6 + 6 * kOutwardRounding);
}

TEST_F(LipschitzProgram, ExplainsWhyNoBoundIsKnown) {
  const Outcome zero = run("layer_norm --in x.npz --set eps=0 --radius 9");
  EXPECT_EQ(zero.status, 0) << zero.err;
  EXPECT_THAT(zero.out,
              AllOf(HasSubstr("inf: no bound is known within 9 of x: with eps=0 the norm grows "
                              "without end where the statistic is 0."),
                    Not(HasSubstr("nan"))));
  EXPECT_THAT(run("layer_norm --in x.npz --radius 9").out, Not(HasSubstr("no bound")));
}

TEST_F(LipschitzProgram, ReportsAssumedRunningStatistics) {
  const char* const variance = "running_variance is not in x.npz: it is 1, as in a new layer.";
  const Outcome assumed = run("batch_norm --in x.npz --mode inference");
  EXPECT_EQ(assumed.status, 0) << assumed.err;
  EXPECT_THAT(assumed.out, AllOf(HasSubstr(variance), Not(HasSubstr("running_mean"))));
  EXPECT_THAT(run("batch_norm --in x.npz", {3, 1}).out, Not(HasSubstr(variance)));
  EXPECT_THAT(run("power_norm --in x.npz").out, HasSubstr("running_psi2 is not in x.npz: it is 1"));
  const auto json = [&](const std::string& options) {
    return nlohmann::json::parse(run(options + " --json").out)["assumed"];
  };
  EXPECT_EQ(json("batch_norm --in x.npz --mode inference")["running_variance"], 1);
  EXPECT_TRUE(json("layer_norm --in x.npz --mode inference").empty());
  run("batch_norm --in x.npz");
  auto tensors = io::read_tensors(folder_ / "x.npz");
  const std::vector<double> row_of_fours(3, 4.0);
  tensors.push_back(
      io::make_tensor("running_variance", {3}, std::span<const double>(row_of_fours)));
  io::write_tensors(folder_ / "given.npz", tensors);
  const Outcome given = run("batch_norm --in given.npz --mode inference");
  EXPECT_EQ(given.status, 0) << given.err;
  EXPECT_THAT(given.out, Not(HasSubstr("is not in")));
}

TEST_F(LipschitzProgram, ReportsAModeWithoutEffect) {
  const char* const same = "layer_norm has no running statistics: inference equals training.";
  EXPECT_THAT(run("layer_norm --in x.npz --mode inference").out, HasSubstr(same));
  EXPECT_THAT(run("layer_norm --in x.npz").out, Not(HasSubstr("no running statistics")));
  EXPECT_THAT(run("batch_norm --in x.npz --mode inference").out,
              Not(HasSubstr("no running statistics")));
}

TEST_F(LipschitzProgram, JsonHasInfIfNoBoundIsKnown) {
  const Outcome done = run("batch_norm --in x.npz --set eps=0 --radius 3 --json", {3, 1});
  EXPECT_EQ(done.status, 0) << done.err;
  EXPECT_EQ(nlohmann::json::parse(done.out)["around"]["upper"], "inf");
}

TEST_F(LipschitzProgram, OutputFileHasTheInputsThatAttainTheJacobianNorms) {
  const Outcome done = run("rms_norm --in x.npz --radius 0.5 --out out.npz");
  EXPECT_EQ(done.status, 0) << done.err;
  EXPECT_THAT(done.out, HasSubstr("within 0.5 of x"));
  std::vector<std::string> names;
  for (const auto& tensor : io::read_tensors(folder_ / "out.npz")) names.push_back(tensor.name);
  EXPECT_THAT(names, testing::UnorderedElementsAre("lower", "upper", "theory", "x", "grad_y", "row",
                                                   "lower_around", "upper_around", "theory_around",
                                                   "x_around", "grad_y_around"));
}

TEST_F(LipschitzProgram, EachErrorIsReportedInOneSentenceWithItsStatus) {
  const auto refused = [&](const std::string& arguments, int status, const std::string& what) {
    const Outcome done = run(arguments);
    EXPECT_EQ(done.status, status) << arguments;
    EXPECT_TRUE(is_one_sentence(done.err)) << done.err;
    EXPECT_THAT(done.err, HasSubstr(what));
    EXPECT_EQ(done.out, "");
  };
  refused("layer_norm --in x.npz --eps 1e-6", 2,
          "unknown option '--eps'; a setting is given as --set eps=VALUE; known: --help, --in");
  refused("group_norm --in x.npz", 2,
          "LAYER is group_norm, whose Jacobian is not enclosed here; expected one of batch_norm");
  refused("layer_nrom --in x.npz", 2, "unknown layer 'layer_nrom'; did you mean 'layer_norm'?");
  EXPECT_EQ(run("LayerNorm --in x.npz").out, run("layer_norm --in x.npz").out);
  refused("layer_norm --in x.npz --raduis=1", 2, "'--raduis'; did you mean '--radius'?");
  refused("layer_norm --in x.npz --radius -1", 2,
          "--radius is '-1'; expected a number from 0 to 1e300, such as 0.5");
  refused("layer_norm --in x.npz --radius x", 2, "--radius is 'x'; expected a number");
  refused("layer_norm --in x.npz --set eps=-1", 2, "eps is -1; expected");
  refused("layer_norm --in x.npz --set storage=float16", 2, "unknown layer_norm option 'storage'");
  refused("rms_norm --in x.npz --set storage=float16", 2, "storage");
  refused("layer_norm --in x.npz --set eps=1 --set eps=2", 2,
          "--set eps is given twice; expected once");
  refused("layer_norm --in absent.npz", 3, "absent.npz");
  refused("layer_norm --in x.npz --out x.npz", 2, "--out");
  refused("dyt --in x.npz --out d.csv", 2, "d.csv");
}

TEST_F(LipschitzProgram, ErrorsOfTheLayerNameTheFile) {
  const std::vector<double> x = {1, std::nan("")};
  io::write_tensors(folder_ / "nan.npz", std::vector<io::StoredTensor>{io::make_tensor(
                                             "x", {1, 2}, std::span<const double>(x))});
  const LipschitzCommand command{.layer = "layer_norm", .in = folder_ / "nan.npz"};
  EXPECT_THAT(error_message<FileError>([&] { command.run(); }),
              AllOf(HasSubstr("nan.npz: "), HasSubstr("x has the element [0, 1] = nan")));
}

TEST_F(LipschitzProgram, RejectsAnAxisOfSteps) {
  const std::vector<double> x = {1, 2};
  io::write_tensors(folder_ / "steps.npz", std::vector<io::StoredTensor>{io::make_tensor(
                                               "x", {1, 1, 1, 2}, std::span<const double>(x))});
  const LipschitzCommand command{.layer = "layer_norm", .in = folder_ / "steps.npz"};
  const std::string message = error_message<FileError>([&] { command.run(); });
  EXPECT_THAT(message, testing::EndsWith("x has shape [1, 1, 1, 2]; expected [N,D] or [B,T,D]"));
}

TEST(LipschitzOptions, ParsesEveryOption) {
  const auto full =
      parse_command<LipschitzCommand>({"power_norm", "--in", "a.npz", "--radius", "0.25", "--set",
                                       "eps=1", "--mode", "inference", "--out", "b.npz", "--json"});
  EXPECT_EQ(full.layer, "power_norm");
  EXPECT_EQ(full.radius, 0.25);
  EXPECT_EQ(full.mode, normproof::ref::model::Mode::inference);
  EXPECT_EQ(full.out, "b.npz");
  EXPECT_TRUE(full.reports.json_on_stdout);
  EXPECT_THAT(refusal<LipschitzCommand>({"layer_norm"}), HasSubstr("--in is required"));
}

}  // namespace
}  // namespace normproof::tests::verification::cli::tools
