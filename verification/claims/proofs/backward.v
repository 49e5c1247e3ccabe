(* A: the backwards of the norm layers are the derivatives of their forwards. L = sum grad_y y is the loss; put x k t
   is x with t in the place of element k, so that is_derive says: d L / d x_k, all other elements fixed. *)
From Coq Require Import Reals Lra Psatz Lia Arith Bool.
From Coquelicot Require Import Coquelicot.
From normproof Require Import sums layers cells.
Open Scope R_scope.

Section Layers.
Variables (n D : nat) (gamma beta grad_y x : nat -> R) (eps : R) (k : nat).
Hypothesis k_lt : (k < n)%nat.
Let g := scaled D gamma grad_y.

Lemma all_valid_count cell i : (i < n)%nat -> 0 < count n cell all_valid i.
Proof. intros H. pose proof (count_at_least_1 n cell all_valid i H eq_refl). lra. Qed.
Lemma count_of_cell cell valid i j : cell i = cell j -> count n cell valid i = count n cell valid j.
Proof. intros E. unfold count, member, beside. rewrite E. reflexivity. Qed.

(* A layer that subtracts the mean, or does not, whatever its cells are: all elements valid. *)
Lemma centred_layer cell : (forall i, (i < n)%nat -> 0 < cell_variance n cell all_valid x i + eps) ->
  is_derive (fun t => affine_loss n D gamma beta grad_y (centred_hat n cell all_valid eps (put x k t))) (x k)
    (centred_grad n cell all_valid eps x g k).
Proof.
  intros V. apply (derive_affine_loss n D gamma beta grad_y (fun t => centred_hat n cell all_valid eps (put x k t))).
  apply centred_backward; [exact k_lt|apply all_valid_count|exact V].
Qed.
Lemma uncentred_layer cell :
  let size := count n cell all_valid in
  (forall i, (i < n)%nat -> 0 < cell_squares n cell all_valid size x i + eps) ->
  is_derive (fun t => affine_loss n D gamma beta grad_y (uncentred_hat n cell all_valid size eps (put x k t))) (x k)
    (uncentred_grad n cell all_valid size eps x g k).
Proof.
  intros size V.
  apply (derive_affine_loss n D gamma beta grad_y (fun t => uncentred_hat n cell all_valid size eps (put x k t))).
  apply uncentred_backward; [exact k_lt|apply all_valid_count|apply count_of_cell|exact V].
Qed.

(* A1. BatchNorm, for every number of elements and every number D of channels, a cell a channel, sigma^2 + eps > 0 in
   each: d L / d x_k = (1/s)[g_k - mean(g) - x_hat_k mean(g x_hat)], the means over the batch. *)
Theorem A1_batch_norm : let cell := channel_cell D in
  (forall i, (i < n)%nat -> 0 < cell_variance n cell all_valid x i + eps) ->
  is_derive (fun t => affine_loss n D gamma beta grad_y (centred_hat n cell all_valid eps (put x k t))) (x k)
    (centred_grad n cell all_valid eps x g k).
Proof. apply centred_layer. Qed.

(* A2. LayerNorm, likewise with a cell a row:
   d L / d x_k = (1/s)[g_k - mean(g) - x_hat_k mean(g x_hat)], the means over the features of the token. *)
Theorem A2_layer_norm : let cell := row_cell D in
  (forall i, (i < n)%nat -> 0 < cell_variance n cell all_valid x i + eps) ->
  is_derive (fun t => affine_loss n D gamma beta grad_y (centred_hat n cell all_valid eps (put x k t))) (x k)
    (centred_grad n cell all_valid eps x g k).
Proof. apply centred_layer. Qed.

(* A3. PN-V, a cell a channel, psi^2 + eps > 0 in each:
   d L / d x_k = (1/s)[g_k - x_hat_k mean(g x_hat)], the mean over the batch. *)
Theorem A3_power_norm_v : let cell := channel_cell D in
  let size := count n cell all_valid in
  (forall i, (i < n)%nat -> 0 < cell_squares n cell all_valid size x i + eps) ->
  is_derive (fun t => affine_loss n D gamma beta grad_y (uncentred_hat n cell all_valid size eps (put x k t))) (x k)
    (uncentred_grad n cell all_valid size eps x g k).
Proof. apply uncentred_layer. Qed.

(* A4. RMSNorm, a cell a row, psi^2 + eps > 0 in each:
   d L / d x_k = (1/s)[g_k - x_hat_k mean(g x_hat)], the mean over the features of the token. *)
Theorem A4_rms_norm : let cell := row_cell D in
  let size := count n cell all_valid in
  (forall i, (i < n)%nat -> 0 < cell_squares n cell all_valid size x i + eps) ->
  is_derive (fun t => affine_loss n D gamma beta grad_y (uncentred_hat n cell all_valid size eps (put x k t))) (x k)
    (uncentred_grad n cell all_valid size eps x g k).
Proof. apply uncentred_layer. Qed.

(* A6. GroupNorm, for every number of tokens T and of groups, a cell the tokens and features of one group of one
   sample: d L / d x_k = (1/s)[g_k - mean(g) - x_hat_k mean(g x_hat)], g with the gamma of each feature. *)
Theorem A6_group_norm (T groups : nat) : let cell := sample_group_cell T D groups in
  (forall i, (i < n)%nat -> 0 < cell_variance n cell all_valid x i + eps) ->
  is_derive (fun t => affine_loss n D gamma beta grad_y (centred_hat n cell all_valid eps (put x k t))) (x k)
    (centred_grad n cell all_valid eps x g k).
Proof. apply centred_layer. Qed.

(* A7. InstanceNorm, for every number of tokens T, a cell the tokens of one sample in one channel:
   d L / d x_k = (1/s)[g_k - mean(g) - x_hat_k mean(g x_hat)]. *)
Theorem A7_instance_norm (T : nat) : let cell := sample_channel_cell T D in
  (forall i, (i < n)%nat -> 0 < cell_variance n cell all_valid x i + eps) ->
  is_derive (fun t => affine_loss n D gamma beta grad_y (centred_hat n cell all_valid eps (put x k t))) (x k)
    (centred_grad n cell all_valid eps x g k).
Proof. apply centred_layer. Qed.

(* A8. Group scaling, for every number of groups, a cell one group of a token's features:
   d L / d x_k = (1/s)[g_k - x_hat_k mean(g x_hat)], g = grad_y. *)
Theorem A8_group_scaling (groups : nat) : let cell := row_group_cell D groups in
  let size := count n cell all_valid in
  (forall i, (i < n)%nat -> 0 < cell_squares n cell all_valid size x i + eps) ->
  is_derive (fun t => Sum n (fun i => grad_y i * uncentred_hat n cell all_valid size eps (put x k t) i)) (x k)
    (uncentred_grad n cell all_valid size eps x grad_y k).
Proof.
  intros cell size V.
  apply uncentred_backward; [exact k_lt|apply all_valid_count|apply count_of_cell|exact V].
Qed.

(* A9. ScaleNorm, a cell a row, u = x / sqrt(||x||^2 + eps), one gamma c, ||x||^2 + eps > 0 in each row:
   d L / d x_k = (c / sqrt(||x||^2 + eps)) (grad_y_k - u_k <grad_y, u>), the product over the row. *)
Theorem A9_scale_norm (c : R) : let cell := row_cell D in
  let size := fun _ : nat => 1 in
  let u := uncentred_hat n cell all_valid size eps in
  (forall i, (i < n)%nat -> 0 < cell_squares n cell all_valid size x i + eps) ->
  is_derive (fun t => Sum n (fun i => grad_y i * (c * u (put x k t) i))) (x k)
    (c / sqrt (Sum n (fun j => member cell all_valid k j * (x j * x j)) + eps)
     * (grad_y k - u x k * Sum n (fun j => beside cell k j * (grad_y j * u x j)))).
Proof.
  intros cell size u V.
  assert (E : c / sqrt (Sum n (fun j => member cell all_valid k j * (x j * x j)) + eps)
     * (grad_y k - u x k * Sum n (fun j => beside cell k j * (grad_y j * u x j)))
     = uncentred_grad n cell all_valid size eps x (fun i => c * grad_y i) k).
  { pose proof (sqrt_pos_lt _ (V k k_lt)) as P. unfold uncentred_grad. fold u.
    rewrite (Sum_ext n (fun j => beside cell k j * (c * grad_y j * u x j))
      (fun j => c * (beside cell k j * (grad_y j * u x j)))) by (intros; ring).
    assert (Q : cell_squares n cell all_valid size x k = Sum n (fun j => member cell all_valid k j * (x j * x j)))
      by (unfold cell_squares, size; field).
    rewrite Q in P. rewrite Sum_scal, Q. unfold own, all_valid, size. field. apply Rgt_not_eq, P. }
  rewrite E.
  apply (is_derive_ext (fun t => Sum n (fun i => (c * grad_y i) * u (put x k t) i))).
  - intros t. apply Sum_ext. intros. ring.
  - apply uncentred_backward; [exact k_lt|intros; unfold size; lra|reflexivity|exact V].
Qed.

(* A10. BatchRenorm, x_hat = r z + d, z = (x - mu_B)/s_B, for every r and d of each channel that are constants of
   the derivative: d L / d x_k = (r/s_B)[g_k - mean(g) - z_k mean(g z)]. *)
Theorem A10_batch_renorm (r d : nat -> R) : let cell := channel_cell D in
  let z := centred_hat n cell all_valid eps in
  (forall i, (i < n)%nat -> 0 < cell_variance n cell all_valid x i + eps) ->
  is_derive (fun t => affine_loss n D gamma beta grad_y (fun i => r (cell i) * z (put x k t) i + d (cell i))) (x k)
    (r (cell k) * centred_grad n cell all_valid eps x g k).
Proof.
  intros cell z V.
  assert (P := sqrt_pos_lt _ (V k k_lt)). assert (C := all_valid_count cell k k_lt).
  assert (E : r (cell k) * centred_grad n cell all_valid eps x g k
    = centred_grad n cell all_valid eps x (fun i => r (cell i) * g i) k + 0).
  { unfold centred_grad.
    assert (R : forall f, Sum n (fun j => beside cell k j * (r (cell j) * f j))
      = r (cell k) * Sum n (fun j => beside cell k j * f j)).
    { intros f. rewrite <- Sum_scal. apply Sum_ext. intros j _. unfold beside.
      destruct (Nat.eqb_spec (cell j) (cell k)) as [->|]; ring. }
    rewrite R. rewrite (Sum_ext n (fun j => beside cell k j * (r (cell j) * g j * centred_hat n cell all_valid eps x j))
      (fun j => beside cell k j * (r (cell j) * (g j * centred_hat n cell all_valid eps x j)))) by (intros; ring).
    rewrite R. field. lra. }
  rewrite E.
  apply (is_derive_ext (fun t => Sum n (fun i => (r (cell i) * g i) * z (put x k t) i)
    + Sum n (fun i => grad_y i * (gamma (feature D i) * d (cell i) + beta (feature D i))))).
  - intros t. unfold affine_loss, g, scaled. rewrite <- Sum_plus. apply Sum_ext. intros. ring.
  - apply (derive_plus (fun t => Sum n (fun i => (r (cell i) * g i) * z (put x k t) i))); [|apply derive_const].
    apply centred_backward; [exact k_lt|apply all_valid_count|exact V].
Qed.

(* A13. PN-V and BatchNorm with padded rows: statistics from the valid rows V of a channel, n_V = |V| > 0 of them,
   every row normalised: d L / d x_k = (1/s)[g_k - 1{k in V} x_hat_k (1/n_V) sum_all g x_hat] for PN-V, and
   (1/s)[g_k - 1{k in V} ((1/n_V) sum_all g + x_hat_k (1/n_V) sum_all g x_hat)] for BatchNorm. *)
Theorem A13_power_norm_v_with_padding (mask : nat -> bool) : let cell := channel_cell D in
  let valid := row_valid D mask in
  let size := count n cell valid in
  (forall i, (i < n)%nat -> 0 < size i) ->
  (forall i, (i < n)%nat -> 0 < cell_squares n cell valid size x i + eps) ->
  is_derive (fun t => affine_loss n D gamma beta grad_y (uncentred_hat n cell valid size eps (put x k t))) (x k)
    (uncentred_grad n cell valid size eps x g k).
Proof.
  intros cell valid size C V.
  apply (derive_affine_loss n D gamma beta grad_y (fun t => uncentred_hat n cell valid size eps (put x k t))).
  apply uncentred_backward; [exact k_lt|exact C|apply count_of_cell|exact V].
Qed.
(* A13. The same of BatchNorm. *)
Theorem A13_batch_norm_with_padding (mask : nat -> bool) : let cell := channel_cell D in
  let valid := row_valid D mask in
  (forall i, (i < n)%nat -> 0 < count n cell valid i) ->
  (forall i, (i < n)%nat -> 0 < cell_variance n cell valid x i + eps) ->
  is_derive (fun t => affine_loss n D gamma beta grad_y (centred_hat n cell valid eps (put x k t))) (x k)
    (centred_grad n cell valid eps x g k).
Proof.
  intros cell valid C V.
  apply (derive_affine_loss n D gamma beta grad_y (fun t => centred_hat n cell valid eps (put x k t))).
  apply centred_backward; [exact k_lt|exact C|exact V].
Qed.
End Layers.

(* A5. The printed form grad_x_i = grad_y_i / (psi gamma) - x_hat_i sum_j grad_y_j x_hat_j / (psi gamma B) is not
   the derivative of y = gamma x_hat for every gamma other than 0 and eps > 0: x = (0), grad_y = (1), gamma = 1/2,
   eps = 1 has the derivative 1/2, and the printed form is 2. *)
Theorem A5_printed_form_refuted :
  ~ (forall n x grad_y gamma eps k, (k < n)%nat -> gamma <> 0 -> 0 < eps ->
     is_derive (fun t => Sum n (fun i => grad_y i * (gamma * psi_hat n (put x k t) eps i))) (x k)
       (/ (psi_s n x eps * gamma) * grad_y k
        - / (psi_s n x eps * gamma * INR n) * dot n grad_y (psi_hat n x eps) * psi_hat n x eps k)).
Proof.
  intros H. specialize (H 1%nat (fun _ => 0) (fun _ => 1) (1/2) 1 0%nat ltac:(lia) ltac:(lra) ltac:(lra)).
  assert (Q : quadratic_mean 1 (fun _ => 0) = 0) by (unfold quadratic_mean, dot; simpl; field).
  pose proof (psi_backward 1 (fun _ => 0) (fun _ => 1/2) 1 0%nat ltac:(lia) ltac:(rewrite Q; lra)) as T.
  apply (derive_unique _ (fun t => Sum 1 (fun i => 1 / 2 * psi_hat 1 (put (fun _ => 0) 0 t) 1 i)) _ _
    (psi_grad 1 (fun _ => 0) (fun _ => 1 / 2) 1 0)) in H; [|intros; apply Sum_ext; intros; ring|exact T].
  unfold psi_grad, psi_hat, psi_s in H. rewrite Q in H.
  replace (sqrt (0 + 1)) with 1 in H by (rewrite Rplus_0_l, sqrt_1; reflexivity).
  unfold dot in H. simpl in H. lra.
Qed.

(* A11. For every x_hat, so for every layer that has gamma and beta:
   d L / d gamma_f = sum_rows grad_y x_hat and d L / d beta_f = sum_rows grad_y, over the elements of feature f. *)
Theorem A11_grad_gamma (n D f : nat) (gamma beta grad_y x_hat : nat -> R) :
  is_derive (fun t => affine_loss n D (put gamma f t) beta grad_y x_hat) (gamma f)
    (Sum n (fun e => unit_vector f (feature D e) * (grad_y e * x_hat e))).
Proof.
  apply (is_derive_ext (fun t => Sum n (fun e => (grad_y e * x_hat e) * put gamma f t (feature D e))
    + Sum n (fun e => grad_y e * beta (feature D e)))).
  - intros t. unfold affine_loss. rewrite <- Sum_plus. apply Sum_ext. intros. ring.
  - replace (Sum n (fun e => unit_vector f (feature D e) * (grad_y e * x_hat e)))
      with (Sum n (fun e => (grad_y e * x_hat e) * unit_vector f (feature D e)) + 0)
      by (rewrite Rplus_0_r; apply Sum_ext; intros; ring).
    apply (derive_plus (fun t => Sum n (fun e => (grad_y e * x_hat e) * put gamma f t (feature D e))));
      [|apply derive_const].
    apply (derive_Sum n (fun e t => (grad_y e * x_hat e) * put gamma f t (feature D e))). intros.
    apply derive_scal, derive_put.
Qed.
(* A11. The same of beta. *)
Theorem A11_grad_beta (n D f : nat) (gamma beta grad_y x_hat : nat -> R) :
  is_derive (fun t => affine_loss n D gamma (put beta f t) grad_y x_hat) (beta f)
    (Sum n (fun e => unit_vector f (feature D e) * grad_y e)).
Proof.
  apply (is_derive_ext (fun t => Sum n (fun e => grad_y e * (gamma (feature D e) * x_hat e))
    + Sum n (fun e => grad_y e * put beta f t (feature D e)))).
  - intros t. unfold affine_loss. rewrite <- Sum_plus. apply Sum_ext. intros. ring.
  - replace (Sum n (fun e => unit_vector f (feature D e) * grad_y e))
      with (0 + Sum n (fun e => grad_y e * unit_vector f (feature D e)))
      by (rewrite Rplus_0_l; apply Sum_ext; intros; ring).
    apply (derive_plus (fun _ => Sum n (fun e => grad_y e * (gamma (feature D e) * x_hat e)))); [apply derive_const|].
    apply (derive_Sum n (fun e t => grad_y e * put beta f t (feature D e))). intros.
    apply derive_scal, derive_put.
Qed.
