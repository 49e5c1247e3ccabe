#pragma once

#include <string_view>
#include <vector>

#include "verification/golden/mutations/mutation.hpp"

namespace normproof::verification::golden::mutations {

/// One error that is made at several places (sites) of an implementation at once. For example, an
/// author who forgets a factor in the forward pass differentiates the wrong formula, and an author
/// who misreads a convention applies the wrong convention everywhere.
struct JointSite {
  std::string_view name;
  std::vector<MutationOperator> offered;
  /// The names of the sites at which the error is made. A name that ends in '*' stands for every
  /// site whose name begins with the text before the '*'.
  std::vector<std::string_view> sites;
  /// The name of a site that the implementation must have. Without that site, this joint site would
  /// be the same as another joint site. Empty if no site is required.
  std::string_view needs = {};

  bool has(std::string_view site) const;
};

/// Returns all joint sites. An implementation offers a joint site if it contains at least two of
/// the sites that belong to it, including the required one.
const std::vector<JointSite>& joint_sites();

/// Returns the joint site of that name, or null if there is none.
const JointSite* joint_site(std::string_view name);

}  // namespace normproof::verification::golden::mutations
