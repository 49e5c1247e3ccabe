#pragma once

#include <string>

namespace normproof::verification::checks::evaluation {

/// These functions make three texts that describe all operations. The facts come from
/// ref/model/operation_info.hpp and norm_layers.hpp. The operations are in the order of
/// model::operations().

/// Returns a text with one paragraph per operation.
std::string operations_text();

/// Returns a JSON array of objects, indented by 1, with the keys of docs/guide/formats.md. The
/// adapters of verification/interop and the package of verification/bindings/python read it.
std::string operations_json();

/// Returns the Markdown table of docs/guide/formats.md. The table contains only the norm layers.
std::string layers_markdown();

}  // namespace normproof::verification::checks::evaluation
