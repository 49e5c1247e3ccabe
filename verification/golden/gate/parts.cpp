#include "verification/golden/gate/parts.hpp"

#include <cmath>
#include <functional>
#include <numeric>

#include "ref/model/operation_info.hpp"

namespace normproof::verification::golden::gate {

std::size_t elements_per_part(const corpus::Case& c, std::string_view output, std::size_t size) {
  const auto& info = ref::model::operation_info(c.options);
  if (info.independence == ref::model::Independence::element) return 1;
  const bool is_per_row = info.independence == ref::model::Independence::row &&
                          (output == "y" || output == "sum" || output == "grad_x");
  if (!is_per_row) return size;
  const auto& shape = corpus::main_input(c)->shape;
  const std::size_t rows =
      std::accumulate(shape.begin(), shape.end() - 1, std::size_t{1}, std::multiplies<>());
  return rows == 0 || size % rows != 0 ? size : size / rows;
}

std::vector<bool> find_vacuous_bounds(const JudgedValues& judged, std::size_t elements_per_part) {
  std::vector<bool> vacuous(judged.high.size());
  for (std::size_t begin = 0; begin < vacuous.size(); begin += elements_per_part) {
    bool accepts_zeros = true, is_zero = true;
    for (std::size_t i = begin; i < begin + elements_per_part; ++i) {
      if (!std::isfinite(judged.high[i]) || !std::isfinite(judged.bound[i])) continue;
      is_zero = is_zero && judged.high[i] == 0;
      accepts_zeros = accepts_zeros && std::fabs(judged.high[i]) <= judged.bound[i];
    }
    for (std::size_t i = begin; i < begin + elements_per_part; ++i)
      vacuous[i] = accepts_zeros && !is_zero;
  }
  return vacuous;
}

}  // namespace normproof::verification::golden::gate
