#include "gpu/device/cuda_device.cuh"

#include "gpu/device/errors.hpp"

namespace normproof::gpu::device {
namespace {

constexpr std::size_t kWorkspaceBytes = std::size_t{32} << 20;  // of cuBLAS, as its manual advises

class CudaDevice final : public Device {
 public:
  CudaDevice() {
    int count = 0;  // which cudaGetDeviceCount leaves as it is where it fails
    NORMPROOF_CUDA_CALL(cudaGetDeviceCount(&count));
    if (count == 0) throw NoDeviceError("no device: cudaGetDeviceCount finds none");
    NORMPROOF_CUDA_CALL(cudaSetDevice(0));
    try {
      NORMPROOF_CUDA_CALL(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
      NORMPROOF_CUDA_CALL(cublasCreate(&cublas_));
      NORMPROOF_CUDA_CALL(cublasSetStream(cublas_, stream_));
      NORMPROOF_CUDA_CALL(cudaMallocAsync(&workspace_, kWorkspaceBytes, stream_));
      NORMPROOF_CUDA_CALL(cublasSetWorkspace(cublas_, workspace_, kWorkspaceBytes));
    } catch (...) {
      close();
      throw;
    }
  }
  ~CudaDevice() override { close(); }

  Backend backend() const override { return Backend::cuda; }
  void* allocate(std::size_t bytes) override {
    void* memory = nullptr;
    NORMPROOF_CUDA_CALL(cudaMallocAsync(&memory, bytes, stream_));
    return memory;
  }
  void release(void* memory) noexcept override { cudaFreeAsync(memory, stream_); }
  void upload(void* to, const void* from, std::size_t bytes) override {
    NORMPROOF_CUDA_CALL(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream_));
    synchronize();
  }
  void download(void* to, const void* from, std::size_t bytes) override {
    NORMPROOF_CUDA_CALL(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream_));
    synchronize();
  }
  void synchronize() override { NORMPROOF_CUDA_CALL(cudaStreamSynchronize(stream_)); }
  std::uint64_t next_order() override { return 0; }

  cudaStream_t stream() const { return stream_; }
  cublasHandle_t cublas() const { return cublas_; }

 private:
  void close() noexcept {
    if (cublas_ != nullptr) cublasDestroy(cublas_);
    if (workspace_ != nullptr) cudaFreeAsync(workspace_, stream_);
    if (stream_ != nullptr) cudaStreamDestroy(stream_);
  }

  cudaStream_t stream_ = nullptr;
  cublasHandle_t cublas_ = nullptr;
  void* workspace_ = nullptr;
};

}  // namespace

cudaStream_t stream_of(Device& device) {
  return dynamic_cast<CudaDevice&>(device).stream();
}
cublasHandle_t cublas_of(Device& device) {
  return dynamic_cast<CudaDevice&>(device).cublas();
}

void check_status(cudaError_t status, const char* call, const char* file, int line) {
  if (status == cudaSuccess) return;
  const std::string sentence = failed_call(call, cudaGetErrorString(status), file, line);
  if (status == cudaErrorNoDevice) throw NoDeviceError("no device: " + sentence);
  // A machine without a driver says so, too, that the driver is older than the toolkit.
  int driver = 0;
  if (status == cudaErrorInsufficientDriver &&
      (cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0))
    throw NoDeviceError("no device: " + sentence);
  throw DeviceError(sentence);
}

void check_status(cublasStatus_t status, const char* call, const char* file, int line) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  throw DeviceError(failed_call(call, cublasGetStatusString(status), file, line));
}

std::unique_ptr<Device> cuda_device() {
  return std::make_unique<CudaDevice>();
}

}  // namespace normproof::gpu::device
