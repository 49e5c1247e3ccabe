#include "gpu/device/cuda_graph.cuh"

#include <algorithm>
#include <cstring>

#include "gpu/device/cuda_device.cuh"

namespace normproof::gpu::device {
namespace {

constexpr std::size_t kChunkBytes = std::size_t{1} << 20;
constexpr std::size_t kAlignment = 256;

}  // namespace

CudaGraph::~CudaGraph() {
  if (ready_ != nullptr) cudaGraphExecDestroy(ready_);
  if (done_ != nullptr) cudaEventDestroy(done_);
  for (const Chunk& chunk : chunks_) cudaFreeHost(chunk.memory);
}

void CudaGraph::begin(cudaStream_t stream) {
  if (done_ == nullptr)
    NORMPROOF_CUDA_CALL(cudaEventCreateWithFlags(&done_, cudaEventDisableTiming));
  NORMPROOF_CUDA_CALL(cudaEventSynchronize(done_));
  for (Chunk& chunk : chunks_) chunk.used = 0;
  NORMPROOF_CUDA_CALL(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
}

const void* CudaGraph::keep(const void* from, std::size_t bytes) {
  const std::size_t size = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  auto chunk =
      std::ranges::find_if(chunks_, [&](const Chunk& one) { return one.size - one.used >= size; });
  if (chunk == chunks_.end()) {
    void* memory = nullptr;
    const std::size_t all = std::max(size, kChunkBytes);
    NORMPROOF_CUDA_CALL(cudaMallocHost(&memory, all));
    chunks_.push_back({static_cast<std::byte*>(memory), all, 0});
    chunk = chunks_.end() - 1;
  }
  std::byte* const copy = chunk->memory + chunk->used;
  chunk->used += size;
  std::memcpy(copy, from, bytes);
  return copy;
}

bool CudaGraph::update(cudaGraph_t graph) {
  if (ready_ == nullptr) return false;
  cudaGraphExecUpdateResultInfo info{};
  if (cudaGraphExecUpdate(ready_, graph, &info) == cudaSuccess) return true;
  cudaGetLastError();  // a graph of another shape is no error
  cudaGraphExecDestroy(ready_);
  ready_ = nullptr;
  return false;
}

void CudaGraph::perform(cudaStream_t stream) {
  cudaGraph_t graph = nullptr;
  NORMPROOF_CUDA_CALL(cudaStreamEndCapture(stream, &graph));
  const struct Owner {
    cudaGraph_t graph;
    ~Owner() { cudaGraphDestroy(graph); }
  } owner{graph};
  if (!update(graph)) NORMPROOF_CUDA_CALL(cudaGraphInstantiate(&ready_, graph, 0));
  NORMPROOF_CUDA_CALL(cudaGraphLaunch(ready_, stream));
  NORMPROOF_CUDA_CALL(cudaEventRecord(done_, stream));
}

void CudaGraph::discard_graph(cudaStream_t stream) noexcept {
  cudaGraph_t graph = nullptr;
  if (cudaStreamEndCapture(stream, &graph) != cudaSuccess) cudaGetLastError();
  if (graph != nullptr) cudaGraphDestroy(graph);
}

}  // namespace normproof::gpu::device
