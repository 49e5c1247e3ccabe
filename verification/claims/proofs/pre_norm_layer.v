(* E: the gradient by W_2 of the last pre-norm layer, one token, behind it LN at eps = 0 and gain 1, by the number of layers. *)
From Coq Require Import Reals Lra Psatz Lia Arith.
From normproof Require Import sums layers identities lipschitz encoders lengths last_layer.
Open Scope R_scope.

Lemma mean_of_image_zero d M q V u a : isotropic d M q V -> Sum M (fun m => q m * dot d u (times d (V m) a)) = 0.
Proof.
  intros [T Z L]. unfold dot, times.
  rewrite (Sum_ext M _ (fun m => Sum d (fun i => Sum d (fun j => u i * a j * (q m * V m i j))))).
  - rewrite Sum_swap. apply Sum_zero. intros i _. rewrite Sum_swap. apply Sum_zero. intros j _. rewrite Sum_scal, Z. ring.
  - intros k _. rewrite <- Sum_scal. apply Sum_ext. intros i _. rewrite <- !Sum_scal. apply Sum_ext. intros. ring.
Qed.
(* E var(w + V a) = var(w) + (1 - 1/d) ||a||^2/d *)
Lemma mean_of_variance d M q V w a : (0 < d)%nat -> isotropic d M q V ->
  (forall u v, Sum M (fun m => q m * (dot d u (times d (V m) v))^2) = length2 d u * length2 d v / INR d) ->
  Sum M (fun m => q m * variance d (plus_of w (times d (V m) a))) = variance d w + (1 - / INR d) * (length2 d a / INR d).
Proof.
  intros D L C. pose proof (INR_pos d D) as N.
  assert (V1 : forall y, variance d y = / INR d * length2 d y + (- / (INR d * INR d)) * (dot d (fun _ => 1) y)^2).
  { intros y. pose proof (B5_quadratic_mean d D y) as B. unfold quadratic_mean, mean in B.
    replace (dot d (fun _ => 1) y) with (Sum d y) by (apply Sum_ext; intros; ring). unfold length2.
    replace (variance d y) with (dot d y y / INR d - (Sum d y / INR d)^2) by lra. field. lra. }
  assert (Split : forall m, dot d (fun _ => 1) (plus_of w (times d (V m) a)) = dot d (fun _ => 1) w + dot d (fun _ => 1) (times d (V m) a)).
  { intros m. unfold dot, plus_of. rewrite <- Sum_plus. apply Sum_ext. intros. ring. }
  set (b := dot d (fun _ => 1) w) in *.
  rewrite (Sum_ext M _ (fun m => / INR d * (q m * length2 d (plus_of w (times d (V m) a)))
    + (- / (INR d * INR d) * b^2) * q m + (- / (INR d * INR d)) * (2 * b * (q m * dot d (fun _ => 1) (times d (V m) a))
      + 1 * (q m * (dot d (fun _ => 1) (times d (V m) a))^2))))
    by (intros; rewrite V1, Split; ring).
  rewrite Sum_lin3, Sum_lin2, mean_of_image, C, mean_of_image_zero, (law_total _ _ _ _ L) by exact L. rewrite V1. fold b.
  replace (length2 d (fun _ => 1)) with (INR d) by (unfold length2, dot; rewrite Sum_const; ring). field. lra.
Qed.

Section Layers.
Variables (d H K M : nat) (r p q : nat -> R) (U W V : nat -> nat -> nat -> R) (LN : (nat -> R) -> nat -> R).
Hypothesis d_pos : (2 <= d)%nat.
Hypothesis r_nonneg : forall h, 0 <= r h.
Hypothesis p_nonneg : forall k, 0 <= p k.
Hypothesis q_nonneg : forall m, 0 <= q m.
Hypothesis U_law : isotropic d H r U.
Hypothesis W_law : isotropic d K p W.
Hypothesis V_law : isotropic d M q V.
Hypothesis U_second : forall u v, Sum H (fun h => r h * (dot d u (times d (U h) v))^2) = length2 d u * length2 d v / INR d.
Hypothesis V_second : forall u v, Sum M (fun m => q m * (dot d u (times d (V m) v))^2) = length2 d u * length2 d v / INR d.
Hypothesis LN_length : forall x, length2 d (LN x) = INR d.

(* One layer, its weights W_V = U h, W_1 = W k or - W k, W_2 = V m: what W_2 takes, and what it leaves of x. *)
Definition attended (h : nat) (x : nat -> R) : nat -> R := plus_of x (times d (U h) (LN x)).
Definition taken (h : nat) (s : bool) (k : nat) (x : nat -> R) : nat -> R := active d W (LN (attended h x)) s k.
Definition left_by (h : nat) (s : bool) (k m : nat) (x : nat -> R) : nat -> R :=
  plus_of (attended h x) (times d (V m) (taken h s k x)).
(* F of the outcome of one layer that is given x, averaged over its weights; and of the last of S l layers *)
Definition layer_mean (F : nat -> bool -> nat -> nat -> (nat -> R) -> R) (x : nat -> R) : R :=
  Sum H (fun h => r h * mean_over K M p q (fun s k m => F h s k m x)).
Fixpoint depth_mean (l : nat) (F : nat -> bool -> nat -> nat -> (nat -> R) -> R) : (nat -> R) -> R :=
  match l with
  | O => layer_mean F
  | S j => depth_mean j (fun h s k m x => layer_mean F (left_by h s k m x))
  end.

Lemma layer_lin2 a F b G x : layer_mean (fun h s k m x => a * F h s k m x + b * G h s k m x) x = a * layer_mean F x + b * layer_mean G x.
Proof.
  unfold layer_mean. rewrite <- Sum_lin2. apply Sum_ext. intros h _.
  rewrite (mean_over_lin2 K M p q a (fun s k m => F h s k m x) b (fun s k m => G h s k m x)). ring.
Qed.
Lemma layer_ext F G x : (forall h s k m, F h s k m x = G h s k m x) -> layer_mean F x = layer_mean G x.
Proof. intros E. apply Sum_ext. intros h _. f_equal. apply mean_over_ext. intros. apply E. Qed.
Lemma layer_le F G x : (forall h s k m, F h s k m x <= G h s k m x) -> layer_mean F x <= layer_mean G x.
Proof.
  intros E. apply Sum_le. intros h _. apply Rmult_le_compat_l; [apply r_nonneg|]. apply mean_over_le; try assumption. intros. apply E.
Qed.
Lemma layer_const c x : layer_mean (fun _ _ _ _ _ => c) x = c.
Proof.
  unfold layer_mean. rewrite (Sum_ext H _ (fun h => c * r h)).
  - rewrite Sum_scal, (law_total _ _ _ _ U_law). ring.
  - intros h _. rewrite mean_over_const by (try apply (law_total _ _ _ _ W_law); apply (law_total _ _ _ _ V_law)). ring.
Qed.
Lemma depth_ext l : forall F G x, (forall h s k m x, F h s k m x = G h s k m x) -> depth_mean l F x = depth_mean l G x.
Proof.
  induction l; intros F G x E; simpl; [apply layer_ext; intros; apply E|]. apply IHl. intros. apply layer_ext. intros. apply E.
Qed.
Lemma depth_lin2 l : forall a F b G x,
  depth_mean l (fun h s k m x => a * F h s k m x + b * G h s k m x) x = a * depth_mean l F x + b * depth_mean l G x.
Proof.
  induction l; intros a F b G x; simpl; [apply layer_lin2|]. rewrite <- IHl. apply depth_ext. intros. apply layer_lin2.
Qed.
(* z is what is left of x by l layers, with some of the weights *)
Fixpoint reached (x : nat -> R) (l : nat) (z : nat -> R) : Prop :=
  match l with O => z = x | S j => exists y h s k m, reached x j y /\ z = left_by h s k m y end.
Lemma depth_le l : forall F G x, (forall z, reached x l z -> forall h s k m, F h s k m z <= G h s k m z) ->
  depth_mean l F x <= depth_mean l G x.
Proof.
  induction l; intros F G x E; simpl; [apply layer_le; intros; apply E; reflexivity|]. apply IHl. intros z Z h s k m.
  apply layer_le. intros. apply E. exists z, h, s, k, m. split; [exact Z|reflexivity].
Qed.
Lemma depth_const l : forall c x, depth_mean l (fun _ _ _ _ _ => c) x = c.
Proof.
  induction l; intros c x; simpl; [apply layer_const|].
  transitivity (depth_mean l (fun _ _ _ _ _ => c) x); [apply depth_ext; intros; apply layer_const|apply IHl].
Qed.

Definition share_of (h : nat) (s : bool) (k m : nat) (x : nat -> R) : R := length2 d (taken h s k x) / INR d.
Definition spread_of (h : nat) (s : bool) (k m : nat) (x : nat -> R) : R := variance d (left_by h s k m x).

Lemma layer_share x : layer_mean share_of x = / 2.
Proof.
  unfold layer_mean. rewrite (Sum_ext H _ (fun h => / 2 * r h)); [rewrite Sum_scal, (law_total _ _ _ _ U_law); ring|].
  intros h _. unfold share_of, taken. 
  rewrite (mean_share d K M p q W V (LN (attended h x)) (law_total _ _ _ _ W_law) (law_total _ _ _ _ V_law) d_pos W_law V_law (LN_length _)). ring.
Qed.
Lemma layer_spread x : layer_mean spread_of x = variance d x + 3 / 2 * (1 - / INR d).
Proof.
  pose proof (INR_pos d ltac:(lia)) as N. unfold layer_mean.
  rewrite (Sum_ext H _ (fun h => 1 * (r h * variance d (plus_of x (times d (U h) (LN x)))) + (1 - / INR d) / 2 * r h)).
  - rewrite Sum_lin2, mean_of_variance, LN_length, (law_total _ _ _ _ U_law) by (try lia; assumption). field. lra.
  - intros h _. unfold spread_of, left_by.
    rewrite (mean_over_inner K M p q (law_total _ _ _ _ V_law) _ (fun s k => variance d (attended h x) + (1 - / INR d) * (length2 d (taken h s k x) / INR d)))
      by (intros; apply mean_of_variance; [lia|assumption|assumption]).
    rewrite (mean_over_ext K M p q _ (fun s k m => variance d (attended h x) * 1 + (1 - / INR d) * share_of h s k m x)) by (intros; unfold share_of; ring).
    rewrite (mean_over_lin2 K M p q (variance d (attended h x)) (fun _ _ _ => 1) (1 - / INR d) (fun s k m => share_of h s k m x)).
    rewrite mean_over_const by (try apply (law_total _ _ _ _ W_law); apply (law_total _ _ _ _ V_law)).
    replace (mean_over K M p q (fun s k m => share_of h s k m x)) with (/ 2).
    + unfold attended. field. lra.
    + symmetry. unfold share_of, taken. 
      apply (mean_share d K M p q W V (LN (attended h x)) (law_total _ _ _ _ W_law) (law_total _ _ _ _ V_law) d_pos W_law V_law (LN_length _)).
Qed.
Lemma depth_share l x : depth_mean l share_of x = / 2.
Proof.
  destruct l; simpl; [apply layer_share|].
  transitivity (depth_mean l (fun _ _ _ _ _ => / 2) x); [apply depth_ext; intros; apply layer_share|apply depth_const].
Qed.
Lemma depth_spread l : forall x, depth_mean l spread_of x = variance d x + INR (S l) * (3 / 2 * (1 - / INR d)).
Proof.
  induction l; intros x; [simpl depth_mean; rewrite layer_spread; simpl; ring|].
  simpl depth_mean. rewrite (depth_ext l _ (fun h s k m x => 1 * spread_of h s k m x + 3 / 2 * (1 - / INR d) * 1)).
  - rewrite (depth_lin2 l 1 spread_of (3 / 2 * (1 - / INR d)) (fun _ _ _ _ _ => 1)), IHl, depth_const, (S_INR (S l)). ring.
  - intros. rewrite layer_spread. unfold spread_of. ring.
Qed.

(* E ||dL/dW_2||_F^2 over all weights and the upstream gradient, W_2 that of the last of S l layers *)
Definition mean_gradient_at_depth (l N : nat) (o : nat -> R) (g : nat -> nat -> R) (x : nat -> R) : R :=
  depth_mean l (fun h s k m z => Sum N (fun j => o j * frobenius2 d (gradient_of_W2 d (left_by h s k m z) (taken h s k z) (g j)))) x.

(* E9. Pre-norm, L = l + 1 layers, one token x of mean 0 and ||x||^2 = d, LN with ||LN(z)||^2 = d for every z, finite laws of W_V, W_1 (symmetric about 0) and
   W_2, independent in every layer, of mean 0 with E ||W v||^2 = ||v||^2 and, W_V and W_2, E <u, W v>^2 = ||u||^2 ||v||^2/d; y = ||a||^2/d of the last layer and
   the variance S of the features of its state, whose mean is M = 1 + (3/2)(1 - 1/d) L: if S > 0, E (y - 1/2)^2 <= A/d, E (S - M)^2 <= B M^2/d and
   E y (S - M)^2/S <= C M/d, then |E ||dL/dW_2||_F^2 - d/(3L + 2)| <= 4 (1 + (A + B)/2 + C)/(3L + 2) for upstream gradients isotropic with E ||g||^2 = 1. *)
Theorem E9_gradient_by_the_depth l N o g x A B C : let L := INR (S l) in let M := 1 + 3 / 2 * (1 - / INR d) * L in
  Sum d x = 0 -> length2 d x = INR d -> isotropic_upstream d N o g 1 ->
  (forall z, reached x l z -> forall h s k m, 0 < spread_of h s k m z) ->
  depth_mean l (fun h s k m z => (share_of h s k m z - / 2)^2) x <= A / INR d ->
  depth_mean l (fun h s k m z => (spread_of h s k m z - M)^2) x <= B * M^2 / INR d ->
  depth_mean l (fun h s k m z => share_of h s k m z * (spread_of h s k m z - M)^2 / spread_of h s k m z) x <= C * M / INR d ->
  Rabs (mean_gradient_at_depth l N o g x - INR d / (3 * L + 2)) <= 4 * (1 + (A + B) / 2 + C) / (3 * L + 2).
Proof.
  intros L m X0 XL Up Pos HA HB HC. pose proof (INR_pos d ltac:(lia)) as Dp. pose proof (INR_at_least d 2 d_pos) as D2. simpl INR in D2.
  assert (L1 : 1 <= L) by (unfold L; rewrite S_INR; pose proof (pos_INR l); lra).
  assert (I : 0 < / INR d <= / 2) by (split; [apply Rinv_0_lt_compat, Dp|apply Rinv_le_contravar; lra]).
  assert (Mb : (3 * L + 2) / 4 <= m) by (unfold m; nra). assert (M0 : 1 <= m) by lra.
  assert (Es : depth_mean l spread_of x = m).
  { rewrite depth_spread. pose proof (B5_quadratic_mean d ltac:(lia) x) as Q. unfold quadratic_mean, mean in Q. fold (length2 d x) in Q.
    rewrite X0, XL in Q. replace (variance d x) with 1; [unfold m, L; ring|].
    replace (INR d / INR d) with 1 in Q by (field; lra). unfold Rdiv in Q. rewrite Rmult_0_l in Q. simpl in Q. lra. }
  pose (near := fun h s k i z => / m * share_of h s k i z + (- / (2 * m^2)) * (spread_of h s k i z + - m * 1)).
  pose (off := fun h s k i z => / (2 * m) * (share_of h s k i z - / 2)^2 + / (2 * m^3) * (spread_of h s k i z - m)^2).
  pose (tail := fun h s k i z => share_of h s k i z * (spread_of h s k i z - m)^2 / spread_of h s k i z).
  pose (ratio := fun h s k i z => share_of h s k i z / spread_of h s k i z).
  assert (En : depth_mean l near x = / (2 * m)).
  { unfold near. rewrite (depth_lin2 l (/ m) share_of (- / (2 * m^2)) (fun h s k i z => spread_of h s k i z + - m * 1)).
    rewrite (depth_ext l (fun h s k i z => spread_of h s k i z + - m * 1) (fun h s k i z => 1 * spread_of h s k i z + - m * 1)) by (intros; ring).
    rewrite (depth_lin2 l 1 spread_of (- m) (fun _ _ _ _ _ => 1)), depth_const, depth_share, Es. field. lra. }
  assert (Eo : depth_mean l off x <= (A + B) / 2 / (INR d * m)).
  { unfold off. rewrite (depth_lin2 l (/ (2 * m)) (fun h s k i z => (share_of h s k i z - / 2)^2) (/ (2 * m^3)) (fun h s k i z => (spread_of h s k i z - m)^2)).
    apply Rle_trans with (/ (2 * m) * (A / INR d) + / (2 * m^3) * (B * m^2 / INR d)); [|right; field; lra].
    apply Rplus_le_compat; (apply Rmult_le_compat_l; [left; apply Rinv_0_lt_compat|assumption]); [lra|].
    apply Rmult_lt_0_compat; [lra|apply pow_lt; lra]. }
  assert (Et : 0 <= depth_mean l tail x <= C * m / INR d).
  { split; [|exact HC]. rewrite <- (depth_const l 0 x) at 1. apply depth_le. intros z Z h s k i. unfold tail. specialize (Pos z Z h s k i).
    apply div_nonneg; [|exact Pos]. apply Rmult_le_pos; [apply div_nonneg; [apply dot_nonneg|exact Dp]|apply pow2_ge_0]. }
  assert (Point : forall z, reached x l z -> forall h s k i,
    1 * near h s k i z + -1 * off h s k i z <= ratio h s k i z <= 1 * (1 * near h s k i z + 1 * off h s k i z) + / m^2 * tail h s k i z).
  { intros z Z h s k i. unfold ratio, near, off, tail. specialize (Pos z Z h s k i).
    assert (Y0 : 0 <= share_of h s k i z) by (apply div_nonneg; [apply dot_nonneg|exact Dp]).
    set (u := share_of h s k i z) in *. set (v := spread_of h s k i z) in *.
    replace (u / v) with (/ m * u + - / (2 * m^2) * (v + - m * 1) - (u - / 2) * (v - m) / m^2 + / m^2 * (u * (v - m)^2 / v)) by (field; lra).
    assert (T0 : 0 <= / m^2 * (u * (v - m)^2 / v)).
    { apply Rmult_le_pos; [left; apply Rinv_0_lt_compat, pow_lt; lra|]. apply div_nonneg; [apply Rmult_le_pos; [exact Y0|apply pow2_ge_0]|exact Pos]. }
    assert (Sq : forall e, 0 <= / (2 * m) * ((u - / 2) + e * ((v - m) / m))^2).
    { intros e. apply Rmult_le_pos; [left; apply Rinv_0_lt_compat; lra|apply pow2_ge_0]. }
    pose proof (Sq 1) as S1. pose proof (Sq (-1)) as S2.
    replace (/ (2 * m) * ((u - / 2) + 1 * ((v - m) / m))^2) with (/ (2 * m) * (u - / 2)^2 + / (2 * m^3) * (v - m)^2 + (u - / 2) * (v - m) / m^2) in S1 by (field; lra).
    replace (/ (2 * m) * ((u - / 2) + -1 * ((v - m) / m))^2) with (/ (2 * m) * (u - / 2)^2 + / (2 * m^3) * (v - m)^2 - (u - / 2) * (v - m) / m^2) in S2 by (field; lra).
    lra. }
  pose proof (depth_le l (fun h s k i z => 1 * near h s k i z + -1 * off h s k i z) ratio x (fun z Z h s k i => proj1 (Point z Z h s k i))) as Lo.
  pose proof (depth_le l ratio (fun h s k i z => 1 * (1 * near h s k i z + 1 * off h s k i z) + / m^2 * tail h s k i z) x
    (fun z Z h s k i => proj2 (Point z Z h s k i))) as Hi.
  rewrite (depth_lin2 l 1 near (-1) off), En in Lo.
  rewrite (depth_lin2 l 1 (fun h s k i z => 1 * near h s k i z + 1 * off h s k i z) (/ m^2) tail), (depth_lin2 l 1 near 1 off), En in Hi.
  assert (Tm : / m^2 * depth_mean l tail x <= C / (INR d * m)).
  { apply Rle_trans with (/ m^2 * (C * m / INR d)); [|right; field; lra]. apply Rmult_le_compat_l; [left; apply Rinv_0_lt_compat, pow_lt; lra|apply Et]. }
  assert (E : mean_gradient_at_depth l N o g x = (INR d - 2) * depth_mean l ratio x).
  { transitivity (depth_mean l (fun h s k i z => (INR d - 2) * ratio h s k i z + 0 * 1) x).
    - assert (Same : forall z, reached x l z -> forall h s k i,
        Sum N (fun j => o j * frobenius2 d (gradient_of_W2 d (left_by h s k i z) (taken h s k z) (g j))) = (INR d - 2) * ratio h s k i z + 0 * 1).
      { intros z Z h s k i. specialize (Pos z Z h s k i). unfold ratio, share_of, spread_of in *.
        rewrite (Sum_ext N _ (fun j => length2 d (taken h s k z) * (o j * dot d (sigma_grad d (left_by h s k i z) (g j) 0)
          (sigma_grad d (left_by h s k i z) (g j) 0)))) by (intros; rewrite length_of_gradient; ring).
        rewrite Sum_scal, (mean_over_upstream d N o g 1) by (try lia; try lra; exact Up). field. lra. }
      apply Rle_antisym; apply depth_le; intros z Z h s k i; rewrite (Same z Z h s k i); lra.
    - rewrite (depth_lin2 l (INR d - 2) ratio 0 (fun _ _ _ _ _ => 1)). ring. }
  rewrite E. set (e := depth_mean l ratio x) in *. set (T := (A + B) / 2 + C).
  assert (C0 : 0 <= C / (INR d * m)).
  { eapply Rle_trans; [|exact Tm]. apply Rmult_le_pos; [left; apply Rinv_0_lt_compat, pow_lt; lra|apply Et]. }
  assert (R : Rabs (e - / (2 * m)) <= T / (INR d * m)).
  { apply Rabs_le. unfold T, Rdiv in *. rewrite Rmult_plus_distr_r. lra. }
  assert (T0 : 0 <= T / (INR d * m)) by (eapply Rle_trans; [apply Rabs_pos|exact R]).
  assert (Dm : 2 * m = 2 + 3 * L - 3 * L / INR d) by (unfold m; field; lra).
  replace ((INR d - 2) * e - INR d / (3 * L + 2)) with ((INR d - 2) * (e - / (2 * m)) - (3 * L + 4) / (2 * m * (3 * L + 2))).
  2: { replace ((3 * L + 4) / (2 * m * (3 * L + 2))) with (INR d / (3 * L + 2) - (INR d - 2) / (2 * m)); [field; lra|].
       apply Rmult_eq_reg_r with (2 * m * (3 * L + 2)); [|apply Rgt_not_eq, Rmult_lt_0_compat; lra].
       transitivity (INR d * (2 * m) - (INR d - 2) * (3 * L + 2)); [field; lra|]. transitivity (3 * L + 4); [rewrite Dm; field; lra|field; lra]. }
  unfold Rminus at 1. eapply Rle_trans; [apply Rabs_triang|]. rewrite Rabs_Ropp, Rabs_mult, (Rabs_pos_eq (INR d - 2)) by lra.
  assert (P1 : (INR d - 2) * Rabs (e - / (2 * m)) <= T * / m).
  { apply Rle_trans with (INR d * (T / (INR d * m))); [|right; field; lra].
    apply Rle_trans with ((INR d - 2) * (T / (INR d * m))); [apply Rmult_le_compat_l; lra|apply Rmult_le_compat_r; lra]. }
  assert (P2 : Rabs ((3 * L + 4) / (2 * m * (3 * L + 2))) <= 1 * / m).
  { rewrite Rabs_pos_eq by (apply div_nonneg; [lra|apply Rmult_lt_0_compat; lra]).
    apply div_le_of; [apply Rmult_lt_0_compat; lra|]. replace (1 * / m * (2 * m * (3 * L + 2))) with (2 * (3 * L + 2)) by (field; lra). lra. }
  assert (Tp : 0 <= T).
  { replace T with (T / (INR d * m) * (INR d * m)) by (field; lra). apply Rmult_le_pos; [exact T0|]. apply Rmult_le_pos; lra. }
  assert (Im : / m <= 4 / (3 * L + 2)).
  { replace (4 / (3 * L + 2)) with (/ ((3 * L + 2) / 4)) by (field; lra). apply Rinv_le_contravar; lra. }
  apply Rle_trans with ((1 + T) * / m); [lra|].
  replace (4 * (1 + (A + B) / 2 + C) / (3 * L + 2)) with ((1 + T) * (4 / (3 * L + 2))) by (unfold T; field; lra).
  apply Rmult_le_compat_l; [lra|exact Im].
Qed.

(* Over the weights of one layer that is given z, S has the mean var(z) + rise. *)
Definition rise : R := 3 / 2 * (1 - / INR d).
Definition off_from (t : R) (h : nat) (s : bool) (k m : nat) (z : nat -> R) : R := spread_of h s k m z - t.
Definition square_from (t : R) (h : nat) (s : bool) (k m : nat) (z : nat -> R) : R := (off_from t h s k m z)^2.
Definition ratio_from (t : R) (h : nat) (s : bool) (k m : nat) (z : nat -> R) : R := square_from t h s k m z / spread_of h s k m z.

Lemma layer_affine a F b c z : layer_mean (fun h s k m z => a * F h s k m z + b * spread_of h s k m z + c) z
  = a * layer_mean F z + b * (variance d z + rise) + c.
Proof.
  rewrite (layer_ext _ (fun h s k m z => 1 * (a * F h s k m z + b * spread_of h s k m z) + c * 1)) by (intros; ring).
  rewrite (layer_lin2 1 (fun h s k m z => a * F h s k m z + b * spread_of h s k m z) c (fun _ _ _ _ _ => 1)).
  rewrite (layer_lin2 a F b spread_of), layer_const, layer_spread. unfold rise. ring.
Qed.
Lemma layer_square z m : let t := variance d z + rise in
  layer_mean (square_from (m + rise)) z = (variance d z - m)^2 + layer_mean (square_from t) z.
Proof.
  intros t. set (o := variance d z - m).
  rewrite (layer_ext _ (fun h s k i z' => 1 * square_from t h s k i z' + 2 * o * spread_of h s k i z' + (o^2 - 2 * o * t)))
    by (intros; unfold square_from, off_from, o, t; ring).
  rewrite layer_affine. fold t. ring.
Qed.
Lemma layer_ratio z m Q : let t := variance d z + rise in 0 <= Q -> 4 * Q <= 3 * (INR d - 1) -> 0 < variance d z ->
  (forall h s k i, 0 < spread_of h s k i z) -> layer_mean (ratio_from t) z <= Q / INR d ->
  layer_mean (ratio_from (m + rise)) z <= (variance d z - m)^2 / variance d z + 2 * Q / INR d.
Proof.
  intros t Q0 Qd Vz Pos E. pose proof (INR_pos d ltac:(lia)) as Dp. pose proof (INR_at_least d 2 d_pos) as D2. simpl INR in D2.
  set (v := variance d z) in *. set (o := v - m). set (u := Q / INR d) in *.
  assert (U0 : 0 <= u) by (apply div_nonneg; lra).
  assert (U2 : 2 * u <= rise).
  { unfold u, rise. replace (3 / 2 * (1 - / INR d)) with (3 / 2 * (INR d - 1) / INR d) by (field; lra).
    replace (2 * (Q / INR d)) with (2 * Q / INR d) by (field; lra). apply div_le; lra. }
  assert (T : 0 < t) by (unfold t; lra). assert (O : m + rise = t - o) by (unfold o, t; ring).
  set (b := (t - o)^2 / t^2).
  rewrite (layer_ext _ (fun h s k i z' => b * ratio_from t h s k i z' + (1 - b) * spread_of h s k i z' + (o^2 / t - (1 - b) * t))).
  2: { intros h s k i. unfold ratio_from, square_from, off_from. rewrite O. specialize (Pos h s k i). unfold b. field. lra. }
  rewrite layer_affine. fold v. fold t.
  assert (Step : b * u + o^2 / t <= o^2 / v + 2 * u).
  { assert (Vt : o^2 / t = o^2 / v * (v / t)) by (field; lra).
    assert (B : b <= 2 + 2 * (o^2 / v) * (v / t^2)).
    { unfold b. apply div_le_of; [apply pow_lt, T|].
      replace ((2 + 2 * (o^2 / v) * (v / t^2)) * t^2) with (2 * t^2 + 2 * o^2) by (field; lra). pose proof (pow2_ge_0 (t + o)). lra. }
    assert (W0 : 0 <= o^2 / v) by (apply div_nonneg; [apply pow2_ge_0|exact Vz]).
    assert (Bu : b * u <= (2 + 2 * (o^2 / v) * (v / t^2)) * u) by (apply Rmult_le_compat_r; assumption).
    assert (F : 2 * u * (v / t^2) + v / t <= 1).
    { replace (2 * u * (v / t^2) + v / t) with (v * (2 * u + t) / t^2) by (field; lra). apply div_le_of; [apply pow_lt, T|].
      unfold t in *. nra. }
    rewrite Vt. set (w := o^2 / v) in *. assert (w * (2 * u * (v / t^2) + v / t) <= w * 1) by (apply Rmult_le_compat_l; assumption). lra. }
  assert (b * layer_mean (ratio_from t) z <= b * u).
  { apply Rmult_le_compat_l; [|exact E]. apply div_nonneg; [apply pow2_ge_0|apply pow_lt, T]. }
  replace (2 * Q / INR d) with (2 * u) by (unfold u; field; lra). lra.
Qed.

(* E9. Its premises at every depth, from what one layer does, with constants that no depth is in: x of mean 0 and ||x||^2 = d; if for every z that is x or what
   some layers leave of it, and all weights of a layer that is given z, S > 0 and y <= Y, and over these weights E (y - 1/2)^2 <= A/d,
   E (S - E S)^2 <= Q (1 + var(z))/d and E (S - E S)^2/S <= Q/d, 4 Q <= 3 (d - 1), then for every number of layers L E (S - M)^2 <= B M^2/d and
   E y (S - M)^2/S <= C M/d with B = (8/3) Q, C = (8/3) Q Y, and |E ||dL/dW_2||_F^2 - d/(3L + 2)| <= 4 (1 + (A + B)/2 + C)/(3L + 2). *)
Theorem E9_premises_of_one_layer N o g x A Q Y : let B := 8 / 3 * Q in let C := 8 / 3 * Q * Y in
  Sum d x = 0 -> length2 d x = INR d -> isotropic_upstream d N o g 1 -> 0 <= Q -> 4 * Q <= 3 * (INR d - 1) ->
  (forall j z, reached x j z ->
    (forall h s k m, 0 < spread_of h s k m z /\ share_of h s k m z <= Y) /\
    layer_mean (fun h s k m z => (share_of h s k m z - / 2)^2) z <= A / INR d /\
    layer_mean (square_from (variance d z + rise)) z <= Q * (1 + variance d z) / INR d /\
    layer_mean (ratio_from (variance d z + rise)) z <= Q / INR d) ->
  forall l, let L := INR (S l) in let M := 1 + rise * L in
  depth_mean l (square_from M) x <= B * M^2 / INR d /\
  depth_mean l (fun h s k m z => share_of h s k m z * (spread_of h s k m z - M)^2 / spread_of h s k m z) x <= C * M / INR d /\
  Rabs (mean_gradient_at_depth l N o g x - INR d / (3 * L + 2)) <= 4 * (1 + (A + B) / 2 + C) / (3 * L + 2).
Proof.
  intros B C X0 XL Up Q0 Qd One l L top. pose proof (INR_pos d ltac:(lia)) as Dp. pose proof (INR_at_least d 2 d_pos) as D2. simpl INR in D2.
  assert (Ri : 3 / 4 <= rise).
  { assert (/ INR d <= / 2) by (apply Rinv_le_contravar; lra). unfold rise. lra. }
  assert (Vx : variance d x = 1).
  { pose proof (B5_quadratic_mean d ltac:(lia) x) as E. unfold quadratic_mean, mean in E. fold (length2 d x) in E. rewrite X0, XL in E.
    replace (INR d / INR d) with 1 in E by (field; lra). unfold Rdiv in E. rewrite Rmult_0_l in E. simpl in E. lra. }
  assert (Next : forall j z, reached x j z -> forall h s k m, reached x (S j) (left_by h s k m z)).
  { intros j z Z h s k m. exists z, h, s, k, m. split; [exact Z|reflexivity]. }
  assert (Vp : forall j z, reached x j z -> 0 < variance d z).
  { intros [|j] z Z; [simpl in Z; subst z; lra|]. destruct Z as (y & h & s & k & m & Z & ->). apply (One j y Z). }
  pose (at_depth := fun j => 1 + rise * INR (S j)).
  assert (M1 : forall j, 1 <= at_depth j) by (intros j; unfold at_depth; rewrite S_INR; pose proof (pos_INR j); nra).
  assert (Up1 : forall j, at_depth (S j) = at_depth j + rise) by (intros j; unfold at_depth; rewrite (S_INR (S j)); ring).
  assert (Mean : forall j, depth_mean j spread_of x = at_depth j) by (intros j; rewrite depth_spread, Vx; unfold at_depth, rise; ring).
  assert (Square : forall j, depth_mean j (square_from (at_depth j)) x <= INR (S j) * (Q * (1 + at_depth j) / INR d)).
  { assert (Add : forall c c', 0 <= c <= c' -> Q * (1 + c) / INR d <= Q * (1 + c') / INR d)
      by (intros c c' I; apply div_le; [exact Dp|]; apply Rmult_le_compat_l; lra).
    induction j.
    - simpl depth_mean. replace (at_depth 0%nat) with (1 + rise) by (unfold at_depth; simpl; ring).
      pose proof (layer_square x 1) as E. cbv zeta in E. rewrite E, Vx. destruct (One 0%nat x eq_refl) as (_ & _ & F & _). rewrite Vx in F.
      pose proof (Add 1 (1 + rise) ltac:(lra)). simpl INR. simpl pow. lra.
    - rewrite Up1. simpl depth_mean.
      apply Rle_trans with (depth_mean j (fun h s k m z => 1 * square_from (at_depth j) h s k m z
        + Q / INR d * (1 * spread_of h s k m z + 1 * 1)) x).
      + apply depth_le. intros z Z h s k m. pose proof (layer_square (left_by h s k m z) (at_depth j)) as E. cbv zeta in E. rewrite E.
        destruct (One (S j) _ (Next j z Z h s k m)) as (_ & _ & F & _). unfold square_from at 2. unfold off_from, spread_of at 1.
        replace (Q / INR d * (1 * spread_of h s k m z + 1 * 1)) with (Q * (1 + variance d (left_by h s k m z)) / INR d)
          by (unfold spread_of; field; lra). lra.
      + rewrite (depth_lin2 j 1 (square_from (at_depth j)) (Q / INR d) (fun h s k m z => 1 * spread_of h s k m z + 1 * 1)).
        rewrite (depth_lin2 j 1 spread_of 1 (fun _ _ _ _ _ => 1)), depth_const, Mean.
        pose proof (Add (at_depth j) (at_depth j + rise) ltac:(specialize (M1 j); lra)) as I. rewrite (S_INR (S j)). pose proof (pos_INR (S j)).
        assert (INR (S j) * (Q * (1 + at_depth j) / INR d) <= INR (S j) * (Q * (1 + (at_depth j + rise)) / INR d)) by (apply Rmult_le_compat_l; assumption).
        replace (Q / INR d * (1 * at_depth j + 1 * 1)) with (Q * (1 + at_depth j) / INR d) by (field; lra). lra. }
  assert (Ratio : forall j, depth_mean j (ratio_from (at_depth j)) x <= INR (S j) * (2 * Q / INR d)).
  { induction j.
    - simpl depth_mean. replace (at_depth 0%nat) with (1 + rise) by (unfold at_depth; simpl; ring).
      destruct (One 0%nat x eq_refl) as (P & _ & _ & F).
      pose proof (layer_ratio x 1 Q Q0 Qd ltac:(lra) (fun h s k i => proj1 (P h s k i)) F) as E. rewrite Vx in E. simpl INR.
      replace ((1 - 1)^2 / 1) with 0 in E by field. lra.
    - rewrite Up1. simpl depth_mean.
      apply Rle_trans with (depth_mean j (fun h s k m z => 1 * ratio_from (at_depth j) h s k m z + 2 * Q / INR d * 1) x).
      + apply depth_le. intros z Z h s k m. pose proof (Next j z Z h s k m) as R. destruct (One (S j) _ R) as (P & _ & _ & F).
        pose proof (layer_ratio (left_by h s k m z) (at_depth j) Q Q0 Qd (Vp _ _ R) (fun h s k i => proj1 (P h s k i)) F) as E.
        unfold ratio_from at 2. unfold square_from, off_from, spread_of at 1 2. lra.
      + rewrite (depth_lin2 j 1 (ratio_from (at_depth j)) (2 * Q / INR d) (fun _ _ _ _ _ => 1)), depth_const, (S_INR (S j)). lra. }
  assert (ML : L <= 4 / 3 * top) by (unfold top, L; rewrite S_INR; pose proof (pos_INR l); nra).
  assert (M0 : 1 <= top) by apply (M1 l). assert (L0 : 0 <= L) by apply pos_INR.
  assert (HB : depth_mean l (square_from top) x <= B * top^2 / INR d).
  { eapply Rle_trans; [apply (Square l)|]. fold top. fold L. unfold at_depth. fold L. fold top. unfold B.
    replace (L * (Q * (1 + top) / INR d)) with (Q * (L * (1 + top)) / INR d) by (field; lra).
    replace (8 / 3 * Q * top^2 / INR d) with (Q * (8 / 3 * top^2) / INR d) by (field; lra).
    apply div_le; [exact Dp|]. apply Rmult_le_compat_l; [exact Q0|]. nra. }
  destruct (One 0%nat x eq_refl) as (P0 & _). assert (Y0 : 0 <= Y).
  { eapply Rle_trans; [|apply (P0 0%nat true 0%nat 0%nat)]. apply div_nonneg; [apply dot_nonneg|exact Dp]. }
  assert (HC : depth_mean l (fun h s k m z => share_of h s k m z * (spread_of h s k m z - top)^2 / spread_of h s k m z) x <= C * top / INR d).
  { apply Rle_trans with (depth_mean l (fun h s k m z => Y * ratio_from top h s k m z + 0 * 1) x).
    - apply depth_le. intros z Z h s k m. destruct (One l z Z) as (P & _). destruct (P h s k m) as [P1 P2].
      unfold ratio_from, square_from, off_from. unfold Rdiv at 1. rewrite Rmult_assoc, Rplus_comm, Rmult_0_l, Rplus_0_l.
      apply Rmult_le_compat_r; [apply div_nonneg; [apply pow2_ge_0|exact P1]|exact P2].
    - rewrite (depth_lin2 l Y (ratio_from top) 0 (fun _ _ _ _ _ => 1)). pose proof (Ratio l) as R. unfold at_depth in R. fold L in R. fold top in R.
      apply Rle_trans with (Y * (L * (2 * Q / INR d))); [rewrite Rmult_0_l, Rplus_0_r; apply Rmult_le_compat_l; assumption|]. unfold C.
      replace (Y * (L * (2 * Q / INR d))) with (Q * Y * (2 * L) / INR d) by (field; lra).
      replace (8 / 3 * Q * Y * top / INR d) with (Q * Y * (8 / 3 * top) / INR d) by (field; lra).
      apply div_le; [exact Dp|]. apply Rmult_le_compat_l; [apply Rmult_le_pos; assumption|]. lra. }
  split; [exact HB|]. split; [exact HC|].
  apply E9_gradient_by_the_depth; try assumption.
  - intros z Z h s k m. apply (One l z Z).
  - destruct l; [apply (One 0%nat x eq_refl)|]. simpl depth_mean. rewrite <- (depth_const l (A / INR d) x).
    apply depth_le. intros z Z h s k m. apply (One (S l) _ (Next l z Z h s k m)).
Qed.
End Layers.
