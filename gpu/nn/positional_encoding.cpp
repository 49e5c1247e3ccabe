#include "gpu/nn/positional_encoding.hpp"

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <map>
#include <mutex>

namespace normproof::gpu::nn {
namespace {

namespace mp = boost::multiprecision;
using Digits50 = mp::number<mp::cpp_bin_float<50>, mp::et_off>;

void append_position_encoding(std::size_t t, std::size_t d_model, std::vector<double>& rows) {
  for (std::size_t d = 0; d < d_model; ++d) {
    const Digits50 share = Digits50(d - d % 2) / Digits50(d_model);
    const Digits50 angle = Digits50(t) / mp::pow(Digits50(10000), share);
    const Digits50 value = d % 2 == 0 ? mp::sin(angle) : mp::cos(angle);
    rows.push_back(value.convert_to<double>());
  }
}

}  // namespace

device::DeviceTensor<double> positional_encoding(device::Device& device, std::size_t seq_len,
                                                 std::size_t d_model) {
  static std::mutex mutex;
  static std::map<std::size_t, std::vector<double>> known_value;
  const std::lock_guard<std::mutex> lock(mutex);
  std::vector<double>& rows = known_value[d_model];
  rows.reserve(seq_len * d_model);
  for (std::size_t t = rows.size() / d_model; t < seq_len; ++t)
    append_position_encoding(t, d_model, rows);
  return device::upload(device, rows.data(), {seq_len, d_model});
}

}  // namespace normproof::gpu::nn
