#pragma once

#include <optional>
#include <utility>

#include "gpu/device/recording.hpp"
#include "gpu/ops/products.hpp"
#include "ref/numeric/errors.hpp"

/// Records work, and repeats it without recording if it is rejected, to get the error message.
namespace normproof::gpu::train {

/// Records `work` and performs it at once. Returns its result, or nothing if a check failed.
template <class Work>
auto try_recorded(device::Device& device, const char* name, const Work& work)
    -> std::optional<decltype(work())> {
  device::Recording recording(device, name);
  std::optional<decltype(work())> result;
  try {
    result = work();
  } catch (const ref::numeric::ContractError&) {
    return {};  // an earlier check of values may fail too
  }
  recording.perform();
  if (recording.refused()) return {};
  return result;
}

/// Returns the result of `work`. Records it, unless the products show values to the host. `work`
/// may run twice and must not modify its inputs.
/// Throws    what `work` throws
template <class Work>
auto run_recorded(device::Device& device, const ops::Products& products, const char* name,
                  const Work& work) {
  products.prepare(device);
  if (!products.shows_values())
    if (auto result = try_recorded(device, name, work)) return std::move(*result);
  return work();  // throws the error
}

}  // namespace normproof::gpu::train
