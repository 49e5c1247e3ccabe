#include "verification/golden/gate/failing_row.hpp"

#include <algorithm>
#include <iterator>
#include <span>
#include <string>

#include "verification/golden/certify/row_blocks.hpp"
#include "verification/golden/gate/agreement.hpp"
#include "verification/golden/plain/plain_blocks.hpp"
#include "verification/golden/plain/plain_layers.hpp"
#include "verification/golden/recipes/case_inputs.hpp"

namespace normproof::verification::golden::gate {

using corpus::find;
using mutations::Mutation;
using mutations::Sites;
using plain::run_plain;
using recipes::inputs_of;

namespace {

/// Whether a row of an output with this mutation may depend on other rows, although the operation
/// computes each row independently.
bool mixes_rows(const Mutation& mutation) {
  using enum mutations::MutationOperator;
  constexpr mutations::MutationOperator kOperators[] = {
      first_row, previous_row, reversed, unwritten_last, unwritten_row, transposed, clean_nan};
  return std::ranges::find(kOperators, mutation.op) != std::end(kOperators) ||
         plain::number_of_operator(plain::kExchangedRows, mutation.op) ||
         mutation.site.find("axis of") != std::string::npos ||
         mutation.site.find("returned ") != std::string::npos;
}

/// Keeps the elements of one of the `rows` rows of an output.
void keep_row(FailingOutput& f, std::size_t row, std::size_t rows) {
  const std::size_t width = f.got.size() / rows;
  const auto keep = [&](std::vector<double>& values) {
    const auto begin = values.begin() + static_cast<std::ptrdiff_t>(row * width);
    values = std::vector<double>(begin, begin + static_cast<std::ptrdiff_t>(width));
  };
  keep(f.got);
  keep(f.exact);
  keep(f.bound);
  std::erase_if(f.failed, [&](std::size_t i) { return i / width != row; });
  for (std::size_t& i : f.failed) i -= row * width;
}

}  // namespace

std::optional<FailingRow> FailingRow::find_in(const Case& c,
                                              const std::vector<FailingOutput>& failing) {
  const StoredTensor* const x = find(c.inputs, "x");
  if (!certify::has_independent_rows(c) || x->shape[0] < 2) return std::nullopt;
  FailingRow row;
  const std::size_t rows = x->shape[0];
  std::vector<std::size_t> failures(rows, 0);
  for (const FailingOutput& f : failing) {
    const bool has_rows = !f.shape.empty() && f.shape[0] == rows &&
                          !certify::is_sum_over_rows(f.name) && f.got.size() % rows == 0;
    row.sums_fail_ = row.sums_fail_ || !has_rows;
    if (!has_rows) continue;
    for (const std::size_t i : f.failed) ++failures[i / (f.got.size() / rows)];
    row.outputs_.push_back(f);
  }
  if (row.outputs_.empty()) return std::nullopt;
  const auto most = std::ranges::max_element(failures);
  const auto chosen = static_cast<std::size_t>(most - failures.begin());
  for (FailingOutput& f : row.outputs_) keep_row(f, chosen, rows);
  row.c_ = certify::select_rows(c, std::span(&chosen, 1));
  row.inputs_ = inputs_of(row.c_);
  return row;
}

void FailingRow::start(std::uint64_t& work_left) {
  Sites all;
  all.list();
  all.limit(work_left);
  right_ = run_plain(c_, inputs_, {}, all);
  seen_ = all.seen();
}

FailingRow::Finding FailingRow::compare(const Mutation& mutation, std::uint64_t& work_left) const {
  if (mixes_rows(mutation) || std::ranges::find(seen_, mutation) == seen_.end()) return {};
  Sites sites(mutation);
  sites.limit(work_left);
  const std::vector<StoredTensor> mistaken = run_plain(c_, inputs_, {}, sites);
  bool changes_rows = false;
  for (const FailingOutput& f : outputs_) {
    const StoredTensor* const other = find(mistaken, f.name);
    const StoredTensor* const right = find(right_, f.name);
    if (other == nullptr || right == nullptr) return {};
    if (*other == *right) continue;
    changes_rows = true;
    if (is_near(f, ref::io::widen(*other))) return {};
  }
  if (sums_fail_ && !changes_rows && mistaken != right_) return {};
  return {.may_explain = false, .is_refuted = !is_hidden(outputs_, mistaken, right_)};
}

}  // namespace normproof::verification::golden::gate
