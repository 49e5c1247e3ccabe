(* Finite sums, and what the theorems need of them. A vector is a function on nat, read below its extent. *)
From Coq Require Import Reals Lra Psatz Lia Arith Bool.
From Coquelicot Require Import Coquelicot.
Open Scope R_scope.

(* Sum n f = f 0 + ... + f (n - 1) *)
Fixpoint Sum (n : nat) (f : nat -> R) : R :=
  match n with O => 0 | S k => Sum k f + f k end.

(* <u, v> *)
Definition dot (n : nat) (u v : nat -> R) : R := Sum n (fun i => u i * v i).

Lemma Sum_ext n f g : (forall i, (i < n)%nat -> f i = g i) -> Sum n f = Sum n g.
Proof. induction n; simpl; intros H; [reflexivity|]. rewrite IHn, H; auto. Qed.
Lemma Sum_plus n f g : Sum n (fun i => f i + g i) = Sum n f + Sum n g.
Proof. induction n; simpl; [ring|]. rewrite IHn. ring. Qed.
Lemma Sum_minus n f g : Sum n (fun i => f i - g i) = Sum n f - Sum n g.
Proof. induction n; simpl; [ring|]. rewrite IHn. ring. Qed.
Lemma Sum_scal n c f : Sum n (fun i => c * f i) = c * Sum n f.
Proof. induction n; simpl; [ring|]. rewrite IHn. ring. Qed.
Lemma Sum_const n c : Sum n (fun _ => c) = INR n * c.
Proof. induction n; [simpl; ring|]. rewrite S_INR. simpl Sum. rewrite IHn. ring. Qed.
Lemma Sum_zero n f : (forall i, (i < n)%nat -> f i = 0) -> Sum n f = 0.
Proof. intros H. rewrite (Sum_ext n f (fun _ => 0)) by auto. rewrite Sum_const. ring. Qed.
Lemma Sum_le n f g : (forall i, (i < n)%nat -> f i <= g i) -> Sum n f <= Sum n g.
Proof. induction n; simpl; intros H; [lra|]. apply Rplus_le_compat; auto. Qed.
Lemma Sum_nonneg n f : (forall i, (i < n)%nat -> 0 <= f i) -> 0 <= Sum n f.
Proof. intros H. rewrite <- (Sum_zero n (fun _ => 0)) by auto. apply Sum_le, H. Qed.
Lemma Sum_lin2 n a f b g : Sum n (fun i => a * f i + b * g i) = a * Sum n f + b * Sum n g.
Proof. rewrite Sum_plus, !Sum_scal. reflexivity. Qed.
Lemma Sum_lin3 n a f b g c h :
  Sum n (fun i => a * f i + b * g i + c * h i) = a * Sum n f + b * Sum n g + c * Sum n h.
Proof. rewrite !Sum_plus, !Sum_scal. reflexivity. Qed.
Lemma Sum_swap n m (f : nat -> nat -> R) :
  Sum n (fun i => Sum m (fun j => f i j)) = Sum m (fun j => Sum n (fun i => f i j)).
Proof.
  induction n; simpl; [symmetry; apply Sum_zero; auto|]. rewrite IHn, <- Sum_plus. reflexivity.
Qed.
Lemma Sum_head n f : Sum (S n) f = f O + Sum n (fun i => f (S i)).
Proof. induction n; [simpl; ring|]. simpl Sum in *. rewrite IHn. ring. Qed.

(* 1 where i is k, else 0 *)
Definition unit_vector (k i : nat) : R := if Nat.eqb i k then 1 else 0.

Lemma unit_same k : unit_vector k k = 1.
Proof. unfold unit_vector. rewrite Nat.eqb_refl. reflexivity. Qed.
Lemma unit_other k i : i <> k -> unit_vector k i = 0.
Proof. intros H. unfold unit_vector. rewrite (proj2 (Nat.eqb_neq i k) H). reflexivity. Qed.
Lemma Sum_unit n f k : (k < n)%nat -> Sum n (fun i => unit_vector k i * f i) = f k.
Proof.
  induction n; intros H; [lia|]. simpl. destruct (Nat.eq_dec k n) as [->|Hne].
  - rewrite unit_same, Sum_zero; [ring|]. intros i Hi. rewrite unit_other by lia. ring.
  - rewrite IHn, unit_other by lia. ring.
Qed.
Lemma dot_unit n u k : (k < n)%nat -> dot n u (unit_vector k) = u k.
Proof.
  intros H. unfold dot. rewrite <- (Sum_unit n u k H). apply Sum_ext. intros. ring.
Qed.

Lemma dot_comm n u v : dot n u v = dot n v u.
Proof. apply Sum_ext. intros. ring. Qed.
Lemma dot_nonneg n u : 0 <= dot n u u.
Proof. apply Sum_nonneg. intros. apply Rle_0_sqr. Qed.
Lemma dot_zero n u : dot n u u = 0 -> forall i, (i < n)%nat -> u i = 0.
Proof.
  unfold dot. induction n; intros H i Hi; [lia|]. simpl in H.
  pose proof (dot_nonneg n u) as P. unfold dot in P. pose proof (Rle_0_sqr (u n)) as Q. unfold Rsqr in Q.
  destruct (Nat.eq_dec i n) as [->|Hne]; [apply Rsqr_0_uniq; unfold Rsqr; lra|]. apply IHn; [lra|lia].
Qed.
Lemma dot_scal_l n c u v : dot n (fun i => c * u i) v = c * dot n u v.
Proof. unfold dot. rewrite <- Sum_scal. apply Sum_ext. intros. ring. Qed.
Lemma dot_plus_l n u w v : dot n (fun i => u i + w i) v = dot n u v + dot n w v.
Proof. unfold dot. rewrite <- Sum_plus. apply Sum_ext. intros. ring. Qed.
Lemma dot_ext n u v u' v' :
  (forall i, (i < n)%nat -> u i = u' i) -> (forall i, (i < n)%nat -> v i = v' i) -> dot n u v = dot n u' v'.
Proof. intros H K. apply Sum_ext. intros. rewrite H, K; auto. Qed.
(* ||a u + b v||^2 *)
Lemma dot_square n a u b v :
  dot n (fun i => a * u i + b * v i) (fun i => a * u i + b * v i)
  = a^2 * dot n u u + 2 * a * b * dot n u v + b^2 * dot n v v.
Proof.
  unfold dot. rewrite <- Sum_lin3. apply Sum_ext. intros. ring.
Qed.

Lemma INR_pos n : (0 < n)%nat -> 0 < INR n.
Proof. apply lt_0_INR. Qed.
Lemma INR_at_least n k : (k <= n)%nat -> INR k <= INR n.
Proof. apply le_INR. Qed.

(* <u, v>^2 <= <u, u> <v, v> *)
Lemma cauchy_schwarz n u v : (dot n u v)^2 <= dot n u u * dot n v v.
Proof.
  pose proof (dot_nonneg n u) as Hu. pose proof (dot_nonneg n v) as Hv.
  destruct (Req_dec (dot n v v) 0) as [Z|NZ].
  - assert (E : dot n u v = 0).
    { apply Sum_zero. intros i Hi. rewrite (dot_zero n v Z i Hi). ring. }
    rewrite E, Z. lra.
  - pose proof (dot_nonneg n (fun i => dot n v v * u i + (- dot n u v) * v i)) as P.
    rewrite dot_square in P.
    assert (Q : 0 <= dot n v v * (dot n u u * dot n v v - (dot n u v)^2)) by nra.
    apply Rnot_lt_le. intros K. assert (0 < dot n v v) by lra. nra.
Qed.

Lemma sqrt_pos_lt a : 0 < a -> 0 < sqrt a.
Proof. apply sqrt_lt_R0. Qed.
Lemma sqrt_unique a b : 0 <= b -> b * b = a -> sqrt a = b.
Proof. intros H K. rewrite <- K. apply sqrt_square, H. Qed.
Lemma div_le a b c : 0 < c -> a <= b -> a / c <= b / c.
Proof. intros H K. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; exact H|exact K]. Qed.
Lemma div_nonneg a b : 0 <= a -> 0 < b -> 0 <= a / b.
Proof. intros H K. apply Rmult_le_pos; [exact H|left; apply Rinv_0_lt_compat; exact K]. Qed.
Lemma div_pos a b : 0 < a -> 0 < b -> 0 < a / b.
Proof. intros H K. apply Rmult_lt_0_compat; [exact H|apply Rinv_0_lt_compat; exact K]. Qed.
Lemma le_div a b c : 0 < c -> a * c <= b -> a <= b / c.
Proof.
  intros H K. replace a with (a * c / c) by (field; lra). apply div_le; assumption.
Qed.
Lemma div_le_of a b c : 0 < c -> a <= b * c -> a / c <= b.
Proof.
  intros H K. replace b with (b * c / c) by (field; lra). apply div_le; assumption.
Qed.
Lemma lt_div a b c : 0 < c -> a * c < b -> a < b / c.
Proof.
  intros H K. replace a with (a * c / c) by (field; lra).
  apply Rmult_lt_compat_r; [apply Rinv_0_lt_compat; exact H|exact K].
Qed.
Lemma abs_between u m : Rabs u <= m -> - m <= u <= m.
Proof. apply Rabs_le_between. Qed.

(* The vector x with t in the place of its element k: what a partial derivative moves. *)
Definition put (x : nat -> R) (k : nat) (t : R) : nat -> R := fun i => if Nat.eqb i k then t else x i.

Lemma put_same x k t : put x k t k = t.
Proof. unfold put. rewrite Nat.eqb_refl. reflexivity. Qed.
Lemma put_other x k t i : i <> k -> put x k t i = x i.
Proof. intros H. unfold put. rewrite (proj2 (Nat.eqb_neq i k) H). reflexivity. Qed.
Lemma put_back x k i : put x k (x k) i = x i.
Proof. unfold put. destruct (Nat.eqb_spec i k); [subst|]; reflexivity. Qed.

(* is_derive f t d: d is the derivative of f at t. *)
Lemma derive_const (c t : R) : is_derive (fun _ : R => c) t 0.
Proof. auto_derive; trivial. Qed.
Lemma derive_plus (f g : R -> R) (t df dg : R) :
  is_derive f t df -> is_derive g t dg -> is_derive (fun t => f t + g t) t (df + dg).
Proof. apply (is_derive_plus f g t df dg). Qed.
Lemma derive_minus (f g : R -> R) (t df dg : R) :
  is_derive f t df -> is_derive g t dg -> is_derive (fun t => f t - g t) t (df - dg).
Proof. apply (is_derive_minus f g t df dg). Qed.
Lemma derive_scal (c : R) (f : R -> R) (t d : R) : is_derive f t d -> is_derive (fun t => c * f t) t (c * d).
Proof. apply (is_derive_scal f t c d). Qed.
Lemma derive_unique (f g : R -> R) (t a b : R) :
  (forall t, f t = g t) -> is_derive f t a -> is_derive g t b -> a = b.
Proof.
  intros E Hf Hg. rewrite <- (is_derive_unique g t b Hg). symmetry.
  apply is_derive_unique, (is_derive_ext f g t a E Hf).
Qed.
Lemma derive_square (f : R -> R) (t d : R) : is_derive f t d -> is_derive (fun t => f t * f t) t (2 * f t * d).
Proof.
  intros H. assert (E : Derive (fun x => f x) t = d) by (apply is_derive_unique, H).
  auto_derive; [repeat split; exists d; exact H|rewrite E; ring].
Qed.
Lemma derive_put (x : nat -> R) (k i : nat) (t : R) : is_derive (fun t => put x k t i) t (unit_vector k i).
Proof. unfold put, unit_vector. destruct (Nat.eqb i k); auto_derive; trivial. Qed.
Lemma derive_Sum n (f : nat -> R -> R) (d : nat -> R) (t : R) :
  (forall i, (i < n)%nat -> is_derive (f i) t (d i)) -> is_derive (fun t => Sum n (fun i => f i t)) t (Sum n d).
Proof.
  induction n; intros H; simpl; [apply derive_const|].
  apply (derive_plus (fun t => Sum n (fun i => f i t)) (f n)); [apply IHn; auto|apply H; lia].
Qed.
(* (u / sqrt(q + eps))' = (u' - u q' / (2 (q + eps))) / sqrt(q + eps) *)
Lemma derive_over_root (u q : R -> R) (eps t du dq : R) :
  0 < q t + eps -> is_derive u t du -> is_derive q t dq ->
  is_derive (fun t => u t / sqrt (q t + eps)) t ((du - u t * dq / (2 * (q t + eps))) / sqrt (q t + eps)).
Proof.
  intros P Hu Hq.
  assert (EU : Derive (fun x => u x) t = du) by (apply is_derive_unique, Hu).
  assert (EQ : Derive (fun x => q x) t = dq) by (apply is_derive_unique, Hq).
  assert (0 < sqrt (q t + eps)) by (apply sqrt_pos_lt, P).
  pose proof (sqrt_sqrt (q t + eps) ltac:(lra)) as SQ.
  auto_derive.
  - repeat split; [exists du; exact Hu|exists dq; exact Hq|exact P|lra].
  - rewrite EU, EQ. set (r := sqrt (q t + eps)) in *. rewrite <- SQ. field. lra.
Qed.
