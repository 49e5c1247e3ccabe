(* Laws such as E9 asks for, at every depth, d = 2^(m+1) + 1. In an orthonormal frame whose first vector is (1, ..., 1)/sqrt d, W_V is sqrt(1 - 1/d) times a matrix
   that nearly turns every vector by a right angle, so that attention adds 1 - 1/d to the variance, W_1 v = (t, -t) with t of two halves of v added, one of them
   turned, and W_2 turns the two halves of a, which may change places: W_2 a never lies along the state. *)
From Coq Require Import Reals Lra Psatz Lia Arith Bool.
From Coquelicot Require Import Coquelicot.
From normproof Require Import sums layers cells identities lipschitz encoders lengths last_layer last_layer_laws pre_norm_layer.
Open Scope R_scope.

(* Means over M equally likely draws *)
Definition equal_share (M _ : nat) : R := / INR M.
Definition average (M : nat) (f : nat -> R) : R := Sum M (fun m => equal_share M m * f m).

Lemma average_ext M f g : (forall m, f m = g m) -> average M f = average M g.
Proof. intros E. apply Sum_ext. intros. rewrite E. reflexivity. Qed.
Lemma average_scaled M f : average M f = / INR M * Sum M f.
Proof. unfold average, equal_share. apply Sum_scal. Qed.
Lemma average_lin2 M a f b g : average M (fun m => a * f m + b * g m) = a * average M f + b * average M g.
Proof. rewrite !average_scaled, Sum_lin2. ring. Qed.
Lemma average_const M c : (0 < M)%nat -> average M (fun _ => c) = c.
Proof. intros P. pose proof (INR_pos M P). rewrite average_scaled, Sum_const. field. lra. Qed.
Lemma average_pair M1 M2 (F : nat -> nat -> R) : (0 < M1)%nat -> (0 < M2)%nat ->
  average (M1 * M2) (fun m => F (m / M2)%nat (m mod M2)%nat) = average M1 (fun a => average M2 (F a)).
Proof.
  intros P Q. pose proof (INR_pos M1 P). pose proof (INR_pos M2 Q). rewrite !average_scaled, Sum_pairs, mult_INR, <- !Sum_scal.
  apply Sum_ext. intros a _. rewrite average_scaled.
  rewrite (Sum_ext M2 (fun k => F ((a * M2 + k) / M2)%nat ((a * M2 + k) mod M2)%nat) (F a)); [field; lra|].
  intros k K. rewrite Nat.div_add_l, (Nat.div_small k), Nat.add_0_r by lia. rewrite Nat.add_comm, Nat.mod_add, Nat.mod_small by lia. reflexivity.
Qed.
(* E (a + b)^2 of independent a and b, a of mean 0 *)
Lemma average_of_square M1 M2 a b : (0 < M1)%nat -> (0 < M2)%nat -> average M1 a = 0 ->
  average M1 (fun i => average M2 (fun j => (a i + b j)^2)) = average M1 (fun i => (a i)^2) + average M2 (fun j => (b j)^2).
Proof.
  intros P Q Z.
  rewrite (average_ext M1 _ (fun i => 1 * (1 * (a i)^2 + average M2 (fun j => (b j)^2) * 1) + (2 * average M2 b) * a i)).
  - rewrite (average_lin2 M1 1 (fun i => 1 * (a i)^2 + average M2 (fun j => (b j)^2) * 1)),
      (average_lin2 M1 1 (fun i => (a i)^2) _ (fun _ => 1)), Z, average_const by exact P. ring.
  - intros i. rewrite (average_ext M2 _ (fun j => 1 * (1 * (b j)^2 + (a i)^2 * 1) + (2 * a i) * b j)) by (intros; ring).
    rewrite (average_lin2 M2 1 (fun j => 1 * (b j)^2 + (a i)^2 * 1)), (average_lin2 M2 1 (fun j => (b j)^2) _ (fun _ => 1)), average_const by exact Q.
    ring.
Qed.
Lemma average_of_signs f : average 2 f = (f 0%nat + f 1%nat) / 2.
Proof. rewrite average_scaled. simpl. field. Qed.

(* Equally likely matrices of mean 0 with E <u, W v>^2 = ||u||^2 ||v||^2/d *)
Record white (d M : nat) (W : nat -> nat -> nat -> R) : Prop := {
  white_some : (0 < M)%nat;
  white_mean : forall i j, average M (fun m => W m i j) = 0;
  white_second : forall u v, average M (fun m => (dot d u (times d (W m) v))^2) = length2 d u * length2 d v / INR d }.

Lemma white_is_isotropic d M W : (0 < d)%nat -> white d M W -> isotropic d M (equal_share M) W.
Proof.
  intros D [P Z S]. pose proof (INR_pos d D) as N. split; [|exact Z|].
  - rewrite <- (average_const M 1 P). apply Sum_ext. intros. ring.
  - intros v. change (average M (fun m => length2 d (times d (W m) v)) = length2 d v).
    transitivity (Sum d (fun i => average M (fun m => (dot d (unit_vector i) (times d (W m) v))^2))).
    + unfold average. rewrite Sum_swap. apply Sum_ext. intros m _. rewrite Sum_scal. f_equal. unfold length2. unfold dot at 1.
      apply Sum_ext. intros i I. rewrite dot_comm, dot_unit by exact I. ring.
    + rewrite (Sum_ext d _ (fun _ => length2 d v / INR d)); [rewrite Sum_const; field; lra|].
      intros i I. rewrite S. unfold length2 at 1. rewrite dot_unit, unit_same by exact I. field. lra.
Qed.
Lemma white_image_mean d M W u a : (0 < d)%nat -> white d M W -> average M (fun m => dot d u (times d (W m) a)) = 0.
Proof. intros D L. apply (mean_of_image_zero d M (equal_share M) W u a), white_is_isotropic; assumption. Qed.
Lemma shifts_are_white d : (0 < d)%nat -> white d (shifts d) (signed_shift d).
Proof.
  intros D. pose proof (shifts_are_isotropic d D) as [T Z L]. split.
  - apply INR_lt. apply shifts_pos, D.
  - exact Z.
  - exact (covariance_of_shifts d D).
Qed.

Definition product (d : nat) (A B : nat -> nat -> R) (i j : nat) : R := Sum d (fun k => A i k * B k j).
Lemma times_product d A B x i : times d (product d A B) x i = times d A (times d B x) i.
Proof.
  unfold times, product. rewrite (Sum_ext d _ (fun j => Sum d (fun k => A i k * (B k j * x j)))).
  - rewrite Sum_swap. apply Sum_ext. intros k _. rewrite Sum_scal. reflexivity.
  - intros j _. rewrite Rmult_comm, <- Sum_scal. apply Sum_ext. intros. ring.
Qed.
Lemma times_ext d A x y i : (forall j, (j < d)%nat -> x j = y j) -> times d A x i = times d A y i.
Proof. intros E. apply Sum_ext. intros j J. rewrite E by exact J. reflexivity. Qed.
Lemma times_lin2 d A a x b y i : times d A (fun j => a * x j + b * y j) i = a * times d A x i + b * times d A y i.
Proof. unfold times. rewrite <- Sum_lin2. apply Sum_ext. intros. ring. Qed.
Lemma length2_ext n u v : (forall i, (i < n)%nat -> u i = v i) -> length2 n u = length2 n v.
Proof. intros E. apply dot_ext; exact E. Qed.
Lemma dot_r n u a v b w : dot n u (fun i => a * v i + b * w i) = a * dot n u v + b * dot n u w.
Proof. unfold dot. rewrite <- Sum_lin2. apply Sum_ext. intros. ring. Qed.

(* i xor k *)
Lemma xor_below m i k : (i < 2 ^ m)%nat -> (k < 2 ^ m)%nat -> (Nat.lxor i k < 2 ^ m)%nat.
Proof.
  intros I K. pose proof (Nat.pow_nonzero 2 m ltac:(lia)) as P. apply Nat.div_small_iff; [exact P|].
  rewrite <- Nat.shiftr_div_pow2, Nat.shiftr_lxor, !Nat.shiftr_div_pow2, !Nat.div_small by assumption. reflexivity.
Qed.
Lemma xor_twice i k : Nat.lxor (Nat.lxor i k) k = i.
Proof. rewrite Nat.lxor_assoc, Nat.lxor_nilpotent. apply Nat.lxor_0_r. Qed.
Lemma xor_other i k : (0 < k)%nat -> Nat.lxor i k <> i.
Proof.
  intros K E. pose proof (xor_twice k i) as T. rewrite (Nat.lxor_comm k i), E, Nat.lxor_nilpotent in T. lia.
Qed.

Section Block.
Variable m : nat.
Hypothesis m_pos : (0 < m)%nat.
Let N := (2 ^ m)%nat.
Lemma block_at_least : (2 <= N)%nat.
Proof. unfold N. destruct m as [|e]; [lia|]. rewrite Nat.pow_succ_r'. pose proof (Nat.pow_nonzero 2 e ltac:(lia)). lia. Qed.

Lemma Sum_xor f k : (k < N)%nat -> Sum N (fun i => f (Nat.lxor i k)) = Sum N f.
Proof.
  intros K. rewrite (Sum_ext N _ (fun i => Sum N (fun j => unit_vector (Nat.lxor i k) j * f j))).
  - rewrite Sum_swap. apply Sum_ext. intros j J. rewrite (Sum_ext N _ (fun i => unit_vector (Nat.lxor j k) i * f j)).
    + apply (Sum_unit N (fun _ => f j)), xor_below; assumption.
    + intros i _. f_equal. unfold unit_vector. destruct (Nat.eqb_spec j (Nat.lxor i k)) as [E|E], (Nat.eqb_spec i (Nat.lxor j k)) as [G|G]; try reflexivity.
      * exfalso. apply G. rewrite E, xor_twice. reflexivity.
      * exfalso. apply E. rewrite G, xor_twice. reflexivity.
  - intros i I. symmetry. apply Sum_unit, xor_below; assumption.
Qed.

(* An antisymmetric matrix of signs: i goes to i xor k, k <> 0 *)
Definition turned (l k i : nat) : R := if Nat.ltb i (Nat.lxor i k) then sign l i else - sign l (Nat.lxor i k).
Definition turn (l k i j : nat) : R := if Nat.ltb i N then turned l k i * unit_vector (Nat.lxor i k) j else 0.
Lemma turned_back l k i : (0 < k)%nat -> turned l k (Nat.lxor i k) = - turned l k i.
Proof.
  intros K. unfold turned. rewrite xor_twice. pose proof (xor_other i k K).
  destruct (Nat.ltb_spec (Nat.lxor i k) i), (Nat.ltb_spec i (Nat.lxor i k)); try lia; ring.
Qed.
Lemma turned_squared l k i : turned l k i * turned l k i = 1.
Proof. unfold turned. destruct (Nat.ltb i (Nat.lxor i k)); rewrite ?Rmult_opp_opp; apply sign_squared. Qed.
Lemma times_turn l k v i : (k < N)%nat -> (i < N)%nat -> times N (turn l k) v i = turned l k i * v (Nat.lxor i k).
Proof.
  intros K I. unfold times, turn. rewrite (proj2 (Nat.ltb_lt i N) I).
  rewrite (Sum_ext N _ (fun j => unit_vector (Nat.lxor i k) j * (turned l k i * v j))) by (intros; ring).
  apply (Sum_unit N (fun j => turned l k i * v j)), xor_below; assumption.
Qed.
Lemma turn_length l k v : (k < N)%nat -> length2 N (times N (turn l k) v) = length2 N v.
Proof.
  intros K. unfold length2, dot. rewrite <- (Sum_xor (fun i => v i * v i) k K). apply Sum_ext. intros i I.
  rewrite times_turn by assumption. pose proof (turned_squared l k i) as Q. set (y := v (Nat.lxor i k)).
  transitivity (turned l k i * turned l k i * (y * y)); [ring|]. rewrite Q. ring.
Qed.
Lemma turn_orthogonal l k v : (0 < k < N)%nat -> dot N v (times N (turn l k) v) = 0.
Proof.
  intros K. set (f := fun i => v i * (turned l k i * v (Nat.lxor i k))).
  assert (E : dot N v (times N (turn l k) v) = Sum N f) by (apply Sum_ext; intros i I; rewrite times_turn by lia; reflexivity).
  assert (O : Sum N f = -1 * Sum N f).
  { rewrite <- Sum_scal. rewrite <- (Sum_xor f k) at 1 by lia. apply Sum_ext. intros i _. unfold f. rewrite turned_back, xor_twice by lia. ring. }
  lra.
Qed.
Lemma turn_second k u v : (0 < k < N)%nat -> Sum (2 ^ N) (fun l => (dot N u (times N (turn l k) v))^2)
  = 2 ^ N * (Sum N (fun i => u i * u i * (v (Nat.lxor i k) * v (Nat.lxor i k))) - Sum N (fun i => u i * v i * (u (Nat.lxor i k) * v (Nat.lxor i k)))).
Proof.
  intros K. set (c := fun i => u i * v (Nat.lxor i k)).
  set (up := fun i => if Nat.ltb i (Nat.lxor i k) then 1 else 0).
  assert (Up : forall i, up (Nat.lxor i k) = 1 - up i /\ up i * up i = up i).
  { intros i. unfold up. rewrite xor_twice. pose proof (xor_other i k ltac:(lia)).
    destruct (Nat.ltb_spec (Nat.lxor i k) i), (Nat.ltb_spec i (Nat.lxor i k)); try lia; lra. }
  assert (E : forall l, dot N u (times N (turn l k) v) = Sum N (fun i => sign l i * (up i * (c i - c (Nat.lxor i k))))).
  { intros l. set (g := fun i => (1 - up i) * sign l (Nat.lxor i k) * c i).
    transitivity (Sum N (fun i => up i * sign l i * c i) - Sum N g).
    - rewrite <- Sum_minus. apply Sum_ext. intros i I. rewrite times_turn by lia. unfold g, c, up, turned. destruct (Nat.ltb i (Nat.lxor i k)); ring.
    - rewrite <- (Sum_xor g k) by lia. rewrite <- Sum_minus. apply Sum_ext. intros i _. unfold g. rewrite xor_twice, (proj1 (Up i)). ring. }
  rewrite (Sum_ext _ _ (fun l => (Sum N (fun i => sign l i * (up i * (c i - c (Nat.lxor i k)))))^2)) by (intros; rewrite E; reflexivity).
  rewrite mean_over_signs. f_equal.
  set (h := fun i => up i * (c i - c (Nat.lxor i k))^2).
  assert (H : 2 * Sum N h = Sum N (fun i => (c i - c (Nat.lxor i k))^2)).
  { replace (2 * Sum N h) with (Sum N h + Sum N h) by ring. rewrite <- (Sum_xor h k) at 2 by lia. rewrite <- Sum_plus.
    apply Sum_ext. intros i _. unfold h. rewrite xor_twice, (proj1 (Up i)). ring. }
  rewrite (Sum_ext N _ h).
  2: { intros i _. unfold h. transitivity (up i * up i * (c i - c (Nat.lxor i k))^2); [ring|]. rewrite (proj2 (Up i)). reflexivity. }
  assert (T : Sum N (fun i => (c i - c (Nat.lxor i k))^2) = 2 * (Sum N (fun i => c i * c i) - Sum N (fun i => c i * c (Nat.lxor i k)))).
  { transitivity (Sum N (fun i => c i * c i) + Sum N (fun i => c (Nat.lxor i k) * c (Nat.lxor i k)) - 2 * Sum N (fun i => c i * c (Nat.lxor i k))).
    - rewrite <- Sum_plus, <- Sum_scal, <- Sum_minus. apply Sum_ext. intros. ring.
    - rewrite (Sum_xor (fun i => c i * c i) k) by lia. ring. }
  transitivity (Sum N (fun i => c i * c i) - Sum N (fun i => c i * c (Nat.lxor i k))); [lra|].
  f_equal; apply Sum_ext; intros i _; unfold c; rewrite ?xor_twice; ring.
Qed.
(* Lagrange's identity *)
Lemma turns_second u v : Sum (N - 1) (fun k => Sum (2 ^ N) (fun l => (dot N u (times N (turn l (S k)) v))^2))
  = 2 ^ N * (length2 N u * length2 N v - (dot N u v)^2).
Proof.
  pose proof block_at_least as B.
  set (f := fun k => Sum N (fun i => u i * u i * (v (Nat.lxor i k) * v (Nat.lxor i k))) - Sum N (fun i => u i * v i * (u (Nat.lxor i k) * v (Nat.lxor i k)))).
  rewrite (Sum_ext _ _ (fun k => 2 ^ N * f (S k))) by (intros k K; apply turn_second; lia).
  rewrite Sum_scal. f_equal. transitivity (Sum N f).
  - transitivity (Sum (S (N - 1)) f); [|f_equal; lia]. rewrite Sum_head. replace (f 0%nat) with 0; [ring|].
    unfold f. rewrite (Sum_ext N (fun i => u i * v i * (u (Nat.lxor i 0) * v (Nat.lxor i 0))) (fun i => u i * u i * (v (Nat.lxor i 0) * v (Nat.lxor i 0)))); [ring|].
    intros i _. rewrite Nat.lxor_0_r. ring.
  - unfold f. rewrite Sum_minus.
    assert (G : forall a b : nat -> R, Sum N (fun k => Sum N (fun i => a i * b (Nat.lxor i k))) = Sum N a * Sum N b).
    { intros a b. rewrite Sum_swap. rewrite (Sum_ext N _ (fun i => Sum N b * a i)); [rewrite Sum_scal; ring|].
      intros i I. rewrite Sum_scal, <- (Sum_xor b i I).
      rewrite (Sum_ext N (fun i0 => b (Nat.lxor i0 i)) (fun i0 => b (Nat.lxor i i0))) by (intros; rewrite Nat.lxor_comm; reflexivity). ring. }
    rewrite (G (fun i => u i * u i) (fun j => v j * v j)), (G (fun i => u i * v i) (fun j => u j * v j)). unfold length2, dot. ring.
Qed.

(* +- I/sqrt N + sqrt(1 - 1/N) times such a turn *)
Definition little : R := / sqrt (INR N).
Definition much : R := sqrt (1 - / INR N).
Definition turns : nat := 2 * ((N - 1) * 2 ^ N).
Definition turning (s k l i j : nat) : R := alternating s * little * unit_vector i j + much * turn l (S (k mod (N - 1))) i j.
Definition nearly_turn (h : nat) : nat -> nat -> R :=
  turning (h / ((N - 1) * 2 ^ N)) ((h mod ((N - 1) * 2 ^ N)) / 2 ^ N) ((h mod ((N - 1) * 2 ^ N)) mod 2 ^ N).
Lemma little_squared : little * little = / INR N /\ 0 < little.
Proof.
  pose proof (INR_pos N ltac:(pose proof block_at_least; lia)) as P. pose proof (sqrt_pos_lt _ P) as Q. pose proof (sqrt_sqrt (INR N) ltac:(lra)) as S.
  unfold little. split; [|apply Rinv_0_lt_compat, Q]. rewrite <- S at 3. field. lra.
Qed.
Lemma much_squared : much * much = 1 - / INR N /\ 0 <= much <= 1.
Proof.
  pose proof (INR_at_least N 2 block_at_least) as P. simpl in P. assert (I : 0 < / INR N <= / 2) by (split; [apply Rinv_0_lt_compat; lra|apply Rinv_le_contravar; lra]).
  assert (E : much * much = 1 - / INR N) by (apply sqrt_sqrt; lra). pose proof (sqrt_pos (1 - / INR N)) as M. fold much in M. split; [exact E|split; [exact M|nra]].
Qed.
Lemma times_turning s k l v i : (i < N)%nat ->
  times N (turning s k l) v i = alternating s * little * v i + much * times N (turn l (S (k mod (N - 1)))) v i.
Proof.
  intros I. unfold times, turning. rewrite <- Sum_scal.
  pose proof (Sum_unit N (fun j => alternating s * little * v j) i I) as U. cbv beta in U. rewrite <- U, <- Sum_plus. apply Sum_ext. intros j _. ring.
Qed.
Lemma turn_index k : (0 < S (k mod (N - 1)) < N)%nat.
Proof. pose proof block_at_least. pose proof (Nat.mod_upper_bound k (N - 1) ltac:(lia)). lia. Qed.
Lemma dot_turning s k l u v : dot N u (times N (turning s k l) v)
  = alternating s * little * dot N u v + much * dot N u (times N (turn l (S (k mod (N - 1)))) v).
Proof. rewrite <- dot_r. apply dot_ext; [reflexivity|]. intros i I. apply times_turning, I. Qed.
Lemma nearly_turn_along h : exists s, is_sign s /\ forall v, dot N v (times N (nearly_turn h) v) = s * little * length2 N v.
Proof.
  exists (alternating (h / ((N - 1) * 2 ^ N))). split; [unfold is_sign, alternating; destruct (Nat.even _); lra|].
  intros v. unfold nearly_turn. rewrite dot_turning, turn_orthogonal by apply turn_index. unfold length2. ring.
Qed.
Lemma nearly_turn_length h v : length2 N (times N (nearly_turn h) v) = length2 N v.
Proof.
  assert (T : forall s k l, length2 N (times N (turning s k l) v) = length2 N v); [|apply T].
  intros s k l. pose proof (turn_index k) as I.
  rewrite (length2_ext N _ (fun i => alternating s * little * v i + much * times N (turn l (S (k mod (N - 1)))) v i)) by (intros; apply times_turning; assumption).
  unfold length2. rewrite dot_square, turn_orthogonal by exact I.
  pose proof (turn_length l (S (k mod (N - 1))) v ltac:(lia)) as T. unfold length2 in T. rewrite T.
  pose proof (alternating_squared s) as A. pose proof little_squared as [L _]. pose proof much_squared as [M _].
  replace ((alternating s * little)^2) with (alternating s * alternating s * (little * little)) by ring. replace (much^2) with (much * much) by ring.
  rewrite A, L, M. ring.
Qed.
Lemma nearly_turns_are_white : white N turns nearly_turn.
Proof.
  pose proof block_at_least as B. pose proof (Nat.pow_nonzero 2 N ltac:(lia)) as P. pose proof (INR_pos N ltac:(lia)) as D.
  assert (Q : (0 < (N - 1) * 2 ^ N)%nat) by (apply Nat.mul_pos_pos; lia). assert (IN : INR (N - 1) = INR N - 1) by (rewrite minus_INR by lia; reflexivity).
  pose proof (INR_at_least N 2 B) as B2. simpl in B2. pose proof (pow_lt 2 N ltac:(lra)) as P2.
  split.
  - unfold turns. lia.
  - intros i j. unfold turns, nearly_turn.
    rewrite (average_pair 2 _ (fun s h => turning s (h / 2 ^ N) (h mod 2 ^ N) i j)) by lia.
    rewrite (average_ext 2 _ (fun s => average (N - 1) (fun k => average (2 ^ N) (fun l => turning s k l i j))))
      by (intros s; apply (average_pair (N - 1) (2 ^ N) (fun k l => turning s k l i j)); lia).
    assert (T : forall k, average (2 ^ N) (fun l => turn l (S (k mod (N - 1))) i j) = 0).
    { intros k. pose proof (turn_index k) as K. rewrite average_scaled. unfold turn, turned. destruct (Nat.ltb_spec i N) as [I|I].
      - destruct (Nat.ltb i _).
        + rewrite (Sum_ext _ _ (fun l => unit_vector (Nat.lxor i (S (k mod (N - 1)))) j * sign l i)) by (intros; ring). rewrite Sum_scal, signs_cancel by exact I. ring.
        + rewrite (Sum_ext _ _ (fun l => - unit_vector (Nat.lxor i (S (k mod (N - 1)))) j * sign l (Nat.lxor i (S (k mod (N - 1)))))) by (intros; ring).
          rewrite Sum_scal, signs_cancel by (apply xor_below; unfold N in *; lia). ring.
      - rewrite Sum_zero by reflexivity. ring. }
    rewrite (average_ext 2 _ (fun s => alternating s * (little * unit_vector i j))).
    + rewrite average_of_signs. unfold alternating. simpl Nat.even. cbv iota. field.
    + intros s. rewrite (average_ext (N - 1) _ (fun _ => alternating s * little * unit_vector i j)); [rewrite average_const by lia; ring|].
      intros k. unfold turning. rewrite (average_ext (2 ^ N) _ (fun l => alternating s * little * unit_vector i j * 1 + much * turn l (S (k mod (N - 1))) i j)) by (intros; ring).
      rewrite (average_lin2 (2 ^ N) (alternating s * little * unit_vector i j) (fun _ => 1) much (fun l => turn l (S (k mod (N - 1))) i j)), T, average_const by lia. ring.
  - intros u v. unfold turns, nearly_turn.
    rewrite (average_pair 2 _ (fun s h => (dot N u (times N (turning s (h / 2 ^ N) (h mod 2 ^ N)) v))^2)) by lia.
    set (K := fun h => much * dot N u (times N (turn (h mod 2 ^ N) (S (h / 2 ^ N mod (N - 1)))) v)).
    rewrite (average_ext 2 _ (fun s => average ((N - 1) * 2 ^ N) (fun h => (alternating s * little * dot N u v + K h)^2)))
      by (intros s; apply average_ext; intros h; rewrite dot_turning; reflexivity).
    rewrite (average_of_square 2 _ (fun s => alternating s * little * dot N u v) K) by (try lia; rewrite average_of_signs; unfold alternating; simpl Nat.even; cbv iota; field).
    unfold K. rewrite (average_pair (N - 1) (2 ^ N) (fun k l => (much * dot N u (times N (turn l (S (k mod (N - 1)))) v))^2)) by lia.
    rewrite average_of_signs, average_scaled, IN.
    rewrite (Sum_ext (N - 1) _ (fun k => (much * much / 2 ^ N) * Sum (2 ^ N) (fun l => (dot N u (times N (turn l (S k)) v))^2))).
    + rewrite Sum_scal, turns_second. pose proof (alternating_squared 0) as A0. pose proof (alternating_squared 1) as A1. pose proof little_squared as [L _]. pose proof much_squared as [M _].
      rewrite M. replace (((alternating 0 * little * dot N u v)^2 + (alternating 1 * little * dot N u v)^2) / 2)
        with ((alternating 0 * alternating 0 + alternating 1 * alternating 1) / 2 * (little * little) * (dot N u v)^2) by field.
      rewrite A0, A1, L. field. lra.
    + intros k K1. rewrite average_scaled, power_of_two, Nat.mod_small by exact K1.
      rewrite (Sum_ext (2 ^ N) _ (fun l => much * much * (dot N u (times N (turn l (S k)) v))^2)) by (intros; ring). rewrite Sum_scal. field. lra.
Qed.
End Block.

Definition tail (v : nat -> R) (i : nat) : R := v (S i).
Lemma length_of_tail n v : length2 (S n) v = v 0%nat * v 0%nat + length2 n (tail v).
Proof. unfold length2, dot. rewrite Sum_head. reflexivity. Qed.
Lemma average_Sum M d F : average M (fun m => Sum d (F m)) = Sum d (fun i => average M (fun m => F m i)).
Proof. unfold average. rewrite Sum_swap. apply Sum_ext. intros m _. rewrite Sum_scal. reflexivity. Qed.
Lemma average_scal M c f : average M (fun m => c * f m) = c * average M f.
Proof. rewrite !average_scaled, Sum_scal. ring. Qed.

(* k C within a border: the first row of A, the first column of B *)
Definition bordered (k : R) (A B C : nat -> nat -> R) (i j : nat) : R :=
  match i with O => A O j | S a => match j with O => B i O | S b => k * C a b end end.
Lemma times_bordered n k A B C v i : times (S n) (bordered k A B C) v (S i) = B (S i) O * v O + k * times n C (tail v) i.
Proof. unfold times. rewrite Sum_head, <- Sum_scal. simpl. f_equal. apply Sum_ext. intros. unfold tail. ring. Qed.
Definition first_of (u : nat -> R) (i : nat) : R := unit_vector 0 i * u i.
Definition but_first (u : nat -> R) (i : nat) : R := (1 - unit_vector 0 i) * u i.
Lemma dot_bordered n k A B C u v : dot (S n) u (times (S n) (bordered k A B C) v)
  = dot (S n) (first_of u) (times (S n) A v) + (dot (S n) (but_first u) (times (S n) B (first_of v)) + k * dot n (tail u) (times n C (tail v))).
Proof.
  assert (E : forall i, times (S n) B (first_of v) i = B i O * v O).
  { intros i. unfold times, first_of. rewrite (Sum_ext (S n) _ (fun j => unit_vector 0 j * (B i j * v j))) by (intros; ring).
    apply (Sum_unit (S n) (fun j => B i j * v j)). lia. }
  unfold dot. rewrite !Sum_head, E. rewrite (Sum_zero n (fun i => first_of u (S i) * times (S n) A v (S i)))
    by (intros; unfold first_of; rewrite unit_other by lia; ring).
  unfold first_of at 1. unfold but_first at 1. rewrite unit_same. change (times (S n) (bordered k A B C) v 0%nat) with (times (S n) A v 0%nat).
  rewrite <- Sum_scal. 
  rewrite (Sum_ext n (fun i => u (S i) * times (S n) (bordered k A B C) v (S i))
    (fun i => but_first u (S i) * times (S n) B (first_of v) (S i) + k * (tail u i * times n C (tail v) i))).
  - rewrite Sum_plus. ring.
  - intros i _. rewrite times_bordered, E. unfold but_first, tail. rewrite unit_other by lia. ring.
Qed.
Lemma lengths_of_parts n u : length2 (S n) (first_of u) = u 0%nat * u 0%nat /\ length2 (S n) (but_first u) = length2 n (tail u).
Proof.
  rewrite !length_of_tail. unfold first_of at 1 2, but_first at 1 2. rewrite unit_same. split.
  - unfold length2, dot. rewrite Sum_zero; [ring|]. intros i _. unfold tail, first_of. rewrite unit_other by lia. ring.
  - rewrite (length2_ext n (tail (but_first u)) (tail u)); [ring|]. intros i _. unfold tail, but_first. rewrite unit_other by lia. ring.
Qed.
Definition border_draws (n M : nat) : nat := shifts (S n) * (shifts (S n) * M).
Definition bordered_by (n M : nat) (k : R) (B : nat -> nat -> nat -> R) (h : nat) : nat -> nat -> R :=
  bordered k (signed_shift (S n) (h / (shifts (S n) * M))) (signed_shift (S n) (h mod (shifts (S n) * M) / M)) (B ((h mod (shifts (S n) * M)) mod M)).
Lemma bordered_is_white n M k B : (0 < n)%nat -> white n M B -> k * k = INR n / INR (S n) -> white (S n) (border_draws n M) (bordered_by n M k B).
Proof.
  intros Np W K. pose proof (shifts_are_white (S n) ltac:(lia)) as L. pose proof (INR_pos n Np) as Dn. pose proof (INR_pos (S n) ltac:(lia)) as Dd.
  pose proof (white_some _ _ _ W) as M0. pose proof (white_some _ _ _ L) as L0. assert (LM : (0 < shifts (S n) * M)%nat) by (apply Nat.mul_pos_pos; assumption).
  split.
  - unfold border_draws. apply Nat.mul_pos_pos; assumption.
  - intros i j. unfold border_draws, bordered_by.
    rewrite (average_pair _ _ (fun a r => bordered k (signed_shift (S n) a) (signed_shift (S n) (r / M)) (B (r mod M)) i j)) by assumption.
    rewrite (average_ext _ _ (fun a => average (shifts (S n)) (fun b => average M (fun c => bordered k (signed_shift (S n) a) (signed_shift (S n) b) (B c) i j))))
      by (intros a; apply (average_pair _ _ (fun b c => bordered k (signed_shift (S n) a) (signed_shift (S n) b) (B c) i j)); assumption).
    destruct i as [|i]; [|destruct j as [|j]]; unfold bordered.
    + rewrite (average_ext _ _ (fun a => signed_shift (S n) a 0 j)); [apply (white_mean _ _ _ L)|]. intros a. rewrite !average_const by assumption. reflexivity.
    + rewrite average_const by assumption. rewrite (average_ext _ _ (fun b => signed_shift (S n) b (S i) 0)); [apply (white_mean _ _ _ L)|].
      intros b. rewrite average_const by assumption. reflexivity.
    + rewrite !average_const by assumption. rewrite average_scal, (white_mean _ _ _ W). ring.
  - intros u v. unfold border_draws, bordered_by.
    set (a := fun h => dot (S n) (first_of u) (times (S n) (signed_shift (S n) h) v)).
    set (b := fun h => dot (S n) (but_first u) (times (S n) (signed_shift (S n) h) (first_of v))).
    set (c := fun h => k * dot n (tail u) (times n (B h) (tail v))).
    rewrite (average_ext _ _ (fun h => (a (h / (shifts (S n) * M))%nat + (b (h mod (shifts (S n) * M) / M)%nat + c ((h mod (shifts (S n) * M)) mod M)%nat))^2))
      by (intros; rewrite dot_bordered; reflexivity).
    rewrite (average_pair _ _ (fun x r => (a x + (b (r / M)%nat + c (r mod M)%nat))^2)) by assumption.
    rewrite (average_of_square _ _ a (fun r => b (r / M)%nat + c (r mod M)%nat)) by (try assumption; apply white_image_mean; solve [lia|exact L]).
    rewrite (average_pair _ _ (fun x y => (b x + c y)^2)) by assumption.
    rewrite (average_of_square _ _ b c) by (try assumption; apply white_image_mean; solve [lia|exact L]).
    unfold a, b, c. rewrite !(white_second _ _ _ L).
    rewrite (average_ext M _ (fun h => (k * k) * (dot n (tail u) (times n (B h) (tail v)))^2)) by (intros; ring).
    rewrite average_scal, (white_second _ _ _ W), K. destruct (lengths_of_parts n u) as [-> ->]. destruct (lengths_of_parts n v) as [-> _].
    rewrite !(length_of_tail n). field. lra.
Qed.

(* The reflection that takes (1, 0, ..., 0) to (1, ..., 1)/sqrt d *)
Section Frame.
Variable d : nat.
Hypothesis d_pos : (2 <= d)%nat.
Definition level : R := / sqrt (INR d).
Definition axis (i : nat) : R := unit_vector 0 i - level.
Definition frame (i j : nat) : R := unit_vector i j - / (1 - level) * axis i * axis j.
Lemma level_squared : level * level = / INR d /\ 0 < level < 1.
Proof.
  pose proof (INR_at_least d 2 d_pos) as P. simpl in P. pose proof (sqrt_pos_lt (INR d) ltac:(lra)) as Q. pose proof (sqrt_sqrt (INR d) ltac:(lra)) as S.
  assert (1 < sqrt (INR d)) by nra. unfold level. split; [rewrite <- S at 3; field; lra|]. split; [apply Rinv_0_lt_compat, Q|].
  rewrite <- Rinv_1. apply Rinv_lt_contravar; lra.
Qed.
Lemma dot_axis x : dot d axis x = x 0%nat - level * Sum d x.
Proof.
  unfold dot. rewrite (Sum_ext d _ (fun i => unit_vector 0 i * x i - level * x i)) by (intros; unfold axis; ring).
  rewrite Sum_minus, Sum_scal, (Sum_unit d x 0) by lia. reflexivity.
Qed.
Lemma axis_length : dot d axis axis = 2 * (1 - level).
Proof.
  pose proof level_squared as [L _]. pose proof (INR_pos d ltac:(lia)) as P.
  rewrite dot_axis. unfold axis at 1. rewrite unit_same. unfold axis. rewrite (Sum_minus d (fun i => unit_vector 0 i) (fun _ => level)), Sum_const.
  rewrite (Sum_ext d _ (fun i => unit_vector 0 i * 1)) by (intros; ring). rewrite (Sum_unit d (fun _ => 1) 0) by lia.
  transitivity (1 - 2 * level + INR d * (level * level)); [ring|]. rewrite L. field. lra.
Qed.
Lemma times_frame x i : (i < d)%nat -> times d frame x i = x i - / (1 - level) * axis i * dot d axis x.
Proof.
  intros I. unfold times, frame, dot. rewrite (Sum_ext d _ (fun j => unit_vector i j * x j - / (1 - level) * axis i * (axis j * x j))) by (intros; ring).
  rewrite Sum_minus, Sum_scal, Sum_unit by exact I. reflexivity.
Qed.
Lemma dot_frame u x : dot d u (times d frame x) = dot d u x - / (1 - level) * dot d axis u * dot d axis x.
Proof.
  unfold dot at 1. rewrite (Sum_ext d _ (fun i => u i * x i - / (1 - level) * dot d axis x * (axis i * u i))) by (intros; rewrite times_frame by assumption; ring).
  rewrite Sum_minus, Sum_scal. unfold dot. ring.
Qed.
Lemma frame_adjoint u x : dot d u (times d frame x) = dot d (times d frame u) x.
Proof. rewrite (dot_comm d (times d frame u)), !dot_frame, (dot_comm d x u). ring. Qed.
Lemma axis_of_frame x : dot d axis (times d frame x) = - dot d axis x.
Proof. pose proof level_squared as [_ L]. rewrite dot_frame, axis_length. field. lra. Qed.
Lemma frame_twice x i : (i < d)%nat -> times d frame (times d frame x) i = x i.
Proof. intros I. rewrite times_frame, axis_of_frame, times_frame by exact I. ring. Qed.
Lemma frame_length x : length2 d (times d frame x) = length2 d x.
Proof. unfold length2. rewrite <- frame_adjoint. apply dot_ext; [reflexivity|]. intros i I. apply frame_twice, I. Qed.
Lemma frame_first x : times d frame x 0%nat = level * Sum d x.
Proof. pose proof level_squared as [_ L]. rewrite times_frame, dot_axis by lia. unfold axis. rewrite unit_same. field. lra. Qed.
Lemma frame_of_ones i : (0 < i < d)%nat -> times d frame (fun _ => 1) i = 0.
Proof.
  intros I. pose proof level_squared as [L Lb]. pose proof (INR_pos d ltac:(lia)) as P. rewrite times_frame, dot_axis, Sum_const by lia. unfold axis. rewrite unit_other by lia.
  replace (INR d) with (/ (level * level)) by (rewrite L; field; lra). field. lra.
Qed.
Lemma framed_mean M W A (B : nat -> nat -> R) i j : (forall i j, average M (fun m => W m i j) = 0) ->
  average M (fun m => product d A (product d (W m) B) i j) = 0.
Proof.
  intros Z. unfold product. rewrite average_Sum. apply Sum_zero. intros k _. rewrite average_scal, average_Sum, Sum_zero; [ring|].
  intros l _. rewrite (average_ext M _ (fun m => B l j * W m k l)) by (intros; ring). rewrite average_scal, Z. ring.
Qed.
Lemma framed_is_white M W : white d M W -> white d M (fun h => product d frame (product d (W h) frame)).
Proof.
  intros [P Z C]. split; [exact P|intros; apply framed_mean, Z|]. intros u v.
  rewrite (average_ext M _ (fun m => (dot d (times d frame u) (times d (W m) (times d frame v)))^2)); [rewrite C, !frame_length; reflexivity|].
  intros m. rewrite <- frame_adjoint. f_equal. apply dot_ext; [reflexivity|]. intros i I. rewrite times_product. apply times_ext. intros. apply times_product.
Qed.
Lemma framed_left_is_white M W : white d M W -> white d M (fun h => product d frame (W h)).
Proof.
  intros [P Z C]. split; [exact P| |].
  - intros i j. unfold product. rewrite average_Sum. apply Sum_zero. intros k _. rewrite average_scal, Z. ring.
  - intros u v. rewrite (average_ext M _ (fun m => (dot d (times d frame u) (times d (W m) v))^2)); [rewrite C, frame_length; reflexivity|].
    intros m. rewrite <- frame_adjoint. f_equal. apply dot_ext; [reflexivity|]. intros i I. apply times_product.
Qed.
End Frame.
Lemma variance_in_frame n y : (0 < n)%nat -> variance (S n) y = length2 n (tail (times (S n) (frame (S n)) y)) / INR (S n).
Proof.
  intros P. pose proof (B5_quadratic_mean (S n) ltac:(lia) y) as B. unfold quadratic_mean, mean in B. fold (length2 (S n) y) in B.
  pose proof (frame_length (S n) ltac:(lia) y) as F. rewrite length_of_tail, frame_first in F by lia.
  pose proof (level_squared (S n) ltac:(lia)) as [L _]. pose proof (INR_pos (S n) ltac:(lia)) as D.
  set (t := length2 n _) in *. set (s := Sum (S n) y) in *. set (g := level (S n)) in *.
  replace (variance (S n) y) with (length2 (S n) y / INR (S n) - (s / INR (S n))^2) by lra. rewrite <- F.
  replace (g * s * (g * s)) with (g * g * (s * s)) by ring. rewrite L. field. lra.
Qed.

(* Two blocks that take the two halves of v to the two halves of the image, crossing or not *)
Definition high (N : nat) (v : nat -> R) (i : nat) : R := v (N + i)%nat.
Definition part (N : nat) (s : bool) (v : nat -> R) : nat -> R := if s then v else high N v.
Lemma Sum_halves N f : Sum (N + N) f = Sum N f + Sum N (fun i => f (N + i)%nat).
Proof.
  assert (E : forall M, Sum (N + M) f = Sum N f + Sum M (fun i => f (N + i)%nat)); [|apply E].
  intros M.
  induction M as [|M IH]; [rewrite Nat.add_0_r; simpl Sum; ring|]. rewrite Nat.add_succ_r. simpl Sum. rewrite IH. ring.
Qed.
Lemma dot_halves N u v : dot (N + N) u v = dot N u v + dot N (high N u) (high N v).
Proof. unfold dot. rewrite Sum_halves. reflexivity. Qed.
Lemma part_lengths N s v : length2 N (part N s v) + length2 N (part N (negb s) v) = length2 (N + N) v.
Proof. unfold length2, part. rewrite dot_halves. destruct s; simpl negb; cbv iota; ring. Qed.
Definition row_at (N : nat) (s : bool) (r : nat -> R) (j : nat) : R :=
  if s then (if Nat.ltb j N then r j else 0) else (if Nat.ltb j N then 0 else r (j - N)%nat).
Lemma Sum_row N s r v : Sum (N + N) (fun j => row_at N s r j * v j) = Sum N (fun j => r j * part N s v j).
Proof.
  rewrite Sum_halves. unfold row_at, part, high. destruct s.
  - rewrite (Sum_ext N _ (fun j => r j * v j)) by (intros i I; rewrite (proj2 (Nat.ltb_lt i N) I); reflexivity).
    rewrite <- Rplus_0_r. f_equal. apply Sum_zero. intros i I. rewrite (proj2 (Nat.ltb_ge (N + i) N)) by lia. ring.
  - rewrite (Sum_zero N) by (intros i I; rewrite (proj2 (Nat.ltb_lt i N) I); ring).
    rewrite Rplus_0_l. apply Sum_ext. intros i I. rewrite (proj2 (Nat.ltb_ge (N + i) N)) by lia. do 2 f_equal. lia.
Qed.
Definition blocks (N : nat) (s : bool) (P Q : nat -> nat -> R) (i : nat) : nat -> R :=
  if Nat.ltb i N then row_at N s (P i) else row_at N (negb s) (Q (i - N)%nat).
Lemma times_blocks N s P Q v i : (i < N)%nat ->
  times (N + N) (blocks N s P Q) v i = times N P (part N s v) i /\ high N (times (N + N) (blocks N s P Q) v) i = times N Q (part N (negb s) v) i.
Proof.
  intros I. unfold high, times, blocks. rewrite (proj2 (Nat.ltb_lt i N) I), (proj2 (Nat.ltb_ge (N + i) N)) by lia.
  replace (N + i - N)%nat with i by lia. rewrite !Sum_row. split; reflexivity.
Qed.
Lemma dot_blocks N s P Q u v : dot (N + N) u (times (N + N) (blocks N s P Q) v) = dot N u (times N P (part N s v)) + dot N (high N u) (times N Q (part N (negb s) v)).
Proof. rewrite dot_halves. f_equal; apply dot_ext; try reflexivity; intros i I; apply times_blocks, I. Qed.
Lemma length_of_blocks N s P Q v : (forall w, length2 N (times N P w) = length2 N w) -> (forall w, length2 N (times N Q w) = length2 N w) ->
  length2 (N + N) (times (N + N) (blocks N s P Q) v) = length2 (N + N) v.
Proof.
  intros LP LQ. rewrite <- (part_lengths N s v), <- (LP (part N s v)), <- (LQ (part N (negb s) v)). unfold length2 at 1. rewrite dot_halves.
  f_equal; apply dot_ext; intros i I; apply times_blocks, I.
Qed.
Definition block_draws (M : nat) : nat := 2 * (M * M).
Definition blocks_of (N M : nat) (P : nat -> nat -> nat -> R) (h : nat) : nat -> nat -> R :=
  blocks N (Nat.even (h / (M * M))) (P (h mod (M * M) / M)%nat) (P ((h mod (M * M)) mod M)%nat).
Lemma blocks_are_white N M P : (0 < N)%nat -> white N M P -> white (N + N) (block_draws M) (blocks_of N M P).
Proof.
  intros Np W. pose proof (INR_pos N Np) as D. pose proof (white_some _ _ _ W) as M0. assert (MM : (0 < M * M)%nat) by (apply Nat.mul_pos_pos; assumption).
  split; [unfold block_draws; lia| |].
  - intros i j. unfold block_draws, blocks_of.
    rewrite (average_pair 2 _ (fun s r => blocks N (Nat.even s) (P (r / M)%nat) (P (r mod M)%nat) i j)) by lia.
    rewrite (average_ext 2 _ (fun _ => 0)); [rewrite average_const by lia; reflexivity|]. intros s.
    rewrite (average_pair M M (fun a b => blocks N (Nat.even s) (P a) (P b) i j)) by assumption. unfold blocks, row_at.
    pose proof (white_mean _ _ _ W) as Z. destruct (Nat.ltb i N), (Nat.even s), (Nat.ltb j N); simpl negb; cbv iota;
      rewrite ?average_const by assumption; try reflexivity;
      [rewrite (average_ext M _ (fun a => P a i j))|rewrite (average_ext M _ (fun a => P a i (j - N)%nat))| |];
      try (intros; apply average_const; assumption); apply Z.
  - intros u v. unfold block_draws, blocks_of.
    rewrite (average_pair 2 _ (fun s r => (dot (N + N) u (times (N + N) (blocks N (Nat.even s) (P (r / M)%nat) (P (r mod M)%nat)) v))^2)) by lia.
    rewrite (average_ext 2 _ (fun s => length2 N u * length2 N (part N (Nat.even s) v) / INR N + length2 N (high N u) * length2 N (part N (negb (Nat.even s)) v) / INR N)).
    + rewrite average_of_signs. simpl Nat.even. simpl negb. unfold part. unfold length2 at 9 10. rewrite !dot_halves. fold (length2 N u). fold (length2 N v).
      fold (length2 N (high N u)). fold (length2 N (high N v)). rewrite plus_INR. field. lra.
    + intros s. rewrite (average_pair M M (fun a b => (dot (N + N) u (times (N + N) (blocks N (Nat.even s) (P a) (P b)) v))^2)) by assumption.
      rewrite <- !(white_second _ _ _ W).
      rewrite <- (average_of_square M M (fun a => dot N u (times N (P a) (part N (Nat.even s) v)))) by (try assumption; apply white_image_mean; assumption).
      apply average_ext. intros a. apply average_ext. intros b. rewrite dot_blocks. reflexivity.
Qed.

(* W_1 v: the first element, and e t and - e t, t the halves of the others added, one of them turned *)
Definition added (N : nat) (P : nat -> nat -> R) (v : nat -> R) (i : nat) : R := / sqrt 2 * (times N P v i + high N v i).
Definition added_row (N : nat) (P : nat -> nat -> R) (i j : nat) : R := / sqrt 2 * (row_at N true (P i) j + row_at N false (unit_vector i) j).
Definition opposed (N : nat) (P : nat -> nat -> R) (e : R) (i j : nat) : R :=
  match i, j with
  | O, O => e
  | S a, S b => if Nat.ltb a N then e * added_row N P a b else - e * added_row N P (a - N) b
  | _, _ => 0
  end.
Lemma Sum_added N P v i : (i < N)%nat -> Sum (N + N) (fun j => added_row N P i j * v j) = added N P v i.
Proof.
  intros I. unfold added_row, added. rewrite (Sum_ext (N + N) _ (fun j => / sqrt 2 * (row_at N true (P i) j * v j) + / sqrt 2 * (row_at N false (unit_vector i) j * v j))) by (intros; ring).
  rewrite Sum_lin2, !Sum_row. unfold part. rewrite (Sum_unit N (high N v) i I). unfold times. ring.
Qed.
Lemma times_opposed N P e v i : (i < N)%nat -> let W := times (S (N + N)) (opposed N P e) v in
  W 0%nat = e * v 0%nat /\ W (S i) = e * added N P (tail v) i /\ W (S (N + i)) = - (e * added N P (tail v) i).
Proof.
  intros I W. unfold W, times. rewrite !Sum_head. unfold opposed. split; [rewrite Sum_zero by (intros; ring); ring|].
  rewrite (proj2 (Nat.ltb_lt i N) I), (proj2 (Nat.ltb_ge (N + i) N)) by lia. replace (N + i - N)%nat with i by lia. split.
  - rewrite (Sum_ext _ _ (fun j => e * (added_row N P i j * tail v j))) by (intros; unfold tail; ring). rewrite Sum_scal, Sum_added by exact I. ring.
  - rewrite (Sum_ext _ _ (fun j => - e * (added_row N P i j * tail v j))) by (intros; unfold tail; ring). rewrite Sum_scal, Sum_added by exact I. ring.
Qed.
Lemma root_of_half : / sqrt 2 * / sqrt 2 = / 2 /\ 0 < / sqrt 2.
Proof.
  pose proof (sqrt_pos_lt 2 ltac:(lra)) as Q. pose proof (sqrt_sqrt 2 ltac:(lra)) as S. split; [|apply Rinv_0_lt_compat, Q]. rewrite <- S at 3. field. lra.
Qed.
Lemma added_length N P v : (forall w, length2 N (times N P w) = length2 N w) ->
  length2 N (added N P v) = / 2 * length2 (N + N) v + dot N (high N v) (times N P v).
Proof.
  intros L. pose proof root_of_half as [H _]. rewrite (length2_ext N _ (fun i => / sqrt 2 * times N P v i + / sqrt 2 * high N v i)) by (intros; unfold added; ring).
  unfold length2. rewrite dot_square, dot_halves. fold (length2 N (times N P v)). rewrite L. replace ((/ sqrt 2)^2) with (/ sqrt 2 * / sqrt 2) by ring.
  rewrite (dot_comm N (times N P v)). replace (2 * / sqrt 2 * / sqrt 2) with (2 * (/ sqrt 2 * / sqrt 2)) by ring. rewrite H. unfold length2. field.
Qed.

Lemma le_of_squares a b : 0 <= b -> a^2 <= b^2 -> a <= b.
Proof. intros B E. apply Rnot_lt_le. intros L. nra. Qed.
Definition extent (n : nat) (u : nat -> R) : R := sqrt (length2 n u).
Lemma extent_squared n u : extent n u * extent n u = length2 n u /\ 0 <= extent n u.
Proof. split; [apply sqrt_sqrt, dot_nonneg|apply sqrt_pos]. Qed.
Lemma dot_extents n u v : Rabs (dot n u v) <= extent n u * extent n v.
Proof.
  destruct (extent_squared n u) as [U U0], (extent_squared n v) as [V V0]. apply le_of_squares; [apply Rmult_le_pos; assumption|].
  rewrite pow2_abs. replace ((extent n u * extent n v)^2) with ((extent n u * extent n u) * (extent n v * extent n v)) by ring.
  rewrite U, V. apply cauchy_schwarz.
Qed.

(* The image of the activations never lies along the state. *)
Lemma away p q r t D a X : 0 <= p -> 0 <= q -> 0 <= r -> 0 <= t -> 0 <= D -> 0 <= a <= / 64 -> 0 <= X -> p * p + q * q = r * r -> r * r + t * t = D * D ->
  X * X <= D * D * (r * r) -> X <= / sqrt 2 * ((r + t) * p + (p * q + a * (q * q) + t * q)) -> X^2 <= 255 / 256 * (D * D)^2.
Proof.
  intros P Q R0 T D0 A X0 PQ RT XA XB. assert (DD : 0 <= D * D) by nra.
  destruct (Rle_lt_dec (D * D) (256 * (t * t))) as [Far|Near].
  - assert (D * D * (r * r) <= D * D * (255 / 256 * (D * D))) by (apply Rmult_le_compat_l; lra). simpl. lra.
  - assert (Tb : t <= D / 16) by (apply le_of_squares; lra). assert (Rb : r <= D) by (apply le_of_squares; nra).
    assert (RR : r * r <= D * D) by nra.
    assert (B1 : p * (r + q) <= 13 / 10 * (r * r)).
    { apply le_of_squares; [nra|].
      assert (E : (p * (r + q))^2 = (r * r - q * q) * (r + q)^2) by (replace (r * r - q * q) with (p * p) by lra; ring). rewrite E.
      assert (I : 27 / 16 * (r * r)^2 - (r * r - q * q) * (r + q)^2 = (q - r / 2)^2 * (q * q + 3 * (q * r) + 11 / 4 * (r * r))) by field.
      assert (0 <= (q - r / 2)^2 * (q * q + 3 * (q * r) + 11 / 4 * (r * r))).
      { apply Rmult_le_pos; [apply pow2_ge_0|]. pose proof (Rmult_le_pos q r Q R0). nra. }
      replace ((13 / 10 * (r * r))^2) with (169 / 100 * (r * r)^2) by field. pose proof (pow2_ge_0 (r * r)). lra. }
    assert (B2 : p + q <= 283 / 200 * r).
    { apply le_of_squares; [lra|]. pose proof (pow2_ge_0 (p - q)). nra. }
    assert (B3 : t * (p + q) <= D / 16 * (283 / 200 * D)) by (apply Rmult_le_compat; lra).
    assert (B4 : a * (q * q) <= / 64 * (D * D)) by (apply Rmult_le_compat; nra).
    set (W := (r + t) * p + (p * q + a * (q * q) + t * q)) in *.
    assert (Wb : W <= 281 / 200 * (D * D)) by (unfold W; nra).
    assert (W0 : 0 <= W).
    { unfold W. repeat apply Rplus_le_le_0_compat; apply Rmult_le_pos; try lra; apply Rmult_le_pos; assumption. }
    pose proof root_of_half as [H H0].
    assert (X2 : X * X <= (/ sqrt 2 * W) * (/ sqrt 2 * W)) by (apply Rmult_le_compat; assumption).
    replace ((/ sqrt 2 * W) * (/ sqrt 2 * W)) with (/ sqrt 2 * / sqrt 2 * (W * W)) in X2 by ring. rewrite H in X2.
    assert (W * W <= (281 / 200 * (D * D)) * (281 / 200 * (D * D))) by (apply Rmult_le_compat; assumption).
    pose proof (pow2_ge_0 (D * D)). simpl. simpl in *. nra.
Qed.
Lemma alignment N P0 P1 P2 a w p q f : (forall v, length2 N (times N P0 v) = length2 N v) -> (forall v, length2 N (times N P1 v) = length2 N v) ->
  (forall v, length2 N (times N P2 v) = length2 N v) -> (exists g, is_sign g /\ forall v, dot N v (times N P2 v) = g * a * length2 N v) ->
  0 <= a <= / 64 -> is_sign f -> (forall i, (i < N)%nat -> added N P0 w i = f * (p i - q i) /\ p i * q i = 0) ->
  (dot N w (times N P1 p) + dot N (high N w) (times N P2 q))^2 <= 255 / 256 * (length2 (N + N) w)^2.
Proof.
  intros L0 L1 L2 (g & G & Along) A F T. pose proof root_of_half as [H H0]. set (h := / sqrt 2) in *.
  set (b := times N P0 w). set (v1 := high N w). set (t := added N P0 w) in *. set (t' := fun i => h * b i + - h * v1 i).
  set (D := length2 (N + N) w).
  assert (Dw : D = length2 N w + length2 N v1) by (unfold D, length2; rewrite dot_halves; reflexivity).
  assert (Lt : length2 N t = / 2 * D + dot N v1 b) by (apply added_length, L0).
  assert (Lt' : length2 N t' = / 2 * D - dot N v1 b).
  { unfold t', length2. rewrite dot_square. fold (length2 N b). unfold b at 1. rewrite L0. fold (length2 N v1). rewrite (dot_comm N b v1), Dw.
    replace (h^2) with (h * h) by ring. replace ((-h)^2) with (h * h) by ring. replace (2 * h * - h) with (-2 * (h * h)) by ring. rewrite H. field. }
  assert (Lpq : length2 N p + length2 N q = length2 N t).
  { unfold length2, dot. rewrite <- Sum_plus. apply Sum_ext. intros i I. destruct (T i I) as [-> Z]. destruct F as [-> | ->]; nra. }
  destruct (extent_squared N p) as [Ep Ep0], (extent_squared N q) as [Eq Eq0], (extent_squared N t) as [Et Et0], (extent_squared N t') as [Et' Et0'],
    (extent_squared N w) as [Ew Ew0], (extent_squared N v1) as [Ev Ev0].
  assert (Sp : extent N (times N P1 p) = extent N p) by (unfold extent; rewrite L1; reflexivity).
  assert (Sq : extent N (times N P2 q) = extent N q) by (unfold extent; rewrite L2; reflexivity).
  pose proof (dot_extents N w (times N P1 p)) as C1. pose proof (dot_extents N v1 (times N P2 q)) as C2. rewrite Sp in C1. rewrite Sq in C2.
  pose proof (dot_nonneg (N + N) w) as D0. fold (length2 (N + N) w) in D0. fold D in D0. pose proof (sqrt_sqrt D D0) as SD.
  set (X := Rabs (dot N w (times N P1 p)) + Rabs (dot N v1 (times N P2 q))).
  pose proof (Rabs_pos (dot N w (times N P1 p))) as R1. pose proof (Rabs_pos (dot N v1 (times N P2 q))) as R2.
  assert (XX : (dot N w (times N P1 p) + dot N v1 (times N P2 q))^2 <= X^2).
  { rewrite <- pow2_abs. apply pow_incr. split; [apply Rabs_pos|apply Rabs_triang]. }
  eapply Rle_trans; [exact XX|]. replace (D^2) with ((sqrt D * sqrt D)^2) by (rewrite SD; reflexivity).
  apply (away (extent N p) (extent N q) (extent N t) (extent N t') (sqrt D) a X); try assumption; try apply sqrt_pos.
  - unfold X. lra.
  - rewrite Ep, Eq, Et. exact Lpq.
  - rewrite Et, Et', SD, Lt, Lt'. field.
  - rewrite SD, Et, <- Lpq, Dw, <- Ep, <- Eq, <- Ew, <- Ev.
    set (x := extent N w) in *. set (z := extent N v1) in *. set (y := extent N p) in *. set (u := extent N q) in *.
    apply Rle_trans with ((x * y + z * u) * (x * y + z * u)); [apply Rmult_le_compat; unfold X in *; lra|].
    pose proof (pow2_ge_0 (x * u - z * y)). nra.
  - assert (Wb : extent N w <= h * (extent N t + extent N t')).
    { apply le_of_squares; [apply Rmult_le_pos; lra|]. replace (extent N w ^ 2) with (extent N w * extent N w) by ring. rewrite Ew.
      replace ((h * (extent N t + extent N t'))^2) with (h * h * (extent N t * extent N t + 2 * (extent N t * extent N t') + extent N t' * extent N t')) by ring.
      rewrite H, Et, Et'. rewrite <- (L0 w). fold b. rewrite (length2_ext N b (fun i => h * t i + h * t' i)).
      - unfold length2 at 1. rewrite dot_square. pose proof (dot_extents N t t') as C. pose proof (Rle_abs (dot N t t')).
        replace (h^2) with (h * h) by ring. replace (2 * h * h) with (2 * (h * h)) by ring. rewrite H. unfold length2. lra.
      - intros i _. unfold t', t, added. fold h. fold b. fold v1. transitivity (2 * (h * h) * b i); [rewrite H; field|ring]. }
    assert (V : dot N v1 (times N P2 q) = h * (f * (dot N p (times N P2 q) - dot N q (times N P2 q)) - dot N t' (times N P2 q))).
    { unfold dot. rewrite <- Sum_minus, <- Sum_scal, <- Sum_minus, <- Sum_scal. apply Sum_ext. intros i I. destruct (T i I) as [E _].
      transitivity (h * (t i - t' i) * times N P2 q i); [|rewrite E; ring]. f_equal. unfold t', t, added. fold h. fold b. fold v1.
      transitivity (2 * (h * h) * v1 i); [rewrite H; field|ring]. }
    pose proof (dot_extents N p (times N P2 q)) as C3. pose proof (dot_extents N t' (times N P2 q)) as C4. rewrite Sq in C3, C4.
    assert (C5 : Rabs (dot N q (times N P2 q)) <= a * (extent N q * extent N q)).
    { rewrite Along, Eq. pose proof (dot_nonneg N q) as Z. fold (length2 N q) in Z. pose proof (Rmult_le_pos a _ (proj1 A) Z). apply Rabs_le. destruct G as [-> | ->]; lra. }
    assert (B2 : Rabs (dot N v1 (times N P2 q)) <= h * (extent N p * extent N q + a * (extent N q * extent N q) + extent N t' * extent N q)).
    { rewrite V, Rabs_mult, (Rabs_pos_eq h) by lra. apply Rmult_le_compat_l; [lra|]. apply abs_between in C3. apply abs_between in C4. apply abs_between in C5.
      apply Rabs_le. destruct F as [-> | ->]; lra. }
    assert (B1 : Rabs (dot N w (times N P1 p)) <= h * (extent N t + extent N t') * extent N p).
    { eapply Rle_trans; [exact C1|]. apply Rmult_le_compat_r; assumption. }
    fold h. unfold X. lra.
Qed.

(* LN at eps = 0 and gain 1; of features that are all equal, which no layer is given, it is 1 everywhere *)
Definition layer_norm (d : nat) (z : nat -> R) : nat -> R := if Rlt_dec 0 (variance d z) then sigma_hat d z 0 else fun _ => 1.
Lemma layer_norm_length d z : (0 < d)%nat -> length2 d (layer_norm d z) = INR d.
Proof.
  intros D. unfold layer_norm. destruct (Rlt_dec 0 (variance d z)) as [V|V]; [apply sigma_hat_length; assumption|]. unfold length2, dot. rewrite Sum_const. ring.
Qed.
Definition in_frame (n : nat) (z : nat -> R) : nat -> R := times (S n) (frame (S n)) z.
Lemma norm_in_frame n z : (0 < n)%nat -> 0 < variance (S n) z -> let p := in_frame n (layer_norm (S n) z) in
  p 0%nat = 0 /\ length2 n (tail p) = INR (S n) /\ forall i, (i < n)%nat -> tail (in_frame n z) i = sqrt (variance (S n) z) * tail p i.
Proof.
  intros P V p. assert (p0 : p 0%nat = 0).
  { unfold p, in_frame, layer_norm. destruct (Rlt_dec 0 (variance (S n) z)); [|contradiction]. rewrite frame_first, Sum_sigma_hat by lia. ring. }
  split; [exact p0|]. split.
  - pose proof (layer_norm_length (S n) z ltac:(lia)) as L. rewrite <- (frame_length (S n) ltac:(lia)) in L. fold (in_frame n (layer_norm (S n) z)) in L. fold p in L.
    rewrite length_of_tail, p0 in L. lra.
  - intros i I. unfold tail, p, in_frame, layer_norm. destruct (Rlt_dec 0 (variance (S n) z)); [|contradiction].
    rewrite (times_ext (S n) (frame (S n)) z (fun j => mean (S n) z * 1 + sqrt (variance (S n) z) * sigma_hat (S n) z 0 j)).
    + rewrite times_lin2, frame_of_ones by lia. ring.
    + intros j _. unfold sigma_hat, centred, sigma_s. rewrite Rplus_0_r. pose proof (sqrt_pos_lt _ V). field. lra.
Qed.
Lemma tail_of_sum n s C a i : (0 < n)%nat -> (i < n)%nat ->
  tail (in_frame n (plus_of s (times (S n) (product (S n) (frame (S n)) C) a))) i = tail (in_frame n s) i + times (S n) C a (S i).
Proof.
  intros P I. unfold tail, in_frame. rewrite (times_ext (S n) (frame (S n)) _ (fun j => 1 * s j + 1 * times (S n) (frame (S n)) (times (S n) C a) j)).
  - rewrite times_lin2, frame_twice by lia. ring.
  - intros j _. unfold plus_of. rewrite times_product. ring.
Qed.
Lemma relu_parts u : u = relu u - relu (- u) /\ relu u * relu (- u) = 0 /\ relu u * relu u + relu (- u) * relu (- u) = u * u.
Proof. unfold relu, Rmax. destruct (Rle_dec u 0), (Rle_dec (- u) 0); repeat split; try ring; try nra. Qed.

(* The laws of width 2^(m+1) + 1 *)
Definition half_width (m : nat) : nat := (2 ^ m + 2 ^ m)%nat.
Definition scale (n : nat) : R := sqrt (INR n / INR (S n)).
Definition attention_draws (m : nat) : nat := border_draws (half_width m) (turns (S m)).
Definition attention_law (m h : nat) : nat -> nat -> R := let d := S (half_width m) in
  product d (frame d) (product d (bordered_by (half_width m) (turns (S m)) (scale (half_width m)) (nearly_turn (S m)) h) (frame d)).
Definition first_draws (m : nat) : nat := 2 * turns m.
Definition first_law (m k : nat) : nat -> nat -> R := let d := S (half_width m) in
  product d (opposed (2 ^ m) (nearly_turn m (k mod turns m)) (alternating (k / turns m))) (frame d).
Definition second_draws (m : nat) : nat := border_draws (half_width m) (block_draws (turns m)).
Definition second_law (m h : nat) : nat -> nat -> R := let d := S (half_width m) in
  product d (frame d) (bordered_by (half_width m) (block_draws (turns m)) (scale (half_width m)) (blocks_of (2 ^ m) (turns m) (nearly_turn m)) h).

Section Wide.
Variable m : nat.
Hypothesis m_large : (28 <= m)%nat.
Notation N := (2 ^ m)%nat.
Notation n := (half_width m).
Notation d := (S (half_width m)).
Lemma next_power : (2 ^ S m = half_width m)%nat.
Proof. unfold half_width. rewrite Nat.pow_succ_r'. lia. Qed.
Lemma widths : 2 ^ 28 <= INR N /\ INR n = 2 * INR N /\ INR d = 2 * INR N + 1 /\ (0 < N)%nat /\ (0 < n)%nat.
Proof.
  assert (P : 2 ^ 28 <= INR N) by (rewrite power_of_two; apply Rle_pow; [lra|exact m_large]).
  assert (Q : INR n = 2 * INR N) by (unfold half_width; rewrite plus_INR; ring).
  pose proof (Nat.pow_nonzero 2 m ltac:(lia)). split; [exact P|]. split; [exact Q|]. split; [rewrite S_INR, Q; ring|]. split; [lia|unfold half_width; lia].
Qed.
Lemma scale_squared : scale n * scale n = INR n / INR d /\ 0 < scale n.
Proof.
  pose proof widths as (P & Q & R & _). assert (0 < INR n / INR d) by (apply div_pos; lra). unfold scale. split; [apply sqrt_sqrt; lra|apply sqrt_pos_lt; assumption].
Qed.
Lemma wide_turns_along h : exists s, is_sign s /\ forall v, dot n v (times n (nearly_turn (S m) h) v) = s * little (S m) * length2 n v.
Proof. rewrite <- next_power. apply nearly_turn_along. lia. Qed.
Lemma wide_turn_length h v : length2 n (times n (nearly_turn (S m) h) v) = length2 n v.
Proof. rewrite <- next_power. apply nearly_turn_length. lia. Qed.
Lemma wide_turns_white : white n (turns (S m)) (nearly_turn (S m)).
Proof. rewrite <- next_power. apply nearly_turns_are_white. lia. Qed.
Lemma wide_little : little (S m) * little (S m) = / INR n /\ 0 < little (S m).
Proof. rewrite <- next_power. apply little_squared. lia. Qed.

Lemma attention_white : white d (attention_draws m) (attention_law m).
Proof. pose proof widths as (_ & _ & _ & _ & P). apply framed_is_white; [lia|]. apply bordered_is_white; [exact P|apply wide_turns_white|apply scale_squared]. Qed.
Lemma second_white : white d (second_draws m) (second_law m).
Proof.
  pose proof widths as (_ & _ & _ & Q & P). apply framed_left_is_white; [lia|]. apply bordered_is_white; [exact P| |apply scale_squared].
  apply blocks_are_white; [exact Q|apply nearly_turns_are_white; lia].
Qed.
Lemma turns_some : (0 < turns m)%nat.
Proof. apply (white_some _ _ _ (nearly_turns_are_white m ltac:(lia))). Qed.
Lemma turn_kept h v : length2 N (times N (nearly_turn m h) v) = length2 N v.
Proof. apply nearly_turn_length. lia. Qed.
Lemma first_image k v : length2 d (times d (first_law m k) v)
  = let p := in_frame n v in p 0%nat * p 0%nat + 2 * length2 N (added N (nearly_turn m (k mod turns m)) (tail p)).
Proof.
  cbv zeta. set (p := in_frame n v). set (P := nearly_turn m (k mod turns m)). set (e := alternating (k / turns m)).
  rewrite (length2_ext d _ (times d (opposed N P e) p)) by (intros; unfold first_law; apply times_product).
  rewrite length_of_tail. unfold half_width. unfold length2 at 1. rewrite dot_halves.
  pose proof (alternating_squared (k / turns m)) as E. fold e in E.
  rewrite (dot_ext N _ _ (fun i => e * added N P (tail p) i) (fun i => e * added N P (tail p) i)) by (intros i I; apply (times_opposed N P e p i I)).
  rewrite (dot_ext N (high N _) _ (fun i => - e * added N P (tail p) i) (fun i => - e * added N P (tail p) i))
    by (intros i I; destruct (times_opposed N P e p i I) as (_ & _ & Z); unfold high, tail; etransitivity; [exact Z|unfold tail; ring]).
  rewrite !dot_scal_l, (dot_comm N (added N P (tail p))), (dot_comm N (added N P (tail p)) (fun i => - e * added N P (tail p) i)), !dot_scal_l. fold (length2 N (added N P (tail p))).
  pose proof widths as (_ & _ & _ & Q & _). rewrite (proj1 (times_opposed N P e p 0%nat Q)).
  transitivity (e * e * (p 0%nat * p 0%nat) + 2 * (e * e) * length2 N (added N P (tail p))); [ring|]. rewrite E. ring.
Qed.
Lemma first_isotropic : isotropic d (first_draws m) (equal_share (first_draws m)) (first_law m).
Proof.
  pose proof turns_some as T0. pose proof widths as (_ & _ & _ & Q & P). pose proof (nearly_turns_are_white m ltac:(lia)) as L. split.
  - pose proof (average_const (first_draws m) 1 ltac:(unfold first_draws; lia)) as E. rewrite <- E. apply Sum_ext. intros. ring.
  - intros i j. change (average (first_draws m) (fun k => first_law m k i j) = 0). unfold first_law, product. rewrite average_Sum. apply Sum_zero. intros l _.
    rewrite (average_ext _ _ (fun k => frame d l j * opposed N (nearly_turn m (k mod turns m)) (alternating (k / turns m)) i l)) by (intros; ring).
    rewrite average_scal. unfold first_draws. rewrite (average_pair 2 (turns m) (fun a b => opposed N (nearly_turn m b) (alternating a) i l)) by lia.
    rewrite (average_ext 2 _ (fun a => alternating a * average (turns m) (fun b => opposed N (nearly_turn m b) 1 i l))).
    + rewrite average_of_signs. unfold alternating. simpl Nat.even. cbv iota. field.
    + intros a. rewrite <- average_scal. apply average_ext. intros b. unfold opposed. destruct i, l; try ring. destruct (Nat.ltb i N); ring.
  - intros v. change (average (first_draws m) (fun k => length2 d (times d (first_law m k) v)) = length2 d v).
    rewrite (average_ext _ _ (fun k => (fun _ b => let p := in_frame n v in p 0%nat * p 0%nat + length2 n (tail p)
      + 2 * dot N (high N (tail p)) (times N (nearly_turn m b) (tail p))) (k / turns m)%nat (k mod turns m)%nat)).
    + unfold first_draws. etransitivity; [apply (average_pair 2 (turns m) (fun _ b => let p := in_frame n v in p 0%nat * p 0%nat + length2 n (tail p)
        + 2 * dot N (high N (tail p)) (times N (nearly_turn m b) (tail p)))); lia|]. cbv zeta. set (p := in_frame n v).
      rewrite (average_ext 2 _ (fun _ => p 0%nat * p 0%nat + length2 n (tail p))).
      * rewrite average_const, <- length_of_tail by lia. apply frame_length. lia.
      * intros _. rewrite (average_ext (turns m) _ (fun b => (p 0%nat * p 0%nat + length2 n (tail p)) * 1 + 2 * dot N (high N (tail p)) (times N (nearly_turn m b) (tail p)))) by (intros; ring).
        rewrite (average_lin2 (turns m) _ (fun _ => 1) 2 (fun b => dot N (high N (tail p)) (times N (nearly_turn m b) (tail p)))).
        rewrite (white_image_mean N) by (try assumption; exact L). rewrite average_const by exact T0. ring.
    + intros k. rewrite first_image. cbv zeta. rewrite added_length by apply turn_kept. unfold half_width. field.
Qed.
End Wide.

Lemma mean_of_first K M g : (0 < M)%nat -> mean_over K M (equal_share K) (equal_share M) (fun _ k _ => g k) = average K g.
Proof.
  intros P. unfold mean_over. apply Sum_ext. intros k _. change (Sum M (fun i => equal_share M i * g k)) with (average M (fun _ => g k)).
  rewrite average_const by exact P. field.
Qed.
Lemma equal_share_nonneg M k : (0 < M)%nat -> 0 <= equal_share M k.
Proof. intros P. left. apply Rinv_0_lt_compat, INR_pos, P. Qed.
Lemma layer_bound H K M (F : nat -> bool -> nat -> nat -> (nat -> R) -> R) z c : (0 < H)%nat ->
  (forall h, mean_over K M (equal_share K) (equal_share M) (fun s k i => F h s k i z) <= c) ->
  layer_mean H K M (equal_share H) (equal_share K) (equal_share M) F z <= c.
Proof.
  intros P E. unfold layer_mean. rewrite <- (average_const H c P). apply Sum_le. intros h _. apply Rmult_le_compat_l; [apply equal_share_nonneg, P|apply E].
Qed.

Section Layer.
Variable m : nat.
Hypothesis m_large : (28 <= m)%nat.
Notation N := (2 ^ m)%nat.
Notation n := (half_width m).
Notation d := (S (half_width m)).
Notation H := (attention_draws m).
Notation K := (first_draws m).
Notation M := (second_draws m).
Notation U := (attention_law m).
Notation W := (first_law m).
Notation V := (second_law m).
Notation LN := (layer_norm (S (half_width m))).

Lemma draws_some : (0 < H)%nat /\ (0 < K)%nat /\ (0 < M)%nat.
Proof.
  pose proof (white_some _ _ _ (attention_white m m_large)). pose proof (white_some _ _ _ (second_white m m_large)). pose proof (turns_some m m_large).
  unfold first_draws. lia.
Qed.
Lemma after_attention h z : 0 < variance d z -> exists s, is_sign s /\
  variance d (attended d U LN h z) = variance d z + INR n / INR d + 2 * s * (sqrt (variance d z) * (scale n * little (S m))).
Proof.
  intros Vz. destruct (widths m m_large) as (_ & _ & Dd & Np & P). pose proof (INR_pos d ltac:(lia)) as D. destruct (scale_squared m m_large) as [Sc _].
  destruct (norm_in_frame n z P Vz) as (p0 & pl & pz). cbv zeta in *. set (p := in_frame n (LN z)) in *. pose proof (sqrt_sqrt (variance d z) ltac:(lra)) as R2.
  set (r := sqrt (variance d z)) in *.
  set (B := nearly_turn (S m) ((h mod (shifts d * turns (S m))) mod turns (S m))).
  destruct (wide_turns_along m m_large ((h mod (shifts d * turns (S m))) mod turns (S m))) as (s & Sg & Along). fold B in Along. exists s. split; [exact Sg|].
  rewrite variance_in_frame by exact P. rewrite (length2_ext n _ (fun i => r * tail p i + scale n * times n B (tail p) i)).
  - unfold length2. rewrite dot_square, Along. fold (length2 n (times n B (tail p))). unfold B at 1. rewrite wide_turn_length by exact m_large. unfold length2 in pl |- *. rewrite pl.
    replace ((scale n)^2) with (scale n * scale n) by ring. rewrite Sc, <- R2. field. lra.
  - intros i I. unfold attended, attention_law. 
    etransitivity; [apply tail_of_sum; assumption|]. rewrite times_product, pz by exact I. change (times d (frame d) (LN z)) with p.
    unfold bordered_by. rewrite times_bordered, p0. fold B. unfold tail. ring.
Qed.
Lemma attention_bounds h z : 0 < variance d z -> let v := variance d z in let y := variance d (attended d U LN h z) in
  (INR n - 1) / INR d <= y /\ (1 + v) / 4 <= y /\ y <= 2 * v + 2 /\ (y - (v + INR n / INR d))^2 = 4 * v / INR d.
Proof.
  intros Vz v y. destruct (widths m m_large) as (Lg & Nn & Dd & Np & P). destruct (scale_squared m m_large) as [Sc _]. destruct (wide_little m m_large) as [Lt _].
  destruct (after_attention h z Vz) as (s & Sg & E). fold v y in E. unfold v in *. pose proof (sqrt_sqrt (variance d z) ltac:(lra)) as R2. set (r := sqrt (variance d z)) in *.
  set (e := scale n * little (S m)) in *. assert (E2 : e * e = / INR d).
  { unfold e. transitivity (scale n * scale n * (little (S m) * little (S m))); [ring|]. rewrite Sc, Lt. field. lra. }
  assert (Q : INR n / INR d = 1 - / INR d) by (rewrite Nn, Dd; field; lra).
  assert (I : 0 < / INR d <= / 8) by (split; [apply Rinv_0_lt_compat; lra|apply Rinv_le_contravar; lra]).
  assert (Q1 : (INR n - 1) / INR d = 1 - 2 * / INR d) by (rewrite Nn, Dd; field; lra).
  rewrite Q1. rewrite Q in *. pose proof (pow2_ge_0 (r - e)) as S1. pose proof (pow2_ge_0 (r + e)) as S2. pose proof (pow2_ge_0 (r - 2 * e)) as S3. pose proof (pow2_ge_0 (r + 2 * e)) as S4.
  rewrite E, <- R2. repeat split.
  - destruct Sg as [-> | ->]; nra.
  - destruct Sg as [-> | ->]; nra.
  - destruct Sg as [-> | ->]; nra.
  - transitivity (4 * (s * s) * (r * r) * (e * e)); [ring|]. rewrite E2. destruct Sg as [-> | ->]; field; lra.
Qed.

Section State.
Variables (h : nat) (z : nat -> R).
Hypothesis varies : 0 < variance d z.
Let y := attended d U LN h z.
Let p := in_frame n (LN y).
Let D_pos : 0 < INR d := INR_pos d (Nat.lt_0_succ n).
Lemma attended_varies : 0 < variance d y.
Proof. destruct (attention_bounds h z varies) as (_ & B & _). fold y in B. lra. Qed.
Lemma direction : p 0%nat = 0 /\ length2 n (tail p) = INR d /\ forall i, (i < n)%nat -> tail (in_frame n y) i = sqrt (variance d y) * tail p i.
Proof. destruct (widths m m_large) as (_ & _ & _ & _ & P). apply norm_in_frame; [exact P|apply attended_varies]. Qed.

Definition turn_of (k : nat) : nat -> nat -> R := nearly_turn m (k mod turns m).
Lemma taken_in_frame s k : let a := taken d U W LN h s k z in let t := added N (turn_of k) (tail p) in
  exists f, is_sign f /\ a 0%nat = 0 /\ forall i, (i < N)%nat -> tail a i = relu (f * t i) /\ high N (tail a) i = relu (- (f * t i)).
Proof.
  intros a t. destruct direction as (p0 & _ & _). destruct (widths m m_large) as (_ & _ & _ & Np & _).
  set (c := if s then 1 else -1). set (e := alternating (k / turns m)).
  assert (G : forall j, a j = relu (c * times d (opposed N (turn_of k) e) p j)).
  { intros j. unfold a, taken, active, relu_of. fold y. f_equal. transitivity (c * times d (W k) (LN y) j).
    - unfold c. destruct s; [ring|]. unfold times, negated. rewrite <- Sum_scal. apply Sum_ext. intros. ring.
    - f_equal. unfold first_law. apply times_product. }
  exists (c * e). split; [unfold is_sign, c, e, alternating; destruct s, (Nat.even _); lra|]. split.
  - rewrite G. unfold half_width. rewrite (proj1 (times_opposed N (turn_of k) e p 0%nat Np)), p0, !Rmult_0_r. unfold relu. apply Rmax_left. lra.
  - intros i I. destruct (times_opposed N (turn_of k) e p i I) as (_ & A & B). split.
    + unfold tail at 1. rewrite G. unfold half_width. rewrite A. f_equal. unfold t. ring.
    + unfold high, tail at 1. rewrite G. unfold half_width. rewrite B. f_equal. unfold t. ring.
Qed.
Definition overlap (k : nat) : R := dot N (high N (tail p)) (times N (turn_of k) (tail p)).
Lemma length_of_taken s k : length2 d (taken d U W LN h s k z) = INR d / 2 + overlap k /\ length2 n (tail (taken d U W LN h s k z)) = INR d / 2 + overlap k.
Proof.
  destruct direction as (_ & pl & _). destruct (taken_in_frame s k) as (f & F & a0 & A). cbv zeta in *. set (a := taken d U W LN h s k z) in *.
  assert (E : length2 n (tail a) = INR d / 2 + overlap k).
  { unfold length2, half_width. rewrite dot_halves. transitivity (length2 N (added N (turn_of k) (tail p))).
    - unfold length2, dot. rewrite <- Sum_plus. apply Sum_ext. intros i I. destruct (A i I) as [-> ->]. rewrite (proj2 (proj2 (relu_parts _))).
      destruct F as [-> | ->]; ring.
    - rewrite added_length by (intros; apply turn_kept, m_large). fold n. unfold overlap. change (N + N)%nat with n. rewrite pl. field. }
  split; [|exact E]. rewrite length_of_tail, E, a0. ring.
Qed.
Lemma share_form s k i : share_of d U W LN h s k i z = / 2 + overlap k / INR d.
Proof. unfold share_of. rewrite (proj1 (length_of_taken s k)). field. lra. Qed.
Lemma halves_of_direction : length2 N (tail p) + length2 N (high N (tail p)) = INR d.
Proof. destruct direction as (_ & <- & _). unfold length2, half_width. rewrite dot_halves. reflexivity. Qed.
Lemma share_cap s k i : share_of d U W LN h s k i z <= 1.
Proof.
  rewrite share_form. pose proof halves_of_direction as E. pose proof (dot_extents N (high N (tail p)) (times N (turn_of k) (tail p))) as C. fold (overlap k) in C.
  assert (X : extent N (times N (turn_of k) (tail p)) = extent N (tail p)) by (unfold extent, turn_of; rewrite turn_kept by exact m_large; reflexivity). rewrite X in C.
  destruct (extent_squared N (tail p)) as [E1 _], (extent_squared N (high N (tail p))) as [E2 _]. pose proof (pow2_ge_0 (extent N (tail p) - extent N (high N (tail p)))).
  pose proof (Rle_abs (overlap k)). assert (overlap k / INR d <= / 2); [|lra]. apply div_le_of; [exact D_pos|]. nra.
Qed.
Lemma mean_of_share : mean_over K M (equal_share K) (equal_share M) (fun s k i => (share_of d U W LN h s k i z - / 2)^2) <= 1 / INR d.
Proof.
  destruct draws_some as (_ & K0 & M0). destruct (widths m m_large) as (Lg & Nn & Dd & Np & _). pose proof (turns_some m m_large) as T0.
  rewrite (mean_over_ext K M _ _ _ (fun _ k _ => (overlap k / INR d)^2)) by (intros; rewrite share_form; f_equal; ring).
  rewrite mean_of_first by exact M0. unfold first_draws.
  set (G := fun b => (dot N (high N (tail p)) (times N (nearly_turn m b) (tail p)) / INR d)^2).
  replace (average (2 * turns m) (fun k => (overlap k / INR d)^2)) with (average (turns m) G).
  2: { symmetry. etransitivity; [apply (average_pair 2 (turns m) (fun _ b => G b)); lia|]. apply average_const. lia. }
  unfold G. rewrite (average_ext _ _ (fun b => / (INR d * INR d) * (dot N (high N (tail p)) (times N (nearly_turn m b) (tail p)))^2)) by (intros; field; lra).
  rewrite average_scal, (white_second _ _ _ (nearly_turns_are_white m ltac:(lia))). pose proof halves_of_direction as E.
  set (u := length2 N (high N (tail p))) in *. set (w := length2 N (tail p)) in *.
  apply Rle_trans with (/ (INR d * INR d) * (INR d * INR d / 4 / INR N)).
  - apply Rmult_le_compat_l; [left; apply Rinv_0_lt_compat; nra|]. apply div_le; [lra|]. rewrite <- E. pose proof (pow2_ge_0 (u - w)). nra.
  - replace (/ (INR d * INR d) * (INR d * INR d / 4 / INR N)) with (/ (4 * INR N)) by (field; lra). unfold Rdiv. rewrite Rmult_1_l. apply Rinv_le_contravar; lra.
Qed.

(* S = rho^2 + 2 rho X + y n/d *)
Definition cross (s : bool) (k i : nat) : R := dot d (LN y) (times d (V i) (taken d U W LN h s k z)) / INR d.
Lemma spread_form s k i : let rho := sqrt (variance d y) in let X := cross s k i in
  spread_of d U W V LN h s k i z = variance d y + 2 * rho * X + INR n / INR d * share_of d U W LN h s k i z /\
  (rho + X)^2 <= spread_of d U W V LN h s k i z /\ X^2 <= INR n / INR d * (255 / 256).
Proof.
  intros rho X. destruct direction as (p0 & pl & py). destruct (widths m m_large) as (Lg & Nn & Dd & Np & P). destruct (scale_squared m m_large) as [Sc Sc0].
  destruct (taken_in_frame s k) as (f & F & a0 & A). cbv zeta in *. destruct (length_of_taken s k) as [La Lt]. unfold X, cross. set (a := taken d U W LN h s k z) in *.
  set (j := ((i mod (shifts d * block_draws (turns m))) mod block_draws (turns m))%nat). set (G := blocks_of N (turns m) (nearly_turn m) j).
  assert (Image : forall l, (l < n)%nat -> times d (bordered_by n (block_draws (turns m)) (scale n) (blocks_of N (turns m) (nearly_turn m)) i) a (S l) = scale n * times n G (tail a) l).
  { intros l _. unfold bordered_by. rewrite times_bordered, a0. fold j. fold G. ring. }
  set (c := dot n (tail p) (times n G (tail a))).
  assert (Xc : dot d (LN y) (times d (V i) a) = scale n * c).
  { transitivity (dot d (LN y) (times d (frame d) (times d (bordered_by n (block_draws (turns m)) (scale n) (blocks_of N (turns m) (nearly_turn m)) i) a))).
    - apply dot_ext; [reflexivity|]. intros l _. unfold second_law. apply times_product.
    - rewrite frame_adjoint by lia. change (times d (frame d) (LN y)) with p. unfold dot at 1. rewrite Sum_head, p0, Rmult_0_l, Rplus_0_l. unfold c, dot. rewrite <- Sum_scal.
      apply Sum_ext. intros l Ll. rewrite Image by exact Ll. unfold tail. ring. }
  assert (LG : length2 n (times n G (tail a)) = length2 n (tail a)) by (apply length_of_blocks; intros; apply turn_kept, m_large).
  set (st := fun l => rho * tail p l + scale n * times n G (tail a) l).
  assert (Sp : spread_of d U W V LN h s k i z = length2 n st / INR d).
  { unfold spread_of. rewrite variance_in_frame by exact P. f_equal. apply length2_ext. intros l Ll. unfold left_by. fold y. fold a. unfold second_law.
    etransitivity; [apply tail_of_sum; assumption|]. rewrite py, Image by exact Ll. reflexivity. }
  pose proof (sqrt_sqrt (variance d y) ltac:(pose proof attended_varies; lra)) as R2. fold rho in R2.
  assert (Ls : length2 n st = variance d y * INR d + 2 * rho * (scale n * c) + INR n / INR d * length2 d a).
  { unfold st. unfold length2 at 1. rewrite dot_square. fold (length2 n (times n G (tail a))). fold (length2 n (tail p)). fold c. rewrite LG, pl, Lt, La.
    replace ((scale n)^2) with (scale n * scale n) by ring. rewrite Sc, <- R2. ring. }
  rewrite Xc. split; [|split].
  - rewrite Sp, Ls. unfold share_of. fold a. field. lra.
  - rewrite Sp. pose proof (cauchy_schwarz n (tail p) st) as CS. fold (length2 n (tail p)) in CS. fold (length2 n st) in CS. rewrite pl in CS.
    unfold st at 1 in CS. rewrite dot_r in CS. fold (length2 n (tail p)) in CS. fold c in CS. rewrite pl in CS.
    apply le_div; [exact D_pos|]. apply Rmult_le_reg_l with (INR d); [exact D_pos|].
    replace (INR d * ((rho + scale n * c / INR d)^2 * INR d)) with ((rho * INR d + scale n * c)^2) by (field; lra). exact CS.
  - assert (Al : c^2 <= 255 / 256 * (INR d)^2).
    { rewrite <- pl. unfold c, G, blocks_of. unfold half_width. rewrite dot_blocks. set (b := Nat.even (j / (turns m * turns m))).
      destruct (nearly_turn_along m ltac:(lia) ((j mod (turns m * turns m)) mod turns m)) as (g & Gs & Al).
      destruct (little_squared m ltac:(lia)) as [Li Li0].
      assert (Small : 0 <= little m <= / 64).
      { split; [lra|]. apply le_of_squares; [lra|]. replace (little m ^ 2) with (little m * little m) by ring. rewrite Li.
        replace ((/ 64)^2) with (/ 4096) by field. apply Rinv_le_contravar; lra. }
      apply (alignment N (turn_of k) (nearly_turn m (j mod (turns m * turns m) / turns m)) (nearly_turn m ((j mod (turns m * turns m)) mod turns m)) (little m) (tail p)
        (part N b (tail a)) (part N (negb b) (tail a)) (if b then f else - f)); try (intros; apply turn_kept, m_large).
      - exists g. split; [exact Gs|exact Al].
      - exact Small.
      - unfold is_sign in *. destruct b; lra.
      - intros l Ll. destruct (A l Ll) as [A1 A2]. set (t := added N (turn_of k) (tail p) l) in *.
        destruct (relu_parts (f * t)) as (R0 & R1 & _). destruct b; cbv [part negb]; rewrite ?A1; rewrite A2; split.
        + rewrite <- R0. destruct F as [-> | ->]; ring.
        + exact R1.
        + transitivity (f * (relu (f * t) - relu (- (f * t)))); [rewrite <- R0; destruct F as [-> | ->]; ring|ring].
        + rewrite Rmult_comm. exact R1. }
    replace ((scale n * c / INR d)^2) with (scale n * scale n * (c^2 / (INR d)^2)) by (field; lra). rewrite Sc. apply Rmult_le_compat_l; [apply div_nonneg; lra|].
    apply div_le_of; [nra|exact Al].
Qed.
Lemma mean_of_cross : mean_over K M (equal_share K) (equal_share M) (fun s k i => (cross s k i)^2) <= 1 / INR d.
Proof.
  destruct draws_some as (_ & K0 & M0).
  assert (T : Sum M (equal_share M) = 1) by (rewrite <- (average_const M 1 M0); apply Sum_ext; intros; ring).
  assert (T' : Sum K (equal_share K) = 1) by (rewrite <- (average_const K 1 K0); apply Sum_ext; intros; ring).
  rewrite (mean_over_inner K M (equal_share K) (equal_share M) T _ (fun s k => share_of d U W LN h s k 0%nat z / INR d)).
  - rewrite <- (mean_over_const K M (equal_share K) (equal_share M) T' T (1 / INR d)). apply mean_over_le; try (intros; apply equal_share_nonneg; assumption).
    intros s k i. apply div_le; [exact D_pos|]. apply share_cap.
  - intros s k. change (average M (fun i => (cross s k i)^2) = share_of d U W LN h s k 0%nat z / INR d). unfold cross.
    rewrite (average_ext M _ (fun i => / (INR d * INR d) * (dot d (LN y) (times d (V i) (taken d U W LN h s k z)))^2)) by (intros; field; lra).
    rewrite average_scal, (white_second _ _ _ (second_white m m_large)), layer_norm_length by lia. unfold share_of. field. lra.
Qed.
Lemma spread_floor s k i : (1 + variance d z) / 2 ^ 22 <= spread_of d U W V LN h s k i z.
Proof.
  destruct (spread_form s k i) as (_ & Fl & Xb). cbv zeta in *. destruct (attention_bounds h z varies) as (B1 & B2 & _). fold y in B1, B2. destruct (widths m m_large) as (Lg & Nn & Dd & _).
  set (v := variance d z) in *. set (X := cross s k i) in *. pose proof attended_varies as Vy. pose proof (sqrt_sqrt (variance d y) ltac:(lra)) as R2. pose proof (sqrt_pos (variance d y)) as R0.
  set (rho := sqrt (variance d y)) in *. eapply Rle_trans; [|exact Fl].
  assert (Near : Rabs X <= 1023 / 1024 * rho).
  { apply le_of_squares; [lra|]. rewrite pow2_abs. eapply Rle_trans; [exact Xb|].
    replace ((1023 / 1024 * rho)^2) with ((1023 / 1024)^2 * (rho * rho)) by field. rewrite R2.
    apply Rle_trans with ((1023 / 1024)^2 * ((INR n - 1) / INR d)); [|apply Rmult_le_compat_l; [lra|exact B1]].
    replace (INR n / INR d * (255 / 256)) with ((INR n * (255 / 256)) / INR d) by (field; lra).
    replace ((1023 / 1024)^2 * ((INR n - 1) / INR d)) with (((1023 / 1024)^2 * (INR n - 1)) / INR d) by (field; lra). apply div_le; [lra|]. simpl in Lg. lra. }
  apply abs_between in Near. apply Rle_trans with ((rho / 1024)^2); [|apply pow_incr; lra].
  replace ((rho / 1024)^2) with (rho * rho / 2 ^ 20) by field. rewrite R2. lra.
Qed.
Lemma mean_of_spread : let t := variance d z + rise d in
  mean_over K M (equal_share K) (equal_share M) (fun s k i => (spread_of d U W V LN h s k i z - t)^2) <= 36 * (1 + variance d z) / INR d.
Proof.
  intros t. destruct draws_some as (_ & K0 & M0). destruct (widths m m_large) as (Lg & Nn & Dd & _).
  assert (T : Sum M (equal_share M) = 1) by (rewrite <- (average_const M 1 M0); apply Sum_ext; intros; ring).
  assert (T' : Sum K (equal_share K) = 1) by (rewrite <- (average_const K 1 K0); apply Sum_ext; intros; ring).
  destruct (attention_bounds h z varies) as (_ & _ & B3 & B4). fold y in B3, B4. set (v := variance d z) in *. pose proof attended_varies as Vy.
  pose proof (sqrt_sqrt (variance d y) ltac:(lra)) as R2. set (rho := sqrt (variance d y)) in *.
  assert (Q : INR n / INR d = 1 - / INR d) by (rewrite Nn, Dd; field; lra). assert (I : 0 < / INR d <= 1) by (split; [apply Rinv_0_lt_compat; lra|rewrite <- Rinv_1; apply Rinv_le_contravar; lra]).
  set (D := variance d y - (v + INR n / INR d)) in *.
  apply Rle_trans with (mean_over K M (equal_share K) (equal_share M)
    (fun s k i => 12 * variance d y * (cross s k i)^2 + 1 * (3 * (share_of d U W LN h s k i z - / 2)^2 + 3 * D^2 * 1))).
  - apply mean_over_le; try (intros; apply equal_share_nonneg; assumption). intros s k i. destruct (spread_form s k i) as (E & _). cbv zeta in E. fold rho in E. rewrite E.
    set (X := cross s k i). set (u := share_of d U W LN h s k i z - / 2).
    replace (variance d y + 2 * rho * X + INR n / INR d * share_of d U W LN h s k i z - t) with (D + 2 * rho * X + INR n / INR d * u)
      by (unfold t, rise, D, u; rewrite Q; field; lra).
    rewrite <- R2. set (w := INR n / INR d * u).
    assert (w^2 <= u^2). { unfold w. rewrite Rpow_mult_distr. pose proof (pow2_ge_0 u). assert (0 <= (INR n / INR d)^2 <= 1) by (rewrite Q; split; nra). nra. }
    pose proof (pow2_ge_0 (D - 2 * rho * X)). pose proof (pow2_ge_0 (D - w)). pose proof (pow2_ge_0 (2 * rho * X - w)). nra.
  - rewrite (mean_over_lin2 K M (equal_share K) (equal_share M) (12 * variance d y) (fun s k i => (cross s k i)^2) 1
      (fun s k i => 3 * (share_of d U W LN h s k i z - / 2)^2 + 3 * D^2 * 1)).
    rewrite (mean_over_lin2 K M (equal_share K) (equal_share M) 3 (fun s k i => (share_of d U W LN h s k i z - / 2)^2) (3 * D^2) (fun _ _ _ => 1)).
    rewrite mean_over_const by assumption. rewrite B4. pose proof mean_of_cross as C. pose proof mean_of_share as S.
    assert (C' : 12 * variance d y * mean_over K M (equal_share K) (equal_share M) (fun s k i => (cross s k i)^2) <= 12 * (2 * v + 2) * (1 / INR d)).
    { apply Rle_trans with (12 * variance d y * (1 / INR d)); [apply Rmult_le_compat_l; [lra|exact C]|]. apply Rmult_le_compat_r; [unfold Rdiv; lra|lra]. }
    unfold Rdiv in *. assert (0 < v) by exact varies. nra.
Qed.
End State.
End Layer.

(* E9. There are such laws at every depth: for every m >= 28, d = 2^(m+1) + 1 and every x of mean 0 and ||x||^2 = d, LN at eps = 0, equally likely W_V, W_1, W_2
   of mean 0 with E ||W v||^2 = ||v||^2 and, W_V and W_2, E <u, W v>^2 = ||u||^2 ||v||^2/d, for which S > 0, E (y - 1/2)^2 <= 1/d, E (S - M)^2 <= B M^2/d and
   E y (S - M)^2/S <= B M/d, B = 96 * 2^22, for every number of layers L, so that |E ||dL/dW_2||_F^2 - d/(3L + 2)| <= 6 (1 + B)/(3L + 2) for every
   isotropic upstream gradient with E ||g||^2 = 1: constants that neither d nor L is in. *)
Theorem E9_laws_at_every_depth m P o g x : (28 <= m)%nat -> let n := (2 ^ m + 2 ^ m)%nat in let d := S n in let B := 96 * 2 ^ 22 in
  let H := attention_draws m in let K := first_draws m in let M := second_draws m in
  let r := equal_share H in let p := equal_share K in let q := equal_share M in
  let U := attention_law m in let W := first_law m in let V := second_law m in let LN := layer_norm d in
  Sum d x = 0 -> length2 d x = INR d -> isotropic_upstream d P o g 1 ->
  (isotropic d H r U /\ isotropic d K p W /\ isotropic d M q V /\
   (forall u v, Sum H (fun h => r h * (dot d u (times d (U h) v))^2) = length2 d u * length2 d v / INR d) /\
   (forall u v, Sum M (fun i => q i * (dot d u (times d (V i) v))^2) = length2 d u * length2 d v / INR d) /\
   forall z, length2 d (LN z) = INR d /\ (0 < variance d z -> LN z = sigma_hat d z 0)) /\
  forall l, let L := INR (S l) in let top := 1 + 3 / 2 * (1 - / INR d) * L in
  (forall z, reached d U W V LN x l z -> forall h s k i, 0 < spread_of d U W V LN h s k i z) /\
  depth_mean d H K M r p q U W V LN l (fun h s k i z => (share_of d U W LN h s k i z - / 2)^2) x <= 1 / INR d /\
  depth_mean d H K M r p q U W V LN l (fun h s k i z => (spread_of d U W V LN h s k i z - top)^2) x <= B * top^2 / INR d /\
  depth_mean d H K M r p q U W V LN l
    (fun h s k i z => share_of d U W LN h s k i z * (spread_of d U W V LN h s k i z - top)^2 / spread_of d U W V LN h s k i z) x <= B * top / INR d /\
  Rabs (mean_gradient_at_depth d H K M r p q U W V LN l P o g x - INR d / (3 * L + 2)) <= 6 * (1 + B) / (3 * L + 2).
Proof.
  intros Large n d B H K M r p q U W V LN X0 XL Up. destruct (draws_some m Large) as (H0 & K0 & M0). destruct (widths m Large) as (Lg & Nn & Dd & Np & Pn).
  fold n in Nn, Dd. change (half_width m) with n in Nn, Dd, Pn. fold d in Dd. 
  pose proof (attention_white m Large) as LU. pose proof (second_white m Large) as LV. pose proof (first_isotropic m Large) as LW.
  change (half_width m) with n in LU, LV, LW. fold d in LU, LV, LW.
  assert (D2 : (2 <= d)%nat) by (unfold d; lia). pose proof (INR_pos d ltac:(lia)) as Dp.
  pose proof (white_is_isotropic d H U ltac:(lia) LU) as IU. pose proof (white_is_isotropic d M V ltac:(lia) LV) as IV.
  pose proof (white_second _ _ _ LU) as SU. pose proof (white_second _ _ _ LV) as SV.
  assert (LL : forall z, length2 d (LN z) = INR d) by (intros z; apply layer_norm_length; lia).
  split.
  { repeat split; try assumption; try apply IU; try apply LW; try apply IV; try exact SU; try exact SV.
    - apply LL.
    - intros Vz. unfold LN, layer_norm. destruct (Rlt_dec 0 (variance d z)); [reflexivity|contradiction]. }
  assert (Vx : variance d x = 1).
  { pose proof (B5_quadratic_mean d ltac:(lia) x) as E. unfold quadratic_mean, mean in E. fold (length2 d x) in E. rewrite X0, XL in E.
    replace (INR d / INR d) with 1 in E by (field; lra). unfold Rdiv in E. rewrite Rmult_0_l in E. simpl in E. lra. }
  assert (Varies : forall j z, reached d U W V LN x j z -> 0 < variance d z).
  { induction j; intros z Z; simpl in Z; [subst z; lra|]. destruct Z as (w & h & s & k & i & Zw & ->). specialize (IHj w Zw).
    pose proof (spread_floor m Large h w IHj s k i) as F. unfold spread_of in F. eapply Rlt_le_trans; [|exact F]. apply div_pos; [|apply pow_lt; lra].
    change (S (half_width m)) with d. lra. }
  set (Q := 36 * 2 ^ 22). assert (Qv : Q = 150994944) by (unfold Q; ring). replace (2 ^ 28) with 268435456 in Lg by ring.
  assert (Q0 : 0 <= Q) by lra. assert (Qd : 4 * Q <= 3 * (INR d - 1)) by (rewrite Dd; lra).
  assert (One : forall j z, reached d U W V LN x j z ->
    (forall h s k i, 0 < spread_of d U W V LN h s k i z /\ share_of d U W LN h s k i z <= 1) /\
    layer_mean H K M r p q (fun h s k i z => (share_of d U W LN h s k i z - / 2)^2) z <= 1 / INR d /\
    layer_mean H K M r p q (square_from d U W V LN (variance d z + rise d)) z <= Q * (1 + variance d z) / INR d /\
    layer_mean H K M r p q (ratio_from d U W V LN (variance d z + rise d)) z <= Q / INR d).
  { intros j z Z. pose proof (Varies j z Z) as Vz.
    assert (Fl : forall h s k i, (1 + variance d z) / 2 ^ 22 <= spread_of d U W V LN h s k i z) by (intros; apply (spread_floor m Large h z Vz)).
    assert (F0 : 0 < (1 + variance d z) / 2 ^ 22) by (apply div_pos; [lra|apply pow_lt; lra]).
    assert (Sq : layer_mean H K M r p q (square_from d U W V LN (variance d z + rise d)) z <= 36 * (1 + variance d z) / INR d).
    { apply layer_bound; [exact H0|]. intros h. apply (mean_of_spread m Large h z Vz). }
    split; [|split; [|split]].
    - intros h s k i. split; [eapply Rlt_le_trans; [exact F0|apply Fl]|apply (share_cap m Large h z Vz)].
    - apply layer_bound; [exact H0|]. intros h. apply (mean_of_share m Large h z Vz).
    - eapply Rle_trans; [exact Sq|]. apply div_le; [exact Dp|]. apply Rmult_le_compat_r; lra.
    - apply Rle_trans with (2 ^ 22 / (1 + variance d z) * layer_mean H K M r p q (square_from d U W V LN (variance d z + rise d)) z).
      + apply Rle_trans with (layer_mean H K M r p q (fun h s k i z0 => 2 ^ 22 / (1 + variance d z) * square_from d U W V LN (variance d z + rise d) h s k i z0 + 0 * 0) z).
        * unfold layer_mean. apply Sum_le. intros h _. apply Rmult_le_compat_l; [apply equal_share_nonneg, H0|].
          apply mean_over_le; try (intros; apply equal_share_nonneg; assumption). intros s k i. unfold ratio_from. rewrite Rmult_0_l, Rplus_0_r.
          specialize (Fl h s k i). unfold Rdiv at 1. rewrite Rmult_comm. apply Rmult_le_compat_r; [apply pow2_ge_0|].
          replace (2 ^ 22 / (1 + variance d z)) with (/ ((1 + variance d z) / 2 ^ 22)) by (field; lra). apply Rinv_le_contravar; assumption.
        * rewrite (layer_lin2 H K M r p q (2 ^ 22 / (1 + variance d z)) (square_from d U W V LN (variance d z + rise d)) 0 (fun _ _ _ _ _ => 0)). lra.
      + apply Rle_trans with (2 ^ 22 / (1 + variance d z) * (36 * (1 + variance d z) / INR d)).
        * apply Rmult_le_compat_l; [apply div_nonneg; lra|exact Sq].
        * right. unfold Q. field. lra. }
  intros l L top.
  pose proof (E9_premises_of_one_layer d H K M r p q U W V LN D2 (fun h => equal_share_nonneg H h H0) (fun k => equal_share_nonneg K k K0)
    (fun i => equal_share_nonneg M i M0) IU LW IV SU SV LL P o g x 1 Q 1 X0 XL Up Q0 Qd One l) as (HB & HC & R).
  replace (8 / 3 * Q) with B in * by (unfold B, Q; field). replace (8 / 3 * Q * 1) with B in * by (unfold B, Q; field).
  change (rise d) with (3 / 2 * (1 - / INR d)) in *. fold L in HB, HC, R. fold top in HB, HC.
  split; [|split; [|split; [|split]]].
  - intros z Z h s k i. apply (One l z Z).
  - destruct l as [|j]; [apply (One 0%nat x eq_refl)|]. simpl depth_mean. rewrite <- (depth_const d H K M r p q U W V LN IU LW IV j (1 / INR d) x).
    apply depth_le; try (intros; apply equal_share_nonneg; assumption). intros z Z h s k i. apply (One (S j)). exists z, h, s, k, i. split; [exact Z|reflexivity].
  - exact HB.
  - rewrite Rmult_1_r in HC. exact HC.
  - eapply Rle_trans; [exact R|]. right. unfold L. rewrite S_INR. pose proof (pos_INR l). field. lra.
Qed.
