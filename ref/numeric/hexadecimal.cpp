#include "ref/numeric/hexadecimal.hpp"

#include <cmath>
#include <cstdio>

namespace normproof::ref::numeric {

std::string hexadecimal(double x) {
  if (std::isnan(x)) return "nan";
  char text[40];
  return {text, static_cast<std::size_t>(std::snprintf(text, sizeof text, "%a", x))};
}

}  // namespace normproof::ref::numeric
