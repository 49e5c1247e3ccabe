#pragma once

/// Macros for functions that the host and a GPU compile from one source. NORMPROOF_DEVICE marks a
/// function for the device if the compiler is nvcc, and is empty otherwise. A function that is not
/// a template lies in an inline namespace per side, so that the linker never mixes the two.
/// NORMPROOF_DEVICE_CALLED is never inlined on a device: inlining long, rarely used code would cost
/// every kernel registers.
#if defined(__CUDACC__)
#define NORMPROOF_DEVICE __device__
#define NORMPROOF_DEVICE_CALLED __device__ __noinline__
#define NORMPROOF_SIDE on_device
#else
#define NORMPROOF_DEVICE
#define NORMPROOF_DEVICE_CALLED
#define NORMPROOF_SIDE on_host
#endif
