// The source of normproof_precompiled, which exists only for its precompiled header.
