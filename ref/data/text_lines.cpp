#include "ref/data/text_lines.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ref/data/text_file.hpp"
#include "ref/data/utf8.hpp"

namespace normproof::ref::data {

std::vector<std::string> split_lines(std::string_view bytes) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < bytes.size();) {
    const auto end = std::min(bytes.find('\n', begin), bytes.size());
    lines.emplace_back(bytes.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

void check_line(std::string_view line, std::string_view kind, std::string_view name,
                std::size_t number, std::string_view expectation) {
  if (line.empty()) line_failure(name, number, "the line is empty", expectation);
  if (number == 1 && line.starts_with(kByteOrderMark))
    line_failure(name, number, "the file begins with a UTF-8 byte order mark", expectation);
  if (line.find('\0') != std::string_view::npos)
    line_failure(name, number, "the line has a NUL byte", expectation);
  if (line.find('\r') != std::string_view::npos)
    line_failure(name, number, "the line has a CR", expectation);
  if (!is_well_formed_utf8(line)) {
    line_failure(name, number,
                 fmt::format("the {} {} is not well-formed UTF-8", kind, quote_bytes(line)),
                 expectation);
  }
}

std::vector<std::string_view> split_words(std::string_view line) {
  std::vector<std::string_view> words;
  for (std::size_t begin = 0; begin < line.size();) {
    const auto end = std::min(line.find(' ', begin), line.size());
    if (end > begin) words.push_back(line.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

}  // namespace normproof::ref::data
