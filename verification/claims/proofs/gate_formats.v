(* U: binary formats do what the model of gate.v says, and what storing a result adds to its bound. *)
From Coq Require Import Reals Lra Lia.
From Flocq Require Import Core Relative.
From normproof Require Import rounding gate.
Open Scope R_scope.

Section Format.
Variable prec emin : Z.
Hypothesis prec_pos : (0 < prec)%Z.
Variable tie : Z -> bool.
Notation u := (unit_roundoff prec).
Notation least_normal := (bpow radix2 (emin + prec - 1)).
Local Instance prec_positive : Prec_gt_0 prec := prec_pos.

(* what flushes subnormal results to 0 *)
Definition flushed (r : R) : R := if Rlt_dec (Rabs r) least_normal then 0 else r.
Definition normal_or_0 (x : R) : Prop := x = 0 \/ least_normal <= Rabs x.

Lemma nearest_sign x : (0 <= x -> 0 <= nearest prec emin tie x) /\ (x <= 0 -> nearest prec emin tie x <= 0).
Proof.
  assert (Z0 : nearest prec emin tie 0 = 0) by (apply nearest_of_held, held_0).
  split; intros P; rewrite <- Z0; apply round_le; auto with typeclass_instances.
Qed.
Lemma held_least_normal : held prec emin least_normal.
Proof. apply generic_format_bpow. unfold FLT_exp. lia. Qed.
Lemma nearest_of_normal x : least_normal <= Rabs x -> least_normal <= Rabs (nearest prec emin tie x) /\
  Rabs (nearest prec emin tie x - x) <= u * Rabs x.
Proof.
  intros L. split.
  - apply abs_round_ge_generic; auto with typeclass_instances. apply held_least_normal.
  - pose proof (relative_error_N_FLT radix2 emin prec prec_pos tie x L) as E. rewrite half_power in E.
    replace (- prec + 1 - 1)%Z with (- prec)%Z in E by ring. exact E.
Qed.
Lemma nearest_of_small x : Rabs x < least_normal -> Rabs (nearest prec emin tie x - x) <= underflow emin.
Proof.
  intros L. pose proof (error_le_half_ulp radix2 (FLT_exp emin prec) tie x) as E.
  rewrite (ulp_FLT_small radix2 emin prec) in E.
  - rewrite half_power in E. exact E.
  - eapply Rlt_le_trans; [exact L|]. apply bpow_le. lia.
Qed.
Lemma underflow_small : 4 * underflow emin = 4 * u * least_normal /\ underflow emin <= least_normal.
Proof.
  assert (E : u * least_normal = underflow emin).
  { unfold underflow, unit_roundoff. rewrite <- bpow_plus. f_equal. ring. }
  split; [rewrite Rmult_assoc, E; reflexivity|]. apply bpow_le. lia.
Qed.
(* 2 units in the last place *)
Lemma two_units x : 2 * ulp radix2 (FLT_exp emin prec) x <= 4 * u * Rabs x \/ 2 * ulp radix2 (FLT_exp emin prec) x <= 4 * u * least_normal.
Proof.
  destruct (Rle_lt_dec least_normal (Rabs x)) as [L|L].
  - left. pose proof (ulp_FLT_le radix2 emin prec x L) as E. pose proof (bpow_gt_0 radix2 (1 - prec)).
    assert (T : bpow radix2 (1 - prec) = 2 * u) by (unfold unit_roundoff; replace (1 - prec)%Z with (1 + - prec)%Z by ring; rewrite bpow_plus; reflexivity).
    rewrite T in E. lra.
  - right. rewrite (ulp_FLT_small radix2 emin prec) by (eapply Rlt_le_trans; [exact L|]; apply bpow_le; lia).
    destruct underflow_small as [<- _]. unfold underflow.
    assert (B : bpow radix2 emin = 2 * bpow radix2 (emin - 1)).
    { replace emin with (1 + (emin - 1))%Z at 1 by ring. rewrite bpow_plus. reflexivity. }
    lra.
Qed.

(* U7. Binary formats with subnormal numbers, u = 2^-prec and n = 2^(emin + prec - 1) the least normal number, are of the model. With t = 4 u n: each
   result that is off by at most 2 units in the last place and not of the other sign, rounding to nearest one, and the nearest
   to the sum of two numbers of the format. With t = n: the same where subnormal results are flushed to 0 and none is added. *)
Theorem U7_formats_are_of_the_model :
  (forall x r, Rabs (r - x) <= 2 * ulp radix2 (FLT_exp emin prec) x -> (0 <= x -> 0 <= r) -> (x <= 0 -> r <= 0) ->
    computes (4 * u * least_normal) (4 * u) r x) /\
  (forall x, computes (4 * u * least_normal) u (nearest prec emin tie x) x) /\
  (forall x y, held prec emin x -> held prec emin y -> adds u (4 * u * least_normal) (nearest prec emin tie (x + y)) x y) /\
  (forall x, computes least_normal u (flushed (nearest prec emin tie x)) x) /\
  (forall x y, held prec emin x -> held prec emin y -> normal_or_0 x -> normal_or_0 y ->
    adds u least_normal (flushed (nearest prec emin tie (x + y))) x y).
Proof.
  pose proof (unit_roundoff_pos prec) as U. pose proof (bpow_gt_0 radix2 (emin + prec - 1)) as N.
  destruct underflow_small as [E4 E1]. assert (P : 0 < underflow emin) by apply bpow_gt_0.
  split; [|split; [|split; [|split]]].
  - intros x r B S1 S2. destruct (two_units x) as [T|T]; [left; lra|right; split; [lra|auto]].
  - intros x. destruct (Rle_lt_dec least_normal (Rabs x)) as [L|L]; [left; apply nearest_of_normal, L|].
    right. split; [|apply nearest_sign]. pose proof (nearest_of_small x L). lra.
  - intros x y Hx Hy. split; [left; apply nearest_sum; assumption|]. split; intros ->.
    + rewrite Rplus_0_l. apply nearest_of_held; assumption.
    + rewrite Rplus_0_r. apply nearest_of_held; assumption.
  - intros x. unfold flushed. destruct (Rle_lt_dec least_normal (Rabs x)) as [L|L].
    + destruct (nearest_of_normal x L) as [A B]. destruct (Rlt_dec _ _); [lra|]. left. exact B.
    + right. destruct (Rlt_dec _ _).
      * rewrite Rminus_0_l, Rabs_Ropp. split; [lra|]. lra.
      * split; [|apply nearest_sign]. pose proof (nearest_of_small x L). lra.
  - intros x y Hx Hy Nx Ny. unfold flushed. split; [|split; intros ->].
    + destruct (Rlt_dec _ _) as [L|L]; [|left; apply nearest_sum; assumption].
      assert (S : Rabs (x + y) < least_normal).
      { apply Rnot_le_lt. intros Q. destruct (nearest_of_normal (x + y) Q). lra. }
      destruct (Rlt_dec x 0) as [X|X]; [right; split; [lra|auto]|].
      destruct (Rlt_dec y 0) as [Y|Y]; [right; split; [lra|auto]|]. left.
      rewrite Rabs_pos_eq in S by lra.
      assert (x = 0) as -> by (destruct Nx as [|Q]; [assumption|rewrite Rabs_pos_eq in Q by lra; lra]).
      assert (y = 0) as -> by (destruct Ny as [|Q]; [assumption|rewrite Rabs_pos_eq in Q by lra; lra]).
      rewrite Rplus_0_l, Rminus_diag_eq, Rabs_R0 by reflexivity. lra.
    + rewrite Rplus_0_l. replace (nearest prec emin tie y) with y by (symmetry; apply nearest_of_held; assumption).
      destruct (Rlt_dec _ _); [|reflexivity]. destruct Ny; [auto|lra].
    + rewrite Rplus_0_r. replace (nearest prec emin tie x) with x by (symmetry; apply nearest_of_held; assumption).
      destruct (Rlt_dec _ _); [|reflexivity]. destruct Nx; [auto|lra].
Qed.

(* U8. What is stored of y, a result off by at most b from the exact a, in a format with unit roundoff u' and least normal number t', is off by
   at most b + u' (|a| + b) + 2 u' t'; and by 2 b where the format holds a: with_storage of verification/golden/gate. *)
Theorem U8_stored y a b : Rabs (y - a) <= b ->
  Rabs (nearest prec emin tie y - a) <= b + u * (Rabs a + b) + 2 * u * least_normal /\
  (held prec emin a -> Rabs (nearest prec emin tie y - a) <= 2 * b).
Proof.
  intros B. pose proof (unit_roundoff_pos prec) as U. split.
  - assert (T : underflow emin <= 2 * u * least_normal).
    { unfold underflow, unit_roundoff. rewrite Rmult_assoc, <- bpow_plus. replace (- prec + (emin + prec - 1))%Z with (emin - 1)%Z by ring.
      pose proof (bpow_gt_0 radix2 (emin - 1)). lra. }
    pose proof (nearest_any prec emin prec_pos tie y) as N.
    assert (Rabs y <= Rabs a + b).
    { replace y with (a + (y - a)) by ring. eapply Rle_trans; [apply Rabs_triang|]. lra. }
    assert (u * Rabs y <= u * (Rabs a + b)) by (apply Rmult_le_compat_l; lra).
    replace (nearest prec emin tie y - a) with ((nearest prec emin tie y - y) + (y - a)) by ring.
    eapply Rle_trans; [apply Rabs_triang|]. lra.
  - intros H. destruct (round_N_pt radix2 (FLT_exp emin prec) tie y) as [_ N]. specialize (N a H).
    rewrite (Rabs_minus_sym a y) in N.
    replace (nearest prec emin tie y - a) with ((nearest prec emin tie y - y) + (y - a)) by ring.
    eapply Rle_trans; [apply Rabs_triang|]. unfold nearest in *. lra.
Qed.
End Format.
