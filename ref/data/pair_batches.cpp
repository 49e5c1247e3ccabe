#include "ref/data/pair_batches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <span>
#include <string_view>
#include <utility>

#include "ref/data/batching.hpp"
#include "ref/data/contexts.hpp"
#include "ref/numeric/errors.hpp"

namespace normproof::ref::data {
namespace {

using numeric::Clause;

void check_pairs(const SentenceIds& source, const SentenceIds& target, const PairOptions& options) {
  const auto fail = [](std::string_view argument, const std::string& is,
                       const std::string& expected, Clause clause) {
    numeric::contract_failure("make_pair_batches", argument, is, expected, clause);
  };
  if (source.empty()) fail("source", "is empty", "one sentence at least", Clause::C1);
  if (target.size() != source.size())
    fail("target", fmt::format("has {} sentences", target.size()),
         fmt::format("{}, as source", source.size()), Clause::C1);
  for (const auto& [name, sentences] : {std::pair{"source", &source}, std::pair{"target", &target}})
    for (std::size_t i = 0; i < sentences->size(); ++i)
      if ((*sentences)[i].empty())
        fail(fmt::format("{}[{}]", name, i), "is empty", "a word at least", Clause::C2);
  if (options.batch_size == 0) fail("options.batch_size", "is 0", "at least 1", Clause::C3);
}

std::vector<std::size_t> make_pair_order(const SentenceIds& source, const SentenceIds& target,
                                         const PairOptions& options) {
  std::vector<std::size_t> order(source.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (options.shuffle) order = shuffled_order(order.size(), options.seed, options.epoch);
  if (options.by_length)
    std::ranges::stable_sort(
        order, {}, [&](std::size_t i) { return std::pair(source[i].size(), target[i].size()); });
  return order;
}

PairBatch make_pair_batch(const SentenceIds& source, const SentenceIds& target,
                          const SpecialTokenIds& marks, std::span<const std::size_t> pairs) {
  PairBatch batch;
  batch.batch_size = pairs.size();
  batch.sentence_index.assign(pairs.begin(), pairs.end());
  for (const std::size_t i : pairs) {
    batch.source_len = std::max(batch.source_len, source[i].size() + 1);
    batch.target_len = std::max(batch.target_len, target[i].size() + 1);
  }
  const std::size_t of_source = batch.batch_size * batch.source_len,
                    of_target = batch.batch_size * batch.target_len;
  batch.source.assign(of_source, marks.source_padding);
  batch.source_valid.assign(of_source, 0);
  batch.inputs.assign(of_target, marks.target_padding);
  batch.targets.assign(of_target, kNoTarget);
  batch.target_valid.assign(of_target, 0);
  for (std::size_t b = 0; b < pairs.size(); ++b) {
    const auto &words = source[pairs[b]], &translation = target[pairs[b]];
    const auto row = static_cast<std::ptrdiff_t>(b * batch.source_len),
               target_row = static_cast<std::ptrdiff_t>(b * batch.target_len);
    *std::ranges::copy(words, batch.source.begin() + row).out = marks.source_end;
    std::fill_n(batch.source_valid.begin() + row, words.size() + 1, std::uint8_t{1});
    batch.inputs[b * batch.target_len] = marks.target_begin;
    std::ranges::copy(translation, batch.inputs.begin() + target_row + 1);
    *std::ranges::copy(translation, batch.targets.begin() + target_row).out = marks.target_end;
    std::fill_n(batch.target_valid.begin() + target_row, translation.size() + 1, std::uint8_t{1});
  }
  return batch;
}

}  // namespace

std::vector<PairBatch> make_pair_batches(const SentenceIds& source, const SentenceIds& target,
                                         const SpecialTokenIds& marks, const PairOptions& options) {
  check_pairs(source, target, options);
  const std::vector<std::size_t> order = make_pair_order(source, target, options);
  const std::span<const std::size_t> all(order);
  const std::size_t size = options.batch_size, count = (all.size() - 1) / size + 1;
  std::vector<std::size_t> batch_order(count);
  std::iota(batch_order.begin(), batch_order.end(), std::size_t{0});
  if (options.by_length && options.shuffle)
    batch_order = shuffled_order(count, options.seed, options.epoch);
  std::vector<PairBatch> batches;
  batches.reserve(count);
  for (const std::size_t k : batch_order)
    batches.push_back(make_pair_batch(
        source, target, marks, all.subspan(k * size, std::min(size, all.size() - k * size))));
  return batches;
}

}  // namespace normproof::ref::data
