#include "verification/cli/tools/tokenize.hpp"

#include "verification/cli/options.hpp"
#include "verification/cli/shared_options.hpp"

namespace normproof::verification::cli::tools {

void TokenizeCommand::add(CLI::App& app) {
  add_corpus_files_option(app, files);
  set_footer(
      app,
      R"(The ids are those of BERT's uncased WordPiece tokenizer, [CLS] and [SEP] included, separated by
spaces. Without --data and --vocab a synthetic corpus and its vocabulary are used.

Examples:
  normproof tokenize --data Sentences_AllAgree.txt --vocab vocab.txt > ids.txt
  normproof tokenize | head -3)");
}

Output TokenizeCommand::run() const {
  return printed(format_token_ids(load_corpus(files).tokenized));
}

}  // namespace normproof::verification::cli::tools
