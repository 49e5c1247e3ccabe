(* E: lengths and gradients inside encoders, as far as they need no normal distribution. *)
From Coq Require Import Reals Lra Psatz Lia Arith Bool.
From normproof Require Import sums layers identities lipschitz.
Open Scope R_scope.

Definition relu (v : R) : R := Rmax v 0.

(* E1. Every finite law that is symmetric about 0, v_k and -v_k with probability p_k/2 each, k < K, in d dimensions:
   E ||ReLU(X)||^2 = E ||X||^2/2, which is sigma^2 d/2 where E ||X||^2 = sigma^2 d. *)
Theorem E1_length_of_relu K d (p : nat -> R) (v : nat -> nat -> R) sigma2 :
  let square := fun u => dot d u u in
  Sum K (fun k => p k * square (v k)) = sigma2 * INR d ->
  Sum K (fun k => p k / 2 * square (fun i => relu (v k i)) + p k / 2 * square (fun i => relu (- v k i)))
  = sigma2 * INR d / 2.
Proof.
  intros square H. rewrite <- H. replace (Sum K (fun k => p k * square (v k)) / 2)
    with (/ 2 * Sum K (fun k => p k * square (v k))) by field.
  rewrite <- Sum_scal. apply Sum_ext. intros k _.
  assert (E : square (fun i => relu (v k i)) + square (fun i => relu (- v k i)) = square (v k)).
  { unfold square, dot. rewrite <- Sum_plus. apply Sum_ext. intros i _. unfold relu, Rmax.
    destruct (Rle_dec (v k i) 0), (Rle_dec (- v k i) 0); nra. }
  rewrite <- E. field.
Qed.

(* E4. J^T g = sigma_grad g = (g - mean(g) - x_hat <x_hat, g>/d)/s, s = sqrt(sigma^2 + eps), sigma > 0, eps >= 0:
   ||J g|| <= ||g||/s, with equality at a g other than 0 for d >= 3; for d = 2 ||J g|| <= (eps/s^3) ||g||, with equality at
   g = (-1, 1). At eps = 0 1/s^2 is d/||x - mean||^2. *)
Theorem E4_operator_norm d x eps : (2 <= d)%nat -> 0 < variance d x -> 0 <= eps ->
  let s := sigma_s d x eps in
  let J2 := fun g => dot d (sigma_grad d x g eps) (sigma_grad d x g eps) in
  (forall g, J2 g <= / s^2 * dot d g g) /\
  ((3 <= d)%nat -> exists g, 0 < dot d g g /\ J2 g = / s^2 * dot d g g) /\
  (d = 2%nat -> (forall g, J2 g <= (eps / s^3)^2 * dot d g g) /\
     let g := list_of (-1 :: 1 :: nil) in J2 g = (eps / s^3)^2 * dot d g g) /\
  (eps = 0 -> / s^2 = INR d / dot d (centred d x) (centred d x)).
Proof.
  intros Hd V E s J2. assert (d_pos : (0 < d)%nat) by lia. pose proof (INR_pos d d_pos).
  assert (Q : 0 < variance d x + eps) by lra. pose proof (sigma_s_pos d x eps Q) as Sp. fold s in Sp.
  assert (SS : s^2 = variance d x + eps) by (unfold s; rewrite <- (sigma_s_square d x eps Q); ring).
  set (Gamma := variance d x / (variance d x + eps)).
  assert (G1 : Gamma <= 1) by (apply div_le_of; lra).
  assert (L : forall g, J2 g = / s^2 * (dot d g g - (Sum d g)^2 / INR d - (2 - Gamma) * (dot d g (sigma_hat d x eps))^2 / INR d)).
  { intros g. unfold J2. rewrite B2_norm_of_the_gradient by assumption. cbv zeta. fold Gamma. rewrite <- SS. reflexivity. }
  assert (Si : 0 < / s^2) by (apply Rinv_0_lt_compat; nra).
  split; [|split; [|split]].
  - intros g. rewrite L. apply Rmult_le_compat_l; [lra|].
    pose proof (div_nonneg ((Sum d g)^2) (INR d) ltac:(apply pow2_ge_0) H).
    pose proof (pow2_ge_0 (dot d g (sigma_hat d x eps))).
    pose proof (div_nonneg ((2 - Gamma) * (dot d g (sigma_hat d x eps))^2) (INR d) ltac:(nra) H). lra.
  - intros H3. destruct (orthogonal_vector d x H3) as (g & S0 & X0 & G). exists g. split; [exact G|].
    rewrite L, S0. pose proof (dot_g_x d x g) as D. rewrite S0, X0 in D.
    replace (dot d g (sigma_hat d x eps)) with 0; [field; split; nra|].
    transitivity (/ s * dot d g (centred d x)).
    + replace (dot d g (centred d x)) with 0 by lra. ring.
    + unfold dot. rewrite <- Sum_scal. apply Sum_ext. intros. unfold sigma_hat. fold s. field. lra.
  - intros D2. subst d.
    assert (C : forall g, J2 g = (eps / s^3)^2 * ((g 1%nat - g 0%nat)^2 / 2)).
    { intros g. rewrite L.
      assert (K : dot 2 g (sigma_hat 2 x eps) = (g 1%nat - g 0%nat) * ((x 1%nat - x 0%nat) / 2) / s).
      { unfold sigma_hat. fold s. compute_sums. field. lra. }
      rewrite K. assert (VV : variance 2 x = (x 1%nat - x 0%nat)^2 / 4) by (compute_sums; field).
      assert (GG : Gamma = (x 1%nat - x 0%nat)^2 / 4 / s^2) by (unfold Gamma; rewrite <- SS, VV; reflexivity).
      assert (EE : eps = s^2 - (x 1%nat - x 0%nat)^2 / 4) by lra.
      rewrite GG, EE. compute_sums. field. lra. }
    assert (P : 0 <= (eps / s^3)^2) by apply pow2_ge_0.
    split.
    + intros g. rewrite C. apply Rmult_le_compat_l; [exact P|]. compute_sums.
      pose proof (pow2_ge_0 (g 1%nat + g 0%nat)). nra.
    + cbv zeta. rewrite C. compute_sums. field. lra.
  - intros Z. rewrite SS, Z. unfold variance, quadratic_mean. field. split; [|lra].
    intros K. unfold variance, quadratic_mean in V. rewrite K in V. unfold Rdiv in V. lra.
Qed.

(* E5. Not: ||J_LN(x)|| <= C sqrt(d)/||x||, for C = 2 or any other: for every C there are x of three features with sigma > 0
   and g with ||J g||^2 > C^2 (d/||x||^2) ||g||^2. x = (C - 1, C, C + 1), g = (1, -2, 1). *)
Theorem E5_length_of_x_refuted C : exists x g, 0 < variance 3 x /\ 0 < dot 3 x x /\
  C^2 * (3 / dot 3 x x) * dot 3 g g < dot 3 (sigma_grad 3 x g 0) (sigma_grad 3 x g 0).
Proof.
  exists (list_of (C - 1 :: C :: C + 1 :: nil)), (list_of (1 :: -2 :: 1 :: nil)).
  set (x := list_of (C - 1 :: C :: C + 1 :: nil)).
  assert (V : variance 3 x = 2/3) by (unfold x; compute_sums; field).
  assert (X : dot 3 x x = 3 * C^2 + 2) by (unfold x; compute_sums; ring).
  pose proof (pow2_ge_0 C). split; [lra|]. split; [lra|].
  rewrite sigma_length by (try lia; lra). rewrite V, X. set (g := list_of (1 :: -2 :: 1 :: nil)).
  assert (G : dot 3 g g = 6) by (unfold g; compute_sums; ring).
  assert (S0 : Sum 3 g = 0) by (unfold g; compute_sums; ring).
  assert (D0 : dot 3 g (centred 3 x) = 0) by (unfold g, x; compute_sums; field).
  rewrite G, S0, D0. apply Rlt_le_trans with 9.
  - apply Rmult_lt_reg_r with (3 * C^2 + 2); [lra|]. field_simplify; [|lra]. nra.
  - right. simpl. field.
Qed.

(* the share of N equally likely states whose Y is below v *)
Definition share_below (N : nat) (Y : nat -> R) (v : R) : R := Sum N (fun k => if Rlt_dec (Y k) v then 1 else 0) / INR N.

(* E11. Not: P(Y <= (1 + e) E Y) >= 1 - delta gives P(Y < a E Y) <= delta + e/(1 + e - a), Y = ||x||^2 > 0; where mean(x) = 0
   and eps = 0, ||J_LN||^2 = d/Y > d/(a E Y) says Y < a E Y. Y = (2, 2, 512), equally likely, e = 1/10, a = 1/10,
   delta = 1/3: 2/3 > 1/3 + 1/10. *)
Theorem E11_reverse_markov_refuted :
  ~ (forall N Y e a delta, (0 < N)%nat -> (forall k, 0 < Y k) -> 0 < a < 1 -> 0 < e ->
     let mean_Y := mean N Y in
     1 - share_below N (fun k => - Y k) (- ((1 + e) * mean_Y)) >= 1 - delta ->
     share_below N Y (a * mean_Y) <= delta + e / (1 + e - a)).
Proof.
  intros H. set (Y := fun k : nat => match k with 2%nat => 512 | _ => 2 end).
  assert (M : mean 3 Y = 172) by (unfold mean, Y; simpl; field).
  specialize (H 3%nat Y (1/10) (1/10) (1/3) ltac:(lia)). cbv zeta in H. rewrite M in H.
  unfold share_below in H. simpl in H. revert H.
  repeat (match goal with |- context [Rlt_dec ?u ?v] => destruct (Rlt_dec u v); try lra end); intros H;
  try (specialize (H ltac:(intros [|[|[|k]]]; unfold Y; lra) ltac:(lra) ltac:(lra) ltac:(lra)); lra).
Qed.
