(** * Chain: speculative sampling as published: draft K tokens, then verify them.

    Leviathan, Kalman and Matias (2023), Algorithm 1; reference/verify/chain.py. *)
Require Import QArith Qminmax List Lqa Lia Arith.
Require Import SpecSim.Distribution SpecSim.Step SpecSim.Rounds.
Import ListNotations.
Open Scope Q_scope.

Section Chain.
Context {A : Type}.
Variable V : list A.
Variables P D : list A -> A -> Q.                    (* target, draft *)
Hypothesis P_prob : forall c, prob V (P c).
Hypothesis D_prob : forall c, prob V (D c).
(** Whether one more token is drafted: may hang on the context, which includes the
    tokens drafted so far, but not on the token that it would withhold. *)
Variable more : list A -> bool.
Implicit Types (c xs ys : list A).

Fixpoint draft (K : nat) c : dist (list A) :=
  match K with
  | O => ret []
  | S k => if more c
           then x <- sample V (D c) ;; (xs <- draft k (c ++ [x]) ;; ret (x :: xs))
           else ret []
  end.

Fixpoint verify c xs : dist (list A) :=
  match xs with
  | [] => y <- sample V (P c) ;; ret [y]
  | x :: xs' =>
      b <- coin (ratio (P c) (D c) x) ;;
      if b then (ys <- verify (c ++ [x]) xs' ;; ret (x :: ys))
      else (y <- sample V (corrected V (P c) (D c)) ;; ret [y])
  end.

Definition chain K c := xs <- draft K c ;; verify c xs.

Lemma mass_draft K : forall c, E (draft K c) (fun _ => 1) == 1.
Proof.
  induction K as [|k IH]; intros c; simpl; [e_ret|].
  destruct (more c); [|e_ret].
  rewrite E_bind, (E_ext _ _ (fun _ => 1)); [apply sample_proper, D_prob|].
  intros x. rewrite E_bind, (E_ext _ _ (fun _ => 1)); [apply IH|]. intros; e_ret.
Qed.

(** Everything drafted lies in V. *)
Lemma draft_in K : forall c xs v, In (xs, v) (draft K c) -> forall x, In x xs -> In x V.
Proof.
  induction K as [|k IH]; intros c xs v; cbn [draft].
  - intros [H|[]]. inversion H; subst. contradiction.
  - destruct (more c).
    + intros H. apply In_bind in H as (z & u & u' & H1 & H2).
      apply In_bind in H2 as (zs & t & t' & H3 & [H4|[]]). inversion H4; subst.
      intros x [<-|Hx]; [|eapply IH; eauto].
      apply in_map_iff in H1 as [z' [Heq Hz]]. inversion Heq; subst. exact Hz.
    + intros [H|[]]. inversion H; subst. contradiction.
Qed.

(** The same, each token drafted when it is tested. *)
Definition node c (_ : unit) : dist (A * option unit) :=
  if more c
  then r <- step V (P c) (D c) ;; ret (fst r, if snd r then Some tt else None)
  else y <- sample V (P c) ;; ret (y, None).
Definition lazily K c := walk V P node K c tt.

Lemma E_node_more c f : more c = true ->
  E (node c tt) f ==
  E (step V (P c) (D c)) (fun r => f (fst r, if snd r then Some tt else None)).
Proof. intros H. unfold node. rewrite H, E_bind. apply E_ext. e_ret. Qed.

Lemma node_law c s f : E (node c s) (fun r => f (fst r)) == E (sample V (P c)) f.
Proof.
  destruct s. destruct (more c) eqn:H.
  - rewrite (E_node_more c (fun r => f (fst r)) H). simpl fst. now apply step_law.
  - unfold node. rewrite H, E_bind. apply E_ext. e_ret.
Qed.

Lemma E_lazily_more K c f : more c = true ->
  E (lazily (S K) c) f ==
  E (step V (P c) (D c)) (fun r =>
    if snd r then E (lazily K (c ++ [fst r])) (fun ys => f (fst r :: ys)) else f [fst r]).
Proof.
  intros Hm. unfold lazily. cbn [walk]. rewrite E_bind, (E_node_more c _ Hm).
  apply E_ext. intros [y [|]]; simpl fst; simpl snd; cbv iota; [|e_ret].
  rewrite E_bind. apply E_ext. e_ret.
Qed.

Lemma E_lazily_stop K c f : more c = false -> E (lazily (S K) c) f == E (bonus V P c) f.
Proof.
  intros Hm. unfold lazily, bonus. cbn [walk]. unfold node. rewrite Hm, !E_bind.
  apply E_ext. intros y. rewrite !E_ret. simpl. now rewrite E_ret.
Qed.

Lemma chain_lazily K : forall c, chain K c =d= lazily K c.
Proof.
  unfold chain. induction K as [|k IH]; intros c f.
  - unfold lazily. simpl draft. rewrite E_bind, E_ret. reflexivity.
  - destruct (more c) eqn:Hm; cbn [draft]; rewrite Hm.
    2:{ rewrite (E_lazily_stop k c f Hm), E_bind, E_ret. reflexivity. }
    rewrite !E_bind, (E_lazily_more k c f Hm), E_step'. apply E_ext. intros x.
    simpl fst; simpl snd; cbv iota. rewrite E_bind.
    rewrite (E_ext (draft k (c ++ [x])) _
      (fun xs => ratio (P c) (D c) x * E (verify (c ++ [x]) xs) (fun ys => f (x :: ys))
        + (1 - ratio (P c) (D c) x) *
          E (sample V (corrected V (P c) (D c))) (fun y => f [y]))).
    + rewrite E_plus, E_scal, E_const, mass_draft.
      rewrite <- (E_bind (draft k (c ++ [x])) (fun xs => verify (c ++ [x]) xs) (fun ys => f (x :: ys))),
              (IH (c ++ [x]) (fun ys => f (x :: ys))).
      ring.
    + intros xs. rewrite E_ret. cbn [verify]. rewrite E_bind, E_coin.
      rewrite !E_bind.
      rewrite (E_ext _ (fun ys => E (ret (x :: ys)) f) (fun ys => f (x :: ys)))
        by (intros; e_ret).
      rewrite (E_ext _ (fun y => E (ret [y]) f) (fun y => f [y])) by (intros; e_ret).
      reflexivity.
Qed.

(** The block has the target's law. *)
Theorem chain_lossless K c : lossless_at V P c (chain K c).
Proof.
  apply (lossless_same V P c (lazily K c)).
  - apply same_law_sym, chain_lazily.
  - apply walk_lossless; auto using node_law.
Qed.

(** In point probabilities: any sequence comes out of a round and the target's
    continuation with exactly the target's joint probability. *)
Theorem chain_joint (eqb : A -> A -> bool) :
  (forall x y, eqb x y = true <-> x = y) -> NoDup V ->
  forall K c xs, (forall x, In x xs -> In x V) ->
  Pr (bind (chain K c) (finish V P (length xs) c)) (leqb eqb xs) == joint P c xs.
Proof.
  intros H1 H2 K c xs Hin. rewrite <- (target_joint V P eqb H1 H2 xs c Hin).
  apply (chain_lossless K c (length xs)).
Qed.

Lemma verify_nonempty xs : forall c ys w, In (ys, w) (verify c xs) -> ys <> [].
Proof.
  destruct xs as [|x xs]; cbn [verify]; intros c ys w H.
  - apply In_bind in H as (y & u & u' & _ & [H|[]]). inversion H; discriminate.
  - apply In_bind in H as ([|] & u & u' & _ & H);
      apply In_bind in H as (z & v & v' & _ & [H|[]]); inversion H; discriminate.
Qed.

(** If the target is certain (temperature 0), whatever the draft, the output is the
    greedy sequence with probability one. *)
Theorem chain_greedy (eqb : A -> A -> bool) (best : list A -> A) :
  (forall x y, eqb x y = true <-> x = y) -> NoDup V ->
  (forall c, In (best c) V) -> (forall c x, P c x == onehot eqb (best c) x) ->
  forall K N c f, E (bind (chain K c) (finish V P N c)) f == f (greedy best N c).
Proof.
  intros H1 H2 H3 H4 K N c f. rewrite (chain_lossless K c N f).
  apply (target_greedy V P eqb); auto.
Qed.

(** With the same overlap a in every context a round emits
    (1 - a^(K+1)) / (1 - a) tokens on average. *)
Theorem chain_expected_tokens a K c : (forall c, more c = true) ->
  (forall c, overlap V (P c) (D c) == a) ->
  E (chain K c) len * (1 - a) == 1 - qpow a (S K).
Proof.
  intros Hm Ha. rewrite (chain_lazily K c len). apply walk_expected_tokens; auto using node_law.
  intros c' []. unfold Pr. rewrite (E_node_more c' _ (Hm c')).
  rewrite <- (Ha c'), <- (step_acceptance V (P c') (D c')) by auto.
  apply E_ext. intros [y [|]]; reflexivity.
Qed.
End Chain.

(** Rounds until N tokens are out; how many are drafted may hang on where the round began
    and on the tokens drafted so far. *)
Theorem chain_run_lossless {A : Type} (V : list A) (P D : list A -> A -> Q)
  (Kof : list A -> nat) (more : list A -> list A -> bool) N c :
  (forall c, prob V (P c)) -> (forall c, prob V (D c)) ->
  decode (fun c => chain V P D (more c) (Kof c) c) N N c =d= gen V P N c.
Proof.
  intros HP HD. apply decode_lossless.
  - intros c'. now apply chain_lossless.
  - intros c' ys w H. apply In_bind in H as (xs & u & u' & _ & H).
    eapply verify_nonempty, H.
Qed.

(** The length of the draft may also hang on luck of its own, such as a load that has
    nothing to do with what is drafted. *)
Corollary chain_with_luck_lossless {A Luck : Type} (V : list A) (P D : list A -> A -> Q)
  (luck : dist Luck) (more : Luck -> list A -> bool) K c :
  (forall c, prob V (P c)) -> (forall c, prob V (D c)) -> E luck (fun _ => 1) == 1 ->
  lossless_at V P c (r <- luck ;; chain V P D (more r) K c).
Proof. intros HP HD Hl. apply mixture_lossless; [exact Hl|]. intros r. now apply chain_lossless. Qed.
