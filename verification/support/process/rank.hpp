#pragma once

#include <cstddef>
#include <optional>

namespace normproof::verification::support::process {

/// Returns the rank of this process among the processes that mpirun or srun started together, or
/// nothing if the process was started alone. The rank is read from the environment, without an MPI
/// library.
/// Source    OMPI_COMM_WORLD_RANK (OpenMPI), PMI_RANK (MPICH, MVAPICH, Intel MPI), PMIX_RANK (srun)
/// Throws    UsageError if the variable is not an integer >= 0
std::optional<std::size_t> rank();

/// Returns the rank of this process among the ranks on this machine. If the environment does not
/// define it, returns rank(). Returns 0 if the process was started alone.
/// Source    OMPI_COMM_WORLD_LOCAL_RANK, MPI_LOCALRANKID (MPICH, Intel MPI),
///           MV2_COMM_WORLD_LOCAL_RANK (MVAPICH), SLURM_LOCALID (srun)
/// Throws    UsageError if a variable is not an integer >= 0
std::size_t local_rank();

}  // namespace normproof::verification::support::process
