#include "verification/golden/plain/plain_optimizers.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <variant>

#include "verification/golden/corpus/arithmetic.hpp"
#include "verification/golden/plain/low_precision_number.hpp"
#include "verification/golden/plain/plain_arithmetic.hpp"
#include "verification/golden/plain/plain_math.hpp"
#include "verification/golden/plain/plain_rows.hpp"

namespace normproof::verification::golden::plain {

using corpus::find;
using corpus::output_dtype;
using corpus::usual_accumulation;

namespace {

using ref::model::OptimizerTensors;
using StepOp = MutationOperator;

/// Runs the steps of an optimizer, each written from its specification. The object is a visitor of
/// the optimizer's options.
template <class T>
class PlainOptimizer {
 public:
  PlainOptimizer(const PlainShape& shape, const OptimizerTensors& in, double learning_rate,
                 const Style& style, Sites& sites)
      : in_(in),
        learning_rate_(static_cast<T>(learning_rate)),
        a_(style, sites),
        sites_(sites),
        p_(copy(in.parameter)),
        previous_steps_(static_cast<std::size_t>(in.state.at("iterations").data()[0])) {
    read_rows("reading parameter", shape, p_, sites_);
    for (const auto& gradient : in.gradients) {
      gradients_.push_back(copy(gradient));
      read_rows("reading grad_parameter", shape, gradients_.back(), sites_);
    }
    for (const auto& [name, values] : in.state)
      if (name != "iterations") moments_[name] = copy(values);
  }

  /// Returns the parameters and moments after each step.
  std::map<std::string, std::vector<T>> take() { return std::move(out_); }
  /// Returns the number of iterations after each step. The type is `double`, because T may be too
  /// narrow for the number.
  const std::vector<double>& iterations() const { return iterations_; }

  void operator()(const ref::model::SgdOptions& o) {
    const T momentum = static_cast<T>(o.momentum);
    for (std::size_t s = 0; s < gradients_.size(); ++s) {
      const T lr = sites_.factor("learning rate", learning_rate_);
      std::vector<T> fresh = moments_["velocity"];
      for (std::size_t i = 0; i < p_.size(); ++i)
        p_[i] -= lr * (o.momentum > 0 ? velocity(momentum, s, i, fresh[i]) : gradient(s, i));
      store_moment("velocity", std::move(fresh));
      finish(s);
    }
  }
  void operator()(const ref::model::AdamOptions& o) { adam({o.beta1, o.beta2, o.eps, 0}, false); }
  void operator()(const ref::model::AdamWOptions& o) { adam(o, true); }

 private:
  /// The values of one step of Adam that all elements share: the options, the learning rate, and
  /// the bias corrections of both moments.
  struct AdamStep {
    T beta1, beta2, eps, decay, rate, first, second;
  };

  static std::vector<T> copy(const ref::tensor::Tensor<double>& tensor) {
    std::vector<T> values;
    values.reserve(tensor.size());
    for (const double v : tensor) values.push_back(static_cast<T>(v));
    return values;
  }

  static constexpr const char* kShards = "gradients of several shards";

  bool is_mutated(const char* site, StepOp op) { return sites_.any(site, {op}) == op; }

  T gradient(std::size_t s, std::size_t i) {
    const T& g = sites_.pick("gradient", gradients_[s][i], gradients_[s > 0 ? s - 1 : 0][i]);
    switch (sites_.any(kShards, {StepOp::twice, StepOp::four_times, StepOp::eight_times})) {
      case StepOp::twice:
        return 2 * g;
      case StepOp::four_times:
        return 4 * g;
      case StepOp::eight_times:
        return 8 * g;
      default:
        return sites_.factor("gradient", g);
    }
  }

  /// Updates the velocity v to `momentum v + g`, with the gradient g. Returns the velocity, which
  /// is the direction of the step.
  T velocity(T momentum, std::size_t s, std::size_t i, T& v) {
    const T g = gradient(s, i), old = v;
    const T share = is_mutated("dampening 1 - momentum", StepOp::insert) ? 1 - momentum : T(1);
    v = sites_.weight("momentum", momentum) * old + share * g;
    if (is_mutated("Nesterov's momentum", StepOp::insert)) return g + momentum * v;
    return sites_.pick("velocity in the step", v, old);
  }

  void adam(const ref::model::AdamWOptions& o, bool decays) {
    for (std::size_t s = 0; s < gradients_.size(); ++s) {
      AdamStep step{static_cast<T>(o.beta1),
                    static_cast<T>(o.beta2),
                    sites_.constant("eps", static_cast<T>(o.eps)),
                    static_cast<T>(o.weight_decay),
                    sites_.factor("learning rate", learning_rate_),
                    T(1),
                    T(1)};
      if (is_mutated("beta1 and beta2", StepOp::other)) std::swap(step.beta1, step.beta2);
      correct_bias(step, o, s);
      std::vector<T> first = moments_["first_moment"], second = moments_["second_moment"];
      for (std::size_t i = 0; i < p_.size(); ++i)
        p_[i] = decays ? adamw_update(step, s, i, first[i], second[i])
                       : p_[i] - adam_update(step, gradient(s, i), first[i], second[i]);
      store_moment("first_moment", std::move(first));
      store_moment("second_moment", std::move(second));
      finish(s);
    }
  }

  /// Computes the bias corrections `1 - beta^t` of both moments, with the step number t.
  void correct_bias(AdamStep& step, const ref::model::AdamWOptions& o, std::size_t s) {
    const bool anew = is_mutated("steps done before, in the bias correction", StepOp::drop);
    const std::size_t t = sites_.count("step in the bias correction", anew ? s + 1 : step_count(s));
    const auto correction = [&](T beta, double exact) {
      if (a_.style().powers) return static_cast<T>(1 - std::pow(exact, static_cast<double>(t)));
      T power = 1;
      for (std::size_t k = 0; k < t; ++k) power *= beta;
      return 1 - power;
    };
    if (!is_mutated("bias correction of the first moment", StepOp::drop))
      step.first = correction(step.beta1, o.beta1);
    if (!is_mutated("bias correction of the second moment", StepOp::drop))
      step.second = correction(step.beta2, o.beta2);
    if (is_mutated("the two bias corrections", StepOp::other)) std::swap(step.first, step.second);
  }

  /// Returns the parameter after a step of AdamW. Its weight decay is separate from the gradient: p
  /// is multiplied by `1 - lr decay`, with the learning rate lr.
  T adamw_update(const AdamStep& step, std::size_t s, std::size_t i, T& first, T& second) {
    const T p = p_[i], decay = sites_.term("weight decay", step.decay);
    const T g = gradient(s, i);
    const StepOp added =
        sites_.any("weight decay added to the gradient", {StepOp::insert, StepOp::twice});
    if (added == StepOp::insert) return p - adam_update(step, g + decay * p, first, second);
    const T share = decay * sites_.factor("learning rate of the weight decay", step.rate);
    const T step_of_moments =
        adam_update(step, added == StepOp::twice ? g + decay * p : g, first, second);
    if (is_mutated("weight decay after the step", StepOp::insert))
      return (p - step_of_moments) * (1 - share);
    return a_.style().divide ? p - (share * p + step_of_moments)
                             : p * (1 - share) - step_of_moments;
  }

  /// Returns the amount by which the parameter decreases, and updates both moments.
  T adam_update(const AdamStep& step, T g, T& first, T& second) {
    const T old_first = first, old_second = second;
    const T fresh1 = is_mutated("1 - beta1", StepOp::drop) ? T(1) : 1 - step.beta1;
    const T fresh2 = is_mutated("1 - beta2", StepOp::drop) ? T(1) : 1 - step.beta2;
    first = sites_.weight("beta1", step.beta1) * old_first + fresh1 * g;
    const T square = is_mutated("square of the gradient", StepOp::drop) ? (g < 0 ? -g : g) : g * g;
    second = sites_.weight("beta2", step.beta2) * old_second + fresh2 * square;
    T m = sites_.pick("first moment in the step", first, old_first);
    T v = sites_.pick("second moment in the step", second, old_second);
    if (is_mutated("Nesterov's momentum", StepOp::insert))
      m = step.beta1 * first + (1 - step.beta1) * g;
    if (is_mutated("largest second moment", StepOp::insert)) v = std::max(v, old_second);
    return a_.style().divide ? step.rate * (m / step.first) / root(step, v)
                             : a_.over(step.rate, step.first) * m / root(step, v);
  }

  /// Returns the denominator of the step: `sqrt(v / (1 - beta2^t)) + eps`, with the second moment v
  /// and the step number t.
  T root(const AdamStep& step, T v) {
    const StepOp early =
        sites_.any("eps before the bias correction", {StepOp::insert, StepOp::inside_root});
    if (early == StepOp::insert) return (adl_sqrt(v) + step.eps) / adl_sqrt(step.second);
    if (early == StepOp::inside_root) return adl_sqrt((v + step.eps) / step.second);
    const T corrected = v / step.second;
    switch (
        sites_.any("eps", {StepOp::drop, StepOp::ten_times, StepOp::inside_root, StepOp::no_root,
                           StepOp::root_twice, StepOp::negate, StepOp::square})) {
      case StepOp::drop:
        return adl_sqrt(corrected);
      case StepOp::ten_times:
        return adl_sqrt(corrected) + 10 * step.eps;
      case StepOp::inside_root:
        return adl_sqrt(corrected + step.eps);
      case StepOp::no_root:
        return corrected + step.eps;
      case StepOp::root_twice:
        return adl_sqrt(adl_sqrt(corrected)) + step.eps;
      case StepOp::negate:
        return adl_sqrt(corrected) - step.eps;
      case StepOp::square:
        return adl_sqrt(corrected) + step.eps * step.eps;
      default:
        break;
    }
    return a_.style().divide ? adl_sqrt(corrected) + step.eps
                             : adl_sqrt(v) / adl_sqrt(step.second) + step.eps;
  }

  /// Stores a moment for the next step.
  void store_moment(const std::string& name, std::vector<T> fresh) {
    const auto own = moments_.find(name);
    if (fresh.empty() || is_mutated(("moving " + name).c_str(), StepOp::drop)) return;
    if (is_mutated(("keeping " + name).c_str(), StepOp::through_bfloat16))
      for (T& v : fresh) v = Sites::rounded_to<8>(v);
    own->second = std::move(fresh);
  }

  void finish(std::size_t s) {
    store_output("parameter", p_);
    for (const auto& [name, values] : moments_)
      if (!values.empty()) store_output(name, values);
    iterations_.push_back(static_cast<double>(sites_.count("returned iterations", step_count(s))));
  }

  /// Returns the total number of steps up to and including step s.
  std::size_t step_count(std::size_t s) {
    return is_mutated("step counter", StepOp::reset) ? 1 : previous_steps_ + s + 1;
  }

  void store_output(const std::string& name, const std::vector<T>& values) {
    std::vector<T>& all = out_[name];
    all.insert(all.end(), values.begin(), values.end());
  }

  const OptimizerTensors& in_;
  T learning_rate_;
  PlainArithmetic<T> a_;
  Sites& sites_;
  std::vector<T> p_;
  std::size_t previous_steps_;  ///< number of steps done before the case
  std::vector<std::vector<T>> gradients_;
  std::map<std::string, std::vector<T>> moments_, out_;
  std::vector<double> iterations_;
};

template <class T>
std::vector<StoredTensor> run_steps_with_scalar_type(const Case& c, const EvalInputs& inputs,
                                                     const Style& style, Sites& sites) {
  const auto& operation = std::get<ref::model::OptimizerOperation>(c.options);
  const std::vector<std::size_t>& shape = find(c.inputs, "parameter")->shape;
  const std::size_t width = shape.back(), count = inputs.optimizer.parameter.size();
  PlainOptimizer<T> optimizer({count / width, 1, width}, inputs.optimizer, operation.learning_rate,
                              style, sites);
  std::visit(optimizer, operation.optimizer);
  const auto stacked = [&](std::vector<std::size_t> own) {
    if (c.sequence) own.insert(own.begin(), inputs.optimizer.gradients.size());
    return own;
  };
  std::vector<StoredTensor> tensors = {
      ref::io::make_tensor("iterations", DType::int64, stacked({1}), optimizer.iterations())};
  for (auto& [name, values] : optimizer.take()) {
    write_rows(name, {values.size() / width, 1, width}, values, sites, false);
    tensors.push_back(
        stored_tensor(name, output_dtype(c.dtype, name), stacked(shape), values, style, sites));
  }
  return tensors;
}

}  // namespace

std::vector<StoredTensor> run_plain_optimizer(const Case& c, const EvalInputs& inputs,
                                              const Style& style, Sites& sites) {
  return in_arithmetic(style.accumulation.value_or(usual_accumulation(c.dtype)), [&]<class T>(T) {
    return run_steps_with_scalar_type<T>(c, inputs, style, sites);
  });
}

}  // namespace normproof::verification::golden::plain
