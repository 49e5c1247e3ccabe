(* M: the sum of products of rule R1 in binary formats, rounded to nearest, as rounding.v has them; docs/error_analysis.md, section 7. *)
From Coq Require Import Reals Lra Psatz Lia Arith.
From Flocq Require Import Core.
From normproof Require Import sums rounding.
Open Scope R_scope.

Section Format.
Variable prec emin : Z.
Hypothesis prec_pos : (0 < prec)%Z.
Variable tie : Z -> bool.
Notation u := (unit_roundoff prec).
Notation eta := (underflow emin).
Notation nearest := (nearest prec emin tie).
Notation held := (held prec emin).
Let U : 0 < u := unit_roundoff_pos prec.
Let nearest_any := nearest_any prec emin prec_pos tie.
Let nearest_sum := nearest_sum prec emin prec_pos tie.
Let nearest_held := nearest_held prec emin prec_pos tie.

(* s_0 = 0, s_(k+1) = fma(a_k, b_k, s_k), from the term `first` on *)
Fixpoint fma_chain (a b : nat -> R) (first count : nat) : R :=
  match count with
  | O => 0
  | S k => nearest (a (first + k)%nat * b (first + k)%nat + fma_chain a b first k)
  end.
(* the results of the first `blocks` chains of 256 terms, the last one shorter, added from left to right: rule R1 *)
Fixpoint blocks_of_256 (a b : nat -> R) (K blocks : nat) : R :=
  match blocks with
  | O => 0
  | 1%nat => fma_chain a b 0 (min 256 K)
  | S j => nearest (blocks_of_256 a b K j + fma_chain a b (256 * j) (min 256 (K - 256 * j)))
  end.
Definition sum_of_products (a b : nat -> R) (K : nat) : R := blocks_of_256 a b K ((K + 255) / 256).

Definition off_by (k n : nat) (s exact mag : R) : Prop :=
  Rabs (s - exact) <= ((1 + u)^k - 1) * mag + INR n * eta * (1 + u)^k /\ Rabs exact <= mag.

Lemma off_by_more k m n s exact mag : (k <= m)%nat -> off_by k n s exact mag -> off_by m n s exact mag.
Proof.
  intros L [E M]. pose proof U. pose proof (power_mono u ltac:(lra) k m L).
  pose proof (Rabs_pos exact). pose proof (pos_INR n). pose proof (underflow_pos emin).
  pose proof (Rmult_le_pos _ _ H2 (Rlt_le _ _ H3)). split; [|exact M]. nra.
Qed.
Lemma off_by_fma k n s exact mag p : off_by k n s exact mag ->
  off_by (S k) (S n) (nearest (p + s)) (exact + p) (mag + Rabs p).
Proof.
  intros [E M]. pose proof U. pose proof (underflow_pos emin) as T. pose proof (pos_INR n) as N.
  pose proof (power_at_least_1 u ltac:(lra) k) as P.
  split; [|eapply Rle_trans; [apply Rabs_triang|]; lra].
  pose proof (nearest_any (p + s)) as R1.
  assert (A : Rabs (p + s) <= mag + Rabs p + Rabs (s - exact)).
  { replace (p + s) with (p + (exact + (s - exact))) by ring. eapply Rle_trans; [apply Rabs_triang|].
    pose proof (Rabs_triang exact (s - exact)). lra. }
  replace (nearest (p + s) - (exact + p)) with ((nearest (p + s) - (p + s)) + (s - exact)) by ring.
  eapply Rle_trans; [apply Rabs_triang|]. rewrite S_INR, <- tech_pow_Rmult.
  pose proof (Rabs_pos p). pose proof (Rabs_pos exact). set (d := Rabs (s - exact)) in *.
  assert (u * Rabs (p + s) <= u * (mag + Rabs p + d)) by (apply Rmult_le_compat_l; lra).
  assert ((1 + u) * d <= (1 + u) * (((1 + u)^k - 1) * mag + INR n * eta * (1 + u)^k)) by (apply Rmult_le_compat_l; lra).
  assert (0 <= ((1 + u) * (1 + u)^k - 1 - u) * Rabs p) by (apply Rmult_le_pos; nra).
  assert (eta <= eta * ((1 + u) * (1 + u)^k)).
  { rewrite <- (Rmult_1_r eta) at 1. apply Rmult_le_compat_l; nra. }
  nra.
Qed.
Lemma off_by_sum k n m s exact mag s' exact' mag' : held s -> held s' -> off_by k n s exact mag ->
  off_by k m s' exact' mag' -> off_by (S k) (n + m) (nearest (s + s')) (exact + exact') (mag + mag').
Proof.
  intros Hs Hs' [E M] [E' M']. pose proof U.
  split; [|eapply Rle_trans; [apply Rabs_triang|]; lra].
  pose proof (nearest_sum s s' Hs Hs') as R1.
  assert (D : Rabs ((s + s') - (exact + exact')) <= Rabs (s - exact) + Rabs (s' - exact')).
  { replace (s + s' - (exact + exact')) with ((s - exact) + (s' - exact')) by ring. apply Rabs_triang. }
  assert (A : Rabs (s + s') <= mag + mag' + (Rabs (s - exact) + Rabs (s' - exact'))).
  { replace (s + s') with ((exact + exact') + ((s + s') - (exact + exact'))) by ring.
    eapply Rle_trans; [apply Rabs_triang|]. pose proof (Rabs_triang exact exact'). lra. }
  replace (nearest (s + s') - (exact + exact'))
    with ((nearest (s + s') - (s + s')) + ((s + s') - (exact + exact'))) by ring.
  eapply Rle_trans; [apply Rabs_triang|]. rewrite plus_INR, <- tech_pow_Rmult. nra.
Qed.
Lemma chain_held a b first count : held (fma_chain a b first count).
Proof. destruct count; [apply generic_format_0|apply nearest_held]. Qed.
Lemma blocks_held a b K blocks : held (blocks_of_256 a b K blocks).
Proof. destruct blocks as [|[|j]]; [apply generic_format_0|apply chain_held|apply nearest_held]. Qed.

Lemma Sum_split n m f : Sum (n + m) f = Sum n f + Sum m (fun i => f (n + i)%nat).
Proof. induction m; [rewrite Nat.add_0_r; simpl; ring|]. rewrite Nat.add_succ_r. simpl. rewrite IHm. ring. Qed.
Lemma chain_off a b first count :
  let p := fun i => a (first + i)%nat * b (first + i)%nat in
  off_by count count (fma_chain a b first count) (Sum count p) (Sum count (fun i => Rabs (p i))).
Proof.
  intros p. induction count.
  - split; simpl; rewrite ?Rminus_0_r, Rabs_R0; right; ring.
  - simpl fma_chain. simpl Sum. apply off_by_fma, IHcount.
Qed.
Lemma blocks_off a b K blocks : (0 < blocks)%nat -> (256 * (blocks - 1) < K)%nat ->
  let p := fun i => a i * b i in
  let n := min (256 * blocks) K in
  off_by (min 256 K + (blocks - 1)) n (blocks_of_256 a b K blocks) (Sum n p) (Sum n (fun i => Rabs (p i))).
Proof.
  intros B L p. induction blocks as [|[|j] IH]; [lia| |].
  - cbv zeta. rewrite Nat.mul_1_r, Nat.sub_diag, Nat.add_0_r. apply chain_off.
  - specialize (IH ltac:(lia) ltac:(lia)).
    set (m := min 256 (K - 256 * S j)).
    replace (min (256 * S (S j)) K) with (256 * S j + m)%nat by lia.
    replace (min 256 K + (S (S j) - 1))%nat with (S (min 256 K + (S j - 1))) by lia.
    cbv zeta. rewrite !Sum_split.
    replace (min (256 * S j) K) with (256 * S j)%nat in IH by lia.
    change (blocks_of_256 a b K (S (S j)))
      with (nearest (blocks_of_256 a b K (S j) + fma_chain a b (256 * S j) m)).
    apply off_by_sum; [apply blocks_held|apply chain_held|exact IH|].
    eapply off_by_more; [|apply chain_off]. lia.
Qed.

(* M1. Rule R1, K >= 1 products a_k b_k in chains of 256 fma, the chains' results added from left to right, rounded to nearest:
   |c_hat - sum a_k b_k| <= gamma(r) sum |a_k b_k| + K eta (1 + gamma(r)), r = min(K, 256) + ceil(K/256) - 1, where r u < 1; in
   binary64, binary32 and every other binary format with subnormal numbers. *)
Theorem M1_sum_of_products a b K : (0 < K)%nat ->
  let r := (min K 256 + ((K + 255) / 256 - 1))%nat in
  INR r * u < 1 ->
  Rabs (sum_of_products a b K - Sum K (fun k => a k * b k))
    <= gamma u r * Sum K (fun k => Rabs (a k * b k)) + INR K * eta * (1 + gamma u r).
Proof.
  intros HK r Hr. unfold sum_of_products. pose proof U. pose proof (underflow_pos emin) as T.
  pose proof (Nat.div_mod (K + 255) 256 ltac:(lia)) as D. pose proof (Nat.mod_upper_bound (K + 255) 256 ltac:(lia)) as B.
  set (c := ((K + 255) / 256)%nat) in *.
  destruct (blocks_off a b K c ltac:(lia) ltac:(lia)) as [E _]. cbv zeta in E.
  replace (min (256 * c) K) with K in E by lia.
  replace (min 256 K + (c - 1))%nat with r in E by (unfold r; lia).
  pose proof (power_gamma u ltac:(lra) r Hr) as G. pose proof (pos_INR K) as N.
  pose proof (Sum_nonneg K (fun k => Rabs (a k * b k)) ltac:(intros; apply Rabs_pos)) as S.
  eapply Rle_trans; [exact E|].
  apply Rplus_le_compat; [apply Rmult_le_compat_r; lra|]. apply Rmult_le_compat_l; [|lra].
  apply Rmult_le_pos; lra.
Qed.
End Format.

Lemma held_number prec emin n e : (Z.abs n < 2 ^ prec)%Z -> (emin <= e)%Z -> held prec emin (IZR n * bpow radix2 e).
Proof.
  intros N E. apply generic_format_FLT. exists (Float radix2 n e); simpl; [reflexivity|exact N|exact E].
Qed.

(* M2. Not: |c_hat - c| <= gamma(r) |c|, c = sum a_k b_k, r as in M1. In binary64, K = 2, a = (1 + 2^-30, -1),
   b = (1 + 2^-30, 1 + 2^-29): c_hat = 0, and c = 2^-60. *)
Theorem M2_relative_accuracy_refuted :
  let u := unit_roundoff 53 in
  ~ (forall K a b, (0 < K)%nat -> (forall k, held 53 (-1074) (a k)) -> (forall k, held 53 (-1074) (b k)) ->
     let r := (min K 256 + ((K + 255) / 256 - 1))%nat in
     INR r * u < 1 ->
     let c := Sum K (fun k => a k * b k) in
     Rabs (sum_of_products 53 (-1074) to_even a b K - c) <= gamma u r * Rabs c).
Proof.
  intros u H.
  set (x := 1 + bpow radix2 (-30)). set (y := 1 + bpow radix2 (-29)).
  assert (Hx : held 53 (-1074) x).
  { replace x with (IZR (2^30 + 1) * bpow radix2 (-30)); [apply held_number; lia|]. unfold x. simpl; lra. }
  assert (Hy : held 53 (-1074) y).
  { replace y with (IZR (2^29 + 1) * bpow radix2 (-29)); [apply held_number; lia|]. unfold y. simpl; lra. }
  assert (H1 : held 53 (-1074) (-1)).
  { replace (-1) with (IZR (-1) * bpow radix2 0); [apply held_number; lia|]. simpl; lra. }
  assert (R : nearest 53 (-1074) to_even (x * x + 0) = y).
  { assert (M : mag radix2 (x * x + 0) = 1%Z :> Z).
    { apply mag_unique. rewrite Rabs_pos_eq; unfold x; simpl; lra. }
    unfold nearest, round, F2R, scaled_mantissa, cexp. rewrite M.
    replace (FLT_exp (-1074) 53 1) with (-52)%Z by reflexivity. simpl Fnum. simpl Fexp.
    rewrite (Znearest_imp to_even _ (2^52 + 2^23)%Z).
    - unfold y. simpl. lra.
    - apply Rabs_lt. unfold x. simpl. lra. }
  specialize (H 2%nat (fun k => match k with O => x | _ => -1 end) (fun k => match k with O => x | _ => y end) ltac:(lia)).
  cbv zeta in H. specialize (H ltac:(intros [|k]; assumption) ltac:(intros [|k]; assumption)).
  replace (min 2 256 + ((2 + 255) / 256 - 1))%nat with 2%nat in H by reflexivity.
  unfold sum_of_products in H. replace ((2 + 255) / 256)%nat with 1%nat in H by reflexivity.
  simpl blocks_of_256 in H. rewrite R in H. replace (-1 * y + y) with 0 in H by ring.
  rewrite (nearest_of_held 53 (-1074) to_even 0 (held_0 53 (-1074))) in H.
  assert (E : Sum 2 (fun k => match k with O => x | _ => -1 end * match k with O => x | _ => y end) = bpow radix2 (-60)).
  { unfold x, y. simpl; lra. }
  rewrite E in H. rewrite (Rabs_pos_eq (bpow radix2 (-60))) in H by (apply bpow_ge_0).
  replace (0 - bpow radix2 (-60)) with (- bpow radix2 (-60)) in H by ring.
  rewrite Rabs_Ropp, (Rabs_pos_eq (bpow radix2 (-60))) in H by (apply bpow_ge_0).
  assert (U : u = / 2^53) by (unfold u, unit_roundoff; simpl; lra).
  assert (G : gamma u 2 < 1) by (unfold gamma; rewrite U; simpl; lra).
  pose proof (bpow_gt_0 radix2 (-60)). specialize (H ltac:(rewrite U; simpl; lra)). nra.
Qed.
