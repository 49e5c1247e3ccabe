#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace normproof::verification::studies::published {

/// The faults of the published code. A training run can have each fault separately. Without any
/// fault, the protocol is the corrected one.
struct Protocol {
  /// Labels and logits are in different orders. The logits have one row per position, in
  /// position-major order: row i = s B + b is position s of sentence b, for B sentences. But row i
  /// is compared with the label of sentence floor(i / T), for T positions.
  bool misaligned_labels = false;
  /// Only the first step of an epoch is in training mode, with dropout and batch statistics. All
  /// other steps, including their backward pass, are in inference mode.
  bool inference_stays_on = false;
  /// The Lipschitz constant and the smoothness are measured by the published loop (curves.hpp).
  bool consecutive_probes = false;
  /// Padding is not masked: attention and every statistic include it, and the logits have one row
  /// per position.
  bool no_padding_mask = false;
  /// The weight of a class is its number of sentences, rather than the inverse of this number.
  bool count_weights = false;
  /// The model has no position encodings, and weights and biases are initialized as in the
  /// published code (docs/specification/study.md).
  bool published_model = false;

  bool operator==(const Protocol&) const = default;
};

/// Returns the protocol of the published code, which has every fault.
Protocol published_protocol();

/// Returns the names of the faults, "misaligned_labels", ..., in the order of the members of
/// Protocol.
std::vector<std::string> fault_names();

/// Returns the number of faults that the protocol has.
std::size_t count_faults(const Protocol& protocol);

/// Returns the name of a protocol: "corrected" without a fault, "published" with all faults. With
/// three or fewer faults, the name lists them: "corrected+misaligned_labels". With more, it lists
/// the faults that are absent: "published-misaligned_labels".
std::string protocol_name(const Protocol& protocol);

/// Parses the name of a protocol. The name has a form of protocol_name(), such as
/// "corrected+misaligned_labels" or "published-misaligned_labels". It may list any number of faults
/// in any order.
/// Throws    UsageError with the nearest known name
Protocol parse_protocol(std::string_view name);

/// Returns the fourteen standard protocols: the corrected one, the published one, the protocols
/// with a single fault, and the protocols with all faults except one.
std::vector<Protocol> standard_protocols();

}  // namespace normproof::verification::studies::published
