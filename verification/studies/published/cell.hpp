#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "verification/studies/published/protocol.hpp"
#include "verification/training/run_config.hpp"

namespace normproof::verification::studies::published {

/// The length of a batch: that of its longest sentence, or 512 tokens.
enum class Padding { longest, fixed_512 };

/// Returns the padding that a protocol has if the cell does not say it: 512 tokens if the
/// protocol's name begins with "published".
Padding default_padding(const Protocol& protocol);

/// One training run of the study. Runs are independent of each other, and a run's name lists
/// everything it depends on.
struct Cell {
  Protocol protocol = {};
  Padding padding = Padding::longest;
  std::size_t layers = 1;
  std::size_t d_ff = 32;
  std::string norm = "layer_norm";    ///< one of study_norms()
  std::string learning_rate = "0.1";  ///< as number_name writes it: "10", "1e-4"
  /// The initialization: "" is that of the protocol; "uniform-0.1" draws every weight from U(-0.1,
  /// 0.1), and likewise for other limits.
  std::string initialization = "";
  std::uint64_t seed = 42;  ///< seed of the weights, the order of the batches and the dropout
  std::size_t steps = 87;   ///< number of training steps; 0: only the gradients of the first batch
  /// Whether to measure the loss's Lipschitz constant and smoothness at every step.
  bool curves = false;
  bool dynamics = false;  ///< whether to record the statistics of every norm at every step

  bool operator==(const Cell&) const = default;
};

/// Returns the names of the norms in the study: "layer_norm", "batch_norm", "none", "power_norm",
/// "power_norm_released", "power_norm_v", "rms_norm", "layer_norm_pre", "dyt".
std::vector<std::string> study_norms();

/// Returns the name of a cell, such as "corrected/1x32/layer_norm/rate-0.5/seed-42". Values that
/// differ from the default are appended: "/longest" or "/512", "/uniform-0.1", "/steps-20",
/// "/curves", "/dynamics".
std::string cell_name(const Cell& cell);

/// Returns the unique name of a number >= 0: the fewest digits that read back to the same bits,
/// from 0.1 to below 1e6 without an exponent ("0.5"), otherwise with one ("1e-2").
std::string number_name(double number);

/// Parses a name written by cell_name. The seed may be missing.
/// Throws    UsageError naming the part, with the nearest known name if there is one. A part must
///           not occur twice, and a rate or limit must be written as number_name writes it
Cell parse_cell(std::string_view name);

/// Returns the training configuration of a cell. vocab_size is left to the data.
///
/// Computes  d_model 32, 8 heads, ReLU, dropout 0.1, batches of 64, SGD without momentum, a
///           constant rate. The corrected protocol has positions, the mean of real tokens, class
///           weights N / (C n_c), Xavier initialization outside the feed-forward and Kaiming
///           inside, biases 0
/// Throws    UsageError if the rate or the limit is not a number, or the norm is unknown
training::RunConfig config_of(const Cell& cell);

}  // namespace normproof::verification::studies::published
