#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <tuple>
#include <vector>

#include "ref/model/norm_layers.hpp"
#include "ref/norm/norm.hpp"

/// Checks an implementation of a layer against the description of the layer in model::norm_layers:
///
/// - the names and shapes of the outputs,
/// - which elements of y depend on an element of x or of a parameter,
/// - that a shift which the layer must ignore changes nothing,
/// - that grad_x is the derivative.
///
/// Each layer is checked with all of its switches on and with each single switch off. The tests of
/// ref, gpu, the oracle and the plain implementations use these checks.
namespace normproof::ref::norm {

using model::NormLayer;
using model::NormOptions;
using model::Partition;
using tensor::NamedTensors;

using Implementation = std::function<NormStep<double>(const NormOptions&, const NormInputs<double>&,
                                                      const NamedTensors<double>& state)>;

/// Returns options of the layer with two groups. They make every statistic come from the current
/// batch: PowerNorm is in its warm-up, and BatchRenorm has r = 1 and d = 0.
inline NormOptions described_options(const std::string& layer) {
  NormOptions options = model::norm_options(layer);
  for (const auto& [field, value] : {std::pair{"groups", "2"},
                                     {"warmup_iterations", "1"},
                                     {"r_max", "1"},
                                     {"d_max", "0"},
                                     {"alpha0", "0.75"}})
    for (const auto& [layer_field, present] : model::list_options(options))
      if (layer_field == field) model::set_option(options, field, value);
  return options;
}

/// Returns a number in [-1, 1] that depends only on i. Successive numbers look random.
inline double pseudorandom_value(std::size_t i) {
  const double angle = 12.9898 * static_cast<double>(i + 1);
  return std::sin(angle * angle);
}

inline tensor::Tensor<double> pseudorandom_tensor(const tensor::Shape& shape, std::size_t stream) {
  auto values = tensor::empty_tensor<double>(shape);
  for (std::size_t i = 0; i < values.size(); ++i)
    values.data()[i] = pseudorandom_value(100 * stream + i);
  return values;
}

class DescribedLayer {
 public:
  DescribedLayer(const std::string& layer, Implementation run)
      : options_(described_options(layer)),
        layer_(model::norm_layer(options_)),
        run_(std::move(run)) {
    in_.x = pseudorandom_tensor({kSamples, kTokens, kFeatures}, 1);
    in_.grad_y = pseudorandom_tensor({kSamples, kTokens, kFeatures}, 2);
    in_.valid = tensor::full_tensor<bool>({kSamples, kTokens}, true);
    in_.valid.data()[kPadding] = false;
    for (const auto& p : layer_.parameters)
      parameter(in_, p.name) =
          pseudorandom_tensor({model::entry_extent(p.shape, kFeatures)}, 3 + p.name.size());
    for (const auto& entry : layer_.state) {
      auto values =
          tensor::full_tensor<double>({model::entry_extent(entry.shape, kFeatures)}, entry.initial);
      for (std::size_t d = 0; d < values.size() && values.size() > 1; ++d)
        values.data()[d] += 0.25 + std::fabs(pseudorandom_value(7 * d + entry.name.size()));
      state_.set(entry.name, values);
    }
  }

  void check() {
    SCOPED_TRACE(std::string(layer_.name));
    check_modes();
    const NormOptions all_on = options_;
    for (const model::NormPartition& c : layer_.cells) {
      if (c.option.empty()) continue;
      SCOPED_TRACE("without " + std::string(c.option));
      model::set_option(options_, c.option, "false");
      check_modes();
      options_ = all_on;
    }
  }

 private:
  void check_modes() {
    for (const model::Mode mode : {model::Mode::training, model::Mode::inference}) {
      SCOPED_TRACE(mode == model::Mode::training ? "training" : "inference");
      in_.mode = mode;
      check_names_and_shapes();
      check_dependence_on_x();
      check_dependence_on_parameters();
      check_shift_invariance();
      check_gradients();
      check_absent_parameters();
    }
  }

  static constexpr std::size_t kSamples = 2, kTokens = 3, kFeatures = 6, kGroups = 2, kPadding = 4;
  static constexpr std::size_t kElements = kSamples * kTokens * kFeatures;

  static tensor::Tensor<double>& parameter(NormInputs<double>& in, std::string_view name) {
    if (name == "gamma") return in.gamma;
    if (name == "beta") return in.beta;
    if (!in.others.contains(name)) in.others.set(name, {});
    return in.others.at(name);
  }

  NormStep<double> step(const NormInputs<double>& in) const { return run_(options_, in, state_); }
  tensor::Tensor<double> compute_y(const NormInputs<double>& in) const {
    return step(in).outputs.at("y");
  }
  bool training() const { return in_.mode == model::Mode::training; }

  void check_names_and_shapes() const {
    const NormStep<double> got = step(in_);
    NamedTensors<double> expected;
    const auto expect = [&](std::string_view name, const tensor::Shape& shape) {
      expected.set(name, tensor::full_tensor<double>(shape, 0));
    };
    expect("y", shape_of(in_.x));
    expect("grad_x", shape_of(in_.x));
    for (const auto& s : layer_.statistics)
      if ((training() || s.of == model::StatisticAvailability::forward) &&
          model::is_switched_on(options_, s.option))
        expect(s.name, model::entry_extents(s.shape, shape_of(in_.x), options_));
    for (const auto& p : layer_.parameters)
      expect("grad_" + std::string(p.name), {model::entry_extent(p.shape, kFeatures)});
    check_equal_outputs(got.outputs, expected);
    expected = {};
    for (const auto& entry : layer_.state)
      expect(entry.name, {model::entry_extent(entry.shape, kFeatures)});
    check_equal_outputs(got.state, expected);
  }

  static void check_equal_outputs(const NamedTensors<double>& got,
                                  const NamedTensors<double>& expected) {
    std::vector<std::string> names = got.names(), wanted = expected.names();
    std::ranges::sort(names);
    std::ranges::sort(wanted);
    EXPECT_EQ(names, wanted);
    for (const auto& [name, values] : expected) {
      if (!got.contains(name)) continue;
      EXPECT_EQ(shape_of(got.at(name)), shape_of(values)) << name;
    }
  }

  /// Returns the partitions of x whose statistics are computed from this batch. In inference, a
  /// layer with running statistics per channel computes no statistics from the batch.
  std::vector<model::NormPartition> cells() const {
    std::vector<model::NormPartition> result;
    for (const model::NormPartition& c : layer_.cells)
      if (model::is_switched_on(options_, c.option) &&
          (training() || layer_.state.empty() || c.partition != Partition::channel))
        result.push_back(c);
    return result;
  }

  /// Returns the index of the cell of the partition that contains element i of x. All elements of a
  /// cell share their statistics.
  static std::tuple<std::size_t, std::size_t> cell_index(Partition partition, std::size_t i) {
    const std::size_t row = i / kFeatures, sample = row / kTokens, feature = i % kFeatures;
    const std::size_t group = feature / (kFeatures / kGroups);
    switch (partition) {
      case Partition::row:
        return {row, 0};
      case Partition::row_group:
        return {row, group};
      case Partition::channel:
        return {0, feature};
      case Partition::sample_channel:
        return {sample, feature};
      case Partition::sample_group:
        return {sample, group};
    }
    return {};
  }

  bool is_counted_in_statistics(Partition partition, std::size_t i) const {
    return partition == Partition::row || partition == Partition::row_group ||
           in_.valid.data()[i / kFeatures];
  }

  /// Returns for each element of y whether it depends on element j of x according to the
  /// description. The layer applies its partitions in turn, and each extends the set of affected
  /// elements.
  std::vector<bool> described_dependence(std::size_t j) const {
    std::vector<bool> depends_on_x(kElements, false);
    depends_on_x[j] = true;
    for (const model::NormPartition& c : cells()) {
      const std::vector<bool> before = depends_on_x;
      for (std::size_t k = 0; k < kElements; ++k)
        for (std::size_t i = 0;
             i < kElements && before[k] && is_counted_in_statistics(c.partition, k); ++i)
          if (cell_index(c.partition, i) == cell_index(c.partition, k)) depends_on_x[i] = true;
    }
    return depends_on_x;
  }

  void check_dependence_on_x() const {
    const auto y = compute_y(in_);
    for (const std::size_t j : {std::size_t{0}, std::size_t{9}, kPadding * kFeatures + 1}) {
      NormInputs<double> moved = in_;
      moved.x.data()[j] += 0.375;
      const auto now = compute_y(moved);
      std::vector<bool> depends_on_x(kElements);
      for (std::size_t i = 0; i < kElements; ++i) depends_on_x[i] = now.data()[i] != y.data()[i];
      EXPECT_EQ(depends_on_x, described_dependence(j)) << "from element " << j << " of x";
    }
  }

  /// Checks that an element of a parameter [D] affects exactly the elements of its feature in y,
  /// and that a parameter [1] affects every element of y.
  void check_dependence_on_parameters() const {
    const auto y = compute_y(in_);
    for (const auto& p : layer_.parameters) {
      const std::size_t extent = model::entry_extent(p.shape, kFeatures);
      for (std::size_t k = 0; k < extent; ++k) {
        NormInputs<double> moved = in_;
        parameter(moved, p.name).data()[k] += 0.375;
        const auto now = compute_y(moved);
        for (std::size_t i = 0; i < kElements; ++i)
          EXPECT_EQ(now.data()[i] != y.data()[i], extent == 1 || i % kFeatures == k)
              << "from element " << k << " of " << p.name << " to element " << i;
      }
    }
  }

  /// Checks that a shift of all elements of a cell changes y unless the layer subtracts the mean of
  /// the cell.
  void check_shift_invariance() const {
    const auto y = compute_y(in_);
    for (const model::NormPartition& c : cells()) {
      NormInputs<double> moved = in_;
      for (std::size_t i = 0; i < kElements; ++i)
        if (cell_index(c.partition, i) == cell_index(c.partition, 0)) moved.x.data()[i] += 1.5;
      const auto now = compute_y(moved);
      double largest = 0;
      for (std::size_t i = 0; i < kElements; ++i)
        largest = std::max(largest, std::fabs(now.data()[i] - y.data()[i]));
      EXPECT_EQ(largest < 1e-9, c.centred)
          << model::to_string(c.partition) << " moved by " << largest;
    }
  }

  /// Returns two sums over all elements of `grad_y * y`: the sum of the elements, which is the
  /// loss, and the sum of their magnitudes. The second sum bounds the rounding error of the loss.
  std::pair<double, double> loss(const NormInputs<double>& in) const {
    const auto y = compute_y(in);
    double sum = 0, magnitude = 0;
    for (std::size_t i = 0; i < kElements; ++i) {
      sum += y.data()[i] * in.grad_y.data()[i];
      magnitude += (1 + std::fabs(y.data()[i])) * std::fabs(in.grad_y.data()[i]);
    }
    return {sum, magnitude};
  }

  /// Compares element j of a gradient with a central difference of the loss. Returns their distance
  /// minus the error bound of the central difference; a positive result is a fault. The bound is
  /// the change when the step doubles, plus `2^-46 * magnitude / step`, because each term of y
  /// results from fewer than 128 roundings.
  double derivative_error_beyond_bound(
      const tensor::Tensor<double>& gradient, std::size_t j,
      const std::function<double&(NormInputs<double>&)>& element) const {
    constexpr double kStep = 0x1p-17;
    const auto difference = [&](double step) {
      NormInputs<double> above = in_, below = in_;
      element(above) += step;
      element(below) -= step;
      return (loss(above).first - loss(below).first) / (2 * step);
    };
    const double slope = difference(kStep);
    const double off =
        std::fabs(difference(2 * kStep) - slope) + 0x1p-46 * loss(in_).second / kStep;
    return std::fabs(slope - gradient.data()[j]) - off;
  }

  void check_gradients() const {
    const NormStep<double> got = step(in_);
    double largest = -1;
    for (std::size_t j = 0; j < kElements; j += 5)
      largest = std::max(largest, derivative_error_beyond_bound(
                                      got.outputs.at("grad_x"), j,
                                      [j](auto& in) -> double& { return in.x.data()[j]; }));
    EXPECT_EQ(largest <= 0, layer_.exact_backward || !training()) << "grad_x is off by " << largest;
    for (const auto& p : layer_.parameters)
      EXPECT_LE(derivative_error_beyond_bound(
                    got.outputs.at("grad_" + std::string(p.name)), 0,
                    [&p](auto& in) -> double& { return parameter(in, p.name).data()[0]; }),
                0)
          << p.name;
  }

  void check_absent_parameters() const {
    NormInputs<double> absent = in_, fill_missing_parameter = in_;
    for (const auto& p : layer_.parameters) {
      parameter(absent, p.name) = {};
      parameter(fill_missing_parameter, p.name) = tensor::full_tensor<double>(
          {model::entry_extent(p.shape, kFeatures)}, model::initial_value(options_, p));
    }
    const auto got = compute_y(absent), expected = compute_y(fill_missing_parameter);
    for (std::size_t i = 0; i < kElements; ++i) EXPECT_EQ(got.data()[i], expected.data()[i]) << i;
  }

  NormOptions options_;
  const NormLayer& layer_;
  Implementation run_;
  NormInputs<double> in_;
  NamedTensors<double> state_;
};

/// Checks the implementation `run` against the description of every layer in model::norm_layers.
inline void expect_layers_match_descriptions(const Implementation& run) {
  for (const NormLayer& layer : model::norm_layers())
    DescribedLayer(std::string(layer.name), run).check();
}

}  // namespace normproof::ref::norm
