#include "verification/golden/candidate/pipe_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "ref/io/file_failure.hpp"
#include "ref/numeric/errors.hpp"
#include "verification/checks/compare/comparison.hpp"

namespace normproof::verification::golden::candidate {

using corpus::case_folder;
using corpus::case_operation_name;
using ref::io::DType;
using ref::model::Mode;
namespace {

using Shape = std::vector<std::size_t>;
constexpr std::size_t kMaxShownWordBytes = 40;
constexpr std::size_t kMaxReasonBytes = 1000;

std::string number(double value, DType dtype) {
  if (ref::io::is_integer_or_boolean(dtype))
    return fmt::format("{}", static_cast<std::int64_t>(value));
  if (std::isnan(value)) return "nan";
  return std::isinf(value) ? value > 0 ? "inf" : "-inf" : checks::compare::to_hex(value);
}

void append_tensors(std::string& line, const std::vector<StoredTensor>& tensors) {
  for (const StoredTensor& tensor : tensors) {
    line += fmt::format(" {}:{}:{}", tensor.name, ref::io::to_string(tensor.dtype),
                        fmt::join(tensor.shape, "x"));
    for (const double value : ref::io::widen(tensor)) {
      line += ' ';
      line += number(value, tensor.dtype);
    }
  }
}

std::vector<std::string_view> split_words(std::string_view line) {
  std::vector<std::string_view> words;
  while (!line.empty()) {
    const std::size_t end = std::min(line.find_first_of(" \t\r"), line.size());
    if (end > 0) words.push_back(line.substr(0, end));
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return words;
}

std::optional<double> parse_number(std::string_view word) {
  const bool negative = word.starts_with('-');
  std::string_view rest = word.substr(negative || word.starts_with('+') ? 1 : 0);
  if (rest.empty() || rest.front() == '-' || rest.front() == '+') return std::nullopt;
  const bool hex = rest.starts_with("0x") || rest.starts_with("0X");
  if (hex) rest.remove_prefix(2);
  double value = 0;
  const auto [end, error] =
      std::from_chars(rest.data(), rest.data() + rest.size(), value,
                      hex ? std::chars_format::hex : std::chars_format::general);
  if (error != std::errc{} || end != rest.data() + rest.size()) return std::nullopt;
  return negative ? -value : value;
}

/// Returns the words after the path and `verb`, joined by single spaces. Returns nothing if the
/// line does not begin with the path and `verb`.
std::optional<std::string> words_after(std::string_view line, std::string_view path,
                                       std::string_view verb) {
  // Only the beginning of the line is split into words, because a line may contain many numbers.
  const std::size_t most = path.size() + verb.size() + kMaxReasonBytes;
  const std::vector<std::string_view> words = split_words(line.substr(0, most));
  if (words.size() < 2 || words[0] != path || words[1] != verb) return std::nullopt;
  return fmt::format("{}", fmt::join(words.begin() + 2, words.end(), " "));
}

/// Reads the tensors in a candidate's line of output. Every error message names the case and the
/// number of the wrong word.
class OutputLineReader {
 public:
  OutputLineReader(std::string_view line, const std::string& path)
      : words_(split_words(line)), path_(path) {}

  std::vector<StoredTensor> read() {
    if (words_.empty()) fail("is empty", "the path of the case and its outputs");
    if (words_[0] != path_)
      fail(fmt::format("begins with '{}'", shorten_for_message(words_[0])),
           "the path of the case; what else is printed belongs on standard error");
    next_ = 1;
    std::vector<StoredTensor> tensors;
    while (next_ < words_.size()) {
      tensors.push_back(read_tensor());
      const std::string& name = tensors.back().name;
      if (std::ranges::count(tensors, name, &StoredTensor::name) > 1)
        fail(fmt::format("follows a second '{}'", name), "every output once");
    }
    if (tensors.empty()) fail("holds no tensor", "name:dtype:shape and its elements");
    return tensors;
  }

 private:
  [[noreturn]] void fail(std::string_view observation, std::string_view expectation) const {
    ref::io::file_failure("the answer to " + path_,
                          next_ < 1 ? "the line" : fmt::format("word {}", next_), observation,
                          expectation);
  }

  static std::string_view shorten_for_message(std::string_view word) {
    return word.substr(0, kMaxShownWordBytes);
  }

  StoredTensor read_tensor() {
    const std::string_view head = words_[next_];
    const std::size_t first = head.find(':'), last = head.rfind(':');
    if (first == std::string_view::npos || first == last || first == 0)
      fail(fmt::format("is '{}'", shorten_for_message(head)),
           "name:dtype:shape, such as y:float32:7x16");
    const std::string_view name = head.substr(0, first);
    const DType dtype = parse_dtype(head.substr(first + 1, last - first - 1));
    const Shape shape = parse_shape(head.substr(last + 1));
    const std::optional<std::size_t> bytes = ref::io::byte_size(dtype, shape);
    const std::size_t count = bytes ? *bytes / ref::io::item_size(dtype) : words_.size();
    if (count > words_.size() - next_ - 1)
      fail(fmt::format("is '{}', and the words that follow are {}", shorten_for_message(head),
                       words_.size() - next_ - 1),
           "as many elements as the shape has");
    std::vector<double> values(count);
    for (double& value : values) {
      ++next_;
      const std::optional<double> parsed = parse_number(words_[next_]);
      if (!parsed)
        fail(fmt::format("is '{}'", shorten_for_message(words_[next_])),
             fmt::format("a number, for {} has {} elements", head, count));
      value = std::isnan(*parsed) ? std::numeric_limits<double>::quiet_NaN() : *parsed;
    }
    ++next_;
    try {
      return ref::io::make_tensor(std::string(name), dtype, shape, values);
    } catch (const ref::numeric::ContractError& error) {
      throw ref::numeric::FileError(
          fmt::format("the answer to {}: {}", path_, sentence(error.violation())));
    }
  }

  DType parse_dtype(std::string_view name) const {
    if (const auto dtype = ref::io::find_dtype(name)) return *dtype;
    fail(fmt::format("has the dtype '{}'", shorten_for_message(name)),
         ref::io::list_dtypes([](DType) { return true; }));
  }

  Shape parse_shape(std::string_view text) const {
    Shape shape;
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('x'), text.size());
      std::size_t extent = 0;
      const auto [stop, error] = std::from_chars(text.data(), text.data() + end, extent);
      if (error != std::errc{} || stop != text.data() + end || end + 1 == text.size())
        fail(fmt::format("has the shape '{}'", shorten_for_message(text)),
             "extents with x between them");
      shape.push_back(extent);
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    return shape;
  }

  std::vector<std::string_view> words_;
  std::string path_;
  std::size_t next_ = 0;
};

}  // namespace

std::string case_to_line(const Case& c) {
  std::string line = fmt::format("{} {} {}", case_folder(c), case_operation_name(c),
                                 c.mode == Mode::training ? "training" : "inference");
  if (c.sequence) line += " sequence";
  for (const auto& [name, value] : ref::model::list_options(c.options))
    line += fmt::format(" {}={}", name, value);
  append_tensors(line, c.inputs);
  return line;
}

std::string output_line(const std::string& path, const std::vector<StoredTensor>& tensors) {
  std::string line = path;
  append_tensors(line, tensors);
  return line;
}

std::optional<std::string> parse_decline_line(std::string_view line, const std::string& path) {
  return words_after(line, path, "not_offered");
}

std::optional<std::string> parse_error_line(std::string_view line, const std::string& path) {
  return words_after(line, path, "error");
}

std::vector<StoredTensor> parse_output_line(std::string_view line, const std::string& path) {
  return OutputLineReader(line, path).read();
}

}  // namespace normproof::verification::golden::candidate
