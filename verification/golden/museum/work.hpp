#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "verification/golden/museum/exhibit.hpp"
#include "verification/golden/plain/plain_layers.hpp"
#include "verification/golden/plain/plain_slices.hpp"

namespace normproof::verification::golden::museum {

using Values = std::vector<double>;
using ref::model::StorageFormat;

/// The inputs and outputs of a case for a wrong kernel. The outputs are correct until the kernel
/// changes them.
class Work {
 public:
  /// Computes  the outputs of the plain implementation with this mutation
  explicit Work(const Case& c, mutations::Mutation mutation = {});

  const Case& of() const { return c_; }
  /// Returns rows and features of x; for an optimizer, those of the parameter.
  const plain::PlainShape& shape() const { return shape_; }

  /// Returns an input; empty if it is not given.
  const Values& in(const std::string& name) const;
  /// Returns an output, which the kernel may change; empty if there is none.
  Values& out(const std::string& name);
  bool has_output(const std::string& name) const { return out_.contains(name); }

  /// Returns every output, rounded to its dtype.
  std::vector<StoredTensor> answer() const;

 private:
  struct Output {
    DType dtype;
    std::vector<std::size_t> shape;
    Values values;
  };

  const Case& c_;
  plain::PlainShape shape_;
  std::map<std::string, Values> in_;
  std::map<std::string, Output> out_;
  Values nothing_;
};

/// Returns the outputs with a mistake at one site.
std::vector<StoredTensor> run_mutated(const Case& c, mutations::Mutation mutation);

/// Returns the eps of a norm.
double norm_eps(const Case& c);

double rounded(double v, StorageFormat format);
/// Sums the terms one after the other, rounding each partial sum.
double rounded_sum(StorageFormat format, std::span<const double> terms);
double sum_of(std::span<const double> terms);

}  // namespace normproof::verification::golden::museum
