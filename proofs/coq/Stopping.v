(** * Stopping: end of text, stop strings, token limits and lengths of drafts.

    [ends c] says that the text c is finished: its last token is an end of text, it ends
    with a stop string, it is as long as allowed.  Plain decoding looks after every
    token; speculative decoding looks at a block when it is there, and throws away what
    comes after the end.  Both have one law. *)
Require Import QArith Qminmax List Lqa Lia Arith.
Require Import SpecSim.Distribution SpecSim.Step SpecSim.Rounds SpecSim.Chain.
Import ListNotations.
Open Scope Q_scope.

Section Stopping.
Context {A : Type}.
Variable V : list A.
Variable P : list A -> A -> Q.
Hypothesis P_prob : forall c, prob V (P c).
Variable ends : list A -> bool.
Implicit Types (c xs ys zs : list A).

(** Plain decoding of at most N tokens. *)
Fixpoint plainly (N : nat) c : dist (list A) :=
  match N with
  | O => ret []
  | S m => y <- sample V (P c) ;;
           if ends (c ++ [y]) then ret [y]
           else (ys <- plainly m (c ++ [y]) ;; ret (y :: ys))
  end.

(** Up to and with the first token at which the text ends. *)
Fixpoint upto_end c ys : list A :=
  match ys with
  | [] => []
  | y :: r => if ends (c ++ [y]) then [y] else y :: upto_end (c ++ [y]) r
  end.
Fixpoint over c ys : bool :=
  match ys with [] => false | y :: r => ends (c ++ [y]) || over (c ++ [y]) r end.

(** Cutting afterwards is stopping in time. *)
Theorem cut_afterwards N : forall c,
  bind (gen V P N c) (fun ys => ret (upto_end c ys)) =d= plainly N c.
Proof.
  induction N as [|m IH]; intros c f.
  - cbn [gen plainly]. rewrite E_bind, !E_ret. reflexivity.
  - rewrite E_bind, E_gen_S. cbn [plainly]. rewrite E_bind. apply E_ext. intros y.
    destruct (ends (c ++ [y])) eqn:He.
    + rewrite (E_ext _ _ (fun _ => f [y])) by (intros ys; rewrite E_ret; simpl; now rewrite He).
      rewrite E_const, (mass_gen V P P_prob), E_ret. ring.
    + rewrite E_bind.
      rewrite (E_ext (plainly m (c ++ [y])) _ (fun ys => f (y :: ys))) by e_ret.
      rewrite <- (IH (c ++ [y]) (fun ys => f (y :: ys))), E_bind. apply E_ext. intros ys.
      rewrite !E_ret. simpl. now rewrite He.
Qed.

Section Run.
Variable round : list A -> dist (list A).
Hypothesis round_lossless : forall c, lossless_at V P c (round c).
Hypothesis round_nonempty : forall c ys w, In (ys, w) (round c) -> ys <> [].

(** Rounds until the text ends or N tokens are out. *)
Fixpoint decode_until (fuel N : nat) c : dist (list A) :=
  match fuel, N with
  | S fl, S _ =>
      ys <- round c ;;
      let block := firstn N ys in
      if over c block then ret (upto_end c block)
      else (zs <- decode_until fl (N - length ys) (c ++ ys) ;; ret (block ++ zs))
  | _, _ => ret []
  end.

Lemma upto_end_app c ys zs : upto_end c (ys ++ zs) =
  if over c ys then upto_end c ys else ys ++ upto_end (c ++ ys) zs.
Proof.
  revert c. induction ys as [|y ys IH]; intros c; simpl.
  - now rewrite app_nil_r.
  - destruct (ends (c ++ [y])); simpl; [reflexivity|]. rewrite IH, <- app_assoc. simpl.
    now destruct (over (c ++ [y]) ys).
Qed.

Lemma mass_decode fuel : forall N c, E (decode round fuel N c) (fun _ => 1) == 1.
Proof.
  induction fuel as [|fl IH]; intros N c; destruct N as [|m]; try (cbn [decode]; e_ret).
  cbn [decode]. rewrite E_bind, (E_ext _ _ (fun _ => 1)).
  - apply (lossless_mass V P P_prob c), round_lossless.
  - intros ys. rewrite E_bind, (E_ext _ _ (fun _ => 1)); [apply IH|]. e_ret.
Qed.

Lemma decode_cut fuel : forall N c f,
  E (decode_until fuel N c) f == E (decode round fuel N c) (fun ys => f (upto_end c ys)).
Proof.
  induction fuel as [|fl IH]; intros N c f; destruct N as [|m];
    try (cbn [decode decode_until]; rewrite !E_ret; reflexivity).
  cbn [decode decode_until]. rewrite !E_bind. apply E_ext. intros ys. rewrite E_bind.
  set (block := firstn (S m) ys).
  destruct (over c block) eqn:Ho.
  - rewrite E_ret.
    rewrite (E_ext _ _ (fun _ => f (upto_end c block)))
      by (intros zs; rewrite E_ret, upto_end_app, Ho; reflexivity).
    rewrite E_const, mass_decode. ring.
  - rewrite E_bind.
    rewrite (E_ext (decode_until _ _ _) _ (fun zs => f (block ++ zs))) by e_ret.
    rewrite (IH (S m - length ys)%nat (c ++ ys) (fun zs => f (block ++ zs))).
    destruct (le_lt_dec (S m) (length ys)) as [Hle|Hlt].
    + assert (S m - length ys = 0)%nat as -> by lia.
      destruct fl; cbn [decode]; rewrite !E_ret; rewrite upto_end_app, Ho; reflexivity.
    + assert (block = ys) as Hb by (unfold block; apply firstn_all2; lia).
      rewrite Hb in *. apply E_ext. intros zs. rewrite E_ret, upto_end_app, Ho. reflexivity.
Qed.

(** Stopping in time, with any lossless rounds, is plain decoding. *)
Theorem stopping_lossless N c : decode_until N N c =d= plainly N c.
Proof.
  intros f. rewrite (decode_cut N N c f).
  rewrite (decode_lossless V P round round_lossless round_nonempty N c (fun ys => f (upto_end c ys))).
  rewrite <- (cut_afterwards N c f), E_bind. apply E_ext. intros ys. now rewrite E_ret.
Qed.
End Run.
End Stopping.
