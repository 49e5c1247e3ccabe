#include "ref/data/synthetic_pairs.hpp"

#include <fmt/format.h>

#include <iterator>
#include <string_view>
#include <utility>

#include "ref/numeric/errors.hpp"
#include "ref/numeric/random.hpp"

namespace normproof::ref::data {

using numeric::Clause;

namespace {

struct WordPair {
  std::string_view source, target;
};
struct VerbPair {
  std::string_view source, base, third_person_form, past;
};

constexpr WordPair kPersonPairs[] = {{"tomo", "miller"},  {"saku", "sailor"}, {"orime", "weaver"},
                                     {"gaku", "teacher"}, {"nofu", "farmer"}, {"utai", "singer"}};
constexpr WordPair kObjectPairs[] = {{"fune", "boat"},   {"akari", "lamp"},  {"fumi", "letter"},
                                     {"kago", "basket"}, {"tokei", "clock"}, {"suzu", "bell"}};
constexpr WordPair kAdjectivePairs[] = {{"furu", "old"},    {"aka", "red"},   {"chii", "small"},
                                        {"shizu", "quiet"}, {"omo", "heavy"}, {"koware", "broken"}};
constexpr VerbPair kVerbPairs[] = {
    {"nao", "mend", "mends", "mended"},     {"hako", "carry", "carries", "carried"},
    {"mitsu", "find", "finds", "found"},    {"uru", "sell", "sells", "sold"},
    {"nuru", "paint", "paints", "painted"}, {"wasu", "forget", "forgets", "forgot"}};
constexpr WordPair kPlacePairs[] = {{"kawa", "river"},
                                    {"ichi", "market"},
                                    {"to", "tower"},
                                    {"niwa", "garden"},
                                    {"hashi", "bridge"}};

/// The meaning of a noun phrase. It can be expressed in each of the two languages.
struct NounPhrase {
  const WordPair* noun;
  const WordPair* kind;  ///< the adjective, or null
  bool plural;

  std::string source() const {
    return fmt::format("{}{}{}{}", noun->source, kind != nullptr ? " " : "",
                       kind != nullptr ? kind->source : "", plural ? " ra" : "");
  }
  std::string target() const {
    return fmt::format("the {}{}{}{}", kind != nullptr ? kind->target : "",
                       kind != nullptr ? " " : "", noun->target, plural ? "s" : "");
  }
};

/// The meaning of a sentence. It can be expressed in each of the two languages.
struct SentenceMeaning {
  NounPhrase subject, object;
  const VerbPair* verb;
  bool past, denied;
  const WordPair* place;  ///< null if no place is named

  std::string source() const {
    return fmt::format("{}{}{} ga {} o {}{}{} .", place != nullptr ? place->source : "",
                       place != nullptr ? " ni " : "", subject.source(), object.source(),
                       verb->source, past ? " ta" : "", denied ? " nai" : "");
  }
  std::string target() const {
    return fmt::format("{} {} {}{}{} .", subject.target(), target_verb(), object.target(),
                       place != nullptr ? " at the " : "", place != nullptr ? place->target : "");
  }

 private:
  std::string target_verb() const {
    if (denied)
      return fmt::format("{} not {}", past ? "did" : subject.plural ? "do" : "does", verb->base);
    if (past) return std::string(verb->past);
    return std::string(subject.plural ? verb->base : verb->third_person_form);
  }
};

/// Returns the meaning of the sentence with the number `number`.
SentenceMeaning draw_sentence_meaning(const numeric::RandomStream& random, std::size_t number) {
  std::uint64_t next = std::uint64_t{number} * 16;
  const auto below = [&](std::size_t count) { return random.below(next++, count); };
  const auto choose = [&](const auto& words) { return &words[below(std::size(words))]; };
  const auto phrase = [&](const auto& nouns) {
    NounPhrase result{choose(nouns), choose(kAdjectivePairs), below(2) == 1};
    if (below(2) == 0) result.kind = nullptr;
    return result;
  };
  SentenceMeaning meaning{};
  meaning.subject = phrase(kPersonPairs);
  meaning.object = phrase(kObjectPairs);
  meaning.verb = choose(kVerbPairs);
  meaning.past = below(2) == 1;
  meaning.denied = below(4) == 0;
  meaning.place = choose(kPlacePairs);
  if (below(5) >= 2) meaning.place = nullptr;
  return meaning;
}

/// Returns `count` consecutive sentence pairs of the seed. The number of the first pair is `first`.
ParallelText make_pairs(std::uint64_t seed, std::size_t first, std::size_t count) {
  const numeric::RandomStream random(seed, "synthetic pairs");
  ParallelText text;
  for (std::size_t i = first; i < first + count; ++i) {
    const SentenceMeaning meaning = draw_sentence_meaning(random, i);
    text.source.push_back(meaning.source());
    text.target.push_back(meaning.target());
  }
  return text;
}

void check_pair_count(std::string_view function, std::string_view argument, std::size_t count,
                      Clause clause) {
  if (count == 0 || count > std::size_t{1} << 40)
    numeric::contract_failure(function, argument, fmt::format("is {}", count), "1 <= count <= 2^40",
                              clause);
}

}  // namespace

ParallelText synthetic_pairs(std::uint64_t seed, std::size_t count) {
  check_pair_count("synthetic_pairs", "count", count, Clause::C1);
  return make_pairs(seed, 0, count);
}

ParallelCorpus synthetic_pair_corpus(std::uint64_t seed, const SyntheticPairCounts& counts) {
  for (const auto& [name, count] :
       {std::pair{"counts.training", counts.training},
        std::pair{"counts.validation", counts.validation}, std::pair{"counts.test", counts.test}})
    check_pair_count("synthetic_pair_corpus", name, count, Clause::C2);
  return {make_pairs(seed, 0, counts.training),
          make_pairs(seed, counts.training, counts.validation),
          make_pairs(seed, counts.training + counts.validation, counts.test)};
}

}  // namespace normproof::ref::data
