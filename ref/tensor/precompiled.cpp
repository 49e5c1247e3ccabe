// The source of normproof_precompiled, whose product is its precompiled header.
