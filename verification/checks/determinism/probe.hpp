#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "ref/numeric/random.hpp"
#include "ref/tensor/tensor.hpp"

namespace normproof::verification::checks::determinism {

/// The bits that a probe computes, in order: of doubles, or whole numbers of 64 bits.
class Values {
 public:
  /// A NaN is written 7ff8000000000000: which NaN an operation gives is not promised.
  void add(double x);
  void add(std::uint64_t bits) { bits_.push_back(bits); }
  void add(const ref::tensor::Tensor<double>& t);
  void add(const std::vector<double>& values);

  /// One value for every 256 elements, FNV-1a over their bits: every bit counts, and a large tensor
  /// takes little room.
  void add_folded(const ref::tensor::Tensor<double>& t);

  const std::vector<std::uint64_t>& bits() const { return bits_; }

 private:
  std::vector<std::uint64_t> bits_;
};

/// A computation of the reference whose bits the contract promises (docs/specification/determinism.md). Its
/// inputs are functions of its name; what it computes depends on neither threads nor processor.
struct Probe {
  std::string name;  ///< "<group>/<case>", lower case
  std::function<void(Values&)> run;
};

/// Every probe, sorted by name; the names differ.
std::vector<Probe> probes();

/// The groups, each in a source of its own.
void add_activation_probes(std::vector<Probe>& probes);
void add_arithmetic_probes(std::vector<Probe>& probes);
void add_elementary_probes(std::vector<Probe>& probes);
void add_float32_norm_probes(std::vector<Probe>& probes);
void add_function_probes(std::vector<Probe>& probes);
void add_matmul_probes(std::vector<Probe>& probes);
void add_norm_probes(std::vector<Probe>& probes);
void add_random_probes(std::vector<Probe>& probes);
void add_sum_probes(std::vector<Probe>& probes);
void add_training_probes(std::vector<Probe>& probes);

/// Inputs, each a function of the probe's name and of its place, by operations of the contract
/// alone: Weyl's sequence from a random number on, mixed by splitmix64 [SLF14].
class Inputs {
 public:
  explicit Inputs(const std::string& probe)
      : stream_(20260101, probe), state_(stream_.bits(std::uint64_t{1} << 63)) {}

  std::uint64_t bits();
  std::uint64_t below(std::uint64_t count) { return bits() % count; }
  /// Uniform on [lower, upper).
  double uniform(double lower, double upper);
  double normal() { return stream_.normal(index_++); }
  /// Random sign and mantissa; the exponent uniform from least to most, -1074 at least: below -1022
  /// the number is subnormal.
  double wide(int least, int most);

  std::vector<double> uniforms(std::size_t count, double lower, double upper);
  std::vector<double> wides(std::size_t count, int least, int most);
  ref::tensor::Tensor<double> normals(const ref::tensor::Shape& shape);
  ref::tensor::Tensor<double> uniforms(const ref::tensor::Shape& shape, double lower, double upper);
  ref::tensor::Tensor<double> wides(const ref::tensor::Shape& shape, int least, int most);

  /// Terms that cancel: each is followed by its negative, changed in the last places.
  ref::tensor::Tensor<double> cancelling(const ref::tensor::Shape& shape);

 private:
  ref::numeric::RandomStream stream_;
  std::uint64_t state_;
  std::uint64_t index_ = 0;
};

}  // namespace normproof::verification::checks::determinism
