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
  std::size_t count = 0;                           ///< of values
  std::string sha256;                              ///< see sha256_of
  std::optional<std::vector<std::uint64_t>> bits;  ///< absent where only the hash is kept
};

/// The bits of every probe, and where they were computed.
struct Recording {
  int contract = 0;                                              ///< numeric::kArithmeticContract
  std::vector<std::pair<std::string, std::string>> environment;  ///< empty where it is not kept
  std::vector<RecordedProbe> probes;                             ///< by name, ascending
};

/// SHA-256, in hexadecimal, of the values as little-endian numbers of 64 bits, one after the other.
std::string sha256_of(std::span<const std::uint64_t> bits);

/// Runs every probe on numeric::num_threads() threads with numeric::instruction_set(). `finished`
/// is told each probe's name and how many are done.
Recording record(const std::vector<Probe>& probes,
                 const std::function<void(const std::string&, std::size_t)>& finished = {});

/// The recording as JSON (docs/guide/formats.md): the same bytes for the same bits, the environment
/// apart.
std::string recording_json(const Recording& recording);

/// Throws    FileError naming `file`, the field and what was expected there: no JSON, another
///           format, a probe twice or out of order, a hash that is not that of the values beside it
Recording parse_recording(std::string_view json, const std::string& file);
Recording read_recording(const std::filesystem::path& file);

/// What the contract promises: the hashes of verification/checks/determinism/expected.json, which are part
/// of the program.
Recording expected_recording();

}  // namespace normproof::verification::checks::determinism
