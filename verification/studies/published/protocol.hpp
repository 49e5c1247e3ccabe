#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace normproof::verification::studies::published {

/// The faults of the published code, each a switch; all off: the corrected protocol.
struct Protocol {
  /// A row of the logits a position, position-major; row i = s B + b takes the label of the
  /// sentence floor(i / T).
  bool misaligned_labels = false;
  /// Only the first step of an epoch has dropout and batch statistics; the others run in inference,
  /// backward too.
  bool inference_stays_on = false;
  /// Lipschitz and smoothness by the published loop (curves.hpp).
  bool consecutive_probes = false;
  /// Padding is attended to and in every statistic; a row of the logits a position, padding too.
  bool no_padding_mask = false;
  /// A class weighs as many times as it has sentences, not its inverse.
  bool count_weights = false;
  /// No positions; weights and biases as the code draws them (docs/specification/study.md).
  bool published_model = false;

  bool operator==(const Protocol&) const = default;
};

/// Every fault on.
Protocol published_protocol();

/// "misaligned_labels", ...: in the order of the struct.
std::vector<std::string> fault_names();

/// How many are on.
std::size_t count_faults(const Protocol& protocol);

/// "corrected" and "published"; "corrected+misaligned_labels" with the faults that are on where
/// they are three or fewer, else "published-misaligned_labels" with those that are off.
std::string protocol_name(const Protocol& protocol);

/// Reads what protocol_name writes, and either form with any number of faults in any order.
/// Throws    UsageError with the nearest known name
Protocol parse_protocol(std::string_view name);

/// corrected, published, each fault alone, and all but each: fourteen.
std::vector<Protocol> standard_protocols();

}  // namespace normproof::verification::studies::published
