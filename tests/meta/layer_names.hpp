#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace normproof::tests::meta {

/// The names of the layers in ref/model/norm_layers.cpp, but "none", a word of options too.
///
/// Throws    std::runtime_error where there is none: a check of nothing proves nothing
std::vector<std::string> layer_names(const std::filesystem::path& root);

/// One sentence for each line below root's ref, gpu and verification, C++, CUDA or Python, that
/// compares something with the name of a layer as text: what a layer is like follows from
/// ref/model/norm_layers.hpp, and which layer it is from the type of its options.
std::vector<std::string> compared_layer_names(const std::filesystem::path& root);

}  // namespace normproof::tests::meta
