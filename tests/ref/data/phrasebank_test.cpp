#include "ref/data/phrasebank.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <filesystem>

#include "ref/numeric/errors.hpp"
#include "tests/ref/data/shared_data.hpp"
#include "tests/ref/data/temporary_file.hpp"
#include "tests/ref/data/utf8_character.hpp"
#include "tests/ref/numeric/error_message.hpp"

namespace normproof::tests::ref::data {
namespace {

using ::testing::ElementsAre;
using ::testing::StrEq;
using namespace ::normproof::ref::data;
using normproof::ref::numeric::contract_violation;
using normproof::ref::numeric::ContractError;
using normproof::ref::numeric::error_message;
using normproof::ref::numeric::FileError;

using Sentences = std::vector<LabelledSentence>;

void expect_phrasebank_rejection_message(std::string_view bytes, const std::string& message) {
  EXPECT_THAT(error_message<FileError>([bytes] { parse_phrasebank(bytes, "p.txt"); }),
              StrEq(message))
      << ::testing::PrintToString(bytes);
}

TEST(ParsePhraseBank, ReadsSentencesAndLabels) {
  EXPECT_EQ(
      parse_phrasebank("Sales fell .@negative\r\n"
                       " Kept blanks\t @neutral\r\n"
                       "Write to a@b.example .@positive\r\n",
                       "p.txt"),
      (Sentences{{"Sales fell .", 0}, {" Kept blanks\t ", 1}, {"Write to a@b.example .", 2}}));
}

TEST(ParsePhraseBank, DecodesLatin1) {
  EXPECT_EQ(parse_phrasebank("\xc4\xe4\xf6 \xa3 5 \xff\x80\xa0x@neutral\r\n", "p.txt"),
            (Sentences{{"\u00c4\u00e4\u00f6 \u00a3 5 \u00ff\u0080\u00a0x", 1}}));
}

TEST(ParsePhraseBank, SplitsAtTheLastAtSign) {
  EXPECT_EQ(parse_phrasebank("@@positive\r\n", "p.txt"), (Sentences{{"@", 2}}));
  EXPECT_EQ(parse_phrasebank("a@neutral@negative\r\n", "p.txt"), (Sentences{{"a@neutral", 0}}));
}

TEST(ParsePhraseBank, RejectsAnEmptyFile) {
  expect_phrasebank_rejection_message(
      "", "p.txt:1: the file is empty; expected lines of sentence@label");
}

TEST(ParsePhraseBank, RejectsAByteOrderMark) {
  expect_phrasebank_rejection_message(
      "\xef\xbb\xbf"
      "a@neutral\r\n",
      "p.txt:1: the file begins with a UTF-8 byte order mark; expected ISO-8859-1 text "
      "without a mark");
}

TEST(ParsePhraseBank, RejectsOtherLineEnds) {
  const std::string lf = "the line ends with LF alone; expected CR LF after every line";
  expect_phrasebank_rejection_message("a@neutral\n", "p.txt:1: " + lf);
  expect_phrasebank_rejection_message("a@neutral\r\nb@neutral\nc@neutral\r\n", "p.txt:2: " + lf);
  expect_phrasebank_rejection_message("a@neutral\r\n\n", "p.txt:2: " + lf);
  const std::string cr = "the line has a CR without LF; expected CR LF after every line";
  expect_phrasebank_rejection_message("a@neutral\rb@neutral\r\n", "p.txt:1: " + cr);
  expect_phrasebank_rejection_message("a@neutral\r\nb@neutral\r", "p.txt:2: " + cr);
  expect_phrasebank_rejection_message("a@neutral\r\r\n", "p.txt:1: " + cr);
}

TEST(ParsePhraseBank, RejectsALastLineWithoutLineEnd) {
  const std::string end =
      "the last line does not end with CR LF; expected CR LF after every line (the file may be "
      "truncated)";
  expect_phrasebank_rejection_message("a@neutral", "p.txt:1: " + end);
  expect_phrasebank_rejection_message("a@neutral\r\nb@neutral\r\nc@neu", "p.txt:3: " + end);
}

TEST(ParsePhraseBank, RejectsMalformedLines) {
  expect_phrasebank_rejection_message("a@neutral\r\n\r\nb@neutral\r\n",
                                      "p.txt:2: the line is empty; expected sentence@label");
  expect_phrasebank_rejection_message(
      "a@neutral\r\nno label here\r\n",
      "p.txt:2: the line \"no label here\" has no '@'; expected sentence@label");
  expect_phrasebank_rejection_message(std::string_view("a@neutral\r\nb\0c@neutral\r\n", 24),
                                      "p.txt:2: the line has a NUL byte; expected ISO-8859-1 text");
  for (const std::string_view blank : {"", " ", "\t \xa0"}) {
    expect_phrasebank_rejection_message(
        "a@neutral\r\n" + std::string(blank) + "@positive\r\n",
        "p.txt:2: the sentence before the last '@' is empty; expected a sentence");
  }
}

TEST(ParsePhraseBank, RejectsUnknownLabels) {
  for (const std::string label :
       {"", "Neutral", "neutral ", " neutral", "neutra", "neutrall", "2"}) {
    expect_phrasebank_rejection_message("a@neutral\r\nb@" + label + "\r\n",
                                        "p.txt:2: the label after the last '@' is \"" + label +
                                            "\"; expected negative, neutral or positive");
  }
  expect_phrasebank_rejection_message(
      "b@\xe4\r\n",
      "p.txt:1: the label after the last '@' is \"\\xe4\"; expected negative, neutral "
      "or positive");
}

TEST(ReadPhraseBank, ErrorsNameThePath) {
  const TemporaryFile good("a@neutral\r\n");
  EXPECT_EQ(read_phrasebank(good.path()), (Sentences{{"a", 1}}));
  const TemporaryFile file_with_invalid_line("a@neutral\r\nb\r\n");
  EXPECT_THAT(
      error_message<FileError>(
          [&file_with_invalid_line] { read_phrasebank(file_with_invalid_line.path()); }),
      StrEq(file_with_invalid_line.path().string() + ":2: the line \"b\" has no '@'; expected "
                                                     "sentence@label"));
  const TemporaryFile empty("");
  EXPECT_THAT(
      error_message<FileError>([&empty] { read_phrasebank(empty.path()); }),
      StrEq(empty.path().string() + ":1: the file is empty; expected lines of sentence@label"));
  EXPECT_THAT(error_message<FileError>([] { read_phrasebank("/nonexistent/p.txt"); }),
              StrEq("/nonexistent/p.txt: does not exist; expected a readable file"));
}

TEST(LabelName, C1_RejectsLabelsOutOfRange) {
  EXPECT_THAT((std::array{label_name(0), label_name(1), label_name(2)}),
              ElementsAre("negative", "neutral", "positive"));
  EXPECT_THAT(error_message<ContractError>([] { label_name(3); }),
              StrEq("label_name: label is 3; expected 0, 1 or 2 (C1)"));
  EXPECT_THAT([] { label_name(-1); }, ::testing::Throws<ContractError>());
}

void expect_formatting_rejection_message(const Sentences& sentences, const std::string& message) {
  EXPECT_EQ(sentence(contract_violation([&] { format_phrasebank(sentences); })),
            "format_phrasebank: " + message);
}

TEST(FormatPhraseBank, C1_RejectsAnEmptyCorpus) {
  expect_formatting_rejection_message({}, "sentences is empty; expected at least one sentence");
}

TEST(FormatPhraseBank, C2_RejectsSentencesThatALineCannotHold) {
  expect_formatting_rejection_message(
      {{"a", 1}, {"\u20ac 5", 1}},
      "sentences[1].sentence has the byte 0xe2 at 0; expected well-formed UTF-8 of "
      "characters up to U+00FF");
  expect_formatting_rejection_message(
      {{"ab\xc3", 1}},
      "sentences[0].sentence has the byte 0xc3 at 2; expected well-formed UTF-8 of "
      "characters up to U+00FF");
  expect_formatting_rejection_message({{"\u00a0", 1}},
                                      "sentences[0].sentence is empty; expected a sentence");
  for (const std::string& odd :
       {std::string("a\0b", 3), std::string("a\rb"), std::string("a\nb")}) {
    expect_formatting_rejection_message(
        {{odd, 1}}, "sentences[0].sentence has a NUL, CR or LF; expected text of one line");
  }
}

TEST(FormatPhraseBank, C3_RejectsLabelsOutOfRange) {
  expect_formatting_rejection_message({{"a", 3}}, "sentences[0].label is 3; expected 0, 1 or 2");
}

TEST(FormatPhraseBank, C4_RejectsALeadingByteOrderMark) {
  expect_formatting_rejection_message(
      {{"\u00ef\u00bb\u00bf"
        "a",
        1}},
      "sentences[0].sentence begins with the bytes of a UTF-8 byte order mark; "
      "expected other text");
}

RC_GTEST_PROP(FormatPhraseBank, ParsingTheFormattedTextReturnsTheSentences, ()) {
  const auto character =
      rc::gen::suchThat(rc::gen::inRange(1, 256), [](int c) { return c != '\r' && c != '\n'; });
  const auto texts = *rc::gen::nonEmpty<std::vector<std::vector<int>>>(
      rc::gen::container<std::vector<std::vector<int>>>(
          rc::gen::container<std::vector<int>>(character)));
  Sentences sentences;
  for (const auto& text : texts) {
    std::string utf8 = ".";  // neither blank nor a byte order mark
    for (const int c : text) utf8 += utf8_character(c);
    sentences.push_back({utf8, *rc::gen::inRange(0, num_labels)});
  }
  RC_ASSERT(parse_phrasebank(format_phrasebank(sentences), "p.txt") == sentences);
}

TEST(ReadPhraseBank, ReadsThePublishedCorpus) {
  const std::filesystem::path file = "financial_phrasebank/Sentences_AllAgree.txt";
  if (!shared_data_exists(file)) GTEST_SKIP() << (find_shared_data_folder() / file) << " is absent";
  const auto sentences = read_phrasebank(find_shared_data_folder() / file);
  EXPECT_EQ(sentences.size(), 2264u);
  std::array<int, num_labels> counts = {};
  for (const auto& s : sentences) ++counts[static_cast<std::size_t>(s.label)];
  EXPECT_THAT(counts, ElementsAre(303, 1391, 570));
}

}  // namespace
}  // namespace normproof::tests::ref::data
