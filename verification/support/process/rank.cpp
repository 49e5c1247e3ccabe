#include "verification/support/process/rank.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <initializer_list>
#include <string_view>

#include "ref/numeric/errors.hpp"

namespace normproof::verification::support::process {
namespace {

/// Returns the value of the first environment variable of the list that is set, or nothing if none
/// is.
std::optional<std::size_t> read_rank_variable(std::initializer_list<const char*> variables) {
  for (const char* const variable : variables) {
    const char* const text = std::getenv(variable);
    if (text == nullptr) continue;
    const std::string_view given = text;
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(given.begin(), given.end(), number);
    if (error != std::errc() || end != given.end())
      throw ref::numeric::UsageError(
          fmt::format("{} is '{}'; expected a number of a rank from 0 on", variable, given));
    return number;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::size_t> rank() {
  return read_rank_variable({"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"});
}

std::size_t local_rank() {
  const auto among_all = rank();
  // SLURM_LOCALID is also set for programs that srun did not start as ranks.
  if (!among_all) return 0;
  return read_rank_variable({"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID",
                             "MV2_COMM_WORLD_LOCAL_RANK", "SLURM_LOCALID"})
      .value_or(*among_all);
}

}  // namespace normproof::verification::support::process
