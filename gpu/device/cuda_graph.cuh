#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <vector>

namespace normproof::gpu::device {

/// The CUDA graph of one part of a program. The part is captured from a stream each time it runs.
/// If the new graph has the shape of the previous one, the instantiated graph is updated in place.
/// Built only if NORMPROOF_CUDA is set.
class CudaGraph {
 public:
  CudaGraph() = default;
  CudaGraph(const CudaGraph&) = delete;
  CudaGraph& operator=(const CudaGraph&) = delete;
  /// Requires  (C1) its work has finished
  ~CudaGraph();

  /// Waits for the graph performed last, because its host copies are reused, and begins a capture.
  /// The capture mode is relaxed, so memory may be allocated during it.
  /// Throws    DeviceError
  void begin(cudaStream_t stream);
  /// Copies `from` to memory that stays valid until the work has finished.
  const void* keep(const void* from, std::size_t bytes);
  /// Ends the capture and launches the graph on the stream.
  void perform(cudaStream_t stream);
  void forget(cudaStream_t stream) noexcept;

 private:
  /// Page-locked memory, from which the device copies while the host continues.
  struct Chunk {
    std::byte* memory;
    std::size_t size, used;
  };

  /// Updates the instantiated graph. Returns false if the new graph has another shape.
  bool update(cudaGraph_t graph);

  std::vector<Chunk> chunks_;
  cudaGraphExec_t ready_ = nullptr;
  cudaEvent_t done_ = nullptr;
};

}  // namespace normproof::gpu::device
