(* E: the gradient through the layers of an encoder, as a product and as a sum of Jacobians; n numbers in all, a matrix a function of
   row and column. *)
From Coq Require Import Reals Lra Psatz Lia Arith FunctionalExtensionality.
From Coquelicot Require Import Coquelicot.
From normproof Require Import sums layers lipschitz.
Open Scope R_scope.

Definition vector := nat -> R.
Definition matrix := nat -> nat -> R.
Definition apply_to (n : nat) (M : matrix) (v : vector) : vector := fun i => Sum n (fun j => M i j * v j).
Definition sum_of (u v : vector) : vector := fun i => u i + v i.

(* a curve of n numbers that has the velocity v at 0 *)
Definition moves (n : nat) (c : R -> vector) (v : vector) : Prop := forall i, (i < n)%nat -> is_derive (fun s => c s i) 0 (v i).
(* M is the Jacobian of f at x: it takes the velocity of each curve through x to that of its image *)
Definition jacobian (n : nat) (f : vector -> vector) (x : vector) (M : vector -> vector) : Prop :=
  forall c v, c 0 = x -> moves n c v -> moves n (fun s => f (c s)) (M v).
(* g is the gradient of E at x *)
Definition gradient (n : nat) (E : vector -> R) (x g : vector) : Prop :=
  forall c v, c 0 = x -> moves n c v -> is_derive (fun s => E (c s)) 0 (dot n g v).

(* post-norm: x_(k+1) = LN_k(y_k), y_k = x_k + F_k(x_k) *)
Fixpoint post_state (LN F : nat -> vector -> vector) (x : vector) (k : nat) : vector :=
  match k with O => x | S j => LN j (sum_of (post_state LN F x j) (F j (post_state LN F x j))) end.
Definition post_inner (LN F : nat -> vector -> vector) (x : vector) (k : nat) : vector :=
  sum_of (post_state LN F x k) (F k (post_state LN F x k)).
(* v times A_(L-1) (I + B_(L-1)) ... A_0 (I + B_0) *)
Fixpoint interleaved (n : nat) (A B : nat -> matrix) (L : nat) (v : vector) : vector :=
  match L with
  | O => v
  | S k => apply_to n (A k) (sum_of (interleaved n A B k v) (apply_to n (B k) (interleaved n A B k v)))
  end.

Lemma moves_sum n c c' v v' : moves n c v -> moves n c' v' -> moves n (fun s => sum_of (c s) (c' s)) (sum_of v v').
Proof. intros H H' i Hi. apply (derive_plus (fun s => c s i) (fun s => c' s i)); auto. Qed.

(* E12. Post-norm layers x_(k+1) = LN_k(y_k), y_k = x_k + F_k(x_k), any differentiable maps LN_k and F_k with the Jacobians A_k at y_k and
   B_k at x_k, any loss E with the gradient g at x_L: the derivative of x_L by x_l is A_(L-1)(I + B_(L-1)) ... A_l(I + B_l), later k on
   the left, and dE/dx_l = g times that. *)
Theorem E12_interleaved_product n LN F A B L x E g :
  (forall k, (k < L)%nat -> jacobian n (F k) (post_state LN F x k) (apply_to n (B k))) ->
  (forall k, (k < L)%nat -> jacobian n (LN k) (post_inner LN F x k) (apply_to n (A k))) ->
  gradient n E (post_state LN F x L) g ->
  jacobian n (fun x => post_state LN F x L) x (interleaved n A B L) /\
  forall c v, c 0 = x -> moves n c v ->
    is_derive (fun s => E (post_state LN F (c s) L)) 0 (dot n g (interleaved n A B L v)).
Proof.
  intros HF HL HE.
  assert (J : jacobian n (fun x => post_state LN F x L) x (interleaved n A B L)).
  { clear HE. induction L as [|L IH]; intros c v C V; simpl; [exact V|].
    specialize (IH ltac:(intros; apply HF; lia) ltac:(intros; apply HL; lia) c v C V).
    apply (HL L ltac:(lia) (fun s => post_inner LN F (c s) L)); [rewrite C; reflexivity|].
    apply moves_sum; [exact IH|]. apply (HF L ltac:(lia) (fun s => post_state LN F (c s) L)); [rewrite C; reflexivity|exact IH]. }
  split; [exact J|]. intros c v C V.
  apply (HE (fun s => post_state LN F (c s) L)); [rewrite C; reflexivity|]. apply J; assumption.
Qed.

(* pre-norm: x_(k+1) = x_k + F_k(LN_k(x_k)) *)
Fixpoint pre_state (LN F : nat -> vector -> vector) (x : vector) (k : nat) : vector :=
  match k with O => x | S j => sum_of (pre_state LN F x j) (F j (LN j (pre_state LN F x j))) end.
(* (I + B_(L-1) A_(L-1)) ... (I + B_0 A_0) v *)
Fixpoint pre_product (n : nat) (A B : nat -> matrix) (L : nat) (v : vector) : vector :=
  match L with
  | O => v
  | S k => sum_of (pre_product n A B k v) (apply_to n (B k) (apply_to n (A k) (pre_product n A B k v)))
  end.

(* E14. Pre-norm layers x_(k+1) = x_k + F_k(LN_k(x_k)), A_k the Jacobian of LN_k at x_k and B_k that of F_k at LN_k(x_k): the derivative of
   x_L by x_l is I + sum_k B_k A_k D_k with D_k = (I + B_(k-1) A_(k-1)) ... (I + B_l A_l), and dE/dx_l = g times that. *)
Theorem E14_sum_of_total_derivatives n LN F A B L x E g :
  (forall k, (k < L)%nat -> jacobian n (LN k) (pre_state LN F x k) (apply_to n (A k))) ->
  (forall k, (k < L)%nat -> jacobian n (F k) (LN k (pre_state LN F x k)) (apply_to n (B k))) ->
  gradient n E (pre_state LN F x L) g ->
  let D := fun v i => v i + Sum L (fun k => apply_to n (B k) (apply_to n (A k) (pre_product n A B k v)) i) in
  jacobian n (fun x => pre_state LN F x L) x D /\
  forall c v, c 0 = x -> moves n c v -> is_derive (fun s => E (pre_state LN F (c s) L)) 0 (dot n g (D v)).
Proof.
  intros HL HF HE D.
  assert (J : jacobian n (fun x => pre_state LN F x L) x (pre_product n A B L)).
  { clear HE D. induction L as [|L IH]; intros c v C V; simpl; [exact V|].
    specialize (IH ltac:(intros; apply HL; lia) ltac:(intros; apply HF; lia) c v C V).
    apply moves_sum; [exact IH|].
    apply (HF L ltac:(lia) (fun s => LN L (pre_state LN F (c s) L))); [rewrite C; reflexivity|].
    apply (HL L ltac:(lia) (fun s => pre_state LN F (c s) L)); [rewrite C; reflexivity|exact IH]. }
  assert (ED : pre_product n A B L = D).
  { apply functional_extensionality. intros v. apply functional_extensionality. intros i. unfold D. clear.
    induction L as [|L IH]; simpl; [ring|]. unfold sum_of. rewrite IH. ring. }
  rewrite ED in J. split; [exact J|]. intros c v C V.
  apply (HE (fun s => pre_state LN F (c s) L)); [rewrite C; reflexivity|]. apply J; assumption.
Qed.

(* LayerNorm's Jacobian at y, sigma_grad y, is symmetric (B6): what it does to v. F linear: its Jacobian is its matrix. *)
Definition entry (r c : nat) : matrix := fun i j => if andb (Nat.eqb i r) (Nat.eqb j c) then 1 else 0.
Definition even_row : vector := list_of (-1 :: 0 :: 1 :: nil).

Lemma even_row_root : sigma_s 3 even_row (1/3) = 1.
Proof.
  unfold sigma_s. replace (variance 3 even_row + 1/3) with 1; [apply sqrt_1|].
  unfold variance, quadratic_mean, dot, centred, mean, even_row, list_of. simpl. field.
Qed.
Lemma even_row_grad v i :
  sigma_grad 3 even_row v (1/3) i
  = v i - (v 0%nat + v 1%nat + v 2%nat) / 3 - even_row i * ((v 2%nat - v 0%nat) / 3).
Proof.
  unfold sigma_grad, sigma_hat. rewrite even_row_root. unfold dot, centred, mean, even_row, list_of. simpl. field.
Qed.
Lemma even_row_hat i : (i < 3)%nat -> sigma_hat 3 even_row (1/3) i = even_row i.
Proof.
  intros H. unfold sigma_hat. rewrite even_row_root. destruct i as [|[|[|i]]]; [| | |lia];
    unfold centred, mean, even_row, list_of; simpl; field.
Qed.

(* E13. Not: the factors of E12 may be separated, all J_LN before all I + J_F. One token of three features, eps = 1/3,
   x_0 = (-1, 0, 1), F_0 = 0, F_1(x) = (x_2, 0, 0): y_0 = x_1 = y_1 = x_0, and (1, 1, 1) goes to 0, separated to (2, -3, 1)/9. *)
Theorem E13_separated_products_refuted : exists eps x B v,
  0 < eps /\
  let F := fun k => apply_to 3 (B k) in
  let LN := fun k : nat => fun y => sigma_hat 3 y eps in
  let J := fun k w => sigma_grad 3 (post_inner LN F x k) w eps in
  J 1%nat (sum_of (J 0%nat (sum_of v (F 0%nat v))) (F 1%nat (J 0%nat (sum_of v (F 0%nat v))))) 0%nat <>
  J 1%nat (J 0%nat (sum_of (sum_of v (F 0%nat v)) (F 1%nat (sum_of v (F 0%nat v))))) 0%nat.
Proof.
  set (B := fun k : nat => match k with O => (fun _ _ => 0) : matrix | _ => entry 0 1 end).
  exists (1/3), even_row, B, (fun _ => 1). split; [lra|]. cbv beta zeta.
  assert (G : forall y w i, (forall j, (j < 3)%nat -> y j = even_row j) -> sigma_grad 3 y w (1/3) i = sigma_grad 3 even_row w (1/3) i
    \/ (3 <= i)%nat).
  { intros y w i Y. destruct (le_lt_dec 3 i) as [|I]; [right; assumption|left].
    assert (M : mean 3 y = mean 3 even_row) by (unfold mean; f_equal; apply Sum_ext; exact Y).
    assert (C : forall j, (j < 3)%nat -> centred 3 y j = centred 3 even_row j) by (intros j Hj; unfold centred; rewrite M, Y by exact Hj; reflexivity).
    assert (V : sigma_s 3 y (1/3) = sigma_s 3 even_row (1/3)).
    { unfold sigma_s, variance, quadratic_mean. do 3 f_equal. apply dot_ext; exact C. }
    assert (X : forall j, (j < 3)%nat -> sigma_hat 3 y (1/3) j = sigma_hat 3 even_row (1/3) j).
    { intros j Hj. unfold sigma_hat. rewrite C, V by exact Hj. reflexivity. }
    unfold sigma_grad. rewrite V, X by exact I.
    rewrite (dot_ext 3 w (sigma_hat 3 y (1/3)) w (sigma_hat 3 even_row (1/3))) by auto. reflexivity. }
  match goal with |- context [post_inner ?L ?F even_row 1%nat] =>
    set (LN := L); set (FF := F); set (P1 := post_inner LN FF even_row 1%nat); set (P0 := post_inner LN FF even_row 0%nat) end.
  assert (Y0 : forall j, (j < 3)%nat -> P0 j = even_row j).
  { intros j Hj. unfold P0, post_inner, sum_of, FF, apply_to. simpl. ring. }
  assert (Y1 : forall j, (j < 3)%nat -> P1 j = even_row j).
  { assert (S1 : forall i, (i < 3)%nat -> post_state LN FF even_row 1%nat i = even_row i).
    { intros i Hi. cbn [post_state]. transitivity (sigma_hat 3 even_row (1/3) i); [|apply even_row_hat, Hi].
      unfold LN. f_equal. apply functional_extensionality. intros k. unfold sum_of, FF, apply_to. simpl. ring. }
    intros j Hj. unfold P1, post_inner, sum_of, FF, apply_to.
    rewrite (Sum_ext 3 _ (fun k => B 1%nat j k * even_row k)) by (intros k Hk; fold (apply_to 3); fold FF; rewrite S1 by exact Hk; reflexivity).
    fold FF. rewrite S1 by exact Hj. unfold B, entry, even_row, list_of. destruct j as [|[|[|j]]]; [| | |lia]; simpl; ring. }
  assert (G0 : forall w i, (i < 3)%nat -> sigma_grad 3 P0 w (1/3) i
    = w i - (w 0%nat + w 1%nat + w 2%nat) / 3 - even_row i * ((w 2%nat - w 0%nat) / 3)).
  { intros w i Hi. destruct (G _ w i Y0) as [E|E]; [|lia]. rewrite E. apply even_row_grad. }
  assert (G1 : forall w i, (i < 3)%nat -> sigma_grad 3 P1 w (1/3) i
    = w i - (w 0%nat + w 1%nat + w 2%nat) / 3 - even_row i * ((w 2%nat - w 0%nat) / 3)).
  { intros w i Hi. destruct (G _ w i Y1) as [E|E]; [|lia]. rewrite E. apply even_row_grad. }
  rewrite !G1 by lia. unfold sum_of, FF, apply_to, B, entry. simpl Sum. simpl Nat.eqb. simpl andb. cbv iota.
  rewrite !G0 by lia. unfold even_row, list_of. simpl. lra.
Qed.

(* E15. Not: the derivative of E14 is I + sum_k J_F J_LN(x_k), each term by its own input. One token of three features, eps = 1/3,
   x_0 = (-1, 0, 1), F_0(x) = F_1(x) = (0, x_2, 0): x_1 = x_0, and the second feature of (0, 1, 0) goes to 25/9, by the sum to 7/3. *)
Theorem E15_sum_of_partial_derivatives_refuted : exists eps x B v,
  0 < eps /\
  let F := fun k : nat => apply_to 3 (B k) in
  let LN := fun k : nat => fun y => sigma_hat 3 y eps in
  let step := fun k w => F k (sigma_grad 3 (pre_state LN F x k) w eps) in
  sum_of (sum_of v (step 0%nat v)) (step 1%nat (sum_of v (step 0%nat v))) 1%nat <>
  sum_of (sum_of v (step 0%nat v)) (step 1%nat v) 1%nat.
Proof.
  set (B := fun _ : nat => entry 1 1). exists (1/3), even_row, B, (list_of (0 :: 1 :: 0 :: nil)). split; [lra|]. cbv beta zeta.
  match goal with |- context [pre_state ?L ?F even_row 1%nat] =>
    set (LN := L); set (FF := F); assert (S1 : pre_state LN FF even_row 1%nat = even_row) end.
  { apply functional_extensionality. intros i. cbn [pre_state]. unfold sum_of, FF, LN, apply_to, B, entry. simpl Sum.
    rewrite !even_row_hat by lia. unfold even_row, list_of. destruct i as [|[|i]]; simpl; ring. }
  rewrite !S1. change (pre_state LN FF even_row 0%nat) with even_row.
  unfold sum_of, FF, apply_to, B, entry. simpl Sum. simpl Nat.eqb. simpl andb. cbv iota. rewrite !even_row_grad.
  unfold even_row, list_of. simpl. rewrite ?even_row_grad. unfold even_row, list_of. simpl. lra.
Qed.
