#include "ref/data/synthetic_lexicon.hpp"

#include <algorithm>

namespace normproof::ref::data {
namespace {

using Text = std::string_view;

constexpr Text firms[] = {
    "Nordvik",   "Älvgård",     "Kivilampi", "Sørhavn",    "Grønnfjell", "Mäntyselkä", "Brennholt",
    "Öresta",    "Hökaberg",    "Päijälä",   "Lindqvarn",  "Tuulikoski", "Ytterfors",  "Stålvåg",
    "Havnesund", "Kaarnalahti", "Ostrobel",  "Rautasaari", "Ekstrand",   "Vesijärvi",  "Blåklint",
    "Jyrkkälä",  "Møllegaard",  "Torvanen",  "Skogsnäs",   "Fjordnor",   "Ålesmark",   "Karhumäki",
    "Delmaré",   "Pohjantuuli", "Norrskäl",  "Hammervik"};
constexpr Text forms[] = {"Oyj", "ASA", "AB", "A/S", "plc", "Group", "Holding", "Ltd", "Inc"};
constexpr Text given_names[] = {"Päivi", "Søren",  "Åsa",   "Jörgen", "Marja", "Håkon",
                                "Eero",  "Ingrid", "Matti", "Linnéa", "Otto",  "Tuula"};
constexpr Text family_names[] = {"Ahonlaita", "Bergdal", "Hjelmås",  "Korpinen", "Lövstrand",
                                 "Määttänen", "Nørby",   "Rantapuu", "Sjöhage",  "Wikmark"};
constexpr Text cities[] = {"Helsinki", "Tampere", "Malmö",   "Göteborg", "Århus", "Tromsø",
                           "Tallinn",  "Riga",    "Leipzig", "Kraków",   "Lyon",  "Turku"};
constexpr Text domains[] = {"nordvik.example", "oresta.example", "hammervik.example"};
constexpr Text countries[] = {"Finland", "Sweden",    "Norway", "Denmark", "Estonia", "Latvia",
                              "Poland",  "Lithuania", "Russia", "Germany", "China",   "Brazil"};
constexpr Text months[] = {"January", "March",     "April",   "June",
                           "August",  "September", "October", "December"};
constexpr Text ordinals[] = {"first", "second", "third", "fourth"};
constexpr Text currencies[] = {"EUR", "EUR", "EUR", "USD", "SEK", "NOK", "DKK", "£"};
constexpr Text roles[] = {"chief executive", "chief financial officer", "chairman of the board",
                          "head of investor relations", "managing director"};
constexpr Text measures[] = {"net sales",         "operating profit", "pre-tax profit",
                             "turnover",          "net income",       "gross margin",
                             "order intake",      "revenue",          "cash flow from operations",
                             "earnings per share"};
constexpr Text products[] = {
    "paperboard",       "forest machines", "steel plates",       "marine engines", "crane systems",
    "wireless modems",  "insulin pens",    "glass wool",         "rye bread",      "bus shelters",
    "mobile payments",  "wood pellets",    "electricity meters", "lift cables",    "fishing nets",
    "coated fabrics",   "water turbines",  "dental implants",    "harbour tugs",   "ski boots",
    "ready-made soups", "data storage",    "printing inks",      "tractor tyres"};
constexpr Text units[] = {"packaging unit",        "energy division",     "retail chain",
                          "engineering business",  "logistics arm",       "mobile networks segment",
                          "construction services", "consumer goods area", "real estate portfolio"};
constexpr Text sources[] = {"a stock exchange release", "the interim report",
                            "a survey of analysts",     "the annual general meeting",
                            "the business daily",       "preliminary figures"};

constexpr Text negative_clauses[] = {
    "{measure} of {company} fell to {low} from {high} a year earlier",
    "{company} reported a loss of {low} for the {ordinal} quarter of {year} , against a profit of "
    "{high}",
    "{company} will lay off {count} people at its {unit} in {city}",
    "demand for {product} weakened in {country} , and {measure} dropped by {percent}",
    "{company} lowered its outlook for {year} because orders of {product} have been postponed",
    "the share of {company} lost {percent} after its {unit} issued a profit warning",
    "{company} writes down {high} of goodwill in its {unit}",
    "the order book of {company} shrank by {percent} to {low} at the end of {month}",
    "rising costs of raw materials cut {measure} of the {unit} to {low} from {high}",
    "{company} closes its factory in {city} , where {product} have been made since {year}"};
constexpr Text neutral_clauses[] = {
    "{company} makes {product} and {product} and employs about {count} people in {country}",
    "{person} has been appointed {role} of {company} with effect from {month} {year}",
    "the annual general meeting of {company} will be held in {city} on {day} {month} {year}",
    "{company} and {company} will combine their {unit} into a joint venture in {country}",
    "the value of the deal was not disclosed",
    "the new plant in {city} will produce {product} and is to be completed in {month} {year}",
    "{company} has a stake of {percent} in the {unit} of {company}",
    "the total number of voting rights in {company} is {thousands} shares",
    "{company} publishes its interim report for the {ordinal} quarter on {day} {month} {year}",
    "the board of {company} proposes that the dividend be paid in {month}",
    "the contract covers the delivery of {product} to {city} between {year} and {year}",
    "{company} is considering where in {country} to build a warehouse for {product}",
    "further information is available from {person} , {role} , ir@{domain}",
    "{person} will continue as {role} of the {unit}",
    "the headquarters of {company} are in {city} , and its shares are listed in {country}",
    "{company} owns {count} petrol stations and {count} shops in {country}"};
constexpr Text positive_clauses[] = {
    "{measure} of {company} rose to {high} from {low} a year earlier",
    "{company} won an order worth {high} for {product} from a customer in {country}",
    "{company} returned to a profit of {high} in the {ordinal} quarter of {year}",
    "{company} raised its dividend by {percent} after record sales of {product}",
    "{measure} of the {unit} grew by {percent} and beat the estimate of {low}",
    "{company} expects {measure} to improve clearly in {year}",
    "the share of {company} gained {percent} on strong demand for {product}",
    "{company} gained market share in {country} , where sales of {product} increased by {percent}",
    "savings in the {unit} lifted {measure} to {high} from {low}",
    "the order book of {company} grew by {percent} to {high} at the end of {month}"};
constexpr Text short_negative[] = {"Sales fell .", "{measure} was weak .", "{company} cut jobs ."};
constexpr Text short_neutral[] = {"No comment .", "{company} .", "Terms were not given .",
                                  "The offer ends in {month} ."};
constexpr Text short_positive[] = {"Profit doubled .", "{measure} rose .", "Demand is strong ."};
constexpr Text openings[] = {"in the {ordinal} quarter of {year} , ", "according to {source} , ",
                             "at the end of {month} , ", "in {country} , ",
                             "as part of a wider plan , "};
constexpr Text closings[] = {" , compared with {low} in the corresponding period of {year}",
                             " , said {person} , {role} of {company}",
                             " , the company said in a statement on {day} {month}",
                             " , according to {source}",
                             " , while {measure} amounted to {money}",
                             " , which is {percent} of the total",
                             " , when items that do not recur are left out",
                             " ( {year} : {money} )"};

constexpr LexiconList lists[] = {{"firm", firms, true},
                                 {"given", given_names, false},
                                 {"family", family_names, true},
                                 {"city", cities, false},
                                 {"domain", domains, true},
                                 {"form", forms, false},
                                 {"country", countries, false},
                                 {"month", months, false},
                                 {"ordinal", ordinals, false},
                                 {"currency", currencies, false},
                                 {"role", roles, false},
                                 {"measure", measures, false},
                                 {"product", products, false},
                                 {"unit", units, false},
                                 {"source", sources, false},
                                 {"negative", negative_clauses, false},
                                 {"neutral", neutral_clauses, false},
                                 {"positive", positive_clauses, false},
                                 {"short negative", short_negative, false},
                                 {"short neutral", short_neutral, false},
                                 {"short positive", short_positive, false},
                                 {"opening", openings, false},
                                 {"closing", closings, false}};

constexpr Text stems[] = {"nord",  "alv",    "kivi",  "sor",    "gronn", "manty", "bren",
                          "ore",   "hoka",   "paij",  "lind",   "tuuli", "ytter", "stal",
                          "havne", "kaarna", "ostro", "rauta",  "ek",    "vesi",  "bla",
                          "jyrk",  "mol",    "torva", "skog",   "fjord", "ale",   "karhu",
                          "del",   "pohja",  "norr",  "hammer", "aho",   "berg",  "hjel",
                          "korp",  "lov",    "maat",  "ranta",  "sjo",   "wik"};
constexpr Text syllables[] = {
    "s",     "ed",   "ing",  "er",     "or",    "ly",    "en",    "an",    "la",
    "vik",   "berg", "holm", "lund",   "sund",  "fors",  "mark",  "koski", "lahti",
    "saari", "maki", "nen",  "strand", "havn",  "gard",  "lampi", "selka", "klint",
    "holt",  "sta",  "varn", "jarvi",  "fjell", "tuuli", "kal",   "dal",   "laita",
    "hage",  "puu",  "by",   "as",     "nas",   "va",    "lm"};

}  // namespace

std::span<const LexiconList> lexicon() {
  return lists;
}

const LexiconList* find_lexicon_list(std::string_view name) {
  const auto* const found = std::ranges::find(lists, name, &LexiconList::name);
  return found == std::end(lists) ? nullptr : found;
}

std::span<const std::string_view> lexicon_stems() {
  return stems;
}

std::span<const std::string_view> lexicon_syllables() {
  return syllables;
}

}  // namespace normproof::ref::data
