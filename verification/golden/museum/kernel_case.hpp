#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "verification/golden/museum/exhibit.hpp"
#include "verification/golden/plain/plain_layers.hpp"
#include "verification/golden/plain/plain_rows.hpp"

namespace normproof::verification::golden::museum {

using Values = std::vector<double>;
using ref::model::StorageFormat;

/// The inputs and outputs of one case, for a wrong kernel. The outputs are correct until the kernel
/// changes them.
class KernelCase {
 public:
  /// Computes  the outputs with the plain implementation, into which this mutation injects an error
  explicit KernelCase(const Case& c, mutations::Mutation mutation = {});

  const Case& of() const { return c_; }
  /// Returns the shape of x. For an optimizer, returns the shape of the parameter.
  const plain::PlainShape& shape() const { return shape_; }

  /// Returns the elements of an input. They are empty if the case does not have that input.
  const Values& in(const std::string& name) const;
  /// Returns the elements of an output. The kernel may change these elements. They are empty if the
  /// case does not have that output.
  Values& out(const std::string& name);
  bool has_output(const std::string& name) const { return out_.contains(name); }

  /// Returns all outputs, each rounded to its dtype.
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

/// Runs the plain implementation with an injected error and returns its outputs.
std::vector<StoredTensor> run_with_mutation(const Case& c, mutations::Mutation mutation);
/// Returns the kernel that has this error.
Kernel mutate(const char* site, mutations::MutationOperator op);

/// Returns the option eps of a norm.
double norm_eps(const Case& c);

double rounded(double v, StorageFormat format);
/// Sums the terms in order and rounds every partial sum to the format.
double rounded_sum(StorageFormat format, std::span<const double> terms);
double sum_of(std::span<const double> terms);

}  // namespace normproof::verification::golden::museum
