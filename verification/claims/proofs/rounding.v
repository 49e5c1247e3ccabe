(* U: what rounding does to sums, in every binary format, subnormal numbers included, rounded to nearest: binary64 is
   (prec, emin) = (53, -1074), binary32 (24, -149). u = 2^-prec is the unit roundoff, eta = 2^emin/2 half of the smallest number.
   Nothing overflows. docs/error_analysis.md, sections 2 and 8. *)
From Coq Require Import Reals Lra Psatz Lia Arith.
From Flocq Require Import Core Relative Plus_error.
From normproof Require Import sums.
Open Scope R_scope.

(* gamma(k) = k u/(1 - k u) *)
Definition gamma (u : R) (k : nat) : R := INR k * u / (1 - INR k * u).

Section Powers.
Variable u : R.
Hypothesis u_pos : 0 <= u.

Lemma power_mono k m : (k <= m)%nat -> (1 + u)^k <= (1 + u)^m.
Proof. intros. apply Rle_pow; [lra|assumption]. Qed.
Lemma power_at_least_1 k : 1 <= (1 + u)^k.
Proof. exact (power_mono 0 k (Nat.le_0_l k)). Qed.
Lemma power_gamma k : INR k * u < 1 -> (1 + u)^k - 1 <= gamma u k.
Proof.
  intros H. unfold gamma.
  assert (P : (1 + u)^k * (1 - INR k * u) <= 1).
  { clear H. induction k; [simpl; lra|]. rewrite S_INR. simpl pow. pose proof (power_at_least_1 k). nra. }
  apply le_div; [lra|nra].
Qed.
Lemma gamma_nonneg k : INR k * u < 1 -> 0 <= gamma u k.
Proof. intros H. pose proof (power_gamma k H). pose proof (power_at_least_1 k). lra. Qed.
End Powers.

(* The order of a sum: a binary tree whose leaves are the numbers of its terms. *)
Inductive tree := Leaf (i : nat) | Node (l r : tree).
Fixpoint total (f : nat -> R) (t : tree) : R :=
  match t with Leaf i => f i | Node l r => total f l + total f r end.
(* t is an order of n terms *)
Definition order_of (n : nat) (t : tree) : Prop := forall f, total f t = Sum n f.
Fixpoint leaves (t : tree) : nat := match t with Leaf _ => 1 | Node l r => leaves l + leaves r end.
(* the roundings that a term meets at most *)
Fixpoint depth (t : tree) : nat := match t with Leaf _ => 0 | Node l r => S (max (depth l) (depth r)) end.
Fixpoint every (P : nat -> Prop) (t : tree) : Prop :=
  match t with Leaf i => P i | Node l r => every P l /\ every P r end.
(* the sum in that order, each addition rounded by rnd *)
Fixpoint sum_rounded (rnd : R -> R) (f : nat -> R) (t : tree) : R :=
  match t with Leaf i => f i | Node l r => rnd (sum_rounded rnd f l + sum_rounded rnd f r) end.

Lemma depth_below_leaves t : (depth t + 1 <= leaves t)%nat.
Proof. induction t; simpl; lia. Qed.
Lemma every_imp (P Q : nat -> Prop) t : (forall i, P i -> Q i) -> every P t -> every Q t.
Proof. intros H. induction t; simpl; intuition. Qed.
Lemma total_ext f g t : every (fun i => f i = g i) t -> total f t = total g t.
Proof. induction t; simpl; intros; [assumption|]. rewrite IHt1, IHt2; tauto. Qed.
Lemma total_plus f g t : total (fun i => f i + g i) t = total f t + total g t.
Proof. induction t; simpl; lra. Qed.
Lemma total_scal c f t : total (fun i => c * f i) t = c * total f t.
Proof. induction t; simpl; [|rewrite IHt1, IHt2]; lra. Qed.
Lemma total_le f g t : every (fun i => f i <= g i) t -> total f t <= total g t.
Proof. induction t; simpl; intros; [assumption|]. apply Rplus_le_compat; tauto. Qed.
Lemma total_nonneg f t : (forall i, 0 <= f i) -> 0 <= total f t.
Proof. intros H. induction t; simpl; [apply H|lra]. Qed.
Lemma total_off f g t : Rabs (total f t - total g t) <= total (fun i => Rabs (f i - g i)) t.
Proof.
  induction t; simpl; [lra|].
  replace (total f t1 + total f t2 - (total g t1 + total g t2))
    with ((total f t1 - total g t1) + (total f t2 - total g t2)) by ring.
  eapply Rle_trans; [apply Rabs_triang|]. lra.
Qed.

(* One addition is off by the share u of its result. *)
Lemma sum_by_depth u rnd f (held : R -> Prop) t : 0 <= u ->
  (forall x, held (rnd x)) -> (forall x y, held x -> held y -> Rabs (rnd (x + y) - (x + y)) <= u * Rabs (x + y)) ->
  every (fun i => held (f i)) t ->
  held (sum_rounded rnd f t) /\
  Rabs (sum_rounded rnd f t - total f t) <= ((1 + u)^depth t - 1) * total (fun i => Rabs (f i)) t /\
  Rabs (sum_rounded rnd f t) <= (1 + u)^depth t * total (fun i => Rabs (f i)) t.
Proof.
  intros U Hr Ha. induction t as [i|l IHl r IHr]; intros F.
  - simpl in *. split; [exact F|]. split; [|lra]. replace (f i - f i) with 0 by ring. rewrite Rabs_R0. lra.
  - destruct F as [Fl Fr]. destruct (IHl Fl) as (Hl & Al & Bl), (IHr Fr) as (Hr' & Ar & Br). clear IHl IHr.
    cbn [sum_rounded total depth]. split; [apply Hr|].
    set (k := max (depth l) (depth r)).
    pose proof (power_mono u U (depth l) k ltac:(lia)) as Pl. pose proof (power_mono u U (depth r) k ltac:(lia)) as Pr.
    pose proof (total_nonneg (fun i => Rabs (f i)) l (fun i => Rabs_pos (f i))) as Ml.
    pose proof (total_nonneg (fun i => Rabs (f i)) r (fun i => Rabs_pos (f i))) as Mr.
    pose proof (Ha _ _ Hl Hr') as E. pose proof (power_at_least_1 u U k) as P1.
    set (a := sum_rounded rnd f l) in *. set (b := sum_rounded rnd f r) in *.
    assert (A : Rabs (a + b) <= (1 + u)^k * (total (fun i => Rabs (f i)) l + total (fun i => Rabs (f i)) r)).
    { eapply Rle_trans; [apply Rabs_triang|]. nra. }
    assert (D : Rabs ((a + b) - (total f l + total f r))
      <= ((1 + u)^k - 1) * (total (fun i => Rabs (f i)) l + total (fun i => Rabs (f i)) r)).
    { replace (a + b - (total f l + total f r)) with ((a - total f l) + (b - total f r)) by ring.
      eapply Rle_trans; [apply Rabs_triang|]. nra. }
    rewrite <- tech_pow_Rmult. split.
    + replace (rnd (a + b) - (total f l + total f r))
        with ((rnd (a + b) - (a + b)) + ((a + b) - (total f l + total f r))) by ring.
      eapply Rle_trans; [apply Rabs_triang|]. nra.
    + replace (rnd (a + b)) with ((rnd (a + b) - (a + b)) + (a + b)) by ring.
      eapply Rle_trans; [apply Rabs_triang|]. nra.
Qed.

Section Format.
Variable prec emin : Z.
Hypothesis prec_pos : (0 < prec)%Z.
Variable tie : Z -> bool.

Definition unit_roundoff : R := bpow radix2 (- prec).
Definition underflow : R := bpow radix2 (emin - 1).
Definition held (x : R) : Prop := generic_format radix2 (FLT_exp emin prec) x.
Definition nearest (x : R) : R := round radix2 (FLT_exp emin prec) (Znearest tie) x.

Notation u := unit_roundoff.
Notation eta := underflow.
Local Instance prec_gt_0 : Prec_gt_0 prec := prec_pos.

Lemma half_power e : / 2 * bpow radix2 e = bpow radix2 (e - 1).
Proof. replace (e - 1)%Z with (- (1) + e)%Z by ring. rewrite bpow_plus. reflexivity. Qed.
Lemma unit_roundoff_is : u_ro radix2 prec = u.
Proof. unfold u_ro, unit_roundoff. rewrite half_power. f_equal. ring. Qed.
Lemma unit_roundoff_pos : 0 < u.
Proof. apply bpow_gt_0. Qed.
Lemma unit_roundoff_half : u <= / 2.
Proof. replace (/ 2) with (bpow radix2 (-1)) by reflexivity. apply bpow_le. lia. Qed.
Lemma underflow_pos : 0 < eta.
Proof. apply bpow_gt_0. Qed.
Lemma nearest_held x : held (nearest x).
Proof. apply generic_format_round; auto with typeclass_instances. Qed.
Lemma nearest_of_held x : held x -> nearest x = x.
Proof. intros H. apply round_generic; auto with typeclass_instances. Qed.
Lemma held_0 : held 0.
Proof. apply generic_format_0. Qed.

(* A sum is off by the share u alone: it never underflows inexactly. *)
Lemma nearest_sum x y : held x -> held y -> Rabs (nearest (x + y) - (x + y)) <= u * Rabs (x + y).
Proof.
  intros Hx Hy. destruct (FLT_plus_error_N_ex radix2 emin prec tie x y Hx Hy) as (e & He & E).
  unfold nearest. rewrite E. replace ((x + y) * (1 + e) - (x + y)) with (e * (x + y)) by ring. rewrite Rabs_mult.
  apply Rmult_le_compat_r; [apply Rabs_pos|]. eapply Rle_trans; [exact He|].
  rewrite <- unit_roundoff_is. apply u_rod1pu_ro_le_u_ro.
Qed.
Lemma nearest_difference x y : held x -> held y -> Rabs (nearest (x - y) - (x - y)) <= u * Rabs (x - y).
Proof. intros Hx Hy. apply (nearest_sum x (- y) Hx). apply generic_format_opp, Hy. Qed.
(* Any other result is off by eta more. *)
Lemma nearest_any x : Rabs (nearest x - x) <= u * Rabs x + eta.
Proof.
  destruct (error_N_FLT radix2 emin prec prec_pos tie x) as (e & t & He & Ht & _ & E).
  unfold nearest. rewrite E. replace (x * (1 + e) + t - x) with (e * x + t) by ring.
  eapply Rle_trans; [apply Rabs_triang|]. rewrite Rabs_mult. apply Rplus_le_compat.
  - apply Rmult_le_compat_r; [apply Rabs_pos|]. rewrite half_power in He. unfold unit_roundoff.
    replace (- prec)%Z with (- prec + 1 - 1)%Z by ring. exact He.
  - rewrite half_power in Ht. exact Ht.
Qed.

(* U1. (2.1) A sum of numbers of the format, in any order whose tree has the depth k, is off by at most gamma(k) sum |t_i|,
   where k u < 1: in any binary format, with subnormal numbers, rounded to nearest; an addition has no underflow. *)
Theorem U1_sum_in_any_order f t : every (fun i => held (f i)) t -> INR (depth t) * u < 1 ->
  Rabs (sum_rounded nearest f t - total f t) <= gamma u (depth t) * total (fun i => Rabs (f i)) t.
Proof.
  intros F K. pose proof unit_roundoff_pos.
  destruct (sum_by_depth u nearest f held t ltac:(lra) nearest_held nearest_sum F) as (_ & E & _).
  pose proof (power_gamma u ltac:(lra) (depth t) K).
  pose proof (total_nonneg (fun i => Rabs (f i)) t (fun i => Rabs_pos (f i))). nra.
Qed.

(* U2. (8.1) A sum of n numbers t_i of the format, each off by e_i from what it stands for, a_i, in any order: its error is at
   most sum e_i + gamma(n - 1) sum |t_i|, where (n - 1) u < 1, and sum |t_i| <= sum (|a_i| + e_i). *)
Theorem U2_sum_of_terms_that_are_off f a e t : every (fun i => held (f i)) t ->
  every (fun i => Rabs (f i - a i) <= e i) t -> INR (leaves t - 1) * u < 1 ->
  Rabs (sum_rounded nearest f t - total a t)
    <= total e t + gamma u (leaves t - 1) * total (fun i => Rabs (f i)) t /\
  total (fun i => Rabs (f i)) t <= total (fun i => Rabs (a i) + e i) t.
Proof.
  intros F E K. pose proof unit_roundoff_pos. split.
  - destruct (sum_by_depth u nearest f held t ltac:(lra) nearest_held nearest_sum F) as (_ & S & _).
    pose proof (depth_below_leaves t).
    pose proof (power_mono u ltac:(lra) (depth t) (leaves t - 1) ltac:(lia)).
    pose proof (power_gamma u ltac:(lra) (leaves t - 1) K).
    pose proof (total_nonneg (fun i => Rabs (f i)) t (fun i => Rabs_pos (f i))).
    pose proof (total_off f a t). pose proof (total_le _ _ t E).
    replace (sum_rounded nearest f t - total a t)
      with ((sum_rounded nearest f t - total f t) + (total f t - total a t)) by ring.
    eapply Rle_trans; [apply Rabs_triang|]. nra.
  - apply total_le. revert E. apply every_imp. intros i H1.
    replace (f i) with ((f i - a i) + a i) by ring. eapply Rle_trans; [apply Rabs_triang|]. lra.
Qed.
End Format.

(* how ties are broken in IEEE 754 *)
Definition to_even (z : Z) : bool := negb (Z.even z).
