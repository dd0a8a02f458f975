(** * Hub: the drawn child judged as on a chain, against the full target.

    SpecHub and greedy multi-draft sampling; reference/verify/hub.py.  Lossless on
    hubs, and goes on with odds p(fixed) + sum min(p, q): the best there is. *)
Require Import QArith Qminmax List Lqa Lia Arith.
Require Import SpecSim.Distribution SpecSim.Step SpecSim.Rounds SpecSim.Tree.
Import ListNotations.
Open Scope Q_scope.

Section Hub.
Context {A : Type}.
Variable V : list A.
Variable eqb : A -> A -> bool.
Hypothesis eqb_eq : forall x y, eqb x y = true <-> x = y.
Hypothesis V_nodup : NoDup V.

Definition last_of {B} (l : list B) : option B := match rev l with [] => None | k :: _ => Some k end.

Lemma last_of_app {B} (l : list B) k : last_of (l ++ [k]) = Some k.
Proof. unfold last_of. now rewrite rev_app_distr. Qed.

(** A token of the target's own, the drawn child's if possible. *)
Definition token (p : A -> Q) (l : list (A * (A -> Q))) : dist A :=
  match last_of l with
  | None => sample V p
  | Some (x, q) =>
      b <- coin (ratio p q x) ;;
      if b then ret x else sample V (corrected V p q)
  end.

Theorem token_law p d : prob V p -> hub_siblings V eqb d ->
  bind d (token p) =d= sample V p.
Proof.
  intros Hp [H|(fx & q & _ & Hq & H)] f.
  - rewrite E_bind, (H (fun l => E (token p l) f)), E_ret. reflexivity.
  - rewrite E_bind, (H (fun l => E (token p l) f)), E_bind.
    rewrite <- (step_law V p q Hp Hq f), E_step', E_sample, E_sample. apply sum_ext.
    intros x _. rewrite E_ret. unfold token. rewrite last_of_app, E_bind, E_coin, E_ret.
    simpl fst. reflexivity.
Qed.

Variable P : list A -> A -> Q.
Hypothesis P_prob : forall c, prob V (P c).

Definition bare (ks : list (A * (A -> Q) * @tree A)) : list (A * (A -> Q)) := map fst ks.

Fixpoint verify c (t : @tree A) : dist (list A) :=
  match t with
  | Node ks =>
      y <- token (P c) (bare ks) ;;
      (fix at_child (l : list (A * (A -> Q) * tree)) : dist (list A) :=
         match l with
         | [] => ret [y]
         | (x, _, t') :: r =>
             if eqb x y then (ys <- verify (c ++ [x]) t' ;; ret (x :: ys)) else at_child r
         end) ks
  end.

Definition at_child c y :=
  fix at_child (l : list (A * (A -> Q) * @tree A)) : dist (list A) :=
    match l with
    | [] => ret [y]
    | (x, _, t') :: r =>
        if eqb x y then (ys <- verify (c ++ [x]) t' ;; ret (x :: ys)) else at_child r
    end.

Lemma verify_at c ks : verify c (Node ks) = (y <- token (P c) (bare ks) ;; at_child c y ks).
Proof. reflexivity. Qed.

Definition hub_sampling levels c : dist (list A) := t <- draft_tree levels c ;; verify c t.

Lemma E_at_child N c f below y l :
  (forall x, E (below x) (fun _ => 1) == 1) ->
  (forall x, E (t <- below x ;; verify (c ++ [x]) t)
               (fun ys => E (finish V P (pred N) (c ++ [x]) ys) (cut N f x))
             == E (gen V P (pred N) (c ++ [x])) (cut N f x)) ->
  E (grow below l) (fun ks => E (at_child c y ks) (fun ys => E (finish V P N c ys) f))
  == E (gen V P (pred N) (c ++ [y])) (cut N f y).
Proof.
  intros Hm IH. induction l as [|[x q] l IHl].
  - cbn [grow]. rewrite E_ret. cbn [at_child]. rewrite E_ret, finish_cut. apply finish_nil.
  - rewrite E_grow_cons. cbn [at_child]. destruct (eqb x y) eqn:H.
    + apply eqb_eq in H; subst y. rewrite <- (IH x), E_bind. apply E_ext. intros t.
      rewrite E_const, (mass_grow below l Hm), E_bind, Qmult_1_r.
      apply E_ext. intros ys. rewrite E_ret. apply finish_cut.
    + rewrite (E_ext (below x) _ (fun _ => E (gen V P (pred N) (c ++ [y])) (cut N f y)))
        by (intros; exact IHl).
      rewrite E_const, Hm. ring.
Qed.

Lemma E_grow_token below l (p : A -> Q) (F : A -> list (A * (A -> Q) * @tree A) -> Q) :
  E (grow below l) (fun ks => E (token p (bare ks)) (fun y => F y ks))
  == E (token p l) (fun y => E (grow below l) (F y)).
Proof.
  rewrite <- E_swap. apply E_ext_in. intros ks w Hin.
  assert (bare ks = l) as ->; [|reflexivity].
  clear F p. revert ks w Hin. induction l as [|[x q] l IH]; intros ks w; cbn [grow]; intros H.
  - destruct H as [H|[]]. now inversion H.
  - apply In_bind in H as (t & u & u' & _ & H). apply In_bind in H as (ks' & v & v' & H1 & [H|[]]).
    inversion H; subst. simpl. f_equal. eapply IH, H1.
Qed.

Theorem hub_lossless levels : fair_levels V levels ->
  (forall s, In s levels -> forall c, hub_siblings V eqb (s c)) ->
  forall c, lossless_at V P c (hub_sampling levels c).
Proof.
  intros Hf Hh c N f. unfold hub_sampling. rewrite E_bind. revert c N f.
  induction levels as [|siblings deeper IH]; intros c N f.
  - cbn [draft_tree]. rewrite E_bind, E_ret. cbn [verify]. rewrite E_bind.
    rewrite (gen_cut V P P_prob). apply E_ext. intros y. rewrite E_ret, finish_cut.
    apply finish_nil.
  - assert (Hd : fair_levels V deeper) by (intros s Hs; apply Hf; now right).
    rewrite E_bind, E_tree.
    rewrite (E_ext (siblings c) _ (fun l =>
      E (token (P c) l) (fun y => E (gen V P (pred N) (c ++ [y])) (cut N f y)))).
    + rewrite <- E_bind, (gen_cut V P P_prob). apply token_law; [apply P_prob|].
      apply Hh. now left.
    + intros l.
      rewrite (E_ext _ _ (fun ks => E (token (P c) (bare ks)) (fun y =>
        E (at_child c y ks) (fun ys => E (finish V P N c ys) f))))
        by (intros ks; rewrite verify_at, E_bind; reflexivity).
      rewrite (E_grow_token _ l (P c) (fun y ks => E (at_child c y ks) (fun ys => E (finish V P N c ys) f))).
      apply E_ext. intros y. apply E_at_child; [intros; now apply (mass_tree V)|].
      intros x. apply IH; [exact Hd|]. intros s Hs. apply Hh. now right.
Qed.

Theorem hub_on_hubs rows branching : (forall c x, In x V -> 0 <= rows c x) ->
  forall c, lossless_at V P c (hub_sampling (drafted V eqb hub rows branching) c).
Proof.
  intros H. apply hub_lossless.
  - now apply drafted_fair.
  - now apply hubs_drafted.
Qed.
End Hub.
