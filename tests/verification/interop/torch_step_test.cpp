#include "tests/verification/interop/torch_step.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <span>

#include "ref/io/atomic_file.hpp"
#include "ref/io/tensor_file.hpp"
#include "tests/ref/encoder/encoders.hpp"
#include "tests/ref/io/temporary_folder.hpp"
#include "tests/verification/checks/compare/expect.hpp"

// Compares a training step of torch.nn.TransformerEncoder with autograd, run by
// verification/interop/torch_step.py, with a step of ref/train. The environment variable
// NORMPROOF_INTEROP_PYTHON names another interpreter than /usr/bin/python3.
namespace normproof::verification::interop {
namespace {

using ref::model::Activation;
using ref::model::NormPlacement;

/// Returns a step in which all extents differ. Its sentences have seven, three and one tokens.
StepInputs make_small_step_inputs(NormPlacement placement, Activation activation,
                                  std::size_t num_layers) {
  StepInputs question;
  ref::model::EncoderConfig& e = question.config.encoder;
  e = ref::encoder::small_config("layer_norm", placement, num_layers);
  e.vocab_size = 11;
  e.d_model = 12;
  e.num_heads = 3;
  e.d_ff = 20;
  e.activation = activation;
  e.scaled_embedding = num_layers == 2;
  question.config.optimizer = ref::model::SgdOptions{};
  question.config.learning_rate = 0.125;
  question.batch.inputs.tokens = {
      3, 7, {1, 4, 2, 9, 9, 3, 2, 1, 5, 2, 0, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0}};
  question.batch.inputs.valid = ref::tensor::Mask{{true, true, true, true, true, true, true},
                                                  {true, true, true, false, false, false, false},
                                                  {true, false, false, false, false, false, false}};
  question.batch.labels = {2, 0, 1};
  question.parameters = ref::encoder::random_parameters<double>(e);
  return question;
}

class TorchStepOfTraining : public ::testing::Test {
 protected:
  /// Runs torch_step.py and stores its answers to all questions. If the script has no answers,
  /// `answers_` is empty and the test is skipped or fails.
  void run_torch_step(const std::vector<StepInputs>& questions) {
    const char* const other = std::getenv("NORMPROOF_INTEROP_PYTHON");
    std::string command =
        fmt::format("PYTHONDONTWRITEBYTECODE=1 '{}' '{}/verification/interop/torch_step.py'",
                    other != nullptr ? other : "/usr/bin/python3", NORMPROOF_SOURCE_DIR);
    for (std::size_t i = 0; i < questions.size(); ++i) {
      const auto folder = folder_ / std::to_string(i);
      write_step_inputs(folder, questions[i]);
      command += fmt::format(" '{}'", folder.string());
    }
    const auto said = folder_ / "said";
    const int status = std::system(fmt::format("({}) > '{}' 2>&1", command, said.string()).c_str());
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    const std::string text = ref::io::read_text(said);
    if (code == 77 || code == 127) GTEST_SKIP() << text;
    ASSERT_EQ(code, 0) << text;
    for (std::size_t i = 0; i < questions.size(); ++i)
      answers_.push_back(ref::io::read_tensors(folder_ / std::to_string(i) / "answers.npz"));
  }

  tests::ref::io::TemporaryFolder folder_;
  std::vector<std::vector<ref::io::StoredTensor>> answers_;
};

std::ptrdiff_t count_tensors_outside_bounds(const std::vector<TensorComparison>& judgements) {
  return std::ranges::count_if(judgements,
                               [](const TensorComparison& j) { return !j.comparison.passed; });
}

/// Returns the largest absolute value of the elements.
template <class T>
double largest(const Tensor<T>& values) {
  double most = 0;
  for (const T& v : values) most = std::max(most, std::fabs(ref::numeric::to_double(v)));
  return most;
}

/// Expects every tensor of the answer to be within its bound. Prints two numbers: the largest ratio
/// of an error to its bound, and the largest ratio of a tensor's widest bound to its largest
/// element.
void expect_within_bounds(const std::string& what, const std::vector<ref::io::StoredTensor>& answer,
                          const ExpectedStep& expected) {
  double share = 0, width = 0;
  for (const auto& [name, comparison] : judge(answer, expected)) {
    EXPECT_WITHIN(comparison) << what << " " << name;
    share = std::max(share, comparison.worst_ratio);
    width = std::max(width, largest(expected.bounds.at(name)) / largest(expected.exact.at(name)));
  }
  std::cout << fmt::format("{}: share of the bound {:.2g}, widest bound {:.2g}\n", what, share,
                           width);
}

TEST_F(TorchStepOfTraining, IsWithinTheBoundsInLossGradientsAndParameters) {
  std::vector<StepInputs> questions;
  for (const auto placement : {NormPlacement::post, NormPlacement::pre})
    for (const auto activation : {Activation::relu, Activation::gelu})
      for (const std::size_t num_layers : {1, 2, 6})
        questions.push_back(make_small_step_inputs(placement, activation, num_layers));
  run_torch_step(questions);
  for (std::size_t i = 0; i < answers_.size(); ++i) {
    const ref::model::EncoderConfig& e = questions[i].config.encoder;
    const std::string what =
        fmt::format("{} {} {}", e.placement == NormPlacement::post ? "post" : "pre",
                    e.activation == Activation::relu ? "relu" : "gelu", e.num_layers);
    expect_within_bounds(what + " in parts", answers_[i],
                         compute_expected_parts(questions[i], answers_[i]));
    // With two layers, the bound of the whole step is as large as the gradients
    // (docs/guide/interop.md).
    if (e.num_layers <= 2)
      expect_within_bounds(what, answers_[i], compute_expected_step(questions[i]));
  }
}

/// Returns the first row of the queries (part 0), the keys (1) or the values (2) in the parameter
/// `name`.
double* find_first_projection_row(StepInputs& question, const char* name, std::size_t part) {
  auto& values = question.parameters.at(name);
  return values.data() + part * (values.size() / 3);
}

/// An injected mistake: PyTorch gets another model than the reference.
struct Mistake {
  const char* name;
  void (*make)(StepInputs&);
};
constexpr const char* kInWeight = "layers.0.attention.in.weight";
constexpr const char* kInBias = "layers.0.attention.in.bias";
const Mistake kMistakes[] = {
    {"queries and keys swapped",
     [](StepInputs& q) {
       for (const char* const name : {kInWeight, kInBias})
         std::swap_ranges(find_first_projection_row(q, name, 0),
                          find_first_projection_row(q, name, 1),
                          find_first_projection_row(q, name, 1));
     }},
    {"1/sqrt(d_k) left out",  // d_k is 4
     [](StepInputs& q) {
       for (const char* const name : {kInWeight, kInBias})
         std::for_each(find_first_projection_row(q, name, 0), find_first_projection_row(q, name, 1),
                       [](double& v) { v *= 2; });
     }},
    {"heads of another size", [](StepInputs& q) { q.config.encoder.num_heads = 2; }},
    {"padding attended to and pooled",
     [](StepInputs& q) {
       for (bool& v : q.batch.inputs.valid) v = true;
     }},
    {"another eps",
     [](StepInputs& q) { q.config.encoder.norm = ref::model::LayerNormOptions{.eps = 1e-6}; }},
    {"tanh for erf", [](StepInputs& q) { q.config.encoder.activation = Activation::gelu_tanh; }},
    {"norms in each other's place",
     [](StepInputs& q) {
       for (const char* const name : {"gamma", "beta"})
         std::swap(q.parameters.at(fmt::format("layers.0.norm1.{}", name)),
                   q.parameters.at(fmt::format("layers.0.norm2.{}", name)));
     }},
    {"a label", [](StepInputs& q) { q.batch.labels[1] = 1; }}};

TEST_F(TorchStepOfTraining, StepOfAnotherModelIsOutsideTheBounds) {
  for (const auto placement : {NormPlacement::post, NormPlacement::pre}) {
    const StepInputs question = make_small_step_inputs(placement, Activation::gelu, 1);
    std::vector<StepInputs> wrong;
    for (const Mistake& mistake : kMistakes) mistake.make(wrong.emplace_back(question));
    answers_.clear();
    run_torch_step(wrong);
    const ExpectedStep expected = compute_expected_step(question);
    for (std::size_t i = 0; i < answers_.size(); ++i) {
      EXPECT_GT(count_tensors_outside_bounds(judge(answers_[i], expected)), 0) << kMistakes[i].name;
      EXPECT_GT(count_tensors_outside_bounds(
                    judge(answers_[i], compute_expected_parts(question, answers_[i]))),
                0)
          << kMistakes[i].name << ", in parts";
    }
  }
}

TEST_F(TorchStepOfTraining, StepWithOneWrongNumberIsOutsideTheBounds) {
  const std::vector<StepInputs> questions = {
      make_small_step_inputs(NormPlacement::pre, Activation::relu, 2)};
  run_torch_step(questions);
  if (answers_.empty()) return;
  const ExpectedStep expected = compute_expected_parts(questions[0], answers_[0]);
  for (auto& tensor : answers_[0]) {
    const auto right = tensor;
    std::vector<double> values = ref::io::widen(tensor);
    const auto most = std::ranges::max_element(values, {}, [](double v) { return std::fabs(v); });
    *most *= 1 + 0x1p-20;
    tensor = ref::io::make_tensor(right.name, right.shape, std::span<const double>(values));
    EXPECT_EQ(count_tensors_outside_bounds(judge(answers_[0], expected)), 1) << right.name;
    tensor = right;
  }
  answers_[0].pop_back();
  EXPECT_EQ(count_tensors_outside_bounds(judge(answers_[0], expected)), 1);
}

}  // namespace
}  // namespace normproof::verification::interop
