#include "verification/operands/operands.hpp"

namespace normproof::verification::operands {

bool takes_mask(std::string_view function) {
  return function == "softmax" || function == "log_sum_exp";
}

}  // namespace normproof::verification::operands
