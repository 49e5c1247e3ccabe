#pragma once

namespace normproof::ref::numeric {

/// Tells malloc to keep what is freed, up to the program's peak, instead of handing each large
/// block back to the system: a layer's outputs are then not mapped and zeroed anew at every step.
/// For a program to call once, at its start; without effect where the C library is not glibc.
void keep_freed_memory();

}  // namespace normproof::ref::numeric
