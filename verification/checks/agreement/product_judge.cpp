#include "verification/checks/agreement/product_judge.hpp"

#include <fmt/format.h>

namespace normproof::verification::checks::agreement {
namespace {

std::vector<double> rounded(const ProductArithmetic& arithmetic, const HostMatrices& m) {
  std::vector<double> result;
  result.reserve(m.values.size());
  for (const double v : m.values) result.push_back(round_operand(arithmetic, v));
  return result;
}

}  // namespace

void ProductJudge::operator()(const ObservedProduct& product) {
  ++seen_;
  const HostMatrices &a = product.a, &b = product.b, &before = product.before, &c = product.c;
  const std::vector<double> rounded_a = rounded(arithmetic_, a),
                            rounded_b = rounded(arithmetic_, b);
  const std::size_t count = a.layout.columns;
  for (std::size_t p = 0; p < c.layout.batches(); ++p)
    for (std::size_t i = 0; i < c.layout.rows; ++i)
      for (std::size_t j = 0; j < c.layout.columns; ++j) {
        const std::size_t row = a.layout.offset(p) + i * a.layout.row_stride;
        const std::size_t column = b.layout.offset(p) + j * b.layout.column_stride;
        const OperandTerms left{a.values.data() + row, rounded_a.data() + row,
                                a.layout.column_stride};
        const OperandTerms right{b.values.data() + column, rounded_b.data() + column,
                                 b.layout.row_stride};
        const double got = c.at(p, i, j);
        const std::optional<double> old =
            before.values.empty() ? std::nullopt : std::optional(before.at(p, i, j));
        const ElementVerdict verdict =
            exact_ ? judge_exact_element(count, left, right, old, got)
                   : judge_element(arithmetic_, count, left, right, old, got);
        rows_.judge(verdict, [&] {
          return fmt::format("product {} of [{}, {}] by [{}, {}], element [{}, {}, {}]: {:.17g}",
                             seen_, c.layout.rows, count, count, c.layout.columns, p, i, j, got);
        });
      }
}

}  // namespace normproof::verification::checks::agreement
