(* F: dynamic tanh in the place of a norm, y = gamma tanh(alpha x) + beta, element by element. *)
From Coq Require Import Reals Lra Psatz Lia Arith Bool.
From Coquelicot Require Import Coquelicot.
From normproof Require Import sums layers cells backward.
Open Scope R_scope.

Definition dyt (alpha gamma beta x : R) : R := gamma * tanh (alpha * x) + beta.

Lemma cosh_at_least_1 u : 1 <= cosh u.
Proof.
  unfold cosh. pose proof (exp_pos u). assert (E : exp u * exp (- u) = 1) by (rewrite <- exp_plus, Rplus_opp_r; apply exp_0).
  pose proof (exp_pos (- u)). pose proof (Rle_0_sqr (exp u - exp (- u))) as S. unfold Rsqr in S.
  assert (4 <= (exp u + exp (- u))^2) by nra. nra.
Qed.
Lemma derive_tanh u : is_derive tanh u (/ (cosh u)^2).
Proof.
  pose proof (exp_pos u). pose proof (exp_pos (- u)).
  unfold tanh, sinh, cosh. auto_derive.
  - unfold cosh in *. repeat split; lra.
  - assert (E : exp u * exp (- u) = 1) by (rewrite <- exp_plus, Rplus_opp_r; apply exp_0).
    apply Rmult_eq_reg_r with (((exp u + exp (- u)) / 2)^2); [|nra]. field_simplify; [|lra|lra].
    apply Rmult_eq_reg_r with 4; [|lra]. field_simplify. nra.
Qed.
Lemma derive_dyt_inner (c alpha x : R) : is_derive (fun x => c * tanh (alpha * x)) x (c * (alpha * / (cosh (alpha * x))^2)).
Proof.
  apply derive_scal. apply (is_derive_comp tanh (fun x => alpha * x) x (/ (cosh (alpha * x))^2) alpha).
  - apply derive_tanh.
  - auto_derive; [trivial|ring].
Qed.
Lemma tanh_bound u : Rabs (tanh u) <= 1.
Proof.
  unfold tanh, sinh, cosh. pose proof (exp_pos u). pose proof (exp_pos (- u)). apply Rabs_le. split.
  - apply le_div; lra.
  - apply div_le_of; lra.
Qed.
(* tanh b - tanh a = (b - a)/cosh^2(c) at a c *)
Lemma tanh_between a b : exists c, tanh b - tanh a = / (cosh c)^2 * (b - a).
Proof.
  destruct (MVT_gen tanh a b (fun u => / (cosh u)^2)) as (c & _ & E).
  - intros. apply derive_tanh.
  - intros u _. apply continuity_pt_filterlim, (ex_derive_continuous tanh u).
    exists (/ (cosh u)^2). apply derive_tanh.
  - exists c. exact E.
Qed.
Lemma slope_between u : 0 < / (cosh u)^2 <= 1.
Proof.
  pose proof (cosh_at_least_1 u). split; [apply Rinv_0_lt_compat; nra|].
  rewrite <- Rinv_1. apply Rinv_le_contravar; nra.
Qed.

(* F1. L = sum grad_y y over n elements with D features: d L/d x_k = gamma alpha grad_y_k/cosh^2(alpha x_k), d L/d alpha =
   sum gamma x grad_y/cosh^2(alpha x), d L/d gamma_f = sum_rows grad_y tanh(alpha x), d L/d beta_f = sum_rows grad_y. *)
Theorem F1_backward n D alpha gamma beta grad_y x k f : (k < n)%nat ->
  let loss := fun alpha gamma beta x => affine_loss n D gamma beta grad_y (fun e => tanh (alpha * x e)) in
  is_derive (fun t => loss alpha gamma beta (put x k t)) (x k)
    (gamma (feature D k) * alpha * grad_y k / (cosh (alpha * x k))^2) /\
  is_derive (fun t => loss t gamma beta x) alpha
    (Sum n (fun e => gamma (feature D e) * x e * grad_y e / (cosh (alpha * x e))^2)) /\
  is_derive (fun t => loss alpha (put gamma f t) beta x) (gamma f)
    (Sum n (fun e => unit_vector f (feature D e) * (grad_y e * tanh (alpha * x e)))) /\
  is_derive (fun t => loss alpha gamma (put beta f t) x) (beta f)
    (Sum n (fun e => unit_vector f (feature D e) * grad_y e)).
Proof.
  intros Hk loss. split; [|split; [|split; [apply A11_grad_gamma|apply A11_grad_beta]]].
  - apply (derive_affine_loss n D gamma beta grad_y (fun t e => tanh (alpha * put x k t e))).
    replace (gamma (feature D k) * alpha * grad_y k / (cosh (alpha * x k))^2)
      with (Sum n (fun e => unit_vector k e * (scaled D gamma grad_y e * (alpha * / (cosh (alpha * x e))^2))))
      by (rewrite Sum_unit by exact Hk; unfold scaled, Rdiv; ring).
    apply (derive_Sum n (fun e t => scaled D gamma grad_y e * tanh (alpha * put x k t e))). intros e _.
    unfold put, unit_vector. destruct (Nat.eqb_spec e k) as [->|_].
    + rewrite Rmult_1_l. apply derive_dyt_inner.
    + rewrite Rmult_0_l. apply derive_const.
  - apply (derive_affine_loss n D gamma beta grad_y (fun t e => tanh (t * x e))).
    apply (derive_Sum n (fun e t => scaled D gamma grad_y e * tanh (t * x e))). intros e _.
    replace (gamma (feature D e) * x e * grad_y e / (cosh (alpha * x e))^2)
      with (scaled D gamma grad_y e * (x e * / (cosh (x e * alpha))^2))
      by (unfold scaled, Rdiv; rewrite (Rmult_comm (x e) alpha); ring).
    apply (is_derive_ext (fun t => scaled D gamma grad_y e * tanh (x e * t))); [intros; do 2 f_equal; ring|].
    apply derive_dyt_inner.
Qed.

(* F2. |y - beta| <= |gamma| for every x. *)
Theorem F2_bounded_output alpha gamma beta x : Rabs (dyt alpha gamma beta x - beta) <= Rabs gamma.
Proof.
  unfold dyt. replace (gamma * tanh (alpha * x) + beta - beta) with (gamma * tanh (alpha * x)) by ring.
  rewrite Rabs_mult. rewrite <- (Rmult_1_r (Rabs gamma)) at 2.
  apply Rmult_le_compat_l; [apply Rabs_pos|apply tanh_bound].
Qed.

(* F3. |f(x) - f(x')| <= |alpha gamma| |x - x'| for every x and x', and at x = 0 the slope is alpha gamma itself. *)
Theorem F3_lipschitz_constant alpha gamma beta :
  (forall x x', Rabs (dyt alpha gamma beta x - dyt alpha gamma beta x') <= Rabs (alpha * gamma) * Rabs (x - x')) /\
  is_derive (dyt alpha gamma beta) 0 (alpha * gamma).
Proof.
  split.
  - intros x x'. destruct (tanh_between (alpha * x') (alpha * x)) as [c E].
    replace (dyt alpha gamma beta x - dyt alpha gamma beta x')
      with (alpha * gamma * (x - x') * / (cosh c)^2).
    + rewrite !Rabs_mult. destruct (slope_between c) as [S0 S1]. rewrite (Rabs_pos_eq (/ (cosh c)^2)) by lra.
      pose proof (Rabs_pos alpha). pose proof (Rabs_pos gamma). pose proof (Rabs_pos (x - x')).
      rewrite <- (Rmult_1_r (Rabs alpha * Rabs gamma * Rabs (x - x'))) at 2.
      apply Rmult_le_compat_l; [|lra]. repeat apply Rmult_le_pos; assumption.
    + unfold dyt. replace (gamma * tanh (alpha * x) + beta - (gamma * tanh (alpha * x') + beta))
        with (gamma * (tanh (alpha * x) - tanh (alpha * x'))) by ring. rewrite E. ring.
  - replace (alpha * gamma) with (gamma * (alpha * / (cosh (alpha * 0))^2) + 0).
    + apply (derive_plus (fun x => gamma * tanh (alpha * x)) (fun _ => beta)); [apply derive_dyt_inner|apply derive_const].
    + rewrite Rmult_0_r, cosh_0. field.
Qed.

(* F4. y_e is a function of x_e, alpha and the gamma and beta of its feature alone. *)
Theorem F4_element_alone D alpha gamma gamma' beta beta' (x x' : nat -> R) e :
  x e = x' e -> gamma (feature D e) = gamma' (feature D e) -> beta (feature D e) = beta' (feature D e) ->
  dyt alpha (gamma (feature D e)) (beta (feature D e)) (x e)
  = dyt alpha (gamma' (feature D e)) (beta' (feature D e)) (x' e).
Proof. intros -> -> ->. reflexivity. Qed.

(* F5. Not: f(c x) = f(x) for c > 0. alpha = 1/2, x = 1, c = 1/2: tanh(1/4) < tanh(1/2). *)
Theorem F5_scale_refuted :
  ~ (forall alpha gamma beta c x, 0 < c -> x <> 0 -> dyt alpha gamma beta (c * x) = dyt alpha gamma beta x).
Proof.
  intros H. specialize (H (1/2) 1 0 (1/2) 1 ltac:(lra) ltac:(lra)). unfold dyt in H.
  destruct (tanh_between (1 / 2 * (1 / 2 * 1)) (1 / 2 * 1)) as [c E]. destruct (slope_between c). nra.
Qed.
