(** * Perturbation: what rounding can do.

    Rows that are a little off, uniforms on a grid, thresholds and normalisations that
    are rounded: whatever moves the law of a single token by at most e in total
    variation moves the law of a block of up to K + 1 tokens by at most (K + 1) e. *)
Require Import QArith Qminmax Qabs List Lqa Lia Arith.
Require Import SpecSim.Distribution SpecSim.Step SpecSim.Rounds.
Import ListNotations.
Open Scope Q_scope.

Definition unit_valued {B} (f : B -> Q) := forall x, 0 <= f x <= 1.

(** No event, and no test function between 0 and 1, tells the two laws apart by more
    than e: their total variation is at most e. *)
Definition within {B} (e : Q) (d d' : dist B) :=
  forall f, unit_valued f -> E d f <= E d' f + e /\ E d' f <= E d f + e.

Lemma E_unit {B} (d : dist B) f : proper d -> unit_valued f -> 0 <= E d f <= 1.
Proof.
  intros [Hn Hm] Hf. split.
  - rewrite <- (sum_0 d). apply sum_le. intros [x w] Hin. simpl.
    pose proof (Hn x w Hin). destruct (Hf x). nra.
  - rewrite <- Hm. apply E_le; [exact Hn|]. intros x. apply Hf.
Qed.

Section Off.
Context {A : Type}.
Variable V : list A.

(** Two rows are as far apart as their total variation. *)
Theorem rows_within p q : prob V p -> prob V q ->
  within (tv V p q) (sample V p) (sample V q).
Proof.
  assert (G : forall p q f, prob V p -> prob V q -> unit_valued f ->
    E (sample V p) f <= E (sample V q) f + tv V p q).
  { clear p q. intros p q f Hp Hq Hf. rewrite !E_sample.
    assert (Ht : tv V p q == refusal V p q).
    { pose proof (overlap_is_one_minus_tv V p q Hp Hq). pose proof (overlap_refusal V p q) as Ho.
      rewrite (proj2 Hp) in Ho. lra. }
    rewrite Ht. unfold refusal. rewrite <- sum_plus. apply sum_le. intros x Hx.
    pose proof (min_residual p q x). pose proof (residual_nonneg p q x).
    pose proof (Q.le_min_r (p x) (q x)). pose proof (proj1 Hp x Hx). pose proof (proj1 Hq x Hx).
    assert (0 <= Qmin (p x) (q x)) by (apply Q.min_glb; assumption).
    destruct (Hf x). nra. }
  intros Hp Hq f Hf. split; [now apply G|].
  assert (Hs : tv V p q == tv V q p).
  { unfold tv. apply Qmult_comp; [reflexivity|]. apply sum_ext. intros x _.
    rewrite Qabs_Qminus. reflexivity. }
  rewrite Hs. now apply G.
Qed.

Variable P : list A -> A -> Q.
Hypothesis P_prob : forall c, prob V (P c).

Section Walk.
Context {State : Type}.
Variable node : list A -> State -> dist (A * option State).
Hypothesis node_proper : forall c s, proper (node c s).
Variable e : Q.
Hypothesis e_nonneg : 0 <= e.
Hypothesis node_within : forall c s,
  within e (bind (node c s) (fun r => ret (fst r))) (sample V (P c)).

Definition times (n : nat) (e : Q) : Q := inject_Z (Z.of_nat n) * e.

Lemma times_0 : times 0 e == 0.
Proof. unfold times. change (inject_Z (Z.of_nat 0)) with 0. ring. Qed.

Lemma times_S n : times (S n) e == times n e + e.
Proof.
  unfold times. rewrite Nat2Z.inj_succ. unfold Z.succ. rewrite inject_Z_plus.
  change (inject_Z 1) with 1. ring.
Qed.

Lemma times_nonneg n : 0 <= times n e.
Proof. induction n as [|n IH]; [rewrite times_0; lra|]. rewrite times_S. lra. Qed.

Lemma proper_gen N : forall c, proper (gen V P N c).
Proof.
  induction N as [|m IH]; intros c; cbn [gen]; [apply proper_ret|].
  apply proper_bind; [now apply sample_proper|]. intros y.
  apply proper_bind; [apply IH|]. intros ys. apply proper_ret.
Qed.

Theorem walk_within K : forall c s N,
  within (times K e) (bind (walk V P node K c s) (finish V P N c)) (gen V P N c).
Proof.
  induction K as [|k IH]; intros c s N f Hf; cbn [walk].
  - rewrite (bonus_lossless V P P_prob c N f). rewrite times_0. lra.
  - set (G := fun y => E (gen V P (pred N) (c ++ [y])) (cut N f y)).
    assert (HG : unit_valued G).
    { intros y. apply E_unit; [apply proper_gen|]. intros ys. destruct N; apply Hf. }
    assert (Hcut : forall y, unit_valued (cut N f y)) by (intros y ys; destruct N; apply Hf).
    pose proof (times_nonneg k) as Hk.
    set (value := fun r : A * option State => match snd r with
      | Some s' => E (bind (walk V P node k (c ++ [fst r]) s') (finish V P (pred N) (c ++ [fst r])))
                     (cut N f (fst r))
      | None => G (fst r)
      end).
    assert (Hvalue : forall r, value r <= G (fst r) + times k e /\ G (fst r) <= value r + times k e).
    { intros [y [s'|]]; unfold value; simpl fst; simpl snd; cbv iota.
      - exact (IH (c ++ [y]) s' (pred N) (cut N f y) (Hcut y)).
      - lra. }
    rewrite times_S, E_bind, E_bind, (gen_cut V P P_prob). fold G.
    rewrite (E_ext (node c s) _ value).
    2:{ intros [y [s'|]]; unfold value; simpl fst; simpl snd; cbv iota.
        - rewrite !E_bind. apply E_ext. intros ys. rewrite E_ret. apply finish_cut.
        - rewrite E_ret, finish_cut. apply finish_nil. }
    destruct (node_within c s G HG) as [H1 H2]. rewrite E_bind in H1, H2.
    rewrite (E_ext (node c s) (fun x => E (ret (fst x)) G) (fun r => G (fst r))) in H1, H2 by e_ret.
    destruct (node_proper c s) as [Hn Hm].
    assert (Hc : E (node c s) (fun _ => times k e) == times k e) by (rewrite E_const, Hm; ring).
    assert (U : E (node c s) value <= E (node c s) (fun r => G (fst r) + times k e))
      by (apply E_le; [exact Hn|]; intros r; apply Hvalue).
    assert (L : E (node c s) (fun r => G (fst r)) <= E (node c s) (fun r => value r + times k e))
      by (apply E_le; [exact Hn|]; intros r; apply Hvalue).
    rewrite E_plus, Hc in U. rewrite E_plus, Hc in L. split; lra.
Qed.
End Walk.

(** ** One step with everything a little off.

    The rows in use are p' and q'; the draft is drawn by [draws] instead of q', kept
    with odds [keeps] instead of min(1, p'/q'), corrected by [corrects]. *)
Definition rough (draws : dist A) (keeps : A -> Q) (corrects : dist A) : dist A :=
  x <- draws ;; b <- coin (keeps x) ;; if b then ret x else corrects.

Theorem rough_within p p' q' draws keeps corrects rows drawn kept corrected_ :
  prob V p -> prob V p' -> prob V q' -> proper draws -> proper corrects ->
  (forall x, 0 <= p' x) -> (forall x, 0 <= q' x) ->
  tv V p' p <= rows ->
  within drawn draws (sample V q') ->
  (forall x, keeps x <= ratio p' q' x + kept /\ ratio p' q' x <= keeps x + kept) ->
  (forall x, 0 <= keeps x <= 1) ->
  within corrected_ corrects (sample V (corrected V p' q')) ->
  within (rows + drawn + kept + E draws (fun x => 1 - keeps x) * corrected_)
         (rough draws keeps corrects) (sample V p).
Proof.
  intros Hp Hp' Hq' Hd Hc Hp0 Hq0 Hrows Hdrawn Hkept Hkeeps Hcorr f Hf.
  assert (Hratio : forall x, 0 <= ratio p' q' x <= 1) by (intros x; apply ratio_range; auto).
  set (k := E corrects f). set (k' := E (sample V (corrected V p' q')) f).
  assert (Hk : 0 <= k <= 1) by now apply E_unit.
  assert (Hk' : 0 <= k' <= 1).
  { apply E_unit; [|exact Hf]. apply sample_proper, corrected_prob, Hp'. }
  destruct (Hcorr f Hf) as [C1 C2]. fold k k' in C1, C2.
  set (good := fun x => ratio p' q' x * f x + (1 - ratio p' q' x) * k').
  assert (Hgood : unit_valued good).
  { intros x. unfold good. pose proof (Hratio x). destruct (Hf x). nra. }
  assert (Hexact : E (sample V q') good == E (sample V p') f).
  { rewrite <- (step_law V p' q' Hp' Hq' f), E_step'. reflexivity. }
  destruct (Hdrawn good Hgood) as [D1 D2]. rewrite Hexact in D1, D2.
  destruct (rows_within p' p Hp' Hp f Hf) as [R1 R2].
  set (main := fun x => keeps x * f x + (1 - keeps x) * k).
  assert (Hrough : E (rough draws keeps corrects) f == E draws main).
  { unfold rough. rewrite E_bind. apply E_ext. intros x. rewrite E_bind, E_coin, E_ret. reflexivity. }
  set (off := fun x => kept + corrected_ * (1 - keeps x)).
  assert (Hoff : E draws off == kept + E draws (fun x => 1 - keeps x) * corrected_).
  { unfold off. rewrite E_plus, E_const, E_scal, (proj2 Hd). ring. }
  assert (U : E draws main <= E draws good + E draws off).
  { rewrite <- E_plus. apply E_le; [apply Hd|]. intros x. unfold good, main, off.
    pose proof (Hkept x) as [K1 K2]. pose proof (Hkeeps x). destruct (Hf x). nra. }
  assert (L : E draws good <= E draws main + E draws off).
  { rewrite <- E_plus. apply E_le; [apply Hd|]. intros x. unfold good, main, off.
    pose proof (Hkept x) as [K1 K2]. pose proof (Hkeeps x). destruct (Hf x). nra. }
  rewrite Hoff in U, L. rewrite Hrough. split; lra.
Qed.

(** ** A chain of K drafts with everything a little off: drafted ahead, then verified. *)
Section Chain.
Variable draws : list A -> dist A.
Variable keeps : list A -> A -> Q.
Variable corrects bonuses : list A -> dist A.
Hypothesis draws_proper : forall c, proper (draws c).
Hypothesis corrects_proper : forall c, proper (corrects c).
Hypothesis bonuses_proper : forall c, proper (bonuses c).
Hypothesis keeps_odds : forall c x, 0 <= keeps c x <= 1.

Fixpoint rough_draft (K : nat) c : dist (list A) :=
  match K with
  | O => ret []
  | S k => x <- draws c ;; (xs <- rough_draft k (c ++ [x]) ;; ret (x :: xs))
  end.

Fixpoint rough_verify c xs : dist (list A) :=
  match xs with
  | [] => y <- bonuses c ;; ret [y]
  | x :: xs' =>
      b <- coin (keeps c x) ;;
      if b then (ys <- rough_verify (c ++ [x]) xs' ;; ret (x :: ys))
      else (y <- corrects c ;; ret [y])
  end.

Definition rough_chain K c := xs <- rough_draft K c ;; rough_verify c xs.

(** Each token drafted when it is tested; the state is how many may still be. *)
Definition rough_node c (k : nat) : dist (A * option nat) :=
  match k with
  | O => y <- bonuses c ;; ret (y, None)
  | S k' => x <- draws c ;; (b <- coin (keeps c x) ;;
            if b then ret (x, Some k') else (y <- corrects c ;; ret (y, None)))
  end.

Lemma mass_rough_draft K : forall c, E (rough_draft K c) (fun _ => 1) == 1.
Proof.
  induction K as [|k IH]; intros c; cbn [rough_draft]; [e_ret|].
  rewrite E_bind, (E_ext _ _ (fun _ => 1)); [apply draws_proper|].
  intros x. rewrite E_bind, (E_ext _ _ (fun _ => 1)); [apply IH|]. e_ret.
Qed.

Lemma rough_chain_walk K : forall c f,
  E (rough_chain K c) f == E (walk V P rough_node (S K) c K) f.
Proof.
  induction K as [|k IH]; intros c f; unfold rough_chain.
  - cbn [rough_draft walk rough_node]. rewrite !E_bind, E_ret. cbn [rough_verify].
    rewrite E_bind. apply E_ext. intros y. rewrite !E_ret. simpl snd. cbv iota. now rewrite E_ret.
  - cbn [rough_draft].
    change (walk V P rough_node (S (S k)) c (S k)) with
      (r <- rough_node c (S k) ;; match snd r with
        | Some s' => ys <- walk V P rough_node (S k) (c ++ [fst r]) s' ;; ret (fst r :: ys)
        | None => ret [fst r]
        end).
    cbn [rough_node]. rewrite !E_bind. apply E_ext. intros x.
    rewrite !E_bind, E_coin, E_ret, E_bind. simpl fst; simpl snd; cbv iota.
    rewrite E_bind.
    rewrite (E_ext (walk V P rough_node (S k) (c ++ [x]) k) _ (fun ys => f (x :: ys))) by e_ret.
    rewrite <- (IH (c ++ [x]) (fun ys => f (x :: ys))).
    rewrite (E_ext (corrects c) _ (fun y => f [y])).
    2:{ intros y. rewrite E_ret. simpl snd; simpl fst. cbv iota. now rewrite E_ret. }
    unfold rough_chain. rewrite E_bind.
    rewrite (E_ext (rough_draft k (c ++ [x])) _ (fun xs =>
      keeps c x * E (rough_verify (c ++ [x]) xs) (fun ys => f (x :: ys))
      + (1 - keeps c x) * E (corrects c) (fun y => f [y]))).
    + rewrite E_plus, E_scal, E_const, mass_rough_draft. ring.
    + intros xs. rewrite E_ret. cbn [rough_verify]. rewrite E_bind, E_coin, !E_bind.
      rewrite (E_ext (rough_verify (c ++ [x]) xs) _ (fun ys => f (x :: ys))) by e_ret.
      rewrite (E_ext (corrects c) (fun y => E (ret [y]) f) (fun y => f [y])) by e_ret.
      reflexivity.
Qed.

Lemma rough_node_proper c k : proper (rough_node c k).
Proof.
  destruct k as [|k]; cbn [rough_node]; apply proper_bind; auto; intros x; [apply proper_ret|].
  apply proper_bind; [now apply proper_coin|]. intros [|]; [apply proper_ret|].
  apply proper_bind; [apply corrects_proper|]. intros y. apply proper_ret.
Qed.

(** If every token is within e, the block, completed by the target, is within (K + 1) e. *)
Theorem rough_chain_within e K c N : 0 <= e ->
  (forall c, within e (rough (draws c) (keeps c) (corrects c)) (sample V (P c))) ->
  (forall c, within e (bonuses c) (sample V (P c))) ->
  within (times (S K) e) (bind (rough_chain K c) (finish V P N c)) (gen V P N c).
Proof.
  intros He Hstep Hbonus f Hf.
  assert (H : within (times (S K) e) (bind (walk V P rough_node (S K) c K) (finish V P N c)) (gen V P N c)).
  { apply walk_within; auto using rough_node_proper. intros c' [|k] g Hg; cbn [rough_node].
    - destruct (Hbonus c' g Hg) as [H1 H2].
      rewrite !E_bind, (E_ext (bonuses c') _ g); [split; assumption|].
      intros y. rewrite !E_ret. reflexivity.
    - destruct (Hstep c' g Hg) as [H1 H2].
      assert (Hsame : E (bind (rough_node c' (S k)) (fun r => ret (fst r))) g
        == E (rough (draws c') (keeps c') (corrects c')) g).
      { unfold rough. cbn [rough_node]. rewrite !E_bind. apply E_ext. intros x.
        rewrite !E_bind, !E_coin, !E_ret, E_bind. simpl fst.
        rewrite (E_ext (corrects c') _ g); [reflexivity|].
        intros y. rewrite E_ret. simpl. now rewrite E_ret. }
      cbn [rough_node] in Hsame. rewrite Hsame. split; assumption. }
  rewrite E_bind, (rough_chain_walk K c (fun ys => E (finish V P N c ys) f)), <- E_bind.
  now apply H.
Qed.
End Chain.
End Off.
