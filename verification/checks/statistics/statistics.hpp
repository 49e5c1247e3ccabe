#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "verification/checks/statistics/follow.hpp"
#include "verification/checks/statistics/slopes.hpp"

namespace normproof::verification::checks::statistics {

/// Sentences as lists of token ids, and the size of the vocabulary.
struct TokenizedCorpus {
  std::vector<std::vector<std::int32_t>> sequences;
  std::vector<int> labels;
  std::size_t vocab_size = 0;
  std::int32_t pad_id = 0;
};

struct StatisticsOptions {
  std::uint64_t seed = 1;
  std::size_t d_model = 64;
  /// The number of sentences per batch. A batch is as long as its longest sentence.
  std::size_t batch_size = 64;
  /// The number of batches. If the corpus has fewer, it is used for several epochs.
  std::size_t steps = 100;
  /// The standard deviation of the embedding's entries.
  double embedding_scale = 1;
  /// The number by which the [PAD] embedding is multiplied in the scenarios with a large [PAD].
  double large_pad = 8;
  /// The number of warm-up steps of power_norm_released.
  std::size_t warmup_steps = 10;
  /// The sequence length to which the published experiment pads sentences.
  std::size_t published_length = 512;
  /// The number of training steps at which bounds of the Lipschitz constants are computed.
  std::size_t sloped_steps = 3;
  /// The radius of a ball around each part of the batch (a row or a channel). The bound of the
  /// Lipschitz constant holds for all inputs in this ball.
  double slope_radius = 1;
};

struct CorpusFacts {
  std::size_t sentences = 0;
  std::size_t tokens = 0;   ///< including [CLS] and [SEP]
  std::size_t longest = 0;  ///< tokens of the longest sentence
  /// The fraction of padding that would result if every sentence were padded or cut to
  /// published_length.
  double published_pad_fraction = 0;
};

/// The size of a batch, and how much its statistics change if padding is included: ||s - t|| /
/// ||t||, where s is the statistic over all positions and t the statistic over real tokens.
struct BatchRecord {
  std::size_t sentences = 0;
  std::size_t seq_len = 0;
  std::size_t tokens = 0;
  double pad_fraction = 0;
  double mean_change = 0;
  double variance_change = 0;
  double quadratic_mean_change = 0;
};

struct RecordedScenario {
  Scenario scenario;
  bool is_power_norm = false;
  std::vector<RecordedStep> steps;
  StabilityReport stability;  ///< only set for a PowerNorm
  bool diverged = false;      ///< whether nu diverged; after that, nu is not recorded
};

struct Statistics {
  StatisticsOptions options;
  CorpusFacts corpus;
  std::vector<BatchRecord> batches = {};  ///< one per step
  std::vector<RecordedScenario> followed = {};
  /// Bounds of the Lipschitz constants, at `sloped_steps` steps that are evenly spaced from the
  /// first to the last.
  std::vector<LipschitzAtStep> slopes = {};
  /// Whether power_norm over real tokens gives the same bits in two runs: with the original [PAD]
  /// embedding, and with the [PAD] embedding multiplied by large_pad.
  bool padding_is_inert = true;
};

/// Returns the settings that are compared, in the order of Statistics::followed.
std::vector<Scenario> scenarios(const StatisticsOptions& options);

/// Runs batch_norm and power_norm over real batches of sentences, with random embeddings and
/// upstream gradients, and records their statistics. A norm layer that follows the embedding has
/// such inputs at the start of training.
///
/// Source    [SYG+20], figures 2 and 4; the batches as in docs/guide/formats.md, "Statistics"
/// Computes  each of scenarios(options) over the same batches; calls progress(step, steps) after
///           each step
/// Requires  (C1) steps >= 1; the preconditions of make_batches and make_embedding
/// Order     a function of (corpus, options): no bit depends on the number of threads
/// Throws    ContractError
Statistics collect_statistics(const TokenizedCorpus& corpus, const StatisticsOptions& options,
                              const std::function<void(std::size_t, std::size_t)>& progress = {});

/// Whether the run has an error. There are two kinds of errors: nu is unstable in a scenario whose
/// member `decides` is true, or padding changes the masked statistics.
bool has_error(const Statistics& statistics);

}  // namespace normproof::verification::checks::statistics
