#pragma once

#include <string>

namespace normproof::ref::numeric {

/// x in hexadecimal, exactly: "-0x1.8p+1", "0x0p+0", "0x0.8p-1022", "inf", "nan"; a NaN without its
/// sign. By C's %a, for fmt 10 writes 0 in another way than fmt 9.
std::string hexadecimal(double x);

}  // namespace normproof::ref::numeric
