(* L: what the output of a position of a causal encoder is a function of, for every number of tokens, features, heads and
   layers. *)
From Coq Require Import Reals Lra Psatz Lia Arith List FunctionalExtensionality.
From normproof Require Import sums layers identities lipschitz.
Open Scope R_scope.

(* the features of a token, and the tokens; a norm takes all of them, and the one that it normalises *)
Definition row := nat -> R.
Definition batch := nat -> row.
Definition site := batch -> row -> row.

(* What a layer is made of, its parts by rows: the scores and the values of each head, what is made of what the heads give,
   the feed-forward, and the norms. *)
Record layer := {
  score : nat -> row -> row -> R;
  value : nat -> row -> row;
  out : (nat -> row) -> row;
  feed : row -> row;
  norm1 : site;
  norm2 : site }.

Definition add (u v : row) : row := fun i => u i + v i.
Definition normed (n : site) (x : batch) : batch := fun t => n x (x t).

(* causal attention: a softmax over the positions up to t *)
Definition weight (l : layer) (h : nat) (x : batch) (t s : nat) : R := exp (score l h (x t) (x s)).
Definition attended (l : layer) (h : nat) (x : batch) (t : nat) : row := fun i =>
  Sum (S t) (fun s => weight l h x t s * value l h (x s) i) / Sum (S t) (weight l h x t).
Definition attention (l : layer) (x : batch) : batch := fun t => out l (fun h => attended l h x t).

Definition post (l : layer) (x : batch) : batch :=
  let h := normed (norm1 l) (fun t => add (x t) (attention l x t)) in
  normed (norm2 l) (fun t => add (h t) (feed l (h t))).
Definition pre (l : layer) (x : batch) : batch :=
  let h := fun t => add (x t) (attention l (normed (norm1 l) x) t) in
  fun t => add (h t) (feed l (normed (norm2 l) h t)).
Definition encoder (is_post : bool) (layers : list layer) (final : site) (head : row -> row) (x : batch) : batch :=
  fun t => head (normed final (fold_left (fun x l => if is_post then post l x else pre l x) layers x) t).

Definition agree (t : nat) (x x' : batch) : Prop := forall s, (s <= t)%nat -> x s = x' s.
(* every norm of the encoder is one of these *)
Definition has_norms (kind : site -> Prop) (layers : list layer) (final : site) : Prop :=
  (forall l, In l layers -> kind (norm1 l) /\ kind (norm2 l)) /\ kind final.
Definition of_its_row (n : site) : Prop := forall x x' r, n x r = n x' r.

Lemma normed_agree n t x x' : of_its_row n -> agree t x x' -> agree t (normed n x) (normed n x').
Proof. intros N A s Hs. unfold normed. rewrite (A s Hs). apply N. Qed.
Lemma attention_agree l t x x' : agree t x x' -> agree t (attention l x) (attention l x').
Proof.
  intros A s Hs. unfold attention. f_equal. extensionality h. extensionality i. unfold attended, weight.
  f_equal; apply Sum_ext; intros k Hk; rewrite (A s Hs), (A k) by lia; reflexivity.
Qed.
Lemma layer_agree l (is_post : bool) t x x' : of_its_row (norm1 l) -> of_its_row (norm2 l) -> agree t x x' ->
  agree t (if is_post then post l x else pre l x) (if is_post then post l x' else pre l x').
Proof.
  intros N1 N2 A. destruct is_post; unfold post, pre; cbv zeta.
  - apply normed_agree; [exact N2|]. intros s Hs.
    rewrite (normed_agree (norm1 l) t _ (fun t => add (x' t) (attention l x' t)) N1) with (s := s); [reflexivity| |exact Hs].
    intros k Hk. rewrite (A k Hk), (attention_agree l t x x' A k Hk). reflexivity.
  - assert (H : agree t (fun t => add (x t) (attention l (normed (norm1 l) x) t))
                        (fun t => add (x' t) (attention l (normed (norm1 l) x') t))).
    { intros k Hk. rewrite (A k Hk), (attention_agree l t _ _ (normed_agree _ t _ _ N1 A) k Hk). reflexivity. }
    intros s Hs. rewrite (H s Hs), (normed_agree _ t _ _ N2 H s Hs). reflexivity.
Qed.
Lemma encoder_agree (kind : site -> Prop) is_post layers final head t x x' : (forall n, kind n -> of_its_row n) ->
  has_norms kind layers final -> agree t x x' ->
  encoder is_post layers final head x t = encoder is_post layers final head x' t.
Proof.
  intros K [N F] A. unfold encoder. f_equal. revert x x' A.
  induction layers as [|l layers IH]; simpl; intros x x' A.
  - apply (normed_agree final t x x'); auto.
  - apply IH; [intros; apply N; right; assumption|].
    destruct (N l (or_introl eq_refl)). apply layer_agree; auto.
Qed.

(* ---- Norms over one row: D features, or groups of w of them. *)
Definition in_groups (w : nat) (eps : R) (r : row) : row := fun i => psi_hat w (fun j => r (i / w * w + j)%nat) eps (i mod w).
Inductive over_a_row (d : nat) : site -> Prop :=
  | no_norm : over_a_row d (fun _ r => r)
  | layer_norm eps gamma beta : over_a_row d (fun _ r i => gamma i * sigma_hat d r eps i + beta i)
  | rms_norm eps gamma : over_a_row d (fun _ r i => gamma i * psi_hat d r eps i)
  | scale_norm eps gamma : over_a_row d (fun _ r i => gamma * (r i / sqrt (dot d r r + eps)))
  | group_scaling w eps : over_a_row d (fun _ r => in_groups w eps r)
  | dyt alpha gamma beta : over_a_row d (fun _ r i => gamma i * tanh (alpha * r i) + beta i).

(* ---- Norms by statistics that are there before the step: PowerNorm's psi, or a running mean and variance. Released, group scaling
   comes first. *)
Definition by_old_psi (psi2 : row) (eps : R) (gamma beta : row) : site := fun _ r i => gamma i * (r i / sqrt (psi2 i + eps)) + beta i.
Definition by_running (m v : row) (eps : R) (gamma beta : row) : site :=
  fun _ r i => gamma i * ((r i - m i) / sqrt (v i + eps)) + beta i.
Inductive behind_warm_up : site -> Prop :=
  | power_norm psi2 eps gamma beta : behind_warm_up (by_old_psi psi2 eps gamma beta)
  | power_norm_released w group_eps psi2 eps gamma beta :
      behind_warm_up (fun x r => by_old_psi psi2 eps gamma beta x (in_groups w group_eps r)).
Inductive in_inference (d : nat) : site -> Prop :=
  | row_alone n : over_a_row d n -> in_inference d n
  | old_psi n : behind_warm_up n -> in_inference d n
  | running m v eps gamma beta : in_inference d (by_running m v eps gamma beta).

Lemma over_a_row_its_row d n : over_a_row d n -> of_its_row n.
Proof. intros K x x' r. destruct K; reflexivity. Qed.
Lemma behind_warm_up_its_row n : behind_warm_up n -> of_its_row n.
Proof. intros K x x' r. destruct K; reflexivity. Qed.
Lemma in_inference_its_row d n : in_inference d n -> of_its_row n.
Proof.
  intros K x x' r. destruct K as [n K|n K|]; [apply (over_a_row_its_row d n K)|apply (behind_warm_up_its_row n K)|reflexivity].
Qed.

(* L1. A causal encoder, post or pre, of any number of layers, heads and features; any scores, values, feed-forwards and head that are
   functions of rows; each norm one of inference: over one row, or by a running mean and variance, or by a psi, that are
   there before the step: x_s = x'_s for all s <= t gives the same logits of position t. *)
Theorem L1_inference d is_post layers final head t x x' : has_norms (in_inference d) layers final ->
  (forall s, (s <= t)%nat -> x s = x' s) ->
  encoder is_post layers final head x t = encoder is_post layers final head x' t.
Proof. intros N A. exact (encoder_agree _ is_post layers final head t x x' (in_inference_its_row d) N A). Qed.

(* L2. As L1, where each norm is LayerNorm, RMSNorm, ScaleNorm, group scaling, DyT or none, in training as in inference. *)
Theorem L2_norms_over_a_row d is_post layers final head t x x' : has_norms (over_a_row d) layers final ->
  (forall s, (s <= t)%nat -> x s = x' s) ->
  encoder is_post layers final head x t = encoder is_post layers final head x' t.
Proof. intros N A. exact (encoder_agree _ is_post layers final head t x x' (over_a_row_its_row d) N A). Qed.

(* L5. As L1, where each norm is PowerNorm behind its warm-up, or the released one, whose psi is any that the steps before have
   left. *)
Theorem L5_psi_of_the_steps_before is_post layers final head t x x' : has_norms behind_warm_up layers final ->
  (forall s, (s <= t)%nat -> x s = x' s) ->
  encoder is_post layers final head x t = encoder is_post layers final head x' t.
Proof. intros N A. exact (encoder_agree _ is_post layers final head t x x' behind_warm_up_its_row N A). Qed.

(* ---- Norms by statistics of the batch, n tokens. *)
Definition column (x : batch) (i : nat) : nat -> R := fun s => x s i.
Definition batch_norm (n : nat) (eps : R) (gamma beta : row) : site :=
  fun x r i => gamma i * ((r i - mean n (column x i)) / sigma_s n (column x i) eps) + beta i.
Definition power_norm_v (n : nat) (eps : R) (gamma beta : row) : site :=
  fun x r i => gamma i * (r i / psi_s n (column x i) eps) + beta i.
Definition clamp (least most v : R) : R := Rmax least (Rmin most v).
Definition batch_renorm (n : nat) (eps : R) (m v : row) (r_max d_max : R) : site := fun x r i =>
  (r i - mean n (column x i)) / sigma_s n (column x i) eps
    * clamp (/ r_max) r_max (sigma_s n (column x i) eps / sqrt (v i + eps))
  + clamp (- d_max) d_max ((mean n (column x i) - m i) / sqrt (v i + eps)).

(* they are the normalisations of layers.v along the batch *)
Lemma batch_norm_hat n eps x t i :
  normed (batch_norm n eps (fun _ => 1) (fun _ => 0)) x t i = sigma_hat n (column x i) eps t.
Proof. unfold normed, batch_norm, sigma_hat, centred, column. ring. Qed.
Lemma power_norm_v_hat n eps x t i :
  normed (power_norm_v n eps (fun _ => 1) (fun _ => 0)) x t i = psi_hat n (column x i) eps t.
Proof. unfold normed, power_norm_v, psi_hat, column. ring. Qed.

(* nothing is attended to and the feed-forward gives 0: post, y is x through the two norms *)
Definition bare (n : site) : layer := {| score := fun _ _ _ => 0; value := fun _ _ _ => 0; out := fun _ _ => 0;
  feed := fun _ _ => 0; norm1 := n; norm2 := n |}.
Lemma bare_is_its_norms n x : encoder true (bare n :: nil) (fun _ r => r) (fun r => r) x = normed n (normed n x).
Proof.
  assert (Z : forall u : batch, (fun t => add (u t) (fun _ => 0)) = u).
  { intros u. extensionality t. extensionality i. unfold add. ring. }
  unfold encoder. simpl. unfold post, attention. cbv zeta. simpl. rewrite !Z. reflexivity.
Qed.

Definition ones : row := fun _ => 1.
Definition zeros : row := fun _ => 0.
(* two tokens of one feature *)
Definition tokens (a b : R) : batch := fun s _ => match s with O => a | _ => b end.

Lemma batch_norm_of_two eps x i : 0 < eps ->
  sigma_hat 2 (column x i) eps 0 = (x 0%nat i - x 1%nat i) / 2 / sqrt (((x 0%nat i - x 1%nat i) / 2)^2 + eps) /\
  sigma_hat 2 (column x i) eps 1 = - ((x 0%nat i - x 1%nat i) / 2 / sqrt (((x 0%nat i - x 1%nat i) / 2)^2 + eps)).
Proof.
  intros E. assert (V : variance 2 (column x i) = ((x 0%nat i - x 1%nat i) / 2)^2) by (unfold column; compute_sums; field).
  assert (P : 0 < sqrt (((x 0%nat i - x 1%nat i) / 2)^2 + eps)) by (apply sqrt_lt_R0; pose proof (pow2_ge_0 ((x 0%nat i - x 1%nat i) / 2)); lra).
  unfold sigma_hat, sigma_s. rewrite V. set (q := sqrt _) in *. clearbody q.
  unfold column. compute_sums. split; field; lra.
Qed.

(* L3. Not: as L1, where each norm is BatchNorm over the n tokens of the batch, or none. Two tokens of one feature, one post-norm layer
   that adds nothing, eps = 3: (0, 0) gives the first token 0, (0, 2) less. *)
Theorem L3_batch_norm_refuted : ~ (forall n eps is_post layers final head t x x', (t < n)%nat -> 0 < eps ->
  has_norms (fun s => s = batch_norm n eps ones zeros \/ s = (fun _ r => r)) layers final ->
  (forall s, (s <= t)%nat -> x s = x' s) ->
  encoder is_post layers final head x t = encoder is_post layers final head x' t).
Proof.
  intros H. set (n := batch_norm 2 3 ones zeros).
  specialize (H 2%nat 3 true (bare n :: nil) (fun _ r => r) (fun r => r) 0%nat (tokens 0 0) (tokens 0 2)
    ltac:(lia) ltac:(lra)).
  assert (K : normed n (normed n (tokens 0 0)) 0%nat = normed n (normed n (tokens 0 2)) 0%nat).
  { rewrite <- !bare_is_its_norms. apply H.
    - split; [intros l [<-|[]]; split; left; reflexivity|right; reflexivity].
    - intros [|s] L; [reflexivity|lia]. }
  apply (f_equal (fun r : row => r 0%nat)) in K. unfold n, ones, zeros in K.
  assert (Two : forall x, let y := fun s => normed (batch_norm 2 3 (fun _ => 1) (fun _ => 0)) x s 0%nat in
    exists q, 0 < q /\ y 0%nat = (x 0%nat 0%nat - x 1%nat 0%nat) / 2 * q /\ y 1%nat = - ((x 0%nat 0%nat - x 1%nat 0%nat) / 2 * q)).
  { intros x y. unfold y. rewrite !batch_norm_hat. destruct (batch_norm_of_two 3 x 0%nat ltac:(lra)) as [A B].
    exists (/ sqrt (((x 0%nat 0%nat - x 1%nat 0%nat) / 2)^2 + 3)). split; [|split; [exact A|exact B]].
    apply Rinv_0_lt_compat, sqrt_lt_R0. pose proof (pow2_ge_0 ((x 0%nat 0%nat - x 1%nat 0%nat) / 2)). lra. }
  set (f := batch_norm 2 3 (fun _ => 1) (fun _ => 0)) in *.
  destruct (Two (tokens 0 0)) as (a & _ & A0 & A1), (Two (normed f (tokens 0 0))) as (b & _ & B0 & _),
    (Two (tokens 0 2)) as (c & C & C0 & C1), (Two (normed f (tokens 0 2))) as (e & E & E0 & _).
  simpl in *. rewrite B0, E0, A0, A1, C0, C1 in K. nra.
Qed.

(* L3. BatchRenorm with r_max = 1 and d_max = 0 is BatchNorm, but where neither r nor d is clamped it is normalisation by the running
   mean and variance, which sees no later token. *)
Theorem L3_batch_renorm n eps m v r_max d_max x r i : 0 < variance n (column x i) + eps -> 0 < v i + eps ->
  (batch_renorm n eps m v 1 0 x r i = batch_norm n eps ones zeros x r i) /\
  (/ r_max <= sigma_s n (column x i) eps / sqrt (v i + eps) <= r_max ->
   - d_max <= (mean n (column x i) - m i) / sqrt (v i + eps) <= d_max ->
   batch_renorm n eps m v r_max d_max x r i = by_running m v eps ones zeros x r i).
Proof.
  intros P Q. pose proof (sigma_s_pos n (column x i) eps P). pose proof (sqrt_lt_R0 _ Q).
  unfold batch_renorm, batch_norm, by_running, ones, zeros, clamp. split.
  - rewrite Rinv_1, Ropp_0. unfold Rmax, Rmin. repeat destruct Rle_dec; try lra.
  - intros [R1 R2] [D1 D2]. rewrite !Rmin_right by assumption. rewrite !Rmax_right by assumption. field. lra.
Qed.

(* L4. Not: as L1, where each norm is PN-V over the n tokens of the batch, which PowerNorm is in its warm-up, or none. Two tokens of one
   feature, one post-norm layer that adds nothing, eps = 1: of (1, 0) the first token's square is 1/2, of (1, 1) 1/3. *)
Theorem L4_power_norm_v_refuted : ~ (forall n eps is_post layers final head t x x', (t < n)%nat -> 0 < eps ->
  has_norms (fun s => s = power_norm_v n eps ones zeros \/ s = (fun _ r => r)) layers final ->
  (forall s, (s <= t)%nat -> x s = x' s) ->
  encoder is_post layers final head x t = encoder is_post layers final head x' t).
Proof.
  intros H. set (n := power_norm_v 2 1 ones zeros).
  specialize (H 2%nat 1 true (bare n :: nil) (fun _ r => r) (fun r => r) 0%nat (tokens 1 0) (tokens 1 1)
    ltac:(lia) ltac:(lra)).
  assert (K : normed n (normed n (tokens 1 0)) 0%nat = normed n (normed n (tokens 1 1)) 0%nat).
  { rewrite <- !bare_is_its_norms. apply H.
    - split; [intros l [<-|[]]; split; left; reflexivity|right; reflexivity].
    - intros [|s] L; [reflexivity|lia]. }
  apply (f_equal (fun r : row => (r 0%nat)^2)) in K. unfold n, ones, zeros in K.
  set (f := power_norm_v 2 1 (fun _ => 1) (fun _ => 0)) in *.
  assert (Square : forall x s, (s < 2)%nat -> (normed f x s 0%nat)^2 = (x s 0%nat)^2 / (((x 0%nat 0%nat)^2 + (x 1%nat 0%nat)^2) / 2 + 1)).
  { intros x s Hs. unfold f. rewrite power_norm_v_hat. unfold psi_hat.
    assert (Q : quadratic_mean 2 (column x 0%nat) = ((x 0%nat 0%nat)^2 + (x 1%nat 0%nat)^2) / 2) by (unfold column; compute_sums; field).
    assert (P : 0 < quadratic_mean 2 (column x 0%nat) + 1).
    { rewrite Q. pose proof (pow2_ge_0 (x 0%nat 0%nat)). pose proof (pow2_ge_0 (x 1%nat 0%nat)). lra. }
    rewrite <- Q, <- psi_s_square by exact P. pose proof (psi_s_pos _ _ _ P). unfold column at 1. field. lra. }
  rewrite !Square in K by lia. unfold tokens in K. simpl in K. lra.
Qed.
