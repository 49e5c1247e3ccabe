#pragma once

#include <optional>
#include <utility>

#include "gpu/device/recording.hpp"
#include "gpu/ops/products.hpp"
#include "ref/numeric/errors.hpp"

/// Work that is recorded, and where it refuses something done again, to say what.
namespace normproof::gpu::train {

/// What `work` computes, recorded and then done at once; nothing where it refuses something.
template <class Work>
auto do_recorded(device::Device& device, const char* name, const Work& work)
    -> std::optional<decltype(work())> {
  device::Recording recording(device, name);
  std::optional<decltype(work())> result;
  try {
    result = work();
  } catch (const ref::numeric::ContractError&) {
    return {};  // a check of values before it may have more to say
  }
  recording.perform();
  if (recording.refused()) return {};
  return result;
}

/// What `work` computes, recorded where nothing is to be seen on the way. It may be done twice, and
/// changes nothing that it is given.
/// Throws    what `work` throws
template <class Work>
auto do_at_once(device::Device& device, const ops::Products& products, const char* name,
                const Work& work) {
  products.prepare(device);
  if (!products.shows_values())
    if (auto result = do_recorded(device, name, work)) return std::move(*result);
  return work();  // which says what is refused
}

}  // namespace normproof::gpu::train
