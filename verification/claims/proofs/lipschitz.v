(* B6 to B18: the Jacobians at eps = 0 as projectors, Lipschitz constants, PN-V against BatchNorm, and the premises
   of published comparisons. b bounds the square of an operator norm where ||J g||^2 <= b ||g||^2 for every g. *)
From Coq Require Import Reals Lra Psatz Lia Arith.
From Coquelicot Require Import Coquelicot.
From normproof Require Import sums layers identities.
Open Scope R_scope.

(* g - z mean(g) - u <g, u>/n: what both backwards are at eps = 0, times s; z = 1 where the mean is subtracted. *)
Section Projector.
Variable n : nat.
Hypothesis n_pos : (0 < n)%nat.
Variable u : nat -> R.
Variable z : R.
Hypothesis u_u : dot n u u = INR n.
Hypothesis z_u : z * Sum n u = 0.
Hypothesis z_z : z * z = z.
Definition removed (g : nat -> R) (i : nat) : R := g i - z * mean n g - u i * (dot n g u / INR n).

Lemma dot_removed g h :
  dot n (removed g) h = dot n g h - z * Sum n g * Sum n h / INR n - dot n g u * dot n h u / INR n.
Proof.
  pose proof (INR_pos n n_pos).
  transitivity (1 * dot n g h + (- z * mean n g) * Sum n h + (- (dot n g u / INR n)) * dot n h u).
  - unfold dot at 1 2 4. rewrite <- Sum_lin3. apply Sum_ext. intros. unfold removed. ring.
  - unfold mean. field. lra.
Qed.
Lemma removed_symmetric g h : dot n (removed g) h = dot n g (removed h).
Proof. rewrite (dot_comm n g (removed h)), !dot_removed, (dot_comm n h g). unfold Rdiv. ring. Qed.
Lemma removed_along_u g : dot n (removed g) u = 0.
Proof.
  pose proof (INR_pos n n_pos). rewrite dot_removed, u_u.
  replace (z * Sum n g * Sum n u / INR n) with (z * Sum n u * Sum n g / INR n) by (unfold Rdiv; ring).
  rewrite z_u. field. lra.
Qed.
Lemma Sum_removed g : z * Sum n (removed g) = 0.
Proof.
  pose proof (INR_pos n n_pos).
  assert (E : Sum n (removed g) = Sum n g - z * Sum n g - dot n g u / INR n * Sum n u).
  { transitivity (1 * Sum n g + (- z * mean n g) * Sum n (fun _ => 1) + (- (dot n g u / INR n)) * Sum n u).
    - rewrite <- Sum_lin3. apply Sum_ext. intros. unfold removed. ring.
    - rewrite Sum_const. unfold mean. field. lra. }
  rewrite E.
  replace (z * (Sum n g - z * Sum n g - dot n g u / INR n * Sum n u))
    with (z * Sum n g - z * z * Sum n g - dot n g u / INR n * (z * Sum n u)) by ring.
  rewrite z_u, z_z. ring.
Qed.
Lemma removed_twice g i : removed (removed g) i = removed g i.
Proof.
  unfold removed at 1. rewrite removed_along_u. unfold mean.
  replace (z * (Sum n (removed g) / INR n)) with (z * Sum n (removed g) / INR n) by (unfold Rdiv; ring).
  rewrite Sum_removed. unfold Rdiv. ring.
Qed.
Lemma removed_ext g h i : (forall j, (j < n)%nat -> g j = h j) -> (i < n)%nat -> removed g i = removed h i.
Proof.
  intros E Hi. unfold removed, mean. rewrite (Sum_ext n g h E), (dot_ext n g u h u E) by auto.
  rewrite E by exact Hi. reflexivity.
Qed.
Lemma removed_u i : (i < n)%nat -> removed u i = 0.
Proof.
  intros Hi. pose proof (INR_pos n n_pos). unfold removed. rewrite u_u. unfold mean.
  replace (z * (Sum n u / INR n)) with (z * Sum n u / INR n) by (unfold Rdiv; ring). rewrite z_u. field. lra.
Qed.
Lemma removed_trace : Sum n (fun k => removed (unit_vector k) k) = INR n - 1 - z.
Proof.
  pose proof (INR_pos n n_pos).
  transitivity (Sum n (fun k => (1 - z / INR n) + (- / INR n) * (u k * u k))).
  - apply Sum_ext. intros k Hk. unfold removed, mean.
    replace (Sum n (unit_vector k)) with 1.
    + rewrite dot_comm, dot_unit, unit_same by exact Hk. field. lra.
    + symmetry. rewrite <- (Sum_unit n (fun _ => 1) k Hk). apply Sum_ext. intros. ring.
  - rewrite Sum_plus, Sum_const, Sum_scal. fold (dot n u u). rewrite u_u. field. lra.
Qed.
End Projector.

Section OneChannel.
Variable n : nat.
Hypothesis n_pos : (0 < n)%nat.
Variable x : nat -> R.
Let N_pos := INR_pos n n_pos.

Lemma psi_hat_length : 0 < quadratic_mean n x -> dot n (psi_hat n x 0) (psi_hat n x 0) = INR n.
Proof. intros P. rewrite psi_hat_square by (auto; lra). field. lra. Qed.
Lemma sigma_hat_length : 0 < variance n x -> dot n (sigma_hat n x 0) (sigma_hat n x 0) = INR n.
Proof. intros P. rewrite sigma_hat_square by (auto; lra). field. lra. Qed.
Lemma psi_removed g i : 0 < quadratic_mean n x ->
  psi_s n x 0 * psi_grad n x g 0 i = removed n (psi_hat n x 0) 0 g i.
Proof. intros P. pose proof (psi_s_pos n x 0 ltac:(lra)). unfold psi_grad, removed. field. lra. Qed.
Lemma sigma_removed g i : 0 < variance n x ->
  sigma_s n x 0 * sigma_grad n x g 0 i = removed n (sigma_hat n x 0) 1 g i.
Proof. intros P. pose proof (sigma_s_pos n x 0 ltac:(lra)). unfold sigma_grad, removed. field. lra. Qed.

(* B6. For every n and x with psi > 0, eps = 0: P g = psi grad_x is symmetric, P P = P, P x_hat = 0, trace P = n - 1:
   an orthogonal projector of rank n - 1 that removes x_hat (PN-V along the batch, RMSNorm along the features). *)
Theorem B6_psi_projector : 0 < quadratic_mean n x ->
  let P := fun g i => psi_s n x 0 * psi_grad n x g 0 i in
  (forall g h, dot n (P g) h = dot n g (P h)) /\
  (forall g i, (i < n)%nat -> P (P g) i = P g i) /\
  (forall i, (i < n)%nat -> P (psi_hat n x 0) i = 0) /\
  Sum n (fun k => P (unit_vector k) k) = INR n - 1.
Proof.
  intros H P. set (u := psi_hat n x 0).
  assert (U : dot n u u = INR n) by (apply psi_hat_length, H).
  assert (Z : 0 * Sum n u = 0) by ring. assert (ZZ : 0 * 0 = 0) by ring.
  assert (E : forall g i, P g i = removed n u 0 g i) by (intros; apply psi_removed, H).
  repeat split.
  - intros g h. rewrite (dot_ext n (P g) h (removed n u 0 g) h), (dot_ext n g (P h) g (removed n u 0 h))
      by (intros; auto). apply removed_symmetric, n_pos.
  - intros g i Hi. rewrite !E.
    transitivity (removed n u 0 (removed n u 0 g) i); [|apply removed_twice; assumption].
    apply removed_ext; auto.
  - intros i Hi. rewrite E. apply removed_u; assumption.
  - rewrite (Sum_ext n _ (fun k => removed n u 0 (unit_vector k) k)) by (intros; apply E).
    rewrite removed_trace by assumption. ring.
Qed.
(* B6. For every n and x with sigma > 0, eps = 0: P g = sigma grad_x is symmetric, P P = P, P 1 = 0, P x_hat = 0,
   trace P = n - 2: an orthogonal projector of rank n - 2 that removes 1 and x_hat (BatchNorm, LayerNorm). *)
Theorem B6_sigma_projector : 0 < variance n x ->
  let P := fun g i => sigma_s n x 0 * sigma_grad n x g 0 i in
  (forall g h, dot n (P g) h = dot n g (P h)) /\
  (forall g i, (i < n)%nat -> P (P g) i = P g i) /\
  (forall i, (i < n)%nat -> P (fun _ => 1) i = 0) /\
  (forall i, (i < n)%nat -> P (sigma_hat n x 0) i = 0) /\
  Sum n (fun k => P (unit_vector k) k) = INR n - 2.
Proof.
  intros H P. set (u := sigma_hat n x 0).
  assert (U : dot n u u = INR n) by (apply sigma_hat_length, H).
  assert (S0 : Sum n u = 0) by (apply Sum_sigma_hat, n_pos).
  assert (Z : 1 * Sum n u = 0) by (rewrite S0; ring). assert (ZZ : 1 * 1 = 1) by ring.
  assert (E : forall g i, P g i = removed n u 1 g i) by (intros; apply sigma_removed, H).
  repeat split.
  - intros g h. rewrite (dot_ext n (P g) h (removed n u 1 g) h), (dot_ext n g (P h) g (removed n u 1 h))
      by (intros; auto). apply removed_symmetric, n_pos.
  - intros g i Hi. rewrite !E.
    transitivity (removed n u 1 (removed n u 1 g) i); [|apply removed_twice; assumption].
    apply removed_ext; auto.
  - intros i Hi. rewrite E. unfold removed, mean. rewrite Sum_const.
    replace (dot n (fun _ => 1) u) with (Sum n u) by (apply Sum_ext; intros; ring).
    rewrite S0. field. lra.
  - intros i Hi. rewrite E. apply removed_u; assumption.
  - rewrite (Sum_ext n _ (fun k => removed n u 1 (unit_vector k) k)) by (intros; apply E).
    rewrite removed_trace by assumption. ring.
Qed.

(* the two lengths at eps = 0 *)
Lemma psi_length g : 0 < quadratic_mean n x ->
  dot n (psi_grad n x g 0) (psi_grad n x g 0)
  = (dot n g g - (dot n g x)^2 / (INR n * quadratic_mean n x)) / quadratic_mean n x.
Proof.
  intros P. rewrite B1_norm_of_the_gradient by (auto; lra).
  assert (E : (dot n g (psi_hat n x 0))^2 = (dot n g x)^2 / quadratic_mean n x).
  { pose proof (psi_s_pos n x 0 ltac:(lra)). pose proof (psi_s_square n x 0 ltac:(lra)) as SS.
    replace (dot n g (psi_hat n x 0)) with (/ psi_s n x 0 * dot n g x)
      by (unfold dot; rewrite <- Sum_scal; apply Sum_ext; intros; unfold psi_hat; field; lra).
    replace (quadratic_mean n x) with (psi_s n x 0 * psi_s n x 0) by lra. field. lra. }
  rewrite E. replace (quadratic_mean n x + 0) with (quadratic_mean n x) by ring. field. lra.
Qed.
Lemma sigma_length g : 0 < variance n x ->
  dot n (sigma_grad n x g 0) (sigma_grad n x g 0)
  = (dot n g g - (Sum n g)^2 / INR n - (dot n g (centred n x))^2 / (INR n * variance n x)) / variance n x.
Proof.
  intros P. rewrite B2_norm_of_the_gradient by (auto; lra).
  assert (E : (dot n g (sigma_hat n x 0))^2 = (dot n g (centred n x))^2 / variance n x).
  { pose proof (sigma_s_pos n x 0 ltac:(lra)). pose proof (sigma_s_square n x 0 ltac:(lra)) as SS.
    replace (dot n g (sigma_hat n x 0)) with (/ sigma_s n x 0 * dot n g (centred n x))
      by (unfold dot; rewrite <- Sum_scal; apply Sum_ext; intros; unfold sigma_hat; field; lra).
    replace (variance n x) with (sigma_s n x 0 * sigma_s n x 0) by lra. field. lra. }
  rewrite E. replace (variance n x + 0) with (variance n x) by ring. field. lra.
Qed.
Lemma psi_at_most g : 0 < quadratic_mean n x ->
  dot n (psi_grad n x g 0) (psi_grad n x g 0) <= / quadratic_mean n x * dot n g g.
Proof.
  intros P. rewrite psi_length by exact P.
  replace (/ quadratic_mean n x * dot n g g) with (dot n g g / quadratic_mean n x) by (unfold Rdiv; ring).
  apply div_le; [exact P|].
  pose proof (div_nonneg ((dot n g x)^2) (INR n * quadratic_mean n x) ltac:(apply pow2_ge_0) ltac:(nra)). lra.
Qed.
Lemma sigma_at_most g : 0 < variance n x ->
  dot n (sigma_grad n x g 0) (sigma_grad n x g 0) <= / variance n x * dot n g g.
Proof.
  intros P. rewrite sigma_length by exact P.
  replace (/ variance n x * dot n g g) with (dot n g g / variance n x) by (unfold Rdiv; ring).
  apply div_le; [exact P|].
  pose proof (div_nonneg ((dot n g (centred n x))^2) (INR n * variance n x) ltac:(apply pow2_ge_0) ltac:(nra)).
  pose proof (div_nonneg ((Sum n g)^2) (INR n) ltac:(apply pow2_ge_0) N_pos). lra.
Qed.
Lemma dot_g_x g : dot n g x = mean n x * Sum n g + dot n g (centred n x).
Proof.
  unfold dot. rewrite <- Sum_scal, <- Sum_plus. apply Sum_ext. intros. unfold centred. ring.
Qed.
Lemma quadratic_mean_pos : 0 < variance n x -> 0 < quadratic_mean n x.
Proof. intros P. rewrite B5_quadratic_mean by exact n_pos. nra. Qed.
End OneChannel.

(* a vector orthogonal to 1 and to x, for n >= 3 *)
Lemma orthogonal_vector n x : (3 <= n)%nat -> exists g, Sum n g = 0 /\ dot n g x = 0 /\ 0 < dot n g g.
Proof.
  intros Hn. destruct n as [|[|[|k]]]; try lia.
  assert (Tail : forall f : nat -> R, (forall i, f (S (S (S i))) = 0) ->
    Sum (S (S (S k))) f = f 0%nat + f 1%nat + f 2%nat).
  { intros f Hf. rewrite !Sum_head. rewrite (Sum_zero k) by auto. ring. }
  set (a := x 1%nat - x 2%nat). set (b := x 2%nat - x 0%nat). set (c := x 0%nat - x 1%nat).
  destruct (Req_dec (a^2 + b^2 + c^2) 0) as [Z|Z].
  - set (g := fun i : nat => match i with 0%nat => 1 | 1%nat => -1 | _ => 0 end).
    assert (c = 0) by nra.
    exists g. unfold dot. rewrite !Tail by (intros; simpl; ring). simpl. unfold c in *. repeat split; lra.
  - set (g := fun i : nat => match i with 0%nat => a | 1%nat => b | 2%nat => c | _ => 0 end).
    exists g. unfold dot. rewrite !Tail by (intros; simpl; ring). simpl.
    split; [unfold a, b, c; ring|]. split; [unfold a, b, c; ring|].
    assert (0 <= a^2 + b^2 + c^2) by nra. lra.
Qed.
Lemma scaled_length n c u : dot n (fun i => c * u i) (fun i => c * u i) = c^2 * dot n u u.
Proof. unfold dot. rewrite <- Sum_scal. apply Sum_ext. intros. ring. Qed.

(* B7. For every n >= 3 and x with sigma > 0, eps = 0: ||grad_x||^2 <= (gamma/psi)^2 ||grad_y||^2 for PN-V and
   <= (gamma/sigma)^2 ||grad_y||^2 for BN, both with equality at one grad_y other than 0; and 1/psi <= 1/sigma,
   with equality where and only where mu = 0. *)
Theorem B7_lipschitz_constants n x gamma : (3 <= n)%nat -> 0 < variance n x ->
  let PN := fun grad_y => let g := psi_grad n x (fun i => gamma * grad_y i) 0 in dot n g g in
  let BN := fun grad_y => let g := sigma_grad n x (fun i => gamma * grad_y i) 0 in dot n g g in
  (forall grad_y, PN grad_y <= gamma^2 / quadratic_mean n x * dot n grad_y grad_y) /\
  (forall grad_y, BN grad_y <= gamma^2 / variance n x * dot n grad_y grad_y) /\
  (exists grad_y, 0 < dot n grad_y grad_y /\ PN grad_y = gamma^2 / quadratic_mean n x * dot n grad_y grad_y
     /\ BN grad_y = gamma^2 / variance n x * dot n grad_y grad_y) /\
  / sqrt (quadratic_mean n x) <= / sqrt (variance n x) /\
  (/ sqrt (quadratic_mean n x) = / sqrt (variance n x) <-> mean n x = 0).
Proof.
  intros Hn V PN BN. assert (n_pos : (0 < n)%nat) by lia.
  pose proof (quadratic_mean_pos n n_pos x V) as Q. pose proof (B5_quadratic_mean n n_pos x) as E.
  pose proof (INR_pos n n_pos).
  split; [|split; [|split; [|split]]].
  - intros dy. unfold PN. eapply Rle_trans; [apply psi_at_most; assumption|]. rewrite scaled_length. right. field. lra.
  - intros dy. unfold BN. eapply Rle_trans; [apply sigma_at_most; assumption|]. rewrite scaled_length. right. field. lra.
  - destruct (orthogonal_vector n x Hn) as (g & S0 & X0 & G). exists g. split; [exact G|].
    pose proof (dot_g_x n x g) as D. rewrite S0, X0 in D.
    assert (C0 : dot n g (centred n x) = 0) by lra.
    unfold PN, BN. rewrite psi_length, sigma_length by assumption. rewrite scaled_length, Sum_scal, !dot_scal_l.
    rewrite S0, X0, C0. split; field; lra.
  - apply Rinv_le_contravar; [apply sqrt_pos_lt, V|apply sqrt_le_1_alt; nra].
  - pose proof (sqrt_pos_lt _ V). pose proof (sqrt_pos_lt _ Q).
    split; intros K.
    + assert (R : sqrt (quadratic_mean n x) = sqrt (variance n x)).
      { apply (f_equal Rinv) in K. rewrite !Rinv_inv in K. exact K. }
      apply sqrt_inj in R; [nra|lra|lra].
    + f_equal. f_equal. rewrite E, K. ring.
Qed.

(* vectors of two, three and four elements *)
Definition list_of (values : list R) (i : nat) : R := List.nth i values 0.
Ltac compute_sums := unfold quadratic_mean, variance, quadratic_mean, centred, mean, dot, list_of; simpl.

(* B8. Not: for two rows each bound of BN's operator norm is one of PN-V's. x = (0, 1): BN's is 0, and PN-V takes
   g = (1, 0) to the squared length 2. *)
Theorem B8_two_rows_refuted :
  ~ (forall x b, x 0%nat <> x 1%nat ->
     (forall g, dot 2 (sigma_grad 2 x g 0) (sigma_grad 2 x g 0) <= b * dot 2 g g) ->
     (forall g, dot 2 (psi_grad 2 x g 0) (psi_grad 2 x g 0) <= b * dot 2 g g)).
Proof.
  intros H. set (x := list_of (0 :: 1 :: nil)).
  assert (V : variance 2 x = 1/4) by (unfold x; compute_sums; field).
  assert (Q : quadratic_mean 2 x = 1/2) by (unfold x; compute_sums; field).
  specialize (H x 0 ltac:(unfold x, list_of; simpl; lra)).
  assert (B : forall g, dot 2 (sigma_grad 2 x g 0) (sigma_grad 2 x g 0) <= 0 * dot 2 g g).
  { intros g. rewrite sigma_length by (try lia; lra). rewrite V. unfold x; compute_sums. right. field. }
  specialize (H B (list_of (1 :: 0 :: nil))).
  rewrite psi_length in H by (try lia; lra). rewrite Q in H. unfold x in H. revert H. compute_sums. lra.
Qed.

(* B9. Not: ||grad_x PN-V|| <= ||grad_x BN|| for the same g. x = (1, 0, 0), g = (0, 0, 1): squares 3 and 9/4. *)
Theorem B9_same_gradient_refuted :
  ~ (forall n x g, (3 <= n)%nat -> 0 < variance n x ->
     dot n (psi_grad n x g 0) (psi_grad n x g 0) <= dot n (sigma_grad n x g 0) (sigma_grad n x g 0)).
Proof.
  intros H. set (x := list_of (1 :: 0 :: 0 :: nil)).
  assert (V : variance 3 x = 2/9) by (unfold x; compute_sums; field).
  assert (Q : quadratic_mean 3 x = 1/3) by (unfold x; compute_sums; field).
  specialize (H 3%nat x (list_of (0 :: 0 :: 1 :: nil)) ltac:(lia) ltac:(lra)).
  rewrite psi_length, sigma_length in H by (try lia; lra). rewrite V, Q in H. unfold x in H.
  revert H. compute_sums. lra.
Qed.

(* B10. For every n and x with sigma > 0, eps = 0, a = <g, 1>/sqrt(n), b = <g, x_hat_BN>/sqrt(n), r = ||g||^2 - a^2 -
   b^2: psi^4 sigma^2 (||PN-V||^2 - ||BN||^2) = gamma^2 (sigma^2 (sigma a - mu b)^2 - r mu^2 psi^2); for gamma <> 0
   therefore PN-V <= BN if and only if sigma^2 (sigma a - mu b)^2 <= r mu^2 psi^2. *)
Theorem B10_criterion n x g gamma : (0 < n)%nat -> 0 < variance n x ->
  let psi2 := quadratic_mean n x in let sigma := sqrt (variance n x) in let mu := mean n x in
  let a := Sum n g / sqrt (INR n) in let b := dot n g (sigma_hat n x 0) / sqrt (INR n) in
  let r := dot n g g - a^2 - b^2 in
  let PN := let v := psi_grad n x (fun i => gamma * g i) 0 in dot n v v in
  let BN := let v := sigma_grad n x (fun i => gamma * g i) 0 in dot n v v in
  psi2^2 * sigma^2 * (PN - BN) = gamma^2 * (sigma^2 * (sigma * a - mu * b)^2 - r * mu^2 * psi2) /\
  (gamma <> 0 -> (PN <= BN <-> sigma^2 * (sigma * a - mu * b)^2 <= r * mu^2 * psi2)).
Proof.
  intros n_pos V psi2 sigma mu a b r PN BN.
  pose proof (quadratic_mean_pos n n_pos x V) as Q. fold psi2 in Q.
  pose proof (INR_pos n n_pos) as NP. pose proof (sqrt_pos_lt _ NP) as NQ. pose proof (sqrt_sqrt _ (Rlt_le _ _ NP)) as NN.
  assert (SP : 0 < sigma) by (apply sqrt_pos_lt, V).
  assert (SS : variance n x = sigma * sigma) by (symmetry; apply sqrt_sqrt; lra).
  assert (EP : psi2 = mu^2 + sigma * sigma) by (rewrite <- SS; apply B5_quadratic_mean, n_pos).
  assert (EA : Sum n g = a * sqrt (INR n)) by (unfold a; field; lra).
  assert (EB : dot n g (centred n x) = b * sqrt (INR n) * sigma).
  { assert (dot n g (sigma_hat n x 0) = / sigma * dot n g (centred n x)) as K.
    { unfold dot. rewrite <- Sum_scal. apply Sum_ext. intros. unfold sigma_hat, sigma_s. rewrite Rplus_0_r.
      fold sigma. field. lra. }
    unfold b. rewrite K. field. lra. }
  assert (Main : psi2^2 * sigma^2 * (PN - BN) = gamma^2 * (sigma^2 * (sigma * a - mu * b)^2 - r * mu^2 * psi2)).
  { unfold PN, BN. rewrite psi_length, sigma_length by assumption.
    rewrite scaled_length, Sum_scal, !dot_scal_l, (dot_g_x n x g). fold psi2 mu. rewrite EA, EB, SS.
    set (q := sqrt (INR n)) in *. rewrite <- NN. set (G := dot n g g). unfold r. fold G. rewrite EP. field.
    rewrite EP in Q. repeat split; nra. }
  split; [exact Main|]. intros NZ.
  assert (K : 0 < psi2^2 * sigma^2) by (apply Rmult_lt_0_compat; apply pow_lt; assumption).
  assert (G2 : 0 < gamma^2) by (pose proof (Rsqr_pos_lt gamma NZ) as K2; unfold Rsqr in K2; lra).
  clearbody PN BN. set (W := sigma^2 * (sigma * a - mu * b)^2) in *. set (Z := r * mu^2 * psi2) in *.
  split; intros L; apply Rnot_lt_le; intros F; nra.
Qed.

(* B11. Not: ||grad_x PN-V|| <= ||grad_x BN|| where mu = 0 and g is constant. x = (0, 1, 0, -1), g = (1, 1, 1, 1):
   squares 8 and 0. *)
Theorem B11_mirrored_batch_refuted :
  ~ (forall n x t, 0 < variance n x -> mean n x = 0 -> t <> 0 ->
     let g := fun _ => t in
     dot n (psi_grad n x g 0) (psi_grad n x g 0) <= dot n (sigma_grad n x g 0) (sigma_grad n x g 0)).
Proof.
  intros H. set (x := list_of (0 :: 1 :: 0 :: -1 :: nil)).
  assert (V : variance 4 x = 1/2) by (unfold x; compute_sums; field).
  assert (Q : quadratic_mean 4 x = 1/2) by (unfold x; compute_sums; field).
  specialize (H 4%nat x 1 ltac:(lra) ltac:(unfold x; compute_sums; field) ltac:(lra)).
  cbv zeta in H. rewrite psi_length, sigma_length in H by (try lia; lra). rewrite V, Q in H. unfold x in H.
  revert H. compute_sums. lra.
Qed.

(* B12. For every n >= 3 and x with sigma > 0, eps = 0: the sum over an orthonormal basis of g, which is the mean over
   isotropic g with E g_i^2 = 1, is (n - 1)/psi^2 for ||PN-V||^2 and (n - 2)/sigma^2 for ||BN||^2; the first is smaller
   if and only if (mu/sigma)^2 > 1/(n - 2). *)
Theorem B12_on_average n x : (3 <= n)%nat -> 0 < variance n x ->
  let PN := Sum n (fun k => let v := psi_grad n x (unit_vector k) 0 in dot n v v) in
  let BN := Sum n (fun k => let v := sigma_grad n x (unit_vector k) 0 in dot n v v) in
  PN = (INR n - 1) / quadratic_mean n x /\ BN = (INR n - 2) / variance n x /\
  (PN < BN <-> 1 / (INR n - 2) < (mean n x)^2 / variance n x).
Proof.
  intros Hn V PN BN. assert (n_pos : (0 < n)%nat) by lia.
  pose proof (quadratic_mean_pos n n_pos x V) as Q. pose proof (INR_pos n n_pos).
  assert (N3 : 3 <= INR n) by (apply (INR_at_least n 3) in Hn; simpl in Hn; lra).
  assert (One : forall k, (k < n)%nat -> Sum n (unit_vector k) = 1).
  { intros k Hk. rewrite <- (Sum_unit n (fun _ => 1) k Hk). apply Sum_ext. intros. ring. }
  assert (EP : PN = (INR n - 1) / quadratic_mean n x).
  { unfold PN. rewrite (Sum_ext n _ (fun k => / quadratic_mean n x
      + (- / (INR n * quadratic_mean n x * quadratic_mean n x)) * (x k * x k))).
    - rewrite Sum_plus, Sum_const, Sum_scal. fold (dot n x x).
      replace (dot n x x) with (INR n * quadratic_mean n x) by (unfold quadratic_mean; field; lra). field. lra.
    - intros k Hk. cbv zeta. rewrite psi_length by assumption.
      rewrite dot_unit, unit_same, (dot_comm n (unit_vector k) x), dot_unit by exact Hk. field. lra. }
  assert (EB : BN = (INR n - 2) / variance n x).
  { unfold BN. rewrite (Sum_ext n _ (fun k => (1 - / INR n) / variance n x
      + (- / (INR n * variance n x * variance n x)) * (centred n x k * centred n x k))).
    - rewrite Sum_plus, Sum_const, Sum_scal. fold (dot n (centred n x) (centred n x)).
      replace (dot n (centred n x) (centred n x)) with (INR n * variance n x)
        by (unfold variance, quadratic_mean; field; lra). field. lra.
    - intros k Hk. cbv zeta. rewrite sigma_length by assumption.
      rewrite dot_unit, unit_same, One, (dot_comm n (unit_vector k) (centred n x)), dot_unit by exact Hk. field. lra. }
  split; [exact EP|]. split; [exact EB|]. rewrite EP, EB. rewrite (B5_quadratic_mean n n_pos x) in *.
  set (s2 := variance n x) in *. set (m2 := (mean n x)^2) in *. set (N := INR n) in *.
  assert (M : 0 <= m2) by apply pow2_ge_0.
  assert (D : (N - 2) / s2 - (N - 1) / (m2 + s2) = ((N - 2) * m2 - s2) / (s2 * (m2 + s2))) by (field; lra).
  assert (D' : m2 / s2 - 1 / (N - 2) = ((N - 2) * m2 - s2) / (s2 * (N - 2))) by (field; lra).
  split; intros L.
  - apply Rminus_lt_0. rewrite D'. apply div_pos; [|nra]. apply Rminus_lt_0 in L. rewrite D in L.
    apply Rnot_le_lt. intros F. pose proof (div_le _ 0 (s2 * (m2 + s2)) ltac:(nra) F) as K.
    unfold Rdiv at 2 in K. lra.
  - apply Rminus_lt_0. rewrite D. apply div_pos; [|nra]. apply Rminus_lt_0 in L. rewrite D' in L.
    apply Rnot_le_lt. intros F. pose proof (div_le _ 0 (s2 * (N - 2)) ltac:(nra) F) as K.
    unfold Rdiv at 2 in K. lra.
Qed.

(* B13. Not: ||grad_x|| <= ||grad_y|| for PN-V. x = (1, 0), grad_y = (0, 1), gamma = 1, eps = 0: squares 2 and 1. *)
Theorem B13_contraction_refuted :
  ~ (forall n x gamma grad_y, 0 < quadratic_mean n x ->
     let v := psi_grad n x (fun i => gamma * grad_y i) 0 in dot n v v <= dot n grad_y grad_y).
Proof.
  intros H. set (x := list_of (1 :: 0 :: nil)).
  assert (Q : quadratic_mean 2 x = 1/2) by (unfold x; compute_sums; field).
  specialize (H 2%nat x 1 (list_of (0 :: 1 :: nil)) ltac:(lra)). cbv zeta in H.
  rewrite psi_length in H by (try lia; lra). rewrite Q in H. unfold x in H. revert H. compute_sums. lra.
Qed.

(* B14. Not: ||dL_BN/dy||^2 <= (1/sigma^2) ||dL/dy||^2 at y = t, L = (1/2) sum c_i (. - t_i)^2 at y without BN and at
   z = BN(y) with it, where the gradients are c_i (y_i - t_i) = 0 and BN's backward of c_i (z_i - t_i).
   t = (2, 2, -2, -2), c = (1, 2, 1, 1): squares 1/8 and 0. *)
Theorem B14_pointwise_smoothness_refuted :
  ~ (forall n t c, 0 < variance n t ->
     let v := sigma_grad n t (fun i => c i * (sigma_hat n t 0 i - t i)) 0 in
     let without := fun i => c i * (t i - t i) in
     dot n v v <= / variance n t * dot n without without).
Proof.
  intros H. set (t := list_of (2 :: 2 :: -2 :: -2 :: nil)). set (c := list_of (1 :: 2 :: 1 :: 1 :: nil)).
  assert (V : variance 4 t = 4) by (unfold t; compute_sums; field).
  assert (S2 : sigma_s 4 t 0 = 2) by (unfold sigma_s; rewrite V; apply sqrt_unique; lra).
  specialize (H 4%nat t c ltac:(lra)). cbv zeta in H. rewrite sigma_length in H by (try lia; lra).
  rewrite V in H. unfold sigma_hat in H. rewrite S2 in H. unfold t, c in H. revert H. compute_sums. lra.
Qed.

(* B15. Not: (sigma^2/gamma^2) ||grad_x||^2 <= ||g||^2 - <1, g>^2/m - <g, y_hat>^2/sqrt(m). x = (0, 1), g = (0, 1), gamma
   = 1: the left side is 0, the right one 1/2 - 1/sqrt(2). *)
Theorem B15_root_of_m_refuted :
  ~ (forall m x g, (2 <= m)%nat -> 0 < variance m x ->
     variance m x * dot m (sigma_grad m x g 0) (sigma_grad m x g 0)
     <= dot m g g - (Sum m g)^2 / INR m - (dot m g (sigma_hat m x 0))^2 / sqrt (INR m)).
Proof.
  intros H. set (x := list_of (0 :: 1 :: nil)).
  assert (V : variance 2 x = 1/4) by (unfold x; compute_sums; field).
  assert (S2 : sigma_s 2 x 0 = 1/2) by (unfold sigma_s; rewrite V; apply sqrt_unique; lra).
  specialize (H 2%nat x (list_of (0 :: 1 :: nil)) ltac:(lia) ltac:(lra)).
  rewrite sigma_length in H by (try lia; lra). rewrite V in H. unfold sigma_hat in H. rewrite S2 in H.
  unfold x in H. revert H. compute_sums.
  assert (R : 0 < sqrt 2 < 2).
  { split; [apply sqrt_pos_lt; lra|]. pose proof (sqrt_sqrt 2 ltac:(lra)). pose proof (sqrt_pos_lt 2 ltac:(lra)). nra. }
  replace (1 + 1) with 2 by ring.
  assert (I : 1/2 < / sqrt 2) by (replace (1/2) with (/ 2) by field; apply Rinv_lt_contravar; lra).
  unfold Rdiv in *. intros H. ring_simplify in H. lra.
Qed.

(* B16. Not: in a step with nu = 0 each bound of BN's operator norm is one of PowerNorm's, which is g / psi_(t-1).
   x = (0, 0, 1), psi_(t-1) = 1/3: 1/sigma^2 = 9/2, 1/psi_(t-1)^2 = 9. *)
Theorem B16_power_norm_refuted :
  ~ (forall n x psi b, (3 <= n)%nat -> 0 < variance n x -> 0 < psi ->
     (forall g, dot n (sigma_grad n x g 0) (sigma_grad n x g 0) <= b * dot n g g) ->
     (forall g, dot n (fun i => g i / psi) (fun i => g i / psi) <= b * dot n g g)).
Proof.
  intros H. set (x := list_of (0 :: 0 :: 1 :: nil)).
  assert (V : variance 3 x = 2/9) by (unfold x; compute_sums; field).
  specialize (H 3%nat x (1/3) (9/2) ltac:(lia) ltac:(lra) ltac:(lra)).
  assert (B : forall g, dot 3 (sigma_grad 3 x g 0) (sigma_grad 3 x g 0) <= 9/2 * dot 3 g g).
  { intros g. replace (9/2) with (/ variance 3 x) by (rewrite V; field). apply sigma_at_most; [lia|lra]. }
  specialize (H B (list_of (1 :: 0 :: 0 :: nil))). revert H. compute_sums. lra.
Qed.

(* B17. For every n and x with psi > 0, eps = 0: f(c x) = f(x) for c > 0, and f(-x) = -f(x). *)
Theorem B17_scale_invariance n x i : (0 < n)%nat -> 0 < quadratic_mean n x ->
  (forall c, 0 < c -> psi_hat n (fun j => c * x j) 0 i = psi_hat n x 0 i) /\
  psi_hat n (fun j => - x j) 0 i = - psi_hat n x 0 i.
Proof.
  intros n_pos Q. pose proof (INR_pos n n_pos). pose proof (psi_s_pos n x 0 ltac:(lra)) as P.
  split.
  - intros c C. assert (E : psi_s n (fun j => c * x j) 0 = c * psi_s n x 0).
    { unfold psi_s. apply sqrt_unique; [apply Rmult_le_pos; [lra|apply sqrt_pos]|].
      fold (psi_s n x 0). replace (c * psi_s n x 0 * (c * psi_s n x 0)) with (c^2 * (psi_s n x 0 * psi_s n x 0)) by ring.
      rewrite psi_s_square by lra. unfold quadratic_mean. rewrite scaled_length. field. lra. }
    unfold psi_hat. rewrite E. field. lra.
  - assert (E : psi_s n (fun j => - x j) 0 = psi_s n x 0).
    { unfold psi_s, quadratic_mean. f_equal. f_equal. f_equal. apply Sum_ext. intros. ring. }
    unfold psi_hat. rewrite E. field. lra.
Qed.

(* B18. Not: f(x + t) = f(x). x = (0, 1), t = 1: the first element is 0 and becomes 1/sqrt(5/2). *)
Theorem B18_shift_refuted :
  ~ (forall n x t i, (i < n)%nat -> 0 < variance n x -> 0 < t -> psi_hat n (fun j => x j + t) 0 i = psi_hat n x 0 i).
Proof.
  intros H. set (x := list_of (0 :: 1 :: nil)).
  assert (V : variance 2 x = 1/4) by (unfold x; compute_sums; field).
  specialize (H 2%nat x 1 0%nat ltac:(lia) ltac:(lra) ltac:(lra)).
  assert (Q : quadratic_mean 2 (fun j => x j + 1) = 5/2) by (unfold x; compute_sums; field).
  assert (Q' : quadratic_mean 2 x = 1/2) by (unfold x; compute_sums; field).
  pose proof (psi_s_pos 2 (fun j => x j + 1) 0 ltac:(lra)) as P. pose proof (psi_s_pos 2 x 0 ltac:(lra)) as P'.
  unfold psi_hat in H. replace (x 0%nat) with 0 in H by reflexivity.
  apply (f_equal (fun v => v * psi_s 2 (fun j => x j + 1) 0)) in H.
  unfold Rdiv in H. rewrite Rmult_assoc, Rinv_l in H by lra. lra.
Qed.
