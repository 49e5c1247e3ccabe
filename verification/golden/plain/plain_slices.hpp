#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "verification/golden/mutations/mutation.hpp"

namespace normproof::verification::golden::plain {

using mutations::Mutation;
using mutations::MutationOperator;
using mutations::Sites;

/// The shape of x as [rows, d_model]. The number of rows is samples times tokens.
struct PlainShape {
  std::size_t samples = 0, tokens = 0, d_model = 0;
  std::size_t rows() const { return samples * tokens; }
  std::size_t size() const { return rows() * d_model; }
};

/// One list of indices per slice, in ascending order. The elements of a slice share a statistic.
using Slices = std::vector<std::vector<std::size_t>>;

/// Returns one slice for each `width` consecutive features of each row. The slices are whole rows
/// if `width` is d_model.
inline Slices cut_rows(const PlainShape& s, std::size_t width) {
  Slices slices(s.size() / width);
  for (std::size_t i = 0; i < s.size(); ++i) slices[i / width].push_back(i);
  return slices;
}
inline Slices cut_columns(const PlainShape& s) {
  Slices slices(s.d_model);
  for (std::size_t i = 0; i < s.size(); ++i) slices[i % s.d_model].push_back(i);
  return slices;
}
/// Returns one slice for each interleaved group of each sample. If there are G groups, each group
/// consists of every G-th feature. These slices are wrong for GroupNorm, whose groups are
/// consecutive features.
inline Slices cut_interleaved(const PlainShape& s, std::size_t width) {
  const std::size_t groups = s.d_model / width;
  Slices slices(s.samples * groups);
  for (std::size_t i = 0; i < s.size(); ++i)
    slices[i / (s.tokens * s.d_model) * groups + i % groups].push_back(i);
  return slices;
}
inline Slices cut_samples(const PlainShape& s, std::size_t width) {
  const std::size_t groups = s.d_model / width;
  Slices slices(s.samples * groups);
  for (std::size_t i = 0; i < s.size(); ++i)
    slices[i / (s.tokens * s.d_model) * groups + i % s.d_model / width].push_back(i);
  return slices;
}
/// Returns the slices of GroupNorm, whose groups have `width` features. The groups are consecutive
/// features. An injected error can interleave the groups.
inline Slices cut_groups(const PlainShape& s, std::size_t width, Sites& sites) {
  const bool interleaved =
      width > 1 && width < s.d_model &&
      sites.any("features of a group", {MutationOperator::other}) == MutationOperator::other;
  return interleaved ? cut_interleaved(s, width) : cut_samples(s, width);
}

}  // namespace normproof::verification::golden::plain
