#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <vector>

namespace normproof::gpu::device {

/// The CUDA graph of one named part of a program. Each time the part runs, its work is captured
/// from a stream into a new graph. If the new graph has the same nodes and edges as the previous
/// one, the instantiated graph is updated in place instead of rebuilt. This class is compiled only
/// if NORMPROOF_CUDA is set.
class CudaGraph {
 public:
  CudaGraph() = default;
  CudaGraph(const CudaGraph&) = delete;
  CudaGraph& operator=(const CudaGraph&) = delete;
  /// Requires  the work of the graph has finished
  ~CudaGraph();

  /// Begins a capture on the stream. First waits for the last launch of this graph, because the
  /// host copies of its data are reused. The capture mode is relaxed, so memory may be allocated
  /// during the capture.
  /// Throws    DeviceError
  void begin(cudaStream_t stream);
  /// Copies `bytes` bytes from `from` to host memory that stays valid until the graph's work has
  /// finished. Returns the copy.
  const void* keep(const void* from, std::size_t bytes);
  /// Ends the capture and launches the graph on the stream.
  void perform(cudaStream_t stream);
  void discard_graph(cudaStream_t stream) noexcept;

 private:
  /// Page-locked memory, from which the device copies while the host continues.
  struct Chunk {
    std::byte* memory;
    std::size_t size, used;
  };

  /// Updates the instantiated graph to match `graph`. Returns false if the two have different nodes
  /// or edges, so that an update is impossible.
  bool update(cudaGraph_t graph);

  std::vector<Chunk> chunks_;
  cudaGraphExec_t ready_ = nullptr;
  cudaEvent_t done_ = nullptr;
};

}  // namespace normproof::gpu::device
