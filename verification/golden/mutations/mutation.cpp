#include "verification/golden/mutations/mutation.hpp"

#include <algorithm>
#include <utility>

#include "ref/numeric/errors.hpp"
#include "verification/golden/mutations/joint_sites.hpp"

namespace normproof::verification::golden::mutations {

using Op = MutationOperator;

const std::vector<Op> Sites::kTerm = {Op::drop, Op::negate, Op::twice};
const std::vector<Op> Sites::kFactor = {Op::drop, Op::negate, Op::square, Op::half_precision};
const std::vector<Op> Sites::kCount = {Op::one_less, Op::one_more};
const std::vector<Op> Sites::kDivisor = {Op::one_less, Op::one_more, Op::drop};
const std::vector<Op> Sites::kWeight = {Op::complement, Op::drop};
const std::vector<Op> Sites::kPick = {Op::other};
const std::vector<Op> Sites::kMask = {Op::ignore_mask, Op::invert_mask};
const std::vector<Op> Sites::kConstant = {Op::single_precision};

std::string_view to_string(Op op) {
  switch (op) {
    case Op::none:
      return "nothing";
    case Op::drop:
      return "dropped";
    case Op::negate:
      return "with the wrong sign";
    case Op::twice:
      return "twice";
    case Op::square:
      return "squared";
    case Op::one_less:
      return "n - 1 instead of n";
    case Op::one_more:
      return "n + 1 instead of n";
    case Op::ten_times:
      return "ten times as large";
    case Op::outside_root:
      return "outside the root";
    case Op::inside_root:
      return "inside the root";
    case Op::no_root:
      return "without the root";
    case Op::root_twice:
      return "with a second root";
    case Op::forget_last:
      return "without its last term";
    case Op::forget_first:
      return "without its first term";
    case Op::other:
      return "a similar value instead";
    case Op::complement:
      return "its weight and that of the new value exchanged";
    case Op::ignore_mask:
      return "ignored";
    case Op::invert_mask:
      return "inverted";
    case Op::one_pass:
      return "computed as E[x^2] - E[x]^2";
    case Op::bfloat16_sum:
      return "accumulated in bfloat16";
    case Op::unwritten_last:
      return "without the last element";
    case Op::unwritten_row:
      return "without the last row";
    case Op::clean_nan:
      return "0 instead of NaN";
    case Op::transposed:
      return "with rows and columns exchanged";
    case Op::half_precision:
      return "rounded to float16";
    case Op::previous_row:
      return "the last row replaced by the row before it";
    case Op::reversed:
      return "with the rows in reverse order";
    case Op::insert:
      return "added although it does not belong there";
    case Op::forget_remainder:
      return "without the terms after the last whole block of 32";
    case Op::forget_block:
      return "without the last whole block of 32 terms";
    case Op::padded_lanes:
      return "with zeros that pad the row to a multiple of 32";
    case Op::raised:
      return "raised to 1e-5";
    case Op::zeroed:
      return "values below 1e-10 replaced by 0";
    case Op::flushed:
      return "replaced by 0";
    case Op::truncate:
      return "truncated instead of rounded";
    case Op::single_precision:
      return "rounded to float32";
    case Op::first_256:
      return "only the first 256";
    case Op::first_1024:
      return "only the first 1024";
    case Op::clip:
      return "raised to a minimum";
    case Op::ignore_nan:
      return "NaN skipped";
    case Op::reset:
      return "reset at each step";
    case Op::inverted:
      return "its inverse instead";
    case Op::other_format:
      return "e4m3 instead of e5m2, or the reverse";
    case Op::other_bias:
      return "an exponent bias larger by 1, as in fnuz formats";
    case Op::unsaturated:
      return "infinity or NaN instead of the largest number";
    case Op::through_bfloat16:
      return "rounded to bfloat16 first";
    case Op::through_float16:
      return "rounded to float16 first";
    case Op::half_block:
      return "for blocks of 16 elements";
    case Op::whole_row:
      return "for the whole row";
    case Op::halved:
      return "half as large";
    case Op::not_a_number:
      return "NaN";
    case Op::rotated:
      return "the oldest row moved to the end";
    case Op::rotated_back:
      return "the newest row moved to the beginning";
    case Op::first_32:
      return "only the first 32";
    case Op::first_64:
      return "only the first 64";
    case Op::first_128:
      return "only the first 128";
    case Op::first_512:
      return "only the first 512";
    case Op::repeat_1:
      return "the first element used for all";
    case Op::repeat_32:
      return "the first 32 elements repeated";
    case Op::repeat_64:
      return "the first 64 elements repeated";
    case Op::repeat_128:
      return "the first 128 elements repeated";
    case Op::repeat_256:
      return "the first 256 elements repeated";
    case Op::repeat_512:
      return "the first 512 elements repeated";
    case Op::repeat_1024:
      return "the first 1024 elements repeated";
    case Op::partial_4:
      return "without its last block of 4";
    case Op::partial_8:
      return "without its last block of 8";
    case Op::partial_16:
      return "without its last block of 16";
    case Op::partial_32:
      return "without its last block of 32";
    case Op::partial_64:
      return "without its last block of 64";
    case Op::partial_128:
      return "without its last block of 128";
    case Op::four_times:
      return "four times as large";
    case Op::eight_times:
      return "eight times as large";
    case Op::overflowing:
      return "with an exponential that overflows to NaN";
    case Op::padded_power:
      return "with zeros that pad the row to a power of two";
    case Op::exchanged_columns_4:
      return "neighboring tiles of 4 columns exchanged";
    case Op::exchanged_columns_8:
      return "neighboring tiles of 8 columns exchanged";
    case Op::exchanged_columns_16:
      return "neighboring tiles of 16 columns exchanged";
    case Op::exchanged_columns_32:
      return "neighboring tiles of 32 columns exchanged";
    case Op::exchanged_columns_64:
      return "neighboring tiles of 64 columns exchanged";
    case Op::exchanged_columns_128:
      return "neighboring tiles of 128 columns exchanged";
    case Op::exchanged_rows_4:
      return "neighboring tiles of 4 rows exchanged";
    case Op::exchanged_rows_8:
      return "neighboring tiles of 8 rows exchanged";
    case Op::exchanged_rows_16:
      return "neighboring tiles of 16 rows exchanged";
    case Op::exchanged_rows_32:
      return "neighboring tiles of 32 rows exchanged";
    case Op::exchanged_rows_64:
      return "neighboring tiles of 64 rows exchanged";
    case Op::exchanged_rows_128:
      return "neighboring tiles of 128 rows exchanged";
    case Op::repeat_second:
      return "the second element used for all";
    case Op::repeat_third:
      return "the third element used for all";
    case Op::repeat_last:
      return "the last element used for all";
    case Op::by_row:
      return "the number of the row used as index";
    case Op::block_1:
      return "element by element";
    case Op::block_4:
      return "in blocks of 4";
    case Op::block_8:
      return "in blocks of 8";
    case Op::block_16:
      return "in blocks of 16";
    case Op::block_32:
      return "in blocks of 32";
    case Op::block_64:
      return "in blocks of 64";
    case Op::block_128:
      return "in blocks of 128";
    case Op::block_256:
      return "in blocks of 256";
    case Op::block_512:
      return "in blocks of 512";
    case Op::block_1024:
      return "in blocks of 1024";
    case Op::parts_2:
      return "in 2 equal parts";
    case Op::parts_4:
      return "in 4 equal parts";
    case Op::parts_8:
      return "in 8 equal parts";
    case Op::parts_16:
      return "in 16 equal parts";
    case Op::parts_32:
      return "in 32 equal parts";
    case Op::added_to_inverse:
      return "added to the reciprocal root";
    case Op::detached:
      return "treated as constants";
    case Op::first_row:
      return "the first row used for all";
    case Op::forget_first_block:
      return "without the first block of 32 terms";
    case Op::forget_second_block:
      return "without the second block of 32 terms";
    case Op::half_away:
      return "ties away from 0";
  }
  ref::numeric::contract_failure("to_string", "op", "is no enumerator", "a MutationOperator");
}

Sites::Sites(Mutation mutation)
    : mutation_(std::move(mutation)), joint_(joint_site(mutation_.site)) {}

Sites Sites::part(std::string_view prefix) const {
  Sites own;
  if (joint_ != nullptr) {
    own = *this;
    own.prefix_ += prefix;
    own.seen_.clear();
    own.recorded_.clear();
    own.first_.clear();
  } else if (mutation_.site.starts_with(prefix)) {
    own = Sites({mutation_.site.substr(prefix.size()), mutation_.op});
  }
  own.listing_ = listing_;
  own.work_left_ = work_left_;
  return own;
}

bool Sites::is_mutated_at(const char* site) const {
  if (joint_ == nullptr) return mutation_.site == site;
  return prefix_.empty() ? joint_->has(site) : joint_->has(prefix_ + site);
}

void Sites::note(Mutation mutation) {
  if (std::ranges::find(seen_, mutation) == seen_.end()) seen_.push_back(std::move(mutation));
}

void Sites::note(const char* site, std::span<const Op> offered) {
  OperatorSet bits;
  for (const Op op : offered) bits.set(static_cast<std::size_t>(op));
  auto known = recorded_.find(std::string_view(site));
  if (known == recorded_.end()) known = recorded_.emplace(site, OperatorSet()).first;
  if ((known->second & bits) == bits) return;
  known->second |= bits;
  for (const Op op : offered) note({site, op});
  for (const JointSite& joint : joint_sites()) {
    if (!joint.has(site) || first_.emplace(&joint, site).first->second == site) continue;
    if (!joint.needs.empty() && !recorded_.contains(joint.needs)) continue;
    for (const Op op : offered)
      if (std::ranges::find(joint.offered, op) != joint.offered.end())
        note({std::string(joint.name), op});
  }
}

Op Sites::at(const char* site, std::span<const Op> offered) {
  spend(1);
  if (listing_) note(site, offered);
  if (std::ranges::find(offered, mutation_.op) == offered.end()) return Op::none;
  return is_mutated_at(site) ? mutation_.op : Op::none;
}

}  // namespace normproof::verification::golden::mutations
