#include "verification/golden/candidate/candidate.hpp"

#include "ref/numeric/errors.hpp"

namespace normproof::verification::golden::candidate {

CandidateOutput CandidateOutput::declined(std::string reason) {
  CandidateOutput output({});
  output.is_declined_ = true;
  output.reason_ = std::move(reason);
  return output;
}

const std::vector<StoredTensor>& CandidateOutput::tensors() const {
  if (is_declined_)
    ref::numeric::contract_failure("CandidateOutput::tensors", "output", "is declined",
                                   "an output with tensors");
  return tensors_;
}

std::size_t max_output_bytes(const StoredCase& stored) {
  constexpr std::size_t kBytesPerNumber = 64, kOverheadBytes = std::size_t{64} << 10;
  std::size_t bytes = kOverheadBytes;
  for (const StoredTensor& tensor : stored.expected)
    bytes += kBytesPerNumber * (tensor.bytes.size() / ref::io::item_size(tensor.dtype));
  return bytes;
}

}  // namespace normproof::verification::golden::candidate
