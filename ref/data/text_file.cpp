#include "ref/data/text_file.hpp"

#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <system_error>

#include "ref/numeric/errors.hpp"

namespace normproof::ref::data {

using numeric::FileError;

std::string read_bytes(const std::filesystem::path& path) {
  namespace fs = std::filesystem;
  const auto failure = [&path](std::string_view observation) {
    return FileError(fmt::format("{}: {}; expected a readable file", path.string(), observation));
  };
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) {
    const bool absent = status.type() == fs::file_type::not_found;
    throw failure(absent ? "does not exist" : fmt::format("cannot be read ({})", error.message()));
  }
  if (fs::is_directory(status)) throw failure("is a directory");
  if (!fs::is_regular_file(status) && !fs::is_fifo(status))
    throw failure("is neither a regular file nor a pipe");
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw failure("cannot be opened for reading");
  std::string bytes{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  if (stream.bad()) throw failure("cannot be read to its end");
  return bytes;
}

std::string quote_bytes(std::string_view bytes) {
  constexpr std::size_t most = 40;
  std::string text = "\"";
  for (const char c : bytes.substr(0, most)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte == '"' || byte == '\\') {
      text += {'\\', c};
    } else if (byte >= 0x20 && byte < 0x7f) {
      text += c;
    } else {
      text += fmt::format("\\x{:02x}", byte);
    }
  }
  return text + (bytes.size() > most ? "\"..." : "\"");
}

void line_failure(std::string_view name, std::size_t line, std::string_view observation,
                  std::string_view expectation) {
  throw FileError(fmt::format("{}:{}: {}; expected {}", name, line, observation, expectation));
}

}  // namespace normproof::ref::data
