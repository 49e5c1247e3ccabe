// make_tables FOLDER: writes the tables of the elementary functions, ref/numeric/elementary_*.inc,
// into a folder.
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "ref/numeric/elementary_tables.hpp"
#include "verification/checks/elementary/tables.hpp"

namespace {

void write(const std::filesystem::path& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  if (!(file << text).flush()) throw std::runtime_error("cannot write " + path.string());
}

}  // namespace

int main(int argc, char** argv) {
  using namespace normproof::verification::checks::elementary;
  using namespace normproof::ref::numeric;
  try {
    if (argc != 2) throw std::runtime_error("expected one argument, the folder to write to");
    const std::filesystem::path folder = argv[1];
    write(folder / "elementary_exp.inc", format_table(exp_table(), kExpColumns));
    write(folder / "elementary_log.inc", format_table(log_table(), kLogColumns));
    write(folder / "elementary_tanh.inc", format_table(tanh_table(), kTaylorColumns));
    write(folder / "elementary_erf.inc", format_table(erf_table(), kTaylorColumns));
    write(folder / "elementary_ln2.inc", format_limbs(ln2_limbs()));
    write(folder / "elementary_two_over_root_pi.inc", format_limbs(two_over_root_pi_limbs()));
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "make_tables: %s\n", error.what());
    return 1;
  }
}
