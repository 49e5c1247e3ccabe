#pragma once

#include <cstddef>
#include <optional>

namespace normproof::verification::support::process {

/// The number of this process among those that mpirun or srun began together, as the environment
/// says; nothing where it was begun alone. No MPI library is needed.
/// Source    OMPI_COMM_WORLD_RANK (OpenMPI), PMI_RANK (MPICH, MVAPICH, Intel MPI), PMIX_RANK (srun)
/// Throws    UsageError where the variable is no number from 0 on
std::optional<std::size_t> rank();

/// Its number among those of them on this machine; where nothing says that, its number among all,
/// and where it was begun alone, 0.
/// Source    OMPI_COMM_WORLD_LOCAL_RANK, MPI_LOCALRANKID (MPICH, Intel MPI),
///           MV2_COMM_WORLD_LOCAL_RANK (MVAPICH), SLURM_LOCALID (srun)
/// Throws    UsageError as rank()
std::size_t local_rank();

}  // namespace normproof::verification::support::process
