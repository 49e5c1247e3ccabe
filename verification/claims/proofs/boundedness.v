(* D: when nu and the gradient of PowerNorm stay bounded, for every step t. theta_t = (1 - a) Gamma_t, and
   nu_(t+1) = nu_t (1 - (1 - a) Gamma_t) + (1 - a) Lambda_t. *)
From Coq Require Import Reals Lra Psatz Lia Arith Bool.
From Coquelicot Require Import Coquelicot.
From normproof Require Import sums layers.
Open Scope R_scope.

Definition nu_step (a Gamma Lambda nu : R) : R := nu * (1 - (1 - a) * Gamma) + (1 - a) * Lambda.

Section Recursion.
Variable a : R.
Variables Gamma Lambda ratio nu : nat -> R.
Hypothesis step : forall t, nu (S t) = nu_step a (Gamma t) (Lambda t) (nu t).
Hypothesis ratios : forall t, Lambda t = ratio t * Gamma t.

(* D1. theta_t in [0, 1] for every t: nu_t is a convex combination of nu_0 and the ratios Lambda_j/Gamma_j, j < t, and
   |nu_t| <= M for each M that |nu_0| and all |Lambda_j/Gamma_j| stay below. *)
Theorem D1_convex_combination : (forall t, 0 <= (1 - a) * Gamma t <= 1) ->
  (forall t, exists w0 w, 0 <= w0 /\ (forall j, 0 <= w j) /\ w0 + Sum t w = 1 /\
     nu t = w0 * nu O + Sum t (fun j => w j * ratio j)) /\
  (forall M, Rabs (nu O) <= M -> (forall t, Rabs (ratio t) <= M) -> forall t, Rabs (nu t) <= M).
Proof.
  intros H. split.
  - induction t as [|t IH].
    + exists 1, (fun _ => 0). simpl. repeat split; intros; lra.
    + destruct IH as (w0 & w & P0 & P & One & E). specialize (H t). set (th := (1 - a) * Gamma t) in *.
      exists ((1 - th) * w0), (fun j => if Nat.eqb j t then th else (1 - th) * w j).
      assert (K : forall f, Sum t (fun j => (if Nat.eqb j t then th else (1 - th) * w j) * f j)
        = (1 - th) * Sum t (fun j => w j * f j)).
      { intros f. rewrite <- Sum_scal. apply Sum_ext. intros j Hj.
        rewrite (proj2 (Nat.eqb_neq j t)) by lia. ring. }
      split; [nra|]. split; [intros j; destruct (Nat.eqb j t); [lra|specialize (P j); nra]|]. split.
      * simpl Sum. rewrite Nat.eqb_refl.
        rewrite (Sum_ext t _ (fun j => (if Nat.eqb j t then th else (1 - th) * w j) * 1)) by (intros; ring).
        rewrite (K (fun _ => 1)). rewrite (Sum_ext t (fun j => w j * 1) w) by (intros; ring). nra.
      * simpl Sum. rewrite Nat.eqb_refl, K, step, ratios, E. unfold nu_step. fold th.
        replace ((1 - a) * (ratio t * Gamma t)) with (th * ratio t) by (unfold th; ring). ring.
  - intros M M0 MR t. induction t as [|t IH]; [exact M0|].
    rewrite step, ratios. unfold nu_step. specialize (H t). specialize (MR t).
    replace ((1 - a) * (ratio t * Gamma t)) with ((1 - a) * Gamma t * ratio t) by ring.
    set (th := (1 - a) * Gamma t) in *. apply abs_between in IH. apply abs_between in MR. apply Rabs_le. nra.
Qed.

(* D2. theta_t in [0, theta_max], 1 <= theta_max < 2, |Lambda_j/Gamma_j| <= r:
   |nu_t| <= max(|nu_0|, r theta_max/(2 - theta_max)) for every t. *)
Theorem D2_bounded_below_two r theta_max : 1 <= theta_max < 2 ->
  (forall t, 0 <= (1 - a) * Gamma t <= theta_max) -> (forall t, Rabs (ratio t) <= r) ->
  forall t, Rabs (nu t) <= Rmax (Rabs (nu O)) (r * theta_max / (2 - theta_max)).
Proof.
  intros B H HR. assert (0 <= r) by (eapply Rle_trans; [apply Rabs_pos|apply (HR O)]).
  set (M := Rmax (Rabs (nu O)) (r * theta_max / (2 - theta_max))).
  assert (HM : r * theta_max <= M * (2 - theta_max)).
  { replace (r * theta_max) with (r * theta_max / (2 - theta_max) * (2 - theta_max)) by (field; lra).
    apply Rmult_le_compat_r; [lra|apply Rmax_r]. }
  assert (r <= M) by nra.
  induction t as [|t IH]; [apply Rmax_l|].
  rewrite step, ratios. unfold nu_step. specialize (H t). specialize (HR t).
  replace ((1 - a) * (ratio t * Gamma t)) with ((1 - a) * Gamma t * ratio t) by ring.
  set (th := (1 - a) * Gamma t) in *. apply abs_between in IH. apply abs_between in HR. apply Rabs_le.
  assert (- (th * r) <= th * ratio t <= th * r) by (split; nra).
  destruct (Rle_dec th 1); [nra|]. assert ((th - 1) * M + r * th <= M) by nra. nra.
Qed.
End Recursion.

(* the means over the valid rows of one channel, valid being a mask of n rows *)
Section Valid.
Variable n : nat.
Variable valid : nat -> bool.
Definition weight (i : nat) : R := if valid i then 1 else 0.
Definition valid_mean (u v : nat -> R) : R := Sum n (fun i => weight i * (u i * v i)) / Sum n weight.
Hypothesis some_valid : 0 < Sum n weight.

Lemma valid_mean_dot u v :
  valid_mean u v = dot n (fun i => weight i * u i) (fun i => weight i * v i) / Sum n weight.
Proof.
  unfold valid_mean, dot. f_equal. apply Sum_ext. intros. unfold weight. destruct (valid i); ring.
Qed.
Lemma valid_mean_nonneg u : 0 <= valid_mean u u.
Proof. rewrite valid_mean_dot. apply div_nonneg; [apply dot_nonneg|exact some_valid]. Qed.
Definition valid_rms (u : nat -> R) : R := sqrt (valid_mean u u).

(* D3. |Lambda| <= rms(g) sqrt(Gamma) over the valid rows, hence |Lambda/Gamma| <= rms(g)/sqrt(Gamma) where Gamma > 0:
   for every number of rows, every mask with a valid one, every g and x_hat. *)
Theorem D3_cauchy_schwarz g x_hat :
  let Lambda := valid_mean g x_hat in let Gamma := valid_mean x_hat x_hat in
  Rabs Lambda <= valid_rms g * sqrt Gamma /\ (0 < Gamma -> Rabs (Lambda / Gamma) <= valid_rms g / sqrt Gamma).
Proof.
  intros Lambda Gamma.
  assert (K : Rabs Lambda <= valid_rms g * sqrt Gamma).
  { unfold valid_rms. rewrite <- sqrt_mult by apply valid_mean_nonneg.
    rewrite <- sqrt_Rsqr_abs. apply sqrt_le_1_alt. unfold Rsqr, Lambda, Gamma. rewrite !valid_mean_dot.
    set (N := Sum n weight) in *.
    pose proof (cauchy_schwarz n (fun i => weight i * g i) (fun i => weight i * x_hat i)) as C.
    set (u := dot n (fun i => weight i * g i) (fun i => weight i * x_hat i)) in *.
    set (v := dot n (fun i => weight i * g i) (fun i => weight i * g i)) in *. set (w := dot n (fun i => weight i * x_hat i) (fun i => weight i * x_hat i)) in *.
    replace (u / N * (u / N)) with (u^2 / (N * N)) by (field; lra).
    replace (v / N * (w / N)) with (v * w / (N * N)) by (field; lra). apply div_le; [nra|exact C]. }
  split; [exact K|]. intros P. pose proof (sqrt_pos_lt _ P). pose proof (sqrt_sqrt Gamma ltac:(lra)) as SS.
  unfold Rdiv at 1. rewrite Rabs_mult, (Rabs_pos_eq (/ Gamma)) by (left; apply Rinv_0_lt_compat; exact P).
  fold (Rabs Lambda / Gamma). apply div_le_of; [exact P|].
  replace (valid_rms g / sqrt Gamma * Gamma) with (valid_rms g * sqrt Gamma); [exact K|].
  rewrite <- SS at 3. field. lra.
Qed.

Lemma valid_rms_minus u v k : valid_rms (fun i => u i - k * v i) <= valid_rms u + Rabs k * valid_rms v.
Proof.
  pose proof (valid_mean_nonneg u) as Hu. pose proof (valid_mean_nonneg v) as Hv.
  assert (E : valid_mean (fun i => u i - k * v i) (fun i => u i - k * v i)
    = valid_mean u u - 2 * k * valid_mean u v + k^2 * valid_mean v v).
  { unfold valid_mean. transitivity ((1 * Sum n (fun i => weight i * (u i * u i))
      + (-2 * k) * Sum n (fun i => weight i * (u i * v i)) + k^2 * Sum n (fun i => weight i * (v i * v i))) / Sum n weight).
    - f_equal. rewrite <- Sum_lin3. apply Sum_ext. intros. ring.
    - field. lra. }
  unfold valid_rms at 1. rewrite E.
  assert (Hs : 0 <= valid_rms u + Rabs k * valid_rms v).
  { apply Rplus_le_le_0_compat; [apply sqrt_pos|]. apply Rmult_le_pos; [apply Rabs_pos|apply sqrt_pos]. }
  rewrite <- (sqrt_Rsqr _ Hs). apply sqrt_le_1_alt. unfold Rsqr.
  assert (Hu2 : valid_rms u * valid_rms u = valid_mean u u) by (apply sqrt_sqrt; exact Hu).
  assert (Hv2 : valid_rms v * valid_rms v = valid_mean v v) by (apply sqrt_sqrt; exact Hv).
  assert (Hk : Rabs k * Rabs k = k^2) by (rewrite <- Rabs_mult, Rabs_pos_eq; nra).
  destruct (D3_cauchy_schwarz u v) as [C _]. cbv zeta in C. fold (valid_rms v) in C.
  assert (- (k * valid_mean u v) <= Rabs k * (valid_rms u * valid_rms v)).
  { apply Rle_trans with (Rabs (k * valid_mean u v)).
    - rewrite <- Rabs_Ropp. apply Rle_abs.
    - rewrite Rabs_mult. apply Rmult_le_compat_l; [apply Rabs_pos|exact C]. }
  replace ((valid_rms u + Rabs k * valid_rms v) * (valid_rms u + Rabs k * valid_rms v))
    with (valid_rms u * valid_rms u + 2 * (Rabs k * (valid_rms u * valid_rms v))
      + Rabs k * Rabs k * (valid_rms v * valid_rms v)) by ring.
  rewrite Hu2, Hv2, Hk. lra.
Qed.
End Valid.

(* PowerNorm over any number of batches of n rows, g already times gamma. *)
Section PowerNorm.
Variable n : nat.
Variable valid : nat -> bool.
Hypothesis some_valid : 0 < Sum n (weight valid).
Variables a eps : R.
Hypothesis a_between : 0 < a < 1.
Variables x g : nat -> nat -> R.
Variables psi2 nu : nat -> R.
Let s t := sqrt (psi2 t + eps).
Let x_hat t i := x t i / s t.
Let Gamma t := valid_mean n valid (x_hat t) (x_hat t).
Let Lambda t := valid_mean n valid (g t) (x_hat t).
Let rest t i := g t i - nu t * x_hat t i.
Hypothesis psi2_step : forall t, psi2 (S t) = a * psi2 t + (1 - a) * valid_mean n valid (x t) (x t).
Hypothesis psi2_pos : forall t, 0 < psi2 t + eps.
Hypothesis nu_moves : forall t, nu (S t) = nu_step a (Gamma t) (Lambda t) (nu t).

(* D4. c <= Gamma_t <= 1/(1 - a), rms(g_t) <= G, nu_0 = 0, c > 0: for every t |nu_t| <= G/sqrt(c),
   rms(X_t) <= G (1 + sqrt(Gamma_t/c)) <= G (1 + 1/sqrt((1 - a) c)) where X_t = g_t - nu_t x_hat_t, and by row
   |X_i| <= |g_i| + (G/sqrt(c)) |x_hat_i| and |grad_x_i| <= that / sqrt(psi^2_(t-1) + eps). *)
Theorem D4_uniform_bound c G : 0 < c -> nu O = 0 ->
  (forall t, c <= Gamma t) -> (forall t, (1 - a) * Gamma t <= 1) -> (forall t, valid_rms n valid (g t) <= G) ->
  forall t, Rabs (nu t) <= G / sqrt c
    /\ valid_rms n valid (rest t) <= G * (1 + sqrt (Gamma t / c))
    /\ G * (1 + sqrt (Gamma t / c)) <= G * (1 + / sqrt ((1 - a) * c))
    /\ (forall i, Rabs (rest t i) <= Rabs (g t i) + G / sqrt c * Rabs (x_hat t i))
    /\ (forall i, Rabs (rest t i / s t) <= (Rabs (g t i) + G / sqrt c * Rabs (x_hat t i)) / s t).
Proof.
  intros C N0 Low High GB t.
  assert (G0 : 0 <= G) by (eapply Rle_trans; [apply sqrt_pos|apply (GB O)]).
  assert (C' : 0 < sqrt c) by (apply sqrt_pos_lt, C).
  assert (NB : Rabs (nu t) <= G / sqrt c).
  { apply (D1_convex_combination a Gamma Lambda (fun t => Lambda t / Gamma t) nu).
    - exact nu_moves.
    - intros u. specialize (Low u). field. lra.
    - intros u. specialize (Low u). specialize (High u). split; [nra|exact High].
    - rewrite N0, Rabs_R0. apply div_nonneg; assumption.
    - intros u. specialize (Low u).
      destruct (D3_cauchy_schwarz n valid some_valid (g u) (x_hat u)) as [_ B]. cbv zeta in B.
      fold (Gamma u) (Lambda u) in B. eapply Rle_trans; [apply B; lra|].
      assert (sqrt c <= sqrt (Gamma u)) by (apply sqrt_le_1_alt, Low).
      apply Rle_trans with (G / sqrt (Gamma u)); [apply div_le; [lra|apply GB]|].
      apply Rmult_le_compat_l; [exact G0|]. apply Rinv_le_contravar; lra. }
  assert (Row : forall i, Rabs (rest t i) <= Rabs (g t i) + G / sqrt c * Rabs (x_hat t i)).
  { intros i. unfold rest. eapply Rle_trans; [apply Rabs_triang|]. rewrite Rabs_Ropp, Rabs_mult.
    apply Rplus_le_compat_l, Rmult_le_compat_r; [apply Rabs_pos|exact NB]. }
  split; [exact NB|]. split; [|split; [|split; [exact Row|]]].
  - eapply Rle_trans; [apply (valid_rms_minus n valid some_valid (g t) (x_hat t) (nu t))|].
    unfold valid_rms at 2. fold (Gamma t). rewrite sqrt_div_alt by exact C.
    replace (G * (1 + sqrt (Gamma t) / sqrt c)) with (G + G / sqrt c * sqrt (Gamma t)) by (field; lra).
    apply Rplus_le_compat; [apply GB|]. apply Rmult_le_compat_r; [apply sqrt_pos|exact NB].
  - apply Rmult_le_compat_l; [exact G0|]. apply Rplus_le_compat_l.
    assert (P : 0 < (1 - a) * c) by nra.
    replace (/ sqrt ((1 - a) * c)) with (sqrt (/ ((1 - a) * c))).
    + apply sqrt_le_1_alt. apply div_le_of; [exact C|].
      replace (/ ((1 - a) * c) * c) with (/ (1 - a)) by (field; lra).
      rewrite <- (Rmult_1_l (/ (1 - a))). apply le_div; [lra|]. specialize (High t). lra.
    + apply sqrt_unique; [left; apply Rinv_0_lt_compat, sqrt_pos_lt, P|].
      rewrite <- Rinv_mult. rewrite sqrt_sqrt by lra. reflexivity.
  - intros i. unfold Rdiv at 1. rewrite Rabs_mult.
    pose proof (sqrt_pos_lt _ (psi2_pos t)) as P. fold (s t) in P.
    rewrite (Rabs_pos_eq (/ s t)) by (left; apply Rinv_0_lt_compat, P).
    apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, P|apply Row].
Qed.

(* what nu moves by: nu_T - nu_0 = (1 - a) sum_t mean(X_t x_hat_t) *)
Lemma nu_telescopes T : nu T - nu O = (1 - a) * Sum T (fun t => valid_mean n valid (rest t) (x_hat t)).
Proof.
  assert (E : forall t, valid_mean n valid (rest t) (x_hat t) = Lambda t - nu t * Gamma t).
  { intros t. unfold valid_mean, Lambda, Gamma, valid_mean.
    rewrite (Sum_ext n (fun i => weight valid i * (rest t i * x_hat t i)) (fun i =>
      1 * (weight valid i * (g t i * x_hat t i)) + (- nu t) * (weight valid i * (x_hat t i * x_hat t i))))
      by (intros; unfold rest; ring).
    rewrite Sum_lin2. field. lra. }
  induction T; [simpl; ring|]. simpl Sum. rewrite Rmult_plus_distr_l, <- IHT, nu_moves, E. unfold nu_step. ring.
Qed.

(* D12. theta_t in [0, 1], |nu_0| <= M and |Lambda_j/Gamma_j| <= M: for every T > 0
   (1/T) |sum_{t<T} mean(X_t x_hat_t)| = |nu_T - nu_0|/((1 - a) T) <= 2 M/((1 - a) T). *)
Theorem D12_orthogonal_in_the_average M T : (0 < T)%nat -> Rabs (nu O) <= M ->
  (forall t, 0 < Gamma t) -> (forall t, (1 - a) * Gamma t <= 1) -> (forall t, Rabs (Lambda t / Gamma t) <= M) ->
  let average := / INR T * Rabs (Sum T (fun t => valid_mean n valid (rest t) (x_hat t))) in
  average = Rabs (nu T - nu O) / ((1 - a) * INR T) /\ average <= 2 * M / ((1 - a) * INR T).
Proof.
  intros HT M0 P High R average. pose proof (INR_pos T HT).
  assert (E : average = Rabs (nu T - nu O) / ((1 - a) * INR T)).
  { unfold average. rewrite nu_telescopes, Rabs_mult, (Rabs_pos_eq (1 - a)) by lra. field. lra. }
  split; [exact E|]. rewrite E. apply div_le; [apply Rmult_lt_0_compat; lra|].
  assert (B : Rabs (nu T) <= M).
  { apply (D1_convex_combination a Gamma Lambda (fun t => Lambda t / Gamma t) nu); try assumption.
    - intros u. specialize (P u). field. lra.
    - intros u. specialize (P u). specialize (High u). split; [nra|exact High]. }
  eapply Rle_trans; [apply Rabs_triang|]. rewrite Rabs_Ropp. lra.
Qed.
End PowerNorm.

(* nu_t = r (1 - (1 - q)^t) where the ratio is r for ever and theta = q: it leaves every bound if |1 - q| > 1. *)
Lemma leaves_every_bound q r C : 1 < Rabs (1 - q) -> r <> 0 -> exists t, C < Rabs (r * (1 - (1 - q)^t)).
Proof.
  intros Q NZ. assert (P : 0 < Rabs r) by (apply Rabs_pos_lt, NZ).
  destruct (Pow_x_infinity (1 - q) Q ((C + 1) / Rabs r + 1)) as [t H]. exists t.
  specialize (H t (le_n t)). rewrite Rabs_mult.
  pose proof (Rabs_triang_inv ((1 - q)^t) 1) as T. rewrite Rabs_R1 in T.
  rewrite (Rabs_minus_sym 1). apply Rge_le in H.
  assert ((C + 1) / Rabs r <= Rabs ((1 - q)^t - 1)) by lra.
  assert (K : C + 1 = Rabs r * ((C + 1) / Rabs r)) by (field; lra). nra.
Qed.
Lemma repeated_nu a Gamma r t : (* the recursion of that closed form *)
  r * (1 - (1 - (1 - a) * Gamma)^(S t)) = nu_step a Gamma (r * Gamma) (r * (1 - (1 - (1 - a) * Gamma)^t)).
Proof. unfold nu_step. simpl pow. ring. Qed.

(* D5. Not: theta_t in [0, 1] and rms(g_t) <= 1 for all t bound rms(X_t) by a constant. For every weight w = 1 - a in
   (0, 1] and every C there are Gamma, Lambda and nu with theta_t in [0, 1] and |Lambda_t| <= sqrt(Gamma_t), as rms(g_t) = 1
   demands, such that a next batch with x_hat = 1, g = -1 has |X| > C. *)
Theorem D5_no_lower_bound_refuted w C : 0 < w <= 1 ->
  exists Gamma Lambda nu T, (forall t, 0 <= w * Gamma t <= 1) /\ (forall t, Rabs (Lambda t) <= sqrt (Gamma t)) /\
    nu O = 0 /\ (forall t, nu (S t) = nu_step (1 - w) (Gamma t) (Lambda t) (nu t)) /\ C < Rabs (-1 - nu T * 1).
Proof.
  intros Hw. set (K := Rabs C + 1). assert (HK : 1 <= K) by (unfold K; pose proof (Rabs_pos C); lra).
  set (e := / (2 * K)^2). assert (He : 0 < e) by (apply Rinv_0_lt_compat; nra).
  assert (He1 : e <= 1) by (unfold e; rewrite <- Rinv_1; apply Rinv_le_contravar; nra).
  assert (Hs : sqrt e = / (2 * K)).
  { apply sqrt_unique; [left; apply Rinv_0_lt_compat; lra|]. unfold e. field. lra. }
  set (q := 1 - w * e). assert (Hq : 0 <= q < 1) by (unfold q; split; nra).
  destruct (pow_lt_1_zero q ltac:(rewrite Rabs_pos_eq; lra) (/ 2) ltac:(lra)) as [T HT].
  specialize (HT T (le_n T)).
  exists (fun _ => e), (fun _ => sqrt e), (fun t => (1 - q^t) * (2 * K)), T.
  split; [intros; split; nra|]. split; [intros; rewrite Rabs_pos_eq; [lra|apply sqrt_pos]|].
  split; [simpl; ring|]. split.
  - intros t. rewrite Hs. unfold nu_step. simpl pow.
    replace ((1 - (1 - w)) * / (2 * K)) with (2 * K * (w * e)) by (unfold e; field; lra).
    replace (1 - (1 - (1 - w)) * e) with q by (unfold q; ring).
    replace (w * e) with (1 - q) by (unfold q; ring). ring.
  - rewrite Rabs_pos_eq in HT by (apply pow_le; lra). assert (K <= (1 - q^T) * (2 * K)) by nra.
    rewrite Rmult_1_r, <- Rabs_Ropp, Rabs_pos_eq by lra. pose proof (Rle_abs C). unfold K in *. lra.
Qed.

(* D6. Not: Gamma_t <= Gamma_max bounds |nu_t| by a multiple of max(|nu_0|, max_j |Lambda_j/Gamma_j|), 100 or any other.
   For every C and a < 1 and Gamma with theta = (1 - a) Gamma > 2, nu_0 = 0 and Lambda/Gamma = 1 for ever: |nu_t| > C at a t. *)
Theorem D6_theta_above_two_refuted a Gamma C : 2 < (1 - a) * Gamma ->
  exists nu, nu O = 0 /\ (forall t, nu (S t) = nu_step a Gamma (1 * Gamma) (nu t)) /\ exists t, C * 1 < Rabs (nu t).
Proof.
  intros H. exists (fun t => 1 * (1 - (1 - (1 - a) * Gamma)^t)).
  split; [simpl; ring|]. split; [intros; apply repeated_nu|]. rewrite Rmult_1_r.
  apply leaves_every_bound; [|lra]. rewrite <- Rabs_Ropp. rewrite Rabs_pos_eq; lra.
Qed.

(* D7. Not: one batch for ever bounds the released |(1 - a) e_t| by a multiple C of |Lambda/Gamma|. a = 1/2, eps = 0,
   psi^2_0 = 1, e_0 = 0, x = (1, 8), g = (1, 0), the second row padded: psi^2 stays 1, theta = 65/4. *)
Theorem D7_released_pads_refuted C :
  let x := fun i : nat => match i with O => 1 | _ => 8 end in
  let g := fun i : nat => match i with O => 1 | _ => 0 end in
  let valid := fun i : nat => match i with O => true | _ => false end in
  exists psi2 e : nat -> R, psi2 O = 1 /\ e O = 0 /\
    (forall t, psi2 (S t) = 1/2 * psi2 t + (1 - 1/2) * valid_mean 2 valid x x) /\
    (forall t, let x_hat := fun i => x i / sqrt (psi2 t) in
       e (S t) = e t + dot 2 (fun i => g i - (1 - 1/2) * e t * x_hat i) x_hat / 2) /\
    exists t, C * (1/65) < Rabs ((1 - 1/2) * e t).
Proof.
  intros x g valid. exists (fun _ => 1), (fun t => 2/65 * (1 - (1 - 65/4)^t)).
  split; [reflexivity|]. split; [simpl; ring|]. split.
  - intros _. unfold valid_mean, weight, valid, x. simpl. field.
  - split.
    + intros t x_hat. unfold dot, x_hat. rewrite sqrt_1. simpl. field.
    + destruct (leaves_every_bound (65/4) (1/65) (C * (1/65))) as [t H].
      * rewrite <- Rabs_Ropp. rewrite Rabs_pos_eq; lra.
      * lra.
      * exists t. replace ((1 - 1/2) * (2/65 * (1 - (1 - 65/4)^t))) with (1/65 * (1 - (1 - 65/4)^t)) by field. exact H.
Qed.

(* D8. Not: the two weights of nu may be swapped, the largest |nu_t| growing by a factor of ten, or of any other C. a = 9/10,
   Gamma = 5, Lambda = 5, nu_0 = 0: as printed |nu_t| <= 1 for every t, swapped |nu_t| > C at a t. *)
Theorem D8_swapped_weights_refuted C :
  exists printed swapped : nat -> R, printed O = 0 /\ swapped O = 0 /\
    (forall t, printed (S t) = nu_step (9/10) 5 5 (printed t)) /\
    (forall t, swapped (S t) = nu_step (1 - 9/10) 5 5 (swapped t)) /\
    (forall t, Rabs (printed t) <= 1) /\ exists t, C * 1 < Rabs (swapped t).
Proof.
  exists (fun t => 1 * (1 - (1 - (1 - 9/10) * 5)^t)), (fun t => 1 * (1 - (1 - (1 - (1 - 9/10)) * 5)^t)).
  split; [simpl; ring|]. split; [simpl; ring|].
  split; [intros; rewrite repeated_nu; f_equal; ring|]. split; [intros; rewrite repeated_nu; f_equal; ring|]. split.
  - intros t. replace (1 - (1 - 9/10) * 5) with (1/2) by field.
    assert (0 < (1/2)^t <= 1).
    { split; [apply pow_lt; lra|]. induction t; simpl; [lra|]. pose proof (pow_lt (1/2) t ltac:(lra)). lra. }
    rewrite Rabs_pos_eq; lra.
  - rewrite Rmult_1_r. apply leaves_every_bound; [|lra]. rewrite <- Rabs_Ropp. rewrite Rabs_pos_eq; lra.
Qed.

(* D9. Not: |grad_x_i| <= (|g_i| + |nu x_hat_i|)/sqrt(psi^2_(t-1) + eps) where the backward divides by the batch's own
   root. One row, x = 0, g = 1, nu = 0, psi^2_(t-1) = 1, eps = 1: the gradient is 1, the bound 1/sqrt(2). *)
Theorem D9_quiet_batch_refuted :
  ~ (forall n x g psi2 nu eps i, (i < n)%nat -> 0 < eps -> 0 <= psi2 ->
     let x_hat := fun i => x i / sqrt (psi2 + eps) in
     Rabs ((g i - nu * x_hat i) / sqrt (quadratic_mean n x + eps))
     <= (Rabs (g i) + Rabs (nu * x_hat i)) / sqrt (psi2 + eps)).
Proof.
  intros H. specialize (H 1%nat (fun _ => 0) (fun _ => 1) 1 0 1 0%nat ltac:(lia) ltac:(lra) ltac:(lra)).
  cbv zeta in H. unfold quadratic_mean, dot in H. simpl in H.
  replace ((0 + 0 * 0) / 1 + 1) with 1 in H by field. rewrite sqrt_1 in H.
  replace ((1 - 0 * (0 / sqrt (1 + 1))) / 1) with 1 in H by (unfold Rdiv; rewrite Rinv_1; ring).
  replace (0 * (0 / sqrt (1 + 1))) with 0 in H by ring. rewrite Rabs_R0, Rabs_R1 in H.
  assert (1 < sqrt (1 + 1)) by (rewrite <- sqrt_1 at 1; apply sqrt_lt_1_alt; lra).
  assert ((1 + 0) / sqrt (1 + 1) < 1); [|lra].
  apply Rmult_lt_reg_r with (sqrt (1 + 1)); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
Qed.

(* D10. Not: Gamma_t = 1, rms(g_t) <= 1 and |nu| <= 1 bound |X_i| by 2 in each row. Four rows, x_hat = (2, 0, 0, 0),
   g = (-1, -1, -1, -1), nu = 1: X_1 = -3. *)
Theorem D10_row_by_row_refuted :
  ~ (forall n x_hat g nu i, (i < n)%nat -> dot n x_hat x_hat / INR n = 1 -> sqrt (dot n g g / INR n) <= 1 ->
     Rabs nu <= 1 -> Rabs (g i - nu * x_hat i) <= 2).
Proof.
  intros H. specialize (H 4%nat (fun i => match i with O => 2 | _ => 0 end) (fun _ => -1) 1 0%nat ltac:(lia)).
  unfold dot in H. simpl in H.
  assert (K : Rabs (-1 - 1 * 2) <= 2).
  { apply H; [field|replace ((0 + -1 * -1 + -1 * -1 + -1 * -1 + -1 * -1) / (1 + 1 + 1 + 1)) with 1 by field;
      rewrite sqrt_1; lra|rewrite Rabs_R1; lra]. }
  apply abs_between in K. lra.
Qed.

(* D11. Not: ||X|| <= ||g||. One row, x_hat = 1, g = 0, nu = 1: X = -1. *)
Theorem D11_contraction_refuted :
  ~ (forall n x_hat g nu, let X := fun i => g i - nu * x_hat i in dot n X X <= dot n g g).
Proof. intros H. specialize (H 1%nat (fun _ => 1) (fun _ => 0) 1). unfold dot in H. simpl in H. lra. Qed.

(* D13. In the steady state of a channel that is active once every K batches, psi^2 = a^(K-1) (a psi^2 + (1 - a) x^2), eps =
   0: theta = (1 - a) x^2/psi^2 = 1/a^(K-1) - a, which is above 2 if and only if a^(K-1) (2 + a) < 1, that is
   K > 1 + ln(2 + a)/ln(1/a); and the distance of nu from the ratio is multiplied by 1 - theta. *)
Theorem D13_amplification a x psi2 nu ratio K : 0 < a < 1 -> 0 < psi2 -> (0 < K)%nat ->
  psi2 = a^(K - 1) * (a * psi2 + (1 - a) * x^2) ->
  let Gamma := x^2 / psi2 in let theta := (1 - a) * Gamma in
  theta = / a^(K - 1) - a /\ (2 < theta <-> a^(K - 1) * (2 + a) < 1) /\
  (2 < theta <-> 1 + ln (2 + a) / ln (/ a) < INR K) /\
  nu_step a Gamma (ratio * Gamma) nu - ratio = (1 - theta) * (nu - ratio).
Proof.
  intros A P HK E Gamma theta. set (p := a^(K - 1)) in *. assert (Pp : 0 < p) by (apply pow_lt; lra).
  assert (T : theta = / p - a).
  { unfold theta, Gamma. apply Rmult_eq_reg_r with (p * psi2); [|nra].
    transitivity (p * ((1 - a) * x^2)); [field; lra|]. transitivity ((1 - p * a) * psi2); [lra|field; lra]. }
  assert (I : 2 < theta <-> p * (2 + a) < 1).
  { rewrite T. assert (Q : / p * p = 1) by (field; lra). assert (0 < / p) by (apply Rinv_0_lt_compat, Pp).
    split; intros L; [|apply Rnot_le_lt; intros F]; nra. }
  split; [exact T|]. split; [exact I|]. split.
  - rewrite I. assert (L : 0 < ln (/ a)).
    { rewrite <- ln_1. apply ln_increasing; [lra|]. rewrite <- Rinv_1. apply Rinv_lt_contravar; lra. }
    assert (LN : ln p = - (INR K - 1) * ln (/ a)).
    { unfold p. rewrite ln_Rinv by lra. rewrite <- Rpower_pow by lra. unfold Rpower. rewrite ln_exp.
      rewrite minus_INR by lia. simpl. ring. }
    assert (J : p * (2 + a) < 1 <-> ln p + ln (2 + a) < 0).
    { rewrite <- ln_mult by lra. rewrite <- ln_1.
      split; intros H; [apply ln_increasing; [apply Rmult_lt_0_compat; lra|exact H]|].
      apply ln_lt_inv; [apply Rmult_lt_0_compat; lra|lra|exact H]. }
    rewrite J, LN. split; intros H.
    + assert (ln (2 + a) / ln (/ a) < INR K - 1); [|lra].
      apply Rmult_lt_reg_r with (ln (/ a)); [exact L|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
    + assert (ln (2 + a) / ln (/ a) < INR K - 1) as Q by lra.
      apply Rmult_lt_compat_r with (r := ln (/ a)) in Q; [|exact L].
      unfold Rdiv in Q. rewrite Rmult_assoc, Rinv_l in Q by lra. lra.
  - unfold nu_step. fold theta. unfold theta. ring.
Qed.
(* D13. Not: |x| <= 1 and |g| <= 1 keep nu bounded. a = 1/2, eps = 0, one row that is 1 in every third batch and 0 in the
   others, g = 1, psi^2_0 = 1/7: theta = 7/2, and nu leaves every bound. *)
Theorem D13_bounded_data_refuted :
  ~ (forall a x g psi2 nu, 0 < a < 1 -> (forall t : nat, Rabs (x t) <= 1) -> (forall t : nat, Rabs (g t) <= 1) ->
     (forall t, 0 < psi2 t) -> nu O = 0 ->
     (forall t, psi2 (S t) = a * psi2 t + (1 - a) * (x t * x t)) ->
     (forall t, let x_hat := x t / sqrt (psi2 t) in nu (S t) = nu_step a (x_hat * x_hat) (g t * x_hat) (nu t)) ->
     exists M, forall t, Rabs (nu t) <= M).
Proof.
  intros H.
  assert (Cases : forall t : nat, exists j, t = (3 * j)%nat \/ t = (3 * j + 1)%nat \/ t = (3 * j + 2)%nat).
  { intros t. exists (t / 3)%nat. pose proof (Nat.div_mod t 3 ltac:(lia)).
    pose proof (Nat.mod_upper_bound t 3 ltac:(lia)). lia. }
  assert (M3 : forall j r, (r < 3)%nat -> ((3 * j + r) mod 3 = r)%nat).
  { intros j r Hr. replace (3 * j + r)%nat with (r + j * 3)%nat by lia.
    rewrite Nat.mod_add by lia. apply Nat.mod_small, Hr. }
  assert (M0 : forall j, ((3 * j) mod 3 = 0)%nat) by (intros j; rewrite Nat.mul_comm; apply Nat.mod_mul; lia).
  assert (D3 : forall j r, (r < 3)%nat -> ((3 * j + r) / 3 = j)%nat).
  { intros j r Hr. replace (3 * j + r)%nat with (r + j * 3)%nat by lia.
    rewrite Nat.div_add by lia. rewrite Nat.div_small by exact Hr. lia. }
  set (x := fun t : nat => match (t mod 3)%nat with O => 1 | _ => 0 end).
  set (p := fun t : nat => match (t mod 3)%nat with O => 1/7 | 1%nat => 4/7 | _ => 2/7 end).
  set (nu := fun t : nat => / sqrt 7 * (1 - (1 - 7/2)^((t + 2) / 3))).
  assert (S7 : 0 < sqrt 7) by (apply sqrt_pos_lt; lra). pose proof (sqrt_sqrt 7 ltac:(lra)) as Q7.
  assert (SI : sqrt (1/7) = / sqrt 7).
  { apply sqrt_unique; [left; apply Rinv_0_lt_compat, S7|]. rewrite <- Rinv_mult, Q7. field. }
  destruct (H (1/2) x (fun _ => 1) p nu) as [M B].
  - lra.
  - intros t. unfold x. destruct (t mod 3)%nat; rewrite ?Rabs_R1, ?Rabs_R0; lra.
  - intros t. rewrite Rabs_R1. lra.
  - intros t. unfold p. destruct (t mod 3)%nat as [|[|m]]; lra.
  - unfold nu. simpl. ring.
  - intros t. destruct (Cases t) as [j [->|[->| ->]]]; unfold x, p.
    + replace (S (3 * j))%nat with (3 * j + 1)%nat by lia. rewrite M3, M0 by lia. lra.
    + replace (S (3 * j + 1))%nat with (3 * j + 2)%nat by lia. rewrite !M3 by lia. lra.
    + replace (S (3 * j + 2))%nat with (3 * S j)%nat by lia. rewrite M3, M0 by lia. lra.
  - intros t. unfold nu_step. destruct (Cases t) as [j [->|[->| ->]]]; unfold x, p, nu.
    + replace (S (3 * j) + 2)%nat with (3 * S j + 0)%nat by lia.
      rewrite !D3, !M0 by lia. rewrite SI. simpl pow. set (y := (1 - 7/2)^j). set (q := sqrt 7) in *.
      replace (1 / / q * (1 / / q)) with 7 by (rewrite <- Q7; field; lra).
      replace (1 * (1 / / q)) with (7 * / q) by (rewrite <- Q7; field; lra). field. lra.
    + replace (S (3 * j + 1) + 2)%nat with (3 * S j + 1)%nat by lia.
      replace (3 * j + 1 + 2)%nat with (3 * S j + 0)%nat by lia. rewrite !D3, !M3 by lia. unfold Rdiv. ring.
    + replace (S (3 * j + 2) + 2)%nat with (3 * S j + 2)%nat by lia.
      replace (3 * j + 2 + 2)%nat with (3 * S j + 1)%nat by lia. rewrite !D3, !M3 by lia. unfold Rdiv. ring.
  - destruct (leaves_every_bound (7/2) (/ sqrt 7) M) as [k K].
    + rewrite <- Rabs_Ropp. rewrite Rabs_pos_eq; lra.
    + apply Rgt_not_eq, Rinv_0_lt_compat, S7.
    + specialize (B (3 * k)%nat). unfold nu in B. rewrite D3 in B by lia. lra.
Qed.
