(* C: the recursions of PowerNorm, as in the paper and as released, in one channel of n rows; x t and g t are the
   batch of step t and gamma times its gradient. psi2_at, nu_at, ema_at: the state in front of step t. *)
From Coq Require Import Reals Lra Psatz Lia Arith Bool.
From normproof Require Import sums layers lipschitz.
Open Scope R_scope.

Section Channel.
Variable n : nat.
Variables alpha a eps : R.  (* of the forward, of the backward *)
Variables x g : nat -> nat -> R.

Definition mean_product (u v : nat -> R) : R := dot n u v / INR n.
Fixpoint psi2_at (start : R) (t : nat) : R :=
  match t with O => start | S t => alpha * psi2_at start t + (1 - alpha) * quadratic_mean n (x t) end.
Definition hat_at (psi2_0 : R) (t i : nat) : R := x t i / sqrt (psi2_at psi2_0 t + eps).

(* the paper: nu <- nu (1 - (1 - a) Gamma) + (1 - a) Lambda *)
Fixpoint nu_at (psi2_0 nu_0 : R) (t : nat) : R :=
  match t with
  | O => nu_0
  | S t => let x_hat := hat_at psi2_0 t in
    nu_at psi2_0 nu_0 t * (1 - (1 - a) * mean_product x_hat x_hat) + (1 - a) * mean_product (g t) x_hat
  end.
Definition rest_at (psi2_0 nu_0 : R) (t i : nat) : R := g t i - nu_at psi2_0 nu_0 t * hat_at psi2_0 t i.
Definition grad_at (psi2_0 nu_0 : R) (t i : nat) : R := rest_at psi2_0 nu_0 t i / sqrt (psi2_at psi2_0 t + eps).

(* the released code: e <- e + mean((g - (1 - a) e x_hat) x_hat) *)
Fixpoint ema_at (psi2_0 e_0 : R) (t : nat) : R :=
  match t with
  | O => e_0
  | S t => let x_hat := hat_at psi2_0 t in
    ema_at psi2_0 e_0 t + mean_product (fun i => g t i - (1 - a) * ema_at psi2_0 e_0 t * x_hat i) x_hat
  end.
Definition released_rest_at (psi2_0 e_0 : R) (t i : nat) : R :=
  g t i - (1 - a) * ema_at psi2_0 e_0 t * hat_at psi2_0 t i.
Definition released_grad_at (psi2_0 e_0 : R) (t i : nat) : R :=
  released_rest_at psi2_0 e_0 t i / sqrt (quadratic_mean n (x t) + eps).

(* the repair of issue 3: nu <- nu + mean((1 - a)(g - nu x_hat) x_hat) *)
Fixpoint repaired_at (psi2_0 nu_0 : R) (t : nat) : R :=
  match t with
  | O => nu_0
  | S t => let x_hat := hat_at psi2_0 t in
    repaired_at psi2_0 nu_0 t + mean_product (fun i => (1 - a) * (g t i - repaired_at psi2_0 nu_0 t * x_hat i)) x_hat
  end.

Lemma mean_product_rest c k u v : mean_product (fun i => c * (u i - k * v i)) v
  = c * (mean_product u v - k * mean_product v v).
Proof.
  unfold mean_product. replace (dot n (fun i => c * (u i - k * v i)) v)
    with (c * dot n u v + (- (c * k)) * dot n v v); [unfold Rdiv; ring|].
  unfold dot. rewrite <- Sum_lin2. apply Sum_ext. intros. ring.
Qed.
Lemma mean_product_rest1 k u v : mean_product (fun i => u i - k * v i) v = mean_product u v - k * mean_product v v.
Proof.
  rewrite <- (Rmult_1_l (mean_product u v - k * mean_product v v)), <- mean_product_rest.
  unfold mean_product. f_equal. apply Sum_ext. intros. ring.
Qed.

(* C1. For every n, alpha, a, eps, batches and start with nu_0 = (1 - a) e_0, and every t: nu_t = (1 - a) e_t, and
   X_t is the same in the paper and in the released code (psi^2_t is one recursion in both). *)
Theorem C1_released_nu_rescaled psi2_0 e_0 t :
  nu_at psi2_0 ((1 - a) * e_0) t = (1 - a) * ema_at psi2_0 e_0 t /\
  (forall i, rest_at psi2_0 ((1 - a) * e_0) t i = released_rest_at psi2_0 e_0 t i).
Proof.
  assert (E : forall t, nu_at psi2_0 ((1 - a) * e_0) t = (1 - a) * ema_at psi2_0 e_0 t).
  { induction t0 as [|t0 IH]; [reflexivity|]. simpl. rewrite IH, mean_product_rest1. ring. }
  split; [apply E|]. intros i. unfold rest_at, released_rest_at. rewrite E. reflexivity.
Qed.

(* C2. For every T: nu_T - nu_0 = (1 - a) sum_t mean(X_t x_hat_t), and e_T - e_0 = sum_t mean(X_t x_hat_t). *)
Theorem C2_telescopes psi2_0 nu_0 e_0 T :
  nu_at psi2_0 nu_0 T - nu_0 = (1 - a) * Sum T (fun t => mean_product (rest_at psi2_0 nu_0 t) (hat_at psi2_0 t)) /\
  ema_at psi2_0 e_0 T - e_0 = Sum T (fun t => mean_product (released_rest_at psi2_0 e_0 t) (hat_at psi2_0 t)).
Proof.
  split; induction T as [|T IH]; simpl; try ring.
  - rewrite Rmult_plus_distr_l, <- IH. unfold rest_at. rewrite mean_product_rest1. ring.
  - rewrite <- IH. unfold released_rest_at. ring.
Qed.

(* C4. For every t: the repair proposed in issue 3 gives the X_t of the released code, from nu_0 = (1 - a) e_0. *)
Theorem C4_repair_changes_nothing psi2_0 e_0 t i :
  g t i - repaired_at psi2_0 ((1 - a) * e_0) t * hat_at psi2_0 t i = released_rest_at psi2_0 e_0 t i.
Proof.
  assert (E : forall t, repaired_at psi2_0 ((1 - a) * e_0) t = (1 - a) * ema_at psi2_0 e_0 t).
  { induction t0 as [|t0 IH]; [reflexivity|]. simpl. rewrite IH, mean_product_rest, mean_product_rest1. ring. }
  unfold released_rest_at. rewrite E. reflexivity.
Qed.

(* C6. One batch for ever: psi^2_t - psi_B^2 = alpha^t (psi^2_0 - psi_B^2) for every t. *)
Theorem C6_forgets_its_start psi2_0 q t : (forall t, quadratic_mean n (x t) = q) ->
  psi2_at psi2_0 t - q = alpha^t * (psi2_0 - q).
Proof.
  intros H. induction t as [|t IH]; simpl; [ring|]. rewrite H.
  replace (alpha * psi2_at psi2_0 t + (1 - alpha) * q - q) with (alpha * (psi2_at psi2_0 t - q)) by ring.
  rewrite IH. ring.
Qed.

End Channel.

(* C3. Not: the released grad_x is the paper's X/sqrt(psi^2_(t-1) + eps). a = 1/2, eps = 0, psi^2_0 = 1, nu_0 = 0, x = (2),
   g = (1): 1/2 and 1. *)
Theorem C3_released_gradient_refuted :
  ~ (forall n alpha a eps x g psi2_0 e_0 t i, (i < n)%nat ->
     released_grad_at n alpha a eps x g psi2_0 e_0 t i = grad_at n alpha a eps x g psi2_0 ((1 - a) * e_0) t i).
Proof.
  intros H. specialize (H 1%nat (1/2) (1/2) 0 (fun _ _ => 2) (fun _ _ => 1) 1 0 0%nat 0%nat ltac:(lia)).
  unfold released_grad_at, released_rest_at, grad_at, rest_at, hat_at, quadratic_mean, dot in H. simpl in H.
  replace ((0 + 2 * 2) / 1 + 0) with (2 * 2) in H by field. rewrite Rplus_0_r, sqrt_1, sqrt_square in H by lra. lra.
Qed.

(* C7. The two updates of psi^2 in warm-up, p <- p (k - 1)/k + v/k and p <- alpha p + (1 - alpha) v, are one,
   p <- c p + (1 - c) v with c = alpha (k - 1)/k, for every step k >= 1; at k = 1 they forget p. *)
Theorem C7_warm_up_is_one_average alpha p v k : (1 <= k)%nat ->
  let c := alpha * ((INR k - 1) / INR k) in
  alpha * (p * ((INR k - 1) / INR k) + v / INR k) + (1 - alpha) * v = c * p + (1 - c) * v
  /\ (k = 1%nat -> c * p + (1 - c) * v = v).
Proof.
  intros H c. pose proof (INR_pos k ltac:(lia)). split; [unfold c; field; lra|].
  intros ->. unfold c. simpl. field.
Qed.

(* C8. While x_hat = x/psi_B with psi_B > 0, eps = 0: Gamma = 1, hence nu <- a nu + (1 - a) Lambda, and so does
   (1 - a) e of the released code. *)
Theorem C8_moving_average n a x g nu e : (0 < n)%nat -> 0 < quadratic_mean n x ->
  let x_hat := psi_hat n x 0 in let Lambda := mean_product n g x_hat in
  mean_product n x_hat x_hat = 1 /\
  nu * (1 - (1 - a) * mean_product n x_hat x_hat) + (1 - a) * Lambda = a * nu + (1 - a) * Lambda /\
  (1 - a) * (e + mean_product n (fun i => g i - (1 - a) * e * x_hat i) x_hat) = a * ((1 - a) * e) + (1 - a) * Lambda.
Proof.
  intros n_pos Q x_hat Lambda. pose proof (INR_pos n n_pos).
  assert (G : mean_product n x_hat x_hat = 1).
  { unfold mean_product, x_hat. rewrite psi_hat_length by assumption. field. lra. }
  split; [exact G|]. rewrite mean_product_rest1, G. fold Lambda. split; ring.
Qed.

(* C9. Not: grad_y = 0 gives grad_x = 0. x = (1), g = (0), psi^2 = 1, nu = 1, eps = 0: grad_x = -1. *)
Theorem C9_zero_gradient_refuted :
  ~ (forall n alpha a eps x g psi2_0 nu_0 t i, (forall i, g t i = 0) -> grad_at n alpha a eps x g psi2_0 nu_0 t i = 0).
Proof.
  intros H. specialize (H 1%nat (1/2) (1/2) 0 (fun _ _ => 1) (fun _ _ => 0) 1 1 0%nat 0%nat ltac:(reflexivity)).
  unfold grad_at, rest_at, hat_at in H. simpl in H. rewrite Rplus_0_r, sqrt_1 in H. lra.
Qed.

(* C10. For every c, n, history of batches and t: the gradients c g_1, ..., c g_t and the start c nu_0 give c grad_x_t. *)
Theorem C10_homogeneous n alpha a eps x g psi2_0 nu_0 c t i :
  grad_at n alpha a eps x (fun t i => c * g t i) psi2_0 (c * nu_0) t i
  = c * grad_at n alpha a eps x g psi2_0 nu_0 t i.
Proof.
  assert (E : forall t, nu_at n alpha a eps x (fun t i => c * g t i) psi2_0 (c * nu_0) t
    = c * nu_at n alpha a eps x g psi2_0 nu_0 t).
  { induction t0 as [|t0 IH]; [reflexivity|]. simpl. rewrite IH. unfold mean_product.
    rewrite (dot_scal_l n c (g t0)). unfold Rdiv. ring. }
  unfold grad_at, rest_at. rewrite E. unfold Rdiv. ring.
Qed.

(* C11. Not: a loss scale halved for the last two steps is harmless once each gradient is unscaled by its own scale.
   a = 1/2, eps = 0, psi^2 = 1, x = (1), g = (1), (0), (0), scales 2, 1, 1: -1/2 where -1/4 is due. *)
Theorem C11_loss_scale_refuted :
  ~ (forall n alpha a eps x g psi2_0 T i, let scale := fun t => if (t <? T - 1)%nat then 2 else 1 in
     grad_at n alpha a eps x (fun t i => scale t * g t i) psi2_0 0 T i / scale T
     = grad_at n alpha a eps x g psi2_0 0 T i).
Proof.
  intros H. specialize (H 1%nat (1/2) (1/2) 0 (fun _ _ => 1) (fun t _ => match t with O => 1 | _ => 0 end) 1 2%nat 0%nat).
  cbv zeta in H. unfold grad_at, rest_at in H. simpl in H.
  unfold mean_product, hat_at, dot in H. simpl in H. unfold quadratic_mean, dot in H. simpl in H.
  replace (1 / 2 * (1 / 2 * 1 + (1 - 1 / 2) * ((0 + 1 * 1) / 1)) + (1 - 1 / 2) * ((0 + 1 * 1) / 1) + 0) with 1 in H by field.
  replace (1 / 2 * 1 + (1 - 1 / 2) * ((0 + 1 * 1) / 1) + 0) with 1 in H by field.
  rewrite Rplus_0_r, sqrt_1 in H. lra.
Qed.

(* The released backward with padded rows: psi from the valid rows, Gamma, Lambda and X over all rows. *)
Definition masked_quadratic_mean (n : nat) (valid : nat -> bool) (x : nat -> R) : R :=
  Sum n (fun i => (if valid i then 1 else 0) * (x i * x i)) / Sum n (fun i => if valid i then 1 else 0).
Definition padded_grad (n : nat) (valid : nat -> bool) (a eps psi2 e : R) (x g : nat -> R) (i : nat) : R :=
  (g i - (1 - a) * e * (x i / sqrt (psi2 + eps))) / sqrt (masked_quadratic_mean n valid x + eps).
Definition padded_ema (n : nat) (a eps psi2 e : R) (x g : nat -> R) : R :=
  e + mean_product n (fun i => g i - (1 - a) * e * (x i / sqrt (psi2 + eps))) (fun i => x i / sqrt (psi2 + eps)).

(* C12. Not: grad_y = 0 in the padded rows gives grad_x = 0 there. Rows (1, 1), the first one padded, g = 0, a = 1/2,
   eps = 0, psi^2 = 1, e = 2: -1 in the padded row. *)
Theorem C12_padded_gradient_refuted :
  ~ (forall n valid a eps psi2 e x g i, (i < n)%nat -> valid i = false -> (forall j, valid j = false -> g j = 0) ->
     padded_grad n valid a eps psi2 e x g i = 0).
Proof.
  intros H. specialize (H 2%nat (fun i => match i with O => false | _ => true end) (1/2) 0 1 2 (fun _ => 1) (fun _ => 0)
    0%nat ltac:(lia) eq_refl ltac:(reflexivity)).
  unfold padded_grad, masked_quadratic_mean in H. simpl in H.
  replace ((0 + 0 * (1 * 1) + 1 * (1 * 1)) / (0 + 0 + 1) + 0) with 1 in H by field.
  rewrite Rplus_0_r, sqrt_1 in H. lra.
Qed.

(* C13. Not: two batches that differ in the padded rows of x alone leave the same e. Rows (0, 1) and (1, 1), the first
   one padded, g = 0, a = 1/2, eps = 0, psi^2 = 1, e = 2: 3/2 and 1. *)
Theorem C13_padded_history_refuted :
  ~ (forall n (valid : nat -> bool) a eps psi2 e x x' g, (forall i, valid i = true -> x i = x' i) ->
     padded_ema n a eps psi2 e x g = padded_ema n a eps psi2 e x' g).
Proof.
  intros H. specialize (H 2%nat (fun i => match i with O => false | _ => true end) (1/2) 0 1 2
    (fun i => match i with O => 0 | _ => 1 end) (fun _ => 1) (fun _ => 0)
    ltac:(intros [|i] K; [discriminate|reflexivity])).
  unfold padded_ema, mean_product, dot in H. simpl in H. rewrite Rplus_0_r, sqrt_1 in H. lra.
Qed.

(* C14. Padded rows overwritten by the mean of the valid ones, then statistics over all n rows: the mean is that of the
   valid rows, the variance (1 - p) times theirs, p the share of padded rows. *)
Theorem C14_overwritten_rows n (valid : nat -> bool) x : (0 < n)%nat ->
  let w := fun i => if valid i then 1 else 0 in
  let m := Sum n w in
  let mu := Sum n (fun i => w i * x i) / m in
  let v := Sum n (fun i => w i * (x i - mu)^2) / m in
  let y := fun i => if valid i then x i else mu in
  let p := 1 - m / INR n in
  0 < m -> mean n y = mu /\ variance n y = (1 - p) * v.
Proof.
  intros n_pos w m mu v y p M. pose proof (INR_pos n n_pos).
  assert (E : mean n y = mu).
  { unfold mean. transitivity ((1 * Sum n (fun i => w i * x i) + mu * Sum n (fun _ => 1) + (- mu) * Sum n w) / INR n).
    - f_equal. rewrite <- Sum_lin3. apply Sum_ext. intros i _. unfold y, w. destruct (valid i); ring.
    - rewrite Sum_const. fold m. unfold mu. field. lra. }
  split; [exact E|].
  unfold variance, quadratic_mean, dot. rewrite (Sum_ext n _ (fun i => w i * (x i - mu)^2)).
  - unfold p, v. field. lra.
  - intros i _. unfold centred. rewrite E. unfold y, w. destruct (valid i); ring.
Qed.

(* C15. After group scaling, x_ic = z_ic / sqrt(m_i + eps), m_i the mean square of the C channels of row i's group, eps > 0:
   |x_ic| <= sqrt(C), and over the channels sum_c psi_c^2 = C mean_i(m_i/(m_i + eps)) <= C. *)
Theorem C15_group_scaling n C (z : nat -> nat -> R) eps : (0 < n)%nat -> (0 < C)%nat -> 0 < eps ->
  let m := fun i => quadratic_mean C (z i) in
  let x := fun i c => z i c / sqrt (m i + eps) in
  (forall i c, (c < C)%nat -> Rabs (x i c) <= sqrt (INR C)) /\
  Sum C (fun c => quadratic_mean n (fun i => x i c)) = INR C * (Sum n (fun i => m i / (m i + eps)) / INR n) /\
  INR C * (Sum n (fun i => m i / (m i + eps)) / INR n) <= INR C.
Proof.
  intros n_pos C_pos E m x. pose proof (INR_pos n n_pos). pose proof (INR_pos C C_pos).
  assert (M : forall i, 0 <= m i) by (intros; apply quadratic_mean_nonneg, C_pos).
  assert (Sp : forall i, 0 < sqrt (m i + eps)) by (intros i; specialize (M i); apply sqrt_pos_lt; lra).
  assert (SS : forall i, sqrt (m i + eps) * sqrt (m i + eps) = m i + eps)
    by (intros i; specialize (M i); apply sqrt_sqrt; lra).
  assert (Row : forall i, dot C (z i) (z i) = INR C * m i) by (intros; unfold m, quadratic_mean; field; lra).
  assert (Square : forall i c, x i c * x i c = z i c * z i c / (m i + eps)).
  { intros i c. rewrite <- SS. specialize (Sp i). unfold x. field. lra. }
  split; [|split].
  - intros i c Hc. rewrite <- sqrt_Rsqr_abs. apply sqrt_le_1_alt. unfold Rsqr. rewrite Square.
    specialize (M i). apply div_le_of; [lra|].
    assert (z i c * z i c <= INR C * m i); [|nra].
    rewrite <- Row. unfold dot. rewrite <- (Sum_unit C (fun c => z i c * z i c) c Hc).
    apply Sum_le. intros j _. pose proof (Rle_0_sqr (z i j)) as P. unfold Rsqr in P.
    unfold unit_vector. destruct (Nat.eqb j c); lra.
  - unfold quadratic_mean, dot.
    rewrite (Sum_ext C _ (fun c => / INR n * Sum n (fun i => z i c * z i c / (m i + eps)))).
    + rewrite Sum_scal, Sum_swap.
      rewrite (Sum_ext n _ (fun i => INR C * (m i / (m i + eps)))).
      * rewrite Sum_scal. field. lra.
      * intros i _. rewrite (Sum_ext C _ (fun c => / (m i + eps) * (z i c * z i c))) by (intros; unfold Rdiv; ring).
        rewrite Sum_scal. fold (dot C (z i) (z i)). rewrite Row. unfold Rdiv. ring.
    + intros c _. unfold Rdiv. rewrite Rmult_comm. f_equal. apply Sum_ext. intros. apply Square.
  - rewrite <- (Rmult_1_r (INR C)) at 2. apply Rmult_le_compat_l; [lra|]. apply div_le_of; [lra|].
    rewrite Rmult_1_l. rewrite <- (Rmult_1_r (INR n)), <- Sum_const. apply Sum_le. intros i _. specialize (M i).
    apply div_le_of; lra.
Qed.
