// Measures the time of golden::certify::certify for the cases of a corpus that match a glob. For
// comparison it also times two parts of the same work: the evaluation in ball arithmetic without
// the second enclosure, and the evaluation of the same formula with 100 digits of MPFR, which gives
// no enclosure. `verification/benchmark/run --what certification` compares the times with mpmath's
// intervals in one run. docs/measurements/performance.md has measurements.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "ref/numeric/parallel.hpp"
#include "verification/checks/evaluation/sequence.hpp"
#include "verification/golden/certify/certificate.hpp"
#include "verification/golden/certify/corpus_files.hpp"
#include "verification/golden/certify/nearest.hpp"
#include "verification/golden/corpus/arithmetic.hpp"
#include "verification/golden/recipes/case_inputs.hpp"

namespace {

using namespace normproof::verification;
using golden::certify::Expected;
using golden::certify::StoredCase;
using golden::corpus::StoredTensor;
using normproof::ref::numeric::ball;
using normproof::ref::numeric::oracle100;

// the precision with which certify starts; these cases need no more
constexpr long kBits = 192;

/// Evaluates a case with 100 digits. Returns two tensors for each output: the doubles nearest to
/// the output's values, and the differences between the values and these doubles.
std::vector<StoredTensor> evaluate_at_100_digits(const StoredCase& stored) {
  const golden::corpus::Case& c = stored.description.c;
  const auto results = checks::evaluation::run_operation<oracle100>(
      c.options, golden::recipes::inputs_of(c, golden::corpus::case_folder(c)), c.sequence);
  std::vector<StoredTensor> tensors;
  for (const auto& [name, values] : results) {
    std::vector<double> high, low;
    for (std::size_t i = 0; i < values.size(); ++i) {
      // The corpus has no -0, so the sum replaces -0 by 0.
      high.push_back(static_cast<double>(values.data()[i]) + 0.0);
      low.push_back(static_cast<double>(values.data()[i] - oracle100(high.back())) + 0.0);
    }
    const auto shape = normproof::ref::tensor::shape_of(values);
    const auto dtype = golden::corpus::output_dtype(c, name);
    tensors.push_back(normproof::ref::io::make_tensor(name, dtype, shape, high));
    if (dtype == golden::corpus::DType::int64) continue;
    tensors.push_back(
        normproof::ref::io::make_tensor(name + "_lo", golden::corpus::DType::float64, shape, low));
  }
  std::ranges::sort(tensors, {}, &StoredTensor::name);
  return tensors;
}

/// Computes the first enclosure of certify and rounds it, but skips the second enclosure and the
/// remaining work. Returns the number of elements for which the enclosure is narrow enough to
/// decide the rounding.
std::size_t balls(const StoredCase& stored) {
  const golden::corpus::Case& c = stored.description.c;
  const normproof::ref::numeric::BallPrecision precision(kBits);
  const auto results = checks::evaluation::run_operation<ball>(
      c.options, golden::recipes::inputs_of(c, golden::corpus::case_folder(c)), c.sequence);
  std::size_t decided = 0;
  for (const auto& [name, values] : results)
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto value = golden::certify::nearest(values.data()[i], golden::corpus::DType::float64);
      decided += value && golden::certify::nearest(values.data()[i] - ball(value->value),
                                                   golden::corpus::DType::float64)
                     ? 1
                     : 0;
    }
  return decided;
}

/// Returns the time in seconds of one call of `f` for every case. The time is the shortest of three
/// measurements.
template <class Function>
double seconds(const std::vector<StoredCase>& cases, Function f) {
  double best = 1e9;
  for (int repetition = 0; repetition < 3; ++repetition) {
    const auto begin = std::chrono::steady_clock::now();
    for (const StoredCase& stored : cases) f(stored);
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
    best = std::min(best, passed.count());
  }
  return best;
}

int time_cases(const std::string& corpus, const std::string& glob) {
  normproof::ref::numeric::set_num_threads(1);
  std::vector<StoredCase> cases;
  std::size_t elements = 0;
  for (const auto& description : golden::certify::list_corpus(corpus, glob))
    cases.push_back(golden::certify::read_case(corpus, description));
  for (const StoredCase& stored : cases) {
    const Expected certified = golden::certify::certify(stored.description.c);
    elements += certified.certificate.elements;
    if (certified.tensors != stored.expected || evaluate_at_100_digits(stored) != stored.expected ||
        balls(stored) != certified.certificate.elements) {
      fmt::print(stderr, "{} is not what the corpus has\n", stored.description.path);
      return 1;
    }
  }
  const double certify = seconds(
      cases, [](const StoredCase& stored) { golden::certify::certify(stored.description.c); });
  const double alone = seconds(cases, [](const StoredCase& stored) { balls(stored); });
  const double mpfr =
      seconds(cases, [](const StoredCase& stored) { evaluate_at_100_digits(stored); });
  fmt::print("{{\"elements\": {}, \"normproof\": {}, \"balls\": {}, \"mpfr\": {}}}\n", elements,
             certify, alone, mpfr);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    fmt::print(stderr, "usage: certification_benchmark CORPUS GLOB\n");
    return 2;
  }
  try {
    return time_cases(argv[1], argv[2]);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 3;
  }
}
