(** * Golden: the programs of the theorems, run on small cases.

    Words are 0..n-1, a row is a list of rationals as in NumPy, a model is a table of
    rows by prefix.  [collected] merges equal outcomes and reduces fractions;
    [collected_same] says that it changes no expectation, so a law printed here is the
    law of the program that the theorem is about. *)
Require Import QArith Qminmax Qreduction List Arith Lqa Lia.
Require Import SpecSim.Distribution SpecSim.Step SpecSim.Rounds SpecSim.Chain SpecSim.Block
  SpecSim.Tree SpecSim.Fixed SpecSim.Recursive SpecSim.Hub SpecSim.Transport.
Import ListNotations.
Open Scope Q_scope.

Section Collected.
Context {A : Type}.
Variable eqb : A -> A -> bool.
Hypothesis eqb_eq : forall x y, eqb x y = true <-> x = y.

Fixpoint add (x : A) (w : Q) (d : dist A) : dist A :=
  match d with
  | [] => [(x, Qred w)]
  | (y, v) :: r => if eqb x y then (y, Qred (v + w)) :: r else (y, v) :: add x w r
  end.
Definition collected (d : dist A) : dist A :=
  fold_right (fun xw acc => add (fst xw) (snd xw) acc) [] d.

Lemma add_same x w d f : E (add x w d) f == w * f x + E d f.
Proof.
  induction d as [|[y v] d IH]; unfold E in *; cbn [add sum fst snd].
  - rewrite Qred_correct. ring.
  - destruct (eqb x y) eqn:H; cbn [sum fst snd].
    + apply eqb_eq in H; subst. rewrite Qred_correct. ring.
    + rewrite IH. ring.
Qed.

Theorem collected_same d : collected d =d= d.
Proof.
  intros f. induction d as [|[x w] d IH]; [reflexivity|].
  simpl. rewrite add_same, IH. unfold E; simpl. ring.
Qed.
End Collected.

Fixpoint tokens_eqb (a b : list nat) : bool :=
  match a, b with
  | [], [] => true
  | x :: a', y :: b' => Nat.eqb x y && tokens_eqb a' b'
  | _, _ => false
  end.
Lemma tokens_eqb_eq a : forall b, tokens_eqb a b = true <-> a = b.
Proof.
  induction a as [|x a IH]; intros [|y b]; simpl; split; intros H; try discriminate; auto.
  - apply andb_prop in H as [H1 H2]. apply Nat.eqb_eq in H1. apply IH in H2. now subst.
  - inversion H; subst. rewrite Nat.eqb_refl. simpl. now apply IH.
Qed.

(** A model: the row after each prefix; word 0 for certain after any other, so that a
    table of probability vectors is a model in the sense of the theorems. *)
Definition table := list (list nat * list Q).
Fixpoint rows (t : table) (c : list nat) : nat -> Q :=
  match t with
  | [] => fun x => match x with 0%nat => 1 | _ => 0 end
  | (prefix, row) :: r => if tokens_eqb c prefix then fun x => nth x row 0 else rows r c
  end.

Section Laws.
Variable n : nat.                           (* words *)
Variables target draft : table.
Let V := seq 0 n.
Let P := rows target.
Let D := rows draft.
Let always (_ : list nat) := true.
Let law (d : dist (list nat)) := collected tokens_eqb d.
Let tree k branching := draft_tree (drafted V Nat.eqb k D branching) [].

Definition law_plain N := law (gen V P N []).
Definition law_chain K := law (chain V P D always K []).
Definition law_block K := law (block V P D always K []).
Definition law_one_hot K := law (xs <- Chain.draft V D always K [] ;; one_hot V P Nat.eqb [] xs).
Definition law_target_only k branching :=
  law (t <- tree k branching ;; target_only V P Nat.eqb (length branching) [] t).
Definition law_recursive k branching :=
  law (recursive V P (drafted V Nat.eqb k D branching) []).
Definition law_hub k branching :=
  law (hub_sampling V Nat.eqb P (drafted V Nat.eqb k D branching) []).
Definition law_greedy_transport k branching :=
  law (greedy_transport V P (drafted V Nat.eqb k D branching) []).
End Laws.
