#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <vector>

namespace normproof::gpu::device {

/// The graph of one part of a program, captured from a stream each time and changed in place where
/// the shape of the graph is that of the last time. Built where NORMPROOF_CUDA is set.
class CudaGraph {
 public:
  CudaGraph() = default;
  CudaGraph(const CudaGraph&) = delete;
  CudaGraph& operator=(const CudaGraph&) = delete;
  /// Requires  its work is done
  ~CudaGraph();

  /// Waits for what was performed last, whose copies are reused, and begins to capture. The mode is
  /// the relaxed one: memory may be allocated meanwhile.
  /// Throws    DeviceError
  void begin(cudaStream_t stream);
  /// A copy of `from` that stays until the work has been done.
  const void* keep(const void* from, std::size_t bytes);
  /// Ends the capture, and gives the graph to the stream.
  void perform(cudaStream_t stream);
  void forget(cudaStream_t stream) noexcept;

 private:
  /// Page-locked memory, from which a device copies while the processor goes on.
  struct Chunk {
    std::byte* memory;
    std::size_t size, used;
  };

  /// Changes the graph that is there; false where it has another shape.
  bool update(cudaGraph_t graph);

  std::vector<Chunk> chunks_;
  cudaGraphExec_t ready_ = nullptr;
  cudaEvent_t done_ = nullptr;
};

}  // namespace normproof::gpu::device
