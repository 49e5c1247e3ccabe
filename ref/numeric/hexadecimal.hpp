#pragma once

#include <string>

namespace normproof::ref::numeric {

/// Returns x exactly, in hexadecimal: "-0x1.8p+1", "0x0p+0", "0x0.8p-1022", "inf", "nan". A NaN is
/// printed without a sign. The function uses C's %a, because fmt 10 prints 0 differently from fmt
/// 9.
std::string hexadecimal(double x);

}  // namespace normproof::ref::numeric
