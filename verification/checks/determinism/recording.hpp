#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "verification/checks/determinism/probe.hpp"

namespace normproof::verification::checks::determinism {

struct RecordedProbe {
  std::string name;
  std::size_t count = 0;                           ///< number of values
  std::string sha256;                              ///< see sha256_of
  std::optional<std::vector<std::uint64_t>> bits;  ///< absent if only the hash is stored
};

/// The values or hashes of every probe, and the environment in which they were computed.
struct Recording {
  int contract = 0;                                              ///< numeric::kArithmeticContract
  std::vector<std::pair<std::string, std::string>> environment;  ///< empty if it is not stored
  std::vector<RecordedProbe> probes;                             ///< sorted by name
};

/// Returns the SHA-256 of the values, stored as little-endian 64-bit numbers, in hexadecimal.
std::string sha256_of(std::span<const std::uint64_t> bits);

/// Runs every probe with the current number of threads and instruction set (numeric::num_threads()
/// and numeric::instruction_set()). Calls `finished` after each probe with its name and the number
/// of probes done.
Recording record(const std::vector<Probe>& probes,
                 const std::function<void(const std::string&, std::size_t)>& finished = {});

/// Returns the recording as JSON (docs/guide/formats.md). Two recordings with equal bits have equal
/// JSON, apart from the environment.
std::string recording_json(const Recording& recording);

/// Parses a recording.
/// Throws    FileError naming `file`, the field and the expectation, if the JSON is invalid or of
///           another format, if a probe is duplicate or unsorted, or if a hash does not match the
///           stored values
Recording parse_recording(std::string_view json, const std::string& file);
Recording read_recording(const std::filesystem::path& file);

/// Returns the recording that every machine must reproduce: the hashes of
/// verification/checks/determinism/expected.json, which is embedded in the program.
Recording expected_recording();

}  // namespace normproof::verification::checks::determinism
