(* C: one batch for ever, and how fast PowerNorm comes to its PN-V. *)
From Coq Require Import Reals Lra Psatz Lia Arith.
From normproof Require Import sums layers recursion.
Open Scope R_scope.

Section Channel.
Variable n : nat.
Variable alpha : R.  (* of the forward and of the backward *)
Variables x g : nat -> R.
Variables psi2_0 nu_0 : R.
Hypothesis n_pos : (0 < n)%nat.
Hypothesis alpha_in : 0 < alpha < 1.
Let q := quadratic_mean n x.
Hypothesis q_pos : 0 < q.
Hypothesis start_pos : 0 < psi2_0.

(* psi^2_t/psi_B^2 - 1 after t batches, and |Lambda| of PN-V *)
Definition excess (t : nat) : R := alpha^t * (psi2_0 / q - 1).
Definition limit_of_nu : R := mean_product n g (psi_hat n x 0).
(* how much the gradient of row i can be off behind t batches: by the wrong root, by what nu remembers, by what its limit is multiplied with *)
Definition memory_of_start (t : nat) : R :=
  alpha^t * (Rabs (1 + excess 0 / alpha) * Rabs nu_0 + Rabs limit_of_nu
    + (1 - alpha) / alpha * INR t * Rabs limit_of_nu * Rabs (excess 0)).
Definition drift_of_limit (t : nat) : R :=
  Rabs limit_of_nu * (Rabs (excess t) + Rabs (excess (t - 1)) + Rabs (excess t * excess (t - 1))).
Definition distance_bound (t i : nat) : R :=
  Rabs (g i) * Rabs (excess t) / sqrt (q * (1 + excess t))
  + Rabs (x i) * (memory_of_start t + drift_of_limit t) / (q * (1 + excess t) * (1 + excess (t - 1))).

Let one_batch (_ : nat) := x.
Let one_gradient (_ : nat) := g.
Let nu (t : nat) := nu_at n alpha alpha 0 one_batch one_gradient psi2_0 nu_0 t.
Let P (t : nat) := 1 + excess t.
Let before (t : nat) := 1 + alpha^t * (psi2_0 / q - 1) / alpha.  (* P (t - 1) where t > 0 *)

Lemma power_in t : 0 < alpha^t <= 1.
Proof.
  split; [apply pow_lt; lra|]. rewrite <- (pow1 t). apply pow_incr. lra.
Qed.
Lemma ratio_pos : 0 < psi2_0 / q.
Proof. apply div_pos; assumption. Qed.
Lemma ratio_at_least t : Rmin 1 (psi2_0 / q) <= P t.
Proof.
  unfold P, excess. pose proof (power_in t) as A. pose proof ratio_pos as D. unfold Rmin.
  destruct (Rle_dec 1 (psi2_0 / q)); nra.
Qed.
Lemma P_pos t : 0 < P t.
Proof.
  apply Rlt_le_trans with (2 := ratio_at_least t). apply Rmin_glb_lt; [lra|apply ratio_pos].
Qed.
Lemma before_is t : before (S t) = P t.
Proof. unfold before, P, excess. simpl. field. lra. Qed.
Lemma psi2_is t : psi2_at n alpha one_batch psi2_0 t + 0 = q * P t.
Proof.
  pose proof (C6_forgets_its_start n alpha one_batch psi2_0 q t ltac:(reflexivity)) as E.
  unfold P, excess. replace (q * (1 + alpha^t * (psi2_0 / q - 1))) with (q + alpha^t * (psi2_0 - q)) by (field; lra). lra.
Qed.
Lemma root_is t : sqrt (psi2_at n alpha one_batch psi2_0 t + 0) = psi_s n x 0 * sqrt (P t).
Proof.
  rewrite psi2_is. unfold psi_s. fold q. rewrite Rplus_0_r. apply sqrt_mult; [lra|left; apply P_pos].
Qed.
Lemma psi_s_is_pos : 0 < psi_s n x 0.
Proof. apply psi_s_pos. fold q. lra. Qed.
Lemma hat_is t j : hat_at n alpha 0 one_batch psi2_0 t j = / sqrt (P t) * psi_hat n x 0 j.
Proof.
  unfold hat_at. rewrite root_is. unfold psi_hat, one_batch.
  pose proof psi_s_is_pos. pose proof (sqrt_pos_lt _ (P_pos t)). field. lra.
Qed.

(* Gamma = 1/P and Lambda = limit/sqrt(P), so that nu_(t+1) P_t = alpha nu_t P_(t-1) + (1 - alpha) limit sqrt(P_t) *)
Lemma nu_step t : nu (S t) * before (S t) = alpha * (nu t * before t) + (1 - alpha) * limit_of_nu * sqrt (P t).
Proof.
  pose proof (P_pos t) as Pp. pose proof (sqrt_pos_lt _ Pp) as R. pose proof (sqrt_sqrt (P t) ltac:(lra)) as RR.
  pose proof (INR_pos n n_pos) as N.
  assert (G : mean_product n (hat_at n alpha 0 one_batch psi2_0 t) (hat_at n alpha 0 one_batch psi2_0 t) = / P t).
  { unfold mean_product. rewrite (dot_ext n _ _ (fun j => / sqrt (P t) * psi_hat n x 0 j) (fun j => / sqrt (P t) * psi_hat n x 0 j))
      by (intros; apply hat_is).
    rewrite dot_scal_l, dot_comm, dot_scal_l, psi_hat_square by (try exact n_pos; fold q; lra). fold q.
    set (r := sqrt (P t)) in *. rewrite <- RR. field. repeat split; lra. }
  assert (L : mean_product n (one_gradient t) (hat_at n alpha 0 one_batch psi2_0 t) = limit_of_nu / sqrt (P t)).
  { unfold mean_product, limit_of_nu, mean_product, one_gradient.
    rewrite (dot_ext n _ _ g (fun j => / sqrt (P t) * psi_hat n x 0 j)) by (intros; try apply hat_is; reflexivity).
    rewrite dot_comm, dot_scal_l, (dot_comm n _ g). field. lra. }
  rewrite before_is. unfold nu. simpl nu_at. rewrite G, L. fold (nu t).
  replace (alpha * (nu t * before t)) with (nu t * (P t - 1 + alpha)) by (unfold before, P, excess; field; lra).
  set (r := sqrt (P t)) in *. rewrite <- RR. field. lra.
Qed.
Lemma root_near_1 t : Rabs (sqrt (P t) - 1) <= Rabs (excess t).
Proof.
  pose proof (P_pos t) as Pp. pose proof (sqrt_pos_lt _ Pp) as R. pose proof (sqrt_sqrt (P t) ltac:(lra)) as RR.
  replace (excess t) with ((sqrt (P t) - 1) * (sqrt (P t) + 1)) by (unfold P in *; lra).
  rewrite Rabs_mult, (Rabs_pos_eq (sqrt (P t) + 1)) by lra. pose proof (Rabs_pos (sqrt (P t) - 1)). nra.
Qed.
Lemma excess_size t : Rabs (excess t) = alpha^t * Rabs (excess 0).
Proof.
  unfold excess. rewrite Rabs_mult, (Rabs_pos_eq (alpha^t)) by (pose proof (power_in t); lra). simpl. rewrite Rmult_1_l. reflexivity.
Qed.
Lemma nu_near_limit t : Rabs (nu t * before t - limit_of_nu) <= memory_of_start t.
Proof.
  induction t as [|t IH].
  - unfold memory_of_start, nu, before, excess. simpl. rewrite !Rmult_1_l, Rmult_0_r, !Rmult_0_l, Rplus_0_r, <- Rabs_mult, (Rmult_comm nu_0).
    apply (Rabs_triang _ (- limit_of_nu)) || (unfold Rminus; eapply Rle_trans; [apply Rabs_triang|rewrite Rabs_Ropp; lra]).
  - rewrite nu_step.
    replace (alpha * (nu t * before t) + (1 - alpha) * limit_of_nu * sqrt (P t) - limit_of_nu)
      with (alpha * (nu t * before t - limit_of_nu) + (1 - alpha) * (limit_of_nu * (sqrt (P t) - 1))) by ring.
    eapply Rle_trans; [apply Rabs_triang|]. rewrite !Rabs_mult, (Rabs_pos_eq alpha), (Rabs_pos_eq (1 - alpha)) by lra.
    pose proof (root_near_1 t) as N. rewrite excess_size in N.
    apply Rle_trans with (alpha * memory_of_start t + (1 - alpha) * (Rabs limit_of_nu * (alpha^t * Rabs (excess 0)))).
    + apply Rplus_le_compat; (apply Rmult_le_compat_l; [lra|]); [exact IH|].
      apply Rmult_le_compat_l; [apply Rabs_pos|exact N].
    + right. unfold memory_of_start. rewrite S_INR. simpl pow. field. lra.
Qed.

(* C5. One batch for ever, one alpha in (0, 1), psi_B > 0, eps = 0, any psi_0 > 0 and nu_0: behind t >= 1 batches
   |grad_x_i - grad_x_i of PN-V| <= b_t = |g_i| |e_t|/sqrt(psi_B^2 (1 + e_t)) + |x_i| (m_t + l_t)/(psi_B^2 (1 + e_t) (1 + e_(t-1))), where
   e_t = alpha^t (psi_0^2/psi_B^2 - 1), m_t = alpha^t (|1 + e_0/alpha| |nu_0| + |Lambda| + ((1 - alpha)/alpha) t |Lambda| |e_0|),
   l_t = |Lambda| (|e_t| + |e_(t-1)| + |e_t e_(t-1)|) and Lambda = mean(g x_hat) is that of PN-V; and b_t <= C t alpha^t for a C and every t. *)
Theorem C5_becomes_power_norm_v i :
  (forall t, (1 <= t)%nat ->
    Rabs (grad_at n alpha alpha 0 (fun _ => x) (fun _ => g) psi2_0 nu_0 t i - psi_grad n x g 0 i) <= distance_bound t i) /\
  exists C, forall t, (1 <= t)%nat -> distance_bound t i <= C * (INR t * alpha^t).
Proof.
  pose proof psi_s_is_pos as S0. pose proof (psi_s_square n x 0 ltac:(fold q; lra)) as SS. fold q in SS. rewrite Rplus_0_r in SS.
  assert (Before : forall t, (1 <= t)%nat -> before t = P (t - 1)).
  { intros [|t] T; [lia|]. rewrite before_is. f_equal. lia. }
  split.
  - intros t T. pose proof (P_pos t) as Pp. pose proof (P_pos (t - 1)) as Pb.
    pose proof (sqrt_pos_lt _ Pp) as R. pose proof (sqrt_sqrt (P t) ltac:(lra)) as RR.
    unfold grad_at, rest_at. fold one_batch one_gradient. rewrite root_is, hat_is. fold (nu t).
    unfold one_gradient, psi_grad, psi_hat. fold (psi_hat n x 0). fold (mean_product n g (psi_hat n x 0)). fold limit_of_nu.
    set (s := psi_s n x 0) in *. set (r := sqrt (P t)) in *.
    replace ((g i - nu t * (/ r * (x i / s))) / (s * r) - (g i - x i / s * limit_of_nu) / s)
      with (g i * (1 - r) / (s * r) - x i * (nu t * before t - limit_of_nu - limit_of_nu * (P t * before t - 1)) / (s * s * P t * P (t - 1))).
    2: { rewrite <- RR, (Before t T). field. repeat split; lra. }
    unfold distance_bound. fold (P t). fold (P (t - 1)). rewrite <- SS.
    replace (sqrt (s * s * P t)) with (s * r).
    2: { symmetry. rewrite sqrt_mult, sqrt_square by nra. reflexivity. }
    eapply Rle_trans; [apply Rabs_triang|]. rewrite Rabs_Ropp. unfold Rdiv. rewrite !Rabs_mult.
    rewrite (Rabs_pos_eq (/ (s * r))), (Rabs_pos_eq (/ (s * s * P t * P (t - 1)))).
    2: { left. apply Rinv_0_lt_compat. repeat apply Rmult_lt_0_compat; lra. }
    2: { left. apply Rinv_0_lt_compat. apply Rmult_lt_0_compat; lra. }
    apply Rplus_le_compat; (apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; repeat apply Rmult_lt_0_compat; lra|]);
      (apply Rmult_le_compat_l; [apply Rabs_pos|]).
    + rewrite Rabs_minus_sym. apply root_near_1.
    + eapply Rle_trans; [apply Rabs_triang|]. apply Rplus_le_compat; [apply nu_near_limit|].
      rewrite Rabs_Ropp, Rabs_mult. unfold drift_of_limit. apply Rmult_le_compat_l; [apply Rabs_pos|].
      rewrite (Before t T). unfold P.
      replace ((1 + excess t) * (1 + excess (t - 1)) - 1) with (excess t + excess (t - 1) + excess t * excess (t - 1)) by ring.
      eapply Rle_trans; [apply Rabs_triang|]. apply Rplus_le_compat_r, Rabs_triang.
  - set (p := Rmin 1 (psi2_0 / q)). assert (p0 : 0 < p) by (apply Rmin_glb_lt; [lra|apply ratio_pos]).
    set (e := Rabs (excess 0)). assert (e0 : 0 <= e) by apply Rabs_pos.
    set (l := Rabs limit_of_nu). assert (l0 : 0 <= l) by apply Rabs_pos.
    set (m := Rabs (1 + excess 0 / alpha) * Rabs nu_0). assert (m0 : 0 <= m) by (apply Rmult_le_pos; apply Rabs_pos).
    assert (w0 : 0 <= (1 - alpha) / alpha) by (apply div_nonneg; lra).
    assert (i0 : 0 < / alpha) by (apply Rinv_0_lt_compat; lra).
    exists (Rabs (g i) * e / sqrt (q * p) + Rabs (x i) * (m + l + (1 - alpha) / alpha * l * e + l * (e + e / alpha + e * e)) / (q * p * p)).
    intros t T. pose proof (ratio_at_least t) as P1. pose proof (ratio_at_least (t - 1)) as P2. fold p in P1, P2.
    pose proof (power_in t) as A. pose proof (power_in (t - 1)) as B. pose proof (INR_at_least t 1 T) as T1. simpl INR in T1.
    assert (AB : alpha^(t - 1) = alpha^t / alpha).
    { destruct t as [|t]; [lia|]. replace (S t - 1)%nat with t by lia. simpl. field. lra. }
    assert (W : alpha^t <= INR t * alpha^t) by nra.
    unfold distance_bound. fold (P t). fold (P (t - 1)). rewrite Rmult_plus_distr_r. apply Rplus_le_compat.
    + rewrite excess_size. fold e.
      apply Rle_trans with (Rabs (g i) * (alpha^t * e) / sqrt (q * p)).
      * unfold Rdiv. apply Rmult_le_compat_l; [repeat apply Rmult_le_pos; try apply Rabs_pos; lra|].
        apply Rinv_le_contravar; [apply sqrt_pos_lt; nra|apply sqrt_le_1_alt; nra].
      * replace (Rabs (g i) * (alpha^t * e) / sqrt (q * p)) with (Rabs (g i) * e / sqrt (q * p) * alpha^t) by (unfold Rdiv; ring).
        apply Rmult_le_compat_l; [|exact W]. apply div_nonneg; [apply Rmult_le_pos; [apply Rabs_pos|exact e0]|apply sqrt_pos_lt; nra].
    + assert (M : memory_of_start t + drift_of_limit t
        <= (m + l + (1 - alpha) / alpha * l * e + l * (e + e / alpha + e * e)) * (INR t * alpha^t)).
      { unfold memory_of_start, drift_of_limit. rewrite Rabs_mult, (excess_size t), (excess_size (t - 1)), AB. fold e l m.
        assert (D : alpha^t * e + alpha^t / alpha * e + alpha^t * e * (alpha^t / alpha * e) <= (e + e / alpha + e * e) * (INR t * alpha^t)).
        { rewrite <- AB at 2. assert (alpha^t * e * (alpha^(t - 1) * e) <= alpha^t * (e * e)).
          { replace (alpha^t * e * (alpha^(t - 1) * e)) with (alpha^t * (e * e) * alpha^(t - 1)) by ring.
            rewrite <- (Rmult_1_r (alpha^t * (e * e))) at 2. apply Rmult_le_compat_l; [apply Rmult_le_pos; nra|lra]. }
          apply Rle_trans with ((e + e / alpha + e * e) * alpha^t); [unfold Rdiv in *; lra|].
          apply Rmult_le_compat_l; [|exact W]. assert (0 <= e / alpha) by (apply div_nonneg; lra). nra. }
        apply Rle_trans with ((m + l) * (INR t * alpha^t) + (1 - alpha) / alpha * l * e * (INR t * alpha^t)
          + l * ((e + e / alpha + e * e) * (INR t * alpha^t))); [|right; ring].
        apply Rplus_le_compat; [|apply Rmult_le_compat_l; assumption].
        rewrite Rmult_plus_distr_l. apply Rplus_le_compat; [rewrite Rmult_comm; apply Rmult_le_compat_l; lra|right; ring]. }
      assert (Mp : 0 <= memory_of_start t + drift_of_limit t).
      { apply Rplus_le_le_0_compat; unfold memory_of_start, drift_of_limit.
        - fold e l m. apply Rmult_le_pos; [lra|]. pose proof (pos_INR t). assert (0 <= (1 - alpha) / alpha * INR t * l * e); [|lra].
          apply Rmult_le_pos; [apply Rmult_le_pos; [apply Rmult_le_pos|]|]; assumption.
        - apply Rmult_le_pos; [exact l0|]. pose proof (Rabs_pos (excess t)). pose proof (Rabs_pos (excess (t - 1))).
          pose proof (Rabs_pos (excess t * excess (t - 1))). lra. }
      assert (qpp : 0 < q * p * p) by (apply Rmult_lt_0_compat; [apply Rmult_lt_0_compat|]; lra).
      apply Rle_trans with (Rabs (x i) * (memory_of_start t + drift_of_limit t) / (q * p * p)).
      * unfold Rdiv. apply Rmult_le_compat_l; [apply Rmult_le_pos; [apply Rabs_pos|exact Mp]|].
        apply Rinv_le_contravar; [exact qpp|].
        apply Rmult_le_compat; [apply Rmult_le_pos; lra|lra|apply Rmult_le_compat_l; lra|exact P2].
      * apply (Rmult_le_compat_l (Rabs (x i) * / (q * p * p))) in M; [unfold Rdiv; lra|].
        apply Rmult_le_pos; [apply Rabs_pos|left; apply Rinv_0_lt_compat, qpp].
Qed.
End Channel.
