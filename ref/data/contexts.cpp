#include "ref/data/contexts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <span>

#include "ref/data/batching.hpp"
#include "ref/numeric/errors.hpp"

namespace normproof::ref::data {
namespace {

using numeric::Clause;

void check_contexts(const std::vector<std::int32_t>& text, const ContextOptions& options) {
  const auto fail = [](const char* argument, const std::string& is, const char* expected,
                       Clause clause) {
    numeric::contract_failure("make_contexts", argument, is, expected, clause);
  };
  if (text.size() < 2)
    fail("text", fmt::format("has {} tokens", text.size()), "two at least", Clause::C1);
  if (options.length == 0) fail("options.length", "is 0", "at least 1", Clause::C2);
  if (options.batch_size == 0) fail("options.batch_size", "is 0", "at least 1", Clause::C3);
}

std::size_t count_contexts(std::size_t tokens, const ContextOptions& options) {
  return (tokens - 1 + options.length - 1) / options.length;
}

ContextBatch make_context_batch(const std::vector<std::int32_t>& text,
                                std::span<const std::size_t> contexts, std::size_t length) {
  ContextBatch batch{contexts.size(), length, {}, {}, {}};
  const std::size_t size = batch.batch_size * length;
  batch.tokens.assign(size, 0);
  batch.valid.assign(size, 0);
  batch.targets.assign(size, kNoTarget);
  for (std::size_t b = 0; b < contexts.size(); ++b) {
    const std::size_t first = contexts[b] * length;
    for (std::size_t t = 0; t < length && first + t + 1 < text.size(); ++t) {
      batch.tokens[b * length + t] = text[first + t];
      batch.valid[b * length + t] = 1;
      batch.targets[b * length + t] = text[first + t + 1];
    }
  }
  return batch;
}

}  // namespace

std::size_t count_context_batches(std::size_t tokens, const ContextOptions& options) {
  return (count_contexts(tokens, options) + options.batch_size - 1) / options.batch_size;
}

std::vector<ContextBatch> make_contexts(const std::vector<std::int32_t>& text,
                                        const ContextOptions& options) {
  check_contexts(text, options);
  std::vector<std::size_t> order(count_contexts(text.size(), options));
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (options.shuffle) order = shuffled_order(order.size(), options.seed, options.epoch);
  std::vector<ContextBatch> batches;
  const std::span<const std::size_t> all(order);
  for (std::size_t begin = 0; begin < all.size(); begin += options.batch_size)
    batches.push_back(make_context_batch(
        text, all.subspan(begin, std::min(options.batch_size, all.size() - begin)),
        options.length));
  return batches;
}

}  // namespace normproof::ref::data
