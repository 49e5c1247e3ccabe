#pragma once

/// Macros for functions that are compiled for the host and for a GPU from one source.
/// NORMPROOF_DEVICE marks a function for the GPU if the compiler is nvcc, and is empty otherwise.
/// NORMPROOF_SIDE names an inline namespace, one for the host and one for the GPU. Functions that
/// are not templates lie in it, so that the linker never mixes the two versions.
/// NORMPROOF_DEVICE_CALLED prevents inlining on the GPU, because inlining long, rarely used code
/// would cost every kernel registers.
#if defined(__CUDACC__)
#define NORMPROOF_DEVICE __device__
#define NORMPROOF_DEVICE_CALLED __device__ __noinline__
#define NORMPROOF_SIDE on_device
#else
#define NORMPROOF_DEVICE
#define NORMPROOF_DEVICE_CALLED
#define NORMPROOF_SIDE on_host
#endif
