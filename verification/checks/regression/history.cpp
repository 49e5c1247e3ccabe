#include "verification/checks/regression/history.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "ref/io/atomic_file.hpp"
#include "ref/io/file_failure.hpp"
#include "ref/io/json_reader.hpp"
#include "ref/io/sha256.hpp"
#include "ref/io/tensor_file.hpp"
#include "ref/numeric/errors.hpp"
#include "verification/golden/certify/manifest.hpp"
#include "verification/support/process/file_lock.hpp"
#include "verification/support/process/lines.hpp"

namespace normproof::verification::checks::regression {

namespace fs = std::filesystem;
using nlohmann::json;
using nlohmann::ordered_json;
using ref::io::file_failure;
using ref::io::JsonReader;

namespace {

constexpr const char* kLineFormat = "normproof-regression-1";
constexpr const char* kResultsFormat = "normproof-regression-cases-1";
constexpr const char* kWritten = "what 'normproof regress record' writes";

ordered_json number_json(double x) {
  return std::isinf(x) ? ordered_json("inf") : ordered_json(x);
}

ordered_json error_json(const ErrorStatistics& error) {
  return {{"judged", error.judged},
          {"max_ulp", number_json(error.max_ulp)},
          {"mean_ulp", number_json(error.mean_ulp)},
          {"max_share", number_json(error.max_share)},
          {"mean_share", number_json(error.mean_share)}};
}

double parse_error_number(const JsonReader& reader, const json& object, const std::string& field,
                          const char* key) {
  const auto found = object.find(key);
  if (found != object.end() && *found == "inf") return std::numeric_limits<double>::infinity();
  const double number = reader.number(object, field, key);
  if (number < 0) reader.fail(field, fmt::format("is {}", number), "a number from 0 on");
  return number;
}

ErrorStatistics parse_error(const JsonReader& reader, const json& parent,
                            const std::string& field) {
  const json& object = reader.object(parent, field, "error");
  const auto number = [&](const char* key) {
    return parse_error_number(reader, object, fmt::format("{}.{}", field, key), key);
  };
  return {reader.whole(object, field + ".judged", "judged"), number("max_ulp"), number("mean_ulp"),
          number("max_share"), number("mean_share")};
}

std::string format_line(const Recording& recording) {
  ordered_json stored = {
      {"format", kLineFormat}, {"label", recording.label}, {"candidate", recording.candidate}};
  stored["environment"] = ordered_json::object();
  for (const auto& [name, value] : recording.environment) stored["environment"][name] = value;
  stored["cases"] = recording.cases;
  stored["answered"] = recording.answered;
  stored["outputs"] = recording.outputs;
  stored["layers"] = ordered_json::array();
  for (const LayerError& layer : recording.layers)
    stored["layers"].push_back({{"layer", layer.layer}, {"error", error_json(layer.error)}});
  stored["results"] = recording.results_sha256;
  return stored.dump(-1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

Recording parse_line(const std::string& file, std::string_view line) {
  const JsonReader reader(file);
  const json stored = reader.parse(line, kWritten);
  if (reader.text(stored, "format", "format") != kLineFormat)
    reader.fail("format", "is another one", fmt::format("'{}'", kLineFormat));
  Recording recording;
  recording.label = reader.text(stored, "label", "label");
  recording.candidate = reader.text(stored, "candidate", "candidate");
  const json& entries = reader.object(stored, "environment", "environment");
  for (const auto& [name, value] : entries.items())
    recording.environment.emplace_back(name,
                                       reader.text(entries, "environment." + name, name.c_str()));
  recording.cases = reader.whole(stored, "cases", "cases");
  recording.answered = reader.whole(stored, "answered", "answered");
  recording.outputs = reader.whole(stored, "outputs", "outputs");
  for (const json& entry : reader.array(stored, "layers", "layers")) {
    const std::string field = fmt::format("layers[{}]", recording.layers.size());
    if (!entry.is_object()) reader.fail(field, "is no object", "a layer");
    recording.layers.push_back({reader.text(entry, field + ".layer", "layer"),
                                parse_error(reader, entry, field + ".error")});
  }
  recording.results_sha256 = reader.sha256(stored, "results", "results");
  return recording;
}

std::string results_json(const std::vector<RecordedCase>& cases) {
  ordered_json stored = {{"format", kResultsFormat}};
  stored["cases"] = ordered_json::array();
  for (const RecordedCase& recorded : cases) {
    ordered_json entry = {{"path", recorded.path}, {"case", recorded.case_sha256}};
    if (recorded.problem.empty())
      entry["answer"] = recorded.answer_sha256;
    else
      entry["problem"] = recorded.problem;
    entry["outputs"] = ordered_json::array();
    for (const RecordedOutput& output : recorded.outputs)
      entry["outputs"].push_back({{"name", output.name},
                                  {"dtype", output.dtype},
                                  {"count", output.count},
                                  {"sha256", output.sha256},
                                  {"error", error_json(output.error)}});
    stored["cases"].push_back(std::move(entry));
  }
  return stored.dump(1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

RecordedCase parse_case(const JsonReader& reader, const json& entry, const std::string& field) {
  if (!entry.is_object()) reader.fail(field, "is no object", "a case");
  RecordedCase recorded;
  recorded.path = reader.text(entry, field + ".path", "path");
  recorded.case_sha256 = reader.sha256(entry, field + ".case", "case");
  if (entry.contains("problem"))
    recorded.problem = reader.text(entry, field + ".problem", "problem");
  else
    recorded.answer_sha256 = reader.sha256(entry, field + ".answer", "answer");
  for (const json& output : reader.array(entry, field + ".outputs", "outputs")) {
    const std::string place = fmt::format("{}.outputs[{}]", field, recorded.outputs.size());
    if (!output.is_object()) reader.fail(place, "is no object", "an output");
    recorded.outputs.push_back({reader.text(output, place + ".name", "name"),
                                reader.text(output, place + ".dtype", "dtype"),
                                reader.whole(output, place + ".count", "count"),
                                reader.sha256(output, place + ".sha256", "sha256"),
                                parse_error(reader, output, place + ".error")});
  }
  return recorded;
}

void check_content(const fs::path& file, const std::string& content_sha256,
                   const std::string& expected) {
  if (content_sha256 != expected)
    file_failure(file.string(), "the content",
                 fmt::format("has the SHA-256 {}: it was altered", content_sha256),
                 "that of its name");
}

}  // namespace

History::History(fs::path file) : file_(std::move(file)), folder_(file_) {
  folder_ += ".answers";
}

std::vector<Recording> History::read() const {
  std::error_code error;
  if (!fs::exists(file_, error) && !error) return {};
  const std::string text = ref::io::read_text(file_);
  std::vector<Recording> recordings;
  for (const support::process::Line& line : support::process::split_lines(text)) {
    const std::string number = fmt::format("line {}", line.number);
    if (!line.has_end)
      file_failure(file_.string(), number, "is cut off", "a recording that ends with its line");
    Recording recording = parse_line(fmt::format("{}: {}", file_.string(), number), line.text);
    for (std::size_t i = 0; i < recordings.size(); ++i)
      if (!recording.label.empty() && recordings[i].label == recording.label)
        file_failure(file_.string(), number,
                     fmt::format("has the label '{}' of line {}", recording.label, i + 1),
                     "another label");
    recordings.push_back(std::move(recording));
  }
  return recordings;
}

void History::make_folder() const {
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error)
    throw ref::numeric::FileError(
        fmt::format("{}: the folder cannot be made ({}); expected a "
                    "place for the answers",
                    folder_.string(), error.message()));
}

void History::keep(const std::string& sha256, const std::vector<StoredTensor>& answer) const {
  make_folder();
  std::error_code error;
  const fs::path file = folder_ / (sha256 + ".safetensors");
  if (!fs::exists(file, error)) ref::io::write_tensors(file, answer);
}

std::size_t History::append(Recording recording, const std::vector<RecordedCase>& cases) const {
  make_folder();
  // Reads the file again now that it is locked, to keep lines that other processes have added in
  // the meantime.
  const auto lock = support::process::FileLock::acquire_folder(
      folder_, support::process::FileLock::LockWait::wait);
  const std::vector<Recording> before = read();
  check_label(before, recording.label);
  std::error_code error;
  std::string text = fs::exists(file_, error) ? ref::io::read_text(file_) : std::string();
  const std::string results = results_json(cases);
  recording.results_sha256 = ref::io::sha256(results);
  const fs::path file = folder_ / (recording.results_sha256 + ".json");
  if (!fs::exists(file, error)) ref::io::write_file(file, results);
  text += format_line(recording);
  ref::io::write_file(file_, text);
  return before.size() + 1;
}

std::vector<RecordedCase> History::read_cases(const Recording& recording) const {
  const fs::path file = folder_ / (recording.results_sha256 + ".json");
  const std::string text = ref::io::read_text(file);
  check_content(file, ref::io::sha256(text), recording.results_sha256);
  const JsonReader reader(file.string());
  const json stored = reader.parse(text, kWritten);
  if (reader.text(stored, "format", "format") != kResultsFormat)
    reader.fail("format", "is another one", fmt::format("'{}'", kResultsFormat));
  std::vector<RecordedCase> cases;
  for (const json& entry : reader.array(stored, "cases", "cases"))
    cases.push_back(parse_case(reader, entry, fmt::format("cases[{}]", cases.size())));
  return cases;
}

std::vector<StoredTensor> History::answer(const std::string& sha256) const {
  const fs::path file = folder_ / (sha256 + ".safetensors");
  std::vector<StoredTensor> tensors = ref::io::read_tensors(file);
  check_content(file, ref::io::content_sha256(tensors), sha256);
  return tensors;
}

void check_label(const std::vector<Recording>& recordings, const std::string& label) {
  if (label.empty()) return;
  const auto found = std::ranges::find(recordings, label, &Recording::label);
  if (found != recordings.end())
    throw ref::numeric::UsageError(
        fmt::format("--label '{}' is that of line {} already; expected another one", label,
                    found - recordings.begin() + 1));
}

std::size_t find_recording(const std::vector<Recording>& recordings, std::string_view option,
                           const std::string& name) {
  std::vector<std::string> known;
  for (std::size_t i = 0; i < recordings.size(); ++i) {
    const std::string line = fmt::format("@{}", i + 1);
    if (name == line || (!name.empty() && name == recordings[i].label)) return i;
    known.push_back(recordings[i].label.empty() ? line : recordings[i].label);
  }
  throw ref::numeric::UsageError(ref::numeric::unknown_name(option, name, known));
}

std::string name_of(const std::vector<Recording>& recordings, std::size_t place) {
  const std::string& label = recordings[place].label;
  return label.empty() ? fmt::format("@{}", place + 1) : fmt::format("'{}'", label);
}

}  // namespace normproof::verification::checks::regression
