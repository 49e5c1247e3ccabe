(* The bound of verification/golden/gate, operation by operation, as ref/numeric/any_order_error.cpp computes it, and through the
   formulas of LayerNorm and RMSNorm; over any scalars, so that it is evaluated in binary64 as it is in the program, and proved
   over the reals in gate.v. What is left out: overflow, operations that the inputs make exact, and elements that are sums. *)
From Coq Require Import Bool Arith.
From normproof Require Import rounding.

Record scalars (T : Type) := {
  zero : T; one : T; two : T; four : T; half : T;
  slack : T;                                            (* 1 + 2^-45: the roundings of the bound itself *)
  roundoff : T; smallest : T;                           (* of binary64: the unit roundoff 2^-53, the smallest number 2^-1074 *)
  plus : T -> T -> T; minus : T -> T -> T; times : T -> T -> T; over : T -> T -> T;
  root : T -> T; magnitude : T -> T; opposite : T -> T;
  below : T -> T -> bool;                               (* x < y *)
  of_nat : nat -> T;
  stored : T -> T                                       (* what is a double of a result *)
}.

(* the format of an implementation: its unit roundoff; what a result that is small may be off by: its least normal number where subnormal
   numbers are flushed, else 2 units in the last place of a subnormal number; which constants it holds; and what is 2^k *)
Record arithmetic (T : Type) := {
  unit_of : T; tiny : T; represented : T -> bool; power_of_two : T -> bool
}.

Section Formula.
Context {T : Type} (S : scalars T) (F : arithmetic T).
Notation "x + y" := (plus T S x y).
Notation "x - y" := (minus T S x y).
Notation "x * y" := (times T S x y).
Notation "x / y" := (over T S x y).
Notation "| x |" := (magnitude T S x) (at level 30, x at level 99).
Notation "x < y" := (below T S x y).
Notation "0" := (zero T S).
Notation "1" := (one T S).
Notation "2" := (two T S).
Notation "4" := (four T S).
Notation slack := (slack T S).
Notation roundoff := (roundoff T S).
Notation smallest := (smallest T S).
Notation stored := (stored T S).
Notation u := (unit_of T F).
Notation tiny := (tiny T F).

Definition larger (x y : T) : T := if x < y then y else x.
Definition smaller (x y : T) : T := if y < x then y else x.
Definition not_negative (x : T) : bool := negb (x < 0).
Definition is_0 (x : T) : bool := negb (x < 0) && negb (0 < x).

(* value: the reference's double; error: what any implementation, and value, may be off; floor: what none is below, where known;
   of a sum that may grow (`open`) its terms, their magnitudes and errors; judged: whether anything is claimed. *)
Record bounded := Bounded {
  value : T; error : T; floor : option T; open : bool; terms : nat; magnitudes : T; errors : T; judged : bool
}.

Definition closed (value error : T) (floor : option T) (judged : bool) : bounded :=
  Bounded value error floor false 0 0 0 judged.
Definition least (A : bounded) : T :=
  match floor A with Some l => larger l (value A - 2 * error A) | None => value A - 2 * error A end.
Definition largest (A : bounded) : T := |value A| + 2 * error A.
Definition is_exact_0 (A : bounded) : bool := is_0 (value A) && is_0 (error A).
(* what is left of l, not negative, where a share of it and `lost` may be lost *)
Definition rounded_down (l share lost : T) : T :=
  let left := l * (1 - share) / slack - lost in if 0 < left then left else 0.

Definition constant (v : T) : bounded :=
  closed v (if represented T F v then 0 else u * |v| * slack + tiny) None true.
Definition negative (A : bounded) : bounded := closed (opposite T S (value A)) (error A) None (judged A).

(* an operation that is off by 4 u: `result` the reference's, `off` what its operands' errors contribute *)
Definition error_of (result off : T) : T := (off + 4 * u * (|result| + 2 * off)) * slack + tiny.

Definition terms_of (A : bounded) : nat := if open A then terms A else 1%nat.
Definition magnitudes_of (A : bounded) : T := if open A then magnitudes A else largest A.
Definition errors_of (A : bounded) : T := if open A then errors A else error A.

Definition add (A B : bounded) : bounded :=
  if is_exact_0 B then A else if is_exact_0 A then B else
  let n := (terms_of A + terms_of B)%nat in
  let M := (magnitudes_of A + magnitudes_of B) * slack in
  let P := (errors_of A + errors_of B) * slack in
  let v := stored (value A + value B) in
  let roundings := of_nat T S (n - 1) * u in
  let sums := if open A || open B then M else |v| + 2 * P in
  let off := roundings / (1 - roundings) * sums in
  Bounded v ((P + off) * slack + of_nat T S (n - 1) * tiny)
    (if not_negative (least A) && not_negative (least B) then Some (rounded_down (least A + least B) roundings 0) else None)
    true n M P (judged A && judged B && (roundings < half T S)).

(* is_square: both are one number *)
Definition multiply (is_square : bool) (A B : bounded) : bounded :=
  let known := not_negative (least A) && not_negative (least B) in
  let v := stored (value A * value B) in
  closed v (error_of v (largest A * error B + (|value B| + error B) * error A))
    (if known || is_square then Some (rounded_down (if known then least A * least B else 0) (4 * u) tiny) else None)
    (judged A && judged B).

Definition divide (A B : bounded) : bounded :=
  let v := stored (value A / value B) in
  if is_0 (error B) && power_of_two T F (value B) then
    closed v (error A / |value B| * slack + tiny)
      (if (0 < value B) && not_negative (least A) then Some (rounded_down (least A / value B) 0 tiny) else None) (judged A)
  else
    let sure := (|value B| - 2 * error B) / slack in
    let divisor := match floor B with Some l => larger sure l | None => sure end in
    let known := not_negative (least A) && not_negative (least B) in
    let quotient := largest A / divisor in
    closed v (error_of v (smaller ((error A + quotient * error B) / divisor) (if known then quotient else 2 * quotient)))
      (if known then Some (rounded_down (least A / largest B) (4 * u) tiny) else None)
      (judged A && judged B && (0 < divisor)).

Definition square_root (A : bounded) : bounded :=
  let v := stored (root T S (value A)) in
  let sure := match floor A with Some l => larger (value A - error A) l | None => value A - error A end in
  let absolute := root T S (error A) in
  let off := if is_0 (error A) then 0 else
    smaller (if 0 < sure then error A / root T S sure else absolute) absolute in
  closed v (error_of v off) (Some (rounded_down (if 0 < least A then root T S (least A) else 0) (4 * u) tiny)) (judged A).

(* A variance of n numbers with a floor that no two-pass variance of them is below: the mean of the squared distances from any number is
   at least the variance. Where a distance that is flushed is at most tiny <= 1, its square is at most tiny. *)
Fixpoint from_first (n : nat) (f : nat -> T) : T := match n with O => 0 | Datatypes.S k => from_first k f + f k end.
Definition raised (n : nat) (f : nat -> bounded) (V : bounded) : bounded :=
  let share := of_nat T S (n + 10) * u in
  if share < half T S then
    let off i := 2 * error (f i) in
    let off_in_all := root T S (from_first n (fun i => off i * off i + smallest) / of_nat T S n) * slack in
    let own := 2 * of_nat T S (n + 8) * roundoff in
    let of_the_mean := own * from_first n (fun i => |value (f i)|) / of_nat T S n in
    let least := value V * (1 - own) - of_the_mean * of_the_mean in
    let lower := root T S (larger least 0) / slack - off_in_all in
    if 0 < lower then
      let l := rounded_down (lower * lower) share (4 * tiny) in
      closed (value V) (error V) (Some (match floor V with Some other => larger other l | None => l end)) (judged V)
    else V
  else V.

Fixpoint sum_of (f : nat -> bounded) (t : tree) : bounded :=
  match t with Leaf i => f i | Node l r => add (sum_of f l) (sum_of f r) end.

(* ref/norm/layer_norm_formula.hpp and rms_norm_formula.hpp; t the order of the sums of n numbers *)
Definition mean_of (n : nat) (t : tree) (f : nat -> bounded) : bounded := divide (sum_of f t) (constant (of_nat T S n)).
Definition rstd_of (statistic : bounded) (eps : T) : bounded :=
  divide (constant 1) (square_root (add statistic (constant eps))).
Definition affine_of (g shift : T) (x_hat : bounded) : bounded := add (multiply false (constant g) x_hat) (constant shift).

Definition layer_norm_distance (n : nat) (t : tree) (x : nat -> T) (i : nat) : bounded :=
  add (constant (x i)) (negative (mean_of n t (fun j => constant (x j)))).
Definition layer_norm_rstd (n : nat) (t : tree) (x : nat -> T) (eps : T) : bounded :=
  rstd_of (raised n (fun j => constant (x j))
    (mean_of n t (fun j => multiply true (layer_norm_distance n t x j) (layer_norm_distance n t x j)))) eps.
Definition layer_norm_bound (n : nat) (t : tree) (x g shift : nat -> T) (eps : T) (i : nat) : bounded :=
  affine_of (g i) (shift i) (multiply false (layer_norm_distance n t x i) (layer_norm_rstd n t x eps)).
Definition rms_norm_rstd (n : nat) (t : tree) (x : nat -> T) (eps : T) : bounded :=
  rstd_of (mean_of n t (fun j => multiply true (constant (x j)) (constant (x j)))) eps.
Definition rms_norm_bound (n : nat) (t : tree) (x g shift : nat -> T) (eps : T) (i : nat) : bounded :=
  affine_of (g i) (shift i) (multiply false (constant (x i)) (rms_norm_rstd n t x eps)).
End Formula.
