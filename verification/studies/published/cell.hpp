#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "verification/studies/published/protocol.hpp"
#include "verification/training/run_config.hpp"

namespace normproof::verification::studies::published {

/// The length in tokens to which a batch is padded. With `longest`, it is the length of the longest
/// sentence of the batch. With `fixed_512`, it is 512.
enum class Padding { longest, fixed_512 };

/// Returns the padding of the training runs of a protocol whose names do not specify a padding. It
/// is fixed_512 if the protocol's name begins with "published".
Padding default_padding(const Protocol& protocol);

/// A cell: one training run of the study. Training runs are independent of each other. The name of
/// a training run contains every setting on which it depends.
struct Cell {
  Protocol protocol = {};
  Padding padding = Padding::longest;
  std::size_t layers = 1;
  std::size_t d_ff = 32;
  std::string norm = "layer_norm";    ///< one of study_norms()
  std::string learning_rate = "0.1";  ///< in the form of number_name(), such as "10" or "1e-4"
  /// The initialization of the weights. If it is "", the protocol decides. If it is "uniform-0.1",
  /// every weight is drawn from the uniform distribution on (-0.1, 0.1). Other limits are possible.
  std::string initialization = "";
  /// Seed of the initial weights, the order of the batches and the dropout.
  std::uint64_t seed = 42;
  /// Number of training steps. If it is 0, the run only computes the gradients of the first batch.
  std::size_t steps = 87;
  /// Whether to measure the Lipschitz constant and the smoothness of the loss at every step.
  bool curves = false;
  bool dynamics = false;  ///< whether to record statistics of every norm layer at every step

  bool operator==(const Cell&) const = default;
};

/// Returns the names of the norms in the study: "layer_norm", "batch_norm", "none", "power_norm",
/// "power_norm_released", "power_norm_v", "rms_norm", "layer_norm_pre", "dyt".
std::vector<std::string> study_norms();

/// Returns the name of a training run, such as "corrected/1x32/layer_norm/rate-0.5/seed-42".
/// Settings that differ from their default are appended: "/longest" or "/512", "/uniform-0.1",
/// "/steps-20", "/curves", "/dynamics".
std::string cell_name(const Cell& cell);

/// Returns the unique text of a number >= 0 in names of training runs. It has the fewest digits
/// that read back to the same bits. A number from 0.1 to below 1e6 has no exponent ("0.5"). Every
/// other number has an exponent ("1e-2").
std::string number_name(double number);

/// Parses the name of a training run, as written by cell_name(). The seed may be missing.
/// Throws    UsageError that names the invalid part and suggests the nearest known name if there is
///           one. A part must not occur twice. A learning rate or limit must have the form of
///           number_name()
Cell parse_cell(std::string_view name);

/// Returns the training configuration of a training run, except for vocab_size, which depends on
/// the data.
///
/// Computes  d_model 32, 8 heads, ReLU, dropout 0.1, batches of 64 sentences, SGD without momentum,
///           a constant learning rate. In the corrected protocol, the model adds position encodings
///           and pools by the mean over the tokens that are not padding. The weight of class c is
///           `N / (C n_c)` for N sentences, C classes and n_c sentences of class c. Weights of the
///           feed-forward sublayers have Kaiming initialization, all other weights have Xavier
///           initialization. Biases are 0
/// Throws    UsageError if the rate or the limit is not a number, or the norm is unknown
training::RunConfig make_run_config(const Cell& cell);

}  // namespace normproof::verification::studies::published
