#pragma once

#include <string>

#include "verification/golden/mutations/mutation.hpp"

namespace normproof::verification::golden::mutations {

/// Returns the name of a mistake for a reader who does not know the sites of the plain
/// implementation, such as "eps: outside the root". If the site is in a part of a model, the name
/// begins with the prefix of that part, such as "norm: ".
///
/// Computes  the words of mistake_name.cpp for this operator at this site. If there are none, the
///           site and what to_string says of the operator
std::string mistake_name(const Mutation& mutation);

}  // namespace normproof::verification::golden::mutations
