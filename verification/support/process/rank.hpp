#pragma once

#include <cstddef>
#include <optional>

namespace normproof::verification::support::process {

/// The rank of this process among those that mpirun or srun began together, read from the
/// environment; nothing if the process was begun alone. No MPI library is needed.
/// Source    OMPI_COMM_WORLD_RANK (OpenMPI), PMI_RANK (MPICH, MVAPICH, Intel MPI), PMIX_RANK (srun)
/// Throws    UsageError if the variable is not an integer >= 0
std::optional<std::size_t> rank();

/// The rank of this process among the ranks on this machine. It is the global rank if the
/// environment does not say it, and 0 if the process was begun alone.
/// Source    OMPI_COMM_WORLD_LOCAL_RANK, MPI_LOCALRANKID (MPICH, Intel MPI),
///           MV2_COMM_WORLD_LOCAL_RANK (MVAPICH), SLURM_LOCALID (srun)
/// Throws    UsageError as rank()
std::size_t local_rank();

}  // namespace normproof::verification::support::process
