(** * Weights: no program gives anything a negative weight.

    A list of outcomes may hold any rationals, so this has to be proved.  For trees it
    is proved given the tree, whose children are words with rows that are nonnegative. *)
Require Import QArith Qminmax List Lqa Lia Arith.
Require Import SpecSim.Distribution SpecSim.Step SpecSim.Rounds SpecSim.Chain SpecSim.Block
  SpecSim.Tree SpecSim.Fixed SpecSim.Recursive SpecSim.Hub SpecSim.Transport.
Import ListNotations.
Open Scope Q_scope.

Lemma nonneg_bind_in {A B} (d : dist A) (k : A -> dist B) :
  nonneg d -> (forall x w, In (x, w) d -> nonneg (k x)) -> nonneg (bind d k).
Proof.
  intros Hd Hk. induction d as [|[x w] d IH]; simpl; intros y v Hin; [contradiction|].
  apply in_app_or in Hin as [Hin|Hin].
  - unfold scale in Hin. apply in_map_iff in Hin as [[z u] [Heq Hin]].
    simpl in Heq. inversion Heq; subst.
    specialize (Hk x w (or_introl eq_refl) _ _ Hin). specialize (Hd x w (or_introl eq_refl)). nra.
  - apply (IH (fun a b H => Hd a b (or_intror H)) (fun a b H => Hk a b (or_intror H)) y v Hin).
Qed.
Lemma nonneg_fail {A} : nonneg (@fail A). Proof. intros x w []. Qed.

Section Weights.
Context {A : Type}.
Variable V : list A.
Variable P : list A -> A -> Q.
Hypothesis P_prob : forall c, prob V (P c).
Implicit Types (c xs : list A) (row q : A -> Q).

Let on (row : A -> Q) := forall x, In x V -> 0 <= row x.

Lemma on_P c : on (P c). Proof. exact (proj1 (P_prob c)). Qed.
Lemma quotient_nonneg a b : 0 <= a -> 0 <= b -> 0 <= a / b.
Proof.
  intros Ha Hb. destruct (Qeq_dec b 0) as [H|H]; [rewrite (div_by_0 _ _ H); lra|].
  apply Qle_shift_div_l; lra.
Qed.
Lemma quotient_range a b : 0 <= a -> 0 <= b -> 0 <= a / (a + b) <= 1.
Proof.
  intros Ha Hb. split; [apply quotient_nonneg; lra|].
  destruct (Qeq_dec (a + b) 0) as [H|H]; [rewrite (div_by_0 _ _ H); lra|].
  apply Qle_shift_div_r; lra.
Qed.
Lemma on_residual row q : on (residual row q).
Proof. intros x _. apply residual_nonneg. Qed.
Lemma on_corrected row q : on row -> on (corrected V row q).
Proof.
  intros H x Hx. unfold corrected. destruct (Qeq_bool _ 0); [auto|].
  apply quotient_nonneg; [apply residual_nonneg|apply refusal_nonneg].
Qed.
Lemma nonneg_draw row : on row -> nonneg (draw V row).
Proof.
  intros H. apply nonneg_sample. intros x Hx. apply quotient_nonneg; [auto|now apply sum_nonneg].
Qed.
Lemma nonneg_last row : on row -> nonneg (y <- sample V row ;; ret [y]).
Proof. intros H. apply nonneg_bind; [now apply nonneg_sample|intros; apply nonneg_ret]. Qed.

(** The target, and whole runs. *)
Theorem target_nonneg N : forall c, nonneg (gen V P N c).
Proof.
  induction N as [|m IH]; intros c; cbn [gen]; [apply nonneg_ret|].
  apply nonneg_bind; [apply nonneg_sample, on_P|]. intros y.
  apply nonneg_bind; [apply IH|intros; apply nonneg_ret].
Qed.
Theorem decode_nonneg (round : list A -> dist (list A)) : (forall c, nonneg (round c)) ->
  forall fuel N c, nonneg (decode round fuel N c).
Proof.
  intros H. induction fuel as [|fl IH]; intros [|m] c; cbn [decode]; try apply nonneg_ret.
  apply nonneg_bind; [apply H|]. intros ys.
  apply nonneg_bind; [apply IH|intros; apply nonneg_ret].
Qed.

(** Chains. *)
Section Chains.
Variable D : list A -> A -> Q.
Hypothesis D_prob : forall c, prob V (D c).
Variable more : list A -> bool.

Lemma nonneg_draft K : forall c, nonneg (draft V D more K c).
Proof.
  induction K as [|k IH]; intros c; cbn [draft]; [apply nonneg_ret|].
  destruct (more c); [|apply nonneg_ret].
  apply nonneg_bind; [apply nonneg_sample, D_prob|]. intros x.
  apply nonneg_bind; [apply IH|intros; apply nonneg_ret].
Qed.
Lemma draft_words K : forall c xs w, In (xs, w) (draft V D more K c) ->
  forall x, In x xs -> In x V.
Proof.
  induction K as [|k IH]; intros c xs w; cbn [draft]; intros H x Hx.
  - destruct H as [H|[]]. inversion H; subst. contradiction.
  - destruct (more c).
    + apply In_bind in H as (z & u & u' & Hz & H).
      apply In_bind in H as (zs & v & v' & Hzs & [H|[]]). inversion H; subst.
      destruct Hx as [<-|Hx]; [|exact (IH _ _ _ Hzs x Hx)].
      apply in_map_iff in Hz as (y & Hy & HV). now inversion Hy; subst.
    + destruct H as [H|[]]. inversion H; subst. contradiction.
Qed.

Theorem chain_nonneg K c : nonneg (chain V P D more K c).
Proof.
  apply nonneg_bind_in; [apply nonneg_draft|]. intros xs w H.
  pose proof (draft_words _ _ _ _ H) as Hxs. clear H. revert c.
  induction xs as [|x xs IH]; intros c; cbn [Chain.verify]; [apply nonneg_last, on_P|].
  assert (Hx : In x V) by (apply Hxs; now left).
  apply nonneg_bind; [apply nonneg_coin, ratio_range; [now apply on_P|now apply D_prob]|].
  intros [|].
  - apply nonneg_bind; [apply IH; intros; apply Hxs; now right|intros; apply nonneg_ret].
  - apply nonneg_last, on_corrected, on_P.
Qed.

Lemma nonneg_scan xs : forall w c past kept left, 0 <= w <= 1 ->
  (forall x, In x xs -> In x V) -> on left -> nonneg (scan V P D w c xs past kept left).
Proof.
  induction xs as [|x xs IH]; intros w c past kept left Hw Hxs Hl; cbn [scan]; cbv zeta.
  - apply nonneg_bind; [now apply nonneg_sample|intros; apply nonneg_ret].
  - assert (Hx : In x V) by (apply Hxs; now left).
    assert (Hr : forall z, In z xs -> In z V) by (intros; apply Hxs; now right).
    assert (Hw' : 0 <= ratio (scaled P w c) (D c) x <= 1).
    { apply ratio_range; [|now apply D_prob]. unfold scaled. pose proof (on_P c x Hx). nra. }
    apply nonneg_bind.
    + apply nonneg_coin. destruct xs; [exact Hw'|]. now apply pass_range.
    + intros [|]; apply IH; auto. destruct xs; [apply on_P|].
      apply on_corrected. intros y Hy. apply Qmult_le_0_compat; [apply Hw'|now apply on_P].
Qed.
Theorem block_nonneg K c : nonneg (block V P D more K c).
Proof.
  apply nonneg_bind_in; [apply nonneg_draft|]. intros xs w H.
  apply nonneg_scan; [lra|exact (draft_words _ _ _ _ H)|].
  destruct xs; [apply on_P|]. apply on_corrected. intros y Hy. unfold scaled.
  pose proof (on_P c y Hy). lra.
Qed.
End Chains.

(** Trees, given the tree. *)
Inductive weighed : @tree A -> Prop :=
  | weighed_node ks : (forall x q t, In (x, q, t) ks -> In x V /\ on q /\ weighed t) ->
      weighed (Node ks).
Lemma children ks : weighed (Node ks) ->
  forall x q t, In (x, q, t) ks -> In x V /\ on q /\ weighed t.
Proof. intros H. now inversion H. Qed.

Theorem recursive_nonneg t : weighed t -> forall c, nonneg (Recursive.verify V P c t).
Proof.
  induction t as [ks IH] using tree_ind_in. intros Hw.
  pose proof (children _ Hw) as Hks. clear Hw.
  intros c. rewrite Recursive.verify_walk. generalize (on_P c). generalize (P c).
  induction ks as [|[[x q] t'] ks IHks]; intros row Hrow; cbn [Recursive.walk]; [now apply nonneg_last|].
  destruct (Hks x q t' (or_introl eq_refl)) as (Hx & Hq & Ht).
  apply nonneg_bind; [apply nonneg_coin, ratio_range; auto|]. intros [|].
  - apply nonneg_bind; [exact (IH x q t' (or_introl eq_refl) Ht _)|intros; apply nonneg_ret].
  - apply IHks; [intros y r s Hin; apply (IH y r s); now right|intros y r s Hin; apply Hks; now right|now apply on_corrected].
Qed.

Lemma nonneg_visit t : weighed t -> forall root c w, 0 <= w <= 1 ->
  nonneg (Transport.visit V P root c w t).
Proof.
  induction t as [ks IH] using tree_ind_in. intros Hw.
  pose proof (children _ Hw) as Hks. clear Hw. intros root c w Hw. rewrite visit_walk.
  assert (Hl : on (fun y => w * P c y)) by (intros y Hy; pose proof (on_P c y Hy); nra).
  revert Hl. generalize (fun y => w * P c y).
  induction ks as [|[[x q] t'] ks IHks]; intros left Hl; cbn [Transport.walk].
  - pose proof (sum_nonneg _ _ Hl). apply nonneg_bind.
    + apply nonneg_coin. destruct root; [lra|]. apply quotient_range; lra.
    + intros [|]; [|apply nonneg_ret].
      apply nonneg_bind; [now apply nonneg_draw|intros; apply nonneg_ret].
  - destruct (Hks x q t' (or_introl eq_refl)) as (Hx & Hq & Ht).
    pose proof (sum_nonneg _ _ Hl). cbv zeta. apply nonneg_bind.
    + apply (IH x q t' (or_introl eq_refl) Ht). apply ratio_range; [auto|]. pose proof (Hq x Hx). nra.
    + intros [ys|]; [apply nonneg_ret|].
      apply IHks; [intros y r s Hin; apply (IH y r s); now right|intros y r s Hin; apply Hks; now right|apply on_residual].
Qed.
Theorem transport_nonneg t : weighed t -> forall c, nonneg (Transport.verify V P c t).
Proof.
  intros Ht c. apply nonneg_bind; [apply nonneg_visit; [exact Ht|lra]|].
  intros [ys|]; [apply nonneg_ret|apply nonneg_fail].
Qed.

Variable eqb : A -> A -> bool.

Lemma nonneg_token p l : on p -> (forall x q, In (x, q) l -> In x V /\ on q) ->
  nonneg (token V p l).
Proof.
  intros Hp Hl. unfold token. destruct (last_of l) as [[x q]|] eqn:H; [|now apply nonneg_sample].
  assert (Hin : In (x, q) l).
  { apply in_rev. unfold last_of in H. destruct (rev l) as [|k r]; inversion H. now left. }
  destruct (Hl x q Hin) as [Hx Hq].
  apply nonneg_bind; [apply nonneg_coin, ratio_range; auto|].
  intros [|]; [apply nonneg_ret|now apply nonneg_sample, on_corrected].
Qed.
Theorem hub_nonneg t : weighed t -> forall c, nonneg (Hub.verify V eqb P c t).
Proof.
  induction t as [ks IH] using tree_ind_in. intros Hw.
  pose proof (children _ Hw) as Hks. clear Hw. intros c. rewrite verify_at. apply nonneg_bind.
  - apply nonneg_token; [apply on_P|]. intros x q H. unfold bare in H.
    apply in_map_iff in H as ([[x' q'] t'] & Heq & Hin). simpl in Heq. inversion Heq; subst.
    destruct (Hks _ _ _ Hin) as (? & ? & _). auto.
  - intros y. induction ks as [|[[x q] t'] ks IHks]; cbn [at_child]; [apply nonneg_ret|].
    destruct (Hks x q t' (or_introl eq_refl)) as (Hx & Hq & Ht).
    destruct (eqb x y).
    + apply nonneg_bind; [exact (IH x q t' (or_introl eq_refl) Ht _)|intros; apply nonneg_ret].
    + apply IHks; intros z r s Hin; [apply (IH z r s)|apply Hks]; now right.
Qed.

(** Any draft at all. *)
Theorem target_only_nonneg depth c t : nonneg (target_only V P eqb depth c t).
Proof.
  unfold target_only. generalize [t]. revert c.
  induction depth as [|k IH]; intros c s; cbn [Rounds.walk]; [apply nonneg_last, on_P|].
  apply nonneg_bind.
  - apply nonneg_bind; [apply nonneg_sample, on_P|intros; apply nonneg_ret].
  - intros [y [s'|]]; [|apply nonneg_ret].
    apply nonneg_bind; [apply IH|intros; apply nonneg_ret].
Qed.

Lemma at_most_one row l : (forall x, In x l -> 0 <= row x) ->
  forall x, In x l -> row x <= sum row l.
Proof.
  induction l as [|y l IH]; intros H x; [contradiction|]. cbn [sum].
  assert (0 <= row y) by (apply H; now left).
  assert (Hl : forall z, In z l -> 0 <= row z) by (intros; apply H; now right).
  pose proof (sum_nonneg _ _ Hl). intros [<-|Hx]; [lra|]. pose proof (IH Hl x Hx). lra.
Qed.
Theorem one_hot_nonneg xs : (forall x, In x xs -> In x V) ->
  forall c, nonneg (one_hot V P eqb c xs).
Proof.
  induction xs as [|x xs IH]; intros Hxs c; cbn [one_hot]; [apply nonneg_last, on_P|].
  assert (Hx : In x V) by (apply Hxs; now left).
  apply nonneg_bind.
  - apply nonneg_coin. split; [now apply on_P|]. destruct (P_prob c) as [H0 H1].
    pose proof (at_most_one (P c) V H0 x Hx). lra.
  - intros [|].
    + apply nonneg_bind; [apply IH; intros; apply Hxs; now right|intros; apply nonneg_ret].
    + apply nonneg_bind; [|intros; apply nonneg_ret]. apply nonneg_draw.
      intros y Hy. unfold without. pose proof (on_P c y Hy). destruct (eqb y x); lra.
Qed.
End Weights.
