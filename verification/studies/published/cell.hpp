#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "verification/studies/published/protocol.hpp"
#include "verification/training/run_config.hpp"

namespace normproof::verification::studies::published {

/// How long a batch is: as its longest sentence, or 512 tokens.
enum class Padding { longest, fixed_512 };

/// The padding of a protocol whose cell says nothing else: 512 where its name begins with
/// "published".
Padding default_padding(const Protocol& protocol);

/// One run of the study: independent of every other, and named by what it depends on.
struct Cell {
  Protocol protocol = {};
  Padding padding = Padding::longest;
  std::size_t layers = 1;
  std::size_t d_ff = 32;
  std::string norm = "layer_norm";    ///< of study_norms()
  std::string learning_rate = "0.1";  ///< as number_name writes it: "10", "1e-4"
  /// "": the protocol's; "uniform-0.1": every weight from U(-0.1, 0.1), or another limit.
  std::string initialization = "";
  std::uint64_t seed = 42;  ///< of the weights, the order of the batches and the dropouts
  std::size_t steps = 87;   ///< 0: the gradients of the first batch alone
  bool curves = false;      ///< Lipschitz and smoothness of the loss at every step
  bool dynamics = false;    ///< what every norm does at every step

  bool operator==(const Cell&) const = default;
};

/// "layer_norm", "batch_norm", "none", "power_norm", "power_norm_released", "power_norm_v",
/// "rms_norm", "layer_norm_pre", "dyt".
std::vector<std::string> study_norms();

/// "corrected/1x32/layer_norm/rate-0.5/seed-42", then, where they are not the default, "/longest"
/// or "/512", "/uniform-0.1", "/steps-20", "/curves" and "/dynamics".
std::string cell_name(const Cell& cell);

/// The one name of a number from 0 on: the fewest digits that read back to the same bits, from 0.1
/// to below 1e6 in positions, "0.5", else with an exponent, "1e-2".
std::string number_name(double number);

/// Reads what cell_name writes; the seed may be absent.
/// Throws    UsageError naming the part, with the nearest known name where there is one: no part
///           twice, and a rate or limit under its one name
Cell parse_cell(std::string_view name);

/// What is trained; vocab_size is the data's to say.
/// Computes  d_model 32, 8 heads, ReLU, dropout 0.1, batches of 64, SGD without momentum, a
///           constant rate. Corrected: positions, the mean of real tokens, weights N / (C n_c),
///           Xavier outside the feed-forward and Kaiming inside, biases 0
/// Throws    UsageError where the rate or the limit is no number, or the norm is not known
training::RunConfig config_of(const Cell& cell);

}  // namespace normproof::verification::studies::published
