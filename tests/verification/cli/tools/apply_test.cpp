#include "verification/cli/tools/apply.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "ref/io/tensor_file.hpp"
#include "ref/numeric/errors.hpp"
#include "ref/numeric/parallel.hpp"
#include "tests/ref/numeric/error_message.hpp"
#include "tests/verification/checks/evaluation/sample_tensors.hpp"
#include "tests/verification/cli/parsed.hpp"
#include "tests/verification/cli/program_run.hpp"
#include "verification/checks/evaluation/inputs.hpp"

namespace normproof::tests::verification::cli::tools {
namespace {

using namespace normproof::verification::cli;
using namespace normproof::verification::cli::tools;
using namespace tests::verification::checks::evaluation;
using normproof::verification::checks::evaluation::eval_inputs;
namespace io = normproof::ref::io;
namespace model = normproof::ref::model;
namespace norm = normproof::ref::norm;
using normproof::ref::numeric::error_message;
using normproof::ref::numeric::FileError;
using normproof::ref::numeric::UsageError;
using normproof::ref::tensor::NamedTensors;
using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

const io::StoredTensor& named(const std::vector<io::StoredTensor>& tensors, std::string_view name) {
  for (const auto& tensor : tensors)
    if (tensor.name == name) return tensor;
  throw std::out_of_range(std::string(name));
}

class ApplyToFile : public testing::Test {
 protected:
  std::vector<io::StoredTensor> run(ApplyCommand command,
                                    const std::vector<io::StoredTensor>& tensors) {
    if (command.in.empty()) command.in = folder_ / "in.npz";
    if (command.out.empty()) command.out = folder_ / "out.npz";
    io::write_tensors(command.in, tensors);
    apply_to_file(command);
    return io::read_tensors(command.out);
  }

  // Expects every tensor of `expected` to be in the file with the same bits. For a sequence, the
  // file's tensor is the slice of this step.
  static void expect_bits(const std::vector<io::StoredTensor>& file,
                          const NamedTensors<double>& expected, std::size_t step, bool sequence) {
    for (const auto& [name, values] : expected) {
      const io::StoredTensor& stored = named(file, name);
      auto shape = normproof::ref::tensor::shape_of(values);
      if (sequence) {
        ASSERT_GT(stored.shape.at(0), step);
        shape.insert(shape.begin(), stored.shape[0]);
      }
      ASSERT_EQ(stored.shape, shape) << name;
      EXPECT_EQ(stored.dtype, io::DType::float64);
      const std::size_t bytes = values.size() * sizeof(double);
      EXPECT_EQ(std::memcmp(stored.bytes.data() + step * bytes, values.data(), bytes), 0) << name;
    }
  }

  tests::ref::io::TemporaryFolder folder_;
};

TEST(ApplyOptions, ParsesEveryOption) {
  const auto plain = parse_command<ApplyCommand>({"layer_norm", "--in", "a.npz", "--out", "b.npz"});
  EXPECT_EQ(plain.layer, "layer_norm");
  EXPECT_EQ(plain.in, "a.npz");
  EXPECT_EQ(plain.out, "b.npz");
  EXPECT_EQ(plain.scalar, ApplyArithmetic::float64);
  EXPECT_EQ(plain.mode, model::Mode::training);
  EXPECT_FALSE(plain.sequence);
  EXPECT_TRUE(plain.settings.empty());
  const auto full = parse_command<ApplyCommand>(
      {"--in", "a.npz", "--set", "eps=1e-3", "groups=2", "--set", "x=a=b", "--out", "b.npz",
       "--scalar", "interval", "--mode", "inference", "--sequence", "layer_norm"});
  using Settings = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(full.settings, (Settings{{"eps", "1e-3"}, {"groups", "2"}, {"x", "a=b"}}));
  EXPECT_EQ(full.layer, "layer_norm");
  EXPECT_EQ(full.scalar, ApplyArithmetic::interval);
  EXPECT_EQ(full.mode, model::Mode::inference);
  EXPECT_TRUE(full.sequence);
}

TEST(ApplyOptions, EachErrorIsReportedInOneSentence) {
  const auto refused = [](const Arguments& more, const std::string& what) {
    Arguments arguments = {"layer_norm", "--in", "a.npz", "--out", "b.npz"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    EXPECT_THAT(refusal<ApplyCommand>(arguments), HasSubstr(what));
  };
  EXPECT_THAT(refusal<ApplyCommand>({}), HasSubstr("LAYER is required; expected LAYER: The layer"));
  EXPECT_THAT(refusal<ApplyCommand>({"layer_norm", "--out", "b.npz"}),
              HasSubstr("--in is required; expected FILE: The input tensors"));
  EXPECT_THAT(refusal<ApplyCommand>({"layer_norm", "--in", "a.npz"}),
              HasSubstr("--out is required"));
  EXPECT_THAT(refusal<ApplyCommand>({"layer_norm", "--inn", "a.npz"}),
              HasSubstr("unknown option '--inn'; did you mean '--in'?"));
  refused({"more"}, "unexpected argument 'more' of apply");
  refused({"--scalar", "oracle5"}, "unknown --scalar 'oracle5'; did you mean 'oracle50'?");
  refused({"--mode", "train"}, "unknown --mode 'train'; did you mean 'training'?");
  refused({"--set", "eps"}, "--set is 'eps'; expected NAME=VALUE");
  refused({"--set", "=1"}, "--set is '=1'; expected NAME=VALUE");
  refused({"--set", "eps=1", "eps=2"}, "--set eps is given twice; expected once");
}

TEST(ApplyOptions, HelpListsEveryLayerWithItsOptionsAndDefaults) {
  testing::internal::CaptureStdout();
  tool::parse_arguments(make_toy_group("normproof", {tool::command<ApplyCommand>()}),
                        {"apply", "--help"})();
  const std::string text = testing::internal::GetCapturedStdout();
  for (const std::string& name : model::norm_names()) {
    EXPECT_THAT(text, HasSubstr("  " + name));
    for (const auto& [field, value] : model::list_options(model::norm_options(name)))
      EXPECT_THAT(text, HasSubstr(" " + field + "=" + value));
  }
}

TEST_F(ApplyToFile, LayerNormMatchesTheTextbookExample) {
  const std::vector<double> x = {1, 2, 2, 3};
  const auto out = run({.layer = "layer_norm", .settings = {{"eps", "0"}}},
                       {io::make_tensor("x", {2, 2}, std::span<const double>(x))});
  EXPECT_EQ(io::widen(named(out, "y")), (std::vector<double>{-1, 1, -1, 1}));
  EXPECT_EQ(out.size(), 3u);  // y, mean, rstd
}

TEST_F(ApplyToFile, EveryLayerHasTheBitsOfTheReference) {
  for (const std::string& layer : model::norm_names()) {
    for (const Shape& shape : {Shape{7, 4}, Shape{3, 5, 4}}) {
      for (const auto mode : {model::Mode::training, model::Mode::inference}) {
        const auto tensors = sample_tensors(layer, shape);
        const auto out = run({.layer = layer, .mode = mode}, tensors);
        const auto options = model::norm_options(layer);
        const auto inputs = eval_inputs("", tensors, options, mode, false);
        const auto step = norm::norm_step<double>(options, inputs.steps[0], inputs.state);
        SCOPED_TRACE(layer);
        EXPECT_EQ(out.size(), step.outputs.size() + step.state.size());
        expect_bits(out, step.outputs, 0, false);
        expect_bits(out, step.state, 0, false);
      }
    }
  }
}

TEST_F(ApplyToFile, SequenceCarriesTheStateFromStepToStep) {
  for (const std::string& layer : model::norm_names()) {
    const auto tensors = sample_tensors(layer, {6, 4}, 3);
    const auto out = run({.layer = layer, .sequence = true}, tensors);
    const auto options = model::norm_options(layer);
    const auto inputs = eval_inputs("", tensors, options, model::Mode::training, true);
    auto state = inputs.state;
    SCOPED_TRACE(layer);
    for (std::size_t s = 0; s < 3; ++s) {
      auto step = norm::norm_step<double>(options, inputs.steps[s], state);
      expect_bits(out, step.outputs, s, true);
      expect_bits(out, step.state, s, true);
      state = std::move(step.state);
    }
  }
}

TEST_F(ApplyToFile, StateOfOneRunCanBeTheInputOfTheNext) {
  const auto both = sample_tensors("power_norm", {6, 4}, 2);
  const auto whole = run({.layer = "power_norm", .sequence = true}, both);
  const auto inputs = eval_inputs("", both, model::PowerNormOptions{}, model::Mode::training, true);
  std::vector<io::StoredTensor> state;
  for (const char* name : {"running_psi2", "nu", "iterations"}) state.push_back(named(both, name));
  std::vector<io::StoredTensor> out;
  for (const auto& step : inputs.steps) {
    std::vector<io::StoredTensor> tensors = state;
    const auto add = [&](const char* name, const normproof::ref::tensor::Tensor<double>& t) {
      tensors.push_back(io::make_tensor(name, normproof::ref::tensor::shape_of(t),
                                        std::span<const double>(t.data(), t.size())));
    };
    add("x", step.x);
    add("grad_y", step.grad_y);
    add("gamma", step.gamma);
    add("beta", step.beta);
    std::vector<double> valid(step.valid.begin(), step.valid.end());
    tensors.push_back(io::make_tensor("valid", {6}, std::span<const double>(valid)));
    out = run({.layer = "power_norm"}, tensors);
    state = {named(out, "running_psi2"), named(out, "nu"), named(out, "iterations")};
  }
  const auto& stacked = named(whole, "grad_x").bytes;
  const auto& last = named(out, "grad_x").bytes;
  ASSERT_EQ(stacked.size(), 2 * last.size());
  EXPECT_TRUE(std::equal(last.begin(), last.end(),
                         stacked.begin() + static_cast<std::ptrdiff_t>(last.size())));
}

TEST_F(ApplyToFile, OptionsAreUsedByTheLayer) {
  const auto tensors = sample_tensors("group_norm", {5, 4});
  const auto out =
      run({.layer = "group_norm", .settings = {{"eps", "0.25"}, {"groups", "2"}}}, tensors);
  const model::GroupNormOptions options{.eps = 0.25, .groups = 2};
  const auto inputs = eval_inputs("", tensors, options, model::Mode::training, false);
  expect_bits(out, norm::norm_step<double>(options, inputs.steps[0], inputs.state).outputs, 0,
              false);
}

// The 50-digit value must lie between the two ends, which may be at most two ulps apart.
TEST_F(ApplyToFile, IntervalEnclosesThe50DigitValueTightly) {
  for (const std::string& layer : model::norm_names()) {
    const auto tensors = sample_tensors(layer, {2, 3, 4}, 2);
    ApplyCommand command{.layer = layer, .sequence = true};
    const auto reference = run(command, tensors);
    command.scalar = ApplyArithmetic::oracle50;
    const auto oracle = run(command, tensors);
    command.scalar = ApplyArithmetic::interval;
    const auto enclosure = run(command, tensors);
    SCOPED_TRACE(layer);
    ASSERT_EQ(oracle.size(), reference.size());
    ASSERT_EQ(enclosure.size(), 3 * oracle.size());
    for (const auto& tensor : oracle) {
      const auto values = io::widen(tensor);
      const auto middle = io::widen(named(enclosure, tensor.name));
      const auto lower = io::widen(named(enclosure, tensor.name + "_lo"));
      const auto upper = io::widen(named(enclosure, tensor.name + "_hi"));
      ASSERT_EQ(named(enclosure, tensor.name + "_lo").shape, named(reference, tensor.name).shape);
      for (std::size_t i = 0; i < values.size(); ++i) {
        EXPECT_LE(lower[i], values[i]) << tensor.name;
        EXPECT_LE(values[i], upper[i]) << tensor.name;
        EXPECT_LE(lower[i], middle[i]) << tensor.name;
        EXPECT_LE(middle[i], upper[i]) << tensor.name;
        const double two_up = std::nextafter(std::nextafter(lower[i], HUGE_VAL), HUGE_VAL);
        EXPECT_LE(upper[i], two_up) << tensor.name;
      }
    }
  }
}

TEST_F(ApplyToFile, BytesAreTheSameForBothFormatsAndAnyNumberOfThreads) {
  const auto tensors = sample_tensors("batch_norm", {4, 700, 24});
  for (const char* suffix : {".npz", ".safetensors"}) {
    const ApplyCommand command{.layer = "batch_norm",
                               .in = folder_ / (std::string("in") + suffix),
                               .out = folder_ / (std::string("out") + suffix)};
    run(command, tensors);
    const std::string first = read_file(command.out);
    normproof::ref::numeric::set_num_threads(3);
    run(command, tensors);
    normproof::ref::numeric::set_num_threads(1);
    EXPECT_EQ(read_file(command.out), first);
  }
}

TEST_F(ApplyToFile, OverflowIsReportedAndTheFileIsStillWritten) {
  const std::vector<double> x = {1, 2, 4, 3}, gamma = {1, 1.7e308};
  const std::vector<io::StoredTensor> tensors = {
      io::make_tensor("x", {2, 2}, std::span<const double>(x)),
      io::make_tensor("gamma", {2}, std::span<const double>(gamma)),
      io::make_tensor("beta", {2}, std::span<const double>(gamma))};
  io::write_tensors(folder_ / "in.npz", tensors);
  const ApplyCommand command{
      .layer = "layer_norm", .in = folder_ / "in.npz", .out = folder_ / "out.npz"};
  EXPECT_THAT(apply_to_file(command),
              testing::Optional(HasSubstr("out.npz: y at [0, 1] is inf, though")));
  EXPECT_EQ(io::widen(named(io::read_tensors(command.out), "y")).size(), 4u);
}

TEST_F(ApplyToFile, RejectsOverwritingTheInput) {
  const auto tensors = sample_tensors("layer_norm", {2, 3});
  run({.layer = "layer_norm"}, tensors);
  const std::string before = read_file(folder_ / "in.npz");
  std::filesystem::create_symlink(folder_ / "in.npz", folder_ / "link.npz");
  std::filesystem::create_hard_link(folder_ / "in.npz", folder_ / "hard.npz");
  for (const char* out : {"in.npz", "link.npz", "hard.npz"}) {
    const ApplyCommand command{
        .layer = "layer_norm", .in = folder_ / "in.npz", .out = folder_ / out};
    EXPECT_THAT(error_message<UsageError>([&] { apply_to_file(command); }),
                HasSubstr("--in and --out name the same file"));
  }
  EXPECT_EQ(read_file(folder_ / "in.npz"), before);
}

TEST_F(ApplyToFile, InvalidOptionIsAUsageErrorForEveryLayer) {
  struct OptionSetting {
    const char* layer;
    const char* option;
    const char* value;
  };
  const std::vector<OptionSetting> settings = {
      {"layer_norm", "eps", "-1"},
      {"batch_norm", "eps", "-1"},
      {"batch_norm", "running_decay", "2"},
      {"group_norm", "groups", "3"},
      {"group_norm", "groups", "0"},
      {"group_scaling", "groups", "-4"},
      {"power_norm", "alpha_forward", "-0.5"},
      {"power_norm", "alpha_backward", "1.5"},
      {"power_norm", "warmup_iterations", "-1"},
      {"power_norm_released", "groups", "3"},
      {"power_norm_released", "group_eps", "-1"},
      {"batch_renorm", "r_max", "0.5"},
      {"batch_renorm", "d_max", "-1"},
      {"rms_norm", "eps", "-2"},
      {"scale_norm", "eps", "-2"},
      {"instance_norm", "eps", "-2"},
      {"power_norm_v", "running_decay", "-2"},
      {"layer_norm", "epsilon", "1"},
      {"layer_norm", "eps", "nan"},
      {"layer_norm", "eps", "1e-5x"},
      {"rms_norm", "storage", "float8"},
  };
  for (const auto& [layer, option, value] : settings) {
    EXPECT_THAT(([&, l = layer, o = option, v = value] {
                  run({.layer = l, .settings = {{o, v}}}, sample_tensors(l, {3, 4}));
                }),
                ThrowsMessage<UsageError>(
                    HasSubstr(std::string_view(option) == "group_eps" ? "eps" : option)))
        << layer;
  }
  EXPECT_THAT(([&] {
                run({.layer = "layer_nrm"}, sample_tensors("layer_norm", {3, 4}));
              }),
              ThrowsMessage<UsageError>(HasSubstr("did you mean 'layer_norm'?")));
  // A storage format is possible only in double.
  EXPECT_THAT(([&] {
                run({.layer = "rms_norm",
                     .scalar = ApplyArithmetic::interval,
                     .settings = {{"storage", "float16"}}},
                    sample_tensors("rms_norm", {3, 4}));
              }),
              ThrowsMessage<UsageError>(HasSubstr("storage")));
}

TEST_F(ApplyToFile, InvalidTensorIsAFileErrorWithFileTensorAndStep) {
  auto tensors = sample_tensors("layer_norm", {3, 4});
  tensors[3] = random_tensor("gamma", {5});
  EXPECT_THAT(([&] { run({.layer = "layer_norm"}, tensors); }),
              ThrowsMessage<FileError>(AllOf(
                  HasSubstr("in.npz: "), HasSubstr("gamma has shape [5]"), HasSubstr("expected"))));
  std::vector<double> x(16, 1.0);
  x[9] = std::nan("");
  EXPECT_THAT(([&] {
                run({.layer = "batch_norm", .sequence = true},
                    {io::make_tensor("x", {2, 4, 2}, std::span<const double>(x))});
              }),
              ThrowsMessage<FileError>(AllOf(HasSubstr("in.npz, step 2 of 2: "),
                                             HasSubstr("x has the element [0, 1] = nan"))));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out.npz"));
}

TEST_F(ApplyToFile, WrongSuffixIsAUsageError) {
  EXPECT_THROW(apply_to_file({.layer = "none", .in = folder_ / "x.csv", .out = folder_ / "y.npz"}),
               UsageError);
  io::write_tensors(folder_ / "in.npz", sample_tensors("none", {3, 4}));
  EXPECT_THROW(apply_to_file({.layer = "none", .in = folder_ / "in.npz", .out = folder_ / "y.txt"}),
               UsageError);
}

}  // namespace
}  // namespace normproof::tests::verification::cli::tools
