// trace_evaluations: prints the operations of ExpFast, LogFast and TaylorFast, and the tables that
// they read. It runs the library's templates on a scalar type that records each operation. The
// proofs are about this output: `prove` compiles and runs this program.
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "ref/numeric/elementary_fast.hpp"

namespace {

/// The distinct operations that have been recorded. For example, "fma n1 0x1p+0 n0" is fma(n1, 1,
/// n0), where n1 and n0 are earlier results.
std::vector<std::string> operations;
std::map<std::string, long long> numbers;

long long parse_operation_number(const std::string& operation) {
  const auto [found, is_new] =
      numbers.emplace(operation, static_cast<long long>(operations.size()));
  if (is_new) operations.push_back(operation);
  return found->second;
}

/// The bits of a recorded operation's result, represented by the id of the operation. Number and
/// Bits have the same size, so that to_bits and from_bits keep the id.
struct Bits;
struct Number {
  long long id;
  Number(double c = 0) {
    char text[40];
    std::snprintf(text, sizeof text, "%a", c);
    id = parse_operation_number(text);
  }
};
struct Bits {
  long long id;
  Bits(unsigned long long c = 0) : id(parse_operation_number(std::to_string(c))) {}
};

template <class Result, class... Operands>
Result record_operation(std::string operation, const Operands&... operands) {
  ((operation += " n" + std::to_string(operands.id)), ...);
  Result result;
  result.id = parse_operation_number(operation);
  return result;
}

Number operator+(Number a, Number b) {
  return record_operation<Number>("add", a, b);
}
Number operator-(Number a, Number b) {
  return record_operation<Number>("sub", a, b);
}
Number operator*(Number a, Number b) {
  return record_operation<Number>("mul", a, b);
}
Number operator-(Number a) {
  return record_operation<Number>("neg", a);
}
Number fused(Number a, Number b, Number c) {
  return record_operation<Number>("fma", a, b, c);
}
Bits operator+(Bits a, Bits b) {
  return record_operation<Bits>("bits_add", a, b);
}
Bits operator-(Bits a, Bits b) {
  return record_operation<Bits>("bits_sub", a, b);
}
Bits operator&(Bits a, Bits b) {
  return record_operation<Bits>("bits_and", a, b);
}
Bits operator<<(Bits a, int by) {
  return record_operation<Bits>("bits_left", a, Bits(static_cast<unsigned>(by)));
}
Bits operator>>(Bits a, int by) {
  return record_operation<Bits>("bits_right", a, Bits(static_cast<unsigned>(by)));
}
Bits at_most(Number a, Number b) {
  return record_operation<Bits>("at_most", a, b);
}
Bits same(Number a, Number b) {
  return record_operation<Bits>("same", a, b);
}
Number from_bits(Bits a) {
  return __builtin_bit_cast(Number, a);
}

}  // namespace

namespace normproof::ref::numeric {

template <>
struct IntegersOf<Number> {
  using type = Bits;
};
template <int columns>
struct Rows<Number, columns> {
  Number column[columns];
  Rows(const double* table, Bits row) {
    const char* const name = table == kExpTable    ? "exp"
                             : table == kLogTable  ? "log"
                             : table == kTanhTable ? "tanh"
                                                   : "erf";
    for (int c = 0; c < columns; ++c)
      column[c] =
          record_operation<Number>("column " + std::string(name) + " " + std::to_string(c), row);
  }
};

}  // namespace normproof::ref::numeric

namespace {

using namespace normproof::ref::numeric;

void print_function(const char* name, double error, const std::vector<std::string>& outputs) {
  std::printf("function %s %a\n", name, error);
  for (std::size_t i = 0; i < operations.size(); ++i)
    std::printf("n%zu = %s\n", i, operations[i].c_str());
  for (const std::string& output : outputs) std::printf("output %s\n", output.c_str());
  operations.clear();
  numbers.clear();
}

template <class Output>
std::string named(const char* name, Output output) {
  return std::string(name) + " n" + std::to_string(output.id);
}

/// Prints the operations that compute hi, lo and power; the function's domain, if it has one; and
/// the operations of the final step for arbitrary hi, lo and power.
template <class Fast>
void print_operations(const std::string& name) {
  const Number x = record_operation<Number>("input x");
  const Sum<Number> sum = Fast::evaluate(x);
  print_function(name.c_str(), Fast::kError,
                 {named("hi", sum.hi), named("lo", sum.lo), named("power", sum.power)});
  if constexpr (requires { Fast::domain(x); }) {
    const Bits inside = Fast::domain(record_operation<Number>("input x"));
    print_function((name + "_domain").c_str(), Fast::kError, {named("inside", inside)});
  }
  Number rounded;
  const Bits decided = round_if_decided<Fast>(
      Sum<Number>{record_operation<Number>("input hi"), record_operation<Number>("input lo"),
                  record_operation<Bits>("input power")},
      &rounded);
  print_function((name + "_rounding").c_str(), Fast::kError,
                 {named("rounded", rounded), named("decided", decided)});
}

void print_table(const char* name, const double* table, int rows, int columns) {
  std::printf("table %s\n", name);
  for (int i = 0; i < rows * columns; ++i)
    std::printf("%a%s", table[i], (i + 1) % columns == 0 ? "\n" : " ");
}

}  // namespace

int main() {
  print_operations<ExpFast>("exp");
  print_operations<LogFast>("log");
  print_operations<TaylorFast<kTanhTable>>("tanh");
  print_operations<TaylorFast<kErfTable>>("erf");
  print_table("exp", kExpTable, kExpRows, kExpColumns);
  print_table("log", kLogTable, kLogRows, kLogColumns);
  print_table("tanh", kTanhTable, kTanhRows, kTaylorColumns);
  print_table("erf", kErfTable, kErfRows, kTaylorColumns);
}
