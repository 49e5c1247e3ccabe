#include "verification/checks/agreement/row.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "ref/numeric/hexadecimal.hpp"
#include "ref/tensor/contract.hpp"

namespace normproof::verification::checks::agreement {

void Rows::begin(const std::string& operation, std::string_view case_name) {
  const auto found = std::ranges::find(rows_, operation, &Row::operation);
  current_ = static_cast<std::size_t>(found - rows_.begin());
  if (found == rows_.end()) rows_.push_back({operation});
  ++row().cases;
  case_name_ = case_name;
}

void Rows::report_difference(std::string_view sentence) {
  if (row().difference.empty()) row().difference = fmt::format("{}: {}", case_name_, sentence);
}

void Rows::refuse() {
  ++row().refused;
}

void Rows::compare(std::string_view tensor, const ref::tensor::Tensor<double>& got,
                   const ref::tensor::Tensor<double>& expected) {
  const auto shape = ref::tensor::shape_of(expected), got_shape = ref::tensor::shape_of(got);
  if (got_shape != shape && got.size() + expected.size() > 0) {
    report_difference(fmt::format("{} has shape {}; expected {}", tensor,
                                  ref::tensor::to_string(got_shape),
                                  ref::tensor::to_string(shape)));
    return;
  }
  row().elements += expected.size();
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const auto bits = std::bit_cast<std::uint64_t>(got.data()[i]);
    const auto wanted = std::bit_cast<std::uint64_t>(expected.data()[i]);
    if (bits == wanted || (std::isnan(got.data()[i]) && std::isnan(expected.data()[i]))) continue;
    report_difference(fmt::format("{}{} is {} ({:016x}); expected {} ({:016x})", tensor,
                                  ref::tensor::index_to_string(i, shape),
                                  ref::numeric::hexadecimal(got.data()[i]), bits,
                                  ref::numeric::hexadecimal(expected.data()[i]), wanted));
    return;
  }
}

void Rows::compare(std::string_view tensor, double got, double expected) {
  compare(tensor, ref::tensor::full_tensor<double>({1}, got),
          ref::tensor::full_tensor<double>({1}, expected));
}

void Rows::judge(const ElementVerdict& verdict, const std::function<std::string()>& element) {
  ++row().elements;
  if (!verdict.judged) {
    ++row().not_judged;
    return;
  }
  row().of_bound = std::max(row().of_bound, verdict.of_bound);
  row().of_sums = std::max(row().of_sums, verdict.of_sums);
  if (!(verdict.of_bound <= 1 && verdict.of_sums <= 1))
    report_difference(fmt::format("{} is off by {:.3g} of its bound, by {:.3g} of that of its sums",
                                  element(), verdict.of_bound, verdict.of_sums));
}

bool Rows::agree() const {
  return std::ranges::all_of(rows_, [](const Row& row) { return row.difference.empty(); });
}

std::size_t Rows::cases() const {
  std::size_t count = 0;
  for (const Row& row : rows_) count += row.cases;
  return count;
}

}  // namespace normproof::verification::checks::agreement
