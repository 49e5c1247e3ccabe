#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "verification/checks/statistics/follow.hpp"
#include "verification/checks/statistics/slopes.hpp"

namespace normproof::verification::checks::statistics {

/// Sentences as ids, and the vocabulary that they are ids of.
struct TokenizedCorpus {
  std::vector<std::vector<std::int32_t>> sequences;
  std::vector<int> labels;
  std::size_t vocab_size = 0;
  std::int32_t pad_id = 0;
};

struct StatisticsOptions {
  std::uint64_t seed = 1;
  std::size_t d_model = 64;
  std::size_t batch_size = 64;         ///< sentences; each batch is as long as its longest one
  std::size_t steps = 100;             ///< epochs follow one another until this many are taken
  double embedding_scale = 1;          ///< standard deviation of the embedding's entries
  double large_pad = 8;                ///< the [PAD] embedding of the demonstrations, times this
  std::size_t warmup_steps = 10;       ///< of power_norm_released
  std::size_t published_length = 512;  ///< the length that the published experiment pads to
  std::size_t sloped_steps = 3;        ///< steps whose Lipschitz constants are certified
  double slope_radius = 1;             ///< of the ball around the batch, for each part of it
};

struct CorpusFacts {
  std::size_t sentences = 0;
  std::size_t tokens = 0;             ///< with [CLS] and [SEP]
  std::size_t longest = 0;            ///< tokens of the longest sentence
  double published_pad_fraction = 0;  ///< of positions, were every sentence padded to that length
};

/// One batch, and what counting its padding does to its statistics:
/// ||over all positions - over real tokens|| / ||over real tokens||.
struct BatchRecord {
  std::size_t sentences = 0;
  std::size_t seq_len = 0;
  std::size_t tokens = 0;
  double pad_fraction = 0;
  double mean_change = 0;
  double variance_change = 0;
  double quadratic_mean_change = 0;
};

struct Followed {
  Scenario scenario;
  bool is_power_norm = false;
  std::vector<FollowedStep> steps;
  StabilityReport stability;  ///< of PowerNorm
  bool diverged = false;      ///< its nu was followed no further
};

struct Statistics {
  StatisticsOptions options;
  CorpusFacts corpus;
  std::vector<BatchRecord> batches = {};  ///< one a step
  std::vector<Followed> followed = {};
  std::vector<Slope> slopes = {};  ///< of sloped_steps steps, from the first to the last
  /// power_norm over real tokens leaves the same bits behind whatever the [PAD] embedding is.
  bool padding_is_inert = true;
};

/// The layers that are followed, in the order of Statistics::followed.
std::vector<Scenario> scenarios(const StatisticsOptions& options);

/// Follows batch_norm and power_norm over real batches of sentences, with random embeddings and
/// upstream gradients: what a norm layer right behind the embedding meets at the start of training.
///
/// Source    [SYG+20], figures 2 and 4; the batches as in docs/guide/formats.md, "Statistics"
/// Computes  scenarios(options), each over the same batches; `progress` is told (step, steps)
/// Requires  (C1) steps >= 1; those of make_batches and make_embedding
/// Order     a function of (corpus, options): no bit depends on the number of threads
/// Throws    ContractError
Statistics collect_statistics(const TokenizedCorpus& corpus, const StatisticsOptions& options,
                              const std::function<void(std::size_t, std::size_t)>& progress = {});

/// True where a scenario that decides is unstable, or padding leaks into masked statistics.
bool has_error(const Statistics& statistics);

}  // namespace normproof::verification::checks::statistics
