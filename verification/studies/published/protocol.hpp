#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace normproof::verification::studies::published {

/// The faults of the published code, each as a switch. With all off it is the corrected protocol.
struct Protocol {
  /// The logits have one row per position in position-major order, but row i = s B + b is compared
  /// with the label of sentence floor(i / T).
  bool misaligned_labels = false;
  /// Only the first step of an epoch has dropout and batch statistics; the others run in inference
  /// mode, their backward too.
  bool inference_stays_on = false;
  /// The Lipschitz constant and smoothness come from the published loop (curves.hpp).
  bool consecutive_probes = false;
  /// Padding is attended to, counts in every statistic, and has rows in the logits, which have one
  /// row per position.
  bool no_padding_mask = false;
  /// A class is weighted by its number of sentences instead of its inverse.
  bool count_weights = false;
  /// There are no positions, and weights and biases are drawn as in the published code
  /// (docs/specification/study.md).
  bool published_model = false;

  bool operator==(const Protocol&) const = default;
};

/// Returns the protocol with every fault on.
Protocol published_protocol();

/// Returns the names of the faults, "misaligned_labels", ..., in the order of the struct.
std::vector<std::string> fault_names();

/// Returns the number of faults that are on.
std::size_t count_faults(const Protocol& protocol);

/// Returns the name of a protocol: "corrected", "published", "corrected+misaligned_labels" with the
/// faults that are on if they are three or fewer, else "published-misaligned_labels" with those
/// that are off.
std::string protocol_name(const Protocol& protocol);

/// Parses a name of either form, with any number of faults in any order.
/// Throws    UsageError with the nearest known name
Protocol parse_protocol(std::string_view name);

/// Returns fourteen protocols: corrected, published, each fault alone, and all faults but one.
std::vector<Protocol> standard_protocols();

}  // namespace normproof::verification::studies::published
