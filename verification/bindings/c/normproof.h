#ifndef NORMPROOF_H
#define NORMPROOF_H

/* Hold an implementation against the golden corpus from inside its own process: what `normproof
   golden check` does, with its verdicts (docs/guide/golden.md). C99, and everything that calls C.

   Promises. No exception leaves a function, and there is no state but that of a handle. A handle
   serves one thread at a time; two are independent. The floating-point mode of the caller
   (rounding, flush to zero, flags) changes nothing and is as it was afterwards. Within one
   NORMPROOF_ABI_VERSION, no function, struct or number below changes; a function may be added.
   Memory that is exhausted is the status NORMPROOF_FAILED. GMP and FLINT, which cannot report it,
   then take it from a reserve of 64 MiB until the operation ends; only where the reserve too is
   used up does the process end, with "normproof: memory is exhausted" on stderr. */

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define NORMPROOF_ABI_VERSION 1
#define NORMPROOF_ABI_MINOR 3 /* grows with every function that is added */

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
  NORMPROOF_BOOLEAN = 7, /* a byte, 0 or 1 */
  NORMPROOF_FLOAT8_E4M3FN = 8,
  NORMPROOF_FLOAT8_E5M2 = 9,
  NORMPROOF_FLOAT8_E8M0FNU = 10, /* a scale: 2^(byte - 127), NaN for 255 */
  NORMPROOF_INT8 = 11,
  NORMPROOF_FLOAT4_E2M1FN = 12 /* an element is a byte, 0 to 15: its lower half */
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

/* One case: names, options and meanings as for `normproof apply` (docs/guide/formats.md). */
typedef struct normproof_case {
  const char* path;    /* "quick/layer_norm/odd-13x17-float32" */
  const char* op;      /* "layer_norm" */
  const char* mode;    /* "training" or "inference" */
  const char* options; /* a JSON object of texts, {"eps":"1e-05"} */
  const char* why;     /* what the case is meant to find */
  const char* json;    /* what manifest.json holds of the case */
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
   the default), "formula" ("stable", "folded", "one_pass"; "": two passes), "cast_order"
   ("before_gamma": a norm in 16 bits may round x_hat before it applies gamma; "stored_statistics":
   it may store the mean and rstd in 16 bits; "": the default),
   "loss_dtype" ("logits": the loss of 16-bit logits may have their dtype; "": float32),
   "scale_rounding" ("up", "nearest", "even" or "ceil": the scales of the blocks of an 8-bit y are
   rounded so to powers of two; "": down),
   "flush_subnormals" ("1": subnormal numbers may be 0; "": the default) or "skip_diagnosis" ("1":
   the verdict on a case that fails does not name its mistake, and takes less time; "": the
   default). NORMPROOF_USAGE: an unknown name or value, or a formula, a cast order, a dtype of the
   loss or a rounding of scales that none of the open cases has. */
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

/* ---- Since 1.1 ---- */

/* What is expected of one output of the selected case, element by element in C order: an answer
   stored in `dtype` is right where |got - (value + remainder)| <= bound. */
typedef struct normproof_expected {
  const char* name;
  int32_t dtype;    /* of the answer; a wider one will do */
  int32_t required; /* 1: its absence fails the case, as normproof_set("outputs") stands */
  int32_t rank;
  int32_t reserved; /* 0 */
  const int64_t* shape;
  size_t count;
  const double* value;     /* the exact result rounded to dtype; NaN where none is defined, -inf as a limit */
  const double* remainder; /* what is left of it */
  const double* bound;     /* infinite: the arithmetic claims nothing, and nothing is judged there;
                              NaN where value is NaN: there the answer must not be finite; and
                              where value is -inf: there the answer must be -inf */
} normproof_expected;

/* Called between two pieces of work, never by two threads at the same time, though perhaps by
   another one than the caller's; 0: go on, else the call ends with NORMPROOF_FAILED. `path` is
   that of the case that is done. It must not use the handle. */
typedef int32_t (*normproof_progress)(void* user, const char* path, size_t done, size_t of);

/* Asks for the answer to a question: it calls normproof_answer, normproof_decline or
   normproof_fail with the handle, and nothing else of it, and returns 0; else the call ends with
   NORMPROOF_FAILED. What `question` points to stands until it returns. */
typedef int32_t (*normproof_ask)(void* user, const normproof_case* question);

/* NORMPROOF_ABI_MINOR of the library: it has every function of the header where it is not less. */
int32_t normproof_abi_minor(void);

/* The version of the library, "0.1.0". */
const char* normproof_version(void);

/* "2.4.0+6f201482ba21": the version of the corpus that this library is made with, and the first 12
   digits of the SHA-256 of its manifest.json. */
const char* normproof_corpus_version(void);

/* A handle without cases, for normproof_certify, normproof_make and normproof_layers; as
   normproof_open otherwise. */
int32_t normproof_new(normproof_corpus** out);

/* The version of the corpus that is open, as above, from its own ledger; "" of a handle without a
   corpus, or null. It stands until normproof_close. */
const char* normproof_version_of(const normproof_corpus* corpus);

/* The path of a case, and what manifest.json holds of it, 0 <= index < normproof_case_count,
   without reading its tensors: what tells which cases to select. Null where there is none of that
   index. Both stand until normproof_close. */
const char* normproof_case_path(normproof_corpus* corpus, size_t index);
const char* normproof_case_json(normproof_corpus* corpus, size_t index);

/* What is expected of the selected case, for the options of its bound as they are set, in
   ascending order of names. It stands until the next call of normproof_expect or normproof_select,
   or until normproof_close. The bounds are evaluated once a case: as long as a judgement. */
int32_t normproof_expect(normproof_corpus* corpus, size_t* count, const normproof_expected** out);

/* More of normproof_set, for what is judged or reported from now on:
     "xfail"      cases known to fail, a glob a line, '#' before a comment (--xfail)
     "strict"     "1": an element that is not judged is a failure (--strict); "": it is not
     "min_cases"  fewer cases held are a failure (--min-cases; "": 1)
     "repro"      what a report has as the line that shows a failing case again, "{path}" standing
                  for the path of the case; "": no line */

/* Adds a case of the caller's own to the handle, certified by two enclosures on the spot, and
   writes its index: from then on it is a case as any other.
   name: lower case, digits and '_'; the path is "own/<op>/<name>-<shape of x>-<dtype>", and no case
   of the handle has it yet. mode: "training" or "inference". options: a JSON object of texts, as
   normproof_case has it; what is absent has its default; null: all. inputs: named and shaped as for
   `normproof apply`, copied; what may be absent there may be absent here. The dtype of the case is
   that of x (of the parameter, of an encoder's parameters), or the option "y_dtype", which a y of 8
   bits needs if x has more. Tensors of 8 bits have scales (docs/specification/eight_bits.md).
   A case of many rows that are independent is certified in blocks of rows, so that it takes little
   memory beyond its tensors. threads: 1, or 2 and more for blocks side by side, or where there is
   one block for the two enclosures, which changes no bit; 0: as there are processors.
   NORMPROOF_USAGE: an unknown name with the nearest known one, a shape or an option that does not
   fit, in one sentence; NORMPROOF_FAILED: nothing decides an element. */
int32_t normproof_certify(normproof_corpus* corpus, const char* name, const char* op,
                          const char* mode, const char* options, int32_t is_sequence,
                          size_t input_count, const normproof_tensor* inputs, int32_t threads,
                          size_t* index);

/* The answer to the selected case is that it is not offered, or that there is none, and why: one
   sentence each. What normproof_answer has added is dropped. normproof_judge then tells so: a
   declined case neither passed nor failed in a report, and passed = 0 here. */
int32_t normproof_decline(normproof_corpus* corpus, const char* reason);
int32_t normproof_fail(normproof_corpus* corpus, const char* reason);

/* After normproof_judge, of the case that it has judged: the line that `normproof golden check
   --json` writes of it, an object with "path", "outcome", "findings", "diagnosis" (the named
   mistakes, the nearest first), "tensors" (every metric of every output, "where" the worst element
   is) and "repro". It stands until the next call of it or normproof_close. */
int32_t normproof_verdict_json(normproof_corpus* corpus, const char** out);

/* After normproof_judge, of the case that it has judged: the error over the bound of each element
   of the output, in C order; infinite where nothing may be off or no number was given, NaN where
   it is not judged. *count is 0 and *out null where nothing was compared. It stands until the next
   call of it, or of normproof_answer, normproof_judge or normproof_select, or normproof_close. */
int32_t normproof_shares(normproof_corpus* corpus, const char* output, size_t* count,
                         const double** out);

/* Everything that was judged, each case at its last verdict, in ascending order of paths: byte for
   byte what `normproof golden check` writes of the same verdicts with the same "repro". form:
   "text" (what it prints), "json" (an object a line), "junit", "sarif", "html" or "markdown". It
   stands until the next call of it or normproof_close. *passed: whether its exit status is 0.
   NORMPROOF_USAGE: nothing was judged yet. */
int32_t normproof_report(normproof_corpus* corpus, const char* form, const char** out,
                         int32_t* passed);

/* What must hold between the answers to variants of the selected case, whatever the right values
   are: "repeat", "split", "permute" or "neighbour", as `normproof golden relations` has them
   (docs/guide/golden.md); the variants are asked by `ask`, one after the other. *outcome is "held",
   "broken", "declined" or "not_applicable"; *sentence says of a broken one where, "" of others.
   Both stand until the next call of it or normproof_close. The answer so far is dropped. */
int32_t normproof_relation(normproof_corpus* corpus, const char* relation, normproof_ask ask,
                           void* user, const char** outcome, const char** sentence);

/* Makes the cases of tiers ("standard", "quick,standard") whose paths match the glob (null: all)
   into a folder that is absent or empty, by `jobs` threads (0: as many as processors): what
   `normproof golden make` writes. A reader sees no corpus or the whole one, also where `progress`
   (or null) stops it. It is not opened. */
int32_t normproof_make(normproof_corpus* corpus, const char* folder, const char* tiers,
                       const char* glob, int32_t jobs, normproof_progress progress, void* user);

/* Describes every operation: its options with their defaults, its inputs and outputs, and of a norm
   layer its parameters and state. It is what `normproof operations --json` prints, and stands until
   the next call of it or normproof_close. */
int32_t normproof_layers(normproof_corpus* corpus, const char** out);

/* ---- Since 1.2 ---- */

/* Sets what normproof_certify, normproof_certify_rows, normproof_judge and normproof_expect call
   between two blocks of rows of a large case, on the thread of the caller; null: nothing. Its
   `path` is "". If it does not return 0, the call ends with NORMPROOF_FAILED and changes nothing. */
int32_t normproof_watch(normproof_corpus* corpus, normproof_progress progress, void* user);

/* Adds a case as normproof_certify does, that consists of some rows of a case with many rows: the
   indices of the first axis of x in `rows`, in ascending order. An output that is a sum over rows,
   such as grad_gamma, is the sum over all rows. It is enclosed in `double`, and the radius of the
   enclosure is part of its bound.
   NORMPROOF_USAGE: as normproof_certify; an operation that does not compute each row
   independently; no row, or one that is out of range or not in ascending order. */
int32_t normproof_certify_rows(normproof_corpus* corpus, const char* name, const char* op,
                               const char* mode, const char* options, size_t input_count,
                               const normproof_tensor* inputs, size_t row_count,
                               const int64_t* rows, int32_t threads, size_t* index);

/* ---- Since 1.3 ---- */

/* The name that a text stands for: "layer_norm" for "LayerNorm", "silu" for "swish", "bfloat16" for
   "bf16". kind: "operation" or "dtype" (a floating-point one). Letters may have any case, and in a
   name of an operation _ and - do not count. Null where there is no such name, or where an argument
   is null. It stands as long as the library is loaded. */
const char* normproof_find_name(const char* kind, const char* text);

#ifdef __cplusplus
}
#endif

#endif
