#include "gpu/device/cuda_device.cuh"

#include <cstdlib>
#include <map>
#include <stdexcept>
#include <utility>

#include "gpu/device/cuda_graph.cuh"
#include "gpu/device/errors.hpp"
#include "gpu/device/memory_cache.hpp"

namespace normproof::gpu::device {
namespace {

// the size of the cuBLAS workspace that the cuBLAS manual recommends
constexpr std::size_t kWorkspaceBytes = std::size_t{32} << 20;
constexpr int kMaxClusterBlocks = 8;  // portable maximum: every GPU with clusters supports it

int query_max_cluster_blocks(int gpu) {
  int has_clusters = 0;
  NORMPROOF_CUDA_CALL(cudaDeviceGetAttribute(&has_clusters, cudaDevAttrClusterLaunch, gpu));
  return has_clusters != 0 ? kMaxClusterBlocks : 1;
}

class CudaDevice final : public Device {
 public:
  explicit CudaDevice(std::size_t index) {
    NORMPROOF_CUDA_CALL(cudaSetDevice(static_cast<int>(index)));
    max_cluster_blocks = query_max_cluster_blocks(static_cast<int>(index));
    try {
      NORMPROOF_CUDA_CALL(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
      NORMPROOF_CUDA_CALL(cublasCreate(&cublas_));
      NORMPROOF_CUDA_CALL(cublasSetStream(cublas_, stream_));
      NORMPROOF_CUDA_CALL(cudaMalloc(&workspace_, kWorkspaceBytes));
      NORMPROOF_CUDA_CALL(cublasSetWorkspace(cublas_, workspace_, kWorkspaceBytes));
    } catch (...) {
      close();
      throw;
    }
  }
  ~CudaDevice() override { close(); }

  Backend backend() const override { return Backend::cuda; }
  void* allocate(std::size_t bytes) override {
    void* const memory = memory_.acquire(bytes);
    if (memory == nullptr) check_status(out_of_memory_, "cudaMalloc", __FILE__, __LINE__);
    return memory;
  }
  void release(void* memory) noexcept override { memory_.return_to_cache(memory); }
  void upload(void* to, const void* from, std::size_t bytes) override {
    if (graph_ == nullptr) {
      NORMPROOF_CUDA_CALL(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream_));
      synchronize();
      return;
    }
    const void* const copy = graph_->keep(from, bytes);
    NORMPROOF_CUDA_CALL(cudaMemcpyAsync(to, copy, bytes, cudaMemcpyHostToDevice, stream_));
  }
  void download(void* to, const void* from, std::size_t bytes) override {
    if (graph_ != nullptr) throw_download_error(recorded_name_);
    NORMPROOF_CUDA_CALL(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream_));
    synchronize();
  }
  void synchronize() override { NORMPROOF_CUDA_CALL(cudaStreamSynchronize(stream_)); }
  std::uint64_t next_order() override { return 0; }
  void enqueue(std::function<void()>) override {
    throw std::logic_error("enqueue: of the simulated device alone");
  }

  void begin_recording(const std::string& name) override {
    recorded_name_ = name;
    CudaGraph& graph = graphs_[name];
    graph.begin(stream_);
    memory_.begin_memory_hold();
    graph_ = &graph;
  }
  void perform_recording() override {
    CudaGraph& graph = *std::exchange(graph_, nullptr);
    graph.perform(stream_);
    memory_.end_memory_hold();
  }
  void forget_recording() noexcept override {
    if (graph_ != nullptr) graph_->discard_graph(stream_);
    graph_ = nullptr;
    memory_.end_memory_hold();
  }

  cudaStream_t stream() const { return stream_; }
  cublasHandle_t cublas() const { return cublas_; }

 private:
  void close() noexcept {
    if (stream_ != nullptr) cudaStreamSynchronize(stream_);
    graphs_.clear();
    if (cublas_ != nullptr) cublasDestroy(cublas_);
    if (workspace_ != nullptr) cudaFree(workspace_);
    if (stream_ != nullptr) cudaStreamDestroy(stream_);
  }

  /// Allocates device memory. It may also be called while work is recorded, because it does not
  /// wait for the device.
  void* allocate_on_device(std::size_t bytes) {
    void* memory = nullptr;
    out_of_memory_ = cudaMalloc(&memory, bytes);
    // Clears the error; otherwise the next launch would report it.
    if (out_of_memory_ != cudaSuccess) cudaGetLastError();
    return memory;
  }

  cudaStream_t stream_ = nullptr;
  cublasHandle_t cublas_ = nullptr;
  void* workspace_ = nullptr;
  cudaError_t out_of_memory_ = cudaSuccess;  ///< the result of the last cudaMalloc
  MemoryCache memory_{{[this](std::size_t bytes) { return allocate_on_device(bytes); },
                       // cudaFree waits for work that may still use the memory.
                       [](void* memory) { cudaFree(memory); }},
                      std::getenv("NORMPROOF_EXACT_MEMORY") == nullptr};
  std::map<std::string, CudaGraph> graphs_;
  CudaGraph* graph_ = nullptr;  ///< the graph of the current recording, if any
  std::string recorded_name_;
};

}  // namespace

cudaStream_t cuda_stream(Device& device) {
  return dynamic_cast<CudaDevice&>(device).stream();
}
cublasHandle_t cublas_handle(Device& device) {
  return dynamic_cast<CudaDevice&>(device).cublas();
}

void check_status(cudaError_t status, const char* call, const char* file, int line) {
  if (status == cudaSuccess) return;
  const std::string sentence = describe_failed_call(call, cudaGetErrorString(status), file, line);
  if (status == cudaErrorNoDevice) throw NoDeviceError("no device: " + sentence);
  // Without a driver, CUDA reports the error "driver too old" too, so the driver's version decides.
  int driver = 0;
  if (status == cudaErrorInsufficientDriver &&
      (cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0))
    throw NoDeviceError("no device: " + sentence);
  throw DeviceError(sentence);
}

void check_status(cublasStatus_t status, const char* call, const char* file, int line) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  throw DeviceError(describe_failed_call(call, cublasGetStatusString(status), file, line));
}

std::size_t cuda_device_count() {
  int count = 0;  // cudaGetDeviceCount leaves it unchanged if it fails
  NORMPROOF_CUDA_CALL(cudaGetDeviceCount(&count));
  if (count == 0) throw NoDeviceError("no device: cudaGetDeviceCount finds none");
  return static_cast<std::size_t>(count);
}

std::unique_ptr<Device> cuda_device_at(std::size_t index) {
  return std::make_unique<CudaDevice>(index);
}

std::unique_ptr<Device> cuda_device() {
  cuda_device_count();  // throws if there is no device
  return cuda_device_at(0);
}

}  // namespace normproof::gpu::device
