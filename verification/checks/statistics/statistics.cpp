#include "verification/checks/statistics/statistics.hpp"

#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <utility>

#include "ref/data/batching.hpp"
#include "ref/numeric/errors.hpp"
#include "verification/checks/statistics/embedding.hpp"

namespace normproof::verification::checks::statistics {

using ref::numeric::Clause;

namespace model = ref::model;
using ref::data::TokenBatch;
using ref::tensor::Mask;
using ref::tensor::NamedTensors;
using ref::tensor::Tensor;

namespace {

// Indices into the result of scenarios().
enum : std::size_t {
  kBatchNorm,
  kBatchNormPads,
  kPowerNorm,
  kPowerNormPads,
  kPowerNormLargePad,
};

CorpusFacts corpus_facts(const TokenizedCorpus& corpus, const StatisticsOptions& options) {
  CorpusFacts facts{.sentences = corpus.sequences.size()};
  std::size_t kept = 0;
  for (const auto& sequence : corpus.sequences) {
    facts.tokens += sequence.size();
    facts.longest = std::max(facts.longest, sequence.size());
    kept += std::min(sequence.size(), options.published_length);
  }
  const std::size_t positions = facts.sentences * options.published_length;
  facts.published_pad_fraction =
      static_cast<double>(positions - kept) / static_cast<double>(positions);
  return facts;
}

/// Returns one batch after the other, over as many epochs as needed.
class BatchStream {
 public:
  BatchStream(const TokenizedCorpus& corpus, const StatisticsOptions& options) : corpus_(corpus) {
    options_.batch_size = options.batch_size;
    options_.seed = options.seed;
    options_.pad_id = corpus.pad_id;
  }

  const TokenBatch& next() {
    if (position_ == epoch_.size()) {
      epoch_ = ref::data::make_batches(corpus_.sequences, corpus_.labels, options_);
      ++options_.epoch;
      position_ = 0;
    }
    return epoch_[position_++];
  }

 private:
  const TokenizedCorpus& corpus_;
  ref::data::BatchingOptions options_;
  std::vector<TokenBatch> epoch_;
  std::size_t position_ = 0;
};

double relative_change(const ScenarioRecorder& all, const ScenarioRecorder& tokens,
                       std::string_view name) {
  const auto& reference = tokens.last().outputs.at(name);
  return fluctuation(all.last().outputs.at(name), reference, reference).relative;
}

BatchRecord record_batch(const TokenBatch& batch, const std::vector<ScenarioRecorder>& followers) {
  BatchRecord record{.sentences = batch.batch_size, .seq_len = batch.seq_len};
  record.tokens = static_cast<std::size_t>(std::ranges::count(batch.valid, std::uint8_t{1}));
  record.pad_fraction = static_cast<double>(batch.valid.size() - record.tokens) /
                        static_cast<double>(batch.valid.size());
  const auto change = [&](std::size_t all, std::size_t tokens, std::string_view name) {
    return relative_change(followers[all], followers[tokens], name);
  };
  record.mean_change = change(kBatchNormPads, kBatchNorm, "mean");
  record.variance_change = change(kBatchNormPads, kBatchNorm, "biased_variance");
  record.quadratic_mean_change = change(kPowerNormPads, kPowerNorm, "quadratic_mean");
  return record;
}

bool same_bits(const Tensor<double>* a, const Tensor<double>* b) {
  if (a == nullptr || b == nullptr) return a == b;
  return ref::tensor::shape_of(*a) == ref::tensor::shape_of(*b) &&
         std::memcmp(a->data(), b->data(), a->size() * sizeof(double)) == 0;
}

bool have_same_statistics(const ScenarioRecorder& a, const ScenarioRecorder& b) {
  const auto same = [](const NamedTensors<double>& left, const NamedTensors<double>& right,
                       std::initializer_list<std::string_view> names) {
    return std::ranges::all_of(
        names, [&](std::string_view name) { return same_bits(left.find(name), right.find(name)); });
  };
  return same(a.last().outputs, b.last().outputs,
              {"quadratic_mean", "mean_x_hat_squared", "mean_g_x_hat"}) &&
         same(a.last().state, b.last().state, {"running_psi2", "nu"});
}

/// Whether bounds of the Lipschitz constants are computed at this step. The steps with such bounds
/// are evenly spaced from the first to the last step.
bool is_certified_step(std::size_t step, const StatisticsOptions& options) {
  const std::size_t count = std::min(options.sloped_steps, options.steps);
  for (std::size_t i = 0; i < count; ++i)
    if (step == 1 + (count == 1 ? 0 : i * (options.steps - 1) / (count - 1))) return true;
  return false;
}

}  // namespace

std::vector<Scenario> scenarios(const StatisticsOptions& options) {
  const model::BatchNormOptions batch_norm{.unbiased_running_variance = false};
  const model::PowerNormOptions power_norm;
  const model::PowerNormReleasedOptions released{
      .warmup_iterations = static_cast<std::int64_t>(options.warmup_steps)};
  model::PowerNormReleasedOptions unscaled = released;
  unscaled.group_scaling = false;
  const double large = options.large_pad;
  return {
      {"batch_norm", "BatchNorm, statistics over real tokens", batch_norm},
      {"batch_norm, padding counted", "BatchNorm, statistics over every position", batch_norm,
       false},
      {"power_norm", "PowerNorm as in the paper, statistics over real tokens", power_norm, true, 1,
       true},
      {"power_norm, padding counted", "PowerNorm as in the paper, without its mask", power_norm,
       false},
      {"power_norm, large [PAD]", "PowerNorm as in the paper; [PAD] is larger, and masked",
       power_norm, true, large},
      {"released", "PowerNorm as released: group scaling, padding in the backward", released, true,
       1, true},
      {"released, large [PAD]", "PowerNorm as released; [PAD] is larger", released, true, large},
      {"released, no group scaling", "PowerNorm as released, but without group scaling", unscaled},
      {"released, no group scaling, large [PAD]",
       "PowerNorm as released, but without group scaling; [PAD] is larger", unscaled, true, large},
  };
}

Statistics collect_statistics(const TokenizedCorpus& corpus, const StatisticsOptions& options,
                              const std::function<void(std::size_t, std::size_t)>& progress) {
  if (options.steps == 0) {
    ref::numeric::contract_failure("collect_statistics", "options.steps", "is 0", "at least 1",
                                   Clause::C1);
  }
  const EmbeddingTable table =
      make_embedding(options.seed, corpus.vocab_size, options.d_model, options.embedding_scale);
  BatchStream batches(corpus, options);
  std::vector<ScenarioRecorder> followers;
  for (Scenario& scenario : scenarios(options))
    followers.emplace_back(std::move(scenario), options.d_model);

  Statistics result{.options = options, .corpus = corpus_facts(corpus, options)};
  for (std::size_t step = 1; step <= options.steps; ++step) {
    const TokenBatch& batch = batches.next();
    const Tensor<double> x = embed(table, batch);
    const Tensor<double> large_pad_x = embed(table, batch, options.large_pad);
    const Tensor<double> grad_y = upstream_gradient(options.seed, step, batch, options.d_model);
    const Mask valid = valid_mask(batch);
    for (ScenarioRecorder& follower : followers)
      follower.step(follower.scenario().pad_scale == 1 ? x : large_pad_x, grad_y, valid);
    result.batches.push_back(record_batch(batch, followers));
    result.padding_is_inert =
        result.padding_is_inert &&
        have_same_statistics(followers[kPowerNorm], followers[kPowerNormLargePad]);
    if (is_certified_step(step, options))
      for (LipschitzAtStep& slope : bound_lipschitz_constants(
               step, x, valid, followers[kPowerNorm].before(), options.slope_radius))
        result.slopes.push_back(std::move(slope));
    if (progress) progress(step, options.steps);
  }
  for (const ScenarioRecorder& follower : followers) {
    RecordedScenario followed{
        follower.scenario(), follower.is_power_norm(), follower.steps(), {}, follower.diverged()};
    if (followed.is_power_norm) {
      std::vector<double> max_theta;
      for (const RecordedStep& step : followed.steps)
        if (step.recursion) max_theta.push_back(step.recursion->max_theta);
      followed.stability = judge_stability(max_theta);
    }
    result.followed.push_back(std::move(followed));
  }
  return result;
}

bool has_error(const Statistics& statistics) {
  const auto fails = [](const RecordedScenario& followed) {
    return followed.scenario.decides && followed.stability.stability == Stability::error;
  };
  return !statistics.padding_is_inert || std::ranges::any_of(statistics.followed, fails);
}

}  // namespace normproof::verification::checks::statistics
