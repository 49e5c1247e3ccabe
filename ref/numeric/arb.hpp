#pragma once

// FLINT 3 declares its conversions from and to MPFR only if the header of MPFR comes first.
#include <mpfr.h>

/// Includes the headers of Arb. FLINT 3 contains Arb; for FLINT 2, Arb is a separate library.
#if __has_include(<flint/arb.h>)
#include <flint/acb.h>
#include <flint/acb_hypgeom.h>
#include <flint/arb.h>
#include <flint/arb_hypgeom.h>
#include <flint/arb_mat.h>
#else
#include <acb.h>
#include <acb_hypgeom.h>
#include <arb.h>
#include <arb_hypgeom.h>
#include <arb_mat.h>
#endif
