#include "verification/claims/channel.hpp"

#include <gtest/gtest.h>

namespace normproof::verification::claims {
namespace {

TEST(ChannelStep, RunsAlongEitherAxis) {
  const Vector x = wide({1, 3}), g = wide({1, 0});
  const Channel batch = channel_step({}, batch_norm_with(0), x, g);
  EXPECT_EQ(narrow(batch.y), (std::vector<double>{-1, 1}));
  const NormOptions layer_norm = ref::model::LayerNormOptions{.eps = 0};
  EXPECT_EQ(narrow(channel_step({}, layer_norm, x, g, Axis::features).y),
            (std::vector<double>{-1, 1}));
  // Two tokens of one feature each: no variance.
  EXPECT_THROW(channel_step({}, layer_norm, x, g, Axis::batch), ref::numeric::ContractError);
}

TEST(WithoutOneAnd, IsOrthogonalToBoth) {
  const Vector x = wide({1, 2, 4, -1}), v = wide({1, 0, 0, 3});
  const Vector rest = without_one_and(x, v);
  EXPECT_TRUE(absolute(dot(rest, x)) <= 64 * epsilon50());
  EXPECT_TRUE(absolute(dot(rest, wide({1, 1, 1, 1}))) <= 64 * epsilon50());
  EXPECT_TRUE(absolute(dot(rest, v) - square(rest)) <= 64 * epsilon50());  // a projection of v
  EXPECT_TRUE(square(rest) > 0.1);
}

TEST(Channels, KeepTheirPremises) {
  const auto spread = channels(2, 6, true, 1);
  for (std::uint64_t i = 0; i < 200; ++i) {
    const Batch b = spread(rc::Random(i), 50).value();
    EXPECT_EQ(b.features, 1u);
    EXPECT_EQ(b.eps, 0);
    EXPECT_EQ(b.extra.size(), 1u);
    EXPECT_TRUE(Slice(b, columns(b)[0], Statistic::variance).statistic > 0);
  }
}

TEST(Vectors, GoThereAndBack) {
  EXPECT_EQ(narrow(wide({1, 0.1, -2})), (std::vector<double>{1, 0.1, -2}));
  EXPECT_EQ(narrow(unit(3, 1)), (std::vector<double>{0, 1, 0}));
}

}  // namespace
}  // namespace normproof::verification::claims
