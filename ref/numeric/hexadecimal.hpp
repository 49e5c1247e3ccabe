#pragma once

#include <string>

namespace normproof::ref::numeric {

/// Returns x exactly, in hexadecimal: "-0x1.8p+1", "0x0p+0", "0x0.8p-1022", "inf", "nan". A NaN is
/// printed without a sign. The function uses C's %a instead of the library fmt, because versions 9
/// and 10 of fmt print 0 differently.
std::string hexadecimal(double x);

}  // namespace normproof::ref::numeric
