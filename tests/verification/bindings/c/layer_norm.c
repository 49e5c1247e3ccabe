/* Checks LayerNorm in C against the float64 cases of the corpus.
   Usage: layer_norm <corpus> right|eps_outside|left_open. left_open is right but does not close the
   corpus, for tools that find lost memory. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <normproof.h>

typedef struct {
  size_t rows, features;
  const double *x, *grad_y, *gamma, *beta; /* gamma and beta may be null */
  double eps;
  int eps_outside;
} layer;

static const normproof_tensor* find(const normproof_case* c, const char* name) {
  for (size_t i = 0; i < c->input_count; ++i)
    if (strcmp(c->inputs[i].name, name) == 0) return &c->inputs[i];
  return NULL;
}

static const double* values(const normproof_case* c, const char* name) {
  const normproof_tensor* const tensor = find(c, name);
  return tensor == NULL ? NULL : (const double*)tensor->data;
}

static void row(const layer* l, size_t r, double* y, double* grad_x, double* grad_gamma,
                double* grad_beta) {
  const size_t n = l->features, at = r * n;
  double mean = 0, variance = 0, mean_g = 0, mean_g_x_hat = 0;
  for (size_t d = 0; d < n; ++d) mean += l->x[at + d];
  mean /= (double)n;
  for (size_t d = 0; d < n; ++d) variance += (l->x[at + d] - mean) * (l->x[at + d] - mean);
  variance /= (double)n;
  const double rstd = l->eps_outside ? 1 / (sqrt(variance) + l->eps) : 1 / sqrt(variance + l->eps);
  for (size_t d = 0; d < n; ++d) {
    const double x_hat = (l->x[at + d] - mean) * rstd, gamma = l->gamma ? l->gamma[d] : 1;
    y[at + d] = gamma * x_hat + (l->beta ? l->beta[d] : 0);
    grad_gamma[d] += l->grad_y[at + d] * x_hat;
    grad_beta[d] += l->grad_y[at + d];
    mean_g += gamma * l->grad_y[at + d] / (double)n;
    mean_g_x_hat += gamma * l->grad_y[at + d] * x_hat / (double)n;
  }
  for (size_t d = 0; d < n; ++d) {
    const double x_hat = (l->x[at + d] - mean) * rstd, gamma = l->gamma ? l->gamma[d] : 1;
    grad_x[at + d] = rstd * (gamma * l->grad_y[at + d] - mean_g - x_hat * mean_g_x_hat);
  }
}

static int run_case(normproof_corpus* corpus, size_t index, int eps_outside) {
  normproof_case c;
  normproof_verdict verdict;
  if (normproof_select(corpus, index, &c) != NORMPROOF_OK) return 1;
  const normproof_tensor* const x = find(&c, "x");
  const int64_t features = x->shape[x->rank - 1];
  const size_t size = x->bytes / sizeof(double), n = (size_t)features;
  double* const out = (double*)calloc(2 * size + 2 * n, sizeof(double));
  if (out == NULL) return 1;
  double *const y = out, *const grad_x = out + size, *const grad_gamma = out + 2 * size,
                *const grad_beta = grad_gamma + n;
  const layer l = {size / n,
                   n,
                   values(&c, "x"),
                   values(&c, "grad_y"),
                   values(&c, "gamma"),
                   values(&c, "beta"),
                   strtod(normproof_option(corpus, "eps"), NULL),
                   eps_outside};
  for (size_t r = 0; r < l.rows; ++r) row(&l, r, y, grad_x, grad_gamma, grad_beta);
  int status = normproof_answer(corpus, "y", c.dtype, x->rank, x->shape, y);
  status |= normproof_answer(corpus, "grad_x", c.dtype, x->rank, x->shape, grad_x);
  if (l.gamma != NULL) {
    status |= normproof_answer(corpus, "grad_gamma", c.dtype, 1, &features, grad_gamma);
    status |= normproof_answer(corpus, "grad_beta", c.dtype, 1, &features, grad_beta);
  }
  free(out);
  status |= normproof_judge(corpus, &verdict);
  if (status == NORMPROOF_OK)
    printf("%s %s: %s\n", verdict.passed ? "passed" : "FAILED", c.path, verdict.text);
  return status;
}

int main(int argc, char** argv) {
  normproof_corpus* corpus = NULL;
  if (argc != 3 || normproof_abi_version() != NORMPROOF_ABI_VERSION) return 2;
  int status = normproof_open(argv[1], "quick/layer_norm/*float64*", &corpus);
  const size_t count = normproof_case_count(corpus);
  for (size_t i = 0; i < count && status == NORMPROOF_OK; ++i)
    status = run_case(corpus, i, strcmp(argv[2], "eps_outside") == 0);
  size_t judged = 0, passed = 0;
  if (status == NORMPROOF_OK) status = normproof_totals(corpus, &judged, &passed);
  if (status == NORMPROOF_OK)
    printf("%zu cases, %zu judged, %zu passed\n", count, judged, passed);
  else
    printf("error: %s\n", normproof_error(corpus));
  if (strcmp(argv[2], "left_open") != 0) normproof_close(corpus);
  return status == NORMPROOF_OK && passed == count ? 0 : 1;
}
