#pragma once

// FLINT 3 declares what converts from and to MPFR where MPFR came first.
#include <mpfr.h>

/// Arb, by the names of its headers: FLINT 3 contains it; before, it is a library of its own.
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
