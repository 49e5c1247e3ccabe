#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "ref/numeric/random.hpp"
#include "ref/tensor/tensor.hpp"

namespace normproof::verification::checks::determinism {

/// The values that a probe computes, in order, as the bits of doubles or as 64-bit integers.
class Values {
 public:
  /// Adds the bits of x. Operations may give any NaN, so every NaN is added as 7ff8000000000000.
  void add(double x);
  void add(std::uint64_t bits) { bits_.push_back(bits); }
  void add(const ref::tensor::Tensor<double>& t);
  void add(const std::vector<double>& values);

  /// Adds one value for every 256 elements of t: the FNV-1a hash of their bits. It depends on every
  /// bit and takes little space.
  void add_block_hashes(const ref::tensor::Tensor<double>& t);

  const std::vector<std::uint64_t>& bits() const { return bits_; }

 private:
  std::vector<std::uint64_t> bits_;
};

/// A computation of ref whose bits the arithmetic contract guarantees
/// (docs/specification/determinism.md). Its inputs depend only on its name. Its results depend
/// neither on the number of threads nor on the processor.
struct Probe {
  std::string name;  ///< "<group>/<case>", lower case
  std::function<void(Values&)> run;
};

/// Returns every probe, sorted by name. The names are distinct.
std::vector<Probe> probes();

/// Add the probes of one group. Each group has its own source file.
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

/// Generates the inputs of a probe. Each input is a function of the probe's name and of the index
/// of the input. The generator uses only operations of the contract: Weyl's sequence from a random
/// start, mixed by splitmix64 [SLF14].
class Inputs {
 public:
  explicit Inputs(const std::string& probe)
      : stream_(20260101, probe), state_(stream_.bits(std::uint64_t{1} << 63)) {}

  std::uint64_t bits();
  std::uint64_t below(std::uint64_t count) { return bits() % count; }
  /// Returns a random number, uniform on [lower, upper).
  double uniform(double lower, double upper);
  double normal() { return stream_.normal(index_++); }
  /// Returns a random number. Sign and mantissa are random. The exponent is uniform from `least` to
  /// `most`; `least` must be at least -1074. The number is subnormal if its exponent is below
  /// -1022.
  double wide_range_number(int least, int most);

  std::vector<double> draw_uniforms(std::size_t count, double lower, double upper);
  std::vector<double> wide_range_numbers(std::size_t count, int least, int most);
  ref::tensor::Tensor<double> draw_normals(const ref::tensor::Shape& shape);
  ref::tensor::Tensor<double> draw_uniforms(const ref::tensor::Shape& shape, double lower,
                                            double upper);
  ref::tensor::Tensor<double> wide_range_numbers(const ref::tensor::Shape& shape, int least,
                                                 int most);

  /// Returns terms whose sum cancels. The terms come in pairs: the second term of a pair is the
  /// negative of the first one, with changed last bits.
  ref::tensor::Tensor<double> cancelling(const ref::tensor::Shape& shape);

 private:
  ref::numeric::RandomStream stream_;
  std::uint64_t state_;
  std::uint64_t index_ = 0;
};

}  // namespace normproof::verification::checks::determinism
