(** * Step: one drafted token, kept or corrected.

    [step V p q] is the program: draft x from q; toss a coin of bias
    min(1, p x / q x); keep x on heads; otherwise sample from what is left of p
    once q has been served, max(p - q, 0) normalised.  The boolean says whether
    the draft was kept. *)
Require Import QArith Qminmax Qabs List Lqa Lia.
Require Import SpecSim.Distribution.
Import ListNotations.
Open Scope Q_scope.

Section Step.
Context {A : Type}.
Variable V : list A.                       (* the vocabulary *)
Implicit Types (p q f : A -> Q) (x y : A).

Definition prob p := (forall x, In x V -> 0 <= p x) /\ sum p V == 1.

Definition ratio p q x := Qmin 1 (p x / q x).
Definition residual p q x := Qmax 0 (p x - q x).
Definition refusal p q := sum (residual p q) V.
(** When p = q nothing is left and a refusal has probability 0; like the float
    twin we then take p.  (The reference raises: it is never asked.) *)
Definition corrected p q x := if Qeq_bool (refusal p q) 0 then p x else residual p q x / refusal p q.

(** A token in proportion to its weight.  From an empty row nothing is drawn: in a run
    that asks for it, mass is lost (where the reference raises). *)
Definition draw (weights : A -> Q) : dist A := sample V (fun x => weights x / sum weights V).

Definition step p q : dist (A * bool) :=
  x <- sample V q ;;
  b <- coin (ratio p q x) ;;
  if b then ret (x, true)
  else (y <- sample V (corrected p q) ;; ret (y, false)).

(** The quantities the theorems speak about. *)
Definition overlap p q := sum (fun x => Qmin (p x) (q x)) V.
Definition tv p q := (1 # 2) * sum (fun x => Qabs (p x - q x)) V.

Lemma E_draw weights f :
  E (draw weights) f == sum (fun y => weights y * f y) V / sum weights V.
Proof.
  unfold draw. rewrite E_sample. unfold Qdiv. rewrite Qmult_comm, <- sum_scal.
  apply sum_ext. intros; ring.
Qed.

(** ** Pointwise algebra *)
Lemma ratio_range p q x : 0 <= p x -> 0 <= q x -> 0 <= ratio p q x <= 1.
Proof.
  intros Hp Hq. unfold ratio. split; [|apply Q.le_min_l].
  apply Q.min_glb; [lra|].
  destruct (Qeq_dec (q x) 0) as [H|H].
  - rewrite (div_by_0 _ _ H). lra.
  - apply Qle_shift_div_l; lra.
Qed.

Lemma q_ratio p q x : 0 <= p x -> 0 <= q x -> q x * ratio p q x == Qmin (p x) (q x).
Proof.
  intros Hp Hq. unfold ratio.
  destruct (Qeq_dec (q x) 0) as [H|H].
  - rewrite (qmin_r (p x) (q x)) by lra. rewrite H at 1 3. ring.
  - assert (Hq' : 0 < q x) by lra.
    destruct (Qlt_le_dec (p x) (q x)) as [L|L].
    + rewrite (qmin_l (p x) (q x)) by lra.
      rewrite (qmin_r 1 (p x / q x)); [field; exact H|].
      apply Qle_shift_div_r; lra.
    + rewrite (qmin_r (p x) (q x)) by lra.
      rewrite (qmin_l 1 (p x / q x)); [ring|].
      apply Qle_shift_div_l; lra.
Qed.

Lemma min_residual p q x : Qmin (p x) (q x) + residual p q x == p x.
Proof.
  unfold residual. destruct (Qlt_le_dec (p x) (q x)) as [L|L].
  - rewrite qmin_l, qmax_l by lra. ring.
  - rewrite qmin_r, qmax_r by lra. ring.
Qed.

Lemma residual_nonneg p q x : 0 <= residual p q x.
Proof. apply Q.le_max_l. Qed.

Lemma refusal_nonneg p q : 0 <= refusal p q.
Proof. apply sum_nonneg. intros; apply residual_nonneg. Qed.

Lemma overlap_refusal p q : overlap p q + refusal p q == sum p V.
Proof.
  unfold overlap, refusal. rewrite <- sum_plus. apply sum_ext. intros; apply min_residual.
Qed.

Lemma refusal_corrected p q x : In x V -> refusal p q * corrected p q x == residual p q x.
Proof.
  intros Hin. unfold corrected. destruct (Qeq_bool (refusal p q) 0) eqn:Hz.
  - apply Qeq_bool_eq in Hz. rewrite Hz.
    assert (residual p q x == 0) as ->; [|ring].
    apply (sum_zero_inv (residual p q) V); auto. intros; apply residual_nonneg.
  - apply Qeq_bool_neq in Hz. field. exact Hz.
Qed.

Lemma refusal_corrected_sum p q f :
  refusal p q * sum (fun x => corrected p q x * f x) V == sum (fun x => residual p q x * f x) V.
Proof.
  rewrite <- sum_scal. apply sum_ext. intros x Hin.
  rewrite <- (refusal_corrected p q x Hin). ring.
Qed.

Lemma corrected_prob p q : prob p -> prob (corrected p q).
Proof.
  intros [Hp H1]. unfold prob, corrected.
  destruct (Qeq_bool (refusal p q) 0) eqn:Hz; [split; assumption|].
  apply Qeq_bool_neq in Hz. pose proof (refusal_nonneg p q) as Hn.
  split.
  - intros x _. apply Qle_shift_div_l; [lra|].
    pose proof (residual_nonneg p q x). lra.
  - rewrite (sum_ext _ (fun x => / refusal p q * residual p q x)).
    + rewrite sum_scal. fold (refusal p q). field. exact Hz.
    + intros; unfold Qdiv; ring.
Qed.

(** ** The heart of every proof below.
    Draft from q, keep with probability [ratio], otherwise collect the residual's
    expectation of [f]: the total is the p-expectation of [f].  The target p need
    not be normalised: block verification needs it for w p with w < 1. *)
Lemma kept_or_corrected_weighted p q f :
  (forall x, In x V -> 0 <= p x) -> prob q ->
  sum (fun x => q x * (ratio p q x * f x)) V
  + refusal p q * sum (fun x => corrected p q x * f x) V
  == sum (fun x => p x * f x) V.
Proof.
  intros Hp [Hq Hq1].
  rewrite refusal_corrected_sum, <- sum_plus. apply sum_ext. intros x Hin.
  setoid_replace (q x * (ratio p q x * f x)) with (Qmin (p x) (q x) * f x).
  - transitivity ((Qmin (p x) (q x) + residual p q x) * f x); [ring|].
    now rewrite min_residual.
  - rewrite <- (q_ratio p q x) by auto. ring.
Qed.

Lemma sum_q_ratio p q :
  (forall x, In x V -> 0 <= p x) -> (forall x, In x V -> 0 <= q x) ->
  sum (fun x => q x * ratio p q x) V == overlap p q.
Proof.
  intros Hp Hq. apply sum_ext. intros x Hin. apply q_ratio; auto.
Qed.

Lemma kept_or_corrected p q f c :
  prob p -> prob q -> c == sum (fun x => corrected p q x * f x) V ->
  sum (fun x => q x * (ratio p q x * f x + (1 - ratio p q x) * c)) V
  == sum (fun x => p x * f x) V.
Proof.
  intros [Hp Hp1] Hq Hc. pose proof Hq as [Hq0 Hq1].
  rewrite <- (kept_or_corrected_weighted p q f Hp Hq), <- Hc.
  rewrite (sum_ext _ (fun x => q x * (ratio p q x * f x)
                       + (c * q x + (- c) * (q x * ratio p q x)))) by (intros; ring).
  rewrite sum_plus, sum_plus, !sum_scal, (sum_q_ratio p q Hp Hq0), Hq1.
  assert (refusal p q == 1 - overlap p q) as ->.
  { pose proof (overlap_refusal p q). lra. }
  ring.
Qed.

(** ** The law of one step is exactly p. *)
Lemma E_step p q g :
  E (step p q) g ==
  sum (fun x => q x * (ratio p q x * g (x, true)
     + (1 - ratio p q x) * sum (fun y => corrected p q y * g (y, false)) V)) V.
Proof.
  unfold step. rewrite E_bind, E_sample. apply sum_ext. intros x _.
  rewrite E_bind, E_coin, E_ret, E_bind, E_sample.
  rewrite (sum_ext (fun y => corrected p q y * E (ret (y, false)) g)
                   (fun y => corrected p q y * g (y, false))); [reflexivity|].
  intros y _. now rewrite E_ret.
Qed.

Lemma E_step' p q g :
  E (step p q) g ==
  E (sample V q) (fun x => ratio p q x * g (x, true)
     + (1 - ratio p q x) * E (sample V (corrected p q)) (fun y => g (y, false))).
Proof. rewrite E_step, E_sample. apply sum_ext. intros x _. now rewrite E_sample. Qed.

Theorem step_law p q : prob p -> prob q ->
  forall f, E (step p q) (fun r => f (fst r)) == E (sample V p) f.
Proof.
  intros Hp Hq f. rewrite E_step, E_sample. simpl.
  apply kept_or_corrected; auto; reflexivity.
Qed.

(** A draft is kept with probability sum min(p, q) = 1 - tv(p, q). *)
Theorem step_acceptance p q : prob p -> prob q ->
  Pr (step p q) snd == overlap p q.
Proof.
  intros [Hp _] [Hq _]. unfold Pr. rewrite E_step. simpl.
  rewrite <- (sum_q_ratio p q Hp Hq). apply sum_ext. intros x _.
  rewrite (sum_ext _ (fun _ => 0)) by (intros; ring). rewrite sum_0. ring.
Qed.

Theorem overlap_is_one_minus_tv p q : prob p -> prob q -> overlap p q == 1 - tv p q.
Proof.
  intros [_ Hp] [_ Hq].
  assert (G : 2 * overlap p q + sum (fun x => Qabs (p x - q x)) V == sum p V + sum q V).
  { unfold overlap. rewrite <- sum_scal, <- !sum_plus. apply sum_ext. intros x _.
    destruct (Qlt_le_dec (p x) (q x)) as [L|L].
    - rewrite qmin_l by lra. rewrite Qabs_neg by lra. ring.
    - rewrite qmin_r by lra. rewrite Qabs_pos by lra. ring. }
  rewrite Hp, Hq in G. unfold tv. lra.
Qed.

(** The program is a genuine probability distribution. *)
Lemma sample_proper p : prob p -> proper (sample V p).
Proof.
  intros [H H1]. split; [now apply nonneg_sample|].
  rewrite E_sample. transitivity (sum p V); [|exact H1].
  apply sum_ext. intros; ring.
Qed.

Lemma mass_step p q : prob p -> prob q -> E (step p q) (fun _ => 1) == 1.
Proof.
  intros Hp Hq. rewrite (step_law p q Hp Hq (fun _ => 1)).
  apply sample_proper; assumption.
Qed.

Lemma nonneg_bind_in {B} (d : dist A) (k : A -> dist B) :
  nonneg d -> (forall x w, In (x, w) d -> nonneg (k x)) -> nonneg (bind d k).
Proof.
  intros Hd Hk. induction d as [|[x w] d IH]; simpl; intros y v Hin; [contradiction|].
  apply in_app_or in Hin as [Hin|Hin].
  - unfold scale in Hin. apply in_map_iff in Hin as [[z u] [Heq Hin]].
    simpl in Heq. inversion Heq; subst.
    specialize (Hk x w (or_introl eq_refl) _ _ Hin).
    specialize (Hd x w (or_introl eq_refl)). nra.
  - refine (IH _ _ y v Hin); [exact (fun a b H => Hd a b (or_intror H))|].
    intros a b H. exact (Hk a b (or_intror H)).
Qed.

Theorem step_proper p q : prob p -> prob q -> proper (step p q).
Proof.
  intros Hp Hq. split; [|now apply mass_step].
  unfold step. apply nonneg_bind_in.
  - apply nonneg_sample. apply Hq.
  - intros x w Hin. apply in_map_iff in Hin as [x' [Heq Hin]].
    inversion Heq; subst. apply nonneg_bind.
    + apply nonneg_coin. apply ratio_range; [apply Hp|apply Hq]; assumption.
    + intros [|]; [apply nonneg_ret|].
      apply nonneg_bind; [|intros; apply nonneg_ret].
      apply nonneg_sample. apply (corrected_prob p q Hp).
Qed.

(** ** Optimality.  A scheme receives the draft [x ~ q] and returns a token
    and a flag, in any randomised way [s x]; the flag may be raised only when the
    returned token is the draft; the returned token must have law p.  Then the
    flag is raised with probability at most sum min(p,q), which [step] attains. *)
Variable eqb : A -> A -> bool.
Hypothesis eqb_eq : forall x y, eqb x y = true <-> x = y.
Hypothesis V_nodup : NoDup V.

Lemma sum_pick f y : In y V -> sum (fun x => f x * ind (eqb x y)) V == f y.
Proof.
  revert y. assert (G : forall l, NoDup l -> forall y,
     (In y l -> sum (fun x => f x * ind (eqb x y)) l == f y) /\
     (~ In y l -> sum (fun x => f x * ind (eqb x y)) l == 0)).
  { induction l as [|z l IH]; simpl; intros Hnd y.
    - split; [contradiction|reflexivity].
    - inversion Hnd as [|? ? Hnot Hnd']; subst. destruct (IH Hnd' y) as [I1 I2].
      destruct (eqb z y) eqn:Hzy.
      + apply eqb_eq in Hzy; subst z. split; [intros _|intros H; exfalso; apply H; now left].
        rewrite I2 by assumption. simpl. ring.
      + assert (z <> y) by (intros ->; rewrite (proj2 (eqb_eq y y) eq_refl) in Hzy; discriminate).
        split; intros H'.
        * destruct H' as [H'|H']; [contradiction|]. rewrite I1 by assumption. simpl; ring.
        * rewrite I2 by (intro; apply H'; now right). simpl; ring. }
  intros y Hy. now apply G.
Qed.

(** In the familiar form: P[output = y] = p(y). *)
Corollary step_pmf p q y : prob p -> prob q -> In y V ->
  Pr (step p q) (fun r => eqb (fst r) y) == p y.
Proof.
  intros Hp Hq Hy. unfold Pr. rewrite (step_law p q Hp Hq (fun z => ind (eqb z y))).
  rewrite E_sample. now apply sum_pick.
Qed.

Lemma sum_ind_le x : sum (fun y => ind (eqb x y)) V <= 1.
Proof.
  assert (G : forall l, NoDup l -> sum (fun y => ind (eqb x y)) l <= 1 /\
             (~ In x l -> sum (fun y => ind (eqb x y)) l == 0)).
  { induction l as [|z l IH]; simpl; intros Hnd; [split; [lra|reflexivity]|].
    inversion Hnd as [|? ? Hnot Hnd']; subst. destruct (IH Hnd') as [I1 I2].
    destruct (eqb x z) eqn:Hxz; simpl.
    - apply eqb_eq in Hxz; subst z. rewrite (I2 Hnot).
      split; [lra|intros H; exfalso; apply H; now left].
    - split; [lra|]. intros H. rewrite I2 by (intro; apply H; now right). ring. }
  now apply G.
Qed.

Definition run q (s : A -> dist (A * bool)) : dist (A * (A * bool)) :=
  x <- sample V q ;; (r <- s x ;; ret (x, r)).

Theorem no_step_keeps_more p q (s : A -> dist (A * bool)) :
  prob p -> prob q ->
  (forall x, nonneg (s x)) ->
  (* a draft reported as accepted was really returned, and stays in V *)
  (forall x y w, In ((y, true), w) (s x) -> 0 < w -> y = x) ->
  (* one draft only: each s x is a distribution *)
  (forall x, E (s x) (fun _ => 1) == 1) ->
  (* the output has the target law *)
  (forall y, In y V -> Pr (run q s) (fun r => eqb (fst (snd r)) y) == p y) ->
  Pr (run q s) (fun r => snd (snd r)) <= overlap p q.
Proof.
  intros Hp Hq Hs Hacc Hmass Hlaw.
  assert (Hn : nonneg (run q s)).
  { unfold run. apply nonneg_bind_in; [apply nonneg_sample, Hq|].
    intros x w _. apply nonneg_bind; [apply Hs|intros; apply nonneg_ret]. }
  (* the accept event, split over the value v that was drafted *)
  set (ev := fun v (r : A * (A * bool)) => ind (eqb (fst r) v) * ind (snd (snd r))).
  assert (Hsplit : Pr (run q s) (fun r => snd (snd r))
                   == sum (fun v => E (run q s) (ev v)) V).
  { unfold Pr, run. rewrite E_bind, E_sample.
    rewrite (sum_ext (fun v => E _ (ev v))
      (fun v => sum (fun x => (q x * E (s x) (fun r => ind (snd r))) * ind (eqb x v)) V)).
    - rewrite sum_swap. apply sum_ext. intros x Hx.
      rewrite sum_scal.
      assert (sum (fun v => ind (eqb x v)) V == 1) as ->.
      { rewrite (sum_ext _ (fun v => 1 * ind (eqb v x))); [apply (sum_pick (fun _ => 1)); auto|].
        intros v _. destruct (eqb x v) eqn:H1, (eqb v x) eqn:H2; simpl; try ring.
        - apply eqb_eq in H1; subst. rewrite (proj2 (eqb_eq v v) eq_refl) in H2; discriminate.
        - apply eqb_eq in H2; subst. rewrite (proj2 (eqb_eq x x) eq_refl) in H1; discriminate. }
      rewrite E_bind. rewrite (E_ext (s x) (fun r => E (ret (x, r)) _) (fun r => ind (snd r))).
      + ring. + intros r. now rewrite E_ret.
    - intros v Hv. rewrite E_bind, E_sample. apply sum_ext. intros x Hx.
      rewrite E_bind. unfold ev.
      rewrite (E_ext (s x) _ (fun r => ind (eqb x v) * ind (snd r)))
        by (intros r; rewrite E_ret; reflexivity).
      rewrite E_scal. ring. }
  rewrite Hsplit. unfold overlap. apply sum_le. intros v Hv.
  apply Q.min_glb.
  - (* at most P[output = v] = p v *)
    rewrite <- (Hlaw v Hv). unfold Pr, run. rewrite !E_bind, !E_sample.
    apply sum_le. intros x Hx. 
    assert (0 <= q x) by (apply Hq; exact Hx).
    assert (E (r <- s x ;; ret (x, r)) (ev v)
            <= E (r <- s x ;; ret (x, r)) (fun r => ind (eqb (fst (snd r)) v))).
    { rewrite !E_bind. apply sum_le. intros [[y b] w] Hin. simpl.
      rewrite !E_ret. unfold ev. simpl.
      assert (0 <= w) by (apply (Hs x _ _ Hin)).
      destruct b; simpl.
      - destruct (Qlt_le_dec 0 w) as [Hw|Hw].
        + rewrite (Hacc x y w Hin Hw). lra.
        + assert (w == 0) as -> by lra. ring_simplify. lra.
      - assert (0 <= ind (eqb y v)) by (unfold ind; destruct (eqb y v); lra). nra. }
    nra.
  - (* at most P[draft = v] = q v *)
    unfold run. rewrite E_bind, E_sample.
    rewrite <- (sum_pick q v Hv). apply sum_le. intros x Hx.
    assert (0 <= q x) by (apply Hq; exact Hx).
    assert (E (r <- s x ;; ret (x, r)) (ev v) <= ind (eqb x v)).
    { rewrite E_bind.
      assert (ind (eqb x v) == E (s x) (fun _ => ind (eqb x v))) as ->
        by (rewrite E_const, Hmass; ring).
      apply E_le; [apply Hs|]. intros r. rewrite E_ret. unfold ev; simpl.
      unfold ind. destruct (eqb x v), (snd r); lra. }
    nra.
Qed.

(** The same bound for couplings, the textbook statement. *)
Theorem no_coupling_agrees_more p q (J : A -> A -> Q) :
  (forall x y, In x V -> In y V -> 0 <= J x y) ->
  (forall x, In x V -> sum (fun y => J x y) V == q x) ->
  (forall y, In y V -> sum (fun x => J x y) V == p y) ->
  sum (fun v => J v v) V <= overlap p q.
Proof.
  intros HJ Hq Hp.
  assert (one : forall f v, (forall x, In x V -> 0 <= f x) -> In v V -> f v <= sum f V).
  { intros f v Hf Hv. rewrite <- (sum_pick f v Hv). apply sum_le. intros x Hx.
    specialize (Hf x Hx). unfold ind. destruct (eqb x v); lra. }
  apply sum_le. intros v Hv. apply Q.min_glb.
  - rewrite <- Hp by assumption. apply (one (fun x => J x v)); auto.
  - rewrite <- Hq by assumption. apply (one (fun y => J v y)); auto.
Qed.

(** ** A draft that is always x0 is kept with probability p x0. *)
Definition onehot x0 : A -> Q := fun x => ind (eqb x x0).

Lemma onehot_prob x0 : In x0 V -> prob (onehot x0).
Proof.
  intros Hin. split.
  - intros x _. unfold onehot, ind. destruct (eqb x x0); lra.
  - rewrite (sum_ext _ (fun x => 1 * ind (eqb x x0))) by (intros; unfold onehot; ring).
    now apply (sum_pick (fun _ => 1)).
Qed.

Theorem onehot_acceptance p x0 : prob p -> In x0 V ->
  Pr (step p (onehot x0)) snd == p x0.
Proof.
  intros Hp Hin. rewrite step_acceptance by (auto using onehot_prob).
  rewrite <- (sum_pick p x0 Hin). apply sum_ext. intros x Hx.
  assert (Hx0 : 0 <= p x) by (apply Hp; exact Hx).
  assert (p x <= 1).
  { destruct Hp as [Hp0 Hp1]. apply Qle_trans with (sum p V); [|lra]. rewrite <- (sum_pick p x Hx).
    apply sum_le. intros z Hz. specialize (Hp0 z Hz). unfold ind. destruct (eqb z x); lra. }
  unfold onehot, ind. destruct (eqb x x0).
  - rewrite qmin_l by lra. ring.
  - rewrite qmin_r by lra. ring.
Qed.

(** ** The target draws, and a draft counts as kept if it is the same. *)
Definition matching (p q : A -> Q) : dist (A * bool) :=
  x <- sample V q ;; (y <- sample V p ;; ret (y, eqb x y)).

Theorem matching_law p q : prob q ->
  forall f, E (matching p q) (fun r => f (fst r)) == E (sample V p) f.
Proof.
  intros Hq f. unfold matching. rewrite E_bind.
  rewrite (E_ext _ _ (fun _ => E (sample V p) f)).
  - rewrite E_const. rewrite (proj2 (sample_proper q Hq)). ring.
  - intros x. rewrite E_bind. apply E_ext. intros y. now rewrite E_ret.
Qed.

Theorem matching_acceptance p q : prob p -> prob q ->
  Pr (matching p q) snd == sum (fun x => p x * q x) V.
Proof.
  intros Hp Hq. unfold Pr, matching. rewrite E_bind, E_sample.
  apply sum_ext. intros x Hx. rewrite E_bind, E_sample.
  rewrite (sum_ext _ (fun y => p y * ind (eqb y x))).
  - rewrite (sum_pick p x Hx). ring.
  - intros y _. rewrite E_ret. simpl.
    assert (eqb x y = eqb y x) as ->; [|reflexivity].
    destruct (eqb x y) eqn:H1, (eqb y x) eqn:H2; auto.
    + apply eqb_eq in H1; subst. rewrite (proj2 (eqb_eq y y) eq_refl) in H2; discriminate.
    + apply eqb_eq in H2; subst. rewrite (proj2 (eqb_eq x x) eq_refl) in H1; discriminate.
Qed.

Lemma prob_le1 p x : prob p -> In x V -> p x <= 1.
Proof.
  intros [Hp Hs] Hx. rewrite <- Hs, <- (sum_pick p x Hx).
  apply sum_le. intros z Hz. specialize (Hp z Hz). unfold ind. destruct (eqb z x); lra.
Qed.

Theorem matching_keeps_less p q : prob p -> prob q ->
  sum (fun x => p x * q x) V <= overlap p q.
Proof.
  intros Hp Hq. apply sum_le. intros x Hx.
  pose proof (prob_le1 p x Hp Hx). pose proof (prob_le1 q x Hq Hx).
  pose proof (proj1 Hp x Hx). pose proof (proj1 Hq x Hx).
  apply Q.min_glb; nra.
Qed.
End Step.
