(* U: how far LayerNorm and RMSNorm may be off in a binary format, for every number n of features and every order of the sums.
   Formulas (3.1) to (3.3) and section 4 of docs/error_analysis.md, with the names that they have there. *)
From Coq Require Import Reals Lra Psatz Lia Arith.
From Flocq Require Import Core Relative Plus_error Div_sqrt_error.
From normproof Require Import sums layers rounding.
Open Scope R_scope.

(* o: what the statistic may be off, V its exact value; e: what the mean may be; rounds: k + 4, or k + 2 without a mean *)
Definition statistic_bound (u eta : R) (rounds : nat) (V e : R) : R := e^2 + gamma u rounds * (V + e^2) + 3 * eta.
(* rho, the share that q = V + eps may be off *)
Definition share_bound (u o q : R) : R := (o + u * (q + o)) / q.
(* R (1 + gamma(rounds)) - 1 *)
Definition factor_bound (u rho : R) (rounds : nat) : R := / sqrt (1 - rho) * (1 + gamma u rounds) - 1.
(* (3.3), d the exact distance from the mean *)
Definition x_hat_bound (eta E e rstd d : R) : R := rstd * ((Rabs d + e) * E + e) + eta.
(* section 4: y = g x_hat + shift, b what x_hat may be off *)
Definition affine_bound (u eta b g x_hat shift : R) : R :=
  let c := Rabs g * b + u * (Rabs (g * x_hat) + Rabs g * b) + eta in
  c + u * (Rabs (g * x_hat) + Rabs shift + c).

Lemma within_factor F x r : 1 <= F -> 0 <= x -> x / F <= r <= F * x -> Rabs (r - x) <= (F - 1) * x.
Proof.
  intros HF Hx [L U]. apply Rabs_le. split; [|lra].
  assert (x * (2 - F) <= x / F); [|lra]. apply le_div; [lra|].
  pose proof (Rmult_le_pos x ((F - 1)^2) Hx ltac:(apply pow2_ge_0)). simpl in *. lra.
Qed.

Lemma root_of_share rho : 0 <= rho < 1 -> 0 < sqrt (1 - rho) <= 1 /\ 1 <= / sqrt (1 - rho).
Proof.
  intros [R0 R1]. assert (P : 0 < sqrt (1 - rho)) by (apply sqrt_lt_R0; lra).
  assert (L : sqrt (1 - rho) <= 1) by (apply Rsqr_incr_0_var; [unfold Rsqr; rewrite sqrt_sqrt|]; lra).
  split; [split; assumption|]. replace 1 with (/ 1) at 1 by field. apply Rinv_le_contravar; assumption.
Qed.

Section Layers.
Variable prec emin : Z.
Hypothesis prec_2 : (1 < prec)%Z.
Hypothesis emin_small : (emin <= 2 * (1 - prec))%Z.
Variable tie : Z -> bool.
Notation u := (unit_roundoff prec).
Notation eta := (underflow emin).
Notation nearest := (nearest prec emin tie).
Notation held := (held prec emin).
Notation gamma := (gamma u).

Let prec_pos : (0 < prec)%Z := Z.lt_trans 0 1 prec eq_refl prec_2.
Let U : 0 < u := unit_roundoff_pos prec.
Let U2 : u <= / 2 := unit_roundoff_half prec prec_pos.
Let T : 0 < eta := underflow_pos emin.

(* q > 0 of the format: its root does not underflow, nor does the reciprocal of it. *)
Lemma nearest_root q : held q -> 0 < q -> (1 - u) * sqrt q <= nearest (sqrt q) <= (1 + u) * sqrt q.
Proof.
  intros Hq P. destruct (@sqrt_error_N_FLT_ex radix2 prec prec_pos tie prec_2 emin emin_small q Hq) as (d & Hd & E).
  unfold rounding.nearest. rewrite E. pose proof (sqrt_lt_R0 q P).
  assert (Hu : 1 - 1 / sqrt (1 + 2 * u) <= u).
  { assert (1 <= sqrt (1 + 2 * u)) by (rewrite <- sqrt_1 at 1; apply sqrt_le_1_alt; lra).
    assert (sqrt (1 + 2 * u) <= 1 + u).
    { rewrite <- (sqrt_square (1 + u)) by lra. apply sqrt_le_1_alt. nra. }
    assert (1 - u <= 1 / sqrt (1 + 2 * u)); [|lra]. apply le_div; [lra|nra]. }
  rewrite unit_roundoff_is in Hd. apply abs_between in Hd. nra.
Qed.
Lemma nearest_reciprocal s : 0 < s <= bpow radix2 (1 - emin - prec) ->
  (1 - u) / s <= nearest (1 / s) <= (1 + u) / s.
Proof.
  intros [P L]. assert (0 < 1 / s) by (apply div_pos; lra).
  assert (B : bpow radix2 (emin + prec - 1) <= Rabs (1 / s)).
  { rewrite Rabs_pos_eq by lra. apply le_div; [exact P|].
    replace 1 with (bpow radix2 (emin + prec - 1) * bpow radix2 (1 - emin - prec)).
    - apply Rmult_le_compat_l; [apply bpow_ge_0|exact L].
    - rewrite <- bpow_plus. replace (emin + prec - 1 + (1 - emin - prec))%Z with 0%Z by ring. reflexivity. }
  pose proof (relative_error_N_FLT radix2 emin prec prec_pos tie _ B) as E. fold (nearest (1 / s)) in E.
  rewrite half_power in E. replace (- prec + 1 - 1)%Z with (- prec)%Z in E by ring. fold (unit_roundoff prec) in E.
  rewrite (Rabs_pos_eq (1 / s)) in E by lra. apply abs_between in E. unfold Rdiv in *. lra.
Qed.
Lemma nearest_parts x : exists d t, Rabs d <= u /\ Rabs t <= eta /\ nearest x = x * (1 + d) + t.
Proof.
  destruct (error_N_FLT radix2 emin prec prec_pos tie x) as (d & t & Hd & Ht & _ & E).
  exists d, t. rewrite half_power in Hd, Ht. replace (- prec + 1 - 1)%Z with (- prec)%Z in Hd by ring. auto.
Qed.

(* The mean of n numbers p_i, each off by the share (1 + u)^j - 1 and by eta from s_i >= 0. *)
Lemma mean_of_squares n t k j p s : (0 < n)%nat -> order_of n t -> (depth t <= k)%nat -> INR (k + j + 1) * u <= / 2 ->
  (forall i, held (p i)) -> (forall i, 0 <= s i) ->
  (forall i, Rabs (p i - s i) <= ((1 + u)^j - 1) * s i + eta) ->
  Rabs (nearest (sum_rounded nearest p t / INR n) - Sum n s / INR n)
    <= gamma (k + j + 1) * (Sum n s / INR n) + 3 * eta.
Proof.
  intros Hn O D K Hp Hs E. pose proof (INR_pos n Hn) as N.
  assert (S0 : 0 <= Sum n s) by (apply Sum_nonneg; auto).
  assert (Hev : every (fun i => held (p i)) t) by (clear - Hp; induction t; simpl; auto).
  destruct (sum_by_depth u nearest p held t ltac:(lra) (nearest_held prec emin prec_pos tie)
    (nearest_sum prec emin prec_pos tie) Hev) as (_ & A & B).
  rewrite (O p), (O (fun i => Rabs (p i))) in A. rewrite (O (fun i => Rabs (p i))) in B. set (S := sum_rounded nearest p t) in *.
  pose proof (power_mono u ltac:(lra) _ _ D) as PD. pose proof (power_at_least_1 u ltac:(lra) k) as P1.
  pose proof (power_at_least_1 u ltac:(lra) j) as Pj.
  assert (Mp : Sum n (fun i => Rabs (p i)) <= (1 + u)^j * Sum n s + INR n * eta).
  { rewrite <- Sum_scal, <- Sum_const, <- Sum_plus. apply Sum_le. intros i _.
    replace (p i) with (s i + (p i - s i)) by ring. eapply Rle_trans; [apply Rabs_triang|].
    rewrite (Rabs_pos_eq (s i)) by auto. specialize (E i). lra. }
  assert (Dp : Rabs (Sum n p - Sum n s) <= ((1 + u)^j - 1) * Sum n s + INR n * eta).
  { rewrite <- Sum_scal, <- Sum_const, <- Sum_plus, <- Sum_minus. clear - E. induction n; simpl.
    - rewrite Rabs_R0. lra.
    - eapply Rle_trans; [apply Rabs_triang|]. specialize (E n). lra. }
  set (P := Sum n (fun i => Rabs (p i))) in *.
  assert (P0 : 0 <= P) by (apply Sum_nonneg; intros; apply Rabs_pos).
  set (V := Sum n s / INR n). assert (VN : Sum n s = INR n * V) by (unfold V; field; lra). rewrite VN in *.
  assert (V0 : 0 <= V) by (apply div_nonneg; lra).
  set (c := (1 + u)^k) in *. set (cj := (1 + u)^j) in *.
  assert (SV : Rabs (S - INR n * V) <= INR n * ((c * cj - 1) * V + c * eta)).
  { replace (S - INR n * V) with ((S - Sum n p) + (Sum n p - INR n * V)) by ring.
    eapply Rle_trans; [apply Rabs_triang|].
    assert (Rabs (S - Sum n p) <= (c - 1) * P) by (eapply Rle_trans; [exact A|]; apply Rmult_le_compat_r; lra).
    assert ((c - 1) * P <= (c - 1) * (cj * (INR n * V) + INR n * eta)) by (apply Rmult_le_compat_l; lra). lra. }
  assert (SN : Rabs (S / INR n - V) <= (c * cj - 1) * V + c * eta).
  { replace (S / INR n - V) with ((S - INR n * V) / INR n) by (field; lra).
    unfold Rdiv. rewrite Rabs_mult, (Rabs_pos_eq (/ INR n)) by (left; apply Rinv_0_lt_compat; exact N).
    apply div_le_of; [exact N|]. lra. }
  pose proof (nearest_any prec emin prec_pos tie (S / INR n)) as R1.
  assert (SA : Rabs (S / INR n) <= c * cj * V + c * eta).
  { replace (S / INR n) with (V + (S / INR n - V)) by ring. eapply Rle_trans; [apply Rabs_triang|].
    rewrite (Rabs_pos_eq V) by exact V0. lra. }
  assert (G : (1 + u)^(k + j + 1) - 1 <= gamma (k + j + 1)) by (apply power_gamma; lra).
  assert (G1 : (1 + u)^(k + 1) <= 2).
  { pose proof (power_mono u ltac:(lra) (k + 1) (k + j + 1) ltac:(lia)).
    assert (gamma (k + j + 1) <= 1) by (unfold rounding.gamma; apply div_le_of; lra). lra. }
  rewrite !pow_add, pow_1 in G. rewrite pow_add, pow_1 in G1. fold c cj in G. fold c in G1.
  replace (nearest (S / INR n) - V) with ((nearest (S / INR n) - S / INR n) + (S / INR n - V)) by ring.
  eapply Rle_trans; [apply Rabs_triang|].
  assert (u * Rabs (S / INR n) <= u * (c * cj * V + c * eta)) by (apply Rmult_le_compat_l; lra).
  assert ((c * cj * (1 + u) - 1) * V <= gamma (k + j + 1) * V) by (apply Rmult_le_compat_r; lra).
  nra.
Qed.

(* (3.2): q_hat is off by the share rho *)
Lemma rstd_of_share q qh rho : 0 < q -> held qh -> qh <= bpow radix2 (2 * (- emin - prec)) -> 0 <= rho < 1 ->
  Rabs (qh - q) <= rho * q ->
  let f := (1 + u) / (1 - u) * / sqrt (1 - rho) in
  / sqrt q / f <= nearest (1 / nearest (sqrt qh)) <= f * / sqrt q.
Proof.
  intros Q Hq L [R0 R1] E f. apply abs_between in E. assert (P : 0 < qh) by nra.
  set (sq := sqrt q). set (sr := sqrt (1 - rho)).
  assert (Q1 : 0 < sq) by (apply sqrt_lt_R0, Q). assert (S1 : 0 < sr) by (apply sqrt_lt_R0; lra).
  assert (Qs : sq * sq = q) by (apply sqrt_sqrt; lra). assert (Ss : sr * sr = 1 - rho) by (apply sqrt_sqrt; lra).
  assert (B1 : sr * sq <= sqrt qh).
  { unfold sr, sq. rewrite <- sqrt_mult by lra. apply sqrt_le_1_alt. lra. }
  assert (B2 : sr * sqrt qh <= sq).
  { unfold sr, sq. rewrite <- sqrt_mult by lra. apply sqrt_le_1_alt.
    assert ((1 - rho) * qh <= (1 - rho) * ((1 + rho) * q)) by (apply Rmult_le_compat_l; lra). nra. }
  pose proof (nearest_root qh Hq P) as [N1 N2]. set (s := nearest (sqrt qh)) in *.
  assert (P1 : 0 < sqrt qh) by (apply sqrt_lt_R0, P).
  assert (S0 : 0 < s) by nra.
  assert (SL : s <= bpow radix2 (1 - emin - prec)).
  { assert (sqrt qh <= bpow radix2 (- emin - prec)).
    { rewrite <- (sqrt_bpow radix2 (- emin - prec)). apply sqrt_le_1_alt, L. }
    replace (1 - emin - prec)%Z with (1 + (- emin - prec))%Z by ring. rewrite bpow_plus. simpl (bpow radix2 1).
    pose proof (bpow_gt_0 radix2 (- emin - prec)). nra. }
  pose proof (nearest_reciprocal s (conj S0 SL)) as [M1 M2]. fold s.
  assert (F : f = (1 + u) / ((1 - u) * sr)) by (unfold f; fold sr; field; lra).
  assert (K : 0 < (1 - u) * sr) by nra. rewrite F. split.
  - eapply Rle_trans; [|exact M1]. replace (/ sq / ((1 + u) / ((1 - u) * sr))) with ((1 - u) * sr / ((1 + u) * sq))
      by (field; repeat split; lra).
    apply le_div; [exact S0|].
    replace ((1 - u) * sr / ((1 + u) * sq) * s) with ((1 - u) * (sr * s / ((1 + u) * sq))) by (field; lra).
    rewrite <- (Rmult_1_r (1 - u)) at 2. apply Rmult_le_compat_l; [lra|]. apply div_le_of; nra.
  - eapply Rle_trans; [exact M2|]. replace ((1 + u) / ((1 - u) * sr) * / sq) with ((1 + u) / ((1 - u) * sr * sq)) by (field; repeat split; lra).
    apply Rmult_le_compat_l; [lra|]. apply Rinv_le_contravar; [apply Rmult_lt_0_compat; lra|]. nra.
Qed.

Lemma factors_2 : 4 * u <= / 2 -> (1 + u) / (1 - u) <= 1 + gamma 2.
Proof.
  intros K. unfold rounding.gamma. simpl INR. replace (1 + (1 + 1) * u / (1 - (1 + 1) * u)) with (1 / (1 - 2 * u)) by (field; lra).
  apply div_le_of; [lra|]. replace (1 / (1 - 2 * u) * (1 - u)) with ((1 - u) / (1 - 2 * u)) by (field; lra). apply le_div; nra.
Qed.
(* j roundings of the numerator: 0 without a mean, else 1 *)
Lemma factors_of_x_hat j : (j <= 1)%nat -> 8 * u <= 1 ->
  (1 + u)^j * (1 + u) * ((1 + u) / (1 - u)) <= 1 + gamma (j + 3) /\
  / (1 + gamma (j + 3)) <= (1 - u)^j * (1 - u) * ((1 - u) / (1 + u)).
Proof.
  intros J K. assert (INR (j + 3) * u <= / 2) by (destruct j as [|[|j]]; [simpl; lra|simpl; lra|lia]).
  assert (E : 1 + gamma (j + 3) = / (1 - INR (j + 3) * u)) by (unfold rounding.gamma; field; lra). rewrite E, Rinv_inv.
  destruct j as [|[|j]]; [| |lia]; simpl in *.
  - split.
    + apply Rmult_le_reg_r with ((1 - u) * (1 - 3 * u)); [nra|]. field_simplify; [|lra|lra]. nra.
    + apply Rmult_le_reg_r with (1 + u); [lra|]. field_simplify; [|lra]. nra.
  - split.
    + apply Rmult_le_reg_r with ((1 - u) * (1 - 4 * u)); [nra|]. field_simplify; [|lra|lra]. nra.
    + apply Rmult_le_reg_r with (1 + u); [lra|]. field_simplify; [|lra]. nra.
Qed.

(* (3.3): x_hat of the computed distance dh of w, w = x - m_hat *)
Lemma x_hat_of_rstd j w dh rstd rh rho : (j <= 1)%nat -> 8 * u <= 1 -> 0 < rstd -> 0 <= rho < 1 ->
  (exists d, Rabs d <= u /\ dh = w * (1 + d)^j) ->
  (let f := (1 + u) / (1 - u) * / sqrt (1 - rho) in rstd / f <= rh <= f * rstd) ->
  Rabs (nearest (dh * rh) - w * rstd) <= factor_bound u rho (j + 3) * (Rabs w * rstd) + eta.
Proof.
  intros J K R0 Hr (d & Hd & E) [L M]. set (f := (1 + u) / (1 - u) * / sqrt (1 - rho)) in *.
  destruct (nearest_parts (dh * rh)) as (d' & t & Hd' & Ht & N). rewrite N, E.
  apply abs_between in Hd. apply abs_between in Hd'.
  set (sr := sqrt (1 - rho)) in *. assert (S1 : 0 < sr) by (apply sqrt_lt_R0; lra).
  destruct (factors_of_x_hat j J K) as [FU FL].
  set (F := 1 + gamma (j + 3)) in *.
  assert (F0 : 0 < F) by (unfold F, rounding.gamma; pose proof (INR_pos (j + 3) ltac:(lia));
    assert (INR (j + 3) * u <= / 2) by (destruct j as [|[|j]]; [simpl; lra|simpl; lra|lia]);
    pose proof (div_pos (INR (j + 3) * u) (1 - INR (j + 3) * u) ltac:(nra) ltac:(lra)); lra).
  destruct (root_of_share rho ltac:(lra)) as [[_ Sr1] I1]. fold sr in Sr1, I1.
  set (H := / sr * F). assert (H0 : 0 < H) by (apply Rmult_lt_0_compat; [apply Rinv_0_lt_compat|]; assumption).
  set (G := (1 + d)^j * (1 + d') * rh).
  assert (Fp : 0 < f) by (unfold f; apply Rmult_lt_0_compat; [apply div_pos; lra|apply Rinv_0_lt_compat, S1]).
  assert (rh0 : 0 < rh) by (pose proof (div_pos rstd f R0 Fp); lra).
  assert (J1 : (1 - u)^j <= (1 + d)^j <= (1 + u)^j).
  { split; apply pow_incr; lra. }
  assert (J0 : 0 < (1 - u)^j) by (apply pow_lt; lra).
  assert (GB : rstd / H <= G <= H * rstd).
  { unfold G. split.
    - apply Rle_trans with ((1 - u)^j * (1 - u) * (rstd / f)).
      + unfold H, f. replace (rstd / ((1 + u) / (1 - u) * / sr)) with (((1 - u) / (1 + u)) * (rstd * sr)) by (field; lra).
        replace (rstd / (/ sr * F)) with (/ F * (rstd * sr)) by (field; lra).
        replace ((1 - u)^j * (1 - u) * ((1 - u) / (1 + u) * (rstd * sr)))
          with ((1 - u)^j * (1 - u) * ((1 - u) / (1 + u)) * (rstd * sr)) by ring.
        apply Rmult_le_compat_r; [apply Rmult_le_pos; lra|exact FL].
      + apply Rmult_le_compat; [|apply Rlt_le, div_pos; lra| |exact L].
        * apply Rmult_le_pos; lra.
        * apply Rmult_le_compat; lra.
    - apply Rle_trans with ((1 + u)^j * (1 + u) * (f * rstd)).
      + apply Rmult_le_compat; [|lra| |exact M].
        * apply Rmult_le_pos; lra.
        * apply Rmult_le_compat; lra.
      + unfold H, f. replace ((1 + u)^j * (1 + u) * ((1 + u) / (1 - u) * / sr * rstd))
          with ((1 + u)^j * (1 + u) * ((1 + u) / (1 - u)) * (/ sr * rstd)) by ring.
        replace (/ sr * F * rstd) with (F * (/ sr * rstd)) by ring.
        apply Rmult_le_compat_r; [|exact FU]. apply Rmult_le_pos; [left; apply Rinv_0_lt_compat, S1|lra]. }
  assert (F1 : 1 <= F).
  { unfold F. pose proof (gamma_nonneg u ltac:(lra) (j + 3)).
    assert (INR (j + 3) * u <= / 2) by (destruct j as [|[|j]]; [simpl; lra|simpl; lra|lia]). lra. }
  assert (H1 : 1 <= H).
  { unfold H. rewrite <- (Rmult_1_r 1). apply Rmult_le_compat; lra. }
  pose proof (within_factor H rstd G H1 ltac:(lra) GB) as W.
  replace (w * (1 + d)^j * rh * (1 + d') + t - w * rstd) with (w * (G - rstd) + t) by (unfold G; ring).
  eapply Rle_trans; [apply Rabs_triang|]. rewrite Rabs_mult. apply Rplus_le_compat; [|exact Ht].
  unfold factor_bound. fold sr F H.
  replace ((H - 1) * (Rabs w * rstd)) with (Rabs w * ((H - 1) * rstd)) by ring.
  apply Rmult_le_compat_l; [apply Rabs_pos|exact W].
Qed.

(* section 4 *)
Lemma affine_of_x_hat g h x_hat shift b : held shift -> Rabs (h - x_hat) <= b ->
  Rabs (nearest (nearest (g * h) + shift) - (g * x_hat + shift)) <= affine_bound u eta b g x_hat shift.
Proof.
  intros Hs E. unfold affine_bound. pose proof (nearest_any prec emin prec_pos tie (g * h)) as P.
  pose proof (nearest_sum prec emin prec_pos tie _ _ (nearest_held prec emin prec_pos tie (g * h)) Hs) as S.
  set (p := nearest (g * h)) in *.
  assert (A : Rabs (g * h - g * x_hat) <= Rabs g * b).
  { replace (g * h - g * x_hat) with (g * (h - x_hat)) by ring. rewrite Rabs_mult.
    apply Rmult_le_compat_l; [apply Rabs_pos|exact E]. }
  assert (B : Rabs (g * h) <= Rabs (g * x_hat) + Rabs g * b).
  { replace (g * h) with (g * x_hat + (g * h - g * x_hat)) by ring. eapply Rle_trans; [apply Rabs_triang|]. lra. }
  assert (C : Rabs (p - g * x_hat) <= Rabs g * b + u * (Rabs (g * x_hat) + Rabs g * b) + eta).
  { replace (p - g * x_hat) with ((p - g * h) + (g * h - g * x_hat)) by ring. eapply Rle_trans; [apply Rabs_triang|].
    assert (u * Rabs (g * h) <= u * (Rabs (g * x_hat) + Rabs g * b)) by (apply Rmult_le_compat_l; lra). lra. }
  set (c := Rabs g * b + u * (Rabs (g * x_hat) + Rabs g * b) + eta) in *. cbv zeta.
  assert (D : Rabs (p + shift) <= Rabs (g * x_hat) + Rabs shift + c).
  { replace (p + shift) with (g * x_hat + shift + (p - g * x_hat)) by ring.
    eapply Rle_trans; [apply Rabs_triang|]. pose proof (Rabs_triang (g * x_hat) shift). lra. }
  replace (nearest (p + shift) - (g * x_hat + shift))
    with ((nearest (p + shift) - (p + shift)) + (p - g * x_hat)) by ring.
  eapply Rle_trans; [apply Rabs_triang|].
  assert (u * Rabs (p + shift) <= u * (Rabs (g * x_hat) + Rabs shift + c)) by (apply Rmult_le_compat_l; lra). lra.
Qed.

(* the evaluations, t and t' the orders of the sums *)
Definition mean_rounded (n : nat) (t : tree) (x : nat -> R) : R := nearest (sum_rounded nearest x t / INR n).
Definition quadratic_mean_rounded (n : nat) (t : tree) (x : nat -> R) : R :=
  mean_rounded n t (fun i => nearest (x i * x i)).
Definition rstd_rounded (q eps : R) : R := nearest (1 / nearest (sqrt (nearest (q + eps)))).
Definition affine_rounded (g x_hat shift : R) : R := nearest (nearest (g * x_hat) + shift).

Lemma square_off j w d : (j <= 1)%nat -> (exists e, Rabs e <= u /\ d = w * (1 + e)^j) ->
  Rabs (nearest (d * d) - w * w) <= ((1 + u)^(2 * j + 1) - 1) * (w * w) + eta.
Proof.
  intros J (e & He & ->). destruct (nearest_parts (w * (1 + e)^j * (w * (1 + e)^j))) as (d' & t & Hd & Ht & ->).
  apply abs_between in He. apply abs_between in Hd.
  replace (w * (1 + e)^j * (w * (1 + e)^j) * (1 + d') + t - w * w)
    with (w * w * ((1 + e)^j * (1 + e)^j * (1 + d') - 1) + t) by ring.
  eapply Rle_trans; [apply Rabs_triang|]. apply Rplus_le_compat; [|exact Ht].
  rewrite Rabs_mult, (Rabs_pos_eq (w * w)) by nra. rewrite (Rmult_comm (_ - 1)). apply Rmult_le_compat_l; [nra|].
  apply Rabs_le. destruct j as [|[|j]]; [simpl; lra| |lia]. simpl. rewrite !Rmult_1_r.
  assert (S1 : (1 - u) * (1 - u) <= (1 + e) * (1 + e) <= (1 + u) * (1 + u)) by (split; apply Rmult_le_compat; lra).
  assert (C1 : (1 - u) * (1 - u) * (1 - u) <= (1 + e) * (1 + e) * (1 + d') <= (1 + u) * (1 + u) * (1 + u)).
  { split; apply Rmult_le_compat; nra. }
  nra.
Qed.

Lemma normalised n t k j w d eps V q e rstd rho :
  (0 < n)%nat -> order_of n t -> (depth t <= k)%nat -> (j <= 1)%nat -> INR (k + 6) * u <= / 2 -> 0 <= eps -> held eps ->
  (forall i, exists a, Rabs a <= u /\ d i = w i * (1 + a)^j) ->
  0 <= V -> 0 <= e -> q = V + eps -> 0 < q -> V <= Sum n (fun i => w i * w i) / INR n <= V + e^2 ->
  let o := statistic_bound u eta (k + 2 * j + 2) V e in
  rho = share_bound u o q -> rho < 1 -> rstd = / sqrt q ->
  let v := quadratic_mean_rounded n t d in
  nearest (v + eps) <= bpow radix2 (2 * (- emin - prec)) ->
  Rabs (v - V) <= o /\
  Rabs (rstd_rounded v eps - rstd) <= rstd * factor_bound u rho 2 /\
  forall i, Rabs (nearest (d i * rstd_rounded v eps) - w i * rstd) <= factor_bound u rho (j + 3) * (Rabs (w i) * rstd) + eta.
Proof.
  intros Hn O D J K E0 He Hd V0 e0 Hq Q [V1 V2] o Hrho R1 Hrstd v Hb.
  assert (K1 : INR (k + 2 * j + 2) * u <= / 2).
  { eapply Rle_trans; [|exact K]. apply Rmult_le_compat_r; [lra|]. apply le_INR. lia. }
  assert (K6 : 6 * u <= / 2).
  { eapply Rle_trans; [|exact K]. apply Rmult_le_compat_r; [lra|]. replace 6 with (INR 6) by (simpl; ring). apply le_INR. lia. }
  pose proof (mean_of_squares n t k (2 * j + 1) (fun i => nearest (d i * d i)) (fun i => w i * w i) Hn O D
    ltac:(replace (k + (2 * j + 1) + 1)%nat with (k + 2 * j + 2)%nat by lia; exact K1)
    ltac:(intros; apply nearest_held; assumption) ltac:(intros; apply Rle_0_sqr)
    ltac:(intros; apply square_off; auto)) as M.
  replace (k + (2 * j + 1) + 1)%nat with (k + 2 * j + 2)%nat in M by lia.
  fold (mean_rounded n t (fun i => nearest (d i * d i))) in M. fold (quadratic_mean_rounded n t d) in M. fold v in M.
  set (W := Sum n (fun i => w i * w i) / INR n) in *.
  assert (G : 0 <= gamma (k + 2 * j + 2)) by (apply gamma_nonneg; lra).
  assert (VO : Rabs (v - V) <= o).
  { unfold o, statistic_bound. replace (v - V) with ((v - W) + (W - V)) by ring. eapply Rle_trans; [apply Rabs_triang|].
    rewrite (Rabs_pos_eq (W - V)) by lra.
    assert (gamma (k + 2 * j + 2) * W <= gamma (k + 2 * j + 2) * (V + e^2)) by (apply Rmult_le_compat_l; lra). lra. }
  assert (O0 : 0 <= o) by (eapply Rle_trans; [apply Rabs_pos|exact VO]).
  assert (Rq : rho * q = o + u * (q + o)) by (rewrite Hrho; unfold share_bound; field; lra).
  assert (R0 : 0 <= rho) by (rewrite Hrho; apply div_nonneg; nra).
  assert (QE : Rabs (nearest (v + eps) - q) <= rho * q).
  { rewrite Rq. pose proof (nearest_sum prec emin prec_pos tie v eps (nearest_held prec emin prec_pos tie _) He) as S.
    assert (VE : Rabs (v + eps - q) <= o) by (rewrite Hq; replace (v + eps - (V + eps)) with (v - V) by ring; exact VO).
    assert (Rabs (v + eps) <= q + o).
    { replace (v + eps) with (q + (v + eps - q)) by ring. eapply Rle_trans; [apply Rabs_triang|].
      rewrite (Rabs_pos_eq q) by lra. lra. }
    replace (nearest (v + eps) - q) with ((nearest (v + eps) - (v + eps)) + (v + eps - q)) by ring.
    eapply Rle_trans; [apply Rabs_triang|]. nra. }
  pose proof (rstd_of_share q (nearest (v + eps)) rho Q (nearest_held prec emin prec_pos tie _) Hb (conj R0 R1) QE) as RB.
  cbv zeta in RB. fold (rstd_rounded v eps) in RB. rewrite <- Hrstd in RB.
  assert (S0 : 0 < rstd) by (rewrite Hrstd; apply Rinv_0_lt_compat, sqrt_lt_R0, Q).
  split; [exact VO|]. split.
  - set (sr := sqrt (1 - rho)) in *. assert (S1 : 0 < sr) by (apply sqrt_lt_R0; lra).
    destruct (root_of_share rho ltac:(lra)) as [[_ Sr1] I1]. fold sr in Sr1, I1.
    pose proof (factors_2 ltac:(lra)) as F2. set (f := (1 + u) / (1 - u)) in *.
    assert (f1 : 1 <= f) by (unfold f; apply le_div; lra).
    assert (FF : f * / sr <= / sr * (1 + gamma 2)) by (rewrite Rmult_comm; apply Rmult_le_compat_l; lra).
    assert (F1 : 1 <= f * / sr) by (rewrite <- (Rmult_1_r 1); apply Rmult_le_compat; lra).
    pose proof (within_factor (f * / sr) rstd _ F1 ltac:(lra) RB) as B. eapply Rle_trans; [exact B|].
    unfold factor_bound. fold sr. rewrite (Rmult_comm rstd). apply Rmult_le_compat_r; lra.
  - intros i. apply x_hat_of_rstd; auto; lra.
Qed.

(* U3. LayerNorm of n features in a binary format, for every n, every x, eps, gamma and beta of it, and every order of the two sums
   with at most k roundings for a term, (k + 6) u <= 1/2: with A = mean |x|, V the variance, q = V + eps > 0, rstd = 1/sqrt(q) and
   e, o, rho, E, b as in docs/error_analysis.md, section 3, rho < 1, the mean is off by at most e, the variance by o, rstd by
   rstd (R (1 + gamma(2)) - 1), x_hat by rstd ((|d| + e) E + e) + eta, and y by the bound of section 4. *)
Theorem U3_layer_norm n t t' k (x g shift : nat -> R) eps : (0 < n)%nat -> order_of n t -> order_of n t' ->
  (depth t <= k)%nat -> (depth t' <= k)%nat -> INR (k + 6) * u <= / 2 -> 0 <= eps -> held eps ->
  (forall i, held (x i)) -> (forall i, held (shift i)) ->
  let A := mean n (fun i => Rabs (x i)) in
  let e := gamma (k + 1) * A + eta in
  let V := variance n x in
  let o := statistic_bound u eta (k + 4) V e in
  let rho := share_bound u o (V + eps) in
  let rstd := / sigma_s n x eps in
  let b := fun i => x_hat_bound eta (factor_bound u rho 4) e rstd (centred n x i) in
  let m_hat := mean_rounded n t x in
  let d_hat := fun i => nearest (x i - m_hat) in
  let v_hat := quadratic_mean_rounded n t' d_hat in
  let r_hat := rstd_rounded v_hat eps in
  let x_hat_hat := fun i => nearest (d_hat i * r_hat) in
  0 < V + eps -> rho < 1 -> nearest (v_hat + eps) <= bpow radix2 (2 * (- emin - prec)) ->
  Rabs (m_hat - mean n x) <= e /\
  Rabs (v_hat - V) <= o /\
  Rabs (r_hat - rstd) <= rstd * factor_bound u rho 2 /\
  (forall i, Rabs (x_hat_hat i - sigma_hat n x eps i) <= b i) /\
  (forall i, Rabs (affine_rounded (g i) (x_hat_hat i) (shift i) - (g i * sigma_hat n x eps i + shift i))
     <= affine_bound u eta (b i) (g i) (sigma_hat n x eps i) (shift i)).
Proof.
  intros Hn O O' D D' K E0 He Hx Hs A e V o rho rstd b m_hat d_hat v_hat r_hat x_hat_hat Q R1 Hb.
  pose proof (INR_pos n Hn) as N.
  assert (A0 : 0 <= A) by (apply div_nonneg; [apply Sum_nonneg; intros; apply Rabs_pos|exact N]).
  assert (K1 : INR (k + 1) * u <= / 2).
  { eapply Rle_trans; [|exact K]. apply Rmult_le_compat_r; [lra|]. apply le_INR. lia. }
  assert (M : Rabs (m_hat - mean n x) <= e).
  { assert (Hev : every (fun i => held (x i)) t) by (clear - Hx; induction t; simpl; auto).
    destruct (sum_by_depth u nearest x held t ltac:(lra) (nearest_held prec emin prec_pos tie)
      (nearest_sum prec emin prec_pos tie) Hev) as (_ & SA & SB).
    rewrite (O x), (O (fun i => Rabs (x i))) in SA. rewrite (O (fun i => Rabs (x i))) in SB.
    set (S := sum_rounded nearest x t) in *.
    assert (AN : Sum n (fun i => Rabs (x i)) = INR n * A) by (unfold A, mean; field; lra). rewrite AN in *.
    pose proof (power_mono u ltac:(lra) _ _ D) as PD. set (c := (1 + u)^k) in *.
    assert (NA : 0 <= INR n * A) by nra.
    assert (X : Rabs (S / INR n - mean n x) <= (c - 1) * A).
    { unfold mean. replace (S / INR n - Sum n x / INR n) with ((S - Sum n x) / INR n) by (field; lra).
      unfold Rdiv. rewrite Rabs_mult, (Rabs_pos_eq (/ INR n)) by (left; apply Rinv_0_lt_compat; exact N).
      apply div_le_of; [exact N|]. nra. }
    assert (Y : Rabs (S / INR n) <= c * A).
    { unfold Rdiv. rewrite Rabs_mult, (Rabs_pos_eq (/ INR n)) by (left; apply Rinv_0_lt_compat; exact N).
      apply div_le_of; [exact N|]. nra. }
    pose proof (nearest_any prec emin prec_pos tie (S / INR n)) as P. fold m_hat in P.
    assert (G : (1 + u)^(k + 1) - 1 <= gamma (k + 1)) by (apply power_gamma; lra).
    rewrite pow_add, pow_1 in G. fold c in G. change (nearest (S / INR n)) with m_hat in P.
    replace (m_hat - mean n x) with ((m_hat - S / INR n) + (S / INR n - mean n x)) by ring.
    eapply Rle_trans; [apply Rabs_triang|]. unfold e.
    assert (u * Rabs (S / INR n) <= u * (c * A)) by (apply Rmult_le_compat_l; lra).
    assert ((c * (1 + u) - 1) * A <= gamma (k + 1) * A) by (apply Rmult_le_compat_r; lra). lra. }
  assert (e0 : 0 <= e) by (eapply Rle_trans; [apply Rabs_pos|exact M]).
  assert (Hm : held m_hat) by (apply nearest_held; assumption).
  assert (W : Sum n (fun i => (x i - m_hat) * (x i - m_hat)) / INR n = V + (m_hat - mean n x)^2).
  { unfold V, variance, quadratic_mean, dot.
    rewrite (Sum_ext n (fun i => (x i - m_hat) * (x i - m_hat)) (fun i =>
      1 * (centred n x i * centred n x i) + (- 2 * (m_hat - mean n x)) * centred n x i
      + (m_hat - mean n x)^2 * 1)) by (intros; unfold centred; ring).
    rewrite (Sum_lin3 n 1 (fun i => centred n x i * centred n x i) _ (centred n x) _ (fun _ => 1)).
    rewrite Sum_centred, Sum_const by exact Hn. field. lra. }
  assert (M2 : (m_hat - mean n x)^2 <= e^2).
  { rewrite <- !Rsqr_pow2. apply Rsqr_le_abs_1. rewrite (Rabs_pos_eq e) by exact e0. exact M. }
  assert (Hd : forall i, exists a, Rabs a <= u /\ d_hat i = (x i - m_hat) * (1 + a)^1).
  { intros i. pose proof (nearest_difference prec emin prec_pos tie (x i) m_hat (Hx i) Hm) as P. fold (d_hat i) in P.
    destruct (Req_dec (x i - m_hat) 0) as [Z|NZ].
    - exists 0. rewrite Rabs_R0. split; [lra|]. rewrite Z in P. rewrite Rabs_R0, Rmult_0_r, Rminus_0_r in P.
      rewrite Z, Rmult_0_l. destruct (Req_dec (d_hat i) 0); [assumption|]. pose proof (Rabs_pos_lt _ H). lra.
    - exists ((d_hat i - (x i - m_hat)) / (x i - m_hat)). split; [|rewrite pow_1; field; exact NZ].
      unfold Rdiv. rewrite Rabs_mult, Rabs_inv. apply div_le_of; [apply Rabs_pos_lt, NZ|exact P]. }
  pose proof (variance_nonneg n x Hn) as V0. fold V in V0.
  destruct (normalised n t' k 1 (fun i => x i - m_hat) d_hat eps V (V + eps) e rstd rho Hn O' D' ltac:(lia) K E0 He Hd V0 e0
    eq_refl Q ltac:(cbv beta; rewrite W; pose proof (pow2_ge_0 (m_hat - mean n x)); lra)
    ltac:(unfold rho, o; replace (k + 2 * 1 + 2)%nat with (k + 4)%nat by lia; reflexivity) R1 eq_refl Hb) as (B1 & B2 & B3).
  replace (k + 2 * 1 + 2)%nat with (k + 4)%nat in B1 by lia.
  fold v_hat in B1, B2, B3. fold r_hat in B2, B3.
  assert (S0 : 0 < rstd) by (apply Rinv_0_lt_compat, sqrt_lt_R0, Q).
  assert (B4 : forall i, Rabs (x_hat_hat i - sigma_hat n x eps i) <= b i).
  { intros i. specialize (B3 i). cbv beta in B3. fold (x_hat_hat i) in B3. simpl plus in B3.
    unfold b, x_hat_bound. set (E := factor_bound u rho 4) in *.
    assert (XE : sigma_hat n x eps i = centred n x i * rstd) by reflexivity. rewrite XE.
    assert (DW : Rabs (x i - m_hat - centred n x i) <= e).
    { replace (x i - m_hat - centred n x i) with (- (m_hat - mean n x)) by (unfold centred; ring). rewrite Rabs_Ropp. exact M. }
    assert (AW : Rabs (x i - m_hat) <= Rabs (centred n x i) + e).
    { replace (x i - m_hat) with (centred n x i + (x i - m_hat - centred n x i)) by ring.
      eapply Rle_trans; [apply Rabs_triang|]. lra. }
    assert (E1 : 0 <= E).
    { assert (R0 : 0 <= rho).
      { apply div_nonneg; [|exact Q]. assert (0 <= o) by (eapply Rle_trans; [apply Rabs_pos|exact B1]).
        apply Rplus_le_le_0_compat; [|apply Rmult_le_pos]; lra. }
      unfold E, factor_bound. destruct (root_of_share rho ltac:(lra)) as [_ I1].
      assert (0 <= gamma 4).
      2: { assert (1 * 1 <= / sqrt (1 - rho) * (1 + gamma 4)) by (apply Rmult_le_compat; lra). lra. }
      apply gamma_nonneg; [lra|].
      assert (INR 4 * u <= INR (k + 6) * u) by (apply Rmult_le_compat_r; [lra|apply le_INR; lia]). lra. }
    replace (x_hat_hat i - centred n x i * rstd)
      with ((x_hat_hat i - (x i - m_hat) * rstd) + rstd * (x i - m_hat - centred n x i)) by ring.
    eapply Rle_trans; [apply Rabs_triang|]. rewrite Rabs_mult, (Rabs_pos_eq rstd) by lra.
    assert (E * (Rabs (x i - m_hat) * rstd) <= E * ((Rabs (centred n x i) + e) * rstd)).
    { apply Rmult_le_compat_l; [exact E1|]. apply Rmult_le_compat_r; lra. }
    assert (rstd * Rabs (x i - m_hat - centred n x i) <= rstd * e) by (apply Rmult_le_compat_l; lra). lra. }
  repeat split; [exact M|exact B1|exact B2|exact B4|].
  intros i. apply affine_of_x_hat; auto.
Qed.

(* U4. RMSNorm of n features likewise, and one order: the mean square is off by at most o, with gamma(k + 2) and e = 0, rstd by
   rstd (R (1 + gamma(2)) - 1), x_hat by rstd |x| (R (1 + gamma(3)) - 1) + eta, and y by the bound of section 4. *)
Theorem U4_rms_norm n t k (x g shift : nat -> R) eps : (0 < n)%nat -> order_of n t ->
  (depth t <= k)%nat -> INR (k + 6) * u <= / 2 -> 0 <= eps -> held eps -> (forall i, held (shift i)) ->
  let V := quadratic_mean n x in
  let o := statistic_bound u eta (k + 2) V 0 in
  let rho := share_bound u o (V + eps) in
  let rstd := / psi_s n x eps in
  let b := fun i => x_hat_bound eta (factor_bound u rho 3) 0 rstd (x i) in
  let v_hat := quadratic_mean_rounded n t x in
  let r_hat := rstd_rounded v_hat eps in
  let x_hat_hat := fun i => nearest (x i * r_hat) in
  0 < V + eps -> rho < 1 -> nearest (v_hat + eps) <= bpow radix2 (2 * (- emin - prec)) ->
  Rabs (v_hat - V) <= o /\
  Rabs (r_hat - rstd) <= rstd * factor_bound u rho 2 /\
  (forall i, Rabs (x_hat_hat i - psi_hat n x eps i) <= b i) /\
  (forall i, Rabs (affine_rounded (g i) (x_hat_hat i) (shift i) - (g i * psi_hat n x eps i + shift i))
     <= affine_bound u eta (b i) (g i) (psi_hat n x eps i) (shift i)).
Proof.
  intros Hn O D K E0 He Hs V o rho rstd b v_hat r_hat x_hat_hat Q R1 Hb.
  pose proof (INR_pos n Hn) as N.
  pose proof (quadratic_mean_nonneg n x Hn) as V0. fold V in V0.
  destruct (normalised n t k 0 x x eps V (V + eps) 0 rstd rho Hn O D ltac:(lia) K E0 He
    ltac:(intros i; exists 0; rewrite Rabs_R0; split; [lra|simpl; ring]) V0 (Rle_refl 0)
    eq_refl Q ltac:(change (Sum n (fun i => x i * x i) / INR n) with V; simpl; lra)
    ltac:(unfold rho, o; replace (k + 2 * 0 + 2)%nat with (k + 2)%nat by lia; reflexivity) R1 eq_refl Hb) as (B1 & B2 & B3).
  replace (k + 2 * 0 + 2)%nat with (k + 2)%nat in B1 by lia.
  fold v_hat in B1, B2, B3. fold r_hat in B2, B3.
  assert (B4 : forall i, Rabs (x_hat_hat i - psi_hat n x eps i) <= b i).
  { intros i. specialize (B3 i). cbv beta in B3. fold (x_hat_hat i) in B3. simpl plus in B3.
    change (psi_hat n x eps i) with (x i * rstd). unfold b, x_hat_bound. lra. }
  repeat split; [exact B1|exact B2|exact B4|].
  intros i. apply affine_of_x_hat; auto.
Qed.
End Layers.
