#include "ref/train/learning_rate.hpp"

#include <fmt/format.h>

#include "ref/numeric/square_root.hpp"
#include "ref/tensor/contract.hpp"

namespace normproof::ref::train {

using numeric::Clause;

namespace {

/// Checks that a count is in the range from `least` to 2^53. Returns it as a `double`, which is
/// exact.
double check_and_return_count(std::string_view argument, std::int64_t count, std::int64_t least,
                              Clause clause) {
  constexpr std::int64_t kMaximum = std::int64_t{1} << 53;
  if (count < least || count > kMaximum)
    numeric::contract_failure("learning_rate", argument, fmt::format("is {}", count),
                              fmt::format("{} <= {} <= 2^53", least, argument), clause);
  return static_cast<double>(count);
}

double warmup(std::int64_t warmup_steps, std::int64_t least) {
  return check_and_return_count("warmup_steps", warmup_steps, least, Clause::C3);
}

double rate_factor(const model::ConstantRate&, double) {
  return 1;
}
double rate_factor(const model::LinearWarmup& options, double t) {
  const double w = warmup(options.warmup_steps, 0);
  return t < w ? t / w : 1;
}
double rate_factor(const model::InverseSquareRoot& options, double t) {
  const double w = warmup(options.warmup_steps, 1);
  return t < w ? t / w : numeric::square_root(w / t);
}

}  // namespace

double learning_rate(const model::ScheduleOptions& options, double base_rate, std::int64_t step) {
  tensor::check_option("learning_rate", "base_rate", base_rate, base_rate >= 0, "base_rate >= 0",
                       Clause::C1);
  const double t = check_and_return_count("step", step, 1, Clause::C2);
  return base_rate * std::visit([t](const auto& o) { return rate_factor(o, t); }, options);
}

}  // namespace normproof::ref::train
