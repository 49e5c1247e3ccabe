#include "verification/checks/oracle/cells.hpp"

#include <string>

#include "ref/numeric/errors.hpp"

namespace normproof::verification::checks::oracle {
namespace {

using ref::numeric::Clause;

bool includes_padding(Partition kind) {
  return kind != Partition::row && kind != Partition::row_group;
}

Shape statistic_shape(Partition kind, const Shape& x_shape, std::size_t groups) {
  Shape rows(x_shape.begin(), x_shape.end() - 1);
  switch (kind) {
    case Partition::row:
      return rows;
    case Partition::row_group: {
      rows.push_back(groups);
      return rows;
    }
    case Partition::channel:
      return {x_shape.back()};
    case Partition::sample_channel:
      return {x_shape.front(), x_shape.back()};
    case Partition::sample_group:
      return {x_shape.front(), groups};
  }
  return {};
}

}  // namespace

StatisticsCells partition(Partition kind, const Shape& x_shape, std::size_t groups,
                          const Mask& valid) {
  const auto extents = ref::tensor::check_activations("oracle", "x", x_shape);
  if (!is_absent(valid)) ref::tensor::check_mask("oracle", valid, x_shape, Clause::C8);
  if (groups == 0 || extents.d_model % groups != 0) {
    ref::numeric::contract_failure("oracle", "groups", "is " + std::to_string(groups),
                                   "a divisor of D = " + std::to_string(extents.d_model),
                                   Clause::C11);
  }
  StatisticsCells result;
  result.shape = statistic_shape(kind, x_shape, groups);
  std::size_t count = 1;
  for (const std::size_t extent : result.shape) count *= extent;
  result.cells.resize(count);

  const std::size_t width = extents.d_model / groups;
  std::size_t flat = 0;
  for (std::size_t b = 0; b < extents.batch_size; ++b)
    for (std::size_t t = 0; t < extents.seq_len; ++t)
      for (std::size_t d = 0; d < extents.d_model; ++d, ++flat) {
        const std::size_t row = b * extents.seq_len + t;
        std::size_t cell = 0;
        switch (kind) {
          case Partition::row:
            cell = row;
            break;
          case Partition::row_group:
            cell = row * groups + d / width;
            break;
          case Partition::channel:
            cell = d;
            break;
          case Partition::sample_channel:
            cell = b * extents.d_model + d;
            break;
          case Partition::sample_group:
            cell = b * groups + d / width;
            break;
        }
        result.cells[cell].members.push_back(flat);
        if (!includes_padding(kind) || is_absent(valid) || valid.data()[row])
          result.cells[cell].counted.push_back(flat);
      }
  for (const StatisticsCell& cell : result.cells) {
    if (cell.counted.empty()) {
      ref::numeric::contract_failure("oracle", "valid", "leaves a statistic without an element",
                                     "at least one valid row for each", Clause::C8);
    }
  }
  return result;
}

}  // namespace normproof::verification::checks::oracle
