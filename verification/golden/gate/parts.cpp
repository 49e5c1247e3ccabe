#include "verification/golden/gate/parts.hpp"

#include <algorithm>
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

void add_to_parts(const JudgedValues& judged, std::size_t begin, std::size_t elements_per_part,
                  std::vector<Part>& parts) {
  for (std::size_t i = 0; i < judged.high.size(); ++i) {
    if (!std::isfinite(judged.high[i]) || !std::isfinite(judged.bound[i])) continue;
    Part& part = parts[(begin + i) / elements_per_part];
    const double magnitude = std::fabs(judged.high[i]);
    ++part.judged;
    part.is_zero = part.is_zero && magnitude == 0;
    part.accepts_zeros = part.accepts_zeros && magnitude <= judged.bound[i];
    if (magnitude > 0)
      part.smallest_error = std::min(part.smallest_error, judged.bound[i] / magnitude);
  }
}

std::vector<Part> find_parts(const certify::StoredCase& stored,
                             const std::vector<ref::io::StoredTensor>& answer,
                             const std::string& name, const tolerance::Tolerance& bounds) {
  const JudgedValues judged = compute_judged_values(stored, answer, name, bounds);
  const std::size_t size = judged.high.size();
  if (size == 0) return {};
  const std::size_t length = elements_per_part(stored.description.c, name, size);
  std::vector<Part> parts(size / length);
  add_to_parts(judged, 0, length, parts);
  return parts;
}

std::size_t count_passed(const std::vector<Part>& parts, const std::vector<bool>& selected,
                         std::size_t elements_per_part, const std::vector<std::size_t>& failed) {
  std::size_t count = 0;
  for (std::size_t p = 0; p < parts.size(); ++p)
    if (selected[p]) count += parts[p].judged;
  return count - static_cast<std::size_t>(std::ranges::count_if(
                     failed, [&](std::size_t i) { return selected[i / elements_per_part]; }));
}

}  // namespace normproof::verification::golden::gate
