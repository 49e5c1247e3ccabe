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

/// A case in the hands of a wrong kernel: what goes in, and what comes out, which is right until
/// the kernel spoils it.
class Work {
 public:
  /// Computes  the answer of the plain implementation, at whose site the mutation is
  explicit Work(const Case& c, mutations::Mutation mutation = {});

  const Case& of() const { return c_; }
  /// Rows and features of x; of an optimizer those of the parameter.
  const plain::PlainShape& shape() const { return shape_; }

  /// An input, or nothing where it is not given.
  const Values& in(const std::string& name) const;
  /// An output, which may be spoilt; nothing where there is none.
  Values& out(const std::string& name);
  bool gives(const std::string& name) const { return out_.contains(name); }

  /// Every output, rounded to its dtype.
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

/// The answer with a mistake at one site.
std::vector<StoredTensor> answer_mutated(const Case& c, mutations::Mutation mutation);

/// The eps of a norm.
double eps_of(const Case& c);

double rounded(double v, StorageFormat format);
/// Added one after the other, each partial sum rounded.
double sum_in(StorageFormat format, std::span<const double> terms);
double sum_of(std::span<const double> terms);

}  // namespace normproof::verification::golden::museum
