(** * Recursive: recursive rejection sampling on a tree is lossless.

    SpecInfer (independent siblings), recursive speculative decoding (without
    replacement); reference/verify/recursive.py. *)
Require Import QArith Qminmax List Lqa Lia Arith.
Require Import SpecSim.Distribution SpecSim.Step SpecSim.Rounds SpecSim.Tree.
Import ListNotations.
Open Scope Q_scope.

Section Recursive.
Context {A : Type}.
Variable V : list A.

(** One level: the siblings are tried one after the other, each on what is left. *)
Fixpoint first_kept (row : A -> Q) (l : list (A * (A -> Q))) : dist A :=
  match l with
  | [] => sample V row
  | (x, q) :: r =>
      b <- coin (ratio row q x) ;;
      if b then ret x else first_kept (corrected V row q) r
  end.

(** Whatever the siblings are, as long as they are fair, the token has law [row]. *)
Theorem first_kept_law siblings : fair V siblings -> forall row, prob V row ->
  bind siblings (first_kept row) =d= sample V row.
Proof.
  induction 1 as [|q rest Hq Hrest IH|d d' Hd _ IH]; intros row Hrow f.
  - rewrite E_bind, E_ret. reflexivity.
  - set (g := sum (fun x => corrected V row q x * f x) V).
    rewrite !E_bind, !E_sample.
    rewrite <- (kept_or_corrected V row q f g) by (auto; reflexivity).
    apply sum_ext. intros x _. rewrite E_bind.
    rewrite (E_ext (rest x) _ (fun r => ratio row q x * f x
        + (1 - ratio row q x) * E (first_kept (corrected V row q) r) f)).
    + rewrite E_plus, E_const, E_scal, (fair_mass V _ (Hrest x)).
      rewrite <- (E_bind (rest x)), (IH x _ (corrected_prob V row q Hrow) f), E_sample.
      fold g. ring.
    + intros r. rewrite E_ret. cbn [first_kept]. rewrite E_bind, E_coin, E_ret. reflexivity.
  - rewrite E_bind, <- (Hd (fun l => E (first_kept row l) f)), <- E_bind. now apply IH.
Qed.

Variable P : list A -> A -> Q.
Hypothesis P_prob : forall c, prob V (P c).

Fixpoint verify c (t : tree) : dist (list A) :=
  match t with
  | Node ks =>
      (fix walk (row : A -> Q) (ks : list (A * (A -> Q) * tree)) : dist (list A) :=
         match ks with
         | [] => y <- sample V row ;; ret [y]
         | (x, q, t') :: r =>
             b <- coin (ratio row q x) ;;
             if b then (ys <- verify (c ++ [x]) t' ;; ret (x :: ys))
             else walk (corrected V row q) r
         end) (P c) ks
  end.

Definition walk c :=
  fix walk (row : A -> Q) (ks : list (A * (A -> Q) * tree)) : dist (list A) :=
    match ks with
    | [] => y <- sample V row ;; ret [y]
    | (x, q, t') :: r =>
        b <- coin (ratio row q x) ;;
        if b then (ys <- verify (c ++ [x]) t' ;; ret (x :: ys))
        else walk (corrected V row q) r
    end.

Lemma verify_walk c ks : verify c (Node ks) = walk c (P c) ks.
Proof. reflexivity. Qed.

Definition recursive levels c : dist (list A) := t <- draft_tree levels c ;; verify c t.

(** Subtrees that are not visited influence nothing. *)
Lemma E_walk N c below l f :
  (forall x, E (below x) (fun _ => 1) == 1) ->
  (forall x, E (t <- below x ;; verify (c ++ [x]) t)
               (fun ys => E (finish V P (pred N) (c ++ [x]) ys) (cut N f x))
             == E (gen V P (pred N) (c ++ [x])) (cut N f x)) ->
  forall row,
  E (grow below l) (fun ks => E (walk c row ks) (fun ys => E (finish V P N c ys) f))
  == E (first_kept row l) (fun y => E (gen V P (pred N) (c ++ [y])) (cut N f y)).
Proof.
  intros Hm IH. induction l as [|[x q] l IHl]; intros row.
  - cbn [grow]. rewrite E_ret. cbn [walk first_kept]. rewrite E_bind. apply E_ext. intros y.
    rewrite E_ret, finish_cut. apply finish_nil.
  - rewrite E_grow_cons. cbn [first_kept].
    set (rest := E (first_kept (corrected V row q) l)
                   (fun y => E (gen V P (pred N) (c ++ [y])) (cut N f y))).
    set (G := fun ys => E (finish V P (pred N) (c ++ [x]) ys) (cut N f x)).
    rewrite (E_ext (below x) _ (fun t =>
      ratio row q x * E (verify (c ++ [x]) t) G + (1 - ratio row q x) * rest)).
    + rewrite E_plus, E_scal, E_const, Hm.
      rewrite <- (E_bind (below x) (fun t => verify (c ++ [x]) t) G). unfold G. rewrite (IH x).
      rewrite E_bind, E_coin, E_ret. fold rest. ring.
    + intros t. cbn [walk].
      rewrite (E_ext (grow below l) _ (fun ks => ratio row q x * E (verify (c ++ [x]) t) G
         + (1 - ratio row q x) * E (walk c (corrected V row q) ks) (fun ys => E (finish V P N c ys) f))).
      * rewrite E_plus, E_const, E_scal, (mass_grow below l Hm), IHl. fold rest. ring.
      * intros ks. rewrite E_bind, E_coin, E_bind.
        rewrite (E_ext (verify (c ++ [x]) t) _ G); [reflexivity|].
        intros ys. rewrite E_ret. unfold G. apply finish_cut.
Qed.

Theorem recursive_lossless levels : fair_levels V levels ->
  forall c, lossless_at V P c (recursive levels c).
Proof.
  intros Hf c N f. unfold recursive. rewrite E_bind. revert c N f.
  induction levels as [|siblings deeper IH]; intros c N f.
  - cbn [draft_tree]. rewrite E_bind, E_ret. cbn [verify].
    rewrite <- E_bind. apply (bonus_lossless V P P_prob).
  - assert (Hd : fair_levels V deeper) by (intros s Hs; apply Hf; now right).
    rewrite E_bind, E_tree.
    rewrite (E_ext (siblings c) _ (fun l =>
      E (first_kept (P c) l) (fun y => E (gen V P (pred N) (c ++ [y])) (cut N f y)))).
    + rewrite <- E_bind, (gen_cut V P P_prob). apply first_kept_law; [|apply P_prob].
      apply Hf. now left.
    + intros l. rewrite (E_ext _ _ (fun ks => E (walk c (P c) ks) (fun ys => E (finish V P N c ys) f)))
        by (intros ks; rewrite verify_walk; reflexivity).
      apply E_walk; [intros; now apply (mass_tree V)|]. intros x. apply IH. exact Hd.
Qed.
Lemma verify_nonempty t c ys w : In (ys, w) (verify c t) -> ys <> [].
Proof.
  destruct t as [ks]. rewrite verify_walk. generalize (P c). revert w.
  induction ks as [|[[x q] t] ks IH]; intros w row; cbn [walk]; intros H.
  - apply In_bind in H as (y & u & u' & _ & [H|[]]). inversion H; discriminate.
  - apply In_bind in H as ([|] & u & u' & _ & H); [|exact (IH _ _ H)].
    apply In_bind in H as (zs & v & v' & _ & [H|[]]). inversion H; discriminate.
Qed.

(** Whole runs; the tree may be drafted in another way at every round. *)
Theorem recursive_run_lossless (levels : list A -> list level) N c :
  (forall c, fair_levels V (levels c)) ->
  decode (fun c => recursive (levels c) c) N N c =d= gen V P N c.
Proof.
  intros Hf. apply decode_lossless.
  - intros c'. now apply recursive_lossless.
  - intros c' ys w H. apply In_bind in H as (t & u & u' & _ & H). eapply verify_nonempty, H.
Qed.
End Recursive.
