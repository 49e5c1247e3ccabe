#include "verification/cli/corpus.hpp"

#include <fmt/format.h>

#include <iterator>
#include <utility>
#include <vector>

#include "ref/data/phrasebank.hpp"
#include "ref/data/synthetic.hpp"
#include "ref/data/vocabulary.hpp"
#include "ref/data/wordpiece.hpp"
#include "ref/numeric/errors.hpp"

namespace normproof::verification::cli {

namespace data = ref::data;

Corpus load_corpus(const CorpusFiles& files, std::optional<std::size_t> max_length) {
  if (files.data.has_value() != files.vocab.has_value()) {
    throw ref::numeric::UsageError(fmt::format(
        "--{} is given without --{}; expected both, or neither for the synthetic corpus",
        files.data ? "data" : "vocab", files.data ? "vocab" : "data"));
  }
  const bool synthetic = !files.data;
  data::Vocabulary vocabulary =
      synthetic
          ? data::Vocabulary::from_tokens(data::synthetic_vocabulary(), "synthetic vocabulary")
          : data::Vocabulary::load(*files.vocab);
  const std::vector<data::LabelledSentence> sentences =
      synthetic ? data::synthetic_sentences(synthetic_seed) : data::read_phrasebank(*files.data);

  Corpus corpus;
  corpus.name = synthetic ? "synthetic corpus" : files.data->filename().string();
  corpus.tokenized.vocab_size = vocabulary.size();
  corpus.tokenized.pad_id = vocabulary.pad_id();
  const data::WordPieceTokenizer tokenizer(std::move(vocabulary));
  for (const auto& [sentence, label] : sentences) {
    corpus.tokenized.sequences.push_back(tokenizer.encode(sentence, max_length));
    corpus.tokenized.labels.push_back(label);
  }
  return corpus;
}

std::string format_token_ids(const checks::statistics::TokenizedCorpus& corpus) {
  std::string text;
  for (const auto& sequence : corpus.sequences)
    fmt::format_to(std::back_inserter(text), "{}\n", fmt::join(sequence, " "));
  return text;
}

}  // namespace normproof::verification::cli
