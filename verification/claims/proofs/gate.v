(* U: every implementation of the model of docs/error_analysis.md, section 8, is within the bound of the gate for LayerNorm and
   RMSNorm: the bound of gate_formula.v, over the reals, the values of the reference rounded to binary64. *)
From Coq Require Import Reals Lra Psatz Lia Arith Bool.
From Flocq Require Import Core Mult_error Relative.
From normproof Require Import sums layers rounding gate_formula.
Open Scope R_scope.

Local Instance prec_53 : Prec_gt_0 53 := eq_refl.
Definition double (x : R) : R := nearest 53 (-1074) to_even x.
Definition is_double (x : R) : Prop := held 53 (-1074) x.
Definition slack_of_bound : R := 1 + / 2^45.
Definition smallest_double : R := bpow radix2 (-1074).
Definition reals : scalars R := {|
  zero := 0; one := 1; two := 2; four := 4; half := / 2; slack := slack_of_bound; roundoff := unit_roundoff 53;
  smallest := smallest_double; plus := Rplus; minus := Rminus; times := Rmult;
  over := Rdiv; root := sqrt; magnitude := Rabs; opposite := Ropp;
  below := fun x y => if Rlt_dec x y then true else false; of_nat := INR; stored := double |}.

Lemma below_true x y : below R reals x y = true -> x < y.
Proof. simpl. destruct (Rlt_dec x y); [auto|discriminate]. Qed.
Lemma below_false x y : below R reals x y = false -> y <= x.
Proof. simpl. destruct (Rlt_dec x y); [discriminate|lra]. Qed.
Lemma not_negative_true x : not_negative reals x = true -> 0 <= x.
Proof. unfold not_negative. intros H. apply negb_true_iff in H. apply below_false in H. exact H. Qed.
Lemma not_negative_of x : 0 <= x -> not_negative reals x = true.
Proof. intros H. unfold not_negative. simpl. destruct (Rlt_dec x 0); [lra|reflexivity]. Qed.
Lemma is_0_true x : is_0 reals x = true -> x = 0.
Proof. unfold is_0. simpl. destruct (Rlt_dec x 0), (Rlt_dec 0 x); simpl; intros; try discriminate; lra. Qed.
Lemma is_0_false x : is_0 reals x = false -> x <> 0.
Proof. unfold is_0. simpl. destruct (Rlt_dec x 0), (Rlt_dec 0 x); simpl; intros; try discriminate; lra. Qed.
Lemma is_0_of_0 : is_0 reals 0 = true.
Proof. unfold is_0. simpl. destruct (Rlt_dec 0 0); simpl; [lra|reflexivity]. Qed.
Lemma larger_is x y : larger reals x y = Rmax x y.
Proof. unfold larger, Rmax. simpl. destruct (Rlt_dec x y), (Rle_dec x y); lra. Qed.
Lemma smaller_is x y : smaller reals x y = Rmin x y.
Proof. unfold smaller, Rmin. simpl. destruct (Rlt_dec y x), (Rle_dec x y); lra. Qed.

(* ---- the root mean square of n numbers, and their variance about any number *)
Definition rms (n : nat) (v : nat -> R) : R := sqrt (dot n v v / INR n).
Lemma sqrt_at_most a b : 0 <= b -> a <= b * b -> sqrt a <= b.
Proof. intros B L. rewrite <- (sqrt_square b B). apply sqrt_le_1_alt, L. Qed.
Lemma rms_square n v : (0 < n)%nat -> rms n v * rms n v = dot n v v / INR n.
Proof. intros N. apply sqrt_sqrt. apply div_nonneg; [apply dot_nonneg|apply INR_pos, N]. Qed.
Lemma rms_triangle n v w : (0 < n)%nat -> rms n (fun i => v i + w i) <= rms n v + rms n w.
Proof.
  intros N. pose proof (INR_pos n N) as P. pose proof (rms_square n v N) as V. pose proof (rms_square n w N) as W.
  assert (V0 : 0 <= rms n v) by apply sqrt_pos. assert (W0 : 0 <= rms n w) by apply sqrt_pos.
  assert (X : dot n v w / INR n <= rms n v * rms n w).
  { apply Rsqr_incr_0_var; [|apply Rmult_le_pos; assumption]. unfold Rsqr.
    replace (rms n v * rms n w * (rms n v * rms n w)) with ((rms n v * rms n v) * (rms n w * rms n w)) by ring. rewrite V, W.
    replace (dot n v v / INR n * (dot n w w / INR n)) with (dot n v v * dot n w w * (/ INR n * / INR n)) by (field; lra).
    replace (dot n v w / INR n * (dot n v w / INR n)) with ((dot n v w)^2 * (/ INR n * / INR n)) by (field; lra).
    apply Rmult_le_compat_r; [apply Rmult_le_pos; left; apply Rinv_0_lt_compat, P|apply cauchy_schwarz]. }
  apply sqrt_at_most; [lra|].
  replace (dot n (fun i => v i + w i) (fun i => v i + w i)) with (dot n v v + 2 * dot n v w + dot n w w).
  - replace ((dot n v v + 2 * dot n v w + dot n w w) / INR n) with (dot n v v / INR n + 2 * (dot n v w / INR n) + dot n w w / INR n)
      by (field; lra). rewrite <- V, <- W. lra.
  - transitivity (dot n (fun i => 1 * v i + 1 * w i) (fun i => 1 * v i + 1 * w i)); [rewrite dot_square; ring|].
    apply dot_ext; intros; ring.
Qed.
Lemma about_any n x c : (0 < n)%nat ->
  dot n (fun i => x i - c) (fun i => x i - c) / INR n = variance n x + (c - mean n x)^2.
Proof.
  intros N. pose proof (INR_pos n N). unfold variance, quadratic_mean.
  replace (dot n (fun i => x i - c) (fun i => x i - c)) with
    (1 * dot n (centred n x) (centred n x) + (2 * (mean n x - c)) * Sum n (centred n x) + (mean n x - c)^2 * Sum n (fun _ => 1)).
  - rewrite Sum_centred, Sum_const by exact N. field. lra.
  - unfold dot. rewrite <- Sum_lin3. apply Sum_ext. intros. unfold centred. ring.
Qed.
(* whatever m and the numbers y in place of x *)
Lemma root_of_variance n x y m : (0 < n)%nat ->
  sqrt (variance n x) <= rms n (fun i => y i - m) + rms n (fun i => x i - y i).
Proof.
  intros N. eapply Rle_trans; [|apply rms_triangle, N]. unfold rms. apply sqrt_le_1_alt.
  replace (dot n (fun i => y i - m + (x i - y i)) (fun i => y i - m + (x i - y i))) with (dot n (fun i => x i - m) (fun i => x i - m))
    by (apply dot_ext; intros; ring).
  rewrite about_any by exact N. pose proof (pow2_ge_0 (m - mean n x)). lra.
Qed.
Lemma leaves_of_order n o : order_of n o -> leaves o = n.
Proof.
  intros O. apply INR_eq. replace (INR (leaves o)) with (total (fun _ => 1) o).
  - rewrite O, Sum_const. ring.
  - clear. induction o as [|l IHl r IHr]; simpl; [reflexivity|]. rewrite plus_INR. lra.
Qed.
Lemma sum_rounded_ext rnd f g o : (forall i, f i = g i) -> sum_rounded rnd f o = sum_rounded rnd g o.
Proof. intros H. induction o as [|l IHl r IHr]; simpl; [apply H|]. rewrite IHl, IHr. reflexivity. Qed.
Lemma abs_div a b : 0 < b -> Rabs (a / b) = Rabs a / b.
Proof. intros P. unfold Rdiv. rewrite Rabs_mult, (Rabs_pos_eq (/ b)); [reflexivity|]. left. apply Rinv_0_lt_compat, P. Qed.
Lemma every_of_all (P : nat -> Prop) o : (forall i, P i) -> every P o.
Proof. intros H. induction o; simpl; auto. Qed.

Section Model.
(* what is known of the format: its unit roundoff, what a small result may be off by, what it holds, and what is a power of two *)
Variable u t : R.
Variable exactly is_power : R -> bool.
Hypothesis u_range : unit_roundoff 53 <= u <= / 8.
Hypothesis t_range : bpow radix2 (-1073) <= t.
Hypothesis power_is : forall b, is_power b = true -> exists e, b = bpow radix2 e.
Let F : arithmetic R := {| unit_of := u; tiny := t; represented := exactly; power_of_two := is_power |}.
Notation bounded := (@bounded R).
Notation sl := slack_of_bound.
Let ud := unit_roundoff 53.
Let etad := underflow (-1074).

Lemma ud_is : ud = / 2^53.
Proof. unfold ud, unit_roundoff. simpl. lra. Qed.
Lemma constants : 0 < ud /\ 0 < etad /\ 0 < u /\ 0 < t /\ 1 <= sl <= 2 /\ 1 <= sl * (1 - ud) /\ 4 * etad <= t.
Proof.
  pose proof ud_is as E. assert (0 < etad) by apply bpow_gt_0. pose proof (bpow_gt_0 radix2 (-1073)).
  assert (4 * etad <= t).
  { apply Rle_trans with (bpow radix2 (-1073)); [|exact t_range]. unfold etad, underflow.
    replace 4 with (bpow radix2 2) by (simpl; lra). rewrite <- bpow_plus. apply bpow_le. lia. }
  fold ud in u_range. unfold slack_of_bound. rewrite E in *. repeat split; lra.
Qed.

Lemma enlarged a : 0 <= a -> a <= a * sl.
Proof. destruct constants as (_ & _ & _ & _ & [L _] & _). intros A. rewrite <- (Rmult_1_r a) at 1. apply Rmult_le_compat_l; lra. Qed.

(* An operation of an implementation: off by a share of its result, or, where that is small, by t without a change of sign. *)
Definition computes (share r x : R) : Prop :=
  Rabs (r - x) <= share * Rabs x \/
  (Rabs (r - x) <= t /\ (0 <= x -> 0 <= r) /\ (x <= 0 -> r <= 0)).
(* An addition: off by u, or flushed where it cancels (what flushes holds no subnormal number, so that a sum of two that are
   not negative is none); 0 adds nothing. *)
Definition adds (r x y : R) : Prop :=
  (Rabs (r - (x + y)) <= u * Rabs (x + y) \/ (Rabs (x + y) <= t /\ r = 0 /\ (x < 0 \/ y < 0))) /\
  (x = 0 -> r = y) /\ (y = 0 -> r = x).
Inductive added (c : nat -> R) : tree -> R -> Prop :=
  | added_leaf i : added c (Leaf i) (c i)
  | added_node l r x y s : added c l x -> added c r y -> adds s x y -> added c (Node l r) s.
(* a constant as the format has it *)
Definition holds_constant (v c : R) : Prop :=
  (exactly v = true -> c = v) /\ Rabs (c - v) <= u * Rabs v + t /\ (0 <= v -> 0 <= c).

(* ---- sums of an implementation; z: which terms are 0 *)
Fixpoint count_of (z : nat -> bool) (o : tree) : nat :=
  match o with Leaf i => if z i then 0 else 1 | Node l r => count_of z l + count_of z r end.

Lemma total_0 z f o : (forall i, z i = true -> f i = 0) -> count_of z o = 0%nat -> total f o = 0.
Proof.
  intros H. induction o as [i|l IHl r IHr]; simpl; intros K.
  - destruct (z i) eqn:E; [auto|discriminate].
  - rewrite IHl, IHr by lia. ring.
Qed.
Lemma count_total z o : INR (count_of z o) = total (fun i => if z i then 0 else 1) o.
Proof. induction o as [i|l IHl r IHr]; simpl; [destruct (z i); reflexivity|]. rewrite plus_INR. lra. Qed.

Definition added_within (k : nat) (s sum mag : R) : Prop :=
  Rabs (s - sum) <= ((1 + u)^(k - 1) - 1) * mag + INR (k - 1) * t /\ Rabs s <= (1 + u)^(k - 1) * mag /\
  (k = 0%nat -> s = 0) /\ (k = 1%nat -> s = sum) /\ (k = 2%nat -> Rabs (s - sum) <= u * Rabs sum + t).

Lemma added_bound z c o s : (forall i, z i = true -> c i = 0) -> added c o s ->
  added_within (count_of z o) s (total c o) (total (fun i => Rabs (c i)) o).
Proof.
  intros Z. assert (Za : forall i, z i = true -> Rabs (c i) = 0) by (intros i E; rewrite Z, Rabs_R0; auto).
  destruct constants as (_ & _ & U & T & _).
  induction 1 as [i|l r x y s Hl IHl Hr IHr [A [A0 A1]]].
  - unfold added_within. simpl. destruct (z i) eqn:E; simpl; rewrite ?(Z i E), ?Rminus_diag_eq, ?Rabs_R0 by reflexivity.
    + repeat split; intros; try lia; lra.
    + repeat split; intros; try lia; lra.
  - simpl. set (kl := count_of z l) in *. set (kr := count_of z r) in *.
    destruct (Nat.eq_dec kl 0) as [El|Nl]; [|destruct (Nat.eq_dec kr 0) as [Er|Nr]].
    + destruct IHl as (_ & _ & X0 & _). rewrite (A0 (X0 El)), El. rewrite !(total_0 z _ l) by auto. simpl. rewrite !Rplus_0_l. exact IHr.
    + destruct IHr as (_ & _ & X0 & _). rewrite (A1 (X0 Er)), Er. rewrite !(total_0 z _ r) by auto.
      rewrite Nat.add_0_r, !Rplus_0_r. exact IHl.
    + destruct IHl as (L1 & L2 & _ & L3 & _), IHr as (R1 & R2 & _ & R3 & _).
      pose proof (total_nonneg _ l (fun i => Rabs_pos (c i))) as Ml. pose proof (total_nonneg _ r (fun i => Rabs_pos (c i))) as Mr.
      set (ml := total (fun i => Rabs (c i)) l) in *. set (mr := total (fun i => Rabs (c i)) r) in *.
      set (sl0 := total c l) in *. set (sr0 := total c r) in *.
      set (K := (kl + kr - 2)%nat). replace (kl + kr - 1)%nat with (S K) by lia.
      pose proof (power_mono u ltac:(lra) (kl - 1) K ltac:(lia)) as Pl.
      pose proof (power_mono u ltac:(lra) (kr - 1) K ltac:(lia)) as Pr.
      pose proof (power_at_least_1 u ltac:(lra) K) as P1. set (q := (1 + u)^K) in *.
      assert (N : INR (S K) = INR (kl - 1) + INR (kr - 1) + 1).
      { rewrite S_INR. unfold K. replace (kl + kr - 2)%nat with ((kl - 1) + (kr - 1))%nat by lia. rewrite plus_INR. ring. }
      assert (XL : Rabs x <= q * ml) by (eapply Rle_trans; [exact L2|]; apply Rmult_le_compat_r; lra).
      assert (YL : Rabs y <= q * mr) by (eapply Rle_trans; [exact R2|]; apply Rmult_le_compat_r; lra).
      assert (XE : Rabs (x - sl0) <= (q - 1) * ml + INR (kl - 1) * t).
      { eapply Rle_trans; [exact L1|]. apply Rplus_le_compat_r, Rmult_le_compat_r; lra. }
      assert (YE : Rabs (y - sr0) <= (q - 1) * mr + INR (kr - 1) * t).
      { eapply Rle_trans; [exact R1|]. apply Rplus_le_compat_r, Rmult_le_compat_r; lra. }
      assert (XY : Rabs (x + y) <= q * (ml + mr)) by (eapply Rle_trans; [apply Rabs_triang|]; lra).
      assert (D : Rabs (x + y - (sl0 + sr0)) <= (q - 1) * (ml + mr) + (INR (kl - 1) + INR (kr - 1)) * t).
      { replace (x + y - (sl0 + sr0)) with ((x - sl0) + (y - sr0)) by ring. eapply Rle_trans; [apply Rabs_triang|]. lra. }
      assert (Q : 0 <= q * (ml + mr)) by (apply Rmult_le_pos; lra).
      assert (UQ : 0 <= u * (q * (ml + mr))) by (apply Rmult_le_pos; lra).
      unfold added_within. replace (kl + kr - 1)%nat with (S K) by lia. rewrite N, <- tech_pow_Rmult. fold q.
      repeat split; try (intros; lia).
      * destruct A as [A|(A & -> & _)].
        -- replace (s - (sl0 + sr0)) with ((s - (x + y)) + (x + y - (sl0 + sr0))) by ring.
           eapply Rle_trans; [apply Rabs_triang|].
           assert (u * Rabs (x + y) <= u * (q * (ml + mr))) by (apply Rmult_le_compat_l; lra). lra.
        -- replace (0 - (sl0 + sr0)) with (- (x + y) + (x + y - (sl0 + sr0))) by ring.
           eapply Rle_trans; [apply Rabs_triang|]. rewrite Rabs_Ropp. lra.
      * destruct A as [A|(A & -> & _)].
        -- replace s with ((s - (x + y)) + (x + y)) by ring. eapply Rle_trans; [apply Rabs_triang|].
           assert (u * Rabs (x + y) <= u * (q * (ml + mr))) by (apply Rmult_le_compat_l; lra). lra.
        -- rewrite Rabs_R0. lra.
      * intros K2. rewrite <- (L3 ltac:(lia)), <- (R3 ltac:(lia)). destruct A as [A|(A & -> & _)]; [lra|].
        rewrite Rminus_0_l, Rabs_Ropp. assert (0 <= u * Rabs (x + y)) by (apply Rmult_le_pos; [lra|apply Rabs_pos]). lra.
Qed.
Lemma added_nonneg z c o s : (forall i, z i = true -> c i = 0) -> (forall i, 0 <= c i) -> added c o s ->
  0 <= s /\ (1 - INR (count_of z o - 1) * u) * total c o <= s.
Proof.
  intros Z C. destruct constants as (_ & _ & U & T & _).
  assert (G : forall o s, added c o s -> 0 <= s /\ (1 - u)^(count_of z o - 1) * total c o <= s).
  { clear o s. induction 1 as [i|l r x y s Hl [Xp Xl] Hr [Yp Yl] [A [A0 A1]]].
    - simpl. destruct (z i); simpl; split; auto; rewrite Rmult_1_l; lra.
    - simpl. set (kl := count_of z l) in *. set (kr := count_of z r) in *.
      pose proof (total_nonneg c l C). pose proof (total_nonneg c r C).
      destruct (Nat.eq_dec kl 0) as [El|Nl]; [|destruct (Nat.eq_dec kr 0) as [Er|Nr]].
      + assert (X0 : total c l = 0) by (apply (total_0 z); auto).
        destruct (added_bound z c l x Z Hl) as (_ & _ & E0 & _). rewrite (A0 (E0 El)), El, X0, Rplus_0_l. simpl. auto.
      + assert (Y0 : total c r = 0) by (apply (total_0 z); auto).
        destruct (added_bound z c r y Z Hr) as (_ & _ & E0 & _). rewrite (A1 (E0 Er)), Er, Y0, Rplus_0_r, Nat.add_0_r. auto.
      + destruct A as [A|(_ & _ & [B|B])]; [|lra|lra]. rewrite (Rabs_pos_eq (x + y)) in A by lra. apply abs_between in A.
        assert (P : forall k m, (k <= m)%nat -> 0 <= (1 - u)^m <= (1 - u)^k).
        { intros k m L. split; [apply pow_le; lra|]. replace m with (k + (m - k))%nat by lia. rewrite pow_add.
          assert (0 <= (1 - u)^k) by (apply pow_le; lra). pose proof (pow_incr (1 - u) 1 (m - k) ltac:(lra)) as Q. rewrite pow1 in Q.
          nra. }
        set (K := (kl + kr - 2)%nat). replace (kl + kr - 1)%nat with (S K) by lia.
        destruct (P (kl - 1)%nat K ltac:(lia)) as [Q0 Ql]. destruct (P (kr - 1)%nat K ltac:(lia)) as [_ Qr].
        rewrite <- tech_pow_Rmult. set (q := (1 - u)^K) in *.
        assert (q * total c l <= x) by (eapply Rle_trans; [|exact Xl]; apply Rmult_le_compat_r; lra).
        assert (q * total c r <= y) by (eapply Rle_trans; [|exact Yl]; apply Rmult_le_compat_r; lra).
        split; [nra|]. apply Rle_trans with ((1 - u) * (x + y)); [|lra].
        rewrite Rmult_assoc. apply Rmult_le_compat_l; lra. }
  intros H. destruct (G o s H) as [P L]. split; [exact P|]. eapply Rle_trans; [|exact L].
  apply Rmult_le_compat_r; [apply total_nonneg, C|]. generalize (count_of z o - 1)%nat. intros k. induction k.
  - simpl. lra.
  - rewrite S_INR, <- tech_pow_Rmult. assert (0 <= INR k) by apply pos_INR.
    assert (0 <= (1 - u)^k) by (apply pow_le; lra).
    apply Rle_trans with ((1 - u) * (1 - INR k * u)); [nra|]. apply Rmult_le_compat_l; lra.
Qed.

(* ---- what a bound says of the exact a and of the c of an implementation *)
Definition near (A : bounded) (a c : R) : Prop :=
  is_double (value A) /\ Rabs (value A - a) <= error A /\ Rabs (c - a) <= error A.
Definition above (A : bounded) (a c : R) : Prop := least reals A <= a /\ least reals A <= c.

Lemma near_least A a c : near A a c -> value A - 2 * error A <= a /\ value A - 2 * error A <= c.
Proof. intros (_ & V & C). apply abs_between in V. apply abs_between in C. lra. Qed.
Lemma above_of_none A a c : near A a c -> floor A = None -> above A a c.
Proof. intros N E. unfold above, least. rewrite E. apply near_least, N. Qed.
Lemma above_of_some A a c l : near A a c -> floor A = Some l -> l <= a -> l <= c -> above A a c.
Proof.
  intros N E La Lc. unfold above, least. rewrite E, larger_is. destruct (near_least A a c N).
  simpl. split; apply Rmax_lub; assumption.
Qed.
Lemma least_of_some A l : floor A = Some l -> l <= least reals A.
Proof. intros E. unfold least. rewrite E, larger_is. apply Rmax_l. Qed.
Lemma error_nonneg A a c : near A a c -> 0 <= error A.
Proof. intros (_ & V & _). eapply Rle_trans; [apply Rabs_pos|exact V]. Qed.
Lemma largest_is A a c : near A a c -> Rabs (value A) <= largest reals A /\ Rabs c <= largest reals A /\
  Rabs a <= Rabs (value A) + error A.
Proof.
  intros N. pose proof (error_nonneg A a c N) as E. destruct N as (_ & V & C). unfold largest. simpl.
  assert (Rabs a <= Rabs (value A) + error A).
  { replace a with (value A - (value A - a)) by ring. eapply Rle_trans; [apply Rabs_triang|]. rewrite Rabs_Ropp. lra. }
  assert (Rabs c <= Rabs a + error A).
  { replace c with (a + (c - a)) by ring. eapply Rle_trans; [apply Rabs_triang|]. lra. }
  repeat split; lra.
Qed.

Lemma rounded_down_nonneg l share lost : 0 <= rounded_down reals l share lost.
Proof.
  unfold rounded_down. simpl. destruct (Rlt_dec 0 _); lra.
Qed.
Lemma rounded_down_at_most l share lost x : 0 <= share < 1 -> l <= x -> 0 <= x ->
  rounded_down reals l share lost <= Rmax (x * (1 - share) - lost) 0.
Proof.
  intros [S0 S1] L X. unfold rounded_down. simpl. destruct constants as (_ & _ & _ & T & [L1 L2] & _).
  destruct (Rlt_dec 0 _) as [H|_]; [|apply Rmax_r]. eapply Rle_trans; [|apply Rmax_l]. apply Rplus_le_compat_r. apply div_le_of; [lra|].
  apply Rle_trans with (x * (1 - share)); [apply Rmult_le_compat_r; lra|]. apply enlarged, Rmult_le_pos; lra.
Qed.
Lemma rounded_down_of_exact l share lost a : 0 <= share < 1 -> l <= a -> 0 <= a -> 0 <= lost ->
  rounded_down reals l share lost <= a.
Proof.
  intros S L A T. eapply Rle_trans; [apply (rounded_down_at_most l share lost a); assumption|].
  apply Rmax_lub; [|exact A]. assert (0 <= a * share) by (apply Rmult_le_pos; lra). lra.
Qed.
Lemma rounded_down_of l share x r : 0 <= share < 1 -> l <= x -> 0 <= x -> computes share r x ->
  rounded_down reals l share t <= r.
Proof.
  intros S L X C. eapply Rle_trans; [apply (rounded_down_at_most l share t x); assumption|]. destruct constants as (_ & _ & _ & T & _).
  assert (0 <= x * share) by (apply Rmult_le_pos; lra). assert (0 <= x * (1 - share)) by (apply Rmult_le_pos; lra).
  destruct C as [C|(C & P & _)].
  - rewrite (Rabs_pos_eq x) in C by exact X. apply abs_between in C. apply Rmax_lub; lra.
  - apply abs_between in C. specialize (P X). apply Rmax_lub; lra.
Qed.

Lemma double_any x : Rabs (double x - x) <= ud * Rabs x + etad.
Proof. apply nearest_any. reflexivity. Qed.
Lemma is_double_double x : is_double (double x).
Proof. apply nearest_held. reflexivity. Qed.

Lemma step Yv Yc a c p : Rabs (Yv - a) <= p -> Rabs (Yc - a) <= p -> computes (4 * u) c Yc ->
  Rabs (double Yv - a) <= error_of reals F (double Yv) p /\ Rabs (c - a) <= error_of reals F (double Yv) p.
Proof.
  intros Hv Hc C. destruct constants as (D0 & E0 & U & T & [L1 L2] & L3 & E4). fold ud in u_range.
  assert (P0 : 0 <= p) by (eapply Rle_trans; [apply Rabs_pos|exact Hv]).
  pose proof (double_any Yv) as R. set (r := double Yv) in *.
  assert (YV : Rabs Yv <= sl * (Rabs r + etad)).
  { assert (Rabs Yv <= Rabs r + Rabs (r - Yv)).
    { replace Yv with (r - (r - Yv)) at 1 by ring. eapply Rle_trans; [apply Rabs_triang|]. rewrite Rabs_Ropp. lra. }
    pose proof (Rabs_pos Yv). pose proof (Rabs_pos r).
    apply Rle_trans with (sl * (1 - ud) * Rabs Yv); [rewrite <- (Rmult_1_l (Rabs Yv)) at 1; apply Rmult_le_compat_r; lra|].
    rewrite Rmult_assoc. apply Rmult_le_compat_l; lra. }
  assert (YC : Rabs Yc <= Rabs Yv + 2 * p).
  { replace Yc with (Yv + ((Yc - a) - (Yv - a))) by ring. eapply Rle_trans; [apply Rabs_triang|].
    pose proof (Rabs_triang (Yc - a) (- (Yv - a))) as Q. rewrite Rabs_Ropp in Q.
    replace (Yc - a + - (Yv - a)) with (Yc - a - (Yv - a)) in Q by ring. lra. }
  unfold error_of. simpl. pose proof (Rabs_pos r) as Rp.
  assert (UV : u * Rabs Yv <= u * (sl * Rabs r) + etad / 4).
  { apply Rle_trans with (u * (sl * (Rabs r + etad))); [apply Rmult_le_compat_l; lra|].
    assert (u * sl * etad <= / 4 * etad); [|lra]. apply Rmult_le_compat_r; nra. }
  assert (B : p + 4 * u * (Rabs Yv + 2 * p) <= (p + 4 * u * (Rabs r + 2 * p)) * sl + etad).
  { assert (0 <= (p + 4 * u * (2 * p)) * (sl - 1)) by (apply Rmult_le_pos; nra). lra. }
  split.
  - replace (r - a) with ((r - Yv) + (Yv - a)) by ring. eapply Rle_trans; [apply Rabs_triang|].
    assert (ud * Rabs Yv <= u * Rabs Yv) by (apply Rmult_le_compat_r; [apply Rabs_pos|lra]).
    assert (0 <= u * Rabs Yv) by (apply Rmult_le_pos; [lra|apply Rabs_pos]). nra.
  - replace (c - a) with ((c - Yc) + (Yc - a)) by ring. eapply Rle_trans; [apply Rabs_triang|].
    destruct C as [C|(C & _)].
    + assert (4 * u * Rabs Yc <= 4 * u * (Rabs Yv + 2 * p)) by (apply Rmult_le_compat_l; lra). lra.
    + assert (0 <= (p + 4 * u * (Rabs r + 2 * p)) * sl - p); [|lra].
      assert (0 <= 4 * u * (Rabs r + 2 * p)) by (apply Rmult_le_pos; lra). nra.
Qed.

(* ---- sums: the bound of a sum in the order of the reference holds for every order *)
Lemma total_triangle f o : Rabs (total f o) <= total (fun i => Rabs (f i)) o.
Proof. induction o; simpl; [lra|]. eapply Rle_trans; [apply Rabs_triang|]. lra. Qed.
Lemma add_is A B : is_exact_0 reals A = false -> is_exact_0 reals B = false ->
  let n := (terms_of A + terms_of B)%nat in
  let M := (magnitudes_of reals A + magnitudes_of reals B) * sl in
  let P := (errors_of A + errors_of B) * sl in
  let v := double (value A + value B) in
  add reals F A B = Bounded v
    ((P + gamma u (n - 1) * (if open A || open B then M else Rabs v + 2 * P)) * sl + INR (n - 1) * t)
    (if not_negative reals (least reals A) && not_negative reals (least reals B)
     then Some (rounded_down reals (least reals A + least reals B) (INR (n - 1) * u) 0) else None)
    true n M P (judged A && judged B && (if Rlt_dec (INR (n - 1) * u) (/ 2) then true else false)).
Proof. intros Ha Hb. unfold add. rewrite Ha, Hb. reflexivity. Qed.

Lemma equal_of q x y m : Rabs (x - y) <= ((1 + q)^(1 - 1) - 1) * m -> x = y.
Proof.
  simpl. replace (1 - 1) with 0 by ring. rewrite Rmult_0_l. intros H.
  destruct (Req_dec (x - y) 0) as [Q|Q]; [lra|]. pose proof (Rabs_pos_lt _ Q). lra.
Qed.

Section Sums.
Variable f : nat -> bounded.
Variables a c : nat -> R.
Hypothesis leaf_closed : forall i, open (f i) = false.
Hypothesis leaf_near : forall i, near (f i) (a i) (c i).
Let z (i : nat) : bool := is_exact_0 reals (f i).
Let v (i : nat) : R := value (f i).

Lemma zero_leaf i : z i = true -> v i = 0 /\ error (f i) = 0 /\ a i = 0 /\ c i = 0.
Proof.
  unfold z, v, is_exact_0. intros H. apply andb_true_iff in H. destruct H as [V E].
  apply is_0_true in V. apply is_0_true in E. destruct (leaf_near i) as (_ & A & C).
  rewrite V, E in A. rewrite E in C. pose proof (Rabs_pos (0 - a i)). pose proof (Rabs_pos (c i - a i)).
  assert (a i = 0).
  { destruct (Req_dec (0 - a i) 0) as [Z|Z]; [lra|]. pose proof (Rabs_pos_lt _ Z). lra. }
  assert (c i = a i).
  { destruct (Req_dec (c i - a i) 0) as [Z|Z]; [lra|]. pose proof (Rabs_pos_lt _ Z). lra. }
  repeat split; lra.
Qed.

Record good (k : nat) (o : tree) (N : bounded) : Prop := {
  good_zero : is_exact_0 reals N = Nat.eqb k 0;
  good_leaf : (k <= 1)%nat -> exists i, N = f i /\ total a o = a i /\ total c o = c i;
  good_open : open N = Nat.leb 2 k;
  good_terms : (1 <= k)%nat -> terms_of N = k;
  good_c : total (fun i => Rabs (c i)) o <= magnitudes_of reals N;
  good_v : total (fun i => Rabs (v i)) o <= magnitudes_of reals N;
  good_ca : total (fun i => Rabs (c i - a i)) o <= errors_of N;
  good_va : total (fun i => Rabs (v i - a i)) o <= errors_of N;
  good_held : is_double (value N);
  good_value : Rabs (value N - total v o) <= ((1 + ud)^(k - 1) - 1) * total (fun i => Rabs (v i)) o;
  good_exact : Rabs (value N - total a o) <= error N;
  good_errors : errors_of N <= error N;
  good_error : (2 <= k)%nat -> errors_of N + INR (k - 1) * t
    + (if Nat.eqb k 2 then u * Rabs (total c o) else gamma u (k - 1) * total (fun i => Rabs (c i)) o) <= error N }.

Lemma sum_good o : INR (count_of z o - 1) * u < / 2 -> good (count_of z o) o (sum_of reals F f o).
Proof.
  destruct constants as (D0 & E0 & U & T & [L1 L2] & L3 & _). fold ud in u_range. induction o as [i|l IHl r IHr]; intros K.
  - simpl sum_of. simpl count_of in *. pose proof (leaf_near i) as N. destruct (largest_is _ _ _ N) as (Nv & Nc & _).
    pose proof (error_nonneg _ _ _ N) as E. destruct N as (H & V & C).
    assert (CL : open (f i) = false) by apply leaf_closed.
    fold (z i). constructor; unfold terms_of, magnitudes_of, errors_of; rewrite ?CL; simpl; unfold v.
    + fold (z i). destruct (z i); reflexivity.
    + intros _. exists i. auto.
    + destruct (z i); reflexivity.
    + destruct (z i); simpl; intros; [lia|reflexivity].
    + exact Nc.
    + exact Nv.
    + exact C.
    + exact V.
    + exact H.
    + rewrite Rminus_diag_eq, Rabs_R0 by reflexivity. destruct (z i); simpl; right; ring.
    + exact V.
    + lra.
    + destruct (z i); simpl; intros; lia.
  - simpl sum_of. simpl count_of in *. set (kl := count_of z l) in *. set (kr := count_of z r) in *.
    assert (Kl : INR (kl - 1) * u < / 2).
    { eapply Rle_lt_trans; [|exact K]. apply Rmult_le_compat_r; [lra|]. apply le_INR. lia. }
    assert (Kr : INR (kr - 1) * u < / 2).
    { eapply Rle_lt_trans; [|exact K]. apply Rmult_le_compat_r; [lra|]. apply le_INR. lia. }
    specialize (IHl Kl). specialize (IHr Kr). set (A := sum_of reals F f l) in *. set (B := sum_of reals F f r) in *.
    assert (Zero : forall g, (forall i, z i = true -> g i = 0) -> forall o, count_of z o = 0%nat -> total g o = 0)
      by (intros; apply (total_0 z); auto).
    assert (Zc : forall i, z i = true -> c i = 0) by (intros i H; apply zero_leaf, H).
    assert (Za : forall i, z i = true -> a i = 0) by (intros i H; apply zero_leaf, H).
    assert (Zv : forall i, z i = true -> v i = 0) by (intros i H; apply zero_leaf, H).
    assert (Zac : forall i, z i = true -> Rabs (c i) = 0) by (intros i H; rewrite Zc, Rabs_R0; auto).
    assert (Zav : forall i, z i = true -> Rabs (v i) = 0) by (intros i H; rewrite Zv, Rabs_R0; auto).
    assert (Zca : forall i, z i = true -> Rabs (c i - a i) = 0)
      by (intros i H; rewrite Zc, Za, Rminus_0_r, Rabs_R0; auto).
    assert (Zva : forall i, z i = true -> Rabs (v i - a i) = 0)
      by (intros i H; rewrite Zv, Za, Rminus_0_r, Rabs_R0; auto).
    destruct (Nat.eq_dec kr 0) as [Er|Nr]; [|destruct (Nat.eq_dec kl 0) as [El|Nl]].
    + unfold add. rewrite (good_zero _ _ _ IHr), Er, Nat.add_0_r. simpl Nat.eqb.
      destruct IHl. constructor; simpl total; rewrite ?(Zero _ Zc r), ?(Zero _ Za r), ?(Zero _ Zv r), ?(Zero _ Zac r),
        ?(Zero _ Zav r), ?(Zero _ Zca r), ?(Zero _ Zva r), ?Rplus_0_r by exact Er; assumption.
    + unfold add. rewrite (good_zero _ _ _ IHr), (good_zero _ _ _ IHl), El, (proj2 (Nat.eqb_neq kr 0) Nr). simpl Nat.eqb. simpl plus.
      destruct IHr. constructor; simpl total; rewrite ?(Zero _ Zc l), ?(Zero _ Za l), ?(Zero _ Zv l), ?(Zero _ Zac l),
        ?(Zero _ Zav l), ?(Zero _ Zca l), ?(Zero _ Zva l), ?Rplus_0_l by exact El; assumption.
    + rewrite add_is by (rewrite ?(good_zero _ _ _ IHl), ?(good_zero _ _ _ IHr); apply Nat.eqb_neq; assumption).
      cbv zeta. rewrite (good_terms _ _ _ IHl), (good_terms _ _ _ IHr), (good_open _ _ _ IHl), (good_open _ _ _ IHr) by lia.
      destruct IHl as [_ _ _ _ c1 v1 ca1 va1 h1 val1 ex1 _ _], IHr as [_ _ _ _ c2 v2 ca2 va2 h2 val2 ex2 _ _].
      set (Ma := magnitudes_of reals A) in *. set (Mb := magnitudes_of reals B) in *.
      set (Pa := errors_of A) in *. set (Pb := errors_of B) in *.
      set (k := (kl + kr)%nat) in *.
      pose proof (total_nonneg _ l (fun i => Rabs_pos (c i))) as c1p. pose proof (total_nonneg _ r (fun i => Rabs_pos (c i))) as c2p.
      pose proof (total_nonneg _ l (fun i => Rabs_pos (v i))) as v1p. pose proof (total_nonneg _ r (fun i => Rabs_pos (v i))) as v2p.
      pose proof (total_nonneg _ l (fun i => Rabs_pos (c i - a i))) as ca1p.
      pose proof (total_nonneg _ r (fun i => Rabs_pos (c i - a i))) as ca2p.
      assert (M1 : Ma + Mb <= (Ma + Mb) * sl) by (apply enlarged; lra). assert (P1 : Pa + Pb <= (Pa + Pb) * sl) by (apply enlarged; lra).
      set (M := (Ma + Mb) * sl) in *. set (P := (Pa + Pb) * sl) in *.
      set (w := double (value A + value B)).
      assert (G0 : 0 <= gamma u (k - 1)) by (apply gamma_nonneg; lra).
      assert (G : (1 + u)^(k - 1) - 1 <= gamma u (k - 1)) by (apply power_gamma; lra).
      assert (Gd : (1 + ud)^(k - 1) <= (1 + u)^(k - 1)) by (apply pow_incr; lra).
      assert (W : Rabs (w - (value A + value B)) <= ud * Rabs (value A + value B)).
      { apply nearest_sum; [reflexivity|exact h1|exact h2]. }
      assert (VV : Rabs (w - (total v l + total v r))
        <= ((1 + ud)^(k - 1) - 1) * (total (fun i => Rabs (v i)) l + total (fun i => Rabs (v i)) r)).
      { set (K' := (k - 2)%nat). replace (k - 1)%nat with (S K') by lia. rewrite <- tech_pow_Rmult.
        pose proof (power_mono ud ltac:(lra) (kl - 1) K' ltac:(lia)). pose proof (power_mono ud ltac:(lra) (kr - 1) K' ltac:(lia)).
        pose proof (power_at_least_1 ud ltac:(lra) K'). set (q := (1 + ud)^K') in *.
        set (m1 := total (fun i => Rabs (v i)) l) in *. set (m2 := total (fun i => Rabs (v i)) r) in *.
        assert (X1 : Rabs (value A - total v l) <= (q - 1) * m1) by (eapply Rle_trans; [exact val1|]; apply Rmult_le_compat_r; lra).
        assert (X2 : Rabs (value B - total v r) <= (q - 1) * m2) by (eapply Rle_trans; [exact val2|]; apply Rmult_le_compat_r; lra).
        assert (D : Rabs (value A + value B - (total v l + total v r)) <= (q - 1) * (m1 + m2)).
        { replace (value A + value B - (total v l + total v r)) with ((value A - total v l) + (value B - total v r)) by ring.
          eapply Rle_trans; [apply Rabs_triang|]. lra. }
        assert (X3 : Rabs (value A + value B) <= q * (m1 + m2)).
        { replace (value A + value B) with ((total v l + total v r) + (value A + value B - (total v l + total v r))) by ring.
          eapply Rle_trans; [apply Rabs_triang|]. pose proof (Rabs_triang (total v l) (total v r)).
          pose proof (total_triangle v l) as T1. pose proof (total_triangle v r) as T2. fold m1 in T1. fold m2 in T2. lra. }
        replace (w - (total v l + total v r)) with ((w - (value A + value B)) + (value A + value B - (total v l + total v r))) by ring.
        eapply Rle_trans; [apply Rabs_triang|].
        assert (ud * Rabs (value A + value B) <= ud * (q * (m1 + m2))) by (apply Rmult_le_compat_l; lra). lra. }
      assert (VA : Rabs (total v l + total v r - (total a l + total a r)) <= Pa + Pb).
      { replace (total v l + total v r - (total a l + total a r)) with ((total v l - total a l) + (total v r - total a r)) by ring.
        eapply Rle_trans; [apply Rabs_triang|]. pose proof (total_off v a l). pose proof (total_off v a r). lra. }
      assert (CA : Rabs (total c l + total c r - (total a l + total a r)) <= Pa + Pb).
      { replace (total c l + total c r - (total a l + total a r)) with ((total c l - total a l) + (total c r - total a r)) by ring.
        eapply Rle_trans; [apply Rabs_triang|]. pose proof (total_off c a l). pose proof (total_off c a r). lra. }
      assert (Kn : 1 <= INR (k - 1)) by (replace 1 with (INR 1) by reflexivity; apply le_INR; lia).
      set (sums := if Nat.leb 2 kl || Nat.leb 2 kr then M else Rabs w + 2 * P).
      assert (S0 : 0 <= sums).
      { unfold sums. destruct (_ || _); [lra|]. pose proof (Rabs_pos w). lra. }
      assert (GS : 0 <= gamma u (k - 1) * sums) by (apply Rmult_le_pos; assumption).
      assert (E1 : P + gamma u (k - 1) * sums <= (P + gamma u (k - 1) * sums) * sl) by (apply enlarged; lra).
      assert (KT : t <= INR (k - 1) * t) by (rewrite <- (Rmult_1_l t) at 1; apply Rmult_le_compat_r; lra).
      (* two terms of one rounding *)
      assert (Two : Nat.leb 2 kl || Nat.leb 2 kr = false -> k = 2%nat /\ w = double (total v l + total v r) /\
        Rabs (total v l + total v r) <= Rabs w + ud * Rabs (total v l + total v r) /\ gamma u 1 * (1 - ud) >= u /\ gamma u (k - 1) = gamma u 1).
      { intros H. apply orb_false_iff in H. destruct H as [H1 H2]. apply Nat.leb_gt in H1. apply Nat.leb_gt in H2.
        assert (kl = 1%nat) as -> by lia. assert (kr = 1%nat) as -> by lia. split; [reflexivity|].
        pose proof (equal_of _ _ _ _ val1) as Q1. pose proof (equal_of _ _ _ _ val2) as Q2.
        split; [unfold w; rewrite Q1, Q2; reflexivity|]. rewrite Q1, Q2 in W. split.
        - set (y := total v l + total v r) in *. pose proof (Rabs_triang w (- (w - y))) as Q. rewrite Rabs_Ropp in Q.
          replace (w + - (w - y)) with y in Q by ring. lra.
        - split; [|reflexivity]. unfold gamma. simpl INR. rewrite Rmult_1_l.
          assert (u <= u * (1 - ud) / (1 - u)); [|unfold Rdiv in *; lra]. apply le_div; [lra|]. apply Rmult_le_compat_l; lra. }
      constructor; unfold terms_of, magnitudes_of, errors_of; cbn [open terms magnitudes errors value error].
      * assert (Nat.eqb k 0 = false) as -> by (apply Nat.eqb_neq; lia).
        unfold is_exact_0. cbn [value error]. apply andb_false_iff. right. unfold is_0. simpl.
        destruct (Rlt_dec _ 0); simpl; [reflexivity|]. destruct (Rlt_dec 0 _) as [|H]; [reflexivity|]. exfalso. apply H. lra.
      * lia.
      * symmetry. apply Nat.leb_le. lia.
      * reflexivity.
      * simpl. lra.
      * simpl. lra.
      * simpl. lra.
      * simpl. lra.
      * apply is_double_double.
      * exact VV.
      * simpl total. replace (w - (total a l + total a r))
          with ((w - (total v l + total v r)) + (total v l + total v r - (total a l + total a r))) by ring.
        eapply Rle_trans; [apply Rabs_triang|]. unfold sums in *.
        destruct (Nat.leb 2 kl || Nat.leb 2 kr) eqn:OB.
        -- assert (((1 + ud)^(k - 1) - 1) * (total (fun i => Rabs (v i)) l + total (fun i => Rabs (v i)) r)
             <= gamma u (k - 1) * M); [|lra].
           apply Rmult_le_compat; try lra. pose proof (power_at_least_1 ud ltac:(lra) (k - 1)). lra.
        -- destruct (Two eq_refl) as (_ & Ew & B1 & B2 & B3). rewrite B3 in *.
           assert (B4 : Rabs (w - (total v l + total v r)) <= ud * Rabs (total v l + total v r)).
           { assert (HH : is_double (total v l) /\ is_double (total v r)).
             { assert (kl = 1%nat /\ kr = 1%nat) as [Ekl Ekr].
               { apply orb_false_iff in OB. destruct OB as [H1 H2]. apply Nat.leb_gt in H1. apply Nat.leb_gt in H2. lia. }
               rewrite Ekl in val1. rewrite Ekr in val2.
               rewrite <- (equal_of _ _ _ _ val1), <- (equal_of _ _ _ _ val2). auto. }
             rewrite Ew. apply nearest_sum; [reflexivity|apply HH|apply HH]. }
           set (y := Rabs (total v l + total v r)) in *. assert (0 <= y) by apply Rabs_pos.
           assert (ud * y <= gamma u 1 * Rabs w).
           { apply Rle_trans with (gamma u 1 * ((1 - ud) * y)); [|apply Rmult_le_compat_l; lra].
             rewrite <- Rmult_assoc. apply Rmult_le_compat_r; lra. }
           assert (0 <= gamma u 1 * (2 * P)) by (apply Rmult_le_pos; lra). lra.
      * lra.
      * intros _. simpl total. unfold sums in *. destruct (Nat.leb 2 kl || Nat.leb 2 kr) eqn:OB.
        -- assert (Nat.eqb k 2 = false) as ->.
           { apply Nat.eqb_neq. apply orb_true_iff in OB. rewrite !Nat.leb_le in OB. lia. }
           assert (gamma u (k - 1) * (total (fun i => Rabs (c i)) l + total (fun i => Rabs (c i)) r) <= gamma u (k - 1) * M)
             by (apply Rmult_le_compat_l; lra). lra.
        -- destruct (Two eq_refl) as (-> & Ew & B1 & B2 & B3). simpl Nat.eqb. cbv iota. rewrite B3 in *.
           set (y := Rabs (total v l + total v r)) in *. assert (0 <= y) by apply Rabs_pos.
           assert (Rabs (total c l + total c r) <= y + 2 * (Pa + Pb)).
           { replace (total c l + total c r) with ((total v l + total v r)
               + ((total c l + total c r - (total a l + total a r)) + - (total v l + total v r - (total a l + total a r)))) by ring.
             eapply Rle_trans; [apply Rabs_triang|]. fold y.
             pose proof (Rabs_triang (total c l + total c r - (total a l + total a r)) (- (total v l + total v r - (total a l + total a r)))) as Q.
             rewrite Rabs_Ropp in Q. lra. }
           assert (Gu : u <= gamma u 1) by (assert (0 <= gamma u 1 * ud) by (apply Rmult_le_pos; lra); lra).
           assert (u * Rabs (total c l + total c r) <= u * (y + 2 * (Pa + Pb))) by (apply Rmult_le_compat_l; lra).
           assert (u * y <= gamma u 1 * Rabs w).
           { apply Rle_trans with (gamma u 1 * ((1 - ud) * y)); [|apply Rmult_le_compat_l; lra].
             rewrite <- Rmult_assoc. apply Rmult_le_compat_r; lra. }
           assert (u * (2 * (Pa + Pb)) <= gamma u 1 * (2 * P)) by (apply Rmult_le_compat; lra). lra.
Qed.

(* o the order of the reference, o' that of the implementation *)
Lemma sum_near o o' s : INR (leaves o - 1) * u < / 2 -> (forall g, total g o' = total g o) -> added c o' s ->
  near (sum_of reals F f o) (total a o) s.
Proof.
  intros L O H. destruct constants as (D0 & E0 & U & T & _).
  assert (K : INR (count_of z o - 1) * u < / 2).
  { eapply Rle_lt_trans; [|exact L]. apply Rmult_le_compat_r; [lra|]. apply le_INR.
    assert (count_of z o <= leaves o)%nat; [|lia]. clear. induction o; simpl; [destruct (z i)|]; lia. }
  assert (Zc : forall i, z i = true -> c i = 0) by (intros i Q; apply zero_leaf, Q).
  pose proof (added_bound z c o' s Zc H) as (B1 & B2 & B3 & B4 & B5).
  assert (KK : count_of z o' = count_of z o).
  { apply INR_eq. rewrite !count_total. apply O. }
  rewrite KK in *. rewrite !O in *. clear KK.
  destruct (sum_good o K) as [_ _ _ _ _ _ ca _ h _ ex er er2]. set (N := sum_of reals F f o) in *. set (k := count_of z o) in *.
  split; [exact h|]. split; [exact ex|].
  assert (CA : Rabs (total c o - total a o) <= errors_of N) by (eapply Rle_trans; [apply total_off|exact ca]).
  destruct k as [|[|k']] eqn:Ek.
  - rewrite (B3 eq_refl). assert (total c o = 0) as <- by (apply (total_0 z); auto). lra.
  - rewrite (B4 eq_refl). lra.
  - specialize (er2 ltac:(lia)). replace (s - total a o) with ((s - total c o) + (total c o - total a o)) by ring.
    eapply Rle_trans; [apply Rabs_triang|]. destruct k' as [|k''].
    + specialize (B5 eq_refl). simpl in er2. lra.
    + simpl Nat.eqb in er2. cbv iota in er2.
      pose proof (power_gamma u ltac:(lra) (S (S (S k'')) - 1) ltac:(lra)) as G.
      assert (((1 + u)^(S (S (S k'')) - 1) - 1) * total (fun i => Rabs (c i)) o
        <= gamma u (S (S (S k'')) - 1) * total (fun i => Rabs (c i)) o).
      { apply Rmult_le_compat_r; [apply total_nonneg; intros; apply Rabs_pos|exact G]. }
      lra.
Qed.

(* where no term is negative, the sum is at least its floor *)
Hypothesis leaf_above : forall i, 0 <= least reals (f i) /\ above (f i) (a i) (c i).

Lemma sum_least o : INR (count_of z o - 1) * u < / 2 ->
  let N := sum_of reals F f o in
  0 <= least reals N /\ least reals N <= total a o /\ least reals N <= total c o /\
  ((2 <= count_of z o)%nat -> exists l, floor N = Some l /\ 0 <= l /\ l <= (1 - INR (count_of z o - 1) * u) * total c o).
Proof.
  destruct constants as (D0 & E0 & U & T & [L1 L2] & _). cbv zeta.
  assert (Zc : forall i, z i = true -> c i = 0) by (intros i H; apply zero_leaf, H).
  assert (Za : forall i, z i = true -> a i = 0) by (intros i H; apply zero_leaf, H).
  induction o as [i|l IHl r IHr]; intros K.
  - simpl. destruct (leaf_above i) as (P & A & C). repeat split; auto. destruct (z i); simpl; lia.
  - pose proof (sum_good (Node l r) K) as GN. simpl sum_of in *. simpl count_of in *. set (kl := count_of z l) in *. set (kr := count_of z r) in *.
    assert (Kl : INR (kl - 1) * u < / 2).
    { eapply Rle_lt_trans; [|exact K]. apply Rmult_le_compat_r; [lra|]. apply le_INR. lia. }
    assert (Kr : INR (kr - 1) * u < / 2).
    { eapply Rle_lt_trans; [|exact K]. apply Rmult_le_compat_r; [lra|]. apply le_INR. lia. }
    specialize (IHl Kl). specialize (IHr Kr).
    pose proof (sum_good l Kl) as GA. pose proof (sum_good r Kr) as GB.
    set (A := sum_of reals F f l) in *. set (B := sum_of reals F f r) in *. fold kl in GA. fold kr in GB.
    destruct (Nat.eq_dec kr 0) as [Er|Nr]; [|destruct (Nat.eq_dec kl 0) as [El|Nl]].
    + unfold add. rewrite (good_zero _ _ _ GB), Er, Nat.add_0_r. simpl Nat.eqb. cbv iota. simpl total.
      rewrite (total_0 z a r), (total_0 z c r), !Rplus_0_r by auto. exact IHl.
    + unfold add. rewrite (good_zero _ _ _ GB), (good_zero _ _ _ GA), El, (proj2 (Nat.eqb_neq kr 0) Nr). simpl Nat.eqb. cbv iota. simpl plus. simpl total.
      rewrite (total_0 z a l), (total_0 z c l), !Rplus_0_l by auto. exact IHr.
    + destruct IHl as (PA & AA & CA & _), IHr as (PB & AB & CB & _).
      destruct GN as [_ _ _ _ _ _ gca _ _ _ gex ger _]. simpl total in *.
      set (N := add reals F A B) in *.
      assert (FN : floor N = Some (rounded_down reals (least reals A + least reals B) (INR (kl + kr - 1) * u) 0)).
      { unfold N. rewrite add_is by (rewrite ?(good_zero _ _ _ GA), ?(good_zero _ _ _ GB); apply Nat.eqb_neq; assumption).
        cbv zeta. cbn [floor]. rewrite (good_terms _ _ _ GA), (good_terms _ _ _ GB) by lia.
        rewrite (not_negative_of _ PA), (not_negative_of _ PB). reflexivity. }
      set (lo := rounded_down reals (least reals A + least reals B) (INR (kl + kr - 1) * u) 0) in *.
      assert (Share : 0 <= INR (kl + kr - 1) * u < 1) by (pose proof (pos_INR (kl + kr - 1)); nra).
      assert (LO : 0 <= lo) by apply rounded_down_nonneg.
      assert (LA : lo <= total a l + total a r) by (apply rounded_down_of_exact; lra).
      assert (LC : lo <= (1 - INR (kl + kr - 1) * u) * (total c l + total c r)).
      { set (q := INR (kl + kr - 1) * u) in *.
        apply Rle_trans with (Rmax ((total c l + total c r) * (1 - q) - 0) 0); [apply rounded_down_at_most; lra|].
        assert (0 <= (1 - q) * (total c l + total c r)) by (apply Rmult_le_pos; lra). apply Rmax_lub; lra. }
      assert (LC' : lo <= total c l + total c r).
      { eapply Rle_trans; [exact LC|]. rewrite <- Rmult_1_l. apply Rmult_le_compat_r; lra. }
      assert (D : Rabs (total c l + total c r - (total a l + total a r)) <= error N).
      { eapply Rle_trans; [|exact ger]. eapply Rle_trans; [|exact gca].
        replace (total c l + total c r - (total a l + total a r)) with ((total c l - total a l) + (total c r - total a r)) by ring.
        eapply Rle_trans; [apply Rabs_triang|]. pose proof (total_off c a l). pose proof (total_off c a r). lra. }
      assert (GX : Rabs (value N - (total a l + total a r)) <= error N) by exact gex.
      apply abs_between in D. apply abs_between in GX.
      pose proof (least_of_some N lo FN). assert (least reals N <= total a l + total a r /\ least reals N <= total c l + total c r).
      { unfold least. rewrite FN, larger_is. simpl. split; apply Rmax_lub; lra. }
      repeat split; try lra. intros _. exists lo. auto.
Qed.
Lemma sum_above o o' s : INR (leaves o - 1) * u < / 2 -> (forall g, total g o' = total g o) -> added c o' s ->
  0 <= least reals (sum_of reals F f o) /\ above (sum_of reals F f o) (total a o) s /\ 0 <= s.
Proof.
  intros L O H. destruct constants as (D0 & E0 & U & T & _).
  assert (K : INR (count_of z o - 1) * u < / 2).
  { eapply Rle_lt_trans; [|exact L]. apply Rmult_le_compat_r; [lra|]. apply le_INR.
    assert (count_of z o <= leaves o)%nat; [|lia]. clear. induction o; simpl; [destruct (z i)|]; lia. }
  assert (Zc : forall i, z i = true -> c i = 0) by (intros i Q; apply zero_leaf, Q).
  assert (Cp : forall i, 0 <= c i) by (intros i; destruct (leaf_above i) as (P & _ & C); lra).
  pose proof (added_bound z c o' s Zc H) as (_ & _ & B3 & B4 & _).
  pose proof (added_nonneg z c o' s Zc Cp H) as [S0 S1].
  assert (KK : count_of z o' = count_of z o) by (apply INR_eq; rewrite !count_total; apply O).
  rewrite KK in *. rewrite !O in *. clear KK.
  destruct (sum_least o K) as (P & A & C & Q). pose proof (sum_near o o' s L O H) as N.
  split; [exact P|]. split; [|exact S0]. set (M := sum_of reals F f o) in *. set (k := count_of z o) in *.
  destruct k as [|[|k']] eqn:Ek.
  - split; [exact A|]. rewrite (B3 eq_refl). rewrite (total_0 z c o Zc Ek) in C. exact C.
  - split; [exact A|]. rewrite (B4 eq_refl). exact C.
  - destruct (Q ltac:(lia)) as (lo & El & _ & Lo). apply (above_of_some M _ _ lo N El); [|lra].
    eapply Rle_trans; [apply (least_of_some M lo El)|exact A].
Qed.
End Sums.

(* ---- the operations *)
Definition two_leaves : tree := Node (Leaf 0) (Leaf 1).
Lemma added_two c s : adds s (c 0%nat) (c 1%nat) -> added c two_leaves s.
Proof. intros A. apply added_node with (c 0%nat) (c 1%nat); [constructor|constructor|exact A]. Qed.

Lemma constant_near v c : is_double v -> holds_constant v c -> near (constant reals F v) v c.
Proof.
  intros H (X & E & _). destruct constants as (_ & _ & U & T & [L1 L2] & _).
  unfold near, constant, closed. cbn [value error]. rewrite Rminus_diag_eq, Rabs_R0 by reflexivity. simpl.
  destruct (exactly v); simpl.
  - rewrite X, Rminus_diag_eq, Rabs_R0 by reflexivity. repeat split; [exact H|lra|lra].
  - assert (0 <= u * Rabs v) by (apply Rmult_le_pos; [lra|apply Rabs_pos]). repeat split; [exact H| |]; nra.
Qed.
Lemma negative_near A a c : near A a c -> near (negative reals A) (- a) (- c).
Proof.
  intros (H & V & C). unfold near, negative, closed. cbn [value error]. simpl. repeat split.
  - apply generic_format_opp, H.
  - replace (- value A - - a) with (- (value A - a)) by ring. rewrite Rabs_Ropp. exact V.
  - replace (- c - - a) with (- (c - a)) by ring. rewrite Rabs_Ropp. exact C.
Qed.

Section Add.
Variables A B : bounded.
Variables a b ca cb s : R.
Hypothesis Ca : open A = false.
Hypothesis Cb : open B = false.
Hypothesis Na : near A a ca.
Hypothesis Nb : near B b cb.
Hypothesis H : adds s ca cb.
Let f (i : nat) := match i with O => A | _ => B end.
Let ex (i : nat) := match i with O => a | _ => b end.
Let im (i : nat) := match i with O => ca | _ => cb end.
Let closed_f : forall i, open (f i) = false.
Proof. intros [|i]; assumption. Qed.
Let near_f : forall i, near (f i) (ex i) (im i).
Proof. intros [|i]; assumption. Qed.
Let u_2 : INR (leaves two_leaves - 1) * u < / 2.
Proof. simpl. lra. Qed.

Lemma add_near : near (add reals F A B) (a + b) s.
Proof. exact (sum_near f ex im closed_f near_f two_leaves two_leaves s u_2 (fun g => eq_refl) (added_two im s H)). Qed.
Lemma add_above : above A a ca -> above B b cb -> above (add reals F A B) (a + b) s.
Proof.
  intros Xa Xb. pose proof add_near as N. revert N. unfold add.
  destruct (is_exact_0 reals B) eqn:Zb; [|destruct (is_exact_0 reals A) eqn:Za].
  - intros _. destruct (zero_leaf f ex im near_f 1%nat Zb) as (_ & _ & E1 & E2). simpl in E1, E2.
    rewrite E1, Rplus_0_r. destruct H as (_ & _ & S). rewrite (S E2). exact Xa.
  - intros _. destruct (zero_leaf f ex im near_f 0%nat Za) as (_ & _ & E1 & E2). simpl in E1, E2.
    rewrite E1, Rplus_0_l. destruct H as (_ & S & _). rewrite (S E2). exact Xb.
  - intros N. destruct (not_negative reals (least reals A) && not_negative reals (least reals B)) eqn:K.
    + apply andb_true_iff in K. destruct K as [K1 K2]. pose proof (not_negative_true _ K1). pose proof (not_negative_true _ K2).
      assert (LA : forall i, 0 <= least reals (f i) /\ above (f i) (ex i) (im i)) by (intros [|i]; auto).
      destruct (sum_above f ex im closed_f near_f LA two_leaves two_leaves s u_2 (fun g => eq_refl) (added_two im s H)) as (_ & Q & _).
      simpl in Q. unfold add in Q. rewrite Za, Zb in Q. rewrite K1, K2 in Q. exact Q.
    + apply above_of_none; [exact N|reflexivity].
Qed.
End Add.

Lemma product_off A B a b ca cb x y : near A a ca -> near B b cb -> Rabs x <= largest reals A -> Rabs (x - a) <= error A ->
  Rabs (y - b) <= error B -> Rabs (x * y - a * b) <= largest reals A * error B + (Rabs (value B) + error B) * error A.
Proof.
  intros Na Nb X Xa Yb. pose proof (error_nonneg _ _ _ Na). pose proof (error_nonneg _ _ _ Nb).
  destruct (largest_is _ _ _ Nb) as (_ & _ & B1).
  replace (x * y - a * b) with (x * (y - b) + b * (x - a)) by ring. eapply Rle_trans; [apply Rabs_triang|].
  rewrite !Rabs_mult. apply Rplus_le_compat; (apply Rmult_le_compat; [apply Rabs_pos|apply Rabs_pos|assumption|assumption]).
Qed.
Lemma multiply_near q A B a b ca cb c : near A a ca -> near B b cb -> computes (4 * u) c (ca * cb) ->
  near (multiply reals F q A B) (a * b) c.
Proof.
  intros Na Nb C. destruct (largest_is _ _ _ Na) as (A1 & A2 & _).
  pose proof Na as (Ha & Va & Ea). pose proof Nb as (Hb & Vb & Eb).
  pose proof (product_off A B a b ca cb _ _ Na Nb A1 Va Vb) as P1. pose proof (product_off A B a b ca cb _ _ Na Nb A2 Ea Eb) as P2.
  destruct (step _ _ _ c _ P1 P2 C) as [S1 S2]. split; [apply is_double_double|]. split; assumption.
Qed.
Lemma square_above A a ca c : near A a ca -> above A a ca -> computes (4 * u) c (ca * ca) ->
  let N := multiply reals F true A A in 0 <= least reals N /\ above N (a * a) c.
Proof.
  intros Na [L1 L2] C N. pose proof (multiply_near true A A a a ca ca c Na Na C) as NN.
  set (l := rounded_down reals (if not_negative reals (least reals A) && not_negative reals (least reals A)
    then least reals A * least reals A else 0) (4 * u) t).
  assert (FN : floor N = Some l).
  { unfold N, multiply, closed. cbn [floor]. rewrite orb_true_r. reflexivity. }
  destruct constants as (_ & _ & U & T & _).
  assert (Q : (if not_negative reals (least reals A) && not_negative reals (least reals A) then least reals A * least reals A else 0) <= ca * ca
    /\ (if not_negative reals (least reals A) && not_negative reals (least reals A) then least reals A * least reals A else 0) <= a * a).
  { destruct (not_negative reals (least reals A)) eqn:K; simpl.
    - pose proof (not_negative_true _ K). split; apply Rmult_le_compat; lra.
    - split; apply Rle_0_sqr. }
  assert (l <= a * a) by (apply rounded_down_of_exact; [lra|apply Q|apply Rle_0_sqr|lra]).
  assert (l <= c) by (apply rounded_down_of with (ca * ca); [lra|apply Q|apply Rle_0_sqr|exact C]).
  split.
  - eapply Rle_trans; [|apply (least_of_some N l FN)]. apply rounded_down_nonneg.
  - apply (above_of_some N _ _ l NN FN); assumption.
Qed.

Lemma double_of_small x : Rabs x < bpow radix2 (-1022) -> Rabs (double x - x) <= etad.
Proof.
  intros L. pose proof (error_le_half_ulp radix2 (FLT_exp (-1074) 53) to_even x) as E.
  rewrite (ulp_FLT_small radix2 (-1074) 53) in E; [rewrite half_power in E; exact E|].
  eapply Rlt_le_trans; [exact L|]. apply bpow_le. lia.
Qed.
Lemma double_of_quotient x e : is_double x -> Rabs (double (x / bpow radix2 e) - x / bpow radix2 e) <= etad.
Proof.
  intros H. set (y := x / bpow radix2 e).
  assert (Y : y = x * bpow radix2 (- e)) by (unfold y; rewrite bpow_opp; reflexivity).
  destruct (Rle_lt_dec (bpow radix2 (-1022)) (Rabs y)) as [L|L].
  - unfold double. rewrite nearest_of_held; [rewrite Rminus_diag_eq, Rabs_R0 by reflexivity; left; apply bpow_gt_0|].
    rewrite Y. apply (mult_bpow_exact_FLT radix2 (-1074) 53); [exact H|].
    assert (Nx : x <> 0).
    { intros Z. rewrite Y, Z, Rmult_0_l, Rabs_R0 in L. pose proof (bpow_gt_0 radix2 (-1022)). lra. }
    assert (M : (mag radix2 y = mag radix2 x + - e :> Z)%Z) by (rewrite Y; apply mag_mult_bpow, Nx).
    pose proof (mag_ge_bpow radix2 y (-1021) L). lia.
  - apply double_of_small, L.
Qed.

(* what a quotient by a number of terms may be: one by a power of two is not rounded *)
Definition quotient (r x b : R) : Prop := if is_power b then computes 0 r (x / b) else computes (4 * u) r (x / b).

Lemma divide_near A a ca b c : near A a ca -> 0 < b -> exactly b = true -> quotient c ca b ->
  near (divide reals F A (constant reals F b)) (a / b) c.
Proof.
  intros N B X Q. destruct constants as (D0 & E0 & U & T & [L1 L2] & L3 & E4).
  pose proof (error_nonneg _ _ _ N) as EN. destruct (largest_is _ _ _ N) as (LA & _ & _).
  assert (Off : forall y, Rabs (y - a) <= error A -> Rabs (y / b - a / b) <= error A / b).
  { intros y Y. replace (y / b - a / b) with ((y - a) / b) by (field; lra). unfold Rdiv. rewrite Rabs_mult, (Rabs_pos_eq (/ b)).
    - apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, B|exact Y].
    - left. apply Rinv_0_lt_compat, B. }
  destruct N as (H & V & C). pose proof (Off _ V) as OV. pose proof (Off _ C) as OC.
  assert (EB : 0 <= error A / b) by (apply div_nonneg; assumption).
  unfold divide, quotient in *. cbn [value error constant closed floor judged]. simpl (represented R F b). rewrite X.
  replace (is_0 reals (zero R reals)) with true by (symmetry; apply is_0_of_0). simpl (power_of_two R F b). simpl andb.
  destruct (is_power b) eqn:P.
  - destruct (power_is b P) as (e & Eb). unfold near, closed. cbn [value error]. simpl. rewrite (Rabs_pos_eq b) by lra.
    split; [apply is_double_double|]. pose proof (double_of_quotient (value A) e H) as DQ. rewrite <- Eb in DQ.
    pose proof (enlarged _ EB). split.
    + replace (double (value A / b) - a / b) with ((double (value A / b) - value A / b) + (value A / b - a / b)) by ring.
      eapply Rle_trans; [apply Rabs_triang|]. lra.
    + replace (c - a / b) with ((c - ca / b) + (ca / b - a / b)) by ring. eapply Rle_trans; [apply Rabs_triang|].
      destruct Q as [Q|(Q & _)]; lra.
  - unfold near, closed. cbn [value error].
    match goal with |- context [error_of reals F _ ?p] => set (off := p) end.
    assert (OF : error A / b <= off).
    { unfold off. rewrite smaller_is. simpl. rewrite (Rabs_pos_eq b) by lra.
      set (dv := (b - 2 * 0) / sl). assert (DB : 0 < dv <= b).
      { unfold dv. split; [apply div_pos; lra|]. apply div_le_of; [lra|]. nra. }
      assert (ED : error A / b <= error A / dv).
      { apply Rmult_le_compat_l; [exact EN|]. apply Rinv_le_contravar; lra. }
      unfold largest. simpl. set (lq := (Rabs (value A) + 2 * error A) / dv).
      assert (LQ : error A / dv <= lq) by (apply div_le; [lra|]; pose proof (Rabs_pos (value A)); lra).
      assert (0 <= lq) by (eapply Rle_trans; [|exact LQ]; apply div_nonneg; lra).
      apply Rmin_glb.
      - rewrite Rmult_0_r, Rplus_0_r. exact ED.
      - destruct (_ && _); lra. }
    destruct (step (value A / b) (ca / b) (a / b) c off ltac:(lra) ltac:(lra) Q) as [S1 S2].
    split; [apply is_double_double|]. split; assumption.
Qed.
Lemma divide_above A a ca b c : near A a ca -> above A a ca -> 0 <= least reals A -> 0 < b -> exactly b = true -> quotient c ca b ->
  let N := divide reals F A (constant reals F b) in 0 <= least reals N /\ above N (a / b) c /\ 0 <= c.
Proof.
  intros N [A1 A2] P B X Q M. pose proof (divide_near A a ca b c N B X Q) as NN. fold M in NN.
  destruct constants as (_ & _ & U & T & _).
  assert (Ex : exists l q, floor M = Some (rounded_down reals l q t) /\ l = least reals A / b /\ 0 <= q < 1 /\ computes q c (ca / b)).
  { unfold M, divide, quotient in *. cbn [value error constant closed floor judged]. simpl (represented R F b). rewrite X.
    replace (is_0 reals (zero R reals)) with true by (symmetry; apply is_0_of_0). simpl (power_of_two R F b). simpl andb.
    destruct (is_power b).
    - exists (least reals A / b), 0. unfold closed. cbn [floor]. rewrite (not_negative_of _ P).
      match goal with |- context [if ?q then Some _ else None] =>
        assert (q = true) as -> by (simpl; destruct (Rlt_dec 0 b); [reflexivity|lra]) end.
      repeat split; try lra. exact Q.
    - exists (least reals A / b), (4 * u). cbn [floor]. rewrite (not_negative_of _ P).
      assert (LC : least reals (closed reals b (zero R reals) None true) = b) by (unfold least, closed; cbn [floor value error]; simpl; ring).
      assert (GC : largest reals (closed reals b (zero R reals) None true) = b)
        by (unfold largest, closed; cbn [floor value error]; simpl; rewrite (Rabs_pos_eq b) by lra; ring).
      unfold constant. simpl (represented R F b). rewrite X. rewrite LC, GC, (not_negative_of b) by lra.
      repeat split; try lra. exact Q. }
  destruct Ex as (l & q & FN & -> & Hq & C).
  assert (I : forall y, 0 <= y -> 0 <= y / b) by (intros; apply div_nonneg; assumption).
  assert (D : forall y, least reals A <= y -> least reals A / b <= y / b) by (intros; apply div_le; assumption).
  assert (L1 : rounded_down reals (least reals A / b) q t <= a / b) by (apply rounded_down_of_exact; [exact Hq|auto|apply I; lra|lra]).
  assert (L2 : rounded_down reals (least reals A / b) q t <= c)
    by (apply rounded_down_of with (ca / b); [exact Hq|auto|apply I; lra|exact C]).
  pose proof (rounded_down_nonneg (least reals A / b) q t). split; [|split; [|lra]].
  - eapply Rle_trans; [|apply (least_of_some M _ FN)]. assumption.
  - apply (above_of_some M _ _ _ NN FN); assumption.
Qed.

Lemma root_off a e y sure : 0 <= a -> Rabs (y - a) <= e -> sure <= a ->
  Rabs (sqrt y - sqrt a) <= Rmin (if below R reals 0 sure then e / sqrt sure else sqrt e) (sqrt e).
Proof.
  intros A Y S. assert (E : 0 <= e) by (eapply Rle_trans; [apply Rabs_pos|exact Y]). apply abs_between in Y.
  pose proof (sqrt_pos a) as Pa. pose proof (sqrt_pos y) as Py. pose proof (sqrt_sqrt a A) as Qa.
  assert (Yp : 0 <= y -> sqrt y * sqrt y = y) by (intros; apply sqrt_sqrt; assumption).
  assert (Yn : y < 0 -> sqrt y = 0) by (intros; apply sqrt_neg_0; lra).
  assert (Abs : Rabs (sqrt y - sqrt a) <= sqrt e).
  { apply Rsqr_incr_0_var; [|apply sqrt_pos]. rewrite <- Rsqr_abs. unfold Rsqr. rewrite sqrt_sqrt by exact E.
    destruct (Rlt_dec y 0) as [N|N].
    - rewrite (Yn N). nra.
    - specialize (Yp ltac:(lra)). destruct (Rle_dec (sqrt y) (sqrt a)); nra. }
  apply Rmin_glb; [|exact Abs]. simpl. destruct (Rlt_dec 0 sure) as [P|]; [|exact Abs].
  assert (Ps : 0 < sqrt sure) by (apply sqrt_lt_R0, P).
  assert (Sa : sqrt sure <= sqrt a) by (apply sqrt_le_1_alt; lra).
  apply le_div; [exact Ps|]. apply Rle_trans with (Rabs (sqrt y - sqrt a) * sqrt a); [apply Rmult_le_compat_l; [apply Rabs_pos|exact Sa]|].
  rewrite <- (Rabs_pos_eq (sqrt a)) at 2 by lra. rewrite <- Rabs_mult. apply Rabs_le.
  destruct (Rlt_dec y 0) as [N|N].
  - rewrite (Yn N). nra.
  - specialize (Yp ltac:(lra)). destruct (Rle_dec (sqrt y) (sqrt a)); split; nra.
Qed.
Lemma square_root_near A a ca c : near A a ca -> above A a ca -> 0 <= a -> 0 <= ca -> computes (4 * u) c (sqrt ca) ->
  let N := square_root reals F A in
  near N (sqrt a) c /\ above N (sqrt a) c /\ 0 <= least reals N /\ 0 < error N /\ open N = false.
Proof.
  intros N [A1 A2] Pa Pc C M. destruct constants as (D0 & E0 & U & T & [L1 L2] & _).
  pose proof N as (H & V & Cc).
  pose proof (error_nonneg _ _ _ N) as E.
  assert (NN : near M (sqrt a) c).
  { unfold M, square_root. unfold near, closed. cbn [value error].
    match goal with |- context [error_of reals F _ ?p] => set (off := p) end.
    assert (O : forall y, Rabs (y - a) <= error A -> Rabs (sqrt y - sqrt a) <= off).
    { intros y Y. unfold off. destruct (is_0 reals (error A)) eqn:Z.
      - apply is_0_true in Z. rewrite Z in Y. assert (y = a).
        { destruct (Req_dec (y - a) 0) as [Q|Q]; [lra|]. pose proof (Rabs_pos_lt _ Q). lra. }
        subst y. rewrite Rminus_diag_eq, Rabs_R0 by reflexivity. simpl. lra.
      - rewrite smaller_is. apply root_off; [exact Pa|exact Y|].
        destruct (floor A) as [l|] eqn:FA.
        + rewrite larger_is. simpl. apply Rmax_lub; [apply abs_between in V; lra|].
          eapply Rle_trans; [apply (least_of_some A l FA)|exact A1].
        + apply abs_between in V. simpl. lra. }
    destruct (step (sqrt (value A)) (sqrt ca) (sqrt a) c off (O _ V) (O _ Cc) C) as [S1 S2].
    split; [apply is_double_double|]. split; assumption. }
  set (l := if below R reals (zero R reals) (least reals A) then sqrt (least reals A) else 0).
  assert (FN : floor M = Some (rounded_down reals l (4 * u) t)) by reflexivity.
  assert (La : l <= sqrt a /\ l <= sqrt ca).
  { unfold l. simpl. destruct (Rlt_dec 0 (least reals A)); [|split; apply sqrt_pos]. split; apply sqrt_le_1_alt; assumption. }
  split; [exact NN|]. split; [|split; [|split]].
  - apply (above_of_some M _ _ _ NN FN).
    + apply rounded_down_of_exact; [lra|apply La|apply sqrt_pos|lra].
    + apply rounded_down_of with (sqrt ca); [lra|apply La|apply sqrt_pos|exact C].
  - eapply Rle_trans; [|apply (least_of_some M _ FN)]. apply rounded_down_nonneg.
  - unfold M, square_root, closed. cbn [error]. unfold error_of. simpl.
    match goal with |- context [(?p + _) * _] => assert (0 <= p) end.
    { destruct (is_0 reals (error A)); [lra|]. rewrite smaller_is. simpl. apply Rmin_glb; [|apply sqrt_pos].
      destruct (Rlt_dec 0 _); simpl; [|apply sqrt_pos]. apply div_nonneg; [exact E|]. apply sqrt_lt_R0. assumption. }
    match goal with |- 0 < (?p + 4 * u * (?r + 2 * ?p)) * _ + _ => assert (0 <= 4 * u * (r + 2 * p)); [|assert (0 <= (p + 4 * u * (r + 2 * p)) * sl)] end.
    + apply Rmult_le_pos; [lra|]. match goal with |- 0 <= Rabs ?r + _ => pose proof (Rabs_pos r) end. lra.
    + apply Rmult_le_pos; lra.
    + lra.
  - reflexivity.
Qed.
Lemma reciprocal_near B b cb c : near B b cb -> above B b cb -> least reals B <= value B -> 0 <= least reals B -> 0 < error B -> exactly 1 = true ->
  judged (divide reals F (constant reals F 1) B) = true -> computes (4 * u) c (1 / cb) ->
  0 < b /\ near (divide reals F (constant reals F 1) B) (1 / b) c.
Proof.
  intros N [B1 B2] Lv P E X J C. unfold divide in *.
  assert (is_0 reals (error B) = false) as Z.
  { destruct (is_0 reals (error B)) eqn:Z; [apply is_0_true in Z; lra|reflexivity]. }
  rewrite Z in *. simpl (false && _) in *. cbv iota in *.
  set (sure := over R reals (minus R reals (magnitude R reals (value B)) (times R reals (two R reals) (error B))) (slack R reals)) in *.
  set (dv := match floor B with Some l => larger reals sure l | None => sure end) in *.
  unfold closed in J. cbn [judged] in J. apply andb_true_iff in J. destruct J as [_ J]. apply below_true in J. simpl in J.
  unfold constant in *. simpl (represented R F 1) in *. rewrite X in *.
  assert (L1 : least reals (closed reals 1 (zero R reals) None true) = 1) by (unfold least, closed; cbn [floor value error]; simpl; ring).
  assert (G1 : largest reals (closed reals 1 (zero R reals) None true) = 1)
    by (unfold largest, closed; cbn [floor value error]; simpl; rewrite Rabs_R1; ring).
  rewrite L1, G1, (not_negative_of 1), (not_negative_of _ P) in * by lra. simpl andb in *. cbv iota in *.
  destruct constants as (D0 & E0 & U & T & [S1 S2] & _).
  pose proof N as (H & V & Cc).
  assert (DV : forall y, 0 <= y -> least reals B <= y -> (y = b \/ y = cb \/ y = value B) -> dv <= y).
  { intros y Y0 Y1 Yc. assert (SU : sure <= y).
    { unfold sure. simpl. destruct (Rle_dec (Rabs (value B) - 2 * error B) 0) as [Q|Q].
      - apply Rle_trans with 0; [apply div_le_of; lra|exact Y0].
      - apply Rle_trans with (Rabs (value B) - 2 * error B); [apply div_le_of; [lra|nra]|].
        assert (Rabs (value B) <= Rabs y + Rabs (value B - y)).
        { replace (value B) with (y + (value B - y)) at 1 by ring. apply Rabs_triang. }
        rewrite (Rabs_pos_eq y) in H0 by exact Y0.
        assert (Rabs (value B - y) <= 2 * error B).
        { destruct Yc as [->|[->| ->]]; [lra| |rewrite Rminus_diag_eq, Rabs_R0 by reflexivity; lra].
          replace (value B - cb) with ((value B - b) + - (cb - b)) by ring. eapply Rle_trans; [apply Rabs_triang|].
          rewrite Rabs_Ropp. lra. }
        lra. }
    unfold dv. destruct (floor B) as [l|] eqn:FB; [|exact SU]. rewrite larger_is. apply Rmax_lub; [exact SU|].
    eapply Rle_trans; [apply (least_of_some B l FB)|exact Y1]. }
  assert (Db : dv <= b) by (apply DV; auto; lra). assert (Dc : dv <= cb) by (apply DV; auto; lra).
  split; [lra|]. unfold near, closed. cbn [value error].
  match goal with |- context [error_of reals F _ ?p] => set (off := p) end.
  assert (Rec : forall y, dv <= y -> Rabs (y - b) <= error B -> Rabs (1 / y - 1 / b) <= off).
  { intros y Y Yb. unfold off. rewrite smaller_is. simpl. rewrite Rplus_0_l.
    assert (Iy : / y <= / dv) by (apply Rinv_le_contravar; lra). assert (Ib : / b <= / dv) by (apply Rinv_le_contravar; lra).
    assert (0 < / y) by (apply Rinv_0_lt_compat; lra). assert (0 < / b) by (apply Rinv_0_lt_compat; lra).
    apply Rmin_glb.
    - replace (1 / y - 1 / b) with ((b - y) * (/ y * / b)) by (field; lra). rewrite Rabs_mult, (Rabs_pos_eq (/ y * / b)) by nra.
      rewrite Rabs_minus_sym. replace (1 / dv * error B / dv) with (error B * (/ dv * / dv)) by (field; lra).
      apply Rmult_le_compat; [apply Rabs_pos|nra|exact Yb|]. apply Rmult_le_compat; lra.
    - unfold Rdiv. rewrite !Rmult_1_l. apply Rabs_le. lra. }
  destruct (step (1 / value B) (1 / cb) (1 / b) c off (Rec _ (DV _ (Rle_trans _ _ _ P Lv) Lv (or_intror (or_intror eq_refl))) V) (Rec _ Dc Cc) C) as [R1 R2].
  split; [apply is_double_double|]. split; assumption.
Qed.

(* ---- the reference is an implementation *)
Lemma value_near A a c : near A a c -> near A a (value A).
Proof. intros (H & V & _). split; [exact H|]. split; exact V. Qed.
Lemma computes_double x share : ud <= share -> computes share (double x) x.
Proof.
  intros S. destruct constants as (D0 & E0 & U & T & _ & _ & E4).
  assert (Pos : 0 <= x -> 0 <= double x).
  { intros P. replace 0 with (double 0) by (apply nearest_of_held, held_0). apply round_le; auto with typeclass_instances. }
  assert (Neg : x <= 0 -> double x <= 0).
  { intros P. replace 0 with (double 0) by (apply nearest_of_held, held_0). apply round_le; auto with typeclass_instances. }
  destruct (Rle_lt_dec (bpow radix2 (-1022)) (Rabs x)) as [L|L].
  - left. pose proof (relative_error_N_FLT radix2 (-1074) 53 eq_refl to_even x L) as E. rewrite half_power in E.
    fold (double x) in E. eapply Rle_trans; [exact E|]. apply Rmult_le_compat_r; [apply Rabs_pos|exact S].
  - right. repeat split; auto. pose proof (double_of_small x L). lra.
Qed.
Lemma computes_double_4 x : computes (4 * u) (double x) x.
Proof. destruct constants as (D0 & _ & U & _). apply computes_double. fold ud in u_range. lra. Qed.
Lemma adds_double x y : is_double x -> is_double y -> adds (double (x + y)) x y.
Proof.
  intros Hx Hy. split; [left|split].
  - eapply Rle_trans; [apply nearest_sum; [reflexivity|exact Hx|exact Hy]|]. apply Rmult_le_compat_r; [apply Rabs_pos|apply u_range].
  - intros ->. rewrite Rplus_0_l. apply nearest_of_held, Hy.
  - intros ->. rewrite Rplus_0_r. apply nearest_of_held, Hx.
Qed.
Lemma quotient_double x b : is_double x -> quotient (double (x / b)) x b.
Proof.
  intros H. unfold quotient. destruct (is_power b) eqn:P; [|apply computes_double_4].
  destruct (power_is b P) as (e & ->). destruct constants as (D0 & E0 & U & T & _ & _ & E4).
  pose proof (double_of_quotient x e H) as Q. set (y := x / bpow radix2 e) in *.
  right. repeat split; [lra| |].
  - intros Y. replace 0 with (double 0) by (apply nearest_of_held, held_0). apply round_le; auto with typeclass_instances.
  - intros Y. replace 0 with (double 0) by (apply nearest_of_held, held_0). apply round_le; auto with typeclass_instances.
Qed.
Lemma add_double A B : is_double (value A) -> is_double (value B) -> value (add reals F A B) = double (value A + value B).
Proof.
  intros Ha Hb. unfold add. destruct (is_exact_0 reals B) eqn:Zb; [|destruct (is_exact_0 reals A) eqn:Za; [|reflexivity]].
  - apply andb_true_iff in Zb. destruct Zb as [Zb _]. apply is_0_true in Zb. rewrite Zb, Rplus_0_r. symmetry. apply nearest_of_held, Ha.
  - apply andb_true_iff in Za. destruct Za as [Za _]. apply is_0_true in Za. rewrite Za, Rplus_0_l. symmetry. apply nearest_of_held, Hb.
Qed.
Lemma add_value A B : is_double (value A) -> is_double (value B) ->
  adds (value (add reals F A B)) (value A) (value B) /\ is_double (value (add reals F A B)).
Proof. intros Ha Hb. rewrite add_double by assumption. split; [apply adds_double; assumption|apply is_double_double]. Qed.
Lemma sum_value f o : (forall i, is_double (value (f i))) ->
  added (fun i => value (f i)) o (value (sum_of reals F f o)) /\ is_double (value (sum_of reals F f o)).
Proof.
  intros H. induction o as [i|l [Al Hl] r [Ar Hr]]; simpl; [split; [constructor|auto]|].
  destruct (add_value _ _ Hl Hr) as [A D]. split; [|exact D]. econstructor; eassumption.
Qed.
Lemma constant_value v : holds_constant v v.
Proof.
  destruct constants as (_ & _ & U & T & _). repeat split; auto. rewrite Rminus_diag_eq, Rabs_R0 by reflexivity.
  pose proof (Rmult_le_pos u (Rabs v) ltac:(lra) (Rabs_pos v)). lra.
Qed.

Lemma mean_value n o f : value (mean_of reals F n o f) = double (value (sum_of reals F f o) / INR n).
Proof. unfold mean_of, divide. destruct (_ && _); reflexivity. Qed.
Lemma mean_closed n o f : open (mean_of reals F n o f) = false.
Proof. unfold mean_of, divide. destruct (_ && _); reflexivity. Qed.

(* ---- the mean of numbers that are not negative: of the exact ones, of an implementation and of the reference *)
Lemma mean_of_squares n o f a c o' S V : (0 < n)%nat -> order_of n o -> exactly (INR n) = true -> INR (n - 1) * u < / 2 ->
  (forall i, open (f i) = false) -> order_of n o' -> (forall i, near (f i) (a i) (c i)) ->
  (forall i, 0 <= least reals (f i) /\ above (f i) (a i) (c i)) -> (forall i, above (f i) (a i) (value (f i))) ->
  added c o' S -> quotient V S (INR n) ->
  let M := mean_of reals F n o f in
  near M (Sum n a / INR n) V /\ above M (Sum n a / INR n) V /\ above M (Sum n a / INR n) (value M) /\
  0 <= Sum n a / INR n /\ 0 <= V /\ 0 <= value M.
Proof.
  intros Hn O Xn Ns Fc O' N A Av HS HV M. pose proof (INR_pos n Hn) as NP.
  assert (LE : INR (leaves o - 1) * u < / 2) by (rewrite (leaves_of_order n o O); exact Ns).
  assert (G : forall o' c S V, order_of n o' -> (forall i, near (f i) (a i) (c i)) ->
    (forall i, 0 <= least reals (f i) /\ above (f i) (a i) (c i)) -> added c o' S -> quotient V S (INR n) ->
    near M (Sum n a / INR n) V /\ above M (Sum n a / INR n) V /\ 0 <= Sum n a / INR n /\ 0 <= V).
  { clear o' c S V O' N A Av HS HV. intros o' c S V O' N A HS HV.
    assert (EO : forall g, total g o' = total g o) by (intros; rewrite O', O; reflexivity).
    pose proof (sum_near f a c Fc N o o' S LE EO HS) as N1.
    destruct (sum_above f a c Fc N A o o' S LE EO HS) as (P1 & A1 & S0). rewrite O in N1, A1.
    pose proof (divide_near _ _ _ _ _ N1 NP Xn HV) as N2.
    destruct (divide_above _ _ _ _ _ N1 A1 P1 NP Xn HV) as (P2 & A2 & V0).
    fold (mean_of reals F n o f) in N2, P2, A2. change (of_nat R reals n) with (INR n) in *. fold M in N2, P2, A2.
    split; [exact N2|]. split; [exact A2|]. split; [destruct A2; lra|exact V0]. }
  destruct (G o' c S V O' N A HS HV) as (N1 & A1 & P1 & V1).
  assert (Hd : forall i, is_double (value (f i))) by (intros i; apply N). destruct (sum_value f o Hd) as [AS DS].
  destruct (G o (fun i => value (f i)) (value (sum_of reals F f o)) (value M) O
    ltac:(intros i; apply (value_near _ _ (c i)), N) ltac:(intros i; split; [apply A|apply Av]) AS
    ltac:(unfold M; rewrite mean_value; apply quotient_double, DS)) as (_ & A2 & _ & V2).
  split; [exact N1|]. split; [exact A1|]. split; [exact A2|]. auto.
Qed.

(* ---- what the reference, in binary64, has of a variance *)
Lemma sum_is f o : (forall i, is_double (value (f i))) ->
  value (sum_of reals F f o) = sum_rounded double (fun i => value (f i)) o /\ is_double (value (sum_of reals F f o)).
Proof.
  intros H. induction o as [i|l [El Hl] r [Er Hr]]; simpl; [split; [reflexivity|apply H]|].
  rewrite add_double, El, Er by assumption. split; [reflexivity|apply is_double_double].
Qed.
Lemma own_sum f o : (forall i, is_double (f i)) ->
  Rabs (sum_rounded double f o - total f o) <= ((1 + ud)^depth o - 1) * total (fun i => Rabs (f i)) o /\
  Rabs (sum_rounded double f o) <= (1 + ud)^depth o * total (fun i => Rabs (f i)) o.
Proof.
  intros H. destruct constants as (D0 & _).
  destruct (sum_by_depth ud double f is_double o) as (_ & A & B); [lra|apply is_double_double| |apply every_of_all, H|auto].
  intros x y Hx Hy. apply nearest_sum; [reflexivity|exact Hx|exact Hy].
Qed.
Lemma power_times k : (1 + ud)^k * (1 - INR k * ud) <= 1.
Proof.
  destruct constants as (D0 & _). induction k; [simpl; lra|]. rewrite S_INR. simpl pow. pose proof (power_at_least_1 ud ltac:(lra) k). nra.
Qed.
Lemma computes_nonneg share r x : 0 <= share <= 1 -> computes share r x -> 0 <= x -> 0 <= r.
Proof.
  intros S C X. destruct C as [C|(_ & C & _)]; [|auto]. rewrite (Rabs_pos_eq x X) in C. apply abs_between in C. nra.
Qed.

Lemma own_variance n o x : (0 < n)%nat -> order_of n o -> INR (n + 8) * ud < / 2 -> (forall i, is_double (x i)) ->
  let m := double (sum_rounded double x o / INR n) in
  let V := double (sum_rounded double (fun i => double (double (x i - m) * double (x i - m))) o / INR n) in
  let own := 2 * INR (n + 8) * ud in
  let of_the_mean := own * Sum n (fun i => Rabs (x i)) / INR n in
  V * (1 - own) - of_the_mean * of_the_mean <= variance n x + 3 * etad.
Proof.
  intros N O K Hx m V own of_the_mean. pose proof (INR_pos n N) as NP. destruct constants as (D0 & E0 & U & _). pose proof ud_is as Ud.
  assert (U8 : ud <= / 8) by (rewrite Ud; lra).
  assert (Nr : INR (n + 8) = INR n + 8) by (rewrite plus_INR; simpl; ring). rewrite Nr in K.
  assert (Kd : (depth o + 1 <= n)%nat) by (rewrite <- (leaves_of_order n o O); apply depth_below_leaves).
  pose proof (power_mono ud ltac:(lra) (depth o + 1) n Kd) as Q1. rewrite pow_add, pow_1 in Q1.
  pose proof (power_at_least_1 ud ltac:(lra) (depth o)) as Q0.
  destruct (own_sum x o Hx) as [M1 M2]. rewrite (O x), (O (fun i => Rabs (x i))) in M1. rewrite O in M2.
  set (q := (1 + ud)^depth o) in *. set (Tn := (1 + ud)^n) in *.
  assert (T1 : 1 <= Tn) by (apply power_at_least_1; lra).
  set (A := Sum n (fun i => Rabs (x i)) / INR n).
  assert (A0 : 0 <= A) by (apply div_nonneg; [apply Sum_nonneg; intros; apply Rabs_pos|exact NP]).
  assert (EA : Sum n (fun i => Rabs (x i)) = A * INR n) by (unfold A; field; lra).
  assert (Em : of_the_mean = own * A) by (unfold of_the_mean, A, Rdiv; ring).
  rewrite EA in M1, M2. set (s := sum_rounded double x o) in *.
  assert (B1 : Rabs (m - s / INR n) <= ud * (q * A) + etad).
  { eapply Rle_trans; [apply double_any|]. apply Rplus_le_compat_r, Rmult_le_compat_l; [lra|].
    rewrite abs_div by exact NP. apply div_le_of; [exact NP|]. lra. }
  assert (B2 : Rabs (s / INR n - mean n x) <= (q - 1) * A).
  { replace (s / INR n - mean n x) with ((s - Sum n x) / INR n) by (unfold mean; field; lra).
    rewrite abs_div by exact NP. apply div_le_of; [exact NP|]. lra. }
  pose proof (power_times n) as Tw. fold Tn in Tw. set (wn := INR n * ud) in *.
  assert (Wn : 0 <= wn < / 2) by (unfold wn; split; [apply Rmult_le_pos; lra|lra]).
  assert (T2 : Tn <= 2) by nra. assert (T3 : Tn - 1 <= 2 * wn) by nra.
  assert (B3 : Rabs (m - mean n x) <= 2 * wn * A + etad).
  { replace (m - mean n x) with ((m - s / INR n) + (s / INR n - mean n x)) by ring. eapply Rle_trans; [apply Rabs_triang|].
    assert (q * (1 + ud) * A <= Tn * A) by (apply Rmult_le_compat_r; lra).
    assert ((Tn - 1) * A <= 2 * wn * A) by (apply Rmult_le_compat_r; lra). lra. }
  assert (Own : own = 2 * wn + 16 * ud) by (unfold own, wn; rewrite Nr; ring).
  assert (Ow : 0 < own < 1) by (unfold wn in *; lra).
  (* the error of the mean is squared *)
  assert (B4 : (m - mean n x)^2 <= of_the_mean * of_the_mean + etad).
  { rewrite <- pow2_abs. pose proof (Rabs_pos (m - mean n x)) as P. set (e := Rabs (m - mean n x)) in *.
    destruct (Rle_lt_dec etad (16 * ud * A)) as [L|L].
    - assert (e <= of_the_mean) by (rewrite Em, Own; lra).
      assert (e * e <= of_the_mean * of_the_mean) by (apply Rmult_le_compat; lra). simpl. lra.
    - assert (S1 : ud * e <= etad).
      { assert (2 * wn * A <= 1 * A) by (apply Rmult_le_compat_r; lra). assert (ud * e <= ud * (A + etad)) by (apply Rmult_le_compat_l; lra).
        assert (ud * etad <= / 8 * etad) by (apply Rmult_le_compat_r; lra). lra. }
      assert (S2 : etad <= ud * ud).
      { unfold etad, underflow, ud, unit_roundoff. rewrite <- bpow_plus. apply bpow_le. lia. }
      assert (S3 : (ud * e) * (ud * e) <= etad * etad) by (apply Rmult_le_compat; try apply Rmult_le_pos; lra).
      assert (S4 : etad * etad <= (ud * ud) * etad) by (apply Rmult_le_compat_r; lra).
      assert (S5 : e * e <= etad) by (apply Rmult_le_reg_l with (ud * ud); [apply Rmult_lt_0_compat; lra|lra]).
      assert (0 <= of_the_mean * of_the_mean) by apply Rle_0_sqr. simpl. lra. }
  (* the squares *)
  assert (Hm : is_double m) by apply is_double_double.
  set (p := fun i => double (double (x i - m) * double (x i - m))) in *.
  set (c3 := (1 + ud)^3).
  assert (Pi : forall i, 0 <= p i <= c3 * ((x i - m) * (x i - m)) + etad).
  { intros i. set (d := double (x i - m)).
    assert (Dd : Rabs (d - (x i - m)) <= ud * Rabs (x i - m)) by (apply nearest_difference; [reflexivity|apply Hx|exact Hm]).
    assert (D1 : Rabs d <= (1 + ud) * Rabs (x i - m)).
    { replace d with ((d - (x i - m)) + (x i - m)) by ring. eapply Rle_trans; [apply Rabs_triang|]. lra. }
    assert (D2 : d * d <= (1 + ud)^2 * ((x i - m) * (x i - m))).
    { assert (Sq : forall z, z * z = Rabs z * Rabs z) by (intros z; rewrite <- Rabs_mult; symmetry; apply Rabs_pos_eq, Rle_0_sqr).
      rewrite (Sq d), (Sq (x i - m)).
      replace ((1 + ud)^2 * (Rabs (x i - m) * Rabs (x i - m))) with (((1 + ud) * Rabs (x i - m)) * ((1 + ud) * Rabs (x i - m))) by ring.
      apply Rmult_le_compat; try apply Rabs_pos; exact D1. }
    pose proof (double_any (d * d)) as D3. change (double (d * d)) with (p i) in D3.
    rewrite (Rabs_pos_eq (d * d)) in D3 by apply Rle_0_sqr.
    split.
    - apply (computes_nonneg (4 * u) _ (d * d)); [lra|apply computes_double_4|apply Rle_0_sqr].
    - apply abs_between in D3. unfold c3.
      assert ((1 + ud) * (d * d) <= (1 + ud) * ((1 + ud)^2 * ((x i - m) * (x i - m)))) by (apply Rmult_le_compat_l; lra).
      lra. }
  destruct (own_sum p o (fun i => is_double_double _)) as [_ M3]. rewrite O in M3. fold q in M3.
  rewrite (Sum_ext n (fun i => Rabs (p i)) p) in M3 by (intros; apply Rabs_pos_eq, Pi).
  assert (M4 : Sum n p <= c3 * dot n (fun i => x i - m) (fun i => x i - m) + INR n * etad).
  { unfold dot. rewrite <- Sum_scal, <- Sum_const, <- Sum_plus. apply Sum_le. intros. apply Pi. }
  assert (Sp : 0 <= Sum n p) by (apply Sum_nonneg; intros; apply Pi).
  pose proof (about_any n x m N) as EZ. set (Z := dot n (fun i => x i - m) (fun i => x i - m)) in *.
  set (v2 := variance n x + (m - mean n x)^2) in *.
  assert (v20 : 0 <= v2) by (unfold v2; pose proof (variance_nonneg n x N); pose proof (pow2_ge_0 (m - mean n x)); lra).
  assert (M5 : Sum n p / INR n <= c3 * v2 + etad).
  { apply div_le_of; [exact NP|]. rewrite <- EZ.
    replace ((c3 * (Z / INR n) + etad) * INR n) with (c3 * Z + INR n * etad) by (field; lra). exact M4. }
  assert (Sp' : 0 <= Sum n p / INR n) by (apply div_nonneg; assumption).
  set (s2 := sum_rounded double p o) in *.
  assert (M6 : Rabs (s2 / INR n) <= q * (Sum n p / INR n)).
  { rewrite abs_div by exact NP. apply div_le_of; [exact NP|].
    replace (q * (Sum n p / INR n) * INR n) with (q * Sum n p) by (field; lra). exact M3. }
  assert (M7 : V <= Tn * (c3 * v2 + etad) + etad).
  { pose proof (double_any (s2 / INR n)) as D. fold V in D. apply abs_between in D. pose proof (Rle_abs (s2 / INR n)).
    assert (ud * Rabs (s2 / INR n) <= ud * (q * (Sum n p / INR n))) by (apply Rmult_le_compat_l; lra).
    assert (q * (1 + ud) * (Sum n p / INR n) <= Tn * (Sum n p / INR n)) by (apply Rmult_le_compat_r; lra).
    assert (Tn * (Sum n p / INR n) <= Tn * (c3 * v2 + etad)) by (apply Rmult_le_compat_l; lra). lra. }
  assert (M8 : Tn * c3 * (1 - own) <= 1).
  { pose proof (power_times (n + 3)) as Q. rewrite pow_add in Q. fold Tn in Q. fold c3 in Q.
    assert (c30 : 1 <= c3) by (apply power_at_least_1; lra). rewrite plus_INR in Q. simpl INR in Q.
    eapply Rle_trans; [|exact Q]. apply Rmult_le_compat_l; [apply Rmult_le_pos; lra|]. unfold wn in *. lra. }
  assert (M9 : Tn * (1 - own) <= 1).
  { eapply Rle_trans; [|exact Tw]. apply Rmult_le_compat_l; lra. }
  assert (V * (1 - own) <= (Tn * (c3 * v2 + etad) + etad) * (1 - own)) by (apply Rmult_le_compat_r; lra).
  assert (Tn * c3 * (1 - own) * v2 <= 1 * v2) by (apply Rmult_le_compat_r; lra).
  assert (Tn * (1 - own) * etad <= 1 * etad) by (apply Rmult_le_compat_r; lra).
  assert (0 <= own * etad) by (apply Rmult_le_pos; lra).
  unfold v2 in *. lra.
Qed.

(* ---- what an implementation has of a variance in two passes, whatever its mean m is *)
Lemma computed_variance n o y m d p S V : (0 < n)%nat -> order_of n o -> t <= 1 -> INR (n + 10) * u < / 2 ->
  (forall i, adds (d i) (y i) (- m)) -> (forall i, computes (4 * u) (p i) (d i * d i)) -> added p o S -> quotient V S (INR n) ->
  (1 - INR (n + 9) * u) * (dot n (fun i => y i - m) (fun i => y i - m) / INR n) - 2 * t <= V.
Proof.
  intros N O T1 K Ad Cp AS QV. pose proof (INR_pos n N) as NP. destruct constants as (_ & _ & U & T & _).
  rewrite plus_INR in *. simpl INR in *.
  assert (Pp : forall i, 0 <= p i) by (intros i; apply (computes_nonneg (4 * u) _ (d i * d i)); [lra|apply Cp|apply Rle_0_sqr]).
  assert (Pl : forall i, (1 - 6 * u) * ((y i - m) * (y i - m)) - t <= p i).
  { intros i. destruct (Ad i) as [A _]. replace (y i + - m) with (y i - m) in A by ring. set (z := y i - m) in *.
    assert (Sq : forall z, z * z = Rabs z * Rabs z) by (intros z0; rewrite <- Rabs_mult; symmetry; apply Rabs_pos_eq, Rle_0_sqr).
    pose proof (Rle_0_sqr z) as Z0. unfold Rsqr in Z0. pose proof (Rabs_pos z) as Za.
    destruct A as [A|[A _]].
    - assert (D1 : (1 - u) * Rabs z <= Rabs (d i)).
      { pose proof (Rabs_triang (d i) (- (d i - z))) as Q. rewrite Rabs_Ropp in Q. replace (d i + - (d i - z)) with z in Q by ring. lra. }
      assert (D2 : (1 - u) * (1 - u) * (z * z) <= d i * d i).
      { rewrite (Sq z), (Sq (d i)). replace ((1 - u) * (1 - u) * (Rabs z * Rabs z)) with (((1 - u) * Rabs z) * ((1 - u) * Rabs z)) by ring.
        apply Rmult_le_compat; try exact D1; apply Rmult_le_pos; lra. }
      assert (D3 : (1 - 4 * u) * (d i * d i) - t <= p i).
      { pose proof (Rle_0_sqr (d i)) as D0. unfold Rsqr in D0. assert (0 <= u * (d i * d i)) by (apply Rmult_le_pos; lra).
        destruct (Cp i) as [C|(C & _)]; [rewrite (Rabs_pos_eq (d i * d i)) in C by exact D0|]; apply abs_between in C; lra. }
      assert (D4 : (1 - 4 * u) * ((1 - u) * (1 - u) * (z * z)) <= (1 - 4 * u) * (d i * d i)) by (apply Rmult_le_compat_l; lra).
      assert (D5 : (1 - 6 * u) * (z * z) <= (1 - 4 * u) * ((1 - u) * (1 - u)) * (z * z)).
      { apply Rmult_le_compat_r; [exact Z0|]. nra. }
      lra.
    - assert (z * z <= t).
      { rewrite (Sq z). apply Rle_trans with (Rabs z * 1); [apply Rmult_le_compat_l; lra|lra]. }
      specialize (Pp i). assert (0 <= u * (z * z)) by (apply Rmult_le_pos; lra). lra. }
  destruct (added_nonneg (fun _ => false) p o S ltac:(discriminate) Pp AS) as [S0 S1]. rewrite O in S1.
  assert (CL : count_of (fun _ => false) o = leaves o) by (clear; induction o; simpl; congruence).
  rewrite CL, (leaves_of_order n o O) in S1.
  assert (N1 : INR (n - 1) = INR n - 1) by (rewrite minus_INR by lia; reflexivity). rewrite N1 in S1.
  set (Z := dot n (fun i => y i - m) (fun i => y i - m)).
  assert (Z0 : 0 <= Z / INR n) by (apply div_nonneg; [apply dot_nonneg|exact NP]).
  assert (S2 : (1 - 6 * u) * Z - INR n * t <= Sum n p).
  { unfold Z, dot. rewrite <- Sum_scal, <- Sum_const, <- Sum_minus. apply Sum_le. intros. apply Pl. }
  set (b := (INR n - 1) * u) in *.
  assert (N0 : 1 <= INR n) by (replace 1 with (INR 1) by reflexivity; apply le_INR; lia).
  assert (b0 : 0 <= b) by (apply Rmult_le_pos; lra).
  assert (b1 : b + 11 * u < / 2) by (unfold b; lra).
  assert (S3 : (1 - b) * ((1 - 6 * u) * (Z / INR n) - t) <= S / INR n).
  { apply le_div; [exact NP|].
    replace ((1 - b) * ((1 - 6 * u) * (Z / INR n) - t) * INR n) with ((1 - b) * ((1 - 6 * u) * Z - INR n * t)) by (field; lra).
    eapply Rle_trans; [|exact S1]. apply Rmult_le_compat_l; lra. }
  assert (S4 : 0 <= S / INR n) by (apply div_nonneg; assumption).
  assert (S5 : (1 - 4 * u) * (S / INR n) - t <= V).
  { assert (0 <= u * (S / INR n)) by (apply Rmult_le_pos; lra).
    unfold quotient in QV. destruct (is_power (INR n)); destruct QV as [C|(C & _)];
      rewrite ?(Rabs_pos_eq (S / INR n)) in C by exact S4; apply abs_between in C; lra. }
  assert (S6 : (1 - 4 * u) * ((1 - b) * ((1 - 6 * u) * (Z / INR n) - t)) <= (1 - 4 * u) * (S / INR n)) by (apply Rmult_le_compat_l; lra).
  assert (S7 : (1 - (b + 10 * u)) * (Z / INR n) <= (1 - 4 * u) * (1 - b) * (1 - 6 * u) * (Z / INR n)).
  { apply Rmult_le_compat_r; [exact Z0|]. assert (0 <= b * u) by (apply Rmult_le_pos; lra).
    assert (1 - 10 * u <= (1 - 4 * u) * (1 - 6 * u)) by nra.
    assert ((1 - b) * (1 - 10 * u) <= (1 - b) * ((1 - 4 * u) * (1 - 6 * u))) by (apply Rmult_le_compat_l; lra). lra. }
  assert (S8 : (1 - 4 * u) * (1 - b) * t <= 1 * t).
  { apply Rmult_le_compat_r; [lra|]. assert (0 <= b * u) by (apply Rmult_le_pos; lra). nra. }
  unfold b in *. lra.
Qed.

(* ---- the floor of a variance: what `raised` takes, l its `lower` *)
Definition off_in_all (n : nat) (X : nat -> bounded) : R :=
  sqrt (Sum n (fun i => 2 * error (X i) * (2 * error (X i)) + smallest_double) / INR n) * sl.
Definition floor_condition (n : nat) (X : nat -> bounded) (W : bounded) (l : R) : Prop :=
  let own := 2 * INR (n + 8) * ud in
  let of_the_mean := own * Sum n (fun i => Rabs (value (X i))) / INR n in
  (l + off_in_all n X) * (l + off_in_all n X) <= value W * (1 - own) - of_the_mean * of_the_mean.
Definition floor_after (n : nat) (l : R) : R := l * l * (1 - INR (n + 10) * u) - 4 * t.

Lemma raised_is n X W : raised reals F n X W = W \/ exists l, INR (n + 10) * u < / 2 /\ 0 < l /\ floor_condition n X W l /\
  let k := rounded_down reals (l * l) (INR (n + 10) * u) (4 * t) in
  raised reals F n X W = closed reals (value W) (error W) (Some (match floor W with Some k' => larger reals k' k | None => k end)) (judged W).
Proof.
  destruct constants as (_ & _ & _ & _ & [L1 _] & _). unfold raised. cbv zeta.
  destruct (below R reals _ (half R reals)) eqn:K; [|left; reflexivity]. apply below_true in K.
  match goal with |- context [below R reals (zero R reals) ?p] => set (l := p) end.
  destruct (below R reals (zero R reals) l) eqn:P; [|left; reflexivity]. apply below_true in P. simpl in P.
  right. exists l. split; [exact K|]. split; [exact P|]. split; [|reflexivity].
  unfold floor_condition, off_in_all. cbv zeta. unfold l in *. rewrite larger_is in *.
  simpl in P |- *. fold ud in P |- *. change (from_first reals) with Sum in P |- *.
  match goal with |- context [sqrt (Rmax ?p 0)] => set (least := p) in * end.
  match type of P with 0 < _ - ?p => set (E := p) in * end.
  assert (E0 : 0 <= E) by (apply Rmult_le_pos; [apply sqrt_pos|lra]).
  assert (L0 : 0 < least).
  { apply Rnot_le_lt. intros Q. rewrite (Rmax_right least 0), sqrt_0 in P by exact Q. unfold Rdiv in P. rewrite Rmult_0_l in P. lra. }
  rewrite (Rmax_left least 0) in * by lra. replace (sqrt least / sl - E + E) with (sqrt least / sl) by ring.
  pose proof (sqrt_pos least) as R0. assert (R1 : sqrt least / sl <= sqrt least) by (apply div_le_of; [lra|apply enlarged, R0]).
  assert (R2 : 0 <= sqrt least / sl) by (apply div_nonneg; lra).
  apply Rle_trans with (sqrt least * sqrt least); [apply Rmult_le_compat; lra|]. right. apply sqrt_sqrt. lra.
Qed.
Lemma raised_near n X W a c : near W a c ->
  near (raised reals F n X W) a c /\ (open W = false -> open (raised reals F n X W) = false) /\ value (raised reals F n X W) = value W.
Proof.
  intros N. destruct (raised_is n X W) as [->|(l & _ & _ & _ & ->)]; [auto|]. unfold near, closed. cbn [value error open]. auto.
Qed.
Lemma raised_above n X W a c : near W a c -> above W a c -> 0 <= a -> 0 <= c ->
  (forall l, INR (n + 10) * u < / 2 -> 0 < l -> floor_condition n X W l -> floor_after n l <= a /\ floor_after n l <= c) ->
  above (raised reals F n X W) a c.
Proof.
  intros N A A0 C0 H. destruct (raised_near n X W a c N) as (N' & _ & _).
  destruct (raised_is n X W) as [->|(l & K & L & C & E)]; [exact A|]. cbv zeta in E. destruct (H l K L C) as [Ha Hc].
  destruct constants as (_ & _ & U & T & _).
  set (k := rounded_down reals (l * l) (INR (n + 10) * u) (4 * t)) in *.
  assert (Kk : k <= Rmax (floor_after n l) 0).
  { apply rounded_down_at_most; [|lra|apply Rle_0_sqr]. split; [apply Rmult_le_pos; [apply pos_INR|lra]|lra]. }
  assert (Ka : k <= a) by (eapply Rle_trans; [exact Kk|apply Rmax_lub; assumption]).
  assert (Kc : k <= c) by (eapply Rle_trans; [exact Kk|apply Rmax_lub; assumption]).
  apply (above_of_some _ _ _ (match floor W with Some k' => larger reals k' k | None => k end)); [exact N'|rewrite E; reflexivity| |];
    destruct (floor W) as [k'|] eqn:FW; auto; rewrite larger_is; apply Rmax_lub; auto;
    (eapply Rle_trans; [apply (least_of_some W k' FW)|apply A]).
Qed.
Lemma floor_of_variance n o x y m d p S V X W l : (0 < n)%nat -> order_of n o -> t <= 1 -> INR (n + 10) * u < / 2 -> 0 < l ->
  (forall i, value (X i) = x i) -> (forall i, Rabs (y i - x i) <= error (X i)) ->
  (forall i, adds (d i) (y i) (- m)) -> (forall i, computes (4 * u) (p i) (d i * d i)) -> added p o S -> quotient V S (INR n) ->
  (let own := 2 * INR (n + 8) * ud in let of_the_mean := own * Sum n (fun i => Rabs (x i)) / INR n in
   value W * (1 - own) - of_the_mean * of_the_mean <= variance n x + 3 * etad) -> floor_condition n X W l ->
  floor_after n l <= variance n x /\ floor_after n l <= V /\ floor_after n l <= value W.
Proof.
  intros N O T1 K L Xv Xe Ad Cp AS QV Own C. pose proof (INR_pos n N) as NP. destruct constants as (D0 & E0 & U & T & [L1 _] & _ & E4).
  unfold floor_condition in C. cbv zeta in *.
  rewrite (Sum_ext n (fun i => Rabs (value (X i))) (fun i => Rabs (x i))) in C by (intros; rewrite Xv; reflexivity).
  set (own := 2 * INR (n + 8) * ud) in *. set (em := own * Sum n (fun i => Rabs (x i)) / INR n) in *. set (E := off_in_all n X) in *.
  pose proof (computed_variance n o y m d p S V N O T1 K Ad Cp AS QV) as Low.
  set (rho := rms n (fun i => y i - m)). pose proof (rms_square n (fun i => y i - m) N) as R2. fold rho in R2. rewrite <- R2 in Low.
  assert (R0 : 0 <= rho) by apply sqrt_pos.
  assert (E1 : rms n (fun i => x i - y i) <= E).
  { unfold E, off_in_all. eapply Rle_trans; [|apply enlarged, sqrt_pos]. unfold rms. apply sqrt_le_1_alt, div_le; [exact NP|].
    apply Sum_le. intros i _. assert (0 < smallest_double) by apply bpow_gt_0. pose proof (Rabs_pos (y i - x i)). specialize (Xe i).
    replace ((x i - y i) * (x i - y i)) with (Rabs (y i - x i) * Rabs (y i - x i)).
    - assert (Rabs (y i - x i) * Rabs (y i - x i) <= 2 * error (X i) * (2 * error (X i))) by (apply Rmult_le_compat; lra). lra.
    - rewrite <- Rabs_mult, Rabs_pos_eq by apply Rle_0_sqr. ring. }
  pose proof (root_of_variance n x y m N) as Rv. fold rho in Rv.
  pose proof (variance_nonneg n x N) as v0. set (v := variance n x) in *. pose proof (sqrt_sqrt v v0) as v2. pose proof (sqrt_pos v) as v1.
  assert (E00 : 0 <= E) by (unfold E, off_in_all; apply Rmult_le_pos; [apply sqrt_pos|lra]).
  assert (LE : (l + E) * (l + E) <= v + t) by lra.
  assert (LL : l * l <= (l + E) * (l + E)) by (apply Rmult_le_compat; lra).
  assert (Lr : l * l <= rho * rho + t).
  { assert (Q : sqrt v * sqrt v <= (rho + E) * (rho + E)) by (apply Rmult_le_compat; lra).
    destruct (Rle_lt_dec l rho) as [G|G]; [assert (l * l <= rho * rho) by (apply Rmult_le_compat; lra); lra|].
    assert (rho * E <= l * E) by (apply Rmult_le_compat_r; lra). lra. }
  assert (N8 : INR (n + 8) = INR n + 8) by (rewrite plus_INR; simpl; ring).
  assert (N9 : INR (n + 9) = INR n + 9) by (rewrite plus_INR; simpl; ring).
  assert (N10 : INR (n + 10) = INR n + 10) by (rewrite plus_INR; simpl; ring).
  unfold floor_after. rewrite N10 in *. rewrite N9 in *. set (g := (INR n + 10) * u) in *.
  assert (g0 : 0 <= g) by (apply Rmult_le_pos; lra).
  assert (l2 : 0 <= l * l) by apply Rle_0_sqr.
  assert (gl : 0 <= g * (l * l)) by (apply Rmult_le_pos; lra).
  split; [lra|]. split.
  - assert (Q : l * l * (1 - g) <= (rho * rho + t) * (1 - g)) by (apply Rmult_le_compat_r; lra).
    assert (0 <= g * t) by (apply Rmult_le_pos; lra). assert (0 <= u * (rho * rho)) by (apply Rmult_le_pos; [lra|apply Rle_0_sqr]).
    unfold g in *. lra.
  - assert (Ow : 0 <= own < 1).
    { unfold own. rewrite N8. fold ud in u_range. pose proof (Rmult_le_compat_l (INR n + 8) ud u ltac:(lra) ltac:(lra)).
      split; [repeat apply Rmult_le_pos; lra|]. unfold g in *. lra. }
    assert (0 <= em * em) by apply Rle_0_sqr.
    assert (P : 0 < value W * (1 - own)) by (assert (0 < l * l) by (apply Rmult_lt_0_compat; lra); lra).
    assert (0 < value W) by (apply Rmult_lt_reg_r with (1 - own); lra).
    assert (0 <= value W * own) by (apply Rmult_le_pos; lra). lra.
Qed.

(* ---- the root of a statistic, not negative, plus eps *)
Section Root.
Variable eps : R.
Hypothesis eps_double : is_double eps.
Hypothesis eps_pos : 0 <= eps.
Variable W : bounded.
Variable a : R.
Hypothesis W_closed : open W = false.
Hypothesis a_pos : 0 <= a.
Let B : bounded := square_root reals F (add reals F W (constant reals F eps)).

Lemma root_near V ce w rt : near W a V -> above W a V -> 0 <= V ->
  holds_constant eps ce -> adds w V ce -> computes (4 * u) rt (sqrt w) ->
  near B (sqrt (a + eps)) rt /\ above B (sqrt (a + eps)) rt /\ 0 <= least reals B /\ 0 < error B.
Proof.
  intros N2 A2 V0 (He1 & He2 & He3) Hw Hr. pose proof (constant_near eps ce eps_double (conj He1 (conj He2 He3))) as N3.
  pose proof (add_near W (constant reals F eps) a eps V ce w W_closed eq_refl N2 N3 Hw) as N4.
  pose proof (add_above W (constant reals F eps) a eps V ce w W_closed eq_refl N2 N3 Hw A2 (above_of_none _ _ _ N3 eq_refl)) as A4.
  assert (W0 : 0 <= w).
  { destruct constants as (_ & _ & U & _). specialize (He3 eps_pos). destruct Hw as [[G|(_ & _ & [G|G])] _]; [|lra|lra].
    rewrite (Rabs_pos_eq (V + ce)) in G by lra. apply abs_between in G. nra. }
  destruct (square_root_near _ _ _ rt N4 A4 ltac:(lra) W0 Hr) as (Q1 & Q2 & Q3 & Q4 & _). repeat split; auto; apply Q1 || apply Q2.
Qed.

(* 1 / that root, of the reference and of an implementation *)
Lemma rstd_near V ce w rt r : near W a V -> above W a V -> above W a (value W) -> 0 <= V -> 0 <= value W ->
  holds_constant eps ce -> adds w V ce -> computes (4 * u) rt (sqrt w) ->
  exactly 1 = true -> judged (rstd_of reals F W eps) = true -> computes (4 * u) r (1 / rt) ->
  0 < a + eps /\ near (rstd_of reals F W eps) (1 / sqrt (a + eps)) r.
Proof.
  intros N A Av V0 W0 He Hw Hr X J C.
  destruct (root_near V ce w rt N A V0 He Hw Hr) as (N1 & A1 & P1 & E1).
  assert (Lv : least reals B <= value B).
  { pose proof (value_near _ _ _ N) as Nv. destruct (add_value W (constant reals F eps) (proj1 Nv) eps_double) as [AV _].
    destruct (root_near (value W) eps (value (add reals F W (constant reals F eps))) (value B) Nv Av W0 (constant_value eps) AV
      (computes_double_4 _)) as (_ & [_ Q] & _). exact Q. }
  destruct (reciprocal_near B _ rt r N1 A1 Lv P1 E1 X J C) as [P2 N2]. split; [|exact N2].
  apply Rnot_le_lt. intros Q. rewrite (sqrt_neg_0 _ Q) in P2. lra.
Qed.
End Root.

Lemma affine_near g shift cg cb X x h k y : is_double g -> is_double shift -> holds_constant g cg -> holds_constant shift cb ->
  near X x h -> computes (4 * u) k (cg * h) -> adds y k cb -> near (affine_of reals F g shift X) (g * x + shift) y.
Proof.
  intros Hg Hb Cg Cb N K Y. pose proof (constant_near g cg Hg Cg) as Ng. pose proof (constant_near shift cb Hb Cb) as Nb.
  pose proof (multiply_near false _ _ _ _ _ _ k Ng N K) as Np. unfold affine_of. apply (add_near _ _ _ _ k cb y); auto.
Qed.

(* What an implementation of LayerNorm on n numbers does, o and o' the orders of its sums: what it has of the inputs, the mean, the
   distances d, the variance in two passes, 1/sqrt, x_hat and y. One operation that is off by 4 u may stand for two. *)
Definition implements_layer_norm (n : nat) (x g shift : nat -> R) (eps : R) (y : nat -> R) : Prop :=
  exists o o' cx cg cb ce s m d p S V w rt r h k, order_of n o /\ order_of n o' /\
    (forall i, holds_constant (x i) (cx i)) /\ (forall i, holds_constant (g i) (cg i)) /\
    (forall i, holds_constant (shift i) (cb i)) /\ holds_constant eps ce /\
    added cx o s /\ quotient m s (INR n) /\ (forall i, adds (d i) (cx i) (- m)) /\
    (forall i, computes (4 * u) (p i) (d i * d i)) /\ added p o' S /\ quotient V S (INR n) /\
    adds w V ce /\ computes (4 * u) rt (sqrt w) /\ computes (4 * u) r (1 / rt) /\
    (forall i, computes (4 * u) (h i) (d i * r)) /\ (forall i, computes (4 * u) (k i) (cg i * h i)) /\
    (forall i, adds (y i) (k i) (cb i)).
Definition implements_rms_norm (n : nat) (x g shift : nat -> R) (eps : R) (y : nat -> R) : Prop :=
  exists o cx cg cb ce p S V w rt r h k, order_of n o /\
    (forall i, holds_constant (x i) (cx i)) /\ (forall i, holds_constant (g i) (cg i)) /\
    (forall i, holds_constant (shift i) (cb i)) /\ holds_constant eps ce /\
    (forall i, computes (4 * u) (p i) (cx i * cx i)) /\ added p o S /\ quotient V S (INR n) /\
    adds w V ce /\ computes (4 * u) rt (sqrt w) /\ computes (4 * u) r (1 / rt) /\
    (forall i, computes (4 * u) (h i) (cx i * r)) /\ (forall i, computes (4 * u) (k i) (cg i * h i)) /\
    (forall i, adds (y i) (k i) (cb i)).

(* U5. The tolerance of the gate for LayerNorm, the formula of gate_formula.v that verification/golden/gate evaluates: for every n that the
   format holds, (n - 1) u < 1/2, 2^-53 <= u <= 1/8, 2^-1073 <= t <= 1 (with U7 the gate as it is, and with --flush-subnormals), every x, gamma,
   beta, eps >= 0 of binary64, every order of the sums, where the bound claims anything of rstd, every implementation of the model of
   docs/error_analysis.md, section 8, and the value that the reference has, are within error(y_i) of y_i = gamma_i x_hat_i + beta_i. *)
Theorem U5_layer_norm_within_the_gate n o (x g shift : nat -> R) eps y i : (0 < n)%nat -> order_of n o ->
  exactly (INR n) = true -> exactly 1 = true -> INR (n - 1) * u < / 2 ->
  (forall j, is_double (x j)) -> (forall j, is_double (g j)) -> (forall j, is_double (shift j)) -> is_double eps -> 0 <= eps ->
  t <= 1 -> judged (layer_norm_rstd reals F n o x eps) = true -> implements_layer_norm n x g shift eps y ->
  let Y := layer_norm_bound reals F n o x g shift eps i in
  let exact := g i * sigma_hat n x eps i + shift i in
  Rabs (y i - exact) <= error Y /\ Rabs (value Y - exact) <= error Y.
Proof.
  intros Hn O Xn X1 Ns Hx Hg Hb He E0 T1 J (o1 & o2 & cx & cg & cb & ce & s & m & d & p & S & V & w & rt & r & h & k & O1 & O2 &
    Cx & Cg & Cb & Ce & As & Qm & Ad & Cp & AS & QV & Aw & Cr & Cr' & Ch & Ck & Ay) Y exact.
  pose proof (INR_pos n Hn) as NP. destruct constants as (D0 & _ & U & T & _).
  assert (EO : forall g0, total g0 o1 = total g0 o) by (intros; rewrite O1, O; reflexivity).
  assert (LE : INR (leaves o - 1) * u < / 2) by (rewrite (leaves_of_order n o O); exact Ns).
  (* the mean *)
  set (X := fun j => constant reals F (x j)).
  assert (NX : forall j, near (X j) (x j) (cx j)) by (intros j; apply constant_near; auto).
  pose proof (sum_near X x cx (fun j => eq_refl) NX o o1 s LE EO As) as N1. rewrite O in N1.
  pose proof (divide_near _ _ _ _ _ N1 NP Xn Qm) as N2.
  set (M := mean_of reals F n o X) in *. change (divide reals F (sum_of reals F X o) (constant reals F (INR n))) with M in N2.
  change (Sum n x / INR n) with (mean n x) in N2. pose proof (negative_near _ _ _ N2) as N3.
  (* the distances from it *)
  set (D := layer_norm_distance reals F n o x).
  assert (ND : forall j, near (D j) (centred n x j) (d j)).
  { intros j. apply (add_near (X j) (negative reals M) (x j) (- mean n x) (cx j) (- m) (d j)); auto. }
  assert (AD : forall j, above (D j) (centred n x j) (d j)).
  { intros j. apply (add_above (X j) (negative reals M) (x j) (- mean n x) (cx j) (- m) (d j)); auto; apply above_of_none; auto. }
  assert (Vd : forall j, adds (value (D j)) (x j) (- value M)).
  { intros j. apply (add_value (X j) (negative reals M)); [apply Hx|]. apply N3. }
  assert (ADv : forall j, above (D j) (centred n x j) (value (D j))).
  { intros j. apply (add_above (X j) (negative reals M) (x j) (- mean n x) (x j) (- value M) (value (D j))); auto.
    - apply constant_near; auto. apply constant_value.
    - apply (value_near _ _ _ N3).
    - apply above_of_none; [|reflexivity]. apply constant_near; auto. apply constant_value.
    - apply above_of_none; [|reflexivity]. apply (value_near _ _ _ N3). }
  (* their squares *)
  set (P := fun j => multiply reals F true (D j) (D j)).
  assert (NQ : forall j, near (P j) (centred n x j * centred n x j) (p j)).
  { intros j. apply (multiply_near true _ _ _ _ (d j) (d j)); auto. }
  assert (AQ : forall j, 0 <= least reals (P j) /\ above (P j) (centred n x j * centred n x j) (p j)).
  { intros j. apply (square_above _ _ (d j)); auto. }
  assert (AQv : forall j, above (P j) (centred n x j * centred n x j) (value (P j))).
  { intros j. apply (square_above _ _ (value (D j))); auto; [apply (value_near _ _ _ (ND j))|]. apply computes_double_4. }
  destruct (mean_of_squares n o P (fun j => centred n x j * centred n x j) p o2 S V Hn O Xn Ns (fun j => eq_refl) O2 NQ AQ AQv AS QV)
    as (NW & AW & AWv & W0 & V0 & Vv0).
  set (W := mean_of reals F n o P) in *. change (Sum n (fun j => centred n x j * centred n x j) / INR n) with (variance n x) in *.
  assert (Fl : forall l, INR (n + 10) * u < / 2 -> 0 < l -> floor_condition n X W l ->
    floor_after n l <= variance n x /\ floor_after n l <= V /\ floor_after n l <= value W).
  { intros l K L C. apply (floor_of_variance n o2 x cx m d p S V X W); auto.
    - intros j. apply NX.
    - unfold W. rewrite mean_value. destruct (sum_is P o (fun j => proj1 (NQ j))) as [-> _]. destruct (sum_is X o Hx) as [SX _].
      assert (MV : value M = double (sum_rounded double x o / INR n)) by (unfold M; rewrite mean_value, SX; reflexivity).
      assert (Vp : forall j, value (P j) = double (double (x j - value M) * double (x j - value M))).
      { intros j. unfold P, multiply, closed. cbn [value]. unfold D, layer_norm_distance. fold X. fold M.
        rewrite add_double by (apply Hx || apply N3). reflexivity. }
      rewrite (sum_rounded_ext double _ _ o Vp), MV. apply own_variance; auto. fold ud. rewrite plus_INR in *. simpl INR in *. fold ud in u_range.
      pose proof (Rmult_le_compat_l (INR n + 8) ud u ltac:(lra) ltac:(lra)). lra. }
  destruct (raised_near n X W _ V NW) as (NW' & CW & VW).
  assert (AW' : above (raised reals F n X W) (variance n x) V).
  { apply raised_above; auto. intros l K L C. destruct (Fl l K L C) as (F1 & F2 & _). auto. }
  assert (AWv' : above (raised reals F n X W) (variance n x) (value W)).
  { apply raised_above; auto; [apply (value_near _ _ _ NW)|]. intros l K L C. destruct (Fl l K L C) as (F1 & _ & F3). auto. }
  rewrite <- VW in AWv', Vv0.
  destruct (rstd_near eps He E0 (raised reals F n X W) (variance n x) (CW (mean_closed n o P)) W0
    V ce w rt r NW' AW' AWv' V0 Vv0 Ce Aw Cr X1 J Cr') as [Pos NR].
  pose proof (multiply_near false _ _ _ _ _ _ (h i) (ND i) NR (Ch i)) as NH.
  pose proof (affine_near (g i) (shift i) (cg i) (cb i) _ _ (h i) (k i) (y i) (Hg i) (Hb i) (Cg i) (Cb i) NH (Ck i) (Ay i)) as NY.
  assert (Ex : g i * (centred n x i * (1 / sqrt (variance n x + eps))) + shift i = exact).
  { unfold exact, sigma_hat, sigma_s. unfold Rdiv. ring. }
  rewrite Ex in NY. destruct NY as (_ & Q1 & Q2). split; [exact Q2|exact Q1].
Qed.

(* U6. The tolerance of the gate for RMSNorm likewise: y_i = gamma_i x_hat_i + beta_i, x_hat = x/sqrt(psi^2 + eps). *)
Theorem U6_rms_norm_within_the_gate n o (x g shift : nat -> R) eps y i : (0 < n)%nat -> order_of n o ->
  exactly (INR n) = true -> exactly 1 = true -> INR (n - 1) * u < / 2 ->
  (forall j, is_double (x j)) -> (forall j, is_double (g j)) -> (forall j, is_double (shift j)) -> is_double eps -> 0 <= eps ->
  judged (rms_norm_rstd reals F n o x eps) = true -> implements_rms_norm n x g shift eps y ->
  let Y := rms_norm_bound reals F n o x g shift eps i in
  let exact := g i * psi_hat n x eps i + shift i in
  Rabs (y i - exact) <= error Y /\ Rabs (value Y - exact) <= error Y.
Proof.
  intros Hn O Xn X1 Ns Hx Hg Hb He E0 J (o2 & cx & cg & cb & ce & p & S & V & w & rt & r & h & k & O2 &
    Cx & Cg & Cb & Ce & Cp & AS & QV & Aw & Cr & Cr' & Ch & Ck & Ay) Y exact.
  destruct constants as (D0 & _ & U & T & _).
  set (X := fun j => constant reals F (x j)).
  assert (NX : forall j, near (X j) (x j) (cx j)) by (intros j; apply constant_near; auto).
  assert (NXv : forall j, near (X j) (x j) (x j)) by (intros j; apply constant_near; auto; apply constant_value).
  set (P := fun j => multiply reals F true (X j) (X j)).
  assert (NQ : forall j, near (P j) (x j * x j) (p j)) by (intros j; apply (multiply_near true _ _ _ _ (cx j) (cx j)); auto).
  assert (AQ : forall j, 0 <= least reals (P j) /\ above (P j) (x j * x j) (p j)).
  { intros j. apply (square_above _ _ (cx j)); auto. apply above_of_none; auto. }
  assert (AQv : forall j, above (P j) (x j * x j) (value (P j))).
  { intros j. apply (square_above _ _ (x j)); auto; [apply above_of_none; auto|]. apply computes_double_4. }
  destruct (mean_of_squares n o P (fun j => x j * x j) p o2 S V Hn O Xn Ns (fun j => eq_refl) O2 NQ AQ AQv AS QV)
    as (NW & AW & AWv & W0 & V0 & Vv0).
  assert (CW : open (mean_of reals F n o P) = false) by apply mean_closed.
  destruct (rstd_near eps He E0 (mean_of reals F n o P) _ CW W0 V ce w rt r NW AW AWv V0 Vv0 Ce Aw Cr X1 J Cr') as [Pos NR].
  pose proof (multiply_near false _ _ _ _ _ _ (h i) (NX i) NR (Ch i)) as NH.
  pose proof (affine_near (g i) (shift i) (cg i) (cb i) _ _ (h i) (k i) (y i) (Hg i) (Hb i) (Cg i) (Cb i) NH (Ck i) (Ay i)) as NY.
  assert (Ex : g i * (x i * (1 / sqrt (Sum n (fun j => x j * x j) / INR n + eps))) + shift i = exact).
  { unfold exact, psi_hat, psi_s, quadratic_mean, dot. unfold Rdiv. ring. }
  rewrite Ex in NY. destruct NY as (_ & Q1 & Q2). split; [exact Q2|exact Q1].
Qed.
End Model.
