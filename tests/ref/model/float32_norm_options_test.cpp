#include "ref/model/float32_norm_options.hpp"

#include <gtest/gtest.h>

#include "tests/ref/numeric/error_message.hpp"

namespace normproof::ref::model {
namespace {

using numeric::contract_message;
using numeric::FloatType;

std::string rejection_message(const Float32NormOptions& options) {
  return contract_message([&] { check_formats("f", options, numeric::Clause::C12); });
}

TEST(Float32NormOptions, AcceptsThreeStorageFormatsAndTwoArithmetics) {
  for (const FloatType stored : {FloatType::float32, FloatType::bfloat16, FloatType::float16})
    for (const FloatType arithmetic : {FloatType::float32, FloatType::float64})
      check_formats("f", {.storage = stored, .parameters = stored, .arithmetic = arithmetic},
                    numeric::Clause::C12);
}

TEST(Float32NormOptions, RejectsEveryOtherFormat) {
  EXPECT_EQ(rejection_message({.storage = FloatType::float64}),
            "f: storage is float64; expected float32, bfloat16 or float16 (C12)");
  EXPECT_EQ(rejection_message({.parameters = FloatType::tf32}),
            "f: parameters is tf32; expected float32, bfloat16 or float16 (C12)");
  EXPECT_EQ(rejection_message({.arithmetic = FloatType::bfloat16}),
            "f: arithmetic is bfloat16; expected float32 or float64 (C12)");
  EXPECT_EQ(rejection_message({.storage = FloatType::float8_e5m2}),
            "f: storage is float8_e5m2; expected float32, bfloat16 or float16 (C12)");
}

}  // namespace
}  // namespace normproof::ref::model
