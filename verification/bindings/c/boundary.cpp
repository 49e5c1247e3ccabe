#include "verification/bindings/c/boundary.hpp"

#include <optional>
#include <span>

namespace normproof::verification::bindings::c {

using ref::io::kDTypes;

namespace {
constexpr std::int32_t kMaxRank = 8;  // a shape with more axes is rejected before it is read
}  // namespace

TensorDescription tensor_description(const char* function, const char* name, std::int32_t dtype,
                                     std::int32_t rank, const std::int64_t* shape,
                                     const void* data) {
  require(dtype >= 0 && static_cast<std::size_t>(dtype) < std::size(kDTypes), function,
          fmt::format("{} has the dtype {}; expected NORMPROOF_FLOAT64 to "
                      "NORMPROOF_FLOAT4_E2M1FN",
                      name, dtype));
  require(rank >= 0 && rank <= kMaxRank, function,
          fmt::format("{} has the rank {}; expected 0 to {}", name, rank, kMaxRank));
  require(rank == 0 || shape != nullptr, function,
          fmt::format("{} has the rank {} and no shape; expected as many extents as the rank", name,
                      rank));
  TensorDescription result{{name, kDTypes[dtype], {}, {}}, 0};
  for (const std::int64_t extent : std::span(shape, static_cast<std::size_t>(rank))) {
    require(extent >= 0, function,
            fmt::format("{} has the extent {}; expected 0 or more", name, extent));
    result.tensor.shape.push_back(static_cast<std::size_t>(extent));
  }
  const std::optional<std::size_t> bytes =
      ref::io::byte_size(result.tensor.dtype, result.tensor.shape);
  require(bytes.has_value(), function,
          fmt::format("{} has too large a shape; expected a size that fits in 63 bits", name));
  require(data != nullptr || *bytes == 0, function,
          fmt::format("the data of {} is null; expected its elements", name));
  result.bytes = *bytes;
  return result;
}

}  // namespace normproof::verification::bindings::c
