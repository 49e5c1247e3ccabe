#include "verification/cli/device_option.hpp"

#include "gpu/device/device_choice.hpp"
#include "verification/cli/typed_options.hpp"
#include "verification/support/process/rank.hpp"

namespace normproof::verification::cli {

using normproof::gpu::device::Backend;

void add_device_option(CLI::App& app, Backend& device) {
  add_named_value_option(
      app, "--device", device, normproof::gpu::device::parse_backend,
      "simulated (default): kernels run on the processor, in an order that depends on the "
      "seed; cuda: on the first GPU; under mpirun, on the GPU of the rank",
      "simulated|cuda");
}

void add_device_option(CLI::App& app, std::optional<Backend>& device, const std::string& what) {
  add_named_value_option(app, "--device", device, normproof::gpu::device::parse_backend, what,
                         "simulated|cuda");
}

void add_device_or_processor_option(CLI::App& app, std::optional<Backend>& device,
                                    const std::string& what) {
  const auto parse = [](const std::string& text) -> std::optional<Backend> {
    if (text == "processor") return std::nullopt;
    if (text == "simulated") return Backend::simulated;
    if (text == "cuda") return Backend::cuda;
    throw ref::numeric::UsageError(
        ref::numeric::unknown_name("device", text, {"processor", "simulated", "cuda"}));
  };
  const auto print = [](Backend backend) { return to_string(backend); };
  add_value_option(
      app, "--device", device, parse, print,
      what +
          ": processor (default); cuda, the first GPU, or under mpirun the GPU of the rank; "
          "or simulated, a simulated GPU, which is slow",
      "processor|simulated|cuda");
}

std::unique_ptr<normproof::gpu::device::Device> open_rank_device(Backend backend,
                                                                 std::uint64_t seed) {
  return normproof::gpu::device::open_device_of_rank(backend, support::process::local_rank(), seed);
}

}  // namespace normproof::verification::cli
