(* A: how far a central difference is from the gradient of PN-V. *)
From Coq Require Import Reals Lra Psatz Lia Arith Bool.
From Coquelicot Require Import Coquelicot.
From normproof Require Import sums layers cells backward.
Open Scope R_scope.

(* |f'(t)| <= c t^j on [0, h] and f(0) = 0: |f(h)| <= c h^(j+1)/(j + 1) *)
Lemma grows (f d : R -> R) (c h : R) (j : nat) : 0 <= h -> f 0 = 0 ->
  (forall t, 0 <= t <= h -> is_derive f t (d t)) -> (forall t, 0 <= t <= h -> Rabs (d t) <= c * t^j) ->
  forall t, 0 <= t <= h -> Rabs (f t) <= c / INR (S j) * t^(S j).
Proof.
  intros H Z D B t T. pose proof (INR_pos (S j) ltac:(lia)) as J.
  assert (Side : forall sign, sign = 1 \/ sign = -1 -> sign * f t <= c / INR (S j) * t^(S j)).
  { intros sign Hs.
    assert (Dm : forall z, 0 <= z <= t ->
      is_derive (fun t => c / INR (S j) * t^(S j) - sign * f t) z (c * z^j - sign * d z)).
    { intros z Hz. apply (derive_minus (fun t => c / INR (S j) * t^(S j)) (fun t => sign * f t)).
      - replace (c * z^j) with (c / INR (S j) * (INR (S j) * z^j)) by (field; lra). apply derive_scal.
        auto_derive; [trivial|]. change (match j with O => 1 | S _ => INR j + 1 end) with (INR (S j)). ring.
      - apply derive_scal, D. lra. }
    destruct (MVT_gen (fun t => c / INR (S j) * t^(S j) - sign * f t) 0 t (fun t => c * t^j - sign * d t)) as (z & Hz & E).
    - intros z Hz. rewrite Rmin_left, Rmax_right in Hz by lra. apply Dm. lra.
    - intros z Hz. rewrite Rmin_left, Rmax_right in Hz by lra.
      apply continuity_pt_filterlim, (ex_derive_continuous (K := R_AbsRing) (V := R_NormedModule)
        (fun t => c / INR (S j) * t^(S j) - sign * f t) z).
      eexists. exact (Dm z Hz).
    - rewrite Rmin_left, Rmax_right in Hz by lra. cbv beta in E. rewrite Z, pow_i in E by lia.
      specialize (B z ltac:(lra)). apply Rabs_le_between in B.
      assert (0 <= (c * z^j - sign * d z) * (t - 0)); [|lra].
      apply Rmult_le_pos; [destruct Hs; subst sign; lra|lra]. }
  apply Rabs_le. pose proof (Side 1 ltac:(auto)). pose proof (Side (-1) ltac:(auto)). lra.
Qed.

(* |f'''| <= M between -h and h: the central difference is off by at most M h^2/6 *)
Lemma central_difference (f d d2 d3 : R -> R) (h M : R) : 0 < h ->
  (forall t, - h <= t <= h -> is_derive f t (d t)) -> (forall t, - h <= t <= h -> is_derive d t (d2 t)) ->
  (forall t, - h <= t <= h -> is_derive d2 t (d3 t)) -> (forall t, - h <= t <= h -> Rabs (d3 t) <= M) ->
  Rabs (d 0 - (f h - f (- h)) / (2 * h)) <= M * h^2 / 6.
Proof.
  intros H D D2 D3 B.
  assert (Mirror : forall (u v : R -> R), (forall t, - h <= t <= h -> is_derive u t (v t)) ->
    forall t, 0 <= t <= h -> is_derive (fun t => u (- t)) t (- v (- t))).
  { intros u v U t T. replace (- v (- t)) with (-1 * v (- t)) by ring.
    apply (is_derive_comp u (fun t => - t)); [apply U; lra|]. auto_derive; [trivial|ring]. }
  assert (G2 : forall t, 0 <= t <= h -> Rabs (d2 t - d2 (- t)) <= 2 * M / INR 1 * t^1).
  { apply (grows (fun t => d2 t - d2 (- t)) (fun t => d3 t - - d3 (- t)) (2 * M) h 0); [lra|rewrite Ropp_0; ring| |].
    - intros t T. apply (derive_minus d2 (fun t => d2 (- t))); [apply D3; lra|apply (Mirror d2 d3); assumption].
    - intros t T. rewrite pow_O, Rmult_1_r. pose proof (abs_between _ _ (B t ltac:(lra))).
      pose proof (abs_between _ _ (B (- t) ltac:(lra))). apply Rabs_le. lra. }
  assert (G1 : forall t, 0 <= t <= h -> Rabs (d t + d (- t) - 2 * d 0) <= 2 * M / INR 2 * t^2).
  { apply (grows (fun t => d t + d (- t) - 2 * d 0) (fun t => d2 t - d2 (- t)) (2 * M) h 1); [lra|rewrite Ropp_0; ring| |].
    - intros t T. replace (d2 t - d2 (- t)) with (d2 t + - d2 (- t) - 0) by ring.
      apply (derive_minus (fun t => d t + d (- t)) (fun _ => 2 * d 0)); [|apply derive_const].
      apply (derive_plus d (fun t => d (- t))); [apply D2; lra|apply (Mirror d d2); assumption].
    - intros t T. specialize (G2 t T). simpl INR in G2. replace (2 * M / 1) with (2 * M) in G2 by field. exact G2. }
  assert (G0 : forall t, 0 <= t <= h -> Rabs (f t - f (- t) - 2 * d 0 * t) <= M / INR 3 * t^3).
  { apply (grows (fun t => f t - f (- t) - 2 * d 0 * t) (fun t => d t + d (- t) - 2 * d 0) M h 2); [lra|rewrite Ropp_0; ring| |].
    - intros t T. replace (d t + d (- t) - 2 * d 0) with (d t - - d (- t) - 2 * d 0 * 1) by ring.
      apply (derive_minus (fun t => f t - f (- t)) (fun t => 2 * d 0 * t)).
      + apply (derive_minus f (fun t => f (- t))); [apply D; lra|apply (Mirror f d); assumption].
      + apply derive_scal. auto_derive; [trivial|ring].
    - intros t T. specialize (G1 t T). simpl INR in G1. replace (2 * M / (1 + 1)) with M in G1 by field. exact G1. }
  specialize (G0 h ltac:(lra)). rewrite Rabs_minus_sym.
  replace ((f h - f (- h)) / (2 * h) - d 0) with ((f h - f (- h) - 2 * d 0 * h) * / (2 * h)) by (field; lra).
  rewrite Rabs_mult, (Rabs_pos_eq (/ (2 * h))) by (left; apply Rinv_0_lt_compat; lra).
  replace (M * h^2 / 6) with (M / INR 3 * h^3 * / (2 * h)) by (simpl INR; field; lra).
  apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; lra|exact G0].
Qed.

(* The loss along x_k: (a + b t)/w, w^2 = W + 2 u t + t^2, up to a factor and a constant. *)
Section Along.
Variables W u a b G : R.
Hypothesis W_pos : 0 < W.
Hypothesis u_in : u^2 <= W.
Hypothesis b_in : Rabs b <= G.
Let w (t : R) := sqrt (W + 2 * u * t + t * t).
Variable h : R.
Hypothesis h_in : 0 < h <= sqrt W / 3.
Hypothesis inside : forall t, - h <= t <= h -> Rabs (a + b * t) <= G * w t.

Lemma along_least t : - h <= t <= h -> 2 / 3 * sqrt W <= w t.
Proof.
  intros T. pose proof (sqrt_pos_lt W W_pos) as R. pose proof (sqrt_sqrt W ltac:(lra)) as RR.
  assert (U : Rabs u <= sqrt W) by (rewrite <- (sqrt_Rsqr_abs u); apply sqrt_le_1_alt; unfold Rsqr; nra).
  apply abs_between in U.
  rewrite <- (sqrt_square (2 / 3 * sqrt W)) by lra. apply sqrt_le_1_alt.
  assert (- (sqrt W * Rabs t) <= u * t).
  { unfold Rabs. destruct (Rcase_abs t); nra. }
  assert (Rabs t <= sqrt W / 3) by (apply Rabs_le; lra). pose proof (Rabs_pos t).
  replace (t * t) with (Rabs t * Rabs t) by (rewrite <- Rabs_mult; apply Rabs_pos_eq; nra).
  set (s := sqrt W) in *. set (r := Rabs t) in *. rewrite <- RR. nra.
Qed.
Lemma along_pos t : - h <= t <= h -> 0 < w t.
Proof. intros T. pose proof (along_least t T). pose proof (sqrt_pos_lt W W_pos). lra. Qed.
Lemma along_square t : - h <= t <= h -> 0 < W + 2 * u * t + t * t.
Proof.
  intros T. pose proof (along_pos t T) as P. unfold w in P.
  destruct (Rlt_or_le 0 (W + 2 * u * t + t * t)) as [L|L]; [exact L|]. rewrite sqrt_neg_0 in P by exact L. lra.
Qed.

Let first (t : R) := b / w t - (a + b * t) * (u + t) / (w t)^3.
Let second (t : R) := - (a + b * t) / (w t)^3 - 2 * b * (u + t) / (w t)^3 + 3 * (a + b * t) * (u + t)^2 / (w t)^5.
Let third (t : R) := 3 * b * (3 * (u + t)^2 / (w t)^5 - / (w t)^3) + (a + b * t) * (9 * (u + t) / (w t)^5 - 15 * (u + t)^3 / (w t)^7).

Lemma along_w t : - h <= t <= h -> is_derive w t ((u + t) / w t).
Proof.
  intros T. pose proof (along_pos t T) as P. pose proof (along_square t T) as S. unfold w in *.
  auto_derive; [exact S|]. field. lra.
Qed.
Lemma along_power (N : R -> R) (dN : R) k t : - h <= t <= h -> is_derive N t dN ->
  is_derive (fun t => N t / (w t)^(S k)) t (dN / (w t)^(S k) - INR (S k) * N t * (u + t) / (w t)^(S (S (S k)))).
Proof.
  intros T HN. pose proof (along_pos t T) as P. pose proof (along_w t T) as Dw.
  assert (EN : Derive (fun x => N x) t = dN) by (apply is_derive_unique, HN).
  assert (EW : Derive (fun x => w x) t = (u + t) / w t) by (apply is_derive_unique, Dw).
  assert (K : 0 < w t ^ k) by (apply pow_lt, P).
  auto_derive.
  - repeat split; [exists dN; exact HN|exists ((u + t) / w t); exact Dw|apply Rgt_not_eq; simpl; apply Rmult_lt_0_compat; assumption].
  - rewrite EN, EW. change (match k with O => 1 | S _ => INR k + 1 end) with (INR (S k)). simpl pow. field. lra.
Qed.

(* |third derivative| <= 12 G/w^3, which is below 41 G/W^(3/2) *)
Lemma along_third t : - h <= t <= h -> Rabs (third t) <= 81 / 2 * G / (sqrt W)^3.
Proof.
  intros T. pose proof (along_pos t T) as P. pose proof (along_square t T) as S. pose proof (along_least t T) as L.
  pose proof (sqrt_pos_lt W W_pos) as R. pose proof (Rabs_pos b) as B0.
  assert (WW : w t * w t = W + 2 * u * t + t * t) by (apply sqrt_sqrt; lra).
  set (c := (u + t) / w t). set (m := (a + b * t) / w t).
  assert (C : -1 <= c <= 1).
  { assert (Q : (u + t)^2 <= w t * w t) by nra. unfold c.
    split; [apply le_div|apply div_le_of]; nra. }
  assert (M : Rabs m <= G).
  { unfold m, Rdiv. rewrite Rabs_mult, (Rabs_pos_eq (/ w t)) by (left; apply Rinv_0_lt_compat, P).
    apply div_le_of; [exact P|apply inside, T]. }
  replace (third t) with ((3 * b * (3 * c^2 - 1) + m * (9 * c - 15 * c^3)) / (w t)^3) by (unfold third, c, m; field; lra).
  assert (W3 : 8 / 27 * (sqrt W)^3 <= (w t)^3).
  { replace (8 / 27 * (sqrt W)^3) with ((2 / 3 * sqrt W)^3) by (simpl; field). apply pow_incr. lra. }
  assert (S3 : 0 < (sqrt W)^3) by (apply pow_lt, R).
  unfold Rdiv at 1. rewrite Rabs_mult, (Rabs_pos_eq (/ (w t)^3)) by (left; apply Rinv_0_lt_compat, pow_lt, P).
  assert (N : Rabs (3 * b * (3 * c^2 - 1) + m * (9 * c - 15 * c^3)) <= 12 * G).
  { eapply Rle_trans; [apply Rabs_triang|]. rewrite !Rabs_mult, (Rabs_pos_eq 3) by lra.
    assert (E1 : Rabs (3 * c^2 - 1) <= 2) by (apply Rabs_le; nra).
    assert (E2 : Rabs (9 * c - 15 * c^3) <= 6).
    { assert (0 <= (1 - c) * (1 + c)) by (apply Rmult_le_pos; lra).
      assert (0 <= (1 - c) * (15 * c^2 + 15 * c + 6)) by (apply Rmult_le_pos; nra).
      assert (0 <= (1 + c) * (15 * c^2 - 15 * c + 6)) by (apply Rmult_le_pos; nra).
      apply Rabs_le. nra. }
    pose proof (Rabs_pos m). pose proof (Rabs_pos (3 * c^2 - 1)). pose proof (Rabs_pos (9 * c - 15 * c^3)).
    assert (3 * Rabs b * Rabs (3 * c^2 - 1) <= 3 * G * 2) by (apply Rmult_le_compat; lra).
    assert (Rabs m * Rabs (9 * c - 15 * c^3) <= G * 6) by (apply Rmult_le_compat; lra). lra. }
  apply Rle_trans with (12 * G * / (8 / 27 * (sqrt W)^3)).
  - apply Rmult_le_compat; [apply Rabs_pos|left; apply Rinv_0_lt_compat, pow_lt, P|exact N|apply Rinv_le_contravar; lra].
  - right. field. lra.
Qed.

Lemma along_difference c e :
  Rabs (c * (b / sqrt W - a * u / (sqrt W)^3)
    - ((c * ((a + b * h) / w h) + e) - (c * ((a + b * - h) / w (- h)) + e)) / (2 * h)) <= 12 * h^2 * G * Rabs c / (sqrt W)^3.
Proof.
  pose proof (sqrt_pos_lt W W_pos) as R. pose proof (Rabs_pos b) as B0.
  assert (S3 : 0 < (sqrt W)^3) by (apply pow_lt, R).
  replace (c * (b / sqrt W - a * u / (sqrt W)^3)
    - ((c * ((a + b * h) / w h) + e) - (c * ((a + b * - h) / w (- h)) + e)) / (2 * h))
    with (c * ((b / sqrt W - a * u / (sqrt W)^3) - ((a + b * h) / w h - (a + b * - h) / w (- h)) / (2 * h)))
    by (pose proof (along_pos h ltac:(lra)); pose proof (along_pos (- h) ltac:(lra)); field; lra).
  pose proof (central_difference (fun t => (a + b * t) / w t) first second third h (81 / 2 * G / (sqrt W)^3)) as D.
  cbv beta in D. assert (W0 : w 0 = sqrt W) by (unfold w; f_equal; ring).
  assert (F0 : first 0 = b / sqrt W - a * u / (sqrt W)^3) by (unfold first; rewrite W0, Rmult_0_r, !Rplus_0_r; reflexivity).
  rewrite F0 in D. rewrite Rabs_mult.
  assert (Lin : forall t, is_derive (fun t => a + b * t) t b) by (intros; auto_derive; [trivial|ring]).
  assert (E : Rabs ((b / sqrt W - a * u / (sqrt W)^3) - ((a + b * h) / w h - (a + b * - h) / w (- h)) / (2 * h))
    <= 81 / 2 * G / (sqrt W)^3 * h^2 / 6).
  { apply D; [lra| | | |apply along_third].
    - intros t T. pose proof (along_power (fun t => a + b * t) b 0 t T (Lin t)) as K.
      apply (is_derive_ext (fun t => (a + b * t) / (w t)^1)); [intros; rewrite pow_1; reflexivity|].
      replace (first t) with (b / (w t)^1 - INR 1 * (a + b * t) * (u + t) / (w t)^3); [exact K|].
      unfold first. simpl INR. rewrite pow_1. unfold Rdiv. ring.
    - intros t T. pose proof (along_pos t T) as P.
      pose proof (along_power (fun _ => b) 0 0 t T (derive_const b t)) as K1.
      assert (N : is_derive (fun t => (a + b * t) * (u + t)) t (b * (u + t) + (a + b * t)))
        by (auto_derive; [trivial|ring]).
      pose proof (along_power (fun t => (a + b * t) * (u + t)) _ 2 t T N) as K2.
      apply (is_derive_ext (fun t => b / (w t)^1 - (a + b * t) * (u + t) / (w t)^3)); [intros; unfold first; rewrite pow_1; reflexivity|].
      replace (second t) with ((0 / (w t)^1 - INR 1 * b * (u + t) / (w t)^3)
        - ((b * (u + t) + (a + b * t)) / (w t)^3 - INR 3 * ((a + b * t) * (u + t)) * (u + t) / (w t)^5)).
      + apply (derive_minus (fun t => b / (w t)^1) (fun t => (a + b * t) * (u + t) / (w t)^3)); assumption.
      + unfold second. simpl INR. field. lra.
    - intros t T. pose proof (along_pos t T) as P.
      assert (N1 : is_derive (fun t => - (a + b * t) - 2 * b * (u + t)) t (- b - 2 * b)) by (auto_derive; [trivial|ring]).
      assert (N2 : is_derive (fun t => 3 * (a + b * t) * (u + t)^2) t (3 * b * (u + t)^2 + 6 * (a + b * t) * (u + t)))
        by (auto_derive; [trivial|simpl; ring]).
      pose proof (along_power _ _ 2 t T N1) as K1. pose proof (along_power _ _ 4 t T N2) as K2. cbv beta in K1, K2.
      assert (Eq : forall z, (- (a + b * z) - 2 * b * (u + z)) / (w z)^3 + 3 * (a + b * z) * (u + z)^2 / (w z)^5 = second z)
        by (intros z; unfold second, Rdiv; ring).
      apply (is_derive_ext _ second t _ Eq).
      replace (third t) with (((- b - 2 * b) / (w t)^3 - INR 3 * (- (a + b * t) - 2 * b * (u + t)) * (u + t) / (w t)^5)
          + ((3 * b * (u + t)^2 + 6 * (a + b * t) * (u + t)) / (w t)^5 - INR 5 * (3 * (a + b * t) * (u + t)^2) * (u + t) / (w t)^7)).
      + apply (derive_plus (fun t => (- (a + b * t) - 2 * b * (u + t)) / (w t)^3)); assumption.
      + unfold third. simpl INR. field. lra. }
  apply Rle_trans with (Rabs c * (81 / 2 * G / (sqrt W)^3 * h^2 / 6)).
  - apply Rmult_le_compat_l; [apply Rabs_pos|exact E].
  - assert (0 <= G) by lra. assert (K : 0 <= Rabs c * G * h^2 * / (sqrt W)^3).
    { repeat apply Rmult_le_pos; [apply Rabs_pos|assumption|nra|nra|lra|left; apply Rinv_0_lt_compat, S3]. }
    unfold Rdiv. simpl pow in *. nra.
Qed.
End Along.

Lemma Sum_put n (F : nat -> R -> R) x k v : (k < n)%nat ->
  Sum n (fun j => F j (put x k v j)) = Sum n (fun j => F j (x j)) + (F k v - F k (x k)).
Proof.
  intros H. rewrite (Sum_ext n _ (fun j => F j (x j) + unit_vector k j * (F j v - F j (x j)))).
  - rewrite Sum_plus, (Sum_unit n (fun j => F j v - F j (x j)) k H). reflexivity.
  - intros j _. unfold put, unit_vector. destruct (Nat.eqb j k); ring.
Qed.

Section Tensor.
Variables (n D : nat) (gamma beta grad_y x : nat -> R) (eps : R) (k : nat).
Hypothesis k_lt : (k < n)%nat.
Let cell := channel_cell D.
Let size := count n cell all_valid.
Let g := scaled D gamma grad_y.
Let squares := cell_squares n cell all_valid size.
Let hat := uncentred_hat n cell all_valid size eps.

Lemma member_is_beside i j : member cell all_valid i j = beside cell i j.
Proof. unfold member, own, all_valid. ring. Qed.
Lemma squares_of_cell y j : cell j = cell k -> squares y j = squares y k.
Proof. intros E. unfold squares, cell_squares, size, count, member, beside. rewrite E. reflexivity. Qed.
Lemma squares_elsewhere v j : cell j <> cell k -> squares (put x k v) j = squares x j.
Proof.
  intros E. unfold squares, cell_squares. f_equal.
  rewrite (Sum_put n (fun i z => member cell all_valid j i * (z * z)) x k v k_lt).
  rewrite member_is_beside. unfold beside. rewrite (proj2 (Nat.eqb_neq (cell k) (cell j))) by congruence. ring.
Qed.

(* The loss where x_k is moved by t: the part of the cell of k, and what does not move. *)
Lemma loss_along t : let a := Sum n (fun j => beside cell k j * (g j * x j)) in
  affine_loss n D gamma beta grad_y (hat (put x k (x k + t)))
  = (a + g k * t) / sqrt (squares (put x k (x k + t)) k + eps)
    + (Sum n (fun j => (1 - beside cell k j) * (g j * hat x j)) + Sum n (fun j => grad_y j * beta (feature D j))).
Proof.
  intros a. rewrite affine_loss_split. rewrite <- Rplus_assoc. f_equal. fold g.
  replace (a + g k * t) with (Sum n (fun j => beside cell k j * (g j * put x k (x k + t) j))).
  2: { rewrite (Sum_put n (fun j z => beside cell k j * (g j * z)) x k (x k + t) k_lt), beside_self. unfold a. ring. }
  unfold Rdiv at 1. rewrite (Rmult_comm (Sum n _)), <- Sum_scal, <- Sum_plus. apply Sum_ext. intros j _.
  unfold hat, uncentred_hat. fold squares. unfold beside. destruct (Nat.eqb_spec (cell j) (cell k)) as [Same|Other].
  - rewrite (squares_of_cell _ j Same). unfold Rdiv. ring.
  - rewrite (squares_elsewhere _ j Other), put_other by congruence. ring.
Qed.

(* A12. PN-V, for every number of elements and every number D of channels, eps >= 0, B elements in the channel of k, s^2 = psi^2 + eps > 0,
   0 < h <= s/3, L = sum grad_y y, g = gamma grad_y: |grad_x_k - (L(x + h e_k) - L(x - h e_k))/2h| <= 12 h^2 sum |g|/(B s^3), the sum over the channel. *)
Theorem A12_central_difference h : let s := sqrt (cell_squares n (channel_cell D) all_valid (count n (channel_cell D) all_valid) x k + eps) in
  let L := fun t => affine_loss n D gamma beta grad_y
    (uncentred_hat n (channel_cell D) all_valid (count n (channel_cell D) all_valid) eps (put x k t)) in
  0 <= eps -> 0 < cell_squares n (channel_cell D) all_valid (count n (channel_cell D) all_valid) x k + eps -> 0 < h <= s / 3 ->
  Rabs (uncentred_grad n (channel_cell D) all_valid (count n (channel_cell D) all_valid) eps x (scaled D gamma grad_y) k
    - (L (x k + h) - L (x k - h)) / (2 * h))
  <= 12 * h^2 * Sum n (fun j => beside (channel_cell D) k j * Rabs (scaled D gamma grad_y j))
    / (count n (channel_cell D) all_valid k * s^3).
Proof.
  fold cell. fold size. fold squares. fold hat. fold g. cbv zeta. intros E0 Q Hh.
  set (s := sqrt (squares x k + eps)) in *. pose proof (sqrt_pos_lt _ Q) as Sp. fold s in Sp.
  pose proof (count_at_least_1 n cell all_valid k k_lt eq_refl) as B1. fold size in B1. set (B := size k) in *.
  set (c := sqrt B). assert (C1 : 1 <= c) by (unfold c; rewrite <- sqrt_1; apply sqrt_le_1_alt; exact B1).
  assert (CC : c * c = B) by (apply sqrt_sqrt; lra). assert (SS : s * s = squares x k + eps) by (apply sqrt_sqrt; lra).
  set (W := B * (squares x k + eps)). assert (RW : sqrt W = c * s) by (apply sqrt_mult; lra).
  assert (W0 : 0 < W) by (apply Rmult_lt_0_compat; lra).
  set (a := Sum n (fun j => beside cell k j * (g j * x j))).
  set (G := Sum n (fun j => beside cell k j * Rabs (g j))).
  assert (Beside : forall j, 0 <= beside cell k j <= 1) by (intros; unfold beside; destruct (Nat.eqb (cell j) (cell k)); lra).
  assert (Moved : forall t, B * (squares (put x k (x k + t)) k + eps) = W + 2 * x k * t + t * t).
  { intros t. unfold W, squares, cell_squares. fold B.
    rewrite (Sum_put n (fun j z => member cell all_valid k j * (z * z)) x k (x k + t) k_lt), member_is_beside, beside_self. field. lra. }
  assert (Of : forall t j, (j < n)%nat -> beside cell k j * (put x k (x k + t) j)^2 <= W + 2 * x k * t + t * t).
  { intros t j J. rewrite <- Moved. unfold squares, cell_squares. fold B.
    replace (B * (Sum n (fun i => member cell all_valid k i * (put x k (x k + t) i * put x k (x k + t) i)) / B + eps))
      with (Sum n (fun i => member cell all_valid k i * (put x k (x k + t) i * put x k (x k + t) i)) + B * eps) by (field; lra).
    assert (0 <= B * eps) by (apply Rmult_le_pos; lra).
    enough (beside cell k j * (put x k (x k + t) j)^2
      <= Sum n (fun i => member cell all_valid k i * (put x k (x k + t) i * put x k (x k + t) i))) by lra.
    rewrite <- (Sum_unit n (fun i => beside cell k i * (put x k (x k + t) i)^2) j J). apply Sum_le. intros i _.
    rewrite member_is_beside. specialize (Beside i). assert (0 <= (put x k (x k + t) i)^2) by apply pow2_ge_0.
    unfold unit_vector. destruct (Nat.eqb i j); nra. }
  assert (Bk : Rabs (g k) <= G).
  { unfold G. rewrite <- (Rmult_1_l (Rabs (g k))), <- (beside_self cell k), <- (Sum_unit n (fun j => beside cell k j * Rabs (g j)) k k_lt).
    apply Sum_le. intros j _. specialize (Beside j). pose proof (Rabs_pos (g j)). unfold unit_vector. destruct (Nat.eqb j k); nra. }
  pose proof (along_difference W (x k) a (g k) G W0) as Main. cbv zeta in Main.
  specialize (Main ltac:(pose proof (Of 0 k k_lt) as O; rewrite beside_self, Rplus_0_r, put_same in O; lra) Bk h ltac:(rewrite RW; nra)).
  assert (Root : forall t, sqrt (squares (put x k (x k + t)) k + eps) = sqrt (W + 2 * x k * t + t * t) / c).
  { intros t. replace (squares (put x k (x k + t)) k + eps) with ((W + 2 * x k * t + t * t) / B) by (rewrite <- Moved; field; lra).
    apply sqrt_div_alt. lra. }
  assert (Inside : forall t, - h <= t <= h -> Rabs (a + g k * t) <= G * sqrt (W + 2 * x k * t + t * t)).
  { intros t _. replace (a + g k * t) with (Sum n (fun j => beside cell k j * (g j * put x k (x k + t) j))).
    2: { rewrite (Sum_put n (fun j z => beside cell k j * (g j * z)) x k (x k + t) k_lt), beside_self. unfold a. ring. }
    set (r := sqrt (W + 2 * x k * t + t * t)). unfold G. rewrite Rmult_comm, <- Sum_scal.
    assert (Tri : forall m f, Rabs (Sum m f) <= Sum m (fun j => Rabs (f j))).
    { intros m f. induction m as [|m IH]; simpl; [rewrite Rabs_R0; lra|]. eapply Rle_trans; [apply Rabs_triang|lra]. }
    eapply Rle_trans; [apply Tri|]. apply Sum_le. intros j J. pose proof (Of t j J) as O. pose proof (Rabs_pos (g j)).
    unfold beside in *. destruct (Nat.eqb (cell j) (cell k)).
    - rewrite !Rmult_1_l, Rabs_mult in *. rewrite Rmult_comm. apply Rmult_le_compat_r; [assumption|].
      rewrite <- sqrt_Rsqr_abs. apply sqrt_le_1_alt. unfold Rsqr. lra.
    - rewrite !Rmult_0_l, Rabs_R0. lra. }
  specialize (Main Inside c (Sum n (fun j => (1 - beside cell k j) * (g j * hat x j)) + Sum n (fun j => grad_y j * beta (feature D j)))).
  rewrite RW, (Rabs_pos_eq c) in Main by lra.
  replace (x k - h) with (x k + - h) by ring. rewrite !loss_along. cbv zeta. fold a. rewrite !Root.
  assert (Grad : uncentred_grad n cell all_valid size eps x g k = c * (g k / (c * s) - a * x k / (c * s)^3)).
  { unfold uncentred_grad. cbv zeta. fold hat squares B.
    rewrite (Sum_ext n _ (fun j => / s * (beside cell k j * (g j * x j)))).
    - rewrite Sum_scal. fold a s. unfold hat, uncentred_hat, own. fold squares s. change (all_valid k) with true. cbv iota.
      rewrite <- CC. field. lra.
    - intros j _. unfold beside. destruct (Nat.eqb_spec (cell j) (cell k)) as [Same|]; [|ring].
      unfold hat, uncentred_hat. fold squares. rewrite (squares_of_cell _ j Same). fold s. field. lra. }
  rewrite Grad.
  assert (Rp : forall t, - h <= t <= h -> 0 < sqrt (W + 2 * x k * t + t * t)).
  { intros t T. apply (along_pos W (x k)  W0) with (h := h);
      [pose proof (Of 0 k k_lt) as O; rewrite beside_self, Rplus_0_r, put_same in O; lra|rewrite RW; nra|exact T]. }
  pose proof (Rp h ltac:(lra)) as R1. pose proof (Rp (- h) ltac:(lra)) as R2.
  set (r1 := sqrt (W + 2 * x k * h + h * h)) in *. set (r2 := sqrt (W + 2 * x k * - h + - h * - h)) in *.
  replace ((a + g k * h) / (r1 / c)) with (c * ((a + g k * h) / r1)) by (field; lra).
  replace ((a + g k * - h) / (r2 / c)) with (c * ((a + g k * - h) / r2)) by (field; lra).
  replace (12 * h^2 * G / (B * s^3)) with (12 * h^2 * G * c / (c * s)^3) by (rewrite <- CC; field; lra).
  exact Main.
Qed.
End Tensor.
