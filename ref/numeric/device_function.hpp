#pragma once

/// A function that the host and a GPU compile from one source: marked for the device where the
/// compiler is nvcc, unmarked everywhere else. What is no template lies in an inline namespace of
/// its side, so that the linker never mixes them. NORMPROOF_DEVICE_CALLED is never inlined on a
/// device: what is rarely taken and long would cost every kernel its registers.
#if defined(__CUDACC__)
#define NORMPROOF_DEVICE __device__
#define NORMPROOF_DEVICE_CALLED __device__ __noinline__
#define NORMPROOF_SIDE on_device
#else
#define NORMPROOF_DEVICE
#define NORMPROOF_DEVICE_CALLED
#define NORMPROOF_SIDE on_host
#endif
