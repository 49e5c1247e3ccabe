#include "verification/checks/lipschitz/layer_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>

#include "ref/tensor/contract.hpp"
#include "verification/checks/lipschitz/diagonal.hpp"
#include "verification/checks/lipschitz/normalized.hpp"

namespace normproof::verification::checks::lipschitz {

namespace model = ref::model;
using ref::model::NormInputs;
using ref::numeric::Clause;
using ref::tensor::NamedTensors;
using ref::tensor::Tensor;

namespace {

using Vector = Jacobian::Vector;

std::vector<std::size_t> valid_rows(const NormInputs<double>& inputs, std::size_t count) {
  std::vector<std::size_t> rows;
  const bool masked = ref::tensor::is_given(inputs.valid);
  for (std::size_t i = 0; i < count; ++i)
    if (!masked || inputs.valid.data()[i]) rows.push_back(i);
  if (rows.empty())
    ref::numeric::contract_failure("lipschitz", "valid", "is true nowhere",
                                   "one row at least that is no padding", Clause::C3);
  return rows;
}

Tensor<double> select_rows(const Tensor<double>& x, const std::vector<std::size_t>& rows,
                           std::size_t width) {
  Tensor<double> taken = ref::tensor::empty_tensor<double>({rows.size(), width});
  for (std::size_t i = 0; i < rows.size(); ++i)
    std::copy_n(x.data() + rows[i] * width, width, taken.data() + i * width);
  return taken;
}

/// Replaces power_norm by a layer whose backward is exact. During warm-up, the replacement is
/// power_norm_v. After warm-up, it is power_norm in inference.
void use_exact_backward(Step& step) {
  const auto* const power = std::get_if<model::PowerNormOptions>(&step.options);
  if (power == nullptr || step.inputs.mode == model::Mode::inference) return;
  if (step.state.at("iterations").data()[0] + 1 > static_cast<double>(power->warmup_iterations)) {
    step.inputs.mode = model::Mode::inference;
    return;
  }
  step.options = model::PowerNormVOptions{.eps = power->eps};
  step.state = ref::norm::initial_state<double>(step.options, step.width);
}

class PartsBuilder {
 public:
  explicit PartsBuilder(const Step& step) : step_(step) {
    gamma_ = given("gamma").value_or(Vector(step.width, 1));
  }

  Parts operator()(const model::LayerNormOptions& o) const { return split_by_row(o.eps, true); }
  Parts operator()(const model::RMSNormOptions& o) const { return split_by_row(o.eps, false); }
  Parts operator()(const model::BatchNormOptions& o) const {
    return split_by_channel(o.eps, true, "running_variance");
  }
  Parts operator()(const model::PowerNormVOptions& o) const {
    return split_by_channel(o.eps, false, "running_psi2");
  }
  Parts operator()(const model::PowerNormOptions& o) const {
    return split_by_channel(o.eps, false, "running_psi2");
  }
  Parts operator()(const model::DyTOptions& o) const {
    const double alpha = given("alpha").value_or(Vector{o.alpha0}).front();
    Parts parts{PartKind::channel, "|alpha gamma|"};
    for (const double gamma : gamma_)
      parts.jacobians.push_back(std::make_unique<DyTJacobian>(gamma, alpha));
    return parts;
  }
  template <class Other>
  Parts operator()(const Other&) const {
    std::string known;
    for (const std::string& name : layer_names()) known += (known.empty() ? "" : ", ") + name;
    ref::numeric::contract_failure("lipschitz", "LAYER", "is " + model::norm_name(step_.options),
                                   "one of " + known, Clause::C1);
  }

 private:
  std::optional<Vector> given(std::string_view name) const {
    const auto* const values = model::find_parameter(step_.inputs, name);
    if (values == nullptr) return std::nullopt;
    return Vector(values->begin(), values->end());
  }

  Parts split_by_row(double eps, bool centred) const {
    Parts parts{PartKind::row, centred ? "max|gamma|/sigma" : "max|gamma|/rms"};
    for (std::size_t i = 0; i < step_.rows.size(); ++i)
      parts.jacobians.push_back(std::make_unique<NormalizedJacobian>(gamma_, eps, centred));
    return parts;
  }

  Parts split_by_channel(double eps, bool centred, std::string_view running) const {
    const bool moves = step_.inputs.mode == model::Mode::training;
    Parts parts{PartKind::channel,
                fmt::format("|gamma|/{}{}", moves ? "" : "running ", centred ? "sigma" : "psi")};
    for (std::size_t d = 0; d < gamma_.size(); ++d) {
      if (moves)
        parts.jacobians.push_back(
            std::make_unique<NormalizedJacobian>(Vector{gamma_[d]}, eps, centred));
      else
        parts.jacobians.push_back(std::make_unique<RunningStatisticsJacobian>(
            gamma_[d], step_.state.at(running).data()[d], eps));
    }
    return parts;
  }

  const Step& step_;
  Vector gamma_;
};

}  // namespace

Step make_exact_step(const model::NormOptions& options, const NormInputs<double>& inputs,
                     const NamedTensors<double>& state) {
  // The forward throws if the layer rejects the inputs.
  ref::norm::norm_forward<double>(options, inputs, state);
  Step step{options, inputs, state, {}, ref::tensor::shape_of(inputs.x).back()};
  step.rows = valid_rows(inputs, inputs.x.size() / step.width);
  step.inputs.x = select_rows(inputs.x, step.rows, step.width);
  step.inputs.valid = ref::tensor::Mask();
  step.inputs.grad_y = Tensor<double>();
  use_exact_backward(step);
  return step;
}

Jacobian::Vector Parts::gather(const Tensor<double>& values, std::size_t part) const {
  Vector result;
  const bool split_by_row = kind == PartKind::row;
  for (std::size_t i = 0; i < (split_by_row ? width : rows); ++i)
    result.push_back(values.data()[split_by_row ? part * width + i : i * width + part]);
  return result;
}

void Parts::scatter(Tensor<double>& values, std::size_t part, const Vector& from) const {
  const bool split_by_row = kind == PartKind::row;
  for (std::size_t i = 0; i < from.size(); ++i)
    values.data()[split_by_row ? part * width + i : i * width + part] = from[i];
}

Parts make_parts(const Step& step) {
  Parts parts = std::visit(PartsBuilder(step), step.options);
  parts.rows = step.rows.size();
  parts.width = step.width;
  return parts;
}

Step select_parts(const Step& step, PartKind kind, const std::vector<std::size_t>& parts,
                  const Tensor<double>& x, const Tensor<double>& grad_y) {
  Step some = step;
  if (kind == PartKind::row) {
    some.inputs.x = select_rows(x, parts, step.width);
    some.inputs.grad_y = select_rows(grad_y, parts, step.width);
    return some;
  }
  const auto gather = [&](const Tensor<double>& from) {
    if (!ref::tensor::is_given(from) || ref::tensor::shape_of(from).back() != step.width)
      return from;  // a parameter or a state shared by all channels
    ref::tensor::Shape shape = ref::tensor::shape_of(from);
    shape.back() = parts.size();
    Tensor<double> taken = ref::tensor::empty_tensor<double>(shape);
    for (std::size_t i = 0; i < taken.size(); ++i)
      taken.data()[i] = from.data()[i / parts.size() * step.width + parts[i % parts.size()]];
    return taken;
  };
  some.width = parts.size();
  some.inputs.x = gather(x);
  some.inputs.grad_y = gather(grad_y);
  some.inputs.gamma = gather(step.inputs.gamma);
  some.inputs.beta = gather(step.inputs.beta);
  for (auto& [name, values] : some.state)
    if (name != "iterations") values = gather(values);
  return some;
}

Tensor<double> insert_padding_rows(const Tensor<double>& packed, const Step& step,
                                   const Tensor<double>& padding) {
  Tensor<double> result = padding;
  for (std::size_t i = 0; i < step.rows.size(); ++i)
    std::copy_n(packed.data() + i * step.width, step.width,
                result.data() + step.rows[i] * step.width);
  return result;
}

}  // namespace normproof::verification::checks::lipschitz
