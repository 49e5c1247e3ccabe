(* The norm layers over a whole tensor of n elements. Each element has a cell, the elements that it is normalised
   with, and each cell takes its statistics from its valid elements. g = gamma grad_y, element by element. *)
From Coq Require Import Reals Lra Psatz Lia Arith Bool FunctionalExtensionality.
From Coquelicot Require Import Coquelicot.
From normproof Require Import sums layers.
Open Scope R_scope.

Section Cells.
Variable n : nat.
Variable cell : nat -> nat.
Variable valid : nat -> bool.

(* 1 where j is in the cell of i; where i is valid; where j counts for the statistics of the cell of i *)
Definition beside (i j : nat) : R := if Nat.eqb (cell j) (cell i) then 1 else 0.
Definition own (i : nat) : R := if valid i then 1 else 0.
Definition member (i j : nat) : R := beside i j * own j.
Definition count (i : nat) : R := Sum n (member i).

Definition cell_mean (x : nat -> R) (i : nat) : R := Sum n (fun j => member i j * x j) / count i.
Definition cell_variance (x : nat -> R) (i : nat) : R :=
  Sum n (fun j => member i j * ((x j - cell_mean x i) * (x j - cell_mean x i))) / count i.
(* the sum of squares divided by size: by count for a quadratic mean, by 1 for ScaleNorm *)
Definition cell_squares (size x : nat -> R) (i : nat) : R := Sum n (fun j => member i j * (x j * x j)) / size i.

Definition centred_hat (eps : R) (x : nat -> R) (i : nat) : R :=
  (x i - cell_mean x i) / sqrt (cell_variance x i + eps).
Definition uncentred_hat (size : nat -> R) (eps : R) (x : nat -> R) (i : nat) : R :=
  x i / sqrt (cell_squares size x i + eps).

(* the backwards of docs/derivations/norms.md, sections 2 and 3: sums over all elements of the cell *)
Definition centred_grad (eps : R) (x g : nat -> R) (k : nat) : R :=
  let x_hat := centred_hat eps x in
  let a := Sum n (fun j => beside k j * g j) / count k in
  let c := Sum n (fun j => beside k j * (g j * x_hat j)) / count k in
  (g k - own k * (a + x_hat k * c)) / sqrt (cell_variance x k + eps).
Definition uncentred_grad (size : nat -> R) (eps : R) (x g : nat -> R) (k : nat) : R :=
  let x_hat := uncentred_hat size eps x in
  let c := Sum n (fun j => beside k j * (g j * x_hat j)) / size k in
  (g k - own k * (x_hat k * c)) / sqrt (cell_squares size x k + eps).

Lemma beside_self i : beside i i = 1.
Proof. unfold beside. rewrite Nat.eqb_refl. reflexivity. Qed.
Lemma beside_sym i j : beside i j = beside j i.
Proof. unfold beside. rewrite Nat.eqb_sym. reflexivity. Qed.
Lemma own_cases i : own i = 0 \/ own i = 1.
Proof. unfold own. destruct (valid i); auto. Qed.
Lemma member_nonneg i j : 0 <= member i j.
Proof. unfold member, beside, own. destruct (Nat.eqb (cell j) (cell i)), (valid j); lra. Qed.
Lemma count_at_least_1 i : (i < n)%nat -> valid i = true -> 1 <= count i.
Proof.
  intros H V. unfold count.
  apply Rle_trans with (Sum n (fun j => unit_vector i j * member i j)).
  - rewrite Sum_unit by exact H. unfold member, own. rewrite beside_self, V. lra.
  - apply Sum_le. intros j _. pose proof (member_nonneg i j). unfold unit_vector. destruct (Nat.eqb j i); lra.
Qed.
Lemma Sum_member_unit i k : (k < n)%nat -> Sum n (fun j => member i j * unit_vector k j) = member i k.
Proof.
  intros H. rewrite <- (Sum_unit n (member i) k H). apply Sum_ext. intros. ring.
Qed.
Lemma put_at x k : put x k (x k) = x.
Proof. apply functional_extensionality. intros i. apply put_back. Qed.

Section Derivatives.
Variable x : nat -> R.
Variable k : nat.
Hypothesis k_lt : (k < n)%nat.
Variable eps : R.

Lemma derive_cell_mean i :
  is_derive (fun t => cell_mean (put x k t) i) (x k) (member i k / count i).
Proof.
  replace (member i k / count i) with (/ count i * Sum n (fun j => member i j * unit_vector k j))
    by (rewrite Sum_member_unit by exact k_lt; unfold Rdiv; ring).
  apply (is_derive_ext (fun t => / count i * Sum n (fun j => member i j * put x k t j))).
  - intros t. unfold cell_mean, Rdiv. apply Rmult_comm.
  - apply derive_scal, (derive_Sum n (fun j t => member i j * put x k t j)). intros j _.
    apply derive_scal, derive_put.
Qed.

Lemma derive_cell_variance i : 0 < count i ->
  is_derive (fun t => cell_variance (put x k t) i) (x k) (2 * (member i k * (x k - cell_mean x i)) / count i).
Proof.
  intros P.
  assert (Z : Sum n (fun j => member i j * (x j - cell_mean x i)) = 0).
  { transitivity (1 * Sum n (fun j => member i j * x j) + (- cell_mean x i) * Sum n (member i)).
    - rewrite <- Sum_lin2. apply Sum_ext. intros. ring.
    - fold (count i). unfold cell_mean. field. lra. }
  replace (2 * (member i k * (x k - cell_mean x i)) / count i) with (/ count i * Sum n (fun j => member i j *
    (2 * (put x k (x k) j - cell_mean (put x k (x k)) i) * (unit_vector k j - member i k / count i)))).
  - apply (is_derive_ext (fun t => / count i * Sum n (fun j => member i j *
      ((put x k t j - cell_mean (put x k t) i) * (put x k t j - cell_mean (put x k t) i))))).
    + intros t. unfold cell_variance, Rdiv. apply Rmult_comm.
    + apply derive_scal, (derive_Sum n (fun j t => member i j *
        ((put x k t j - cell_mean (put x k t) i) * (put x k t j - cell_mean (put x k t) i)))). intros j _.
      apply derive_scal, (derive_square (fun t => put x k t j - cell_mean (put x k t) i)).
      apply derive_minus; [apply derive_put|apply derive_cell_mean].
  - rewrite put_at.
    transitivity (/ count i * (2 * Sum n (fun j => unit_vector k j * (member i j * (x j - cell_mean x i)))
      + (-2 * member i k / count i) * Sum n (fun j => member i j * (x j - cell_mean x i)))).
    + f_equal. rewrite <- Sum_lin2. apply Sum_ext. intros. field. lra.
    + rewrite Z, Sum_unit by exact k_lt. field. lra.
Qed.

Lemma derive_cell_squares size i :
  is_derive (fun t => cell_squares size (put x k t) i) (x k) (2 * (member i k * x k) / size i).
Proof.
  replace (2 * (member i k * x k) / size i) with (/ size i * Sum n (fun j => member i j *
    (2 * put x k (x k) j * unit_vector k j))).
  - apply (is_derive_ext (fun t => / size i * Sum n (fun j => member i j * (put x k t j * put x k t j)))).
    + intros t. unfold cell_squares, Rdiv. apply Rmult_comm.
    + apply derive_scal, (derive_Sum n (fun j t => member i j * (put x k t j * put x k t j))). intros j _.
      apply derive_scal, (derive_square (fun t => put x k t j)), derive_put.
  - rewrite put_at.
    transitivity (/ size i * (2 * Sum n (fun j => unit_vector k j * (member i j * x j)))).
    + f_equal. rewrite <- Sum_scal. apply Sum_ext. intros. ring.
    + rewrite Sum_unit by exact k_lt. unfold Rdiv. ring.
Qed.

Variable g : nat -> R.

(* grad_x of a layer that subtracts the mean is the derivative of its forward. *)
Lemma centred_backward :
  (forall i, (i < n)%nat -> 0 < count i) -> (forall i, (i < n)%nat -> 0 < cell_variance x i + eps) ->
  is_derive (fun t => Sum n (fun i => g i * centred_hat eps (put x k t) i)) (x k) (centred_grad eps x g k).
Proof.
  intros C V.
  pose (s := fun i => sqrt (cell_variance x i + eps)).
  assert (Sp : forall i, (i < n)%nat -> 0 < s i) by (intros; apply sqrt_pos_lt; auto).
  assert (SS : forall i, (i < n)%nat -> cell_variance x i + eps = s i * s i)
    by (intros i Hi; symmetry; apply sqrt_sqrt; left; auto).
  pose (d := fun i => (unit_vector k i - member i k / count i -
    (x i - cell_mean x i) * (2 * (member i k * (x k - cell_mean x i)) / count i)
      / (2 * (cell_variance x i + eps))) / s i).
  replace (centred_grad eps x g k) with (Sum n (fun i => g i * d i)).
  - apply (derive_Sum n (fun i t => g i * centred_hat eps (put x k t) i)). intros i Hi. apply derive_scal.
    pose proof (derive_over_root (fun t => put x k t i - cell_mean (put x k t) i)
      (fun t => cell_variance (put x k t) i) eps (x k) (unit_vector k i - member i k / count i)
      (2 * (member i k * (x k - cell_mean x i)) / count i)) as D.
    cbv beta in D. rewrite put_at in D. apply D; [auto| |apply derive_cell_variance; auto].
    apply derive_minus; [apply derive_put|apply derive_cell_mean].
  - set (q := own k / (count k * s k)).
    assert (E : forall i, (i < n)%nat -> g i * d i =
      unit_vector k i * (g i / s i) + (- q) * (beside k i * g i)
      + (- q * centred_hat eps x k) * (beside k i * (g i * centred_hat eps x i))).
    { intros i Hi. unfold d, member. rewrite (beside_sym i k).
      destruct (Nat.eq_dec (cell i) (cell k)) as [Same|Other].
      - assert (beside k i = 1) as -> by (unfold beside; rewrite Same, Nat.eqb_refl; reflexivity).
        assert (Ec : count i = count k) by (unfold count, member, beside; rewrite Same; reflexivity).
        assert (Em : cell_mean x i = cell_mean x k)
          by (unfold cell_mean, count, member, beside; rewrite Same; reflexivity).
        assert (Ev : cell_variance x i = cell_variance x k)
          by (unfold cell_variance; rewrite Em, Ec; unfold member, beside; rewrite Same; reflexivity).
        assert (Es : s i = s k) by (unfold s; rewrite Ev; reflexivity).
        unfold q, centred_hat. fold (s k) (s i). rewrite (SS i Hi), Es, Em, Ec.
        pose proof (Sp k k_lt). pose proof (C k k_lt). field. lra.
      - assert (beside k i = 0) as -> by (unfold beside; rewrite (proj2 (Nat.eqb_neq _ _) Other); reflexivity).
        rewrite unit_other by congruence. rewrite (SS i Hi). pose proof (Sp i Hi). pose proof (C i Hi).
        field. lra. }
    rewrite (Sum_ext _ _ _ E), !Sum_plus, !Sum_scal, Sum_unit by exact k_lt.
    unfold centred_grad, q. fold (s k). pose proof (Sp k k_lt). pose proof (C k k_lt). field. lra.
Qed.

(* grad_x of a layer that subtracts nothing is the derivative of its forward. *)
Lemma uncentred_backward size :
  (forall i, (i < n)%nat -> 0 < size i) -> (forall i j, cell i = cell j -> size i = size j) ->
  (forall i, (i < n)%nat -> 0 < cell_squares size x i + eps) ->
  is_derive (fun t => Sum n (fun i => g i * uncentred_hat size eps (put x k t) i)) (x k)
    (uncentred_grad size eps x g k).
Proof.
  intros C Eq V.
  pose (s := fun i => sqrt (cell_squares size x i + eps)).
  assert (Sp : forall i, (i < n)%nat -> 0 < s i) by (intros; apply sqrt_pos_lt; auto).
  assert (SS : forall i, (i < n)%nat -> cell_squares size x i + eps = s i * s i)
    by (intros i Hi; symmetry; apply sqrt_sqrt; left; auto).
  pose (d := fun i => (unit_vector k i - x i * (2 * (member i k * x k) / size i)
      / (2 * (cell_squares size x i + eps))) / s i).
  replace (uncentred_grad size eps x g k) with (Sum n (fun i => g i * d i)).
  - apply (derive_Sum n (fun i t => g i * uncentred_hat size eps (put x k t) i)). intros i Hi. apply derive_scal.
    pose proof (derive_over_root (fun t => put x k t i) (fun t => cell_squares size (put x k t) i) eps (x k)
      (unit_vector k i) (2 * (member i k * x k) / size i)) as D.
    cbv beta in D. rewrite put_at in D. apply D; [auto|apply derive_put|apply derive_cell_squares].
  - set (q := own k / (size k * s k)).
    assert (E : forall i, (i < n)%nat -> g i * d i = unit_vector k i * (g i / s i)
      + (- q * uncentred_hat size eps x k) * (beside k i * (g i * uncentred_hat size eps x i))).
    { intros i Hi. unfold d, member. rewrite (beside_sym i k).
      destruct (Nat.eq_dec (cell i) (cell k)) as [Same|Other].
      - assert (beside k i = 1) as -> by (unfold beside; rewrite Same, Nat.eqb_refl; reflexivity).
        assert (Ev : cell_squares size x i = cell_squares size x k)
          by (unfold cell_squares, member, beside; rewrite (Eq i k Same), Same; reflexivity).
        assert (Es : s i = s k) by (unfold s; rewrite Ev; reflexivity).
        unfold q, uncentred_hat. fold (s k) (s i). rewrite (SS i Hi), Es, (Eq i k Same).
        pose proof (Sp k k_lt). pose proof (C k k_lt). field. lra.
      - assert (beside k i = 0) as -> by (unfold beside; rewrite (proj2 (Nat.eqb_neq _ _) Other); reflexivity).
        rewrite unit_other by congruence. rewrite (SS i Hi). pose proof (Sp i Hi). pose proof (C i Hi).
        field. lra. }
    rewrite (Sum_ext _ _ _ E), !Sum_plus, !Sum_scal, Sum_unit by exact k_lt.
    unfold uncentred_grad, q. fold (s k). pose proof (Sp k k_lt). pose proof (C k k_lt). field. lra.
Qed.
End Derivatives.
End Cells.

(* The cells of a tensor [B, T, D], or of [N, D] with T = 1, whose element (b, t, f) is number (b T + t) D + f. *)
Definition feature (D e : nat) : nat := e mod D.
Definition channel_cell (D e : nat) : nat := e mod D.
Definition row_cell (D e : nat) : nat := e / D.
Definition row_group_cell (D groups e : nat) : nat := (e / D) * groups + (e mod D) / (D / groups).
Definition sample_channel_cell (T D e : nat) : nat := (e / (T * D)) * D + e mod D.
Definition sample_group_cell (T D groups e : nat) : nat := (e / (T * D)) * groups + (e mod D) / (D / groups).
Definition all_valid (e : nat) : bool := true.
(* the mask is one of rows *)
Definition row_valid (D : nat) (mask : nat -> bool) (e : nat) : bool := mask (e / D)%nat.

(* sum_e grad_y_e y_e, y = gamma x_hat + beta: what grad_x is the gradient of *)
Definition affine_loss (n D : nat) (gamma beta grad_y x_hat : nat -> R) : R :=
  Sum n (fun e => grad_y e * (gamma (feature D e) * x_hat e + beta (feature D e))).
Definition scaled (D : nat) (gamma grad_y : nat -> R) (e : nat) : R := gamma (feature D e) * grad_y e.

Lemma affine_loss_split n D gamma beta grad_y x_hat :
  affine_loss n D gamma beta grad_y x_hat
  = Sum n (fun e => scaled D gamma grad_y e * x_hat e) + Sum n (fun e => grad_y e * beta (feature D e)).
Proof. unfold affine_loss, scaled. rewrite <- Sum_plus. apply Sum_ext. intros. ring. Qed.
Lemma derive_affine_loss n D gamma beta grad_y (hat : R -> nat -> R) (t d : R) :
  is_derive (fun t => Sum n (fun e => scaled D gamma grad_y e * hat t e)) t d ->
  is_derive (fun t => affine_loss n D gamma beta grad_y (hat t)) t d.
Proof.
  intros H. replace d with (d + 0) by ring.
  apply (is_derive_ext (fun t => Sum n (fun e => scaled D gamma grad_y e * hat t e)
    + Sum n (fun e => grad_y e * beta (feature D e)))).
  - intros. symmetry. apply affine_loss_split.
  - apply (derive_plus (fun t => Sum n (fun e => scaled D gamma grad_y e * hat t e))); [exact H|apply derive_const].
Qed.

(* One cell, all of it valid: the definitions of layers.v. *)
Section OneCell.
Variable n : nat.
Hypothesis n_pos : (0 < n)%nat.
Variables x g : nat -> R.
Variable eps : R.
Let one (e : nat) := 0%nat.

Lemma one_cell_member i j : member one all_valid i j = 1.
Proof. unfold member, beside, own, one, all_valid. simpl. ring. Qed.
Lemma one_cell_count i : count n one all_valid i = INR n.
Proof.
  unfold count. rewrite (Sum_ext n _ (fun _ => 1)) by (intros; apply one_cell_member). rewrite Sum_const. ring.
Qed.
Lemma one_cell_Sum i f : Sum n (fun j => member one all_valid i j * f j) = Sum n f.
Proof. apply Sum_ext. intros. rewrite one_cell_member. ring. Qed.
Lemma one_cell_beside i f : Sum n (fun j => beside one i j * f j) = Sum n f.
Proof. apply Sum_ext. intros. unfold beside, one. simpl. ring. Qed.
Lemma one_cell_mean i : cell_mean n one all_valid x i = mean n x.
Proof. unfold cell_mean. rewrite one_cell_Sum, one_cell_count. reflexivity. Qed.
Lemma one_cell_variance i : cell_variance n one all_valid x i = variance n x.
Proof. unfold cell_variance. rewrite one_cell_Sum, one_cell_count, one_cell_mean. reflexivity. Qed.
Lemma one_cell_squares i : cell_squares n one all_valid (count n one all_valid) x i = quadratic_mean n x.
Proof. unfold cell_squares. rewrite one_cell_Sum, one_cell_count. reflexivity. Qed.
Lemma one_cell_centred_hat i : centred_hat n one all_valid eps x i = sigma_hat n x eps i.
Proof. unfold centred_hat. rewrite one_cell_mean, one_cell_variance. reflexivity. Qed.
Lemma one_cell_uncentred_hat i :
  uncentred_hat n one all_valid (count n one all_valid) eps x i = psi_hat n x eps i.
Proof. unfold uncentred_hat. rewrite one_cell_squares. reflexivity. Qed.
Lemma one_cell_centred_grad k : centred_grad n one all_valid eps x g k = sigma_grad n x g eps k.
Proof.
  unfold centred_grad. rewrite !one_cell_beside, one_cell_variance, one_cell_count, one_cell_centred_hat.
  unfold sigma_grad. fold (sigma_s n x eps).
  rewrite (Sum_ext n (fun j => g j * centred_hat n one all_valid eps x j) (fun j => g j * sigma_hat n x eps j))
    by (intros; rewrite one_cell_centred_hat; reflexivity).
  unfold own, all_valid, dot, mean. f_equal. ring.
Qed.
Lemma one_cell_uncentred_grad k :
  uncentred_grad n one all_valid (count n one all_valid) eps x g k = psi_grad n x g eps k.
Proof.
  unfold uncentred_grad. rewrite !one_cell_beside, one_cell_squares, one_cell_count, one_cell_uncentred_hat.
  unfold psi_grad. fold (psi_s n x eps).
  rewrite (Sum_ext n (fun j => g j * uncentred_hat n one all_valid (count n one all_valid) eps x j)
    (fun j => g j * psi_hat n x eps j)) by (intros; rewrite one_cell_uncentred_hat; reflexivity).
  unfold own, all_valid, dot. f_equal. ring.
Qed.
End OneCell.

Lemma sigma_backward n x g eps k : (k < n)%nat -> 0 < variance n x + eps ->
  is_derive (fun t => Sum n (fun i => g i * sigma_hat n (put x k t) eps i)) (x k) (sigma_grad n x g eps k).
Proof.
  intros H V. assert (P := INR_pos n ltac:(lia)).
  rewrite <- (one_cell_centred_grad n x g eps k).
  apply (is_derive_ext (fun t => Sum n (fun i => g i * centred_hat n (fun _ => 0%nat) all_valid eps (put x k t) i))).
  - intros t. apply Sum_ext. intros. rewrite one_cell_centred_hat. reflexivity.
  - apply centred_backward; [exact H|intros; rewrite one_cell_count; exact P|intros; rewrite one_cell_variance; exact V].
Qed.
Lemma psi_backward n x g eps k : (k < n)%nat -> 0 < quadratic_mean n x + eps ->
  is_derive (fun t => Sum n (fun i => g i * psi_hat n (put x k t) eps i)) (x k) (psi_grad n x g eps k).
Proof.
  intros H V. assert (P := INR_pos n ltac:(lia)).
  rewrite <- (one_cell_uncentred_grad n x g eps k).
  apply (is_derive_ext (fun t => Sum n (fun i =>
    g i * uncentred_hat n (fun _ => 0%nat) all_valid (count n (fun _ => 0%nat) all_valid) eps (put x k t) i))).
  - intros t. apply Sum_ext. intros. rewrite one_cell_uncentred_hat. reflexivity.
  - apply uncentred_backward; [exact H|intros; rewrite one_cell_count; exact P|
      intros; rewrite !one_cell_count; reflexivity|intros; rewrite one_cell_squares; exact V].
Qed.
