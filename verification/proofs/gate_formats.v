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

(* U7. Rounding to nearest in a binary format with subnormal numbers, u = 2^-prec and t = 2^(emin + prec - 1), is of the model: every
   result, of a sum, a product, a quotient or a root, is off by u of itself, or small and off by less than t without a change of sign; a
   sum of two numbers of the format by u of itself, and x + 0 is x. *)
Theorem U7_formats_are_of_the_model :
  (forall x, computes least_normal u (nearest prec emin tie x) x) /\
  (forall x y, held prec emin x -> held prec emin y -> adds u least_normal (nearest prec emin tie (x + y)) x y).
Proof.
  pose proof (unit_roundoff_pos prec) as U. pose proof (unit_roundoff_half prec prec_pos) as U2. split.
  - intros x. destruct (Rle_lt_dec least_normal (Rabs x)) as [L|L].
    + left. pose proof (relative_error_N_FLT radix2 emin prec prec_pos tie x L) as E. rewrite half_power in E.
      replace (- prec + 1 - 1)%Z with (- prec)%Z in E by ring. exact E.
    + right. pose proof (bpow_gt_0 radix2 (emin + prec - 1)).
      assert (Z0 : nearest prec emin tie 0 = 0) by (apply nearest_of_held, held_0).
      refine (conj _ (conj _ (conj _ _))); [lra| | |].
      * eapply Rle_trans; [apply nearest_any, prec_pos|].
        assert (underflow emin <= / 2 * least_normal) by (unfold underflow; rewrite half_power; apply bpow_le; lia).
        pose proof (Rmult_le_compat u (/ 2) (Rabs x) least_normal ltac:(lra) ltac:(apply Rabs_pos) U2 ltac:(lra)). lra.
      * intros P. rewrite <- Z0. apply round_le; auto with typeclass_instances.
      * intros P. rewrite <- Z0. apply round_le; auto with typeclass_instances.
  - intros x y Hx Hy. split; [left; apply nearest_sum; assumption|]. split; intros ->.
    + rewrite Rplus_0_l. apply nearest_of_held; assumption.
    + rewrite Rplus_0_r. apply nearest_of_held; assumption.
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
