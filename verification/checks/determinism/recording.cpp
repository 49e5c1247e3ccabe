#include "verification/checks/determinism/recording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "ref/io/atomic_file.hpp"
#include "ref/io/json_reader.hpp"
#include "ref/io/sha256.hpp"
#include "ref/numeric/contract_version.hpp"
#include "verification/checks/determinism/environment.hpp"
#include "verification/checks/determinism/expected.hpp"

namespace normproof::verification::checks::determinism {

using nlohmann::json;
using nlohmann::ordered_json;
using ref::io::JsonReader;

namespace {

constexpr const char* kFormat = "normproof-determinism-1";
constexpr std::string_view kHexDigits = "0123456789abcdef";

bool is_hex(std::string_view text, std::size_t length) {
  return text.size() == length && text.find_first_not_of(kHexDigits) == std::string_view::npos;
}

std::vector<std::uint64_t> parse_bits(const JsonReader& reader, const std::string& field,
                                      std::string_view text) {
  std::vector<std::uint64_t> bits;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::string_view word =
        text.substr(begin, std::min(text.find(' ', begin), text.size()) - begin);
    if (!is_hex(word, 16)) {
      reader.fail(field, fmt::format("has no 16 hexadecimal digits at value {}", bits.size()),
                  "16 digits a value and single spaces between them");
    }
    bits.push_back(std::stoull(std::string(word), nullptr, 16));
    begin += word.size() + 1;
    if (begin == text.size()) reader.fail(field, "ends with a space", "a value at its end");
  }
  return bits;
}

RecordedProbe parse_probe(const JsonReader& reader, const json& stored, std::size_t index) {
  const std::string field = fmt::format("probes[{}]", index);
  if (!stored.is_object())
    reader.fail(field, fmt::format("is a {}", stored.type_name()), "an object");
  RecordedProbe probe;
  probe.name = reader.text(stored, field + ".name", "name");
  const bool plain =
      !probe.name.empty() &&
      probe.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_/") == std::string::npos;
  if (!plain) {
    reader.fail(field + ".name", "is not the name of a probe",
                "lower-case letters, digits, '_' and '/'");
  }
  probe.count = reader.whole(stored, field + ".count", "count");
  probe.sha256 = reader.sha256(stored, field + ".sha256", "sha256");
  if (!stored.contains("values")) return probe;
  probe.bits =
      parse_bits(reader, field + ".values", reader.text(stored, field + ".values", "values"));
  if (probe.bits->size() != probe.count) {
    reader.fail(field + ".count", fmt::format("is {}", probe.count),
                fmt::format("the number of its values, {}", probe.bits->size()));
  }
  const std::string sha256 = sha256_of(*probe.bits);
  if (sha256 != probe.sha256) {
    reader.fail(field + ".sha256", fmt::format("is {}", probe.sha256),
                fmt::format("that of its values, {}", sha256));
  }
  return probe;
}

}  // namespace

std::string sha256_of(std::span<const std::uint64_t> bits) {
  std::vector<std::byte> bytes;
  bytes.reserve(8 * bits.size());
  for (const std::uint64_t value : bits)
    for (int shift = 0; shift < 64; shift += 8)
      bytes.push_back(static_cast<std::byte>(value >> shift & 0xff));
  return ref::io::sha256(bytes);
}

Recording record(const std::vector<Probe>& probes,
                 const std::function<void(const std::string&, std::size_t)>& finished) {
  Recording recording{
      .contract = ref::numeric::kArithmeticContract, .environment = environment(), .probes = {}};
  for (const Probe& probe : probes) {
    Values values;
    probe.run(values);
    recording.probes.push_back(
        {probe.name, values.bits().size(), sha256_of(values.bits()), values.bits()});
    if (finished) finished(probe.name, recording.probes.size());
  }
  return recording;
}

std::string recording_json(const Recording& recording) {
  ordered_json stored;
  stored["format"] = kFormat;
  stored["contract"] = recording.contract;
  for (const auto& [name, value] : recording.environment) stored["environment"][name] = value;
  stored["probes"] = ordered_json::array();
  for (const RecordedProbe& probe : recording.probes) {
    ordered_json entry = {{"name", probe.name}, {"count", probe.count}, {"sha256", probe.sha256}};
    if (probe.bits) {
      std::string text;
      for (const std::uint64_t bits : *probe.bits)
        fmt::format_to(std::back_inserter(text), "{}{:016x}", text.empty() ? "" : " ", bits);
      entry["values"] = std::move(text);
    }
    stored["probes"].push_back(std::move(entry));
  }
  return stored.dump(1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

Recording parse_recording(std::string_view text, const std::string& file) {
  const JsonReader reader(file);
  const json stored = reader.parse(text, "what 'normproof determinism --json' writes");
  const std::string format = reader.text(stored, "format", "format");
  if (format != kFormat) reader.fail("format", "is another one", fmt::format("'{}'", kFormat));
  Recording recording;
  const std::uint64_t contract = reader.whole(stored, "contract", "contract");
  if (contract < 1 || contract > 1'000'000)
    reader.fail("contract", fmt::format("is {}", contract), "a version from 1 on");
  recording.contract = static_cast<int>(contract);
  if (stored.contains("environment")) {
    const json& entries = reader.object(stored, "environment", "environment");
    for (const auto& [name, value] : entries.items())
      recording.environment.emplace_back(name,
                                         reader.text(entries, "environment." + name, name.c_str()));
  }
  const json& probes = reader.array(stored, "probes", "probes");
  for (const json& entry : probes) {
    const std::size_t index = recording.probes.size();
    RecordedProbe probe = parse_probe(reader, entry, index);
    if (index > 0 && probe.name <= recording.probes.back().name) {
      reader.fail(fmt::format("probes[{}].name", index), fmt::format("is '{}'", probe.name),
                  fmt::format("a name after '{}'", recording.probes.back().name));
    }
    recording.probes.push_back(std::move(probe));
  }
  if (recording.probes.empty()) reader.fail("probes", "has no entry", "at least one");
  return recording;
}

Recording read_recording(const std::filesystem::path& file) {
  return parse_recording(ref::io::read_text(file), file.string());
}

Recording expected_recording() {
  return parse_recording(kExpectedJson, "verification/checks/determinism/expected.json");
}

}  // namespace normproof::verification::checks::determinism
