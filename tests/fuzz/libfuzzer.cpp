#include <cstdint>
#include <cstdlib>

#include "tests/fuzz/readers.hpp"

// The reader is the one that NORMPROOF_FUZZ_READER names. What a property throws is a finding.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto& reader =
      normproof::tests::fuzz::reader_of(std::getenv("NORMPROOF_FUZZ_READER"));
  reader.hold(std::as_bytes(std::span(data, size)));
  return 0;
}
