(* The normalisations of one cell: of the n numbers that are normalised together, in one channel of a batch or
   in one row of features. What begins with psi divides by the root of the quadratic mean, what begins with
   sigma subtracts the mean and divides by the root of the variance. g = gamma grad_y. *)
From Coq Require Import Reals Lra Psatz Lia Arith.
From normproof Require Import sums.
Open Scope R_scope.

Definition mean (n : nat) (x : nat -> R) : R := Sum n x / INR n.
Definition quadratic_mean (n : nat) (x : nat -> R) : R := dot n x x / INR n.
Definition centred (n : nat) (x : nat -> R) (i : nat) : R := x i - mean n x.
Definition variance (n : nat) (x : nat -> R) : R := quadratic_mean n (centred n x).

(* PN-V along the batch, RMSNorm along the features *)
Definition psi_s (n : nat) (x : nat -> R) (eps : R) : R := sqrt (quadratic_mean n x + eps).
Definition psi_hat (n : nat) (x : nat -> R) (eps : R) (i : nat) : R := x i / psi_s n x eps.
Definition psi_grad (n : nat) (x g : nat -> R) (eps : R) (i : nat) : R :=
  (g i - psi_hat n x eps i * (dot n g (psi_hat n x eps) / INR n)) / psi_s n x eps.

(* BatchNorm along the batch, LayerNorm along the features *)
Definition sigma_s (n : nat) (x : nat -> R) (eps : R) : R := sqrt (variance n x + eps).
Definition sigma_hat (n : nat) (x : nat -> R) (eps : R) (i : nat) : R := centred n x i / sigma_s n x eps.
Definition sigma_grad (n : nat) (x g : nat -> R) (eps : R) (i : nat) : R :=
  (g i - mean n g - sigma_hat n x eps i * (dot n g (sigma_hat n x eps) / INR n)) / sigma_s n x eps.

Lemma quadratic_mean_nonneg n x : (0 < n)%nat -> 0 <= quadratic_mean n x.
Proof. intros H. apply div_nonneg; [apply dot_nonneg|apply INR_pos, H]. Qed.
Lemma variance_nonneg n x : (0 < n)%nat -> 0 <= variance n x.
Proof. apply quadratic_mean_nonneg. Qed.
Lemma Sum_centred n x : (0 < n)%nat -> Sum n (centred n x) = 0.
Proof.
  intros H. pose proof (INR_pos n H). unfold centred, mean. rewrite Sum_minus, Sum_const. field. lra.
Qed.

(* what is true of both, in terms of the vector u that is divided by s: u = x, or x - mean *)
Section OneCell.
Variable n : nat.
Hypothesis n_pos : (0 < n)%nat.
Variables x g : nat -> R.
Variable eps : R.

Lemma psi_s_pos : 0 < quadratic_mean n x + eps -> 0 < psi_s n x eps.
Proof. apply sqrt_pos_lt. Qed.
Lemma psi_s_square : 0 < quadratic_mean n x + eps -> psi_s n x eps * psi_s n x eps = quadratic_mean n x + eps.
Proof. intros. apply sqrt_sqrt. lra. Qed.
Lemma sigma_s_pos : 0 < variance n x + eps -> 0 < sigma_s n x eps.
Proof. apply sqrt_pos_lt. Qed.
Lemma sigma_s_square : 0 < variance n x + eps -> sigma_s n x eps * sigma_s n x eps = variance n x + eps.
Proof. intros. apply sqrt_sqrt. lra. Qed.

(* <x_hat, x_hat> = n Gamma *)
Lemma psi_hat_square : 0 < quadratic_mean n x + eps ->
  dot n (psi_hat n x eps) (psi_hat n x eps) = INR n * (quadratic_mean n x / (quadratic_mean n x + eps)).
Proof.
  intros P. pose proof (INR_pos n n_pos). pose proof (psi_s_pos P).
  transitivity (/ (psi_s n x eps * psi_s n x eps) * dot n x x).
  - unfold dot. rewrite <- Sum_scal. apply Sum_ext. intros. unfold psi_hat. field. lra.
  - rewrite psi_s_square by exact P. replace (dot n x x) with (INR n * quadratic_mean n x).
    + field. lra.
    + unfold quadratic_mean. field. lra.
Qed.
Lemma sigma_hat_square : 0 < variance n x + eps ->
  dot n (sigma_hat n x eps) (sigma_hat n x eps) = INR n * (variance n x / (variance n x + eps)).
Proof.
  intros P. pose proof (INR_pos n n_pos). pose proof (sigma_s_pos P).
  transitivity (/ (sigma_s n x eps * sigma_s n x eps) * dot n (centred n x) (centred n x)).
  - unfold dot. rewrite <- Sum_scal. apply Sum_ext. intros. unfold sigma_hat. field. lra.
  - rewrite sigma_s_square by exact P.
    replace (dot n (centred n x) (centred n x)) with (INR n * variance n x).
    + field. lra.
    + unfold variance, quadratic_mean. field. lra.
Qed.
Lemma Sum_sigma_hat : Sum n (sigma_hat n x eps) = 0.
Proof.
  rewrite (Sum_ext n _ (fun i => / sigma_s n x eps * centred n x i)) by (intros; unfold sigma_hat, Rdiv; ring).
  rewrite Sum_scal, Sum_centred by exact n_pos. ring.
Qed.
End OneCell.
