#include "ref/data/batching.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <span>
#include <string_view>
#include <utility>

#include "ref/numeric/errors.hpp"
#include "ref/numeric/random.hpp"

namespace normproof::ref::data {
namespace {

using numeric::Clause;
using Sequences = std::vector<std::vector<std::int32_t>>;

void check(const Sequences& sequences, const std::vector<int>& labels,
           const BatchingOptions& options) {
  const auto fail = [](std::string_view argument, std::string_view observation,
                       std::string_view expectation, numeric::Clause clause) {
    numeric::contract_failure("make_batches", argument, observation, expectation, clause);
  };
  if (sequences.empty()) fail("sequences", "is empty", "at least one sequence", Clause::C1);
  if (labels.size() != sequences.size()) {
    fail("labels", fmt::format("has extent {}", labels.size()),
         fmt::format("{}, the number of sequences", sequences.size()), Clause::C2);
  }
  for (std::size_t i = 0; i < sequences.size(); ++i) {
    if (sequences[i].empty())
      fail(fmt::format("sequences[{}]", i), "is empty", "at least one token", Clause::C3);
  }
  if (options.batch_size == 0) fail("options.batch_size", "is 0", "at least 1", Clause::C4);
  if (options.fixed_length && *options.fixed_length < 2) {
    fail("options.fixed_length", fmt::format("is {}", *options.fixed_length), "at least 2",
         Clause::C5);
  }
  if (options.drop_last && sequences.size() < options.batch_size) {
    fail("options.batch_size",
         fmt::format("is {} with drop_last and {} sequences", options.batch_size, sequences.size()),
         "no more than the number of sequences, so that a batch is left", Clause::C6);
  }
}

TokenBatch make_batch(const Sequences& sequences, const std::vector<int>& labels,
                      std::span<const std::size_t> chosen, const BatchingOptions& options) {
  TokenBatch batch;
  batch.batch_size = chosen.size();
  if (options.fixed_length) {
    batch.seq_len = *options.fixed_length;
  } else {
    for (const auto index : chosen)
      batch.seq_len = std::max(batch.seq_len, sequences[index].size());
  }
  batch.tokens.assign(batch.batch_size * batch.seq_len, options.pad_id);
  batch.valid.assign(batch.batch_size * batch.seq_len, 0);
  batch.sentence_index.assign(chosen.begin(), chosen.end());
  for (std::size_t b = 0; b < chosen.size(); ++b) {
    const auto& sequence = sequences[chosen[b]];
    const auto length = std::min(sequence.size(), batch.seq_len);
    const auto row = static_cast<std::ptrdiff_t>(b * batch.seq_len);
    const auto count = static_cast<std::ptrdiff_t>(length);
    std::copy_n(sequence.begin(), count, batch.tokens.begin() + row);
    batch.tokens[b * batch.seq_len + length - 1] = sequence.back();
    std::fill_n(batch.valid.begin() + row, count, std::uint8_t{1});
    batch.labels.push_back(labels[chosen[b]]);
  }
  return batch;
}

}  // namespace

std::vector<std::size_t> shuffled_order(std::size_t count, std::uint64_t seed,
                                        std::uint64_t epoch) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  const numeric::RandomStream stream(seed, fmt::format("shuffle/{}", epoch));
  for (std::size_t i = count; i-- > 1;) std::swap(order[i], order[stream.below(i, i + 1)]);
  return order;
}

std::vector<TokenBatch> make_batches(const Sequences& sequences, const std::vector<int>& labels,
                                     const BatchingOptions& options) {
  check(sequences, labels, options);
  std::vector<std::size_t> order(sequences.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (options.shuffle) order = shuffled_order(sequences.size(), options.seed, options.epoch);
  const std::span<const std::size_t> all(order);
  std::vector<TokenBatch> batches;
  for (std::size_t begin = 0; begin < all.size();) {
    const auto size = std::min(options.batch_size, all.size() - begin);
    if (options.drop_last && size < options.batch_size) break;
    batches.push_back(make_batch(sequences, labels, all.subspan(begin, size), options));
    begin += size;
  }
  return batches;
}

}  // namespace normproof::ref::data
