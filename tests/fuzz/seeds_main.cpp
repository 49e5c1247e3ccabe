#include <filesystem>
#include <iostream>

#include "ref/io/atomic_file.hpp"
#include "tests/fuzz/readers.hpp"

// normproof_fuzz_seeds <corpus> <folder>: writes one folder per reader with one file per seed, and
// prints the names of the readers.
int main(int count, char** words) {
  if (count != 3) return 2;
  namespace fuzz = normproof::tests::fuzz;
  for (const fuzz::Reader& reader : fuzz::readers()) {
    const auto folder = std::filesystem::path(words[2]) / reader.name;
    std::filesystem::create_directories(folder);
    std::size_t number = 0;
    for (const fuzz::Bytes& seed : reader.seeds(words[1]))
      normproof::ref::io::write_file(folder / ("seed-" + std::to_string(number++)), seed);
    std::cout << reader.name << "\n";
  }
}
