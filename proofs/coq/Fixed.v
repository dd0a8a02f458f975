(** * Fixed: rules that keep the law for every fixed draft, drawn or not.

    One-hot verification of a chain and target-only sampling on a tree
    (reference/verify/one_hot.py, sampler_match.py and target_only.py).  Nothing is
    assumed about the draft, so whatever chose it (a lookup, a ranking, a filter, an
    adversary) changes no law; [mixture_lossless] averages over it. *)
Require Import QArith Qminmax List Lqa Lia Arith.
Require Import SpecSim.Distribution SpecSim.Step SpecSim.Rounds SpecSim.Tree.
Import ListNotations.
Open Scope Q_scope.

Section Fixed.
Context {A : Type}.
Variable V : list A.
Variable P : list A -> A -> Q.
Hypothesis P_prob : forall c, prob V (P c).
Variable eqb : A -> A -> bool.
Hypothesis eqb_eq : forall x y, eqb x y = true <-> x = y.
Hypothesis V_nodup : NoDup V.
Implicit Types (c xs ys : list A).

(** ** A chain, each token kept with the target's own probability. *)
Fixpoint one_hot c xs : dist (list A) :=
  match xs with
  | [] => y <- sample V (P c) ;; ret [y]
  | x :: xs' =>
      b <- coin (P c x) ;;
      if b then (ys <- one_hot (c ++ [x]) xs' ;; ret (x :: ys))
      else (y <- draw V (without eqb (P c) x) ;; ret [y])
  end.

Lemma without_sum row x f : In x V ->
  sum (fun y => without eqb row x y * f y) V == sum (fun y => row y * f y) V - row x * f x.
Proof.
  intros Hx.
  rewrite <- (sum_pick V eqb eqb_eq V_nodup (fun y => row y * f y) x Hx) at 1.
  setoid_replace (sum (fun y => row y * f y) V
      - sum (fun y => row y * f y * ind (eqb y x)) V)
    with (sum (fun y => row y * f y) V + (- (1)) * sum (fun y => row y * f y * ind (eqb y x)) V) by ring.
  rewrite <- sum_scal, <- sum_plus. apply sum_ext. intros y _.
  unfold without. destruct (eqb y x); simpl; ring.
Qed.

Theorem one_hot_lossless xs : (forall x, In x xs -> In x V) ->
  forall c, lossless_at V P c (one_hot c xs).
Proof.
  induction xs as [|x xs IH]; intros Hxs c N f; cbn [one_hot]; [now apply bonus_lossless|].
  assert (Hx : In x V) by (apply Hxs; now left).
  set (G := fun y => E (gen V P (pred N) (c ++ [y])) (cut N f y)).
  rewrite E_bind, E_bind, E_coin, (gen_cut V P P_prob), !E_bind, E_draw, E_sample.
  rewrite (E_ext (one_hot (c ++ [x]) xs) _ (fun ys => E (finish V P (pred N) (c ++ [x]) ys) (cut N f x)))
    by (intros ys; rewrite E_ret; apply finish_cut).
  assert (HI : E (one_hot (c ++ [x]) xs)
      (fun ys => E (finish V P (pred N) (c ++ [x]) ys) (cut N f x)) == G x).
  { rewrite <- E_bind. apply IH. intros z Hz. apply Hxs. now right. }
  rewrite HI.
  rewrite (sum_ext _ (fun y => without eqb (P c) x y * G y)) by
    (intros y _; rewrite E_ret, finish_cut, (finish_nil V P); reflexivity).
  rewrite (without_sum (P c) x G Hx).
  assert (Hs : sum (without eqb (P c) x) V == 1 - P c x).
  { transitivity (sum (fun y => without eqb (P c) x y * 1) V); [apply sum_ext; intros; ring|].
    rewrite (without_sum (P c) x (fun _ => 1) Hx).
    rewrite (sum_ext _ (P c)) by (intros; ring). rewrite (proj2 (P_prob c)). ring. }
  rewrite Hs. set (S_ := sum (fun y => P c y * G y) V).
  change (P c x * G x + (1 - P c x) * ((S_ - P c x * G x) / (1 - P c x)) == S_).
  destruct (Qeq_dec (1 - P c x) 0) as [H|H].
  - (* a sure token: the rest of the row is empty *)
    assert (H0 : sum (fun y => without eqb (P c) x y * G y) V == 0).
    { rewrite <- (sum_0 V). apply sum_ext. intros y Hy.
      rewrite (sum_zero_inv (without eqb (P c) x) V); [ring| |rewrite Hs; exact H|exact Hy].
      intros z Hz. unfold without. pose proof (proj1 (P_prob c) z Hz). destruct (eqb z x); lra. }
    rewrite (without_sum (P c) x G Hx) in H0. fold S_ in H0.
    assert (HS : S_ == P c x * G x) by lra.
    unfold Qdiv. generalize (/ (1 - P c x)). intros k. rewrite H, HS. ring.
  - field. exact H.
Qed.

(** ** A tree: the target draws, the tree only says how far it may go.

    Several trees side by side are what copies of one token lead to. *)
Definition follow y (trees : list (@tree A)) : list tree :=
  flat_map (fun t => match t with Node ks =>
    map snd (filter (fun k => eqb (fst (fst k)) y) ks) end) trees.

Definition draws c (trees : list (@tree A)) : dist (A * option (list tree)) :=
  y <- sample V (P c) ;;
  ret (y, match follow y trees with [] => None | below => Some below end).

Definition target_only (depth : nat) c (t : @tree A) : dist (list A) :=
  walk V P draws depth c [t].

Theorem target_only_lossless depth c t : lossless_at V P c (target_only depth c t).
Proof.
  apply walk_lossless; [exact P_prob|]. intros c' s f. unfold draws.
  rewrite E_bind. apply E_ext. e_ret.
Qed.
(** Whole runs, with trees by whatever drafter. *)
Theorem target_only_run_lossless (draft : list A -> dist (@tree A)) depth N c :
  (forall c, E (draft c) (fun _ => 1) == 1) ->
  decode (fun c => t <- draft c ;; target_only depth c t) N N c =d= gen V P N c.
Proof.
  intros Hd. apply decode_lossless.
  - intros c'. apply mixture_lossless; [apply Hd|]. intros t. apply target_only_lossless.
  - intros c' ys w H. apply In_bind in H as (t & u & u' & _ & H). eapply walk_nonempty, H.
Qed.
End Fixed.
