(* C: the true gradient through time, which the backward of PowerNorm stands in for. *)
From Coq Require Import Reals Lra Psatz Lia Arith.
From Coquelicot Require Import Coquelicot.
From normproof Require Import sums layers recursion.
Open Scope R_scope.

(* The history x with v in the place of row i of batch t: what a partial derivative moves. *)
Definition put_step (x : nat -> nat -> R) (t i : nat) (v : R) : nat -> nat -> R :=
  fun u => if Nat.eqb u t then put (x u) i v else x u.

Section Channel.
Variable n : nat.
Variables alpha eps : R.
Variables x g : nat -> nat -> R.
Variable psi2_0 : R.
Variables t i : nat.
Hypothesis i_lt : (i < n)%nat.
Let moved (v : R) := put_step x t i v.

Lemma put_step_back u j : moved (x t i) u j = x u j.
Proof.
  unfold moved, put_step. destruct (Nat.eqb_spec u t) as [->|]; [apply put_back|reflexivity].
Qed.
Lemma quadratic_mean_back u : quadratic_mean n (moved (x t i) u) = quadratic_mean n (x u).
Proof. unfold quadratic_mean. f_equal. apply dot_ext; intros; apply put_step_back. Qed.
Lemma psi2_back u : psi2_at n alpha (moved (x t i)) psi2_0 u = psi2_at n alpha x psi2_0 u.
Proof. induction u as [|u IH]; [reflexivity|]. simpl. rewrite IH, quadratic_mean_back. reflexivity. Qed.

(* d psi_B^2(u) / d x_ti *)
Lemma derive_quadratic_mean u : is_derive (fun v => quadratic_mean n (moved v u)) (x t i)
  (if Nat.eqb u t then 2 * x t i / INR n else 0).
Proof.
  unfold moved, put_step. destruct (Nat.eqb_spec u t) as [->|]; [|apply derive_const].
  replace (2 * x t i / INR n) with (/ INR n * Sum n (fun j => 2 * put (x t) i (x t i) j * unit_vector i j)).
  - apply (is_derive_ext (fun v => / INR n * Sum n (fun j => put (x t) i v j * put (x t) i v j))).
    + intros v. unfold quadratic_mean, dot, Rdiv. apply Rmult_comm.
    + apply derive_scal, (derive_Sum n (fun j v => put (x t) i v j * put (x t) i v j)). intros j _.
      apply (derive_square (fun v => put (x t) i v j)), derive_put.
  - rewrite (Sum_ext n _ (fun j => unit_vector i j * (2 * x t j))) by (intros; rewrite put_back; ring).
    rewrite Sum_unit by exact i_lt. unfold Rdiv. ring.
Qed.
(* d psi^2_u / d x_ti: a later step u has seen batch t with the weight alpha^(u-1-t) (1 - alpha) *)
Definition slope_of_psi2 (u : nat) : R :=
  if Nat.leb u t then 0 else alpha^(u - 1 - t) * ((1 - alpha) * (2 * x t i / INR n)).
Lemma derive_psi2 u : is_derive (fun v => psi2_at n alpha (moved v) psi2_0 u) (x t i) (slope_of_psi2 u).
Proof.
  induction u as [|u IH]; [exact (derive_const psi2_0 (x t i))|].
  replace (slope_of_psi2 (S u)) with (alpha * slope_of_psi2 u
    + (1 - alpha) * (if Nat.eqb u t then 2 * x t i / INR n else 0)).
  - apply (derive_plus (fun v => alpha * psi2_at n alpha (moved v) psi2_0 u)
      (fun v => (1 - alpha) * quadratic_mean n (moved v u))); apply derive_scal; [exact IH|apply derive_quadratic_mean].
  - unfold slope_of_psi2. destruct (Nat.eqb_spec u t) as [->|Ne].
    + rewrite Nat.leb_refl, (proj2 (Nat.leb_gt (S t) t)) by lia. replace (S t - 1 - t)%nat with 0%nat by lia. simpl. ring.
    + destruct (Nat.leb_spec u t), (Nat.leb_spec (S u) t); try lia; [ring|].
      replace (S u - 1 - t)%nat with (S (u - 1 - t)) by lia. simpl. ring.
Qed.
Lemma derive_batch u j : is_derive (fun v => moved v u j) (x t i) (if Nat.eqb u t then unit_vector i j else 0).
Proof. unfold moved, put_step. destruct (Nat.eqb_spec u t); [apply derive_put|apply derive_const]. Qed.

(* C16. The forward of PowerNorm over T batches, for every n, alpha, eps, start and history with psi^2_u + eps > 0:
   the derivative of sum_u <g_u, x_hat_u> by row i of batch t < T is g_t/s_t - x_t (1 - alpha) sum_(t < u < T) alpha^(u-1-t) Lambda_u/s_u^2,
   where s_u^2 = psi^2_u + eps is the state in front of step u and Lambda_u = mean(g_u x_hat_u). *)
Theorem C16_gradient_through_time T : (t < T)%nat -> (forall u, (u < T)%nat -> 0 < psi2_at n alpha x psi2_0 u + eps) ->
  let s2 := fun u => psi2_at n alpha x psi2_0 u + eps in
  let Lambda := fun u => mean_product n (g u) (hat_at n alpha eps x psi2_0 u) in
  is_derive (fun v => Sum T (fun u => dot n (g u) (hat_at n alpha eps (put_step x t i v) psi2_0 u))) (x t i)
    (g t i / sqrt (s2 t)
     - x t i * (1 - alpha) * Sum (T - S t) (fun j => let u := (S t + j)%nat in alpha^(u - 1 - t) * Lambda u / s2 u)).
Proof.
  intros Before P s2 Lambda. pose proof (INR_pos n ltac:(lia)) as N.
  pose (d := fun u j => ((if Nat.eqb u t then unit_vector i j else 0) - x u j * slope_of_psi2 u / (2 * s2 u)) / sqrt (s2 u)).
  replace (g t i / sqrt (s2 t) - _) with (Sum T (fun u => Sum n (fun j => g u j * d u j))).
  - apply (derive_Sum T (fun u v => dot n (g u) (hat_at n alpha eps (put_step x t i v) psi2_0 u))). intros u U.
    apply (derive_Sum n (fun j v => g u j * hat_at n alpha eps (put_step x t i v) psi2_0 u j)). intros j _. apply derive_scal.
    pose proof (derive_over_root (fun v => moved v u j) (fun v => psi2_at n alpha (moved v) psi2_0 u) eps (x t i)
      (if Nat.eqb u t then unit_vector i j else 0) (slope_of_psi2 u)) as D.
    cbv beta in D. rewrite put_step_back, psi2_back in D. apply D; [apply P, U|apply derive_batch|apply derive_psi2].
  - (* each step of its own: nothing before t, g/s at t, the weight of Lambda behind it *)
    assert (Step : forall u, (u < T)%nat -> Sum n (fun j => g u j * d u j)
      = (if Nat.eqb u t then g t i / sqrt (s2 t) else 0) - INR n * Lambda u * slope_of_psi2 u / (2 * s2 u)).
    { intros u U. assert (Q : 0 < s2 u) by (apply P, U). pose proof (sqrt_pos_lt _ Q) as R.
      assert (L : INR n * Lambda u = / sqrt (s2 u) * Sum n (fun j => g u j * x u j)).
      { unfold Lambda, mean_product, dot, hat_at. fold (s2 u). rewrite <- Sum_scal.
        rewrite (Sum_ext n (fun j => g u j * (x u j / sqrt (s2 u))) (fun j => / sqrt (s2 u) * (g u j * x u j)))
          by (intros; unfold Rdiv; ring). field. lra. }
      rewrite L. unfold d. destruct (Nat.eqb_spec u t) as [->|].
      - rewrite (Sum_ext n _ (fun j => unit_vector i j * (g t j / sqrt (s2 t))
          + (- (slope_of_psi2 t / (2 * s2 t) / sqrt (s2 t))) * (g t j * x t j))) by (intros; field; lra).
        rewrite Sum_plus, Sum_scal, Sum_unit by exact i_lt. field. lra.
      - rewrite (Sum_ext n _ (fun j => (- (slope_of_psi2 u / (2 * s2 u) / sqrt (s2 u))) * (g u j * x u j)))
          by (intros; field; lra).
        rewrite Sum_scal. field. lra. }
    rewrite (Sum_ext T _ _ Step).
    assert (Split : forall m f, Sum (S t + m) f = Sum t f + f t + Sum m (fun j => f (S t + j)%nat)).
    { intros m f. induction m as [|m IH]; [rewrite Nat.add_0_r; simpl; ring|].
      rewrite Nat.add_succ_r. change (Sum (S (S t + m)) f) with (Sum (S t + m) f + f (S t + m)%nat). rewrite IH.
      change (Sum (S m) (fun j => f (S t + j)%nat)) with (Sum m (fun j => f (S t + j)%nat) + f (S t + m)%nat). ring. }
    replace T with (S t + (T - S t))%nat at 1 by lia. rewrite Split, Sum_zero.
    + rewrite Nat.eqb_refl. unfold slope_of_psi2 at 1. rewrite Nat.leb_refl.
      rewrite (Sum_ext (T - S t) _ (fun j => (- (x t i * (1 - alpha)))
        * (alpha^(S t + j - 1 - t) * Lambda (S t + j)%nat / s2 (S t + j)%nat))).
      * rewrite Sum_scal. pose proof (P t Before) as Q. fold (s2 t) in Q. pose proof (sqrt_pos_lt _ Q). field. lra.
      * intros j J. assert (Q : 0 < s2 (S t + j)%nat) by (apply P; lia). unfold slope_of_psi2.
        rewrite (proj2 (Nat.eqb_neq (S t + j) t)), (proj2 (Nat.leb_gt (S t + j) t)) by lia. field. lra.
    + intros u U. unfold slope_of_psi2. rewrite (proj2 (Nat.eqb_neq u t)), (proj2 (Nat.leb_le u t)) by lia.
      unfold Rdiv. ring.
Qed.
End Channel.
