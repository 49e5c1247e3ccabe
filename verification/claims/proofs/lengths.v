(* E: how long the states of encoders are at initialization, for every finite law of the weights that is symmetric about 0 and has the
   second moments that are named; and the largest activation. *)
From Coq Require Import Reals Lra Psatz Lia Arith.
From Coquelicot Require Import Coquelicot.
From normproof Require Import sums layers encoders.
Open Scope R_scope.

Definition times (d : nat) (W : nat -> nat -> R) (v : nat -> R) (i : nat) : R := Sum d (fun j => W i j * v j).
Definition length2 (d : nat) (v : nat -> R) : R := dot d v v.
Definition relu_of (v : nat -> R) (i : nat) : R := relu (v i).
Definition plus_of (u v : nat -> R) (i : nat) : R := u i + v i.

(* A finite law of matrices: W k with probability p k, k < K; mean 0, and E ||W v||^2 = ||v||^2 for every v: independent elements of mean
   0 and variance 1/d have both. *)
Record isotropic (d K : nat) (p : nat -> R) (W : nat -> nat -> nat -> R) : Prop := {
  law_total : Sum K p = 1;
  law_mean : forall i j, Sum K (fun k => p k * W k i j) = 0;
  law_length : forall v, Sum K (fun k => p k * length2 d (times d (W k) v)) = length2 d v }.

Lemma length_plus d u v : length2 d (plus_of u v) = length2 d u + 2 * dot d u v + length2 d v.
Proof. unfold length2, plus_of, dot. rewrite <- Sum_scal, <- !Sum_plus. apply Sum_ext. intros. ring. Qed.

(* E ||x + W v||^2 = ||x||^2 + ||v||^2 *)
Lemma mean_of_image d K p W x v : isotropic d K p W ->
  Sum K (fun k => p k * length2 d (plus_of x (times d (W k) v))) = length2 d x + length2 d v.
Proof.
  intros [T M L].
  rewrite (Sum_ext K _ (fun k => length2 d x * p k + 2 * (p k * dot d x (times d (W k) v)) + 1 * (p k * length2 d (times d (W k) v))))
    by (intros; rewrite length_plus; ring).
  rewrite (Sum_lin3 K (length2 d x) p 2 (fun k => p k * dot d x (times d (W k) v)) 1 (fun k => p k * length2 d (times d (W k) v))), T, L.
  replace (Sum K (fun k => p k * dot d x (times d (W k) v))) with 0; [ring|].
  symmetry. unfold dot, times.
  rewrite (Sum_ext K _ (fun k => Sum d (fun i => Sum d (fun j => x i * v j * (p k * W k i j))))).
  - rewrite Sum_swap. apply Sum_zero. intros i _. rewrite Sum_swap. apply Sum_zero. intros j _.
    rewrite Sum_scal, M. ring.
  - intros k _. rewrite <- Sum_scal. apply Sum_ext. intros i _. rewrite <- !Sum_scal. apply Sum_ext. intros. ring.
Qed.

(* A feed-forward with W_1 = W k or - W k, each with probability p_k/2, and W_2 of another such law, independent, adds half of
   ||x||^2, x what it is given; base: what it is added to. *)
Definition negated (W : nat -> nat -> R) (i j : nat) : R := - W i j.
Definition mean_of_feed_forward (d K M : nat) (p q : nat -> R) (W V : nat -> nat -> nat -> R) (f : (nat -> R) -> R) (base x : nat -> R) : R :=
  Sum K (fun k => p k / 2 * Sum M (fun m => q m * f (plus_of base (times d (V m) (relu_of (times d (W k) x)))))
    + p k / 2 * Sum M (fun m => q m * f (plus_of base (times d (V m) (relu_of (times d (negated (W k)) x)))))).

Lemma feed_forward_adds_half d K M p q W V base x : isotropic d K p W -> isotropic d M q V ->
  mean_of_feed_forward d K M p q W V (length2 d) base x = length2 d base + length2 d x / 2.
Proof.
  intros HW HV. unfold mean_of_feed_forward.
  rewrite (Sum_ext K _ (fun k => length2 d base * p k + / 2 * (p k * length2 d (times d (W k) x)))).
  - rewrite (Sum_lin2 K (length2 d base) p (/ 2) (fun k => p k * length2 d (times d (W k) x))).
    rewrite (law_total _ _ _ _ HW), (law_length _ _ _ _ HW). field.
  - intros k _. rewrite !mean_of_image by exact HV.
    assert (E : length2 d (relu_of (times d (W k) x)) + length2 d (relu_of (times d (negated (W k)) x)) = length2 d (times d (W k) x)).
    { unfold length2, dot. rewrite <- Sum_plus. apply Sum_ext. intros i _. unfold relu_of.
      replace (times d (negated (W k)) x i) with (- times d (W k) x i).
      - unfold relu, Rmax. destruct (Rle_dec (times d (W k) x i) 0), (Rle_dec (- times d (W k) x i) 0); nra.
      - unfold times, negated. transitivity (-1 * Sum d (fun j => W k i j * x j)); [ring|].
        rewrite <- Sum_scal. apply Sum_ext. intros. ring. }
    rewrite <- E. field.
Qed.

(* E2. Post-norm: y_l = x + W_2 ReLU(W_1 x), x what the norm before the feed-forward of layer l returns, ||x||^2 = d at eps = 0 and gain 1:
   E ||y_l||^2 = (3/2) d, for every finite law of W_1 that is symmetric about 0 and every one of W_2, independent, of mean 0 with E ||W v||^2 = ||v||^2;
   for any x, and so for any input, W_V and layer. *)
Theorem E2_length_of_post_norm_states d K M p q W V x : isotropic d K p W -> isotropic d M q V -> length2 d x = INR d ->
  mean_of_feed_forward d K M p q W V (length2 d) x x = 3/2 * INR d.
Proof. intros HW HV L. rewrite feed_forward_adds_half by assumption. rewrite L. field. Qed.

(* Pre-norm, n tokens, attention the mean over them times W_V: what becomes of token t; the law of W_V is that of U. *)
Definition mean_token (n : nat) (z : nat -> nat -> R) (i : nat) : R := Sum n (fun t => z t i) / INR n.

Lemma mean_token_length n d z : (0 < n)%nat -> (forall t, length2 d (z t) = INR d) -> 0 <= length2 d (mean_token n z) <= INR d.
Proof.
  intros N L. split; [apply dot_nonneg|]. pose proof (INR_pos n N) as P. unfold length2, dot, mean_token.
  apply Rle_trans with (Sum d (fun i => Sum n (fun t => z t i * z t i) / INR n)).
  - apply Sum_le. intros i _. pose proof (cauchy_schwarz n (fun t => z t i) (fun _ => 1)) as C. unfold dot in C.
    rewrite (Sum_ext n (fun t => z t i * 1) (fun t => z t i)), (Sum_const n (1 * 1)) in C by (intros; ring).
    apply le_div; [exact P|]. apply Rmult_le_reg_r with (INR n); [exact P|]. unfold Rdiv.
    replace (Sum n (fun t => z t i) * / INR n * (Sum n (fun t => z t i) * / INR n) * INR n * INR n)
      with ((Sum n (fun t => z t i))^2) by (field; lra). lra.
  - unfold Rdiv. rewrite (Sum_ext d _ (fun i => / INR n * Sum n (fun t => z t i * z t i))) by (intros; ring).
    rewrite Sum_scal, Sum_swap, (Sum_ext n _ (fun _ => INR d)), Sum_const by (intros; apply L).
    right. field. lra.
Qed.

(* One layer: every token x_t becomes w_t = x_t + U mean_j LN(x_j), and then, with the same weights for every token, w_t + V ReLU(W LN(w_t)). *)
Definition after_layer (n d : nat) (U W V : nat -> nat -> R) (LN : (nat -> R) -> nat -> R) (x : nat -> nat -> R) (t : nat) : nat -> R :=
  let w := plus_of (x t) (times d U (mean_token n (fun j => LN (x j)))) in
  plus_of w (times d V (relu_of (times d W (LN w)))).
(* f of the tokens, averaged over the weights, W_1 = W k or - W k *)
Definition mean_over_layer (n d H K M : nat) (r p q : nat -> R) (U W V : nat -> nat -> nat -> R) (LN : (nat -> R) -> nat -> R)
    (f : (nat -> nat -> R) -> R) (x : nat -> nat -> R) : R :=
  Sum H (fun h => r h * Sum K (fun k =>
    p k / 2 * Sum M (fun m => q m * f (after_layer n d (U h) (W k) (V m) LN x))
    + p k / 2 * Sum M (fun m => q m * f (after_layer n d (U h) (negated (W k)) (V m) LN x)))).
Fixpoint mean_over_layers (n d H K M : nat) (r p q : nat -> R) (U W V : nat -> nat -> nat -> R) (LN : (nat -> R) -> nat -> R)
    (l : nat) (f : (nat -> nat -> R) -> R) : (nat -> nat -> R) -> R :=
  match l with
  | O => f
  | S j => mean_over_layers n d H K M r p q U W V LN j (mean_over_layer n d H K M r p q U W V LN f)
  end.

(* E3. Pre-norm, n tokens, LN with ||LN(x)||^2 = d for every x: over finite laws of W_V, W_1 (symmetric about 0) and W_2, independent in every layer,
   of mean 0 with E ||W v||^2 = ||v||^2, a layer adds ||mean_j LN(x_j)||^2 + d/2 to E ||x_t||^2, and after l layers
   ||x_t||^2 + l d/2 <= E ||x_t^l||^2 <= ||x_t||^2 + 3 l d/2 for every token t. *)
Theorem E3_length_of_pre_norm_states n d H K M r p q U W V LN t : (0 < n)%nat ->
  (forall h, 0 <= r h) -> (forall k, 0 <= p k) -> (forall m, 0 <= q m) ->
  isotropic d H r U -> isotropic d K p W -> isotropic d M q V -> (forall x, length2 d (LN x) = INR d) ->
  (forall x, mean_over_layer n d H K M r p q U W V LN (fun z => length2 d (z t)) x
    = length2 d (x t) + length2 d (mean_token n (fun j => LN (x j))) + INR d / 2) /\
  forall l x, length2 d (x t) + INR l * (INR d / 2)
    <= mean_over_layers n d H K M r p q U W V LN l (fun z => length2 d (z t)) x
    <= length2 d (x t) + INR l * (3 * INR d / 2).
Proof.
  intros N Hr Hp Hq LU LW LV L.
  assert (One : forall x, mean_over_layer n d H K M r p q U W V LN (fun z => length2 d (z t)) x
    = length2 d (x t) + length2 d (mean_token n (fun j => LN (x j))) + INR d / 2).
  { intros x. unfold mean_over_layer, after_layer. cbv zeta.
    rewrite (Sum_ext H _ (fun h => 1 * (r h * length2 d (plus_of (x t) (times d (U h) (mean_token n (fun j => LN (x j)))))) + INR d / 2 * r h)).
    - rewrite (Sum_lin2 H 1 (fun h => r h * length2 d (plus_of (x t) (times d (U h) (mean_token n (fun j => LN (x j)))))) (INR d / 2) r).
      rewrite (law_total _ _ _ _ LU), mean_of_image by exact LU. ring.
    - intros h _.
      pose proof (feed_forward_adds_half d K M p q W V (plus_of (x t) (times d (U h) (mean_token n (fun j => LN (x j)))))
        (LN (plus_of (x t) (times d (U h) (mean_token n (fun j => LN (x j)))))) LW LV) as E.
      unfold mean_of_feed_forward in E. rewrite E, L. ring. }
  split; [exact One|].
  assert (Mono : forall f g, (forall z, f z <= g z) -> forall x,
    mean_over_layer n d H K M r p q U W V LN f x <= mean_over_layer n d H K M r p q U W V LN g x).
  { intros f g F x. unfold mean_over_layer. apply Sum_le. intros h _. apply Rmult_le_compat_l; [apply Hr|].
    apply Sum_le. intros k _. specialize (Hp k).
    apply Rplus_le_compat; (apply Rmult_le_compat_l; [lra|]; apply Sum_le; intros m _; apply Rmult_le_compat_l; [apply Hq|apply F]). }
  assert (Shift : forall f c x, mean_over_layer n d H K M r p q U W V LN (fun z => f z + c) x
    = mean_over_layer n d H K M r p q U W V LN f x + c).
  { intros f c x. unfold mean_over_layer.
    assert (In : forall g : nat -> R, Sum M (fun m => q m * (g m + c)) = Sum M (fun m => q m * g m) + c).
    { intros g. rewrite (Sum_ext M _ (fun m => 1 * (q m * g m) + c * q m)) by (intros; ring).
      rewrite (Sum_lin2 M 1 (fun m => q m * g m) c q), (law_total _ _ _ _ LV). ring. }
    assert (InK : forall g g' : nat -> nat -> R,
      Sum K (fun k => p k / 2 * Sum M (fun m => q m * (g k m + c)) + p k / 2 * Sum M (fun m => q m * (g' k m + c)))
      = Sum K (fun k => p k / 2 * Sum M (fun m => q m * g k m) + p k / 2 * Sum M (fun m => q m * g' k m)) + c).
    { intros g g'. rewrite (Sum_ext K _ (fun k => 1 * (p k / 2 * Sum M (fun m => q m * g k m) + p k / 2 * Sum M (fun m => q m * g' k m)) + c * p k))
        by (intros; rewrite !In; field).
      rewrite (Sum_lin2 K 1 (fun k => p k / 2 * Sum M (fun m => q m * g k m) + p k / 2 * Sum M (fun m => q m * g' k m)) c p),
        (law_total _ _ _ _ LW). ring. }
    assert (InH : forall g : nat -> R, Sum H (fun h => r h * (g h + c)) = Sum H (fun h => r h * g h) + c).
    { intros g. rewrite (Sum_ext H _ (fun h => 1 * (r h * g h) + c * r h)) by (intros; ring).
      rewrite (Sum_lin2 H 1 (fun h => r h * g h) c r), (law_total _ _ _ _ LU). ring. }
    rewrite <- InH. apply Sum_ext. intros h _. f_equal.
    apply (InK (fun k m => f (after_layer n d (U h) (W k) (V m) LN x)) (fun k m => f (after_layer n d (U h) (negated (W k)) (V m) LN x))). }
  assert (Monos : forall l f g, (forall z, f z <= g z) -> forall x,
    mean_over_layers n d H K M r p q U W V LN l f x <= mean_over_layers n d H K M r p q U W V LN l g x).
  { induction l; intros f g F x; simpl; [apply F|]. apply IHl. intros z. apply Mono, F. }
  assert (Shifts : forall l f c x, mean_over_layers n d H K M r p q U W V LN l (fun z => f z + c) x
    = mean_over_layers n d H K M r p q U W V LN l f x + c).
  { induction l; intros f c x; simpl; [reflexivity|]. rewrite <- IHl.
    apply Rle_antisym; apply Monos; intros z; rewrite Shift; lra. }
  intros l x. induction l as [|l IH]; [simpl; lra|]. rewrite S_INR. simpl mean_over_layers.
  assert (B : forall z, length2 d (z t) + INR d / 2 <= mean_over_layer n d H K M r p q U W V LN (fun z => length2 d (z t)) z
    <= length2 d (z t) + 3 * INR d / 2).
  { intros z. rewrite One. pose proof (mean_token_length n d (fun j => LN (z j)) N ltac:(intros; apply L)). lra. }
  pose proof (Monos l (fun z => length2 d (z t) + INR d / 2) _ (fun z => proj1 (B z)) x) as B1.
  pose proof (Monos l _ (fun z => length2 d (z t) + 3 * INR d / 2) (fun z => proj2 (B z)) x) as B2.
  rewrite Shifts in B1, B2. lra.
Qed.

(* ---- the normal law: its density up to a factor, and the integral of that from 0 on *)
Definition bell (t : R) : R := exp (- t^2 / 2).
Definition bell_integral (x : R) : R := RInt bell 0 x.

Lemma bell_continuous t : continuous bell t.
Proof. apply (ex_derive_continuous (K := R_AbsRing) (V := R_NormedModule) bell t). unfold bell. auto_derive. trivial. Qed.
Lemma bell_integrable a b : ex_RInt bell a b.
Proof. apply (ex_RInt_continuous (V := R_CompleteNormedModule)). intros. apply bell_continuous. Qed.

Lemma bell_split a b c : RInt bell a c = RInt bell a b + RInt bell b c.
Proof. symmetry. exact (RInt_Chasles bell a b c (bell_integrable a b) (bell_integrable b c)). Qed.

(* int_x^(x + T) <= exp(-x^2/2) int_0^T, for (x + s)^2 >= x^2 + s^2 *)
Lemma bell_tail x T : 0 <= x -> 0 <= T -> bell_integral (x + T) - bell_integral x <= exp (- x^2 / 2) * bell_integral T.
Proof.
  intros X TP. unfold bell_integral.
  pose proof (bell_split 0 x (x + T)) as C. replace (RInt bell 0 (x + T) - RInt bell 0 x) with (RInt bell x (x + T)) by lra.
  assert (Sh : RInt bell x (x + T) = RInt (fun s => bell (s + x)) 0 T).
  { pose proof (RInt_comp_lin bell 1 x 0 T) as Q. replace (1 * 0 + x) with x in Q by ring. replace (1 * T + x) with (x + T) in Q by ring.
    rewrite <- Q by apply bell_integrable. apply RInt_ext. intros s _. unfold scal. simpl. unfold mult. simpl.
    rewrite !Rmult_1_l. reflexivity. }
  rewrite Sh.
  assert (Sc : exp (- x^2 / 2) * RInt bell 0 T = RInt (fun s => exp (- x^2 / 2) * bell s) 0 T).
  { symmetry. apply (RInt_scal bell 0 T (exp (- x^2 / 2))). apply bell_integrable. }
  rewrite Sc. apply RInt_le; [exact TP| | |].
  - apply (ex_RInt_continuous (V := R_CompleteNormedModule) (fun s => bell (s + x))). intros s _.
    apply (ex_derive_continuous (K := R_AbsRing) (V := R_NormedModule) (fun s => bell (s + x)) s). unfold bell. auto_derive. trivial.
  - apply (ex_RInt_continuous (V := R_CompleteNormedModule) (fun s => exp (- x^2 / 2) * bell s)). intros s _.
    apply (ex_derive_continuous (K := R_AbsRing) (V := R_NormedModule) (fun s => exp (- x^2 / 2) * bell s) s). unfold bell. auto_derive. trivial.
  - intros s [S0 _]. unfold bell. rewrite <- exp_plus.
    destruct (Req_dec x 0) as [->|NX]; [right; f_equal; simpl; field|]. left. apply exp_increasing. simpl. nra.
Qed.

Lemma bell_integral_grows a b : 0 <= a -> a <= b -> bell_integral a <= bell_integral b.
Proof.
  intros A AB. unfold bell_integral. rewrite (bell_split 0 a b).
  assert (0 <= RInt bell a b) by (apply RInt_ge_0; [exact AB|apply bell_integrable|intros; left; apply exp_pos]). lra.
Qed.

(* By the tail from 1 on, I(T) <= I(1 + T) <= I(1) + exp(-1/2) I(T): I is bounded, and it grows. *)
Lemma bell_integral_converges : exists Z : R, is_lim bell_integral p_infty Z.
Proof.
  set (q := exp (- 1^2 / 2)).
  assert (Q : q < 1).
  { apply Rlt_le_trans with (exp 0); [apply exp_increasing; simpl; lra|rewrite exp_0; lra]. }
  assert (Bounded : forall T, 0 <= T -> bell_integral T <= bell_integral 1 / (1 - q)).
  { intros T TP. pose proof (bell_tail 1 T ltac:(lra) TP) as Tail. fold q in Tail.
    pose proof (bell_integral_grows T (1 + T) TP ltac:(lra)).
    apply (Rmult_le_reg_r (1 - q)); [lra|]. replace (bell_integral 1 / (1 - q) * (1 - q)) with (bell_integral 1) by (field; lra). lra. }
  destruct (completeness (fun y => exists T, 0 <= T /\ y = bell_integral T)) as [Z [Above Least]].
  - exists (bell_integral 1 / (1 - q)). intros y [T [TP ->]]. apply Bounded, TP.
  - exists (bell_integral 0), 0. split; [lra|reflexivity].
  - exists Z. apply is_lim_spec. intros eps. pose proof (cond_pos eps) as E.
    destruct (Classical_Prop.classic (exists T, 0 <= T /\ Z - eps < bell_integral T)) as [[T [TP Near]]|None].
    + exists T. intros x X. pose proof (bell_integral_grows T x TP ltac:(lra)).
      pose proof (Above (bell_integral x) ltac:(exists x; split; [lra|reflexivity])). apply Rabs_def1; lra.
    + exfalso. assert (Z <= Z - eps); [|lra]. apply Least. intros y [T [TP ->]].
      apply Rnot_lt_le. intros N. apply None. exists T. split; [exact TP|exact N].
Qed.

(* E10. P(max_p ReLU(X_p)^2 <= m) >= 0.99 at m = 2 ln(100 d), X ~ N(0, I_d), for every d >= 1: the chance is Phi(sqrt m)^d, with
   Phi(x) = 1/2 + int_0^x exp(-t^2/2) dt/(2 Z), Z the integral to infinity, which converges. *)
Theorem E10_largest_activation d : (1 <= d)%nat -> exists Z : R, is_lim bell_integral p_infty Z /\
  let Phi := fun x => / 2 + bell_integral x / (2 * Z) in
  99/100 <= (Phi (sqrt (2 * ln (100 * INR d))))^d.
Proof.
  intros D. destruct bell_integral_converges as [Z LZ]. exists Z. split; [exact LZ|]. intros Phi. pose proof (INR_at_least d 1 D) as N. simpl INR in N.
  assert (L0 : 0 < ln (100 * INR d)) by (rewrite <- ln_1; apply ln_increasing; lra).
  set (x := sqrt (2 * ln (100 * INR d))). assert (X0 : 0 <= x) by apply sqrt_pos.
  assert (XX : x^2 = 2 * ln (100 * INR d)) by (unfold x; simpl; rewrite Rmult_1_r; apply sqrt_sqrt; lra).
  assert (Ex : exp (- x^2 / 2) = / (100 * INR d)).
  { rewrite XX. replace (- (2 * ln (100 * INR d)) / 2) with (- ln (100 * INR d)) by field. rewrite exp_Ropp, exp_ln by lra. reflexivity. }
  (* Z > 0, and the tail beyond x is at most exp(-x^2/2) Z *)
  assert (B1 : 0 < bell_integral 1).
  { apply RInt_gt_0; [lra|intros; apply exp_pos|intros; apply bell_continuous]. }
  assert (ZP : bell_integral 1 <= Z).
  { apply (is_lim_le_loc (fun _ => bell_integral 1) bell_integral p_infty (bell_integral 1) Z); [|apply is_lim_const|exact LZ].
    exists 1. intros y Y. apply bell_integral_grows; lra. }
  assert (Tail : Z - bell_integral x <= exp (- x^2 / 2) * Z).
  { apply (is_lim_le_loc (fun T => bell_integral (x + T) - bell_integral x) (fun T => exp (- x^2 / 2) * bell_integral T) p_infty
      (Z - bell_integral x) (exp (- x^2 / 2) * Z)).
    - exists 0. intros y Y. apply bell_tail; lra.
    - apply (is_lim_minus _ _ p_infty Z (bell_integral x)); [|apply is_lim_const|reflexivity].
      apply (is_lim_comp bell_integral (fun T => x + T) p_infty Z p_infty); [exact LZ| |].
      + apply (is_lim_plus (fun _ => x) (fun T => T) p_infty x p_infty p_infty); [apply is_lim_const|apply is_lim_id|reflexivity].
      + exists 0. intros y _. discriminate.
    - apply (is_lim_scal_l bell_integral (exp (- x^2 / 2)) p_infty Z). exact LZ. }
  assert (P : 1 - / (200 * INR d) <= Phi x).
  { unfold Phi. rewrite Ex in Tail. assert (Z0 : 0 < Z) by lra.
    assert (bell_integral x >= Z * (1 - / (100 * INR d))) by lra.
    assert (Q : / 2 * (1 - / (100 * INR d)) <= bell_integral x / (2 * Z)) by (apply le_div; lra).
    replace (/ (200 * INR d)) with (/ 2 * / (100 * INR d)) by (field; lra). lra. }
  assert (R0 : 0 <= / (200 * INR d) <= / 200).
  { split; [left; apply Rinv_0_lt_compat; lra|apply Rinv_le_contravar; lra]. }
  apply Rle_trans with ((1 - / (200 * INR d))^d); [|apply pow_incr; lra].
  assert (Bern : forall q k, 0 <= q <= 1 -> 1 - INR k * q <= (1 - q)^k).
  { intros q k Q. induction k; [simpl; lra|]. rewrite S_INR, <- tech_pow_Rmult. pose proof (pos_INR k).
    apply Rle_trans with ((1 - q) * (1 - INR k * q)); [nra|]. apply Rmult_le_compat_l; lra. }
  pose proof (Bern (/ (200 * INR d)) d ltac:(lra)) as Q. replace (INR d * / (200 * INR d)) with (/ 200) in Q by (field; lra). lra.
Qed.
