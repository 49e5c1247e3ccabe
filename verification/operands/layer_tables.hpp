#pragma once

#include <string>

namespace normproof::verification::operands {

/// Renderings of the layers of ref/model/norm_layers.hpp, in the order of its list, followed by the
/// functions of ref/model/operation.hpp.

/// Returns plain text with one paragraph per layer and per function.
std::string layers_text();

/// Returns a JSON array, indented by 1, with one object per layer and per function.
/// docs/guide/formats.md describes the keys. The adapters of verification/interop and the Python
/// package read it.
std::string layers_json();

/// Returns the Markdown table of the layers in docs/guide/formats.md.
std::string layers_markdown();

}  // namespace normproof::verification::operands
