#include "verification/studies/published/curves.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "ref/numeric/real.hpp"
#include "tests/ref/encoder/encoders.hpp"
#include "tests/ref/numeric/error_message.hpp"
#include "tests/verification/checks/compare/scaled_bound.hpp"

namespace normproof::verification::studies::published {
namespace {

namespace model = ref::model;
namespace train = ref::train;
using ref::numeric::oracle50;
using ref::numeric::running_error;
using Gradients50 = train::Gradients<oracle50>;

/// A tiny encoder, a batch, and the training state after one step.
struct TinyRun {
  explicit TinyRun(const std::string& norm) {
    config.encoder = ref::encoder::small_config(norm, model::NormPlacement::post, 1);
    config.encoder.dropout = 0.25;
    config.learning_rate = 0.125;
    state = train::initial_train_state(config);
    train::train_step<double>(config, batches, {}, state);
  }
  ProbedBatch batch_to_probe(model::Mode mode = model::Mode::training) const {
    return {config, batches, mode};
  }

  model::TrainConfig config;
  std::vector<train::LabelledBatch> batches = {{ref::encoder::two_sentences(), {2, 0}, {}}};
  train::TrainState<double> state;
};

/// Returns the Euclidean norm of the difference `a - b` for every tensor.
std::vector<oracle50> compute_distances(const Gradients50& a, const Gradients50& b) {
  std::vector<oracle50> all;
  const auto add = [&](const auto& x, const auto& y) {
    oracle50 squares = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const oracle50 off = x.data()[i] - y.data()[i];
      squares += off * off;
    }
    all.push_back(sqrt(squares));
  };
  for (const auto& [name, values] : a.dense) add(values, b.dense.at(name));
  add(a.rows.at(0).second.values, b.rows.at(0).second.values);
  return all;
}

/// Adds `factor` times the gradients g to the parameters of the state.
void add_to(train::TrainState<oracle50>& state, const Gradients50& g, const oracle50& factor) {
  for (const auto& [name, values] : g.dense)
    for (std::size_t i = 0; i < values.size(); ++i)
      state.parameters.at(name).data()[i] += factor * values.data()[i];
  const auto& rows = g.rows.at(0).second;
  auto& embedding = state.parameters.at("embedding.weight");
  for (std::size_t r = 0; r < rows.rows.size(); ++r)
    for (std::size_t d = 0; d < embedding.shape(1); ++d)
      embedding(rows.rows[r], d) += factor * rows.values(r, d);
}

/// The expected results of the probes, computed by their definition at 50 digits. A probe moves the
/// parameters along the gradient and measures how the loss and the gradient change.
struct ExactProbes {
  std::vector<oracle50> losses, gradients;
};

ExactProbes exact_probes(const TinyRun& run, model::Mode mode, bool consecutive) {
  auto at = train::convert_state<oracle50>(run.state);
  const auto evaluate = [&] {
    return train::loss_gradient<oracle50>(run.config, run.batches, {}, at, {}, mode);
  };
  const auto first = evaluate();
  auto before = first;
  ExactProbes found;
  for (int k = 1; k <= 9; ++k) {
    const oracle50 alpha = k * (run.config.learning_rate / 10);
    if (consecutive) at.step = run.state.step + k * (std::int64_t{1} << 32);
    add_to(at, before.gradients, -alpha);
    const auto here = evaluate();
    found.losses.push_back(abs(before.loss - here.loss));
    oracle50 whole = 0, largest = 0;
    for (const oracle50& d : compute_distances(before.gradients, here.gradients)) {
      whole += d * d;
      largest = largest < d ? d : largest;
    }
    found.gradients.push_back(consecutive ? largest : sqrt(whole));
    add_to(at, first.gradients, alpha);
    if (consecutive) before = here;
  }
  return found;
}

/// Returns bound (5.1) of docs/error_analysis.md for this running error. It must be finite.
oracle50 finite_scaled_bound(const running_error& bound) {
  EXPECT_TRUE(std::isfinite(bound.error));
  const auto one = ref::tensor::full_tensor<running_error>({1}, bound);
  return oracle50(checks::compare::scaled_bound<oracle50>(one).data()[0]);
}

/// Returns a bound for the difference between two computations of the same norm. Each computation
/// has at most two roundings per element and six further roundings. The order of summation may
/// differ.
oracle50 norm_rounding_bound(const TinyRun& run, const oracle50& norm) {
  std::size_t elements = 0;
  for (const auto& [name, values] : run.state.parameters) elements += values.size();
  return ldexp(norm, -std::numeric_limits<oracle50>::digits) * (2 * (2 * elements + 6));
}

TEST(LossCurves, ProbedLossesMatchTheirDefinitionWithinTheDerivedBound) {
  for (const char* norm : {"layer_norm", "batch_norm", "power_norm"})
    for (const auto mode : {model::Mode::training, model::Mode::inference})
      for (const bool consecutive : {false, true}) {
        TinyRun run(norm);
        const std::string before = train::state_sha256(run.state);
        const auto probes =
            probe_loss<double>(run.batch_to_probe(mode), {}, run.state, consecutive);
        EXPECT_EQ(train::state_sha256(run.state), before);
        auto bounded_state = train::convert_state<running_error>(run.state);
        const auto bounded =
            probe_loss<running_error>(run.batch_to_probe(mode), {}, bounded_state, consecutive);
        const ExactProbes exact = exact_probes(run, mode, consecutive);
        auto exact_state = train::convert_state<oracle50>(run.state);
        const auto at_50_digits =
            probe_loss<oracle50>(run.batch_to_probe(mode), {}, exact_state, consecutive);
        ASSERT_EQ(probes.size(), 9u);
        for (std::size_t k = 0; k < 9; ++k) {
          if (consecutive) {  // all other operations are the same
            EXPECT_EQ(at_50_digits[k].loss_change, exact.losses[k]);
            EXPECT_LE(abs(at_50_digits[k].gradient_change - exact.gradients[k]),
                      norm_rounding_bound(run, exact.gradients[k]));
          } else {  // returns to W by adding what was subtracted
            EXPECT_LE(abs(at_50_digits[k].loss_change - exact.losses[k]),
                      finite_scaled_bound(bounded[k].loss_change));
            EXPECT_LE(abs(at_50_digits[k].gradient_change - exact.gradients[k]),
                      finite_scaled_bound(bounded[k].gradient_change));
          }
          const std::pair<double, running_error> of_loss{probes[k].loss_change,
                                                         bounded[k].loss_change};
          const std::pair<double, running_error> of_gradient{probes[k].gradient_change,
                                                             bounded[k].gradient_change};
          for (const auto& [pair, truth_of] :
               {std::pair{of_loss, exact.losses[k]}, std::pair{of_gradient, exact.gradients[k]}}) {
            EXPECT_EQ(pair.first, pair.second.value) << norm << " " << k;
            // The bound must be small enough to tell three digits of the value. If each probe
            // starts where the previous probe ended, the bound grows by a factor of ten thousand
            // per probe.
            constexpr double kThreeDigits = 1e-3;
            if (!consecutive || k < 2) {
              EXPECT_LT(pair.second.error, kThreeDigits * pair.first) << norm << " " << k;
            }
            EXPECT_LE(abs(truth_of - oracle50(pair.first)), oracle50(pair.second.error))
                << norm << " " << k;
          }
        }
      }
}

TEST(LossCurves, LossIsProbedAtTenthsOfTheLearningRate) {
  TinyRun run("none");
  run.config.learning_rate = 1e-4;
  const auto probes = probe_loss<double>(run.batch_to_probe(), {}, run.state, false);
  for (std::size_t k = 0; k < 9; ++k)
    EXPECT_EQ(probes[k].alpha, static_cast<double>(k + 1) * (1e-4 / 10));
}

TEST(LossCurves, PublishedProbesDrawNewDropoutMasks) {
  TinyRun run("none");
  run.config.learning_rate = 0;  // only the dropout changes
  for (const Probe<double>& probe : probe_loss<double>(run.batch_to_probe(), {}, run.state, false))
    EXPECT_EQ(probe.loss_change, 0);
  for (const Probe<double>& probe : probe_loss<double>(run.batch_to_probe(), {}, run.state, true))
    EXPECT_GT(probe.loss_change, 0);
  for (const Probe<double>& probe :
       probe_loss<double>(run.batch_to_probe(model::Mode::inference), {}, run.state, true))
    EXPECT_EQ(probe.loss_change, 0);
}

TEST(GradientDifference, C1_RejectsOtherTensorsOrRows) {
  TinyRun run("none");
  const auto found = train::loss_gradient<double>(run.config, run.batches, {}, run.state);
  auto other = found.gradients;
  other.rows[0].second.rows[0] += 1;
  const auto refusal = [&] {
    return ref::numeric::contract_message([&] { difference(found.gradients, other); });
  };
  EXPECT_EQ(refusal(), "difference: embedding.weight has other rows; expected the same rows (C1)");
  other = found.gradients;
  other.dense.set("more", ref::tensor::full_tensor<double>({1}, 0));
  EXPECT_EQ(refusal(), "difference: b has other tensors; expected those of a (C1)");
  other = found.gradients;
  other.rows.clear();
  EXPECT_EQ(refusal(), "difference: b has other tensors; expected those of a (C1)");
}

}  // namespace
}  // namespace normproof::verification::studies::published
