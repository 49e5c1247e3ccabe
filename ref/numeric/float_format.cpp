#include "ref/numeric/float_format.hpp"

namespace normproof::ref::numeric {

double round_to(FloatType type, double v) {
  return round_to(float_format_info(type), v);
}

}  // namespace normproof::ref::numeric
