#pragma once

#include <cstddef>

/// Makes memory that is exhausted inside GMP, MPFR, MPFI or FLINT an exception. By themselves,
/// these libraries end the process. They are written in C, and no exception may leave the functions
/// by which they allocate. These functions therefore take memory from a reserve when the system has
/// none, and the next check throws std::bad_alloc.
namespace normproof::ref::numeric {

/// Makes GMP and FLINT allocate with the reserve behind, unless the program has given GMP other
/// functions. Forgets that memory was exhausted before. A program calls this before it computes.
void use_multiprecision_reserve();

/// Throws    std::bad_alloc if the reserve was needed since the last call of
///           use_multiprecision_reserve
void check_multiprecision_memory();

/// Checks that `bytes` more bytes can be allocated now. It is for computations that make many
/// numbers between two checks.
/// Throws    std::bad_alloc
void require_multiprecision_memory(std::size_t bytes);

}  // namespace normproof::ref::numeric
