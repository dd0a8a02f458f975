(** * Transport: a drafted tree judged as a whole, from the leaves up, is lossless.

    reference/verify/greedy_transport.py; docs/conditional_transport.md.  [visit c w t]
    keeps something at or below the node with odds exactly w, averaged over the draft
    below, and what it emits then has the target's law: that holds for every fair
    draft, whatever the order of visiting, as long as each child was drawn from its row
    given those visited before it.  Hubs are visited drawn child first; a chain is the
    tree with one child a node, and then this is block verification. *)
Require Import QArith Qminmax List Lqa Lia Arith.
Require Import SpecSim.Distribution SpecSim.Step SpecSim.Rounds SpecSim.Tree.
Import ListNotations.
Open Scope Q_scope.

Section Transport.
Context {A : Type}.
Variable V : list A.
Variable P : list A -> A -> Q.
Implicit Types (c : list A) (w refused : Q) (left : A -> Q).

Fixpoint visit (root : bool) c w (t : tree) : dist (option (list A)) :=
  match t with
  | Node children =>
      let refused := 1 - w in
      (fix walk (left : A -> Q) (ks : list (A * (A -> Q) * tree)) : dist (option (list A)) :=
         match ks with
         | [] =>
             b <- coin (if root then 1 else sum left V / (sum left V + refused)) ;;
             if b then (y <- draw V left ;; ret (Some [y])) else ret None
         | (x, q, t') :: others =>
             let offered := fun y => (sum left V + refused) * q y in
             below <- visit false (c ++ [x]) (ratio left offered x) t' ;;
             match below with
             | Some ys => ret (Some (x :: ys))
             | None => walk (residual left offered) others
             end
         end) (fun y => w * P c y) children
  end.

Definition verify c (t : tree) : dist (list A) :=
  r <- visit true c 1 t ;; match r with Some ys => ret ys | None => fail end.

Definition transport levels c : dist (list A) := t <- draft_tree levels c ;; verify c t.

Definition some {B} (g : B -> Q) (r : option B) : Q :=
  match r with Some b => g b | None => 0 end.

Definition walk (root : bool) c refused :=
  fix walk (left : A -> Q) (ks : list (A * (A -> Q) * tree)) : dist (option (list A)) :=
    match ks with
    | [] =>
        b <- coin (if root then 1 else sum left V / (sum left V + refused)) ;;
        if b then (y <- draw V left ;; ret (Some [y])) else ret None
    | (x, q, t') :: others =>
        let offered := fun y => (sum left V + refused) * q y in
        below <- visit false (c ++ [x]) (ratio left offered x) t' ;;
        match below with
        | Some ys => ret (Some (x :: ys))
        | None => walk (residual left offered) others
        end
    end.

Lemma visit_walk (root : bool) c w ks :
  visit root c w (Node ks) = walk root c (1 - w) (fun y => w * P c y) ks.
Proof. reflexivity. Qed.

(** ** One level: what is left to serve, spread over fair siblings.

    [value left l] is what a test function is worth when the siblings l are still to be
    visited: child y, visited with weight a, keeps with odds a and is then worth G y. *)
Section OneLevel.
Variable refused : Q.
Hypothesis refused_nonneg : 0 <= refused.
Variable G : A -> Q.
Variable value : (A -> Q) -> list (A * (A -> Q)) -> Q.
Definition offer left q : A -> Q := fun y => (sum left V + refused) * q y.
Hypothesis value_end : forall left, (forall x, In x V -> 0 <= left x) ->
  value left [] == sum (fun y => left y * G y) V / (sum left V + refused).
Hypothesis value_next : forall left x q (rest : dist (list (A * (A -> Q)))),
  In x V -> 0 <= ratio left (offer left q) x <= 1 -> E rest (fun _ => 1) == 1 ->
  E rest (fun l => value left ((x, q) :: l)) ==
  ratio left (offer left q) x * G x
  + (1 - ratio left (offer left q) x) * E rest (value (residual left (offer left q))).

Lemma empty_worthless left : (forall x, In x V -> 0 <= left x) ->
  sum left V + refused == 0 -> sum (fun y => left y * G y) V == 0.
Proof.
  intros Hl H. pose proof (sum_nonneg _ _ Hl) as Hs.
  rewrite <- (sum_0 V). apply sum_ext. intros x Hx.
  rewrite (sum_zero_inv left V Hl) by (auto; lra). ring.
Qed.

(** Neither the order of visits nor their number changes the value. *)
Lemma level_value siblings : fair V siblings -> forall left,
  (forall x, In x V -> 0 <= left x) ->
  (sum left V + refused) * E siblings (value left) == sum (fun y => left y * G y) V.
Proof.
  induction 1 as [|q rest Hq Hrest IH|d d' Hd _ IH]; intros left Hl.
  - rewrite E_ret, (value_end left Hl). set (room := sum left V + refused).
    destruct (Qeq_dec room 0) as [H|H].
    + rewrite (empty_worthless left Hl H), H. ring.
    + field. exact H.
  - set (room := sum left V + refused). set (offered := offer left q).
    pose proof (sum_nonneg _ _ Hl) as Hs.
    assert (Hroom : 0 <= room) by (unfold room; lra).
    assert (Hoff : forall x, In x V -> 0 <= offered x).
    { intros x Hx. unfold offered, offer. pose proof (proj1 Hq x Hx). fold room. nra. }
    set (left' := residual left offered).
    assert (Hl' : forall x, In x V -> 0 <= left' x) by (intros; apply residual_nonneg).
    set (room' := sum left' V + refused).
    assert (Hroom' : room' == room - overlap V left offered).
    { unfold room', room, left'. pose proof (overlap_refusal V left offered) as Ho.
      unfold refusal in Ho. lra. }
    assert (Hov : sum (fun x => offered x * ratio left offered x) V == overlap V left offered)
      by (apply sum_q_ratio; assumption).
    assert (Hmass : sum (fun x => offered x * (1 - ratio left offered x)) V == room').
    { rewrite (sum_ext _ (fun x => room * q x + (- (1)) * (offered x * ratio left offered x)))
        by (intros; unfold offered, offer; fold room; ring).
      rewrite sum_plus, !sum_scal, Hov, (proj2 Hq), Hroom'. ring. }
    set (R := sum (fun y => left' y * G y) V).
    rewrite E_bind, E_sample, <- sum_scal.
    rewrite (sum_ext _ (fun x => offered x * (ratio left offered x * G x)
       + offered x * (1 - ratio left offered x) * E (rest x) (value left'))).
    2:{ intros x Hx. rewrite E_bind.
        rewrite (E_ext _ _ (fun l => value left ((x, q) :: l))) by (intros; e_ret).
        rewrite (value_next left x q (rest x) Hx).
        - fold offered. fold left'. set (a := ratio left offered x).
          change (offered x) with (room * q x). ring.
        - apply ratio_range; [now apply Hl|now apply Hoff].
        - apply (fair_mass V), Hrest. }
    rewrite sum_plus.
    (* what the refusals are worth *)
    assert (HR : sum (fun x => offered x * (1 - ratio left offered x) * E (rest x) (value left')) V == R).
    { destruct (Qeq_dec room' 0) as [H0|H0].
      - assert (HR0 : R == 0) by (apply empty_worthless; assumption).
        rewrite HR0, <- (sum_0 V). apply sum_ext. intros x Hx.
        rewrite (sum_zero_inv (fun x => offered x * (1 - ratio left offered x)) V) with (x := x);
          [ring| |rewrite Hmass; exact H0|exact Hx].
        intros z Hz. pose proof (ratio_range left offered z (Hl z Hz) (Hoff z Hz)).
        pose proof (Hoff z Hz). nra.
      - rewrite (sum_ext _ (fun x => (R / room') * (offered x * (1 - ratio left offered x)))).
        + rewrite sum_scal, Hmass. field. exact H0.
        + intros x Hx. pose proof (IH x left' Hl') as H. fold room' R in H.
          rewrite <- H. field. exact H0. }
    rewrite HR. unfold R. rewrite <- sum_plus. apply sum_ext. intros x Hx.
    setoid_replace (offered x * (ratio left offered x * G x)) with (Qmin (left x) (offered x) * G x).
    + transitivity ((Qmin (left x) (offered x) + left' x) * G x); [ring|].
      unfold left'. now rewrite min_residual.
    + rewrite <- (q_ratio left offered x) by auto. ring.
  - rewrite <- (Hd (value left)). now apply IH.
Qed.
End OneLevel.

(** ** Whole trees. *)
Lemma E_walk_nil (root : bool) c refused left (F : option (list A) -> Q) :
  let h := if root then 1 else sum left V / (sum left V + refused) in
  E (walk root c refused left []) F == h * E (draw V left) (fun y => F (Some [y])) + (1 - h) * F None.
Proof.
  cbv zeta. cbn [walk]. rewrite E_bind, E_coin, E_ret, E_bind.
  rewrite (E_ext (draw V left) _ (fun y => F (Some [y]))) by e_ret. reflexivity.
Qed.

Lemma E_walk_cons (root : bool) c refused left x q t ks F :
  let offered := offer refused left q in
  E (walk root c refused left ((x, q, t) :: ks)) F ==
  E (visit false (c ++ [x]) (ratio left offered x) t) (fun r => match r with
    | Some ys => F (Some (x :: ys))
    | None => E (walk root c refused (residual left offered) ks) F
    end).
Proof.
  cbv zeta. cbn [walk]. rewrite E_bind. apply E_ext. intros [ys|]; [e_ret|reflexivity].
Qed.

(** Below the root no mass is ever lost, whatever the tree. *)
Lemma mass_visit t : forall c w, E (visit false c w t) (fun _ => 1) == 1.
Proof.
  induction t as [ks IH] using tree_ind_in. intros c w. rewrite visit_walk.
  generalize (fun y => w * P c y). induction ks as [|[[x q] t] ks IHks]; intros left.
  - rewrite E_walk_nil, E_draw.
    assert (Hs : sum (fun y => left y * 1) V == sum left V) by (apply sum_ext; intros; ring).
    cbv beta. rewrite Hs.
    destruct (Qeq_dec (sum left V) 0) as [H|H].
    + rewrite H. unfold Qdiv. ring.
    + setoid_replace (sum left V / sum left V) with 1 by (field; exact H). ring.
  - rewrite E_walk_cons, (E_ext _ _ (fun _ => 1)); [apply (IH x q t); now left|].
    intros [ys|]; [reflexivity|]. apply IHks. intros x' q' t' Hin. apply (IH x' q' t'). now right.
Qed.

Hypothesis P_prob : forall c, prob V (P c).

Lemma mass_gen_0 c x : E (gen V P 0 (c ++ [x])) (cut 0 (fun _ => 1) x) == 1.
Proof. simpl. now rewrite E_ret. Qed.

Definition below_value N (below : A -> dist tree) c f :=
  forall x a, In x V -> 0 <= a <= 1 ->
  E (below x) (fun t => E (visit false (c ++ [x]) a t)
    (some (fun ys => E (finish V P (pred N) (c ++ [x]) ys) (cut N f x))))
  == a * E (gen V P (pred N) (c ++ [x])) (cut N f x).

(** The value of a node, its children not yet drafted. *)
Lemma node_value (root : bool) c w N f siblings below :
  0 <= w <= 1 -> (root = true -> w == 1) -> fair V siblings ->
  (forall x, E (below x) (fun _ => 1) == 1) -> below_value N below c f ->
  below_value 0 below c (fun _ => 1) ->
  E siblings (fun l => E (grow below l) (fun ks => E (visit root c w (Node ks))
    (some (fun ys => E (finish V P N c ys) f))))
  == w * E (gen V P N c) f.
Proof.
  intros Hw Hroot Hfair Hm Hbelow Hkept.
  set (G := fun y => E (gen V P (pred N) (c ++ [y])) (cut N f y)).
  set (F := some (fun ys => E (finish V P N c ys) f)).
  assert (F1 : forall y, F (Some [y]) == G y).
  { intros y. unfold F. simpl some. rewrite finish_cut. apply finish_nil. }
  set (value := fun left l => E (grow below l) (fun ks => E (walk root c (1 - w) left ks) F)).
  assert (Hp : forall x, In x V -> 0 <= w * P c x).
  { intros x Hx. pose proof (proj1 (P_prob c) x Hx). nra. }
  assert (Hs : sum (fun y => w * P c y) V == w)
    by (rewrite sum_scal, (proj2 (P_prob c)); ring).
  transitivity (E siblings (value (fun y => w * P c y))); [reflexivity|].
  transitivity ((sum (fun y => w * P c y) V + (1 - w)) * E siblings (value (fun y => w * P c y)));
    [rewrite Hs; ring|].
  rewrite (level_value (1 - w)) with (G := G); try assumption; [|lra| |].
  - rewrite (gen_cut V P P_prob), E_sample, <- sum_scal. apply sum_ext. intros; unfold G; ring.
  - intros left Hl. unfold value. cbn [grow]. rewrite E_ret, E_walk_nil, E_draw.
    rewrite (sum_ext (fun y => left y * F (Some [y])) (fun y => left y * G y))
      by (intros; rewrite F1; reflexivity).
    change (F None) with 0. set (g := sum (fun y => left y * G y) V). set (l := sum left V).
    destruct root.
    + rewrite (Hroot eq_refl). setoid_replace (l + (1 - 1)) with l by ring. ring.
    + destruct (Qeq_dec l 0) as [H|H].
      * assert (Hg : g == 0).
        { unfold g. rewrite <- (sum_0 V). apply sum_ext. intros y Hy.
          rewrite (sum_zero_inv left V Hl H y Hy). ring. }
        rewrite Hg. unfold Qdiv. ring.
      * unfold Qdiv. transitivity (g * (l * / l) * / (l + (1 - w))); [ring|].
        rewrite Qmult_inv_r by exact H. ring.
  - intros left x q rest Hx Ha Hrest. unfold value.
    set (a := ratio left (offer (1 - w) left q) x) in *.
    set (left' := residual left (offer (1 - w) left q)).
    rewrite (E_ext rest _ (fun l => a * G x +
      (1 - a) * E (grow below l) (fun ks => E (walk root c (1 - w) left' ks) F))).
    + rewrite E_plus, E_const, E_scal, Hrest. ring.
    + intros l. rewrite E_grow_cons.
      set (later := E (grow below l) (fun ks => E (walk root c (1 - w) left' ks) F)).
      set (K := fun ys => E (finish V P (pred N) (c ++ [x]) ys) (cut N f x)).
      rewrite (E_ext (below x) _ (fun t => E (visit false (c ++ [x]) a t) (some K)
         + (later + (- later) * E (visit false (c ++ [x]) a t) (some (fun _ => 1))))).
      * assert (Hk : E (below x) (fun t => E (visit false (c ++ [x]) a t) (some (fun _ => 1))) == a).
        { transitivity (a * E (gen V P 0 (c ++ [x])) (cut 0 (fun _ => 1) x));
            [|rewrite mass_gen_0; ring].
          etransitivity; [|exact (Hkept x a Hx Ha)].
          apply E_ext. intros t. apply E_ext. intros [ys|]; simpl; [|reflexivity].
          now rewrite (finish_0 V P). }
        rewrite !E_plus, E_scal, E_const, Hm, Hk. unfold K. rewrite (Hbelow x a Hx Ha).
        unfold G. ring.
      * intros t. rewrite (E_ext (grow below l) _ (fun ks => E (visit false (c ++ [x]) a t)
          (fun r => match r with
            | Some ys => F (Some (x :: ys))
            | None => E (walk root c (1 - w) left' ks) F
            end))) by (intros ks; apply E_walk_cons).
        rewrite E_swap.
        rewrite (E_ext _ _ (fun r => some K r + (later * 1 + (- later) * some (fun _ => 1) r))).
        -- rewrite !E_plus, !E_scal, mass_visit. ring.
        -- intros [ys|]; simpl some.
           ++ rewrite E_const, (mass_grow below l Hm). unfold F, K. simpl some.
              rewrite finish_cut. ring.
           ++ fold later. ring.
Qed.

Lemma tree_value levels : fair_levels V levels -> forall c w N f, 0 <= w <= 1 ->
  E (draft_tree levels c) (fun t => E (visit false c w t)
    (some (fun ys => E (finish V P N c ys) f))) == w * E (gen V P N c) f.
Proof.
  induction levels as [|siblings deeper IH]; intros Hf c w N f Hw.
  - cbn [draft_tree]. rewrite E_ret, visit_walk, E_walk_nil, E_draw. change (some _ None) with 0.
    rewrite (gen_cut V P P_prob), E_sample.
    assert (Hs : sum (fun y => w * P c y) V == w)
      by (rewrite sum_scal, (proj2 (P_prob c)); ring).
    rewrite Hs.
    rewrite (sum_ext _ (fun y => w * (P c y * E (gen V P (pred N) (c ++ [y])) (cut N f y)))).
    + rewrite sum_scal. destruct (Qeq_dec w 0) as [H|H]; [rewrite H; unfold Qdiv; ring|].
      field. split; [lra|exact H].
    + intros y _. simpl some. rewrite finish_cut, (finish_nil V P). ring.
  - assert (Hd : fair_levels V deeper) by (intros s Hs; apply Hf; now right).
    rewrite E_tree. apply node_value; try assumption; try discriminate.
    + apply Hf. now left.
    + intros; now apply (mass_tree V).
    + intros x a Hx Ha. now apply IH.
    + intros x a Hx Ha. now apply IH.
Qed.
Lemma E_verify c t f : E (verify c t) f == E (visit true c 1 t) (some f).
Proof. unfold verify. rewrite E_bind. apply E_ext. intros [ys|]; [e_ret|reflexivity]. Qed.

(** The block has the target's law, for every fair draft of any depth and width. *)
Theorem transport_lossless levels : fair_levels V levels ->
  forall c, lossless_at V P c (transport levels c).
Proof.
  intros Hf c N f. unfold transport. rewrite E_bind, E_bind.
  rewrite (E_ext _ _ (fun t => E (visit true c 1 t) (some (fun ys => E (finish V P N c ys) f))))
    by (intros; apply E_verify).
  assert (H1 : 0 <= 1 <= 1) by lra.
  destruct levels as [|siblings deeper].
  - cbn [draft_tree]. rewrite E_ret, visit_walk, E_walk_nil, E_draw.
    rewrite (gen_cut V P P_prob), E_sample.
    assert (Hs : sum (fun y => 1 * P c y) V == 1)
      by (rewrite sum_scal, (proj2 (P_prob c)); ring).
    rewrite Hs.
    rewrite (sum_ext _ (fun y => P c y * E (gen V P (pred N) (c ++ [y])) (cut N f y))).
    + field.
    + intros y _. simpl some. rewrite finish_cut, (finish_nil V P). ring.
  - assert (Hd : fair_levels V deeper) by (intros s Hs; apply Hf; now right).
    rewrite E_tree. rewrite (node_value true c 1 N f); try assumption; try reflexivity.
    + ring.
    + apply Hf. now left.
    + intros; now apply (mass_tree V).
    + intros x a Hx Ha. now apply tree_value.
    + intros x a Hx Ha. now apply tree_value.
Qed.

(** ** The rule of the reference: the drawn child first, then the fixed ones. *)
Definition greedy_transport levels c : dist (list A) :=
  t <- draft_tree levels c ;; verify c (drawn_first t).

Theorem greedy_transport_lossless levels : fair_levels V (levels_drawn_first levels) ->
  forall c, lossless_at V P c (greedy_transport levels c).
Proof.
  intros H c. apply (lossless_same V P c (transport (levels_drawn_first levels) c)).
  - intros f. unfold transport, greedy_transport. rewrite !E_bind.
    symmetry. apply (E_drawn_first levels c (fun t => E (verify c t) f)).
  - now apply transport_lossless.
Qed.

Theorem greedy_transport_on_hubs (eqb : A -> A -> bool) rows branching :
  (forall x y, eqb x y = true <-> x = y) -> NoDup V ->
  (forall c x, In x V -> 0 <= rows c x) ->
  forall c, lossless_at V P c (greedy_transport (drafted V eqb hub rows branching) c).
Proof.
  intros H1 H2 H3. apply greedy_transport_lossless. now apply hubs_drawn_first_fair.
Qed.
(** ** Whole runs. *)
Lemma visit_nonempty t root : forall c w ys v, In (Some ys, v) (visit root c w t) -> ys <> [].
Proof.
  destruct t as [ks]. intros c w ys v. rewrite visit_walk. generalize (fun y => w * P c y).
  revert v. induction ks as [|[[x q] t] ks IH]; intros v left; cbn [walk]; intros H.
  - apply In_bind in H as ([|] & u & u' & _ & H).
    + apply In_bind in H as (y & u1 & u2 & _ & [H|[]]). inversion H; discriminate.
    + destruct H as [H|[]]. discriminate.
  - apply In_bind in H as ([zs|] & u & u' & _ & H); [|exact (IH _ _ H)].
    destruct H as [H|[]]. inversion H; discriminate.
Qed.

Lemma verify_nonempty t c ys v : In (ys, v) (verify c t) -> ys <> [].
Proof.
  intros H. apply In_bind in H as ([zs|] & u & u' & Hin & H); [|contradiction].
  destruct H as [H|[]]. inversion H; subst. eapply visit_nonempty, Hin.
Qed.

Theorem greedy_transport_run_lossless (levels : list A -> list level) N c :
  (forall c, fair_levels V (levels_drawn_first (levels c))) ->
  decode (fun c => greedy_transport (levels c) c) N N c =d= gen V P N c.
Proof.
  intros Hf. apply decode_lossless.
  - intros c'. now apply greedy_transport_lossless.
  - intros c' ys w H. apply In_bind in H as (t & u & u' & _ & H). eapply verify_nonempty, H.
Qed.
End Transport.
