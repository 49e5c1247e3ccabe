#include "ref/norm/layer_support.hpp"

namespace normproof::ref::norm {

ValidRows::ValidRows(std::string_view function, const Mask& valid, const Shape& x_shape) {
  tensor::check_mask(function, valid, x_shape, Clause::C8);
  std::size_t rows = 1;
  for (const std::size_t extent : row_shape(x_shape)) rows *= extent;
  if (!tensor::is_given(valid)) {
    count_ = rows;
    return;
  }
  flags_ = valid.data();
  for (std::size_t row = 0; row < rows; ++row)
    if (flags_[row]) rows_.push_back(row);
  count_ = rows_.size();
  if (count_ == 0)
    numeric::contract_failure(function, "valid", "has no valid row", "at least one valid row",
                              Clause::C8);
  if (count_ == rows) rows_.clear();
}

void check_eps(std::string_view function, double eps) {
  tensor::check_option(function, "eps", eps, eps >= 0, "eps >= 0", Clause::C2);
}

std::size_t check_groups(std::string_view function, std::int64_t groups, std::size_t d_model) {
  const bool divides = groups >= 1 && d_model % static_cast<std::size_t>(groups) == 0;
  if (!divides) {
    numeric::contract_failure(function, "groups", "is " + std::to_string(groups),
                              "a divisor of D = " + std::to_string(d_model), Clause::C11);
  }
  return static_cast<std::size_t>(groups);
}

void check_count(std::string_view function, std::string_view option, std::int64_t count,
                 Clause clause) {
  if (count < 0)
    numeric::contract_failure(function, option, "is " + std::to_string(count), "0 or more", clause);
}

void check_decay(std::string_view function, std::string_view option, double decay) {
  tensor::check_option(function, option, decay, decay >= 0 && decay <= 1, "a weight in [0, 1]",
                       Clause::C9);
}

}  // namespace normproof::ref::norm
