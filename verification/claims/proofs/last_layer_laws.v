(* Laws such as E6 to E8 ask for: one for every even d. W_1 is the identity or its opposite, x = (1, -1, 1, -1, ...), W_2 a cyclic shift of the
   features, each with a sign of its own, all 2^d signs and d shifts as likely. *)
From Coq Require Import Reals Lra Psatz Lia Arith Bool.
From Coquelicot Require Import Coquelicot.
From normproof Require Import sums layers cells identities lipschitz encoders lengths last_layer.
Open Scope R_scope.

Lemma Sum_double n f : Sum (2 * n) f = Sum n (fun l => f (2 * l)%nat + f (2 * l + 1)%nat).
Proof.
  induction n as [|n IH]; [reflexivity|]. replace (2 * S n)%nat with (S (S (2 * n))) by lia. simpl Sum at 1.
  change (Sum (n + (n + 0)) f) with (Sum (2 * n) f). rewrite IH. simpl Sum.
  replace (S (n + (n + 0))) with (n + (n + 0) + 1)%nat by lia. ring.
Qed.
Lemma Sum_pairs n d f : Sum (n * d) f = Sum n (fun l => Sum d (fun k => f (l * d + k)%nat)).
Proof.
  assert (Split : forall m g, Sum (m + d) g = Sum m g + Sum d (fun k => g (m + k)%nat)).
  { intros m g. induction d as [|e IH]; [rewrite Nat.add_0_r; simpl; ring|].
    rewrite Nat.add_succ_r. simpl Sum. rewrite IH. ring. }
  induction n as [|n IH]; [reflexivity|]. rewrite Nat.mul_succ_l, Split, IH. reflexivity.
Qed.
Lemma Sum_shifted d f i : (0 < d)%nat -> Sum d (fun k => f ((i + k) mod d)%nat) = Sum d f.
Proof.
  intros D. assert (One : forall g : nat -> R, Sum d (fun k => g ((k + 1) mod d)%nat) = Sum d g).
  { intros g. destruct d as [|e]; [lia|]. rewrite (Sum_head e g). change (Sum (S e) (fun k => g ((k + 1) mod S e)%nat))
      with (Sum e (fun k => g ((k + 1) mod S e)%nat) + g ((e + 1) mod S e)%nat).
    replace ((e + 1) mod S e)%nat with 0%nat by (rewrite Nat.add_1_r; symmetry; apply Nat.mod_same; lia).
    rewrite (Sum_ext e _ (fun k => g (S k))); [ring|]. intros k K. rewrite Nat.mod_small by lia. f_equal. lia. }
  induction i as [|i IH]; [apply Sum_ext; intros k K; rewrite Nat.mod_small by lia; reflexivity|].
  rewrite <- IH, <- (One (fun k => f ((i + k) mod d)%nat)). apply Sum_ext. intros k _. f_equal.
  rewrite Nat.add_mod_idemp_r by lia. f_equal. lia.
Qed.

(* The signs of the pattern l: 1 where its binary digit is set. *)
Definition sign (l i : nat) : R := if Nat.testbit l i then 1 else -1.
Lemma sign_squared l i : sign l i * sign l i = 1.
Proof. unfold sign. destruct (Nat.testbit l i); ring. Qed.
Lemma sign_of_even l i : sign (2 * l) (S i) = sign l i.
Proof. unfold sign. rewrite Nat.testbit_even_succ by lia. reflexivity. Qed.
Lemma sign_of_odd l i : sign (2 * l + 1) (S i) = sign l i.
Proof. unfold sign. rewrite Nat.testbit_odd_succ by lia. reflexivity. Qed.
Lemma first_sign_of_even l : sign (2 * l) 0 = -1.
Proof. unfold sign. rewrite Nat.testbit_even_0. reflexivity. Qed.
Lemma first_sign_of_odd l : sign (2 * l + 1) 0 = 1.
Proof. unfold sign. rewrite Nat.testbit_odd_0. reflexivity. Qed.
Lemma power_of_two d : INR (2 ^ d) = 2 ^ d.
Proof. rewrite pow_INR. f_equal. Qed.

Lemma signs_cancel d i : (i < d)%nat -> Sum (2 ^ d) (fun l => sign l i) = 0.
Proof.
  revert i. induction d as [|d IH]; intros i I; [lia|]. rewrite Nat.pow_succ_r', Sum_double. destruct i as [|i].
  - apply Sum_zero. intros l _. rewrite first_sign_of_even, first_sign_of_odd. ring.
  - rewrite (Sum_ext _ _ (fun l => 2 * sign l i)) by (intros; rewrite sign_of_even, sign_of_odd; ring).
    rewrite Sum_scal, IH by lia. ring.
Qed.
Lemma signs_are_orthogonal d i j : (i < d)%nat -> (j < d)%nat -> Sum (2 ^ d) (fun l => sign l i * sign l j) = 2 ^ d * unit_vector i j.
Proof.
  intros I J. unfold unit_vector. destruct (Nat.eqb_spec j i) as [->|N].
  - rewrite (Sum_ext _ _ (fun _ => 1)) by (intros; apply sign_squared). rewrite Sum_const, power_of_two. ring.
  - rewrite Rmult_0_r. revert i j I J N. induction d as [|d IH]; intros i j I J N; [lia|].
    rewrite Nat.pow_succ_r', Sum_double. destruct i as [|i], j as [|j]; [lia| | |].
    + apply Sum_zero. intros l _. rewrite first_sign_of_even, first_sign_of_odd, sign_of_even, sign_of_odd. ring.
    + apply Sum_zero. intros l _. rewrite first_sign_of_even, first_sign_of_odd, sign_of_even, sign_of_odd. ring.
    + rewrite (Sum_ext _ _ (fun l => 2 * (sign l i * sign l j))) by (intros; rewrite !sign_of_even, !sign_of_odd; ring).
      rewrite Sum_scal, IH by lia. ring.
Qed.
(* E (sum_i s_i c_i)^2 = ||c||^2 *)
Lemma mean_over_signs d c : Sum (2 ^ d) (fun l => (Sum d (fun i => sign l i * c i))^2) = 2 ^ d * Sum d (fun i => c i * c i).
Proof.
  rewrite (Sum_ext _ _ (fun l => Sum d (fun i => Sum d (fun j => c i * c j * (sign l i * sign l j))))).
  - rewrite Sum_swap, <- Sum_scal. apply Sum_ext. intros i I. rewrite Sum_swap.
    rewrite (Sum_ext d _ (fun j => unit_vector i j * (2 ^ d * (c i * c j)))).
    + rewrite Sum_unit by exact I. ring.
    + intros j J. rewrite Sum_scal, signs_are_orthogonal by assumption. ring.
  - intros l _. simpl. rewrite Rmult_1_r, <- Sum_scal. apply Sum_ext. intros i _.
    rewrite Rmult_comm, <- Sum_scal. apply Sum_ext. intros. ring.
Qed.

(* W_1 *)
Definition signed_identity (k i j : nat) : R := if Nat.eqb i j then (match k with O => 1 | _ => -1 end) else 0.
Lemma relu_one : relu 1 = 1.
Proof. unfold relu. rewrite Rmax_left; lra. Qed.
Lemma relu_minus_one : relu (-1) = 0.
Proof. unfold relu. rewrite Rmax_right; lra. Qed.

Section Family.
Variable d : nat.
Hypothesis d_pos : (0 < d)%nat.

(* m = l d + k: the signs l and the shift k *)
Definition signed_shift (m i j : nat) : R :=
  if Nat.ltb i d then sign (m / d) i * unit_vector ((i + m mod d) mod d) j else 0.
Definition shifts : nat := 2 ^ d * d.
Definition share_of_shift (_ : nat) : R := / INR shifts.

Lemma shifts_pos : 0 < INR shifts.
Proof. unfold shifts. rewrite mult_INR, power_of_two. apply Rmult_lt_0_compat; [apply pow_lt; lra|apply INR_pos, d_pos]. Qed.
Lemma parts_of l k : (k < d)%nat -> ((l * d + k) / d = l /\ (l * d + k) mod d = k)%nat.
Proof.
  intros K. split.
  - rewrite Nat.div_add_l by lia. rewrite Nat.div_small by exact K. lia.
  - rewrite Nat.add_comm, Nat.mod_add by lia. apply Nat.mod_small, K.
Qed.
Lemma mean_over_shifts f : Sum shifts (fun m => share_of_shift m * f m)
  = / INR shifts * Sum (2 ^ d) (fun l => Sum d (fun k => f (l * d + k)%nat)).
Proof. unfold share_of_shift, shifts. rewrite Sum_scal, Sum_pairs. reflexivity. Qed.
Lemma image_of m v i : (i < d)%nat -> times d (signed_shift m) v i = sign (m / d) i * v ((i + m mod d) mod d)%nat.
Proof.
  intros I. unfold times, signed_shift. rewrite (proj2 (Nat.ltb_lt i d) I).
  rewrite (Sum_ext d _ (fun j => unit_vector ((i + m mod d) mod d) j * (sign (m / d) i * v j))) by (intros; ring).
  apply (Sum_unit d (fun j => sign (m / d) i * v j)). apply Nat.mod_upper_bound. lia.
Qed.

Lemma shifts_are_isotropic : isotropic d shifts share_of_shift signed_shift.
Proof.
  pose proof shifts_pos as P. split.
  - rewrite (Sum_ext _ _ (fun m => share_of_shift m * 1)) by (intros; ring). unfold share_of_shift. rewrite Sum_scal, Sum_const. field. lra.
  - intros i j. rewrite mean_over_shifts. unfold signed_shift. destruct (Nat.ltb_spec i d) as [I|I].
    + rewrite Sum_swap, (Sum_zero d); [ring|]. intros k K.
      rewrite (Sum_ext _ _ (fun l => unit_vector ((i + k) mod d) j * sign l i)).
      * rewrite Sum_scal, signs_cancel by exact I. ring.
      * intros l _. destruct (parts_of l k K) as [-> ->]. ring.
    + rewrite (Sum_zero (2 ^ d)); [ring|]. intros l _. apply Sum_zero. reflexivity.
  - intros v. rewrite mean_over_shifts.
    rewrite (Sum_ext _ _ (fun _ => INR d * length2 d v)).
    + rewrite Sum_const. unfold shifts in *. rewrite mult_INR in *. field. split; intros Z; rewrite Z in P; lra.
    + intros l _. rewrite (Sum_ext d _ (fun _ => length2 d v)); [apply Sum_const|]. intros k K.
      unfold length2, dot. rewrite <- (Sum_shifted d (fun i => v i * v i) k d_pos). apply Sum_ext. intros i I.
      rewrite image_of by exact I. destruct (parts_of l k K) as [-> ->]. rewrite (Nat.add_comm k i).
      set (z := v ((i + k) mod d)%nat). replace (sign l i * z * (sign l i * z)) with (sign l i * sign l i * (z * z)) by ring.
      rewrite sign_squared. ring.
Qed.
Lemma covariance_of_shifts u v : Sum shifts (fun m => share_of_shift m * (dot d u (times d (signed_shift m) v))^2)
  = length2 d u * length2 d v / INR d.
Proof.
  pose proof shifts_pos as P. pose proof (INR_pos d d_pos) as N. rewrite mean_over_shifts, Sum_swap.
  rewrite (Sum_ext d _ (fun k => 2 ^ d * Sum d (fun i => (u i * u i) * (v ((i + k) mod d)%nat * v ((i + k) mod d)%nat)))).
  - rewrite Sum_scal, Sum_swap.
    rewrite (Sum_ext d _ (fun i => length2 d v * (u i * u i))).
    + rewrite Sum_scal. unfold shifts, length2, dot in *. rewrite mult_INR, power_of_two in *. field.
      split; [lra|]. apply Rgt_not_eq, pow_lt. lra.
    + intros i _. rewrite Sum_scal. rewrite (Sum_shifted d (fun t => v t * v t) i d_pos). unfold length2, dot. ring.
  - intros k K. rewrite <- (Sum_ext d (fun i => (u i * v ((i + k) mod d)%nat) * (u i * v ((i + k) mod d)%nat))) by (intros; ring).
    rewrite <- mean_over_signs. apply Sum_ext. intros l _. f_equal. apply Sum_ext. intros i I.
    rewrite image_of by exact I. destruct (parts_of l k K) as [-> ->]. ring.
Qed.

Hypothesis d_even : Nat.even d = true.

(* x *)
Definition alternating (i : nat) : R := if Nat.even i then 1 else -1.
Lemma alternating_squared i : alternating i * alternating i = 1.
Proof. unfold alternating. destruct (Nat.even i); ring. Qed.
Lemma alternating_of_sum i k : alternating ((i + k) mod d) = alternating i * alternating k.
Proof.
  assert (E : forall a b, alternating (a + b) = alternating a * alternating b).
  { intros a b. unfold alternating. rewrite Nat.even_add. destruct (Nat.even a), (Nat.even b); simpl; ring. }
  rewrite <- E. pose proof (Nat.div_mod (i + k) d ltac:(lia)) as D. rewrite D at 2. rewrite E.
  assert (One : alternating (d * ((i + k) / d)) = 1) by (unfold alternating; rewrite Nat.even_mul, d_even; reflexivity).
  rewrite One. ring.
Qed.
Lemma alternating_sum : Sum d alternating = 0.
Proof.
  apply Nat.even_spec in d_even. destruct d_even as [n ->]. rewrite Sum_double. apply Sum_zero. intros l _.
  unfold alternating. rewrite Nat.even_add, Nat.even_mul. simpl. ring.
Qed.
Lemma alternating_length : length2 d alternating = INR d.
Proof. unfold length2, dot. rewrite (Sum_ext d _ (fun _ => 1)) by (intros; apply alternating_squared). rewrite Sum_const. ring. Qed.

(* (1 + e x_i)/2: 1 at the even features for e = 1, at the odd ones for e = -1 *)
Definition half (e : R) (i : nat) : R := (1 + e * alternating i) / 2.
Definition is_sign (e : R) : Prop := e = 1 \/ e = -1.
Lemma active_is_half s k : exists e, is_sign e /\ forall i, (i < d)%nat -> active d signed_identity alternating s k i = half e i.
Proof.
  exists ((if s then 1 else -1) * (match k with O => 1 | _ => -1 end)). split; [destruct s, k; unfold is_sign; lra|]. intros i I.
  assert (T : times d (if s then signed_identity k else negated (signed_identity k)) alternating i
    = (if s then 1 else -1) * (match k with O => 1 | _ => -1 end) * alternating i).
  { unfold times. rewrite (Sum_ext d _ (fun j => unit_vector i j * ((if s then 1 else -1) * (match k with O => 1 | _ => -1 end) * alternating j))).
    - apply (Sum_unit d (fun j => (if s then 1 else -1) * (match k with O => 1 | _ => -1 end) * alternating j)), I.
    - intros j _. destruct s; unfold negated, signed_identity, unit_vector; rewrite (Nat.eqb_sym i j); destruct (Nat.eqb j i), k; ring. }
  unfold active, relu_of. rewrite T. unfold half, alternating. destruct s, k, (Nat.even i);
  match goal with |- relu ?a = _ => (replace a with 1 by ring; rewrite relu_one; field) || (replace a with (-1) by ring; rewrite relu_minus_one; field) end.
Qed.
Lemma half_squared e i : is_sign e -> half e i * half e i = half e i.
Proof. intros E. unfold half. pose proof (alternating_squared i) as Q. destruct E as [-> | ->]; nra. Qed.
Lemma alternating_half e i : is_sign e -> alternating i * half e i = e * half e i.
Proof. intros E. unfold half. pose proof (alternating_squared i) as Q. destruct E as [-> | ->]; nra. Qed.
Lemma half_nonneg e i : is_sign e -> 0 <= half e i.
Proof. intros E. rewrite <- half_squared by exact E. apply Rle_0_sqr. Qed.
Lemma sum_of_half e : Sum d (half e) = INR d / 2.
Proof.
  unfold half. rewrite (Sum_ext d _ (fun i => / 2 * 1 + (e / 2) * alternating i)) by (intros; field).
  rewrite Sum_lin2, Sum_const, alternating_sum. field.
Qed.
Lemma half_shifted e k i : half e ((i + k) mod d) = half (e * alternating k) i.
Proof. unfold half. rewrite alternating_of_sum. f_equal. ring. Qed.
Lemma length_of_half s k : length2 d (active d signed_identity alternating s k) / INR d = / 2.
Proof.
  pose proof (INR_pos d d_pos) as N. destruct (active_is_half s k) as (e & E & A). unfold length2, dot.
  rewrite (Sum_ext d _ (half e)) by (intros i I; rewrite !A by exact I; apply half_squared, E). rewrite sum_of_half. field. lra.
Qed.

(* The variance of the state of signs l where the shifted activations are half e: 3/2 + 2 e w - w^2, w = (sum_i s_i half_i)/d. *)
Definition signed_mean (e : R) (l : nat) : R := Sum d (fun i => sign l i * half e i) / INR d.
Lemma variance_of_state s k : exists e, is_sign e /\ forall l t, (t < d)%nat ->
  variance d (last_state d signed_identity signed_shift alternating s k (l * d + t))
    = 3 / 2 + 2 * (e * alternating t) * signed_mean (e * alternating t) l - (signed_mean (e * alternating t) l)^2.
Proof.
  pose proof (INR_pos d d_pos) as N. destruct (active_is_half s k) as (e & E & A). exists e. split; [exact E|]. intros l t T.
  set (f := e * alternating t).
  assert (F : is_sign f) by (unfold f, is_sign, alternating in *; destruct (Nat.even t); lra).
  set (y := last_state d signed_identity signed_shift alternating s k (l * d + t)).
  assert (Y : forall i, (i < d)%nat -> y i = alternating i + sign l i * half f i).
  { intros i I. unfold y, last_state, plus_of. rewrite image_of by exact I. destruct (parts_of l t T) as [-> ->].
    rewrite A by (apply Nat.mod_upper_bound; lia). rewrite half_shifted. reflexivity. }
  pose proof (B5_quadratic_mean d d_pos y) as B. unfold quadratic_mean, mean in B.
  assert (Sy : Sum d y = INR d * signed_mean f l).
  { rewrite (Sum_ext d _ (fun i => alternating i + sign l i * half f i)) by exact Y. rewrite Sum_plus, alternating_sum. unfold signed_mean. field. lra. }
  assert (Qy : dot d y y = INR d * (3 / 2 + 2 * f * signed_mean f l)).
  { unfold dot. rewrite (Sum_ext d _ (fun i => 1 * 1 + (2 * f) * (sign l i * half f i) + 1 * half f i)).
    - rewrite Sum_lin3, Sum_const, sum_of_half. unfold signed_mean. field. lra.
    - intros i I. rewrite Y by exact I. pose proof (alternating_squared i) as X2. pose proof (sign_squared l i) as S2.
      pose proof (half_squared f i F) as H2. pose proof (alternating_half f i F) as XH.
      replace ((alternating i + sign l i * half f i) * (alternating i + sign l i * half f i))
        with (alternating i * alternating i + 2 * sign l i * (alternating i * half f i) + (sign l i * sign l i) * (half f i * half f i)) by ring.
      rewrite X2, S2, H2, XH. ring. }
  replace (variance d y) with (dot d y y / INR d - (Sum d y / INR d)^2) by lra. rewrite Sy, Qy. field. lra.
Qed.
Lemma signed_mean_bound e l : is_sign e -> - / 2 <= signed_mean e l <= / 2.
Proof.
  intros E. pose proof (INR_pos d d_pos) as N. unfold signed_mean.
  assert (Up : Sum d (fun i => sign l i * half e i) <= Sum d (half e))
    by (apply Sum_le; intros i _; pose proof (half_nonneg e i E); unfold sign; destruct (Nat.testbit l i); lra).
  assert (Lo : Sum d (fun i => -1 * half e i) <= Sum d (fun i => sign l i * half e i))
    by (apply Sum_le; intros i _; pose proof (half_nonneg e i E); unfold sign; destruct (Nat.testbit l i); lra).
  rewrite Sum_scal in Lo. rewrite sum_of_half in Up, Lo.
  split; apply Rmult_le_reg_r with (INR d); try exact N; unfold Rdiv; rewrite Rmult_assoc, Rinv_l by lra; lra.
Qed.
Lemma mean_of_signed_mean e : is_sign e -> Sum (2 ^ d) (fun l => (signed_mean e l)^2) = 2 ^ d / (2 * INR d).
Proof.
  intros E. pose proof (INR_pos d d_pos) as N. unfold signed_mean.
  rewrite (Sum_ext _ _ (fun l => / (INR d)^2 * (Sum d (fun i => sign l i * half e i))^2)) by (intros; field; lra).
  rewrite Sum_scal, mean_over_signs, (Sum_ext d _ (half e)), sum_of_half by (intros; apply half_squared, E). field. lra.
Qed.

Lemma laws_of_last_layer : law_of_last_layer d 2 shifts (fun _ => / 2) share_of_shift signed_identity signed_shift alternating 0 (17 / 4) (1 / 4) (1 / 2).
Proof.
  pose proof (INR_pos d d_pos) as N. pose proof shifts_pos as P. pose proof (pow_lt 2 d ltac:(lra)) as P2. split.
  - intros. lra.
  - intros. unfold share_of_shift. left. apply Rinv_0_lt_compat, P.
  - split; [simpl; field| |].
    + intros i j. unfold signed_identity. simpl. destruct (Nat.eqb i j); field.
    + assert (L : forall k v, length2 d (times d (signed_identity k) v) = length2 d v).
      { intros k v. unfold length2, dot. apply Sum_ext. intros i I.
        assert (T : times d (signed_identity k) v i = (match k with O => 1 | _ => -1 end) * v i).
        { unfold times. rewrite (Sum_ext d _ (fun j => unit_vector i j * ((match k with O => 1 | _ => -1 end) * v j))).
          - apply (Sum_unit d (fun j => (match k with O => 1 | _ => -1 end) * v j)), I.
          - intros j _. unfold signed_identity, unit_vector. rewrite (Nat.eqb_sym i j). destruct (Nat.eqb j i), k; ring. }
        rewrite T. destruct k; ring. }
      intros v. simpl. rewrite !L. field.
  - exact shifts_are_isotropic.
  - exact covariance_of_shifts.
  - exact alternating_sum.
  - exact alternating_length.
  - lra.
  - (* a pattern beyond the last one has its own shift all the same *)
    intros s k m. destruct (variance_of_state s k) as (e & E & V).
    rewrite (Nat.div_mod m d ltac:(lia)), (Nat.mul_comm d (m / d)), V by (apply Nat.mod_upper_bound; lia).
    set (f := e * alternating (m mod d)).
    assert (F : is_sign f) by (unfold f, is_sign, alternating in *; destruct (Nat.even (m mod d)); lra).
    pose proof (signed_mean_bound f (m / d) F) as W. destruct F as [-> | ->]; nra.
  - intros s k. rewrite length_of_half. lra.
  - unfold mean_over. rewrite (Sum_zero 2); [unfold Rdiv; lra|]. intros k _. rewrite !length_of_half.
    rewrite !(Sum_zero shifts) by (intros; field). field.
  - assert (One : forall s k, Sum shifts (fun m => share_of_shift m *
      (variance d (last_state d signed_identity signed_shift alternating s k m) - (3 / 2 - / (2 * INR d)))^2) <= 17 / 4 / INR d).
    { intros s k. destruct (variance_of_state s k) as (e & E & V). rewrite mean_over_shifts, Sum_swap.
      apply Rle_trans with (/ INR shifts * Sum d (fun _ => 2 ^ d * (17 / 4 / INR d))).
      - apply Rmult_le_compat_l; [left; apply Rinv_0_lt_compat, P|]. apply Sum_le. intros t T.
        set (f := e * alternating t). assert (F : is_sign f) by (unfold f, is_sign, alternating in *; destruct (Nat.even t); lra).
        apply Rle_trans with (Sum (2 ^ d) (fun l => (17 / 2 - 2 / INR d) * (signed_mean f l)^2 + / (2 * INR d * INR d) * 1)).
        + apply Sum_le. intros l _. rewrite V by exact T. fold f. set (w := signed_mean f l).
          pose proof (signed_mean_bound f l F) as W. fold w in W.
          assert (W4 : w^2 * w^2 <= / 4 * w^2) by (apply Rmult_le_compat_r; [apply pow2_ge_0|nra]).
          assert (F2 : f * f = 1) by (destruct F as [-> | ->]; ring).
          set (u := / (2 * INR d)). assert (U : / (2 * INR d * INR d) = 2 * u^2) by (unfold u; field; lra). rewrite U.
          replace (2 / INR d) with (4 * u) by (unfold u; field; lra).
          apply Rle_trans with (2 * (2 * f * w)^2 + 2 * (w^2 - u)^2).
          * pose proof (pow2_ge_0 (2 * f * w + (w^2 - u))) as Q. nra.
          * replace ((2 * f * w)^2) with (4 * (f * f) * w^2) by ring. rewrite F2. nra.
        + rewrite Sum_lin2, mean_of_signed_mean, Sum_const, power_of_two by exact F.
          replace ((17 / 2 - 2 / INR d) * (2 ^ d / (2 * INR d)) + / (2 * INR d * INR d) * (2 ^ d * 1))
            with (2 ^ d * (17 / 4 / INR d) - 2 ^ d * / (2 * INR d * INR d)) by (field; lra).
          assert (0 < 2 ^ d * / (2 * INR d * INR d)) by (apply Rmult_lt_0_compat; [exact P2|apply Rinv_0_lt_compat; nra]). lra.
      - rewrite Sum_const. unfold shifts. rewrite mult_INR, power_of_two. right. field. lra. }
    assert (Two : forall g, Sum 2 g = g 0%nat + g 1%nat) by (intros; simpl; ring). unfold mean_over. rewrite Two.
    pose proof (One true 0%nat). pose proof (One false 0%nat). pose proof (One true 1%nat). pose proof (One false 1%nat). lra.
Qed.
End Family.

(* E6. For every even d >= 2 there is such a law, and its constant does not grow with d: A = 0, B = 17/4, c = 1/4, Y = 1/2, so that
   |E ||dL/dW_2||_F^2 - d/3| <= 275/24 for every isotropic upstream gradient with E ||g||^2 = 1. *)
Theorem E6_laws_of_every_even_width d H r g : (2 <= d)%nat -> Nat.even d = true -> isotropic_upstream d H r g 1 ->
  law_of_last_layer d 2 (shifts d) (fun _ => / 2) (share_of_shift d) signed_identity (signed_shift d) alternating 0 (17 / 4) (1 / 4) (1 / 2) /\
  Rabs (mean_gradient d 2 (shifts d) (fun _ => / 2) (share_of_shift d) signed_identity (signed_shift d) alternating H r g - INR d / 3) <= 275 / 24.
Proof.
  intros D E U. pose proof (laws_of_last_layer d ltac:(lia) E) as L. split; [exact L|].
  pose proof (near_third d _ _ _ _ _ _ _ _ _ _ _ H r g 1 D ltac:(lra) L U) as B. rewrite !Rmult_1_l in B. lra.
Qed.
