(** * Plans: conditional transport with any feasible plan is lossless.

    reference/verify/conditional_transport.py.  A node is offered a tuple of siblings
    by law; equal siblings are one, with the subtrees of all of them below it, so what is
    drafted below a child may hang on the tuple ([State] says how, for instance by the
    number of copies).  A plan says with what odds each offered token is to be kept; it
    is feasible if it serves no token more than the weighted target wants.  Nothing else
    about the plan matters: not where it comes from, nor whether it is the best. *)
Require Import QArith Qminmax List Lqa Lia Arith.
Require Import SpecSim.Distribution SpecSim.Step SpecSim.Rounds.
Import ListNotations.
Open Scope Q_scope.

Section Plans.
Context {A State Offer : Type}.
Variable V : list A.
Variable P : list A -> A -> Q.
Hypothesis P_prob : forall c, prob V (P c).
Implicit Types (s : State) (w : Q) (o : Offer).

(** ** The draft: what a node may be offered, and in which state its children are. *)
Variable context : State -> list A.
Variable offers : State -> dist Offer.
Variable tokens : Offer -> list A.             (* each once, in the order of visits *)
Variable child : State -> Offer -> A -> State.

Inductive drafted := Leaf | Offered (o : Offer) (below : list (A * drafted)).

Fixpoint grow (below : A -> dist drafted) (l : list A) : dist (list (A * drafted)) :=
  match l with
  | [] => ret []
  | x :: r => t <- below x ;; (ts <- grow below r ;; ret ((x, t) :: ts))
  end.

Fixpoint draft (depth : nat) s : dist drafted :=
  match depth with
  | O => ret Leaf
  | S d => o <- offers s ;; (ts <- grow (fun x => draft d (child s o x)) (tokens o) ;;
                             ret (Offered o ts))
  end.

(** ** The rule: a plan, and what it leaves of the target. *)
Variable share : State -> Q -> Offer -> A -> Q.
Variable left : State -> Q -> A -> Q.

(** At a node of weight w: serve the target's w P, from each offer at most all of it. *)
Definition feasible s w :=
  (forall o x, 0 <= share s w o x) /\
  (forall o, sum (share s w o) (tokens o) <= 1) /\
  (forall x, In x V -> 0 <= left s w x) /\
  (forall G, E (offers s) (fun o => sum (fun x => share s w o x * G x) (tokens o))
             + sum (fun x => left s w x * G x) V
             == w * sum (fun x => P (context s) x * G x) V).

Definition stop (root : bool) w (row : A -> Q) : dist (option (list A)) :=
  b <- coin (if root then 1 else sum row V / (sum row V + 1 - w)) ;;
  if b then (y <- draw V row ;; ret (Some [y])) else ret None.

Fixpoint visit (root : bool) s w (t : drafted) : dist (option (list A)) :=
  match t with
  | Leaf => stop root w (fun x => w * P (context s) x)
  | Offered o below =>
      (fix walk (room : Q) (ts : list (A * drafted)) : dist (option (list A)) :=
         match ts with
         | [] => stop root w (left s w)
         | (x, t') :: ts' =>
             found <- visit false (child s o x) (share s w o x / room) t' ;;
             match found with
             | Some ys => ret (Some (x :: ys))
             | None => walk (room - share s w o x) ts'
             end
         end) 1 below
  end.

Definition walk (root : bool) s w o :=
  fix walk (room : Q) (ts : list (A * drafted)) : dist (option (list A)) :=
    match ts with
    | [] => stop root w (left s w)
    | (x, t') :: ts' =>
        found <- visit false (child s o x) (share s w o x / room) t' ;;
        match found with
        | Some ys => ret (Some (x :: ys))
        | None => walk (room - share s w o x) ts'
        end
    end.

Lemma visit_walk root s w o below :
  visit root s w (Offered o below) = walk root s w o 1 below.
Proof. reflexivity. Qed.

Definition planned depth s : dist (list A) :=
  t <- draft depth s ;; (r <- visit true s 1 t ;; match r with Some ys => ret ys | None => fail end).

Definition some {B} (g : B -> Q) (r : option B) : Q :=
  match r with Some b => g b | None => 0 end.

Hypothesis offers_mass : forall s, E (offers s) (fun _ => 1) == 1.
Hypothesis child_context : forall s o x, context (child s o x) = context s ++ [x].
Hypothesis tokens_in : forall s o u, In (o, u) (offers s) -> forall x, In x (tokens o) -> In x V.
Hypothesis plan_feasible : forall s w, 0 <= w <= 1 -> feasible s w.

Lemma E_grow_cons dr x l f :
  E (grow dr (x :: l)) f == E (dr x) (fun t => E (grow dr l) (fun ts => f ((x, t) :: ts))).
Proof. cbn [grow]. rewrite E_bind. apply E_ext. intros t. rewrite E_bind. apply E_ext. e_ret. Qed.

Lemma mass_grow dr l : (forall x, E (dr x) (fun _ => 1) == 1) -> E (grow dr l) (fun _ => 1) == 1.
Proof.
  intros H. induction l as [|x l IH]; [cbn [grow]; e_ret|].
  rewrite E_grow_cons, (E_ext _ _ (fun _ => 1)); [apply H|]. intros _. exact IH.
Qed.

Lemma E_draft d s f :
  E (draft (S d) s) f ==
  E (offers s) (fun o => E (grow (fun x => draft d (child s o x)) (tokens o))
                          (fun ts => f (Offered o ts))).
Proof. cbn [draft]. rewrite E_bind. apply E_ext. intros o. rewrite E_bind. apply E_ext. e_ret. Qed.

Lemma mass_draft d : forall s, E (draft d s) (fun _ => 1) == 1.
Proof.
  induction d as [|d IH]; intros s; [cbn [draft]; e_ret|].
  rewrite E_draft, (E_ext _ _ (fun _ => 1)); [apply offers_mass|].
  intros o. apply mass_grow. intros x. apply IH.
Qed.

Lemma E_stop (root : bool) w row F :
  let h := if root then 1 else sum row V / (sum row V + 1 - w) in
  E (stop root w row) F == h * E (draw V row) (fun y => F (Some [y])) + (1 - h) * F None.
Proof.
  cbv zeta. unfold stop. rewrite E_bind, E_coin, E_ret, E_bind.
  rewrite (E_ext (draw V row) (fun y => E (ret (Some [y])) F) (fun y => F (Some [y]))) by e_ret.
  reflexivity.
Qed.

(** What stopping is worth, times the odds of coming so far. *)
Lemma stop_value (root : bool) w row F : (forall x, In x V -> 0 <= row x) -> w <= 1 ->
  (root = true -> w == 1) -> F None == 0 ->
  (sum row V + 1 - w) * E (stop root w row) F == sum (fun y => row y * F (Some [y])) V.
Proof.
  intros Hrow Hw Hroot HF. rewrite E_stop, E_draw, HF.
  pose proof (sum_nonneg _ _ Hrow) as Hs.
  set (m := sum row V) in *. set (R := sum (fun y => row y * F (Some [y])) V).
  destruct (Qeq_dec m 0) as [Hm|Hm].
  - assert (HR : R == 0).
    { unfold R. rewrite <- (sum_0 V). apply sum_ext. intros y Hy.
      rewrite (sum_zero_inv row V Hrow Hm y Hy). ring. }
    rewrite HR. unfold Qdiv. ring.
  - destruct root.
    + setoid_replace (m + 1 - w) with m by (rewrite (Hroot eq_refl); ring). field. exact Hm.
    + field. split; [lra|exact Hm].
Qed.

(** Below the root no mass is ever lost, whatever the tree, as long as weights are
    odds. *)
Lemma mass_stop w row : (forall x, In x V -> 0 <= row x) -> E (stop false w row) (fun _ => 1) == 1.
Proof.
  intros Hrow. rewrite E_stop, E_draw.
  assert (Hs : sum (fun y => row y * 1) V == sum row V) by (apply sum_ext; intros; ring).
  cbv beta zeta. rewrite Hs. destruct (Qeq_dec (sum row V) 0) as [H|H].
  - rewrite H. unfold Qdiv. ring.
  - setoid_replace (sum row V / sum row V) with 1 by (field; exact H). ring.
Qed.

Lemma mass_visit d : forall s w t v, 0 <= w <= 1 -> In (t, v) (draft d s) ->
  E (visit false s w t) (fun _ => 1) == 1.
Proof.
  induction d as [|d IH]; intros s w t v Hw Hin; cbn [draft] in Hin.
  - destruct Hin as [H|[]]. inversion H; subst. cbn [visit]. apply mass_stop.
    intros x Hx. pose proof (proj1 (P_prob (context s)) x Hx). nra.
  - apply In_bind in Hin as (o & u & u' & _ & Hin).
    apply In_bind in Hin as (ts & v1 & v2 & Hts & [H|[]]). inversion H; subst.
    destruct (plan_feasible s w Hw) as (F1 & F2 & F3 & _).
    rewrite visit_walk. specialize (F2 o).
    assert (G : forall l room ts v2, sum (share s w o) l <= room ->
      In (ts, v2) (grow (fun x => draft d (child s o x)) l) ->
      E (walk false s w o room ts) (fun _ => 1) == 1); [|exact (G _ 1 ts v2 F2 Hts)].
    clear - F1 F3 IH. induction l as [|x l IHl]; intros room ts v2 Hroom Hts; cbn [grow] in Hts.
    + destruct Hts as [Ht|[]]. inversion Ht; subst. cbn [walk]. now apply mass_stop.
    + apply In_bind in Hts as (t' & w1 & w2 & Ht' & Hts).
      apply In_bind in Hts as (ts' & w3 & w4 & Hts' & [Ht|[]]). inversion Ht; subst.
      simpl sum in Hroom. pose proof (F1 o x).
      assert (Hl : 0 <= sum (share s w o) l) by (apply sum_nonneg; auto).
      cbn [walk]. rewrite E_bind, (E_ext _ _ (fun _ => 1)).
      * apply (IH _ _ t' w2); [|exact Ht'].
        destruct (Qeq_dec room 0) as [H0|H0].
        -- rewrite (div_by_0 _ _ H0). lra.
        -- split; [apply Qle_shift_div_l; lra|apply Qle_shift_div_r; lra].
      * intros [ys|]; [e_ret|]. apply (IHl (room - share s w o x) ts' w4); [lra|exact Hts'].
Qed.

(** The value of a node, its children not yet drafted: every child of weight a keeps
    with odds a, and is then worth G of its token. *)
Definition worth d s o (F : option (list A) -> Q) G :=
  forall x a, In x V -> 0 <= a <= 1 ->
  E (draft d (child s o x)) (fun t => E (visit false (child s o x) a t)
    (some (fun ys => F (Some (x :: ys))))) == a * G x.

Definition kept d s o :=
  forall x a, In x V -> 0 <= a <= 1 ->
  E (draft d (child s o x)) (fun t => E (visit false (child s o x) a t) (some (fun _ => 1))) == a.

Lemma walk_value root d s w o F G stopped : 0 <= w <= 1 ->
  (forall x, 0 <= share s w o x) -> E (stop root w (left s w)) F == stopped ->
  worth d s o F G -> kept d s o ->
  forall l room, (forall x, In x l -> In x V) -> sum (share s w o) l <= room ->
  room * E (grow (fun x => draft d (child s o x)) l) (fun ts => E (walk root s w o room ts) F)
  == sum (fun x => share s w o x * G x) l + (room - sum (share s w o) l) * stopped.
Proof.
  intros Hw Hshare Hstop Hworth Hkept. induction l as [|x l IHl]; intros room HV Hroom.
  - cbn [grow]. rewrite E_ret. cbn [walk]. rewrite Hstop. simpl sum. ring.
  - simpl sum in Hroom. pose proof (Hshare x) as Hx.
    assert (Hl : 0 <= sum (share s w o) l) by (apply sum_nonneg; auto).
    set (a := share s w o x / room).
    assert (Ha : 0 <= a <= 1).
    { unfold a. destruct (Qeq_dec room 0) as [H0|H0].
      - rewrite (div_by_0 _ _ H0). lra.
      - split; [apply Qle_shift_div_l; lra|apply Qle_shift_div_r; lra]. }
    assert (Hra : room * a == share s w o x).
    { unfold a. destruct (Qeq_dec room 0) as [H0|H0]; [rewrite H0; lra|field; exact H0]. }
    set (later := E (grow (fun x => draft d (child s o x)) l)
                    (fun ts => E (walk root s w o (room - share s w o x) ts) F)).
    assert (IH : (room - share s w o x) * later
      == sum (fun x => share s w o x * G x) l + (room - share s w o x - sum (share s w o) l) * stopped).
    { apply IHl; [intros; apply HV; now right|lra]. }
    assert (HxV : In x V) by (apply HV; now left).
    rewrite E_grow_cons.
    rewrite (E_ext_in (draft d (child s o x)) _ (fun t =>
      E (visit false (child s o x) a t) (some (fun ys => F (Some (x :: ys))))
      + (later + (- later) * E (visit false (child s o x) a t) (some (fun _ => 1))))).
    + rewrite !E_plus, E_scal, E_const, mass_draft, (Hworth x a HxV Ha), (Hkept x a HxV Ha).
      simpl sum.
      transitivity (room * a * G x + (room - room * a) * later); [ring|].
      rewrite Hra, IH. ring.
    + intros t v Hin.
      rewrite (E_ext (grow _ l) _ (fun ts => E (visit false (child s o x) a t) (fun r =>
        match r with
        | Some ys => F (Some (x :: ys))
        | None => E (walk root s w o (room - share s w o x) ts) F
        end))).
      2:{ intros ts. cbn [walk]. fold a. rewrite E_bind. apply E_ext. intros [ys|]; [e_ret|reflexivity]. }
      rewrite E_swap.
      rewrite (E_ext _ _ (fun r => some (fun ys => F (Some (x :: ys))) r
                 + (later * 1 + (- later) * some (fun _ => 1) r))).
      * rewrite !E_plus, !E_scal, (mass_visit d _ _ t v Ha Hin). ring.
      * intros [ys|]; simpl some.
        -- rewrite E_const, (mass_grow (fun x => draft d (child s o x)) l);
             [ring|intros; apply mass_draft].
        -- fold later. ring.
Qed.

Lemma tree_value d : forall root s w N f, 0 <= w <= 1 -> (root = true -> w == 1) ->
  E (draft d s) (fun t => E (visit root s w t)
    (some (fun ys => E (finish V P N (context s) ys) f))) == w * E (gen V P N (context s)) f.
Proof.
  induction d as [|d IH]; intros root s w N f Hw Hroot;
    set (c := context s); set (G := fun y => E (gen V P (pred N) (c ++ [y])) (cut N f y));
    set (F := some (fun ys => E (finish V P N c ys) f));
    assert (F1 : forall y, F (Some [y]) == G y)
      by (intros y; unfold F; simpl some; rewrite finish_cut; apply finish_nil).
  - cbn [draft]. rewrite E_ret. cbn [visit]. fold c.
    assert (Hp : forall x, In x V -> 0 <= w * P c x).
    { intros x Hx. pose proof (proj1 (P_prob c) x Hx). nra. }
    assert (Hs : sum (fun y => w * P c y) V == w)
      by (rewrite sum_scal, (proj2 (P_prob c)); ring).
    pose proof (stop_value root w (fun y => w * P c y) F Hp (proj2 Hw) Hroot (Qeq_refl 0)) as Hv.
    rewrite Hs in Hv.
    transitivity ((w + 1 - w) * E (stop root w (fun y => w * P c y)) F); [ring|].
    rewrite Hv, (gen_cut V P P_prob), E_sample, <- sum_scal. apply sum_ext.
    intros y _. rewrite F1. unfold G. ring.
  - destruct (plan_feasible s w Hw) as (F1' & F2' & F3' & F4'). fold c in F4'.
    rewrite E_draft. set (stopped := E (stop root w (left s w)) F).
    rewrite (E_ext_in (offers s) _ (fun o => sum (fun x => share s w o x * G x) (tokens o)
      + (stopped * 1 + (- stopped) * sum (fun x => share s w o x * 1) (tokens o)))).
    + rewrite !E_plus, !E_scal, offers_mass.
      pose proof (F4' G) as H1. pose proof (F4' (fun _ => 1)) as H2. cbv beta in H2.
      assert (Hs1 : sum (fun x => P c x * 1) V == 1).
      { rewrite (sum_ext _ (P c)) by (intros; ring). apply P_prob. }
      assert (Hs2 : sum (fun x => left s w x * 1) V == sum (left s w) V)
        by (apply sum_ext; intros; ring).
      rewrite Hs1, Hs2 in H2.
      pose proof (stop_value root w (left s w) F F3' (proj2 Hw) Hroot (Qeq_refl 0)) as Hv.
      fold stopped in Hv.
      rewrite (sum_ext (fun y => left s w y * F (Some [y])) (fun y => left s w y * G y)) in Hv
        by (intros y _; now rewrite F1).
      set (S1 := E (offers s) (fun o => sum (fun x => share s w o x * G x) (tokens o))) in *.
      set (S2 := E (offers s) (fun o => sum (fun x => share s w o x * 1) (tokens o))) in *.
      set (L := sum (left s w) V) in *. set (LG := sum (fun y => left s w y * G y) V) in *.
      rewrite (gen_cut V P P_prob), E_sample. fold G.
      setoid_replace (S1 + (stopped * 1 + - stopped * S2)) with (S1 + (L + 1 - w) * stopped)
        by (setoid_replace S2 with (w - L) by lra; ring).
      rewrite Hv. exact H1.
    + intros o u Ho.
      rewrite (E_ext _ _ (fun ts => E (walk root s w o 1 ts) F))
        by (intros ts; rewrite visit_walk; reflexivity).
      pose proof (walk_value root d s w o F G stopped Hw (F1' o) (Qeq_refl _)) as Hwalk.
      assert (Hworth : worth d s o F G).
      { intros x a Hx Ha.
        rewrite (E_ext _ _ (fun t => E (visit false (child s o x) a t)
          (some (fun ys => E (finish V P (pred N) (context (child s o x)) ys) (cut N f x))))).
        - rewrite (IH false (child s o x) a (pred N) (cut N f x) Ha) by discriminate.
          rewrite child_context. reflexivity.
        - intros t. apply E_ext. rewrite child_context. intros [ys|]; [apply finish_cut|reflexivity]. }
      assert (Hkept : kept d s o).
      { intros x a Hx Ha.
        transitivity (a * E (gen V P 0 (context (child s o x))) (fun _ => 1));
          [|simpl; rewrite E_ret; ring].
        rewrite <- (IH false (child s o x) a 0%nat (fun _ => 1) Ha) by discriminate.
        apply E_ext. intros t. apply E_ext. intros [ys|]; simpl; [|reflexivity].
        now rewrite (finish_0 V P). }
      specialize (Hwalk Hworth Hkept (tokens o) 1 (tokens_in s o u Ho) (F2' o)).
      rewrite Qmult_1_l in Hwalk. rewrite Hwalk.
      rewrite (sum_ext (fun x => share s w o x * 1) (share s w o)) by (intros; ring). ring.
Qed.

Theorem planned_lossless depth s : lossless_at V P (context s) (planned depth s).
Proof.
  intros N f. unfold planned. rewrite E_bind, E_bind.
  rewrite (E_ext _ _ (fun t => E (visit true s 1 t)
    (some (fun ys => E (finish V P N (context s) ys) f)))).
  - rewrite (tree_value depth true s 1 N f) by (auto; lra || reflexivity). ring.
  - intros t. rewrite E_bind. apply E_ext. intros [ys|]; [e_ret|reflexivity].
Qed.
End Plans.

(** ** An instance: one child a node, and the plan min(w P, D) of block verification. *)
Section Chain.
Context {A : Type}.
Variable V : list A.
Variables P D : list A -> A -> Q.
Hypothesis P_prob : forall c, prob V (P c).
Hypothesis D_prob : forall c, prob V (D c).
Hypothesis P_nonneg : forall c x, 0 <= P c x.
Hypothesis D_nonneg : forall c x, 0 <= D c x.

Let wanted (c : list A) (w : Q) : A -> Q := fun x => w * P c x.
Let share (c : list A) (w : Q) (o x : A) : Q := Qmax 0 (ratio (wanted c w) (D c) x).
Let left (c : list A) (w : Q) : A -> Q := residual (wanted c w) (D c).

Theorem chain_plan_feasible c w : 0 <= w <= 1 ->
  feasible V P (fun c => c) (fun c => sample V (D c)) (fun x => [x]) share left c w.
Proof.
  intros Hw.
  assert (Hn : forall x, 0 <= wanted c w x).
  { intros x. unfold wanted. pose proof (P_nonneg c x). nra. }
  assert (Hr : forall x, 0 <= ratio (wanted c w) (D c) x <= 1)
    by (intros x; apply ratio_range; auto).
  assert (Hs : forall o x, share c w o x == ratio (wanted c w) (D c) x).
  { intros o x. unfold share. apply qmax_r, Hr. }
  split; [|split; [|split]].
  - intros o x. rewrite Hs. apply Hr.
  - intros o. simpl sum. rewrite Hs. destruct (Hr o). lra.
  - intros x _. apply residual_nonneg.
  - intros G. rewrite E_sample, <- sum_plus, <- sum_scal. apply sum_ext. intros x _.
    simpl sum. rewrite Hs. unfold left.
    pose proof (q_ratio (wanted c w) (D c) x (Hn x) (D_nonneg c x)) as Hq.
    pose proof (min_residual (wanted c w) (D c) x) as Hm.
    transitivity ((D c x * ratio (wanted c w) (D c) x + residual (wanted c w) (D c) x) * G x); [ring|].
    rewrite Hq, Hm. unfold wanted. ring.
Qed.

Corollary chain_plan_lossless K c : lossless_at V P c
  (planned V P (fun c => c) (fun c => sample V (D c)) (fun x => [x]) (fun c _ x => c ++ [x])
     share left K c).
Proof.
  assert (G : lossless_at V P ((fun c => c) c)
    (planned V P (fun c => c) (fun c => sample V (D c)) (fun x => [x]) (fun c _ x => c ++ [x])
       share left K c)).
  { apply planned_lossless; auto.
    - intros s. now apply sample_proper.
    - intros s o u Ho x [<-|[]]. apply in_map_iff in Ho as (y & Hy & HV). now inversion Hy; subst.
    - intros s w. apply chain_plan_feasible. }
  exact G.
Qed.
End Chain.
