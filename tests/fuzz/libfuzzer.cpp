#include <cstdint>
#include <cstdlib>

#include "tests/fuzz/readers.hpp"

// Fuzzes the reader that NORMPROOF_FUZZ_READER names. An exception of a property is a finding.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto& reader =
      normproof::tests::fuzz::find_reader(std::getenv("NORMPROOF_FUZZ_READER"));
  reader.check_file(std::as_bytes(std::span(data, size)));
  return 0;
}
