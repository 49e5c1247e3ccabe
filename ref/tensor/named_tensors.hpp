#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ref/numeric/errors.hpp"
#include "ref/tensor/tensor.hpp"

namespace normproof::ref::tensor {

/// A list of tensors with names, in the order of insertion. It holds the outputs of a layer, or the
/// state that a layer keeps from one step to the next.
template <class T>
class NamedTensors {
 public:
  struct Entry {
    std::string name;
    Tensor<T> values;
  };

  void set(std::string_view name, Tensor<T> values) {
    for (auto& entry : entries_) {
      if (entry.name == name) {
        entry.values = std::move(values);
        return;
      }
    }
    entries_.push_back({std::string(name), std::move(values)});
  }

  const Tensor<T>* find(std::string_view name) const {
    for (const auto& entry : entries_)
      if (entry.name == name) return &entry.values;
    return nullptr;
  }
  Tensor<T>* find(std::string_view name) {
    return const_cast<Tensor<T>*>(std::as_const(*this).find(name));
  }

  /// Returns the tensor with the name `name`.
  /// Throws    ContractError that lists the existing names
  const Tensor<T>& at(std::string_view name) const {
    if (const auto* values = find(name)) return *values;
    throw numeric::ContractError({.observation = numeric::unknown_name("tensor", name, names())});
  }
  Tensor<T>& at(std::string_view name) {
    return const_cast<Tensor<T>&>(std::as_const(*this).at(name));
  }

  bool contains(std::string_view name) const { return find(name) != nullptr; }
  std::vector<std::string> names() const {
    std::vector<std::string> result;
    for (const auto& entry : entries_) result.push_back(entry.name);
    return result;
  }
  std::size_t size() const { return entries_.size(); }
  bool empty() const { return entries_.empty(); }
  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }
  auto begin() { return entries_.begin(); }
  auto end() { return entries_.end(); }

 private:
  std::vector<Entry> entries_;
};

}  // namespace normproof::ref::tensor
