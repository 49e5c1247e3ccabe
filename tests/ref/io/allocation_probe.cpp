#include "tests/ref/io/allocation_probe.hpp"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::size_t> largest_request{0};

}  // namespace

namespace normproof::tests::ref::io {

AllocationProbe::AllocationProbe() {
  largest_request = 0;
}
std::size_t AllocationProbe::largest_request_bytes() const {
  return largest_request;
}

}  // namespace normproof::tests::ref::io

void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  if (size > largest_request) largest_request = size;
  return std::malloc(size);
}

void* operator new(std::size_t size) {
  if (void* memory = ::operator new(size, std::nothrow)) return memory;
  throw std::bad_alloc();
}

void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
