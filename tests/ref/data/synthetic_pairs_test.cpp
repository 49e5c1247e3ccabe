#include "ref/data/synthetic_pairs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "ref/data/text_lines.hpp"
#include "tests/ref/numeric/error_message.hpp"

namespace normproof::tests::ref::data {
namespace {

using normproof::ref::data::ParallelText;
using normproof::ref::data::split_words;
using normproof::ref::data::synthetic_pair_corpus;
using normproof::ref::data::synthetic_pairs;
using normproof::ref::numeric::contract_message;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using PairVocabularies = std::vector<std::string_view>;

/// Translates a synthetic source sentence by hand-written rules that use only the words of the
/// sentence.
class RuleBasedTranslator {
 public:
  std::string operator()(std::string_view sentence) {
    words_ = split_words(sentence);
    at_ = 0;
    std::string place;
    if (words_.size() > 1 && words_[1] == "ni") {
      place = " at the " + translate_word();
      ++at_;
    }
    bool plural = false, of_object = false;
    const std::string subject = translate_phrase("ga", plural),
                      object = translate_phrase("o", of_object);
    const std::string verb_stem(words_[at_++]);
    const bool past = skip_particle("ta"), denied = skip_particle("nai");
    return "the " + subject + " " + conjugate_verb(verb_stem, past, denied, plural) + " the " +
           object + place + " .";
  }

 private:
  std::string translate_word() { return nouns_and_kinds.at(std::string(words_[at_++])); }
  bool skip_particle(std::string_view marker) {
    if (words_[at_] != marker) return false;
    ++at_;
    return true;
  }
  std::string translate_phrase(std::string_view marker, bool& plural) {
    const std::string noun = translate_word();
    const bool has_kind = words_[at_] != "ra" && words_[at_] != marker;
    const std::string kind = has_kind ? translate_word() + " " : "";
    plural = skip_particle("ra");
    EXPECT_TRUE(skip_particle(marker));
    return kind + noun + (plural ? "s" : "");
  }
  static std::string conjugate_verb(const std::string& verb_stem, bool past, bool denied,
                                    bool plural) {
    const auto& forms = verbs.at(verb_stem);
    if (denied) return (past ? "did not " : plural ? "do not " : "does not ") + forms[0];
    return past ? forms[2] : plural ? forms[0] : forms[1];
  }

  inline static const std::map<std::string, std::string> nouns_and_kinds = {
      {"tomo", "miller"}, {"saku", "sailor"},   {"orime", "weaver"}, {"gaku", "teacher"},
      {"nofu", "farmer"}, {"utai", "singer"},   {"fune", "boat"},    {"akari", "lamp"},
      {"fumi", "letter"}, {"kago", "basket"},   {"tokei", "clock"},  {"suzu", "bell"},
      {"furu", "old"},    {"aka", "red"},       {"chii", "small"},   {"shizu", "quiet"},
      {"omo", "heavy"},   {"koware", "broken"}, {"kawa", "river"},   {"ichi", "market"},
      {"to", "tower"},    {"niwa", "garden"},   {"hashi", "bridge"}};
  inline static const std::map<std::string, std::vector<std::string>> verbs = {
      {"nao", {"mend", "mends", "mended"}},     {"hako", {"carry", "carries", "carried"}},
      {"mitsu", {"find", "finds", "found"}},    {"uru", {"sell", "sells", "sold"}},
      {"nuru", {"paint", "paints", "painted"}}, {"wasu", {"forget", "forgets", "forgot"}}};

  PairVocabularies words_;
  std::size_t at_ = 0;
};

TEST(SyntheticPairs, FirstPairsMatchTheRecordedPairs) {
  const ParallelText pairs = synthetic_pairs(42, 3);
  EXPECT_THAT(pairs.source,
              ElementsAre("tomo aka ra ga akari o wasu ta .", "orime omo ga akari o mitsu .",
                          "orime ga akari ra o hako ta ."));
  EXPECT_THAT(pairs.target,
              ElementsAre("the red millers forgot the lamp .", "the heavy weaver finds the lamp .",
                          "the weaver carried the lamps ."));
}

TEST(SyntheticPairs, TheSourceDeterminesTheTarget) {
  const ParallelText pairs = synthetic_pairs(7, 5000);
  RuleBasedTranslator translate;
  for (std::size_t i = 0; i < pairs.source.size(); ++i)
    EXPECT_EQ(pairs.target[i], translate(pairs.source[i])) << pairs.source[i];
}

TEST(SyntheticPairs, ContainEveryWordAndEveryLength) {
  const ParallelText pairs = synthetic_pairs(42, 4000);
  std::set<std::string_view> source, target;
  std::set<std::size_t> lengths;
  for (std::size_t i = 0; i < pairs.source.size(); ++i) {
    const PairVocabularies of_source = split_words(pairs.source[i]),
                           of_target = split_words(pairs.target[i]);
    source.insert(of_source.begin(), of_source.end());
    target.insert(of_target.begin(), of_target.end());
    lengths.insert(of_source.size());
  }
  // These are 29 stems and "ni", "ga", "o", "ra", "ta", "nai", ".".
  EXPECT_EQ(source.size(), 36u);
  // These are 12 nouns in two forms, 6 adjectives, 6 verbs in 3 forms, 5 places, "the", "at", "do",
  // "does", "did", "not", ".".
  EXPECT_EQ(target.size(), 60u);
  EXPECT_EQ(*lengths.begin(), 6u);
  EXPECT_EQ(*lengths.rbegin(), 14u);
}

TEST(SyntheticPairs, ALongerTextBeginsWithTheShorterText) {
  const ParallelText few = synthetic_pairs(1, 20), many = synthetic_pairs(1, 50);
  for (std::size_t i = 0; i < 20; ++i) {
    EXPECT_EQ(few.source[i], many.source[i]);
    EXPECT_EQ(few.target[i], many.target[i]);
  }
  EXPECT_NE(synthetic_pairs(2, 20).source, few.source);
}

TEST(SyntheticPairCorpus, SplitsThePairsInOrder) {
  const auto corpus = synthetic_pair_corpus(3, {.training = 5, .validation = 2, .test = 4});
  const ParallelText all = synthetic_pairs(3, 11);
  EXPECT_EQ(corpus.training.source, std::vector(all.source.begin(), all.source.begin() + 5));
  EXPECT_EQ(corpus.validation.target, std::vector(all.target.begin() + 5, all.target.begin() + 7));
  EXPECT_EQ(corpus.test.source, std::vector(all.source.begin() + 7, all.source.end()));
  EXPECT_EQ(synthetic_pair_corpus(3).training.source.size(), 4000u);
}

// If many test sentences occurred in the training set, a model could translate them from memory.
TEST(SyntheticPairCorpus, FewTestSentencesOccurInTraining) {
  const auto corpus = synthetic_pair_corpus(42);
  const std::set<std::string> training_sources(corpus.training.source.begin(),
                                               corpus.training.source.end());
  std::size_t twice = 0;
  for (const std::string& sentence : corpus.test.source) twice += training_sources.count(sentence);
  EXPECT_LT(twice, 20u);
}

TEST(SyntheticPairs, C1_RejectsCountZero) {
  EXPECT_THAT(contract_message([] { synthetic_pairs(1, 0); }),
              HasSubstr("count is 0; expected 1 <= count <= 2^40 (C1)"));
}
TEST(SyntheticPairCorpus, C2_RejectsAnEmptyPart) {
  EXPECT_THAT(contract_message([] { synthetic_pair_corpus(1, {.test = 0}); }),
              HasSubstr("counts.test is 0; expected 1 <= count"));
}

}  // namespace
}  // namespace normproof::tests::ref::data
