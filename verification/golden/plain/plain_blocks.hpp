#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "verification/golden/mutations/mutation.hpp"

/// Injected errors of implementations that work by blocks of elements or rows.
namespace normproof::verification::golden::plain {

using mutations::MutationOperator;
using mutations::Sites;

/// An operator, and the number that its name contains.
struct NumberedOperator {
  MutationOperator op;
  std::size_t number;
};

/// The operators that keep only the first elements.
inline constexpr NumberedOperator kFirstBlocks[] = {
    {MutationOperator::first_32, 32},   {MutationOperator::first_64, 64},
    {MutationOperator::first_128, 128}, {MutationOperator::first_256, 256},
    {MutationOperator::first_512, 512}, {MutationOperator::first_1024, 1024}};
/// The operators that repeat the first elements of a vector.
inline constexpr NumberedOperator kRepetitions[] = {
    {MutationOperator::repeat_1, 1},      {MutationOperator::repeat_32, 32},
    {MutationOperator::repeat_64, 64},    {MutationOperator::repeat_128, 128},
    {MutationOperator::repeat_256, 256},  {MutationOperator::repeat_512, 512},
    {MutationOperator::repeat_1024, 1024}};
/// The operators that use one element of a vector for all, with the index of that element.
inline constexpr NumberedOperator kSingleElements[] = {{MutationOperator::repeat_second, 1},
                                                       {MutationOperator::repeat_third, 2}};
/// The operators that omit the last block of rows.
inline constexpr NumberedOperator kLastBlocks[] = {
    {MutationOperator::partial_4, 4},   {MutationOperator::partial_8, 8},
    {MutationOperator::partial_16, 16}, {MutationOperator::partial_32, 32},
    {MutationOperator::partial_64, 64}, {MutationOperator::partial_128, 128}};
/// The operators that exchange neighboring tiles of columns.
inline constexpr NumberedOperator kExchangedColumns[] = {
    {MutationOperator::exchanged_columns_4, 4},   {MutationOperator::exchanged_columns_8, 8},
    {MutationOperator::exchanged_columns_16, 16}, {MutationOperator::exchanged_columns_32, 32},
    {MutationOperator::exchanged_columns_64, 64}, {MutationOperator::exchanged_columns_128, 128}};
/// The operators that exchange neighboring tiles of rows.
inline constexpr NumberedOperator kExchangedRows[] = {
    {MutationOperator::exchanged_rows_4, 4},   {MutationOperator::exchanged_rows_8, 8},
    {MutationOperator::exchanged_rows_16, 16}, {MutationOperator::exchanged_rows_32, 32},
    {MutationOperator::exchanged_rows_64, 64}, {MutationOperator::exchanged_rows_128, 128}};
/// The operators that make a step for each block of elements.
inline constexpr NumberedOperator kBlocks[] = {
    {MutationOperator::block_1, 1},     {MutationOperator::block_4, 4},
    {MutationOperator::block_8, 8},     {MutationOperator::block_16, 16},
    {MutationOperator::block_32, 32},   {MutationOperator::block_64, 64},
    {MutationOperator::block_128, 128}, {MutationOperator::block_256, 256},
    {MutationOperator::block_512, 512}, {MutationOperator::block_1024, 1024}};
/// The operators that make a step for each of several equal parts.
inline constexpr NumberedOperator kParts[] = {{MutationOperator::parts_2, 2},
                                              {MutationOperator::parts_4, 4},
                                              {MutationOperator::parts_8, 8},
                                              {MutationOperator::parts_16, 16},
                                              {MutationOperator::parts_32, 32}};

/// Returns the number of the operator in the list; nothing if the list does not have it.
inline std::optional<std::size_t> number_of_operator(std::span<const NumberedOperator> list,
                                                     MutationOperator op) {
  for (const NumberedOperator& each : list)
    if (each.op == op) return each.number;
  return std::nullopt;
}

/// Offers the operators of the list whose number `is_possible` at a site. Returns the number of the
/// one that is injected there; nothing without an injected error.
template <class IsPossible>
std::optional<std::size_t> inject_numbered(const char* site, std::span<const NumberedOperator> list,
                                           Sites& sites, IsPossible is_possible) {
  mutations::OfferedOperators offered = {};
  for (const NumberedOperator& each : list)
    if (is_possible(each.number)) offered.push_back(each.op);
  return number_of_operator(list, sites.any(site, offered.span()));
}

/// Whether a row without the elements after its first block differs enough to show it: these
/// elements are at least a sixteenth of the row.
inline bool is_much_smaller(std::size_t block, std::size_t count) {
  return block < count && 16 * (count - block) >= count;
}

/// Returns the number of elements that an implementation reads of a row of `count` elements if its
/// blocks are smaller than the row. Without an injected error it reads all of them.
inline std::size_t elements_of_first_block(const char* site, std::size_t count, Sites& sites) {
  return inject_numbered(site, kFirstBlocks, sites,
                         [&](std::size_t block) { return is_much_smaller(block, count); })
      .value_or(count);
}

/// Returns the number of columns that an implementation reads and writes of rows with `count`
/// columns if its blocks are smaller than a row. Without an injected error that is all columns. A
/// column that is not written shows the error, so that a row may be longer by one column.
inline std::size_t columns_of_first_block(const char* site, std::size_t count, Sites& sites) {
  return inject_numbered(site, kFirstBlocks, sites,
                         [&](std::size_t block) { return block < count; })
      .value_or(count);
}

/// The lengths of blocks that length_of_blocks offers: from `min` to below `end`.
struct BlockLengths {
  std::size_t min = 1, end;
};

/// Returns the length of the blocks for each of which an injected error makes a step, in a row of
/// `count` elements: a power of two, or an equal part of the row. Without an injected error it
/// returns nothing.
inline std::optional<std::size_t> length_of_blocks(const char* site, std::size_t count,
                                                   BlockLengths lengths, Sites& sites) {
  const auto length_of_part = [&](std::size_t parts) { return (count + parts - 1) / parts; };
  mutations::OfferedOperators offered = {};
  for (const NumberedOperator& block : kBlocks)
    if (block.number >= lengths.min && block.number < lengths.end) offered.push_back(block.op);
  for (const NumberedOperator& parts : kParts) {
    const std::size_t length = length_of_part(parts.number);
    const auto has_length = [&](const NumberedOperator& block) { return block.number == length; };
    if (length >= lengths.min && length < lengths.end && std::ranges::none_of(kBlocks, has_length))
      offered.push_back(parts.op);
  }
  const MutationOperator op = sites.any(site, offered.span());
  if (const auto parts = number_of_operator(kParts, op)) return length_of_part(*parts);
  return number_of_operator(kBlocks, op);
}

/// Injects an error in reading a parameter: one of its elements or its first block is used for all
/// features.
template <class T>
void read_parameter(const char* site, std::vector<T>& values, Sites& sites) {
  if (values.size() < 2) return;
  mutations::OfferedOperators offered = {MutationOperator::repeat_last};
  for (const NumberedOperator& each : kRepetitions)
    if (each.number < values.size()) offered.push_back(each.op);
  for (const NumberedOperator& each : kSingleElements)
    if (each.number + 1 < values.size()) offered.push_back(each.op);
  const MutationOperator op = sites.any(site, offered.span());
  if (const auto period = number_of_operator(kRepetitions, op))
    for (std::size_t d = 0; d < values.size(); ++d) values[d] = values[d % *period];
  const auto element = op == MutationOperator::repeat_last
                           ? std::optional(values.size() - 1)
                           : number_of_operator(kSingleElements, op);
  if (element) values.assign(values.size(), T(values[*element]));
}

}  // namespace normproof::verification::golden::plain
