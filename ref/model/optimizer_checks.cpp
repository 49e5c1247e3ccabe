#include "ref/model/optimizer_checks.hpp"

#include <fmt/format.h>

#include "ref/tensor/contract.hpp"

namespace normproof::ref::model {

using numeric::Clause;

namespace {

constexpr auto kFunction = "optimizer_step";

void check_fraction(std::string_view option, double value) {
  tensor::check_option(kFunction, option, value, value >= 0 && value < 1,
                       fmt::format("0 <= {} < 1", option), Clause::C1);
}

void check_not_negative(std::string_view option, double value, Clause clause) {
  tensor::check_option(kFunction, option, value, value >= 0, fmt::format("{} >= 0", option),
                       clause);
}

void check_optimizer_options(const SgdOptions& options) {
  check_not_negative("momentum", options.momentum, Clause::C1);
}
void check_optimizer_options(const AdamWOptions& o) {
  check_fraction("beta1", o.beta1);
  check_fraction("beta2", o.beta2);
  tensor::check_option(kFunction, "eps", o.eps, o.eps > 0, "eps > 0", Clause::C1);
  check_not_negative("weight_decay", o.weight_decay, Clause::C1);
}
void check_optimizer_options(const AdamOptions& options) {
  check_optimizer_options(convert_to_adamw_options(options));
}

}  // namespace

AdamWOptions convert_to_adamw_options(const AdamOptions& options) {
  return {options.beta1, options.beta2, options.eps, 0};
}
AdamWOptions convert_to_adamw_options(const AdamWOptions& options) {
  return options;
}

void check_optimizer(const OptimizerOptions& options) {
  std::visit([](const auto& o) { check_optimizer_options(o); }, options);
}

void check_learning_rate(double learning_rate) {
  check_not_negative("learning_rate", learning_rate, Clause::C2);
}

}  // namespace normproof::ref::model
