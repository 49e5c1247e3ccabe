#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "ref/model/norm_layers.hpp"
#include "ref/tensor/tensor.hpp"
#include "verification/golden/plain/plain_slices.hpp"

namespace normproof::verification::golden::plain {

/// The memory layout of x and of the tensors of the same shape. It converts tensors to rows and
/// back. Errors in this conversion can be injected.
class PlainLayout {
 public:
  using Layout = ref::model::Layout;

  /// `x` is the shape of x in one step.
  PlainLayout(Layout layout, std::vector<std::size_t> x, Sites& sites)
      : layout_(layout), sites_(sites), x_(std::move(x)) {
    const std::vector<std::size_t> rows = ref::model::shape_in_rows(layout, x_);
    shape_ = {rows.front(), rows.size() == 3 ? rows[1] : 1, rows.back()};
    swapped_ = uses_wrong_layout("layout of every tensor");
  }

  const PlainShape& rows() const { return shape_; }

  /// Returns the tensor `name`, which has the shape of x, in the form of rows [B,T,D]. A tensor
  /// that is not given is returned unchanged.
  ref::tensor::Tensor<double> read(const std::string& name,
                                   const ref::tensor::Tensor<double>& memory) {
    if (layout_ == Layout::rows || !ref::tensor::is_given(memory)) return memory;
    const bool other = uses_wrong_layout("layout of " + name);
    auto values =
        ref::tensor::empty_tensor<double>({shape_.samples, shape_.tokens, shape_.d_model});
    for (std::size_t i = 0; i < values.size(); ++i)
      values.data()[i] = memory.data()[place(i, other)];
    return values;
  }

  template <class T>
  void write(const std::string& name, std::map<std::string, std::vector<T>>& outputs) {
    const auto found = outputs.find(name);
    if (layout_ == Layout::rows || found == outputs.end()) return;
    const bool other = uses_wrong_layout("layout of " + name);
    const std::vector<T> values = found->second;
    for (std::size_t i = 0; i < values.size(); ++i) found->second[place(i, other)] = values[i];
  }

 private:
  bool uses_wrong_layout(const std::string& site) {
    return layout_ != Layout::rows && shape_.tokens > 1 && shape_.d_model > 1 &&
           sites_.any(site.c_str(), {MutationOperator::other}) == MutationOperator::other;
  }

  /// Returns the offset in memory of element i of the rows. If `other` is set, the wrong axis is
  /// used as the axis of channels.
  std::size_t place(std::size_t i, bool other) const {
    const bool first = (layout_ == Layout::channels_first) != (other || swapped_);
    if (!first) return i;
    const std::size_t feature = i % shape_.d_model, row = i / shape_.d_model;
    return (row / shape_.tokens * shape_.d_model + feature) * shape_.tokens + row % shape_.tokens;
  }

  Layout layout_;
  Sites& sites_;
  std::vector<std::size_t> x_;
  PlainShape shape_;
  /// Whether an error is injected that uses the wrong axis of all tensors as the axis of channels.
  bool swapped_ = false;
};

}  // namespace normproof::verification::golden::plain
