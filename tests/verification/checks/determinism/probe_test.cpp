#include "verification/checks/determinism/probe.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "ref/model/norm_options.hpp"
#include "ref/numeric/contract_version.hpp"
#include "ref/numeric/instruction_set.hpp"
#include "ref/numeric/parallel.hpp"
#include "verification/checks/determinism/difference.hpp"

namespace normproof::verification::checks::determinism {
namespace {

namespace numeric = ref::numeric;

std::vector<std::uint64_t> run_probe(const std::string& name) {
  for (const Probe& probe : probes()) {
    if (probe.name != name) continue;
    Values values;
    probe.run(values);
    return values.bits();
  }
  ADD_FAILURE() << "no probe " << name;
  return {};
}

/// Restores the instruction set and the number of threads at the end of the scope.
class RestoreThreadSettings {
 public:
  RestoreThreadSettings()
      : set_(numeric::instruction_sets()[static_cast<std::size_t>(numeric::instruction_set())]) {}
  ~RestoreThreadSettings() {
    numeric::select_instruction_set(set_);
    numeric::set_num_threads(1);
  }

 private:
  std::string set_;
};

/// Whether the test runs a probe with this instruction set on this number of threads. Small probes
/// run with every combination. Large probes and training, which take nearly all of the time, run
/// with one instruction set per number of threads. The next number of threads uses the next set, so
/// that each large probe runs with every set. A few consecutive large probes together run with
/// every combination.
bool should_run_probe_with(const std::string& probe, std::size_t number, std::size_t set,
                           int threads) {
  const std::size_t sets = numeric::instruction_sets().size();
  const bool dear =
      probe.starts_with("training/") || probe.ends_with("large") || probe.ends_with("_shared");
  return !dear || (number + static_cast<std::size_t>(threads)) % sets == set;
}

TEST(DeterminismProbes, LargeProbesRunWithEveryInstructionSetAndThreadCount) {
  const std::size_t sets = numeric::instruction_sets().size();
  ASSERT_LE(sets, 4u);
  for (std::size_t number = 0; number < 4; ++number) {
    std::vector<int> probes_per_set(sets), probes_per_thread_count(4);
    for (std::size_t set = 0; set < sets; ++set)
      for (int threads = 1; threads <= 4; ++threads)
        if (should_run_probe_with("training/shared", number, set, threads)) {
          ++probes_per_set[set];
          ++probes_per_thread_count[static_cast<std::size_t>(threads) - 1];
        }
    EXPECT_EQ(std::ranges::count(probes_per_set, 0), 0) << number;
    EXPECT_EQ(probes_per_thread_count, std::vector<int>(4, 1)) << number;
  }
}

TEST(DeterminismProbes, HaveTheBitsOfTheContractOnEveryInstructionSetAndThreadCount) {
  const RestoreThreadSettings restored;
  const std::vector<Probe> all = probes();
  const Recording every = expected_recording();
  EXPECT_EQ(every.contract, numeric::kArithmeticContract);
  ASSERT_TRUE(std::ranges::equal(all, every.probes, {}, &Probe::name, &RecordedProbe::name))
      << "probes were added or taken away: docs/specification/determinism.md, 'When bits have to "
         "change'";
  const auto sets = numeric::instruction_sets();
  for (std::size_t set = 0; set < sets.size(); ++set) {
    for (const int threads : {1, 2, 3, 4}) {
      numeric::select_instruction_set(sets[set]);
      numeric::set_num_threads(threads);
      std::vector<Probe> asked;
      Recording expected{.contract = every.contract, .environment = {}, .probes = {}};
      for (std::size_t i = 0; i < all.size(); ++i) {
        if (!should_run_probe_with(all[i].name, i, set, threads)) continue;
        asked.push_back(all[i]);
        expected.probes.push_back(every.probes[i]);
      }
      const Recording here = record(asked);
      EXPECT_TRUE(differences(here, expected).empty())
          << sets[set] << ", " << threads
          << " threads: " << verdict_line(here, differences(here, expected), "expected.json")
          << "\nWhere the change is meant: docs/specification/determinism.md, 'When bits have to "
             "change'.";
    }
  }
}

TEST(DeterminismProbes, NamesAreSortedAndDistinct) {
  const auto all = probes();
  for (std::size_t i = 1; i < all.size(); ++i) EXPECT_LT(all[i - 1].name, all[i].name);
}

TEST(DeterminismProbes, CoverEveryPartOfTheContract) {
  const auto all = probes();
  const auto has = [&all](const std::string& beginning) {
    return std::ranges::any_of(all, [&](const Probe& p) { return p.name.starts_with(beginning); });
  };
  for (const std::string& layer : ref::model::norm_names())
    for (const char* each : {"_small", "_sentences", "_inference", "_wide"})
      EXPECT_TRUE(has("norm/" + layer + each)) << layer << each;
  for (const char* function : {"exp", "log", "tanh", "erf"})
    EXPECT_TRUE(has(std::string("elementary/") + function + "_accurate")) << function;
  for (const char* part :
       {"matmul/ab_", "matmul/atb_", "matmul/abt_", "matmul/batched_ab", "matmul/strided",
        "softmax/masked", "activation/gelu_tanh", "sum/elements_cancelling", "random/normal"})
    EXPECT_TRUE(has(part)) << part;
}

TEST(DeterminismProbes, SubnormalProbesContainSubnormalNumbers) {
  for (const char* name :
       {"arithmetic/subnormal", "matmul/subnormal", "elementary/exp_subnormal"}) {
    const auto bits = run_probe(name);
    const auto subnormal = std::ranges::count_if(bits, [](std::uint64_t b) {
      return std::fpclassify(std::bit_cast<double>(b)) == FP_SUBNORMAL;
    });
    EXPECT_GT(subnormal, 10) << name;
  }
}

TEST(ProbeValues, NaNsOfBothSignsHaveSameBits) {
  Values values;
  values.add(std::numeric_limits<double>::quiet_NaN());
  values.add(-std::numeric_limits<double>::quiet_NaN());
  values.add(-0.0);
  EXPECT_EQ(values.bits(), (std::vector<std::uint64_t>{0x7ff8000000000000u, 0x7ff8000000000000u,
                                                       0x8000000000000000u}));
}

TEST(ProbeValues, FoldedHashDependsOnEveryBit) {
  Inputs inputs("folding");
  ref::tensor::Tensor<double> t = inputs.draw_uniforms({3, 100}, -1, 1);
  Values before;
  before.add_block_hashes(t);
  EXPECT_EQ(before.bits().size(), 2u);  // 256 elements, then 44
  for (const std::size_t i : {0u, 100u, 255u, 256u, 299u}) {
    for (const int bit : {0, 31, 63}) {
      auto changed = t;
      changed.data()[i] = std::bit_cast<double>(std::bit_cast<std::uint64_t>(t.data()[i]) ^
                                                std::uint64_t{1} << bit);
      Values after;
      after.add_block_hashes(changed);
      EXPECT_NE(after.bits()[i / 256], before.bits()[i / 256]) << i << " " << bit;
      EXPECT_EQ(after.bits()[1 - i / 256], before.bits()[1 - i / 256]) << i << " " << bit;
    }
  }
}

TEST(ProbeInputs, WideRangeNumbersReachBothEndsOfTheirRange) {
  Inputs inputs("wide");
  int least = 2000;
  int most = -2000;
  for (const double x : inputs.wide_range_numbers(20000, -1074, -1020)) {
    least = std::min(least, std::ilogb(x));
    most = std::max(most, std::ilogb(x));
  }
  EXPECT_EQ(least, -1074);
  EXPECT_EQ(most, -1020);
}

TEST(ProbeInputs, CancellingTermsNearlyCancelInPairs) {
  Inputs inputs("cancelling");
  const auto t = inputs.cancelling({64});
  for (std::size_t i = 0; i < 64; i += 2) {
    EXPECT_NE(t.data()[i] + t.data()[i + 1], 0);
    EXPECT_LE(std::fabs(t.data()[i] + t.data()[i + 1]), 0x1p-39 * std::fabs(t.data()[i]));
  }
}

}  // namespace
}  // namespace normproof::verification::checks::determinism
