(* B1 to B5: what the backwards do to the length of a gradient, to its sum and to its part along x. *)
From Coq Require Import Reals Lra Psatz Lia Arith.
From normproof Require Import sums layers.
Open Scope R_scope.

Section Identities.
Variable n : nat.
Hypothesis n_pos : (0 < n)%nat.
Variables x g : nat -> R.
Variable eps : R.

(* B1. For every n, x, g with psi^2 + eps > 0:
   ||grad_x||^2 = (1/s^2) (||g||^2 - (2 - Gamma) <g, x_hat>^2 / n), s^2 = psi^2 + eps, Gamma = psi^2 / s^2. *)
Theorem B1_norm_of_the_gradient : 0 < quadratic_mean n x + eps ->
  let x_hat := psi_hat n x eps in
  let s2 := quadratic_mean n x + eps in
  let Gamma := quadratic_mean n x / s2 in
  dot n (psi_grad n x g eps) (psi_grad n x g eps)
  = / s2 * (dot n g g - (2 - Gamma) * (dot n g x_hat)^2 / INR n).
Proof.
  intros P x_hat s2 Gamma. pose proof (INR_pos n n_pos). pose proof (psi_s_pos n x eps P).
  set (c := dot n g x_hat / INR n).
  transitivity (dot n (fun i => / psi_s n x eps * g i + (- c / psi_s n x eps) * x_hat i)
                      (fun i => / psi_s n x eps * g i + (- c / psi_s n x eps) * x_hat i)).
  - apply dot_ext; intros; unfold psi_grad, c, x_hat; field; lra.
  - rewrite dot_square. unfold x_hat at 2 3. rewrite psi_hat_square by assumption.
    fold s2. fold Gamma. unfold s2. rewrite <- psi_s_square by exact P. unfold c. field. lra.
Qed.

(* B2. For every n, x, g with sigma^2 + eps > 0:
   ||grad_x||^2 = (1/s^2) (||g||^2 - <1, g>^2 / n - (2 - Gamma) <g, x_hat>^2 / n), s^2 = sigma^2 + eps,
   Gamma = sigma^2 / s^2. *)
Theorem B2_norm_of_the_gradient : 0 < variance n x + eps ->
  let x_hat := sigma_hat n x eps in
  let s2 := variance n x + eps in
  let Gamma := variance n x / s2 in
  dot n (sigma_grad n x g eps) (sigma_grad n x g eps)
  = / s2 * (dot n g g - (Sum n g)^2 / INR n - (2 - Gamma) * (dot n g x_hat)^2 / INR n).
Proof.
  intros P x_hat s2 Gamma. pose proof (INR_pos n n_pos). pose proof (sigma_s_pos n x eps P).
  set (c := dot n g x_hat / INR n). set (h := fun i => g i - mean n g).
  transitivity (dot n (fun i => / sigma_s n x eps * h i + (- c / sigma_s n x eps) * x_hat i)
                      (fun i => / sigma_s n x eps * h i + (- c / sigma_s n x eps) * x_hat i)).
  - apply dot_ext; intros; unfold sigma_grad, c, x_hat, h; field; lra.
  - rewrite dot_square.
    assert (E1 : dot n h h = dot n g g - (Sum n g)^2 / INR n).
    { transitivity (1 * dot n g g + (-2 * mean n g) * Sum n g + (mean n g)^2 * Sum n (fun _ => 1)).
      - unfold dot. rewrite <- Sum_lin3. apply Sum_ext. intros. unfold h. ring.
      - rewrite Sum_const. unfold mean. field. lra. }
    assert (E2 : dot n h x_hat = dot n g x_hat).
    { transitivity (1 * dot n g x_hat + (- mean n g) * Sum n x_hat).
      - unfold dot. rewrite <- Sum_lin2. apply Sum_ext. intros. unfold h. ring.
      - unfold x_hat. rewrite Sum_sigma_hat by exact n_pos. ring. }
    rewrite E1, E2. unfold x_hat at 2 3. rewrite sigma_hat_square by assumption.
    fold s2. fold Gamma. unfold s2. rewrite <- sigma_s_square by exact P. unfold c. field. lra.
Qed.

(* B3. For every n, x, g with psi^2 + eps > 0: <grad_x, x> = <g, x_hat> eps / (psi^2 + eps), so that it is zero
   at eps = 0, and at another eps only where <g, x_hat> = 0. *)
Theorem B3_part_along_x : 0 < quadratic_mean n x + eps ->
  dot n (psi_grad n x g eps) x = dot n g (psi_hat n x eps) * eps / (quadratic_mean n x + eps)
  /\ (dot n g (psi_hat n x eps) <> 0 -> (dot n (psi_grad n x g eps) x = 0 <-> eps = 0)).
Proof.
  intros P. pose proof (INR_pos n n_pos). pose proof (psi_s_pos n x eps P).
  assert (E : dot n (psi_grad n x g eps) x = dot n g (psi_hat n x eps) * eps / (quadratic_mean n x + eps)).
  { set (c := dot n g (psi_hat n x eps) / INR n).
    transitivity (1 * dot n g (psi_hat n x eps) + (- c) * dot n (psi_hat n x eps) (psi_hat n x eps)).
    - unfold dot. rewrite <- Sum_lin2. apply Sum_ext. intros. unfold psi_grad. fold c. unfold psi_hat. field. lra.
    - rewrite psi_hat_square by assumption. unfold c. field. lra. }
  split; [exact E|]. intros NZ. rewrite E. split; intros Z.
  - apply (f_equal (fun v => v * (quadratic_mean n x + eps))) in Z. unfold Rdiv in Z.
    rewrite Rmult_assoc, Rinv_l, Rmult_0_l, Rmult_1_r in Z by lra.
    apply Rmult_integral in Z. destruct Z; [contradiction|assumption].
  - rewrite Z. unfold Rdiv. ring.
Qed.

(* B4. For every n, x, g and every eps with sigma^2 + eps > 0: sum_i grad_x_i = 0. *)
Theorem B4_gradient_sums_to_zero : 0 < variance n x + eps -> Sum n (sigma_grad n x g eps) = 0.
Proof.
  intros P. pose proof (INR_pos n n_pos). pose proof (sigma_s_pos n x eps P).
  set (c := dot n g (sigma_hat n x eps) / INR n). set (s := sigma_s n x eps) in *.
  transitivity (/ s * Sum n g + (- mean n g / s) * Sum n (fun _ => 1) + (- c / s) * Sum n (sigma_hat n x eps)).
  - rewrite <- Sum_lin3. apply Sum_ext. intros. unfold sigma_grad. fold c s. field. lra.
  - rewrite Sum_sigma_hat by exact n_pos. rewrite Sum_const. unfold mean. field. lra.
Qed.

(* B5. For every n and x: psi^2 = mu^2 + sigma^2. *)
Theorem B5_quadratic_mean : quadratic_mean n x = (mean n x)^2 + variance n x.
Proof.
  pose proof (INR_pos n n_pos).
  assert (E : dot n (centred n x) (centred n x) = dot n x x - INR n * (mean n x)^2).
  { transitivity (1 * dot n x x + (-2 * mean n x) * Sum n x + (mean n x)^2 * Sum n (fun _ => 1)).
    - unfold dot. rewrite <- Sum_lin3. apply Sum_ext. intros. unfold centred. ring.
    - rewrite Sum_const. unfold mean. field. lra. }
  unfold variance, quadratic_mean. rewrite E. field. lra.
Qed.
End Identities.
