#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace normproof::tests::meta {

/// Returns the names of the layers in ref/model/norm_layers.cpp except "none", which is also a
/// value of options.
///
/// Throws    std::runtime_error if there is none
std::vector<std::string> layer_names(const std::filesystem::path& root);

/// Returns one sentence for each line of C++, CUDA or Python below root's ref, gpu and verification
/// that compares a text with the name of a layer. The properties of a layer should come from
/// ref/model/norm_layers.hpp, and its identity from the type of its options.
std::vector<std::string> compared_layer_names(const std::filesystem::path& root);

}  // namespace normproof::tests::meta
