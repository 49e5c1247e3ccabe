(* Laws such as E9 asks for, at every depth: d = 2^m + 1. *)
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
