#include "tests/fuzz/readers.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "ref/io/atomic_file.hpp"
#include "ref/io/json_reader.hpp"
#include "ref/io/npy.hpp"
#include "ref/io/npz.hpp"
#include "ref/io/safetensors.hpp"
#include "ref/io/tensor_file.hpp"
#include "ref/numeric/errors.hpp"
#include "verification/golden/candidate/pipe_text.hpp"
#include "verification/golden/certify/manifest.hpp"

namespace normproof::tests::fuzz {
namespace {

namespace io = normproof::ref::io;
namespace golden = normproof::verification::golden;
using nlohmann::json;
using normproof::ref::numeric::FileError;

constexpr const char* kFile = "fuzzed";
constexpr const char* kPath = "quick/layer_norm/odd-2x3-float32";
/// A nesting depth that would overflow a stack of 8 MiB in a recursive reader.
constexpr std::size_t kExcessiveNestingDepth = 200'000;

Bytes to_byte_vector(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

std::string_view to_text_view(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void require(bool met, const char* sentence) {
  if (!met) throw std::logic_error(sentence);
}

template <class Decode, class Encode>
bool check_round_trip(std::span<const std::byte> bytes, Decode decode, Encode encode) {
  decltype(decode(bytes)) read;
  try {
    read = decode(bytes);
  } catch (const FileError&) {
    return false;
  }
  const auto written = encode(read);
  const auto again = decode(std::span<const std::byte>(written));
  require(again == read, "what was written reads otherwise");
  require(encode(again) == written, "what was read again is written otherwise");
  return true;
}

bool check_safetensors(std::span<const std::byte> bytes) {
  return check_round_trip(
      bytes, [](std::span<const std::byte> b) { return io::decode_safetensors(b, kFile); },
      [](const auto& tensors) { return io::encode_safetensors(tensors); });
}

bool check_npz(std::span<const std::byte> bytes) {
  return check_round_trip(
      bytes, [](std::span<const std::byte> b) { return io::decode_npz(b, kFile); },
      [](const auto& tensors) { return io::encode_npz(tensors); });
}

bool check_npy(std::span<const std::byte> bytes) {
  return check_round_trip(
      bytes, [](std::span<const std::byte> b) { return io::decode_npy(b, "x", kFile); },
      [](const auto& tensor) { return io::encode_npy(tensor); });
}

bool check_json(std::span<const std::byte> bytes) {
  return check_round_trip(
      bytes,
      [](std::span<const std::byte> b) {
        return io::JsonReader(kFile).parse(to_text_view(b), "JSON");
      },
      [](const json& object) { return to_byte_vector(object.dump()); });
}

std::vector<golden::certify::CaseDescription> read_manifest(std::span<const std::byte> bytes) {
  return golden::certify::parse_manifest(to_text_view(bytes), kFile);
}

std::string format_manifest(const std::vector<golden::certify::CaseDescription>& cases) {
  json manifest = {{"cases", json::array()},
                   {"format", golden::certify::kManifestFormat},
                   {"totals", {{"cases", cases.size()}}}};
  for (const golden::certify::CaseDescription& description : cases)
    manifest["cases"].push_back(json::parse(description.case_text));
  return manifest.dump();
}

bool check_manifest(std::span<const std::byte> bytes) {
  std::vector<golden::certify::CaseDescription> read;
  try {
    read = read_manifest(bytes);
  } catch (const FileError&) {
    return false;
  }
  const auto again = read_manifest(to_byte_vector(format_manifest(read)));
  require(again.size() == read.size(), "there are more or fewer cases");
  for (std::size_t i = 0; i < read.size(); ++i) {
    const golden::certify::CaseDescription &a = read[i], &b = again[i];
    require(a.path == b.path && a.case_text == b.case_text && a.outputs == b.outputs &&
                a.condition == b.condition && a.inputs_sha256 == b.inputs_sha256 &&
                a.expected_sha256 == b.expected_sha256,
            "a case reads otherwise");
    require(normproof::ref::model::list_options(a.c.options) ==
                normproof::ref::model::list_options(b.c.options),
            "the options read otherwise");
  }
  return true;
}

bool check_output_line(std::span<const std::byte> bytes) {
  return check_round_trip(
      bytes,
      [](std::span<const std::byte> b) {
        return golden::candidate::parse_output_line(to_text_view(b), kPath);
      },
      [](const auto& tensors) {
        return to_byte_vector(golden::candidate::output_line(kPath, tensors));
      });
}

/// Returns the four smallest cases of each layer in the quick tier. The size of a case is the size
/// of its inputs.
std::vector<std::filesystem::path> find_small_cases(const std::filesystem::path& corpus) {
  std::vector<std::filesystem::path> folders;
  std::vector<std::filesystem::path> layers;
  for (const auto& layer : std::filesystem::directory_iterator(corpus / "quick"))
    layers.push_back(layer.path());
  std::ranges::sort(layers);
  for (const auto& layer : layers) {
    std::vector<std::filesystem::path> cases;
    for (const auto& folder : std::filesystem::directory_iterator(layer))
      cases.push_back(folder.path());
    std::ranges::sort(cases, {}, [](const auto& folder) {
      return std::pair(std::filesystem::file_size(folder / "inputs.safetensors"), folder);
    });
    if (cases.size() > 4) cases.resize(4);
    folders.insert(folders.end(), cases.begin(), cases.end());
  }
  return folders;
}

std::vector<Bytes> safetensors_seeds(const std::filesystem::path& corpus) {
  std::vector<Bytes> seeds;
  for (const auto& folder : find_small_cases(corpus))
    for (const char* file : {"inputs.safetensors", "expected.safetensors"})
      seeds.push_back(io::read_file(folder / file));
  const std::string head = R"({"a":{"dtype":)";
  std::string deeply_nested_file(sizeof(std::uint64_t), '\0');
  const std::string text = head + std::string(kExcessiveNestingDepth, '[') +
                           std::string(kExcessiveNestingDepth, ']') +
                           R"(,"shape":[],"data_offsets":[0,0]}})";
  for (std::size_t i = 0; i < sizeof(std::uint64_t); ++i)
    deeply_nested_file[i] = static_cast<char>(text.size() >> (8 * i) & 0xff);
  seeds.push_back(to_byte_vector(deeply_nested_file + text));
  return seeds;
}

std::vector<Bytes> npz_seeds(const std::filesystem::path& corpus) {
  std::vector<Bytes> seeds;
  for (const auto& folder : find_small_cases(corpus)) {
    auto tensors = io::read_tensors(folder / "inputs.safetensors");
    std::erase_if(tensors, [](const auto& t) { return !io::is_known_to_npy(t.dtype); });
    seeds.push_back(io::encode_npz(tensors));
  }
  return seeds;
}

std::vector<Bytes> npy_seeds(const std::filesystem::path& corpus) {
  std::vector<Bytes> seeds;
  for (const auto& folder : find_small_cases(corpus))
    for (const auto& tensor : io::read_tensors(folder / "inputs.safetensors"))
      if (io::is_known_to_npy(tensor.dtype)) seeds.push_back(io::encode_npy(tensor));
  return seeds;
}

std::vector<Bytes> json_seeds(const std::filesystem::path& corpus) {
  std::vector<Bytes> seeds;
  for (const auto& folder : find_small_cases(corpus))
    seeds.push_back(io::read_file(folder / "case.json"));
  for (const char* open : {"[", R"({"a":)"}) {
    std::string text = R"({"a":)";
    for (std::size_t i = 0; i < kExcessiveNestingDepth; ++i) text += open;
    text += "1";
    text.append(kExcessiveNestingDepth, open[0] == '[' ? ']' : '}');
    seeds.push_back(to_byte_vector(text + "}"));
  }
  return seeds;
}

std::vector<Bytes> manifest_seeds(const std::filesystem::path& corpus) {
  std::vector<Bytes> seeds;
  std::vector<std::string> texts;
  const auto folders = find_small_cases(corpus);
  for (const auto& description : read_manifest(io::read_file(corpus / "manifest.json"))) {
    if (std::ranges::find(folders, corpus / description.path) == folders.end()) continue;
    texts.push_back(description.case_text);
    seeds.push_back(to_byte_vector(golden::certify::manifest_json({texts.back()})));
  }
  std::string deeply_nested_file = golden::certify::manifest_json({texts.front()});
  const std::size_t at = deeply_nested_file.find("\"why\"");
  deeply_nested_file.insert(at, R"("deep": )" + std::string(kExcessiveNestingDepth, '[') +
                                    std::string(kExcessiveNestingDepth, ']') + ", ");
  seeds.push_back(to_byte_vector(deeply_nested_file));
  return seeds;
}

std::vector<Bytes> output_line_seeds(const std::filesystem::path& corpus) {
  std::vector<Bytes> seeds;
  for (const auto& folder : find_small_cases(corpus))
    seeds.push_back(to_byte_vector(
        golden::candidate::output_line(kPath, io::read_tensors(folder / "inputs.safetensors"))));
  return seeds;
}

constexpr Reader kReaders[] = {{"safetensors", check_safetensors, safetensors_seeds},
                               {"npz", check_npz, npz_seeds},
                               {"npy", check_npy, npy_seeds},
                               {"json", check_json, json_seeds},
                               {"manifest", check_manifest, manifest_seeds},
                               {"answer", check_output_line, output_line_seeds}};

}  // namespace

std::span<const Reader> readers() {
  return kReaders;
}

const Reader& find_reader(std::string_view name) {
  for (const Reader& reader : kReaders)
    if (reader.name == name) return reader;
  throw std::invalid_argument("no reader of that name");
}

}  // namespace normproof::tests::fuzz
