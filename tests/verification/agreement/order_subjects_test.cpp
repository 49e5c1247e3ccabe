#include "verification/agreement/order_subjects.hpp"

#include <gtest/gtest.h>

#include "ref/numeric/errors.hpp"

namespace normproof::verification::agreement {
namespace {

SummationTree revealed(const OrderSubject& subject, std::size_t count) {
  const auto device = gpu::device::simulated_device();
  return reveal_order(
      [&](const std::vector<double>& terms) { return subject.sum(device.get(), terms); }, count);
}

TEST(OrderSubjects, OursHaveTheContractsOrder) {
  for (const char* name : {"sum-elements", "sum-columns", "matmul", "device-sum-elements",
                           "device-sum-columns", "device-matmul"})
    for (const std::size_t count : {1, 2, 31, 33, 70}) {
      const OrderSubject& subject = order_subject(name);
      EXPECT_EQ(to_string(revealed(subject, count)), to_string(subject.expected(count)))
          << name << " " << count;
    }
}

TEST(OrderSubjects, ProductsOfMoreThanOneChain) {
  EXPECT_EQ(to_string(revealed(order_subject("matmul"), 600)), "[0..255 [256..511] [512..599]]");
  EXPECT_EQ(to_string(revealed(order_subject("device-matmul"), 300)), "[0..255 [256..299]]");
}

TEST(OrderSubjects, ANameThatIsNotKnownIsRefused) {
  EXPECT_THROW(order_subject("sum"), ref::numeric::UsageError);
}

}  // namespace
}  // namespace normproof::verification::agreement
