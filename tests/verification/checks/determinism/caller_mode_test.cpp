#include "verification/checks/determinism/caller_mode.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cfenv>
#include <chrono>
#include <functional>
#include <thread>

#include "ref/norm/group_norm.hpp"
#include "ref/norm/norm.hpp"
#include "ref/numeric/elementary_array.hpp"
#include "ref/numeric/errors.hpp"
#include "ref/numeric/fp_environment.hpp"
#include "ref/numeric/parallel.hpp"
#include "ref/ops/matmul.hpp"
#include "ref/ops/reduce.hpp"
#include "tests/ref/numeric/error_message.hpp"

namespace normproof::verification::checks::determinism {
namespace {

namespace numeric = ref::numeric;
using numeric::EnvironmentError;
using numeric::error_message;
using ref::tensor::full_tensor;
using ref::tensor::Tensor;
using testing::HasSubstr;

std::vector<std::string> floating_point_modes() {
#if defined(__x86_64__) || defined(__aarch64__)
  return {"flush", "denormals-are-zero", "upward"};
#else
  return {"upward"};
#endif
}

/// Runs the body in a new thread with this floating-point mode. The mode ends with the thread.
void run_in_floating_point_mode(const std::string& mode, const std::function<void()>& body) {
  std::thread([&] {
    set_caller_mode(mode);
    body();
  }).join();
}

TEST(FloatingPointMode, ChangeIsDetectedByRegisterAndByResults) {
  EXPECT_NO_THROW(numeric::check_fp_mode());
  for (const std::string& mode : floating_point_modes()) {
    run_in_floating_point_mode(mode, [&] {
      EXPECT_THROW(numeric::check_fp_mode(), EnvironmentError) << mode;
      EXPECT_THROW(numeric::check_fp_environment(), EnvironmentError) << mode;
    });
  }
  EXPECT_NO_THROW(numeric::check_fp_mode());
}

// Tests every operation on tensors with two elements. Even an operation this small must check the
// mode.
TEST(FloatingPointMode, EveryTensorOperationRejectsAChangedMode) {
  const Tensor<double> x = full_tensor<double>({2, 1}, 1.0);
  double y = 0;
  std::vector<std::pair<std::string, std::function<void()>>> operations = {
      {"sum_elements", [&] { ref::ops::sum_elements(x); }},
      {"sum_rows", [&] { ref::ops::sum_rows(x); }},
      {"sum_columns", [&] { ref::ops::sum_columns(x); }},
      {"dot_rows", [&] { ref::ops::dot_rows(x, x); }},
      {"matmul", [&] { ref::ops::matmul(x, x, ref::ops::Transpose::a); }},
      {"group_norm_backward",
       [&] {
         ref::norm::group_norm_backward<double>(x, x, {}, {}, {x, full_tensor<double>({2, 1}, 1.0)},
                                                {});
       }},
      {"exp", [&] { numeric::exp(x.data(), 1, &y); }},
      {"log", [&] { numeric::log(x.data(), 1, &y); }},
      {"tanh", [&] { numeric::tanh(x.data(), 1, &y); }},
      {"erf", [&] { numeric::erf(x.data(), 1, &y); }},
  };
  for (const std::string& name : ref::model::norm_names()) {
    if (name == "none") continue;  // it computes nothing
    operations.emplace_back(name, [&x, name] {
      const auto options = ref::model::norm_options(name);
      ref::norm::norm_step<double>(options, {.x = x}, ref::norm::initial_state<double>(options, 1));
    });
  }
  for (const auto& [name, operation] : operations) {
    EXPECT_NO_THROW(operation()) << name;
    for (const std::string& mode : floating_point_modes())
      run_in_floating_point_mode(mode, [&, &name = name, &operation = operation] {
        EXPECT_THROW(operation(), EnvironmentError) << name << ", " << mode;
      });
  }
}

// Puts one thread of the pool into another mode. It is random which thread runs a chunk of work,
// and the caller may run all chunks. The test therefore submits chunks until the other thread runs
// one.
TEST(FloatingPointMode, EveryThreadIsCheckedForAChangedMode) {
  constexpr auto kTimeout = std::chrono::seconds(30);
  numeric::set_num_threads(2);
  std::thread([&] {
    const std::thread::id caller = std::this_thread::get_id();
    const auto end = std::chrono::steady_clock::now() + kTimeout;
    const auto pause = [&] { std::this_thread::sleep_for(std::chrono::milliseconds(1)); };
    std::atomic<bool> left = false, refused = false;
    std::atomic<int> runs_in_another_mode = 0;
    const auto share_out = [&](const std::function<void()>& chunk) {
      try {
        numeric::parallel_for(2, 1, [&](std::size_t, std::size_t) { chunk(); });
      } catch (const EnvironmentError&) {
        refused = true;
      }
    };
    while (!left && std::chrono::steady_clock::now() < end)
      share_out([&] {
        if (std::this_thread::get_id() == caller) return pause();
        set_caller_mode("upward");
        left = true;
      });
    ASSERT_TRUE(left) << "the second thread took no chunk";
    while (!refused && std::chrono::steady_clock::now() < end)
      share_out([&] {
        runs_in_another_mode += std::fegetround() != FE_TONEAREST;
        pause();
      });
    EXPECT_TRUE(refused) << "a thread in another mode was not refused";
    EXPECT_EQ(runs_in_another_mode, 0);
  }).join();
  numeric::set_num_threads(1);
}

TEST(FloatingPointMode, ErrorNamesAnUnknownMode) {
  EXPECT_THAT(error_message<numeric::UsageError>([] { set_caller_mode("flsh"); }),
              HasSubstr("did you mean 'flush'?"));
}

}  // namespace
}  // namespace normproof::verification::checks::determinism
