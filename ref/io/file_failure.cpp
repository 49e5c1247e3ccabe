#include "ref/io/file_failure.hpp"

#include <fmt/format.h>

#include <string>

#include "ref/numeric/errors.hpp"

namespace normproof::ref::io {

void file_failure(std::string_view file, std::string_view field, std::string_view observation,
                  std::string_view expectation) {
  std::string sentence =
      fmt::format("{}: {} {}; expected {}", file, field, observation, expectation);
  for (char& c : sentence) {
    const auto code = static_cast<unsigned char>(c);
    if (code < 0x20 || code == 0x7f) c = '?';
  }
  throw numeric::FileError(sentence);
}

}  // namespace normproof::ref::io
