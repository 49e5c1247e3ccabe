(* E: the gradient by W_2 of the last post-norm layer, y = x + W_2 a, a = ReLU(W_1 x), behind it LN at eps = 0 and gain 1. *)
From Coq Require Import Reals Lra Psatz Lia Arith FunctionalExtensionality.
From Coquelicot Require Import Coquelicot.
From normproof Require Import sums layers cells identities lipschitz encoders lengths.
Open Scope R_scope.

(* W with t in the place of its element (i, j) *)
Definition put_element (W : nat -> nat -> R) (i j : nat) (t : R) : nat -> nat -> R :=
  fun k => if Nat.eqb k i then put (W k) j t else W k.
Definition gradient_of_W2 (d : nat) (y a g : nat -> R) (i j : nat) : R := sigma_grad d y g 0 i * a j.
Definition frobenius2 (d : nat) (A : nat -> nat -> R) : R := Sum d (fun i => Sum d (fun j => A i j * A i j)).

Lemma gradient_of_W2_is_the_derivative d x a g W i j : (i < d)%nat -> (j < d)%nat ->
  let y := plus_of x (times d W a) in 0 < variance d y ->
  is_derive (fun t => Sum d (fun k => g k * sigma_hat d (plus_of x (times d (put_element W i j t) a)) 0 k)) (W i j)
    (gradient_of_W2 d y a g i j).
Proof.
  intros I J y V.
  assert (E : forall t, put y i (y i + (t - W i j) * a j) = plus_of x (times d (put_element W i j t) a)).
  { intros t. apply functional_extensionality. intros k. unfold put, plus_of, times, put_element.
    destruct (Nat.eqb_spec k i) as [->|]; [|reflexivity].
    pose proof (Sum_unit d (fun l => (t - W i l) * a l) j J) as U. cbv beta in U. rewrite <- U.
    unfold y, plus_of, times. rewrite Rplus_assoc, <- Sum_plus. f_equal. apply Sum_ext. intros l _.
    unfold put, unit_vector. destruct (Nat.eqb l j); ring. }
  apply (is_derive_ext (fun t => Sum d (fun k => g k * sigma_hat d (put y i (y i + (t - W i j) * a j)) 0 k))).
  { intros t. rewrite E. reflexivity. }
  unfold gradient_of_W2. rewrite (Rmult_comm (sigma_grad d y g 0 i)).
  apply (is_derive_comp (fun v => Sum d (fun k => g k * sigma_hat d (put y i v) 0 k)) (fun t => y i + (t - W i j) * a j)).
  - replace (y i + (W i j - W i j) * a j) with (y i) by ring. apply sigma_backward; [exact I|lra].
  - auto_derive; [trivial|ring].
Qed.
Lemma length_of_gradient d y a g : frobenius2 d (gradient_of_W2 d y a g)
  = length2 d a * dot d (sigma_grad d y g 0) (sigma_grad d y g 0).
Proof.
  unfold frobenius2, gradient_of_W2, length2. unfold dot at 2. rewrite <- Sum_scal. apply Sum_ext. intros i _.
  rewrite (Sum_ext d _ (fun j => (sigma_grad d y g 0 i * sigma_grad d y g 0 i) * (a j * a j))) by (intros; ring).
  rewrite Sum_scal. unfold dot. ring.
Qed.

(* Upstream gradients of one length ||g||^2 = G in all directions alike: g h with probability r h. *)
Record isotropic_upstream (d H : nat) (r : nat -> R) (g : nat -> nat -> R) (G : R) : Prop := {
  upstream_length : Sum H (fun h => r h * length2 d (g h)) = G;
  upstream_direction : forall u, Sum H (fun h => r h * (dot d (g h) u)^2) = G / INR d * length2 d u }.

Lemma mean_over_upstream d H r g G y : (0 < d)%nat -> 0 < variance d y -> isotropic_upstream d H r g G ->
  Sum H (fun h => r h * dot d (sigma_grad d y (g h) 0) (sigma_grad d y (g h) 0)) = G * (INR d - 2) / (INR d * variance d y).
Proof.
  intros D V [L U]. pose proof (INR_pos d D) as N.
  rewrite (Sum_ext H _ (fun h => / variance d y * (r h * length2 d (g h))
    + (- / (INR d * variance d y)) * (r h * (dot d (g h) (fun _ => 1))^2)
    + (- / (INR d * variance d y)) * (r h * (dot d (g h) (sigma_hat d y 0))^2))).
  - rewrite Sum_lin3, L, !U. unfold length2. rewrite sigma_hat_length by assumption.
    replace (dot d (fun _ => 1) (fun _ => 1)) with (INR d) by (unfold dot; rewrite Sum_const; ring). field. lra.
  - intros h _. rewrite B2_norm_of_the_gradient by (try exact D; lra). cbv zeta. rewrite Rplus_0_r.
    replace (Sum d (g h)) with (dot d (g h) (fun _ => 1)) by (apply Sum_ext; intros; ring). unfold length2. field. lra.
Qed.

Section Law.
Variables (d K M : nat) (p q : nat -> R) (W V : nat -> nat -> nat -> R) (x : nat -> R).
Hypothesis p_nonneg : forall k, 0 <= p k.
Hypothesis q_nonneg : forall m, 0 <= q m.
Hypothesis p_total : Sum K p = 1.
Hypothesis q_total : Sum M q = 1.

(* W_1 = W k or - W k, each with probability p_k/2, and W_2 = V m *)
Definition active (positive : bool) (k : nat) : nat -> R :=
  relu_of (times d (if positive then W k else negated (W k)) x).
Definition last_state (positive : bool) (k m : nat) : nat -> R := plus_of x (times d (V m) (active positive k)).
Definition mean_over (f : bool -> nat -> nat -> R) : R :=
  Sum K (fun k => p k / 2 * Sum M (fun m => q m * f true k m) + p k / 2 * Sum M (fun m => q m * f false k m)).

Lemma mean_over_lin2 a f b g : mean_over (fun s k m => a * f s k m + b * g s k m) = a * mean_over f + b * mean_over g.
Proof.
  unfold mean_over. rewrite <- Sum_lin2. apply Sum_ext. intros k _.
  assert (In : forall u v : nat -> R, Sum M (fun m => q m * (a * u m + b * v m))
    = a * Sum M (fun m => q m * u m) + b * Sum M (fun m => q m * v m)).
  { intros u v. rewrite <- Sum_lin2. apply Sum_ext. intros. ring. }
  rewrite (In (f true k) (g true k)), (In (f false k) (g false k)). ring.
Qed.
Lemma mean_over_ext f g : (forall s k m, f s k m = g s k m) -> mean_over f = mean_over g.
Proof.
  intros E. apply Sum_ext. intros k _. rewrite (Sum_ext M _ (fun m => q m * g true k m)), (Sum_ext M (fun m => q m * f false k m)
    (fun m => q m * g false k m)) by (intros; rewrite E; reflexivity). reflexivity.
Qed.
Lemma mean_over_le f g : (forall s k m, f s k m <= g s k m) -> mean_over f <= mean_over g.
Proof.
  intros E. apply Sum_le. intros k _. specialize (p_nonneg k).
  apply Rplus_le_compat; (apply Rmult_le_compat_l; [lra|]; apply Sum_le; intros; apply Rmult_le_compat_l; [apply q_nonneg|apply E]).
Qed.
Lemma mean_over_const c : mean_over (fun _ _ _ => c) = c.
Proof.
  unfold mean_over. rewrite (Sum_ext K _ (fun k => c * p k)); [rewrite Sum_scal, p_total; ring|].
  intros k _. rewrite (Sum_ext M _ (fun m => c * q m)) by (intros; ring). rewrite Sum_scal, q_total. field.
Qed.
Lemma mean_over_inner f g : (forall s k, Sum M (fun m => q m * f s k m) = g s k) -> mean_over f = mean_over (fun s k _ => g s k).
Proof.
  intros E. apply Sum_ext. intros k _. rewrite !E.
  rewrite (Sum_ext M (fun m => q m * g true k) (fun m => g true k * q m)), (Sum_ext M (fun m => q m * g false k) (fun m => g false k * q m))
    by (intros; ring). rewrite !Sum_scal, q_total. ring.
Qed.

(* E y/S is near (E y)/(E S) where both vary little, S has a floor and y is bounded. *)
Lemma mean_of_ratio (y S : bool -> nat -> nat -> R) m A B c Y : 1 <= m -> 0 < c -> (forall s k l, c <= S s k l) ->
  (forall s k l, 0 <= y s k l <= Y) -> mean_over y = /2 -> mean_over S = m ->
  mean_over (fun s k l => (y s k l - / 2)^2) <= A -> mean_over (fun s k l => (S s k l - m)^2) <= B ->
  Rabs (mean_over (fun s k l => y s k l / S s k l) - / (2 * m)) <= (A + B) / 2 + Y * B / c.
Proof.
  intros M1 C F Cap Ey ES HA HB.
  assert (Y0 : 0 <= Y) by (specialize (Cap true O O); lra).
  pose (near := fun s k l => / m * y s k l + (- / (2 * m^2)) * (S s k l - m)).
  pose (off := fun s k l => / 2 * (y s k l - / 2)^2 + / 2 * (S s k l - m)^2).
  assert (En : mean_over near = / (2 * m)).
  { unfold near. rewrite (mean_over_lin2 (/ m) y (- / (2 * m^2)) (fun s k l => S s k l - m)), Ey.
    rewrite (mean_over_ext (fun s k l => S s k l - m) (fun s k l => 1 * S s k l + - m * 1)) by (intros; ring).
    rewrite (mean_over_lin2 1 S (- m) (fun _ _ _ => 1)), ES, mean_over_const. field. lra. }
  assert (Eo : mean_over off <= (A + B) / 2).
  { unfold off. rewrite (mean_over_lin2 (/ 2) (fun s k l => (y s k l - / 2)^2) (/ 2) (fun s k l => (S s k l - m)^2)). lra. }
  assert (P : forall s k l, near s k l - off s k l <= y s k l / S s k l <= near s k l + off s k l + Y / c * (S s k l - m)^2).
  { intros s k l. unfold near, off. specialize (F s k l). specialize (Cap s k l).
    set (u := y s k l) in *. set (v := S s k l) in *.
    replace (u / v) with (/ m * u + - / (2 * m^2) * (v - m) - (u - / 2) * (v - m) / m^2 + u * (v - m)^2 / (v * m^2)) by (field; lra).
    assert (I1 : 0 < / m^2 <= 1).
    { split; [apply Rinv_0_lt_compat; nra|]. rewrite <- Rinv_1. apply Rinv_le_contravar; nra. }
    assert (Cross : - (/ 2 * (u - / 2)^2 + / 2 * (v - m)^2) <= - ((u - / 2) * (v - m) / m^2) <= / 2 * (u - / 2)^2 + / 2 * (v - m)^2).
    { assert (X : - (/ 2 * (u - / 2)^2 + / 2 * (v - m)^2) <= (u - / 2) * (v - m) <= / 2 * (u - / 2)^2 + / 2 * (v - m)^2).
      { pose proof (pow2_ge_0 (u - / 2 + (v - m))). pose proof (pow2_ge_0 (u - / 2 - (v - m))). lra. }
      unfold Rdiv. set (z := (u - / 2) * (v - m)) in *. set (b := / 2 * (u - / 2)^2 + / 2 * (v - m)^2) in *.
      set (w := / m^2) in *. clearbody z b w. nra. }
    assert (Tail : 0 <= u * (v - m)^2 / (v * m^2) <= Y / c * (v - m)^2).
    { assert (Q : 0 <= (v - m)^2) by apply pow2_ge_0. assert (M2 : 1 <= m^2) by nra.
      assert (VM : c <= v * m^2) by (apply Rle_trans with (c * 1); [lra|apply Rmult_le_compat; lra]).
      split; [apply div_nonneg; [apply Rmult_le_pos; lra|lra]|]. apply div_le_of; [lra|].
      assert (T : u <= Y / c * (v * m^2)).
      { apply Rle_trans with (Y / c * c); [unfold Rdiv; rewrite Rmult_assoc, Rinv_l; lra|].
        apply Rmult_le_compat_l; [apply div_nonneg; lra|exact VM]. }
      replace (Y / c * (v - m)^2 * (v * m^2)) with (Y / c * (v * m^2) * (v - m)^2) by ring. apply Rmult_le_compat_r; assumption. }
    lra. }
  apply Rabs_le. split.
  - assert (Lo : mean_over (fun s k l => near s k l - off s k l) <= mean_over (fun s k l => y s k l / S s k l))
      by (apply mean_over_le; intros; apply P).
    rewrite (mean_over_ext _ (fun s k l => 1 * near s k l + -1 * off s k l)) in Lo by (intros; ring).
    rewrite (mean_over_lin2 1 near (-1) off), En in Lo.
    assert (0 <= Y * B / c); [|lra]. apply div_nonneg; [|exact C]. apply Rmult_le_pos; [exact Y0|].
    eapply Rle_trans; [|exact HB]. rewrite <- (mean_over_const 0). apply mean_over_le. intros. apply pow2_ge_0.
  - assert (Hi : mean_over (fun s k l => y s k l / S s k l) <= mean_over (fun s k l => 1 * (1 * near s k l + 1 * off s k l) + Y / c * (S s k l - m)^2))
      by (apply mean_over_le; intros s k l; specialize (P s k l); lra).
    rewrite (mean_over_lin2 1 (fun s k l => 1 * near s k l + 1 * off s k l) (Y / c) (fun s k l => (S s k l - m)^2)),
      (mean_over_lin2 1 near 1 off), En in Hi.
    assert (Y / c * mean_over (fun s k l => (S s k l - m)^2) <= Y / c * B) by (apply Rmult_le_compat_l; [apply div_nonneg; lra|exact HB]).
    replace (Y * B / c) with (Y / c * B) by (unfold Rdiv; ring). lra.
Qed.

Hypothesis d_pos : (2 <= d)%nat.
Hypothesis W_law : isotropic d K p W.
Hypothesis V_law : isotropic d M q V.
Hypothesis V_second : forall u v, Sum M (fun m => q m * (dot d u (times d (V m) v))^2) = length2 d u * length2 d v / INR d.
Hypothesis x_mean : Sum d x = 0.
Hypothesis x_length : length2 d x = INR d.

Let share (s : bool) (k _ : nat) := length2 d (active s k) / INR d.
Let spread (s : bool) (k m : nat) := variance d (last_state s k m).

Lemma mean_share : mean_over share = / 2.
Proof.
  pose proof (INR_pos d ltac:(lia)) as N.
  assert (E : mean_over (fun s k m => length2 d (last_state s k m)) = 3 / 2 * INR d)
    by exact (E2_length_of_post_norm_states d K M p q W V x W_law V_law x_length).
  rewrite (mean_over_inner _ (fun s k => length2 d x + length2 d (active s k))) in E by (intros; apply mean_of_image, V_law).
  rewrite (mean_over_ext _ (fun s k m => INR d * 1 + INR d * share s k m)) in E
    by (intros; unfold share; rewrite x_length; field; lra).
  rewrite (mean_over_lin2 (INR d) (fun _ _ _ => 1) (INR d) share), mean_over_const in E. nra.
Qed.
Lemma mean_spread : mean_over spread = 3 / 2 - / (2 * INR d).
Proof.
  pose proof (INR_pos d ltac:(lia)) as N.
  assert (V1 : forall y, variance d y = / INR d * length2 d y + (- / (INR d * INR d)) * (dot d (fun _ => 1) y)^2).
  { intros y. pose proof (B5_quadratic_mean d ltac:(lia) y) as B. unfold quadratic_mean, mean in B.
    replace (dot d (fun _ => 1) y) with (Sum d y) by (apply Sum_ext; intros; ring). unfold length2.
    replace (variance d y) with (dot d y y / INR d - (Sum d y / INR d)^2) by lra. field. lra. }
  rewrite (mean_over_inner spread (fun s k => 1 * 1 + (1 - / INR d) * share s k 0%nat)).
  - rewrite (mean_over_lin2 1 (fun _ _ _ => 1) (1 - / INR d) (fun s k _ => share s k 0%nat)), mean_over_const.
    rewrite (mean_over_ext _ share) by reflexivity. rewrite mean_share. field. lra.
  - intros s k. unfold spread.
    rewrite (Sum_ext M _ (fun m => / INR d * (q m * length2 d (last_state s k m))
      + (- / (INR d * INR d)) * (q m * (dot d (fun _ => 1) (times d (V m) (active s k)))^2))).
    + rewrite Sum_lin2, V_second. unfold last_state. rewrite mean_of_image by exact V_law. rewrite x_length.
      replace (length2 d (fun _ => 1)) with (INR d) by (unfold length2, dot; rewrite Sum_const; ring). unfold share. field. lra.
    + intros m _. rewrite V1. replace (dot d (fun _ => 1) (last_state s k m)) with (dot d (fun _ => 1) (times d (V m) (active s k))); [ring|].
      unfold last_state, plus_of, dot. rewrite (Sum_ext d (fun i => 1 * (x i + _)) (fun i => x i + 1 * times d (V m) (active s k) i)) by (intros; ring).
      rewrite Sum_plus, x_mean. ring.
Qed.

(* E ||dL/dW_2||_F^2 over W_1, W_2 and the upstream gradient *)
Definition mean_gradient (H : nat) (r : nat -> R) (g : nat -> nat -> R) : R :=
  mean_over (fun s k m => Sum H (fun h => r h * frobenius2 d (gradient_of_W2 d (last_state s k m) (active s k) (g h)))).

Lemma mean_gradient_near_third H r g G A B c Y : 0 <= G -> isotropic_upstream d H r g G -> 0 < c -> (forall s k m, c <= spread s k m) ->
  (forall s k m, share s k m <= Y) -> mean_over (fun s k m => (share s k m - / 2)^2) <= A / INR d ->
  mean_over (fun s k m => (spread s k m - (3 / 2 - / (2 * INR d)))^2) <= B / INR d ->
  Rabs (mean_gradient H r g - G * (INR d / 3)) <= G * (5 / 6 + (A + B) / 2 + Y * B / c).
Proof.
  intros G0 U C F Cap HA HB. pose proof (INR_pos d ltac:(lia)) as N. pose proof (INR_at_least d 2 d_pos) as N2. simpl INR in N2.
  assert (I : / (2 * INR d) <= / 2) by (apply Rinv_le_contravar; lra).
  pose proof (mean_of_ratio share spread (3 / 2 - / (2 * INR d)) (A / INR d) (B / INR d) c Y ltac:(lra) C F
    ltac:(intros s k m; split; [apply div_nonneg; [apply dot_nonneg|exact N]|apply (Cap s k m)]) mean_share mean_spread HA HB) as R.
  assert (E : mean_gradient H r g = G * (INR d - 2) * mean_over (fun s k m => share s k m / spread s k m)).
  { transitivity (mean_over (fun s k m => G * (INR d - 2) * (share s k m / spread s k m) + 0 * 1)).
    - apply mean_over_ext. intros s k m. specialize (F s k m). unfold share, spread in *.
      rewrite (Sum_ext H _ (fun h => length2 d (active s k) * (r h * dot d (sigma_grad d (last_state s k m) (g h) 0)
        (sigma_grad d (last_state s k m) (g h) 0)))) by (intros; rewrite length_of_gradient; ring).
      rewrite Sum_scal, (mean_over_upstream d H r g G) by (try lia; try lra; exact U). field. lra.
    - rewrite (mean_over_lin2 (G * (INR d - 2)) (fun s k m => share s k m / spread s k m) 0 (fun _ _ _ => 1)). ring. }
  rewrite E. set (e := mean_over (fun s k m => share s k m / spread s k m)) in *.
  replace ((A / INR d + B / INR d) / 2 + Y * (B / INR d) / c) with (((A + B) / 2 + Y * B / c) / INR d) in R by (field; lra).
  set (T := (A + B) / 2 + Y * B / c) in *.
  replace (/ (2 * (3 / 2 - / (2 * INR d)))) with (INR d / (3 * INR d - 1)) in R by (field; lra).
  replace (G * (INR d - 2) * e - G * (INR d / 3))
    with (G * ((INR d - 2) * (e - INR d / (3 * INR d - 1)) - 5 * INR d / (3 * (3 * INR d - 1)))) by (field; lra).
  rewrite Rabs_mult, (Rabs_pos_eq G) by exact G0. apply Rmult_le_compat_l; [exact G0|].
  unfold Rminus at 1. eapply Rle_trans; [apply Rabs_triang|]. rewrite Rabs_Ropp, Rabs_mult, (Rabs_pos_eq (INR d - 2)) by lra.
  assert (T0 : 0 <= T / INR d) by (eapply Rle_trans; [apply Rabs_pos|exact R]).
  assert (X : (INR d - 2) * Rabs (e - INR d / (3 * INR d - 1)) <= T).
  { apply Rle_trans with ((INR d - 2) * (T / INR d)); [apply Rmult_le_compat_l; lra|].
    apply Rle_trans with (INR d * (T / INR d)); [apply Rmult_le_compat_r; lra|right; field; lra]. }
  assert (Z : Rabs (5 * INR d / (3 * (3 * INR d - 1))) <= 5 / 6).
  { rewrite Rabs_pos_eq by (apply div_nonneg; lra). apply div_le_of; lra. }
  unfold T in *. lra.
Qed.
End Law.

(* What the theorems ask of the weights of a last layer that is given x, mean 0 and ||x||^2 = d: finite laws W_1 = W k or - W k, each with probability
   p_k/2, and W_2 = V m with q_m, independent, of mean 0 with E ||W v||^2 = ||v||^2 and E <u, W_2 v>^2 = ||u||^2 ||v||^2/d; ||a||^2/d at most Y, of variance
   at most A/d; the variance of the state's features at least c > 0, its own variance over the law at most B/d. *)
Record law_of_last_layer (d K M : nat) (p q : nat -> R) (W V : nat -> nat -> nat -> R) (x : nat -> R) (A B c Y : R) : Prop := {
  law_p : forall k, 0 <= p k;
  law_q : forall m, 0 <= q m;
  law_first : isotropic d K p W;
  law_second : isotropic d M q V;
  law_covariance : forall u v, Sum M (fun m => q m * (dot d u (times d (V m) v))^2) = length2 d u * length2 d v / INR d;
  law_mean_of_x : Sum d x = 0;
  law_length_of_x : length2 d x = INR d;
  law_floor_pos : 0 < c;
  law_floor : forall s k m, c <= variance d (last_state d W V x s k m);
  law_cap : forall s k, length2 d (active d W x s k) / INR d <= Y;
  law_variance_of_a : mean_over K M p q (fun s k _ => (length2 d (active d W x s k) / INR d - / 2)^2) <= A / INR d;
  law_variance_of_state : mean_over K M p q
    (fun s k m => (variance d (last_state d W V x s k m) - (3 / 2 - / (2 * INR d)))^2) <= B / INR d }.

Lemma near_third d K M p q W V x A B c Y H r g G : (2 <= d)%nat -> 0 <= G -> law_of_last_layer d K M p q W V x A B c Y ->
  isotropic_upstream d H r g G ->
  Rabs (mean_gradient d K M p q W V x H r g - G * (INR d / 3)) <= G * (5 / 6 + (A + B) / 2 + Y * B / c).
Proof.
  intros D G0 [P Q F S Cv Xm Xl C0 Fl Cap Va Vs] U.
  apply mean_gradient_near_third; try assumption; [apply (law_total _ _ _ _ F)|apply (law_total _ _ _ _ S)|intros; apply Cap].
Qed.

(* E6. Post-norm, a finite law of the last layer's weights in place of the normal one, as in law_of_last_layer (symmetric about 0, the normal
   law's second moments, a floor c and a cap Y that the normal law lacks; last_layer_laws.v has one for every even d), upstream gradients isotropic
   with E ||g||^2 = 1: the gradient by W_2 is (J_LN^T g) a^T, and |E ||dL/dW_2||_F^2 - d/3| <= 5/6 + (A + B)/2 + Y B/c for every d >= 2: d/3 + O(1). *)
Theorem E6_gradient_of_the_last_layer d K M p q W V x A B c Y H r g : (2 <= d)%nat ->
  law_of_last_layer d K M p q W V x A B c Y -> isotropic_upstream d H r g 1 ->
  (forall s k m h i j, (i < d)%nat -> (j < d)%nat ->
    is_derive (fun t => Sum d (fun e => g h e * sigma_hat d (plus_of x (times d (put_element (V m) i j t) (active d W x s k))) 0 e)) (V m i j)
      (gradient_of_W2 d (last_state d W V x s k m) (active d W x s k) (g h) i j)) /\
  Rabs (mean_gradient d K M p q W V x H r g - INR d / 3) <= 5 / 6 + (A + B) / 2 + Y * B / c.
Proof.
  intros D L U. split.
  - intros s k m h i j I J. apply (gradient_of_W2_is_the_derivative d x (active d W x s k) (g h) (V m) i j I J).
    pose proof (law_floor _ _ _ _ _ _ _ _ _ _ _ _ L s k m) as F. pose proof (law_floor_pos _ _ _ _ _ _ _ _ _ _ _ _ L).
    unfold last_state in F. lra.
  - pose proof (near_third d K M p q W V x A B c Y H r g 1 D ltac:(lra) L U) as E. rewrite !Rmult_1_l in E. exact E.
Qed.

(* E7. The same where each element of the upstream gradient is 1 or -1, isotropic: ||g||^2 = d, and
   |E ||dL/dW_2||_F^2 - d^2/3| <= d (5/6 + (A + B)/2 + Y B/c): d^2/3 + O(d). *)
Theorem E7_gradient_of_the_last_layer d K M p q W V x A B c Y H r g : (2 <= d)%nat ->
  law_of_last_layer d K M p q W V x A B c Y -> Sum H r = 1 -> (forall h i, g h i = 1 \/ g h i = -1) ->
  (forall u, Sum H (fun h => r h * (dot d (g h) u)^2) = length2 d u) ->
  Rabs (mean_gradient d K M p q W V x H r g - INR d^2 / 3) <= INR d * (5 / 6 + (A + B) / 2 + Y * B / c).
Proof.
  intros D L T Signs U. pose proof (INR_pos d ltac:(lia)) as N.
  replace (INR d^2 / 3) with (INR d * (INR d / 3)) by field. apply near_third; [exact D|lra|exact L|]. split.
  - rewrite (Sum_ext H _ (fun h => INR d * r h)); [rewrite Sum_scal, T; ring|]. intros h _. unfold length2, dot.
    rewrite (Sum_ext d _ (fun _ => 1)) by (intros i _; destruct (Signs h i) as [->| ->]; ring). rewrite Sum_const. ring.
  - intros u. rewrite U. field. lra.
Qed.

(* E8. The same for every number of layers: whatever finite law the earlier layers and the input have, by which the last layer is given x_j with
   probability o_j, its own weights as in E6 for each: |E ||dL/dW_2||_F^2 - d/3| <= 5/6 + (A + B)/2 + Y B/c, the same for every L. *)
Theorem E8_gradient_at_every_depth d K M p q W V A B c Y H r g N (o : nat -> R) (x : nat -> nat -> R) : (2 <= d)%nat ->
  (forall j, 0 <= o j) -> Sum N o = 1 -> (forall j, law_of_last_layer d K M p q W V (x j) A B c Y) -> isotropic_upstream d H r g 1 ->
  Rabs (Sum N (fun j => o j * mean_gradient d K M p q W V (x j) H r g) - INR d / 3) <= 5 / 6 + (A + B) / 2 + Y * B / c.
Proof.
  intros D O T L U. set (bound := 5 / 6 + (A + B) / 2 + Y * B / c).
  assert (E : forall j, - bound <= mean_gradient d K M p q W V (x j) H r g - INR d / 3 <= bound).
  { intros j. apply abs_between. pose proof (near_third d K M p q W V (x j) A B c Y H r g 1 D ltac:(lra) (L j) U) as E.
    rewrite !Rmult_1_l in E. exact E. }
  pose proof (Sum_le N (fun j => (INR d / 3 - bound) * o j) (fun j => o j * mean_gradient d K M p q W V (x j) H r g)
    ltac:(intros j _; specialize (E j); specialize (O j); nra)) as Lo.
  pose proof (Sum_le N (fun j => o j * mean_gradient d K M p q W V (x j) H r g) (fun j => (INR d / 3 + bound) * o j)
    ltac:(intros j _; specialize (E j); specialize (O j); nra)) as Hi.
  rewrite Sum_scal, T in Lo, Hi. apply Rabs_le. lra.
Qed.
