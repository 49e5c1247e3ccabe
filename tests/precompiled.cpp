// The source of normproof_tests_pch, whose product is its precompiled header.
