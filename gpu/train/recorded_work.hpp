#pragma once

#include <optional>
#include <utility>

#include "gpu/device/recording.hpp"
#include "gpu/ops/products.hpp"
#include "ref/numeric/errors.hpp"

/// Runs device work as a recording. If a check rejects a value, runs it again without a recording
/// to get the error message.
namespace normproof::gpu::train {

/// Records `work` and submits it. Returns the result of `work`, or nothing if a check rejected a
/// value.
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
  if (recording.has_failed_check()) return {};
  return result;
}

/// Runs `work` as a recording and returns its result. If the matrix products need values on the
/// host (Products::needs_host_values), runs it without a recording. `work` may run twice and must
/// not modify its inputs.
/// Throws    what `work` throws
template <class Work>
auto run_with_recording(device::Device& device, const ops::Products& products, const char* name,
                        const Work& work) {
  products.prepare(device);
  if (!products.needs_host_values())
    if (auto result = try_recorded(device, name, work)) return std::move(*result);
  return work();  // throws the error
}

}  // namespace normproof::gpu::train
