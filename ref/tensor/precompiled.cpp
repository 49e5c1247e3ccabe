// This is the source of the target normproof_precompiled, which exists only for its precompiled
// header.
