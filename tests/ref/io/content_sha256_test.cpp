#include "ref/io/content_sha256.hpp"

#include <gtest/gtest.h>

#include "ref/io/sha256.hpp"

namespace normproof::ref::io {
namespace {

StoredTensor make_sample(const char* name, DType dtype, std::vector<std::size_t> shape,
                         const std::vector<double>& values) {
  return make_tensor(name, dtype, std::move(shape), values);
}

TEST(ContentSha256, DependsOnNamesDTypesShapesAndBytes) {
  const std::vector<StoredTensor> tensors = {make_sample("b", DType::float16, {2}, {1, -2}),
                                             make_sample("a", DType::uint8, {}, {7})};
  using namespace std::string_literals;
  EXPECT_EQ(content_sha256(tensors),
            sha256("a uint8 []\n\x07"s + "b float16 [2]\n\x00\x3c\x00\xc0"s));
  EXPECT_EQ(content_sha256({tensors[1], tensors[0]}), content_sha256(tensors));
  const std::string whole = content_sha256(tensors);
  for (const StoredTensor& other : {make_sample("c", DType::float16, {2}, {1, -2}),
                                    make_sample("b", DType::float16, {2, 1}, {1, -2}),
                                    make_sample("b", DType::float16, {2}, {1, 2}),
                                    make_sample("b", DType::bfloat16, {2}, {1, -2})})
    EXPECT_NE(content_sha256({other, tensors[1]}), whole);
}

}  // namespace
}  // namespace normproof::ref::io
