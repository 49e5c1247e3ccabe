(* T: LayerNorm and BatchNorm as textbooks compare them. *)
From Coq Require Import Reals Lra Psatz Lia Arith Bool.
From normproof Require Import sums layers cells lipschitz.
Open Scope R_scope.

Section Affine.
Variable n : nat.
Hypothesis n_pos : (0 < n)%nat.
Variables x y : nat -> R.
Variables c t eps : R.
Hypothesis c_pos : 0 < c.
Hypothesis y_is : forall i, (i < n)%nat -> y i = c * x i + t.
Hypothesis s_pos : 0 < variance n x + eps.

Lemma moved_mean : mean n y = c * mean n x + t.
Proof.
  pose proof (INR_pos n n_pos). unfold mean. rewrite (Sum_ext n y (fun i => c * x i + t * 1)) by (intros; rewrite y_is by auto; ring).
  rewrite Sum_plus, !Sum_scal, Sum_const. field. lra.
Qed.
Lemma moved_centred i : (i < n)%nat -> centred n y i = c * centred n x i.
Proof. intros Hi. unfold centred. rewrite moved_mean, y_is by exact Hi. ring. Qed.
Lemma moved_s : sigma_s n y (c^2 * eps) = c * sigma_s n x eps.
Proof.
  unfold sigma_s. apply sqrt_unique; [apply Rmult_le_pos; [lra|apply sqrt_pos]|].
  fold (sigma_s n x eps). replace (c * sigma_s n x eps * (c * sigma_s n x eps))
    with (c^2 * (sigma_s n x eps * sigma_s n x eps)) by ring.
  rewrite sigma_s_square by exact s_pos. unfold variance, quadratic_mean.
  rewrite (dot_ext n (centred n y) (centred n y) (fun i => c * centred n x i) (fun i => c * centred n x i))
    by (intros; apply moved_centred; assumption).
  rewrite scaled_length. unfold Rdiv. ring.
Qed.
Lemma moved_hat i : (i < n)%nat -> sigma_hat n y (c^2 * eps) i = sigma_hat n x eps i.
Proof.
  intros Hi. pose proof (sigma_s_pos n x eps s_pos). unfold sigma_hat. rewrite moved_s, moved_centred by exact Hi.
  field. lra.
Qed.
Lemma moved_grad g i : (i < n)%nat -> sigma_grad n y g (c^2 * eps) i = sigma_grad n x g eps i / c.
Proof.
  intros Hi. pose proof (sigma_s_pos n x eps s_pos). pose proof (INR_pos n n_pos). unfold sigma_grad.
  rewrite (dot_ext n g (sigma_hat n y (c^2 * eps)) g (sigma_hat n x eps))
    by (intros; auto; apply moved_hat; assumption).
  rewrite moved_s, moved_hat by exact Hi. field. lra.
Qed.
End Affine.

(* T1. LN(c x; c^2 eps) = LN(x; eps) for every c > 0, n and x with sigma^2 + eps > 0; at eps = 0 LN(c x) = LN(x). *)
Theorem T1_scale_invariance n x c eps i : (i < n)%nat -> 0 < c -> 0 < variance n x + eps ->
  sigma_hat n (fun j => c * x j) (c^2 * eps) i = sigma_hat n x eps i /\
  (eps = 0 -> sigma_hat n (fun j => c * x j) 0 i = sigma_hat n x 0 i).
Proof.
  intros Hi C V. assert (E : sigma_hat n (fun j => c * x j) (c^2 * eps) i = sigma_hat n x eps i).
  { apply (moved_hat n ltac:(lia) x (fun j => c * x j) c 0); auto; intros; ring. }
  split; [exact E|]. intros Z. rewrite Z in E. rewrite Rmult_0_r in E. exact E.
Qed.

(* T2. y and grad_x of LN at element i are functions of the row of i alone: two tensors of n elements and D features that
   agree in that row (x and g) have the same x_hat_i and grad_x_i. *)
Theorem T2_row_alone n D eps x x' g g' i : (i < n)%nat ->
  let cell := row_cell D in
  (forall j, cell j = cell i -> x j = x' j) -> (forall j, cell j = cell i -> g j = g' j) ->
  centred_hat n cell all_valid eps x i = centred_hat n cell all_valid eps x' i /\
  centred_grad n cell all_valid eps x g i = centred_grad n cell all_valid eps x' g' i.
Proof.
  intros Hi cell X G.
  assert (Own : forall j, cell j = cell i -> forall f f' : nat -> R, (forall k, cell k = cell i -> f k = f' k) ->
    Sum n (fun k => member cell all_valid j k * f k) = Sum n (fun k => member cell all_valid j k * f' k)).
  { intros j Hj f f' F. apply Sum_ext. intros k _. unfold member, beside.
    destruct (Nat.eqb_spec (cell k) (cell j)) as [E|_]; [rewrite F by congruence; reflexivity|ring]. }
  assert (Beside : forall f f' : nat -> R, (forall k, cell k = cell i -> f k = f' k) ->
    Sum n (fun k => beside cell i k * f k) = Sum n (fun k => beside cell i k * f' k)).
  { intros f f' F. apply Sum_ext. intros k _. unfold beside.
    destruct (Nat.eqb_spec (cell k) (cell i)) as [E|_]; [rewrite F by exact E; reflexivity|ring]. }
  assert (M : forall j, cell j = cell i -> cell_mean n cell all_valid x j = cell_mean n cell all_valid x' j).
  { intros j Hj. unfold cell_mean. f_equal. apply Own; assumption. }
  assert (V : forall j, cell j = cell i -> cell_variance n cell all_valid x j = cell_variance n cell all_valid x' j).
  { intros j Hj. unfold cell_variance. f_equal. apply Own; [assumption|]. intros k Hk. rewrite X, M by assumption. reflexivity. }
  assert (Hat : forall j, cell j = cell i -> centred_hat n cell all_valid eps x j = centred_hat n cell all_valid eps x' j).
  { intros j Hj. unfold centred_hat. rewrite X, M, V by assumption. reflexivity. }
  split; [apply Hat; reflexivity|].
  unfold centred_grad. rewrite V, Hat, G by reflexivity. rewrite (Beside g g') by exact G.
  rewrite (Beside (fun j => g j * centred_hat n cell all_valid eps x j)
    (fun j => g' j * centred_hat n cell all_valid eps x' j)) by (intros; rewrite G, Hat by assumption; reflexivity).
  reflexivity.
Qed.

(* T3. Two numbers a < b, a row of two features under LN or a column of two rows under BN, eps >= 0: they become
   (-v, v), v = 1/sqrt(1 + 4 eps/(b - a)^2). *)
Theorem T3_two_by_two a b eps : a < b -> 0 <= eps ->
  let x := list_of (a :: b :: nil) in let v := 1 / sqrt (1 + 4 * eps / (b - a)^2) in
  sigma_hat 2 x eps 0 = - v /\ sigma_hat 2 x eps 1 = v.
Proof.
  intros L E x v.
  assert (P : 0 <= 4 * eps / (b - a)^2) by (apply div_nonneg; [lra|nra]).
  pose proof (sqrt_pos_lt (1 + 4 * eps / (b - a)^2) ltac:(lra)) as Q.
  pose proof (sqrt_sqrt (1 + 4 * eps / (b - a)^2) ltac:(lra)) as QQ.
  assert (S2 : sigma_s 2 x eps = (b - a) / 2 * sqrt (1 + 4 * eps / (b - a)^2)).
  { unfold sigma_s. apply sqrt_unique; [nra|]. set (q := sqrt _) in *.
    replace ((b - a) / 2 * q * ((b - a) / 2 * q)) with ((b - a)^2 / 4 * (q * q)) by field. rewrite QQ.
    unfold x. compute_sums. field. lra. }
  unfold sigma_hat. rewrite S2. unfold v. set (q := sqrt (1 + 4 * eps / (b - a)^2)) in *. clearbody q.
  unfold x. compute_sums. split; field; split; lra.
Qed.

(* T4. Not: y_i and grad_x_i of BN are functions of row i alone. x = (0, 0), eps = 1, g = (0, 1) and g' = (0, 0): grad_x of
   the first row is -1/2 and 0. *)
Theorem T4_batch_norm_sees_the_batch :
  ~ (forall n x x' g g' eps i, (i < n)%nat -> 0 < eps -> x i = x' i -> g i = g' i ->
     sigma_hat n x eps i = sigma_hat n x' eps i /\ sigma_grad n x g eps i = sigma_grad n x' g' eps i).
Proof.
  intros H. set (x := fun _ : nat => 0).
  destruct (H 2%nat x x (list_of (0 :: 1 :: nil)) x 1 0%nat ltac:(lia) ltac:(lra) eq_refl eq_refl) as [_ K].
  assert (V : variance 2 x = 0) by (unfold x; compute_sums; field).
  assert (S2 : sigma_s 2 x 1 = 1) by (unfold sigma_s; rewrite V, Rplus_0_l; apply sqrt_1).
  unfold sigma_grad, sigma_hat in K. rewrite S2 in K. revert K. unfold x. compute_sums. lra.
Qed.

(* T5. BN(c x + t) = BN(x) for every c > 0 and t, at eps = 0 and sigma > 0, and the gradient is 1/c of it. *)
Theorem T5_scale_and_shift n x g c t i : (i < n)%nat -> 0 < c -> 0 < variance n x ->
  sigma_hat n (fun j => c * x j + t) 0 i = sigma_hat n x 0 i /\
  sigma_grad n (fun j => c * x j + t) g 0 i = sigma_grad n x g 0 i / c.
Proof.
  intros Hi C V.
  pose proof (moved_hat n ltac:(lia) x (fun j => c * x j + t) c t 0 C ltac:(reflexivity) ltac:(lra) i Hi) as A.
  pose proof (moved_grad n ltac:(lia) x (fun j => c * x j + t) c t 0 C ltac:(reflexivity) ltac:(lra) g i Hi) as B.
  rewrite Rmult_0_r in A, B. split; assumption.
Qed.
