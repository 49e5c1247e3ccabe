#pragma once

#include "verification/golden/certify/corpus_files.hpp"

namespace normproof::verification::golden::gate {

/// Returns the case of `stored`. If the operation is a function and the case has no gradients, a
/// grad_y of zeros is added, because the plain implementations compute all gradients.
corpus::Case with_every_gradient(const certify::StoredCase& stored);

}  // namespace normproof::verification::golden::gate
