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
      return "with the other sign";
    case Op::twice:
      return "twice";
    case Op::square:
      return "squared";
    case Op::one_less:
      return "n - 1 for n";
    case Op::one_more:
      return "n + 1 for n";
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
      return "taken for the other";
    case Op::complement:
      return "as weight of the new value";
    case Op::ignore_mask:
      return "with padding";
    case Op::invert_mask:
      return "over the padding alone";
    case Op::one_pass:
      return "as E[x^2] - E[x]^2";
    case Op::bfloat16_sum:
      return "kept in bfloat16";
    case Op::unwritten_last:
      return "with its last element unwritten";
    case Op::unwritten_row:
      return "with its last row unwritten";
    case Op::unwritten_block:
      return "with its last block of 32 rows unwritten where that is whole";
    case Op::clean_nan:
      return "with 0 for NaN";
    case Op::transposed:
      return "with rows and features exchanged";
    case Op::half_precision:
      return "rounded to float16";
    case Op::previous_row:
      return "with the row before for the last one";
    case Op::reversed:
      return "with its rows in the other order";
    case Op::insert:
      return "though there is none";
    case Op::forget_remainder:
      return "without what is past its last block of 32";
    case Op::forget_block:
      return "without its last block of 32 where that is whole";
    case Op::padded_lanes:
      return "with the padding of its last block of 32";
    case Op::raised:
      return "raised to 1e-5";
    case Op::zeroed:
      return "with 0 for what is below 1e-10";
    case Op::flushed:
      return "0 where they are subnormal";
    case Op::truncate:
      return "truncated";
    case Op::single_precision:
      return "rounded to float32";
    case Op::first_256:
      return "without what is past its first 256";
    case Op::first_1024:
      return "without what is past its first 1024";
    case Op::clip:
      return "clipped";
    case Op::ignore_nan:
      return "passing over NaN";
    case Op::reset:
      return "reset at each step";
    case Op::inverted:
      return "inverted";
    case Op::other_format:
      return "e4m3 taken for e5m2, or the reverse";
    case Op::other_bias:
      return "fnuz taken for fn: the bias 1 more";
    case Op::unsaturated:
      return "infinity or NaN for the largest number";
    case Op::through_bfloat16:
      return "to bfloat16, and again";
    case Op::through_float16:
      return "to float16, and again";
    case Op::half_block:
      return "of 16 elements";
    case Op::whole_row:
      return "of the whole row";
    case Op::halved:
      return "half as large";
    case Op::not_a_number:
      return "NaN";
    case Op::rotated:
      return "with the oldest row behind the newest";
    case Op::rotated_back:
      return "with the newest row before the oldest";
    case Op::first_32:
      return "without what is past its first 32";
    case Op::first_64:
      return "without what is past its first 64";
    case Op::first_128:
      return "without what is past its first 128";
    case Op::first_512:
      return "without what is past its first 512";
    case Op::repeat_1:
      return "with its first element for all";
    case Op::repeat_32:
      return "repeated every 32";
    case Op::repeat_64:
      return "repeated every 64";
    case Op::repeat_128:
      return "repeated every 128";
    case Op::repeat_256:
      return "repeated every 256";
    case Op::repeat_512:
      return "repeated every 512";
    case Op::repeat_1024:
      return "repeated every 1024";
    case Op::partial_8:
      return "without its last block of 8";
    case Op::partial_16:
      return "without its last block of 16";
    case Op::partial_64:
      return "without its last block of 64";
    case Op::partial_128:
      return "without its last block of 128";
    case Op::four_times:
      return "four times as large";
    case Op::eight_times:
      return "eight times as large";
    case Op::overflowing:
      return "by an exponential that overflows to NaN";
    case Op::padded_power:
      return "with the padding of the row to a power of two";
    case Op::exchanged_columns:
      return "with neighboring tiles of columns exchanged";
    case Op::exchanged_rows:
      return "with neighboring tiles of rows exchanged";
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
