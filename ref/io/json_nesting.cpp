#include "ref/io/json_nesting.hpp"

#include <algorithm>

namespace normproof::ref::io {

JsonShape json_shape(std::string_view text) {
  JsonShape shape;
  std::size_t depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') {
      in_string = !in_string;
    } else if (in_string) {
      if (c == '\\') ++i;
    } else if (c == '[' || c == '{') {
      shape.nesting = std::max(shape.nesting, ++depth);
    } else if (c == ':') {
      ++shape.keys;
    } else if ((c == ']' || c == '}') && depth > 0) {
      --depth;
    }
  }
  return shape;
}

}  // namespace normproof::ref::io
