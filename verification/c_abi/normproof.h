#ifndef NORMPROOF_H
#define NORMPROOF_H

/* Hold an implementation against the golden corpus from inside its own process: what `normproof
   golden check` does, with its verdicts (docs/golden.md). C99, and everything that calls C.

   Promises. No exception leaves a function, none ends the process, and there is no state but that
   of a handle. A handle serves one thread at a time; two are independent. The floating-point mode
   of the caller (rounding, flush to zero, flags) changes nothing and is as it was afterwards.
   Within one NORMPROOF_ABI_VERSION, no function, struct or number below changes; a function may be
   added. Memory that runs out inside GMP ends the process, as GMP has it. */

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define NORMPROOF_ABI_VERSION 1

/* What a function returns: the numbers of the exit status of `normproof`. Where it is not
   NORMPROOF_OK, normproof_error has the sentence, and nothing was written to `out`. */
enum {
  NORMPROOF_OK = 0,
  NORMPROOF_FAILED = 1, /* memory is exhausted, or an error of this library */
  NORMPROOF_USAGE = 2,  /* an argument: null, an unknown name, a value out of range, out of turn */
  NORMPROOF_FILE = 3    /* the corpus is absent, or not as it was made */
};

enum {
  NORMPROOF_FLOAT64 = 0,
  NORMPROOF_FLOAT32 = 1,
  NORMPROOF_FLOAT16 = 2,
  NORMPROOF_BFLOAT16 = 3,
  NORMPROOF_INT64 = 4,
  NORMPROOF_INT32 = 5,
  NORMPROOF_UINT8 = 6,
  NORMPROOF_BOOLEAN = 7 /* a byte, 0 or 1 */
};

/* An open corpus: its cases, the one that is selected, and the answer to it so far. */
typedef struct normproof_corpus normproof_corpus;

/* Elements in C order (the last axis varies fastest), little-endian, aligned to their size. */
typedef struct normproof_tensor {
  const char* name;
  int32_t dtype; /* NORMPROOF_FLOAT64 ... */
  int32_t rank;  /* 0 is a scalar */
  const int64_t* shape;
  const void* data;
  size_t bytes;
} normproof_tensor;

/* One question: names, options and meanings as for `normproof eval` (docs/formats.md). */
typedef struct normproof_case {
  const char* path;    /* "quick/layer_norm/odd-13x17-float32" */
  const char* op;      /* "layer_norm" */
  const char* mode;    /* "training" or "inference" */
  const char* options; /* a JSON object of texts, {"eps":"1e-05"} */
  const char* why;     /* what the case is meant to find */
  const char* json;    /* the whole case.json */
  int32_t dtype;       /* of x */
  int32_t is_sequence; /* 1: x, grad_y and valid have a leading axis of steps */
  size_t input_count;
  const normproof_tensor* inputs; /* in ascending order of names */
} normproof_case;

typedef struct normproof_verdict {
  int32_t passed;
  double ratio;     /* the largest share of its bound that an element reached; infinite where
                       something is absent or of another shape */
  const char* text; /* one sentence: the worst element, or what fails, where, and which known
                       mistake it agrees with */
} normproof_verdict;

/* NORMPROOF_ABI_VERSION of the library, to be compared with that of the header. */
int32_t normproof_abi_version(void);

/* Opens the cases of a corpus whose path matches the glob ("*" or null: all).
   *out is a handle whatever the status, for normproof_error; only where memory is exhausted or
   `out` is null there is none. Close it. NORMPROOF_USAGE: nothing matches; NORMPROOF_FILE:
   manifest.json is absent, damaged or altered. */
int32_t normproof_open(const char* folder, const char* glob, normproof_corpus** out);

/* Frees the handle and all that it lent. Null is nothing to close. */
void normproof_close(normproof_corpus* corpus);

/* One sentence on the last call with this handle, "" where that was NORMPROOF_OK. Never null. It
   stands until the next call with the handle. */
const char* normproof_error(const normproof_corpus* corpus);

/* How many cases are open; 0 for null. */
size_t normproof_case_count(const normproof_corpus* corpus);

/* An option of `normproof golden check`, for what is judged from now on: "outputs" ("y,grad_x":
   these alone have to be there and are compared; "": the default), "accumulation" ("float32"; "":
   the default) or "formula" ("folded", "one_pass"; "": two passes). */
int32_t normproof_set(normproof_corpus* corpus, const char* name, const char* value);

/* Selects a case, 0 <= index < normproof_case_count, reads it and begins an answer. What *out
   points to stands until another case is selected or the handle closed. NORMPROOF_FILE: the case is
   damaged or altered; then none is selected. */
int32_t normproof_select(normproof_corpus* corpus, size_t index, normproof_case* out);

/* An option of the selected case as text, such as "eps"; null, with NORMPROOF_USAGE's sentence,
   where there is none of that name. It stands as long as the case. */
const char* normproof_option(normproof_corpus* corpus, const char* name);

/* Adds an output to the answer; the elements are copied. They are read where the case expects an
   output of that name and shape: as many as the shape has, of the dtype. Any other name or shape
   is kept without them, and fails the case when it is judged.
   NORMPROOF_USAGE: null, an unknown dtype, a rank below 0 or above 8 (the shape is not read then),
   a negative or too large shape, a name for the second time */
int32_t normproof_answer(normproof_corpus* corpus, const char* name, int32_t dtype, int32_t rank,
                         const int64_t* shape, const void* data);

/* Judges the answer to the selected case, and begins another one. out->text stands until the next
   call of normproof_judge or normproof_close.
   An answer that fails is NORMPROOF_OK with passed = 0. */
int32_t normproof_judge(normproof_corpus* corpus, normproof_verdict* out);

/* How many of the cases have been judged, and how many of them passed, each at its last verdict.
   All is as it should be where both are normproof_case_count. */
int32_t normproof_totals(normproof_corpus* corpus, size_t* judged, size_t* passed);

#ifdef __cplusplus
}
#endif

#endif
