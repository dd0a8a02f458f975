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
(** ** How often it goes on. *)
Definition among y (l : list (A * (A -> Q))) := existsb (fun s => eqb (fst s) y) l.

Lemma among_in y l : among y l = true <-> In y (map fst l).
Proof.
  unfold among. rewrite existsb_exists, in_map_iff. split.
  - intros (s & H & H1). apply eqb_eq in H1. eauto.
  - intros (s & H & H1). exists s. split; [exact H1|]. now apply eqb_eq.
Qed.

Lemma eqb_refl x : eqb x x = true.
Proof. now apply eqb_eq. Qed.
Lemma eqb_sym x y : eqb x y = eqb y x.
Proof.
  destruct (eqb x y) eqn:H1, (eqb y x) eqn:H2; auto.
  - apply eqb_eq in H1; subst. rewrite eqb_refl in H2; discriminate.
  - apply eqb_eq in H2; subst. rewrite eqb_refl in H1; discriminate.
Qed.

Lemma sum_among p l : NoDup (map fst l) -> (forall x, In x (map fst l) -> In x V) ->
  sum (fun y => p y * ind (among y l)) V == sum p (map fst l).
Proof.
  induction l as [|[x q] l IH]; intros Hd Hin.
  - simpl. rewrite (sum_ext _ (fun _ => 0)) by (intros; unfold among; simpl; ring). apply sum_0.
  - simpl map in *. inversion Hd as [|? ? Hx Hd']; subst. cbn [sum].
    rewrite <- IH by (auto; intros; apply Hin; now right).
    rewrite <- (sum_pick V eqb eqb_eq V_nodup p x) by (apply Hin; now left).
    rewrite <- sum_plus. apply sum_ext. intros y _. unfold among at 1. simpl existsb.
    fold (among y l). rewrite (eqb_sym x y).
    destruct (eqb y x) eqn:H; simpl; [|ring].
    apply eqb_eq in H; subst y. destruct (among x l) eqn:Ha; [|simpl; ring].
    apply among_in in Ha. contradiction.
Qed.

(** One level: the siblings [fx], none of which q draws, and x drawn from q. *)
Definition offered fx q : dist (list (A * (A -> Q))) := x <- sample V q ;; ret (fx ++ [(x, q)]).

Theorem hub_goes_on p q fx : prob V p -> prob V q -> NoDup (map fst fx) ->
  (forall y, In y (map fst fx) -> In y V /\ q y == 0) ->
  Pr (l <- offered fx q ;; (y <- token p l ;; ret (among y l))) (fun went => went)
  == sum p (map fst fx) + overlap V p q.
Proof.
  intros Hp Hq Hd Hfx. pose proof Hp as [Hp0 Hp1]. pose proof Hq as [Hq0 Hq1].
  set (K := sum (fun y => corrected V p q y * ind (among y fx)) V).
  assert (Hrefused : sum (fun x => q x * (1 - ratio p q x)) V == refusal V p q).
  { rewrite (sum_ext _ (fun x => q x + (- (1)) * (q x * ratio p q x))) by (intros; ring).
    rewrite sum_plus, sum_scal, (sum_q_ratio V p q Hp0 Hq0), Hq1.
    pose proof (overlap_refusal V p q). lra. }
  assert (Hrange : forall x, In x V -> 0 <= q x * (1 - ratio p q x)).
  { intros x Hx. pose proof (ratio_range p q x (Hp0 x Hx) (Hq0 x Hx)).
    pose proof (Hq0 x Hx). nra. }
  (* a refused x is not what it is corrected to *)
  assert (Hself : forall x, In x V -> q x * (1 - ratio p q x) * corrected V p q x == 0).
  { intros x Hx. destruct (Qeq_dec (refusal V p q) 0) as [H0|H0].
    - rewrite (sum_zero_inv (fun x => q x * (1 - ratio p q x)) V Hrange) by (rewrite ?Hrefused; auto).
      ring.
    - pose proof (refusal_corrected V p q x Hx) as Hc. pose proof (min_residual p q x) as Hm.
      pose proof (q_ratio p q x (Hp0 x Hx) (Hq0 x Hx)) as Hr.
      destruct (Qlt_le_dec (p x) (q x)) as [L|L].
      + rewrite qmin_l in Hm by lra.
        assert (Hz : residual p q x == 0) by lra. rewrite Hz in Hc.
        assert (Hc0 : corrected V p q x == 0).
        { setoid_replace (corrected V p q x)
            with (refusal V p q * corrected V p q x / refusal V p q) by (field; exact H0).
          rewrite Hc. unfold Qdiv. ring. }
        rewrite Hc0. ring.
      + rewrite qmin_r in Hr by lra.
        setoid_replace (q x * (1 - ratio p q x)) with (q x - q x * ratio p q x) by ring.
        rewrite Hr. ring. }
  unfold Pr, offered. rewrite !E_bind, E_sample.
  rewrite (sum_ext _ (fun x => q x * ratio p q x + K * (q x * (1 - ratio p q x)))).
  - rewrite sum_plus, sum_scal, Hrefused, (sum_q_ratio V p q Hp0 Hq0).
    transitivity (overlap V p q + refusal V p q * K); [ring|].
    assert (HK : refusal V p q * K == sum p (map fst fx)); [|rewrite HK; ring].
    unfold K. rewrite refusal_corrected_sum.
    rewrite <- (sum_among p fx Hd) by (intros y Hy; now apply Hfx).
    apply sum_ext. intros y Hy. destruct (among y fx) eqn:Ha; [|simpl; ring].
    apply among_in in Ha. destruct (Hfx y Ha) as [_ H0]. pose proof (Hp0 y Hy).
    pose proof (min_residual p q y) as Hm. rewrite qmin_r in Hm by lra.
    simpl. setoid_replace (residual p q y) with (p y) by lra. ring.
  - intros x Hx. rewrite E_ret, E_bind. unfold token. rewrite last_of_app.
    set (l := fx ++ [(x, q)]).
    assert (Hl : forall y, among y l = orb (among y fx) (eqb x y)).
    { intros y. unfold among, l. rewrite existsb_app. simpl. now rewrite Bool.orb_false_r. }
    rewrite E_bind, E_coin, !E_ret. rewrite (Hl x), eqb_refl, Bool.orb_true_r. simpl ind.
    set (K' := E (sample V (corrected V p q)) (fun y => E (ret (among y l)) (fun went => ind went))).
    assert (HK : q x * (1 - ratio p q x) * K' == q x * (1 - ratio p q x) * K).
    { unfold K', K. rewrite E_sample, <- !sum_scal. apply sum_ext. intros y Hy.
      rewrite E_ret, (Hl y). destruct (eqb x y) eqn:Hxy.
      - apply eqb_eq in Hxy; subst y. pose proof (Hself x Hx) as Hs.
        transitivity (q x * (1 - ratio p q x) * corrected V p q x * ind (orb (among x fx) true)); [ring|].
        transitivity (q x * (1 - ratio p q x) * corrected V p q x * ind (among x fx)); [|ring].
        rewrite Hs. ring.
      - rewrite Bool.orb_false_r. ring. }
    transitivity (q x * ratio p q x + q x * (1 - ratio p q x) * K'); [ring|].
    rewrite HK. ring.
Qed.

(** No way of choosing a token of law p, given the siblings, goes on more often. *)
Theorem no_hub_goes_on_more p q fx (choose : A -> dist A) :
  prob V p -> prob V q -> NoDup (map fst fx) -> (forall y, In y (map fst fx) -> In y V) ->
  (forall x, nonneg (choose x)) -> (forall x, E (choose x) (fun _ => 1) == 1) ->
  (forall f, E (x <- sample V q ;; choose x) f == E (sample V p) f) ->
  Pr (x <- sample V q ;; (y <- choose x ;; ret (among y (fx ++ [(x, q)])))) (fun went => went)
  <= sum p (map fst fx) + overlap V p q.
Proof.
  intros Hp Hq Hd Hfx Hn Hm Hlaw.
  set (told := fun x => y <- choose x ;; ret (y, eqb y x)).
  assert (Hbest : Pr (run V q told) (fun r => snd (snd r)) <= overlap V p q).
  { apply (no_step_keeps_more V eqb eqb_eq V_nodup); auto.
    - intros x. apply nonneg_bind; [apply Hn|intros; apply nonneg_ret].
    - intros x y w Hin _. apply In_bind in Hin as (z & u & u' & _ & [H|[]]).
      inversion H; subst. now apply eqb_eq.
    - intros x. unfold told. rewrite E_bind, (E_ext _ _ (fun _ => 1)); [apply Hm|]. e_ret.
    - intros y Hy. unfold Pr, run, told. rewrite <- (sum_pick V eqb eqb_eq V_nodup p y Hy).
      rewrite <- (E_sample V p (fun z => ind (eqb z y))), <- Hlaw, !E_bind. apply E_ext.
      intros x. rewrite !E_bind. apply E_ext. intros z. rewrite !E_ret. reflexivity. }
  assert (Hfixed : E (x <- sample V q ;; choose x) (fun y => ind (among y fx)) == sum p (map fst fx)).
  { rewrite (Hlaw (fun y => ind (among y fx))), E_sample. now apply sum_among. }
  rewrite <- Hfixed. refine (Qle_trans _ _ _ _ (Qplus_le_compat _ _ _ _ (Qle_refl _) Hbest)).
  unfold Pr, run, told. rewrite !E_bind, !E_sample, <- sum_plus. apply sum_le. intros x Hx.
  rewrite !E_bind. rewrite <- Qmult_plus_distr_r, <- E_plus.
  rewrite (Qmult_comm (q x)), (Qmult_comm (q x)).
  apply Qmult_le_compat_r; [|now apply (proj1 Hq)].
  apply E_le; [apply Hn|]. intros y. rewrite !E_ret. simpl.
  unfold among. rewrite existsb_app. simpl. rewrite Bool.orb_false_r.
  fold (among y fx). rewrite (eqb_sym x y). unfold ind.
  destruct (among y fx), (eqb y x); simpl; lra.
Qed.
(** ** Whole runs. *)
Lemma verify_nonempty t : forall c ys w, In (ys, w) (verify c t) -> ys <> [].
Proof.
  destruct t as [ks]. intros c ys w. rewrite verify_at. intros H.
  apply In_bind in H as (y & u & u' & _ & H). clear w. revert u H.
  induction ks as [|[[x q] t] ks IH]; cbn [at_child]; intros u H.
  - destruct H as [H|[]]. inversion H; discriminate.
  - destruct (eqb x y); [|exact (IH _ H)].
    apply In_bind in H as (zs & v & v' & _ & [H|[]]). inversion H; discriminate.
Qed.

Theorem hub_run_lossless rows (branching : list A -> list nat) N c :
  (forall c x, In x V -> 0 <= rows c x) ->
  decode (fun c => hub_sampling (drafted V eqb hub rows (branching c)) c) N N c =d= gen V P N c.
Proof.
  intros H0. apply decode_lossless.
  - intros c'. now apply hub_on_hubs.
  - intros c' ys w H. apply In_bind in H as (t & u & u' & _ & H). eapply verify_nonempty, H.
Qed.
End Hub.
