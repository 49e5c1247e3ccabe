#pragma once

#include <string>

#include "verification/training/language_model.hpp"

namespace normproof::verification::training {

/// Continues a text with a language model. Each new character is the most likely one; if several
/// characters are equally likely, it is the first of them in the alphabet.
///
/// Computes  the `length` characters that follow `prompt`, with IncrementalEncoder. The context of
///           the model has at most config.context characters. When the context is full, the model
///           restarts from the last config.context / 2 characters of the text
/// Requires  (C1) the prompt has a character
/// Throws    ContractError; FileError if a character is not in the alphabet
std::string complete(const LanguageModel& model, const std::string& prompt, std::size_t length);

}  // namespace normproof::verification::training
