#pragma once

#include <string>

#include "verification/training/language_model.hpp"

namespace normproof::verification::training {

/// Continues a text with a language model, always by the most likely next character; of equally
/// likely ones, the first.
///
/// Computes  `length` characters after `prompt`, by IncrementalEncoder. The model sees at most its
///           context: if that is full, it restarts from the last half of it
/// Requires  (C1) the prompt has a character
/// Throws    ContractError; FileError if a character is not in the alphabet
std::string complete(const LanguageModel& model, const std::string& prompt, std::size_t length);

}  // namespace normproof::verification::training
