#include "ref/numeric/hexadecimal.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <limits>

#include "ref/numeric/random.hpp"

namespace normproof::ref::numeric {
namespace {

TEST(HexadecimalText, IsTheSameForEveryLibraryVersion) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(hexadecimal(0.0), "0x0p+0");
  EXPECT_EQ(hexadecimal(-0.0), "-0x0p+0");
  EXPECT_EQ(hexadecimal(-3), "-0x1.8p+1");
  EXPECT_EQ(hexadecimal(0x1.23p-300), "0x1.23p-300");
  EXPECT_EQ(hexadecimal(0x1p-1023), "0x0.8p-1022");
  EXPECT_EQ(hexadecimal(kInfinity), "inf");
  EXPECT_EQ(hexadecimal(-kInfinity), "-inf");
  EXPECT_EQ(hexadecimal(-std::numeric_limits<double>::quiet_NaN()), "nan");
}

TEST(HexadecimalText, ReadsBackToTheSameNumber) {
  const RandomStream stream(1, "hexadecimal");
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const double x = stream.normal(i);
    EXPECT_EQ(std::strtod(hexadecimal(x).c_str(), nullptr), x);
  }
}

}  // namespace
}  // namespace normproof::ref::numeric
