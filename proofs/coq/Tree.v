(** * Tree: drafted trees, and how siblings come about.

    Every child carries the row it was drawn from, as in reference/proposal.py.  A
    drafter is given by the law of the siblings below each context; it is [fair] if
    each sibling is drawn from its own row, which may hang on the siblings before it,
    as may whether there is another one.  Independent siblings, siblings without
    replacement, fixed ones, hubs, and one draft model per sibling are all fair. *)
Require Import QArith Qminmax List Lqa Lia Arith.
Require Import SpecSim.Distribution SpecSim.Step SpecSim.Rounds.
Import ListNotations.
Open Scope Q_scope.

Section Tree.
Context {A : Type}.
Variable V : list A.
Implicit Types (c h : list A) (x y : A) (q row : A -> Q).

Inductive tree := Node (children : list (A * (A -> Q) * tree)).

Notation sibling := (A * (A -> Q))%type.

Inductive fair : dist (list sibling) -> Prop :=
  | fair_none : fair (ret [])
  | fair_next q (rest : A -> dist (list sibling)) :
      prob V q -> (forall x, fair (rest x)) ->
      fair (x <- sample V q ;; (l <- rest x ;; ret ((x, q) :: l)))
  | fair_same d d' : d =d= d' -> fair d -> fair d'.

Lemma fair_mass d : fair d -> E d (fun _ => 1) == 1.
Proof.
  induction 1 as [|q rest Hq _ IH|d d' Hd _ IH].
  - e_ret.
  - rewrite E_bind, (E_ext _ _ (fun _ => 1)); [now apply sample_proper|].
    intros x. rewrite E_bind, (E_ext _ _ (fun _ => 1)); [apply IH|]. e_ret.
  - now rewrite <- (Hd (fun _ => 1)).
Qed.

(** Independent subtrees below the siblings. *)
Fixpoint grow (below : A -> dist tree) (l : list sibling)
  : dist (list (A * (A -> Q) * tree)) :=
  match l with
  | [] => ret []
  | (x, q) :: r => t <- below x ;; (ks <- grow below r ;; ret ((x, q, t) :: ks))
  end.

(** [levels]: the law of the siblings below each context, depth by depth. *)
Definition level := list A -> dist (list sibling).
Fixpoint draft_tree (levels : list level) c : dist tree :=
  match levels with
  | [] => ret (Node [])
  | siblings :: deeper =>
      l <- siblings c ;;
      (ks <- grow (fun x => draft_tree deeper (c ++ [x])) l ;; ret (Node ks))
  end.
Definition fair_levels (levels : list level) :=
  forall siblings, In siblings levels -> forall c, fair (siblings c).

Lemma E_grow_cons below x q l f :
  E (grow below ((x, q) :: l)) f ==
  E (below x) (fun t => E (grow below l) (fun ks => f ((x, q, t) :: ks))).
Proof. cbn [grow]. rewrite E_bind. apply E_ext. intros t. rewrite E_bind. apply E_ext. e_ret. Qed.

Lemma mass_grow below l :
  (forall x, E (below x) (fun _ => 1) == 1) -> E (grow below l) (fun _ => 1) == 1.
Proof.
  intros H. induction l as [|[x q] l IH]; [cbn [grow]; e_ret|].
  rewrite E_grow_cons, (E_ext _ _ (fun _ => 1)); [apply H|]. intros _. exact IH.
Qed.

Lemma E_tree siblings deeper c f :
  E (draft_tree (siblings :: deeper) c) f ==
  E (siblings c) (fun l => E (grow (fun x => draft_tree deeper (c ++ [x])) l)
                             (fun ks => f (Node ks))).
Proof. cbn [draft_tree]. rewrite E_bind. apply E_ext. intros l. rewrite E_bind. apply E_ext. e_ret. Qed.

Lemma mass_tree levels : fair_levels levels ->
  forall c, E (draft_tree levels c) (fun _ => 1) == 1.
Proof.
  induction levels as [|siblings deeper IH]; intros H c; [cbn [draft_tree]; e_ret|].
  rewrite E_tree, (E_ext _ _ (fun _ => 1)).
  - apply fair_mass, H. now left.
  - intros l. apply mass_grow. intros x. apply IH. intros s Hs. apply H. now right.
Qed.

(** Trees by induction on their children. *)
Lemma tree_ind_in (H : tree -> Prop) :
  (forall ks, (forall x q t, In (x, q, t) ks -> H t) -> H (Node ks)) -> forall t, H t.
Proof.
  intros Hk. refine (fix F t : H t := match t with Node ks => Hk ks _ end).
  refine ((fix G ks : forall x q t, In (x, q, t) ks -> H t :=
    match ks with [] => _ | k :: r => _ end) ks).
  - intros ? ? ? [].
  - intros x q t' [Hin|Hin]; [|exact (G r x q t' Hin)].
    pose proof (F (snd k)) as Hs. rewrite Hin in Hs. exact Hs.
Defined.

Lemma E_grow_app below l m f :
  E (grow below (l ++ m)) f ==
  E (grow below l) (fun k1 => E (grow below m) (fun k2 => f (k1 ++ k2))).
Proof.
  revert f. induction l as [|[x q] l IH]; intros f; simpl app.
  - cbn [grow]. rewrite E_ret. reflexivity.
  - rewrite !E_grow_cons. apply E_ext. intros t. now rewrite IH.
Qed.

Lemma E_grow_one below x q f :
  E (grow below [(x, q)]) f == E (below x) (fun t => f [(x, q, t)]).
Proof. rewrite E_grow_cons. apply E_ext. intros t. cbn [grow]. now rewrite E_ret. Qed.

(** ** The last child first, as hubs are visited. *)
Definition last_first {B} (l : list B) : list B :=
  match rev l with [] => [] | k :: r => k :: rev r end.

Lemma last_first_app {B} (l : list B) k : last_first (l ++ [k]) = k :: l.
Proof. unfold last_first. rewrite rev_app_distr. simpl. now rewrite rev_involutive. Qed.

Lemma last_first_map {B C} (g : B -> C) l : last_first (map g l) = map g (last_first l).
Proof.
  unfold last_first. rewrite <- map_rev. destruct (rev l); [reflexivity|].
  simpl. now rewrite map_rev.
Qed.

Fixpoint drawn_first (t : tree) : tree :=
  match t with Node ks => Node (last_first (map (fun k => (fst k, drawn_first (snd k))) ks)) end.

Lemma E_grow_last_first below l f :
  E (grow below l) (fun ks => f (last_first ks)) == E (grow below (last_first l)) f.
Proof.
  destruct l as [|[x q] l _] using rev_ind.
  - change (last_first []) with (@nil sibling). cbn [grow]. rewrite !E_ret. reflexivity.
  - transitivity (E (grow below l) (fun k1 => E (below x) (fun t => f ((x, q, t) :: k1)))).
    + rewrite E_grow_app. apply E_ext. intros k1. rewrite E_grow_one. apply E_ext.
      intros t. now rewrite last_first_app.
    + rewrite last_first_app, E_grow_cons. apply E_swap.
Qed.

Lemma E_grow_map below below' (g : tree -> tree) l :
  (forall x f, E (below x) (fun t => f (g t)) == E (below' x) f) ->
  forall f, E (grow below l) (fun ks => f (map (fun k => (fst k, g (snd k))) ks))
            == E (grow below' l) f.
Proof.
  intros H. induction l as [|[x q] l IH]; intros f; [cbn [grow]; now rewrite !E_ret|].
  rewrite !E_grow_cons, <- H. apply E_ext. intros t. simpl map.
  exact (IH (fun ks => f ((x, q, g t) :: ks))).
Qed.

Definition levels_drawn_first (levels : list level) : list level :=
  map (fun siblings c => l <- siblings c ;; ret (last_first l)) levels.

(** Turning a drafted tree round is drafting it the other way round. *)
Lemma E_drawn_first levels : forall c f,
  E (draft_tree levels c) (fun t => f (drawn_first t))
  == E (draft_tree (levels_drawn_first levels) c) f.
Proof.
  induction levels as [|siblings deeper IH]; intros c f; simpl levels_drawn_first.
  - cbn [draft_tree]. now rewrite !E_ret.
  - rewrite !E_tree, E_bind. apply E_ext. intros l. rewrite E_ret.
    rewrite <- (E_grow_last_first _ l (fun ks => f (Node ks))).
    rewrite <- (E_grow_map (fun x => draft_tree deeper (c ++ [x])) _ drawn_first l)
      with (f := fun ks => f (Node (last_first ks))).
    + reflexivity.
    + intros x g. apply (IH (c ++ [x])).
Qed.

(** ** The kinds of drafts that the references know (reference/proposal.py). *)
Variable eqb : A -> A -> bool.

Inductive kind := fixed | iid | without_replacement | hub.

Definition without row y : A -> Q := fun x => if eqb x y then 0 else row x.
(** The likeliest token, the first in V of equals. *)
Definition likeliest (f : A -> Q) : option A :=
  match V with
  | [] => None
  | v :: r => Some (fold_left (fun b x => if Qle_bool (f x) (f b) then b else x) r v)
  end.
Definition all_on (o : option A) : A -> Q :=
  match o with Some x => onehot eqb x | None => fun _ => 0 end.

(** The row of the next sibling after [n] others, [row] being what is left to draw
    from; nothing when the support has run out. *)
Definition next_row k (width n : nat) row : option (A -> Q) :=
  if Qeq_bool (sum row V) 0 then None
  else
    let drawn := fun x => row x / sum row V in
    let certain := all_on (likeliest row) in
    match k with
    | fixed => Some certain
    | hub => Some (if Nat.ltb (S n) width then certain else drawn)
    | _ => Some drawn
    end.

Fixpoint siblings_from k (width todo n : nat) row : dist (list sibling) :=
  match todo with
  | O => ret []
  | S m =>
      match next_row k width n row with
      | None => ret []
      | Some q =>
          x <- sample V q ;;
          (l <- siblings_from k width m (S n) (match k with iid => row | _ => without row x end) ;;
           ret ((x, q) :: l))
      end
  end.
Definition siblings_of k width row := siblings_from k width width 0 row.

(** [branching]: the number of children, depth by depth. *)
Definition drafted k (rows : list A -> A -> Q) (branching : list nat) : list level :=
  map (fun width c => siblings_of k width (rows c)) branching.

Hypothesis eqb_eq : forall x y, eqb x y = true <-> x = y.
Hypothesis V_nodup : NoDup V.

Lemma likeliest_in f x : likeliest f = Some x -> In x V.
Proof.
  unfold likeliest. destruct V as [|v r]; [discriminate|]. intros H. inversion H; subst.
  clear. assert (G : forall l b, In (fold_left (fun b x => if Qle_bool (f x) (f b) then b else x) l b) (b :: l)).
  { induction l as [|z l IH]; intros b; simpl; [now left|].
    destruct (Qle_bool (f z) (f b)).
    - destruct (IH b) as [<-|H]; [now left|now right; right].
    - right. apply IH. }
  apply G.
Qed.

Lemma next_row_prob k width n row q :
  (forall x, In x V -> 0 <= row x) -> next_row k width n row = Some q -> prob V q.
Proof.
  intros Hn. unfold next_row.
  pose proof (sum_nonneg _ _ Hn) as Hs.
  destruct (Qeq_bool (sum row V) 0) eqn:Hz; [discriminate|]. apply Qeq_bool_neq in Hz.
  assert (Hd : prob V (fun x => row x / sum row V)).
  { split.
    - intros x Hx. apply Qle_shift_div_l; [lra|]. specialize (Hn x Hx). lra.
    - rewrite (sum_ext _ (fun x => / sum row V * row x)) by (intros; unfold Qdiv; ring).
      rewrite sum_scal. field. exact Hz. }
  assert (Hc : prob V (all_on (likeliest row))).
  { destruct (likeliest row) as [x|] eqn:Hl.
    - apply (onehot_prob V eqb eqb_eq V_nodup). exact (likeliest_in _ _ Hl).
    - unfold likeliest in Hl. destruct V; [|discriminate]. exfalso. apply Hz. reflexivity. }
  destruct k; [| | |destruct (Nat.ltb (S n) width)]; intros H; inversion H; subst; assumption.
Qed.

Lemma siblings_from_fair k width todo : forall n row,
  (forall x, In x V -> 0 <= row x) -> fair (siblings_from k width todo n row).
Proof.
  induction todo as [|m IH]; intros n row Hn; cbn [siblings_from]; [constructor|].
  destruct (next_row k width n row) as [q|] eqn:Hq; [|constructor].
  apply (fair_next q (fun x => siblings_from k width m (S n) (match k with iid => row | _ => without row x end))).
  - exact (next_row_prob k width n row q Hn Hq).
  - intros x. apply IH. intros z Hz. specialize (Hn z Hz).
    destruct k; unfold without; try destruct (eqb z x); lra.
Qed.

(** Every kind of draft is fair. *)
Theorem drafted_fair k rows branching :
  (forall c x, In x V -> 0 <= rows c x) -> fair_levels (drafted k rows branching).
Proof.
  intros H s Hs c. apply in_map_iff in Hs as (width & <- & _).
  apply siblings_from_fair, H.
Qed.

(** ** Hubs: all siblings certain but the last, which is drawn from its own row. *)
Definition certain (l : list sibling) :=
  Forall (fun s => exists f, In f V /\ s = (f, onehot eqb f)) l.

Lemma E_certain f g : In f V -> E (sample V (onehot eqb f)) g == g f.
Proof.
  intros Hf. rewrite E_sample.
  rewrite (sum_ext _ (fun x => g x * ind (eqb x f))) by (intros; unfold onehot; ring).
  now apply (sum_pick V eqb eqb_eq V_nodup).
Qed.

Lemma certain_fair l : certain l -> fair (ret l).
Proof.
  induction 1 as [|s l [f [Hf ->]] _ IH]; [constructor|].
  apply (fair_same (x <- sample V (onehot eqb f) ;; (r <- ret l ;; ret ((x, onehot eqb f) :: r)))).
  - intros g. rewrite E_bind, (E_certain f _ Hf), E_bind, !E_ret. reflexivity.
  - apply (fair_next _ (fun _ => ret l)); [|intros; exact IH].
    now apply (onehot_prob V eqb eqb_eq V_nodup).
Qed.

Definition hub_siblings (d : dist (list sibling)) :=
  d =d= ret [] \/
  exists fixed q, certain fixed /\ prob V q /\
    d =d= (x <- sample V q ;; ret (fixed ++ [(x, q)])).

Lemma certain_hub l : certain l -> hub_siblings (ret l).
Proof.
  destruct l as [|s l _] using rev_ind; [now left|]. intros H. right.
  apply Forall_app in H as [Hl Hs]. inversion Hs as [|? ? [f [Hf ->]] _]; subst.
  exists l, (onehot eqb f). split; [exact Hl|split].
  - now apply (onehot_prob V eqb eqb_eq V_nodup).
  - intros g. rewrite E_bind, (E_certain f _ Hf). reflexivity.
Qed.

Lemma hub_same d d' : d =d= d' -> hub_siblings d' -> hub_siblings d.
Proof.
  intros H [H'|(fx & q & H1 & H2 & H')].
  - left. eapply same_law_trans; eassumption.
  - right. exists fx, q. split; [|split]; auto. eapply same_law_trans; eassumption.
Qed.

Lemma hub_siblings_from width todo : forall n row before,
  (todo + n = width)%nat -> (forall x, In x V -> 0 <= row x) -> certain before ->
  hub_siblings (l <- siblings_from hub width todo n row ;; ret (before ++ l)).
Proof.
  induction todo as [|m IH]; intros n row before Hw Hn Hb; cbn [siblings_from].
  - apply (hub_same _ (ret before)); [|now apply certain_hub].
    intros g. rewrite E_bind, !E_ret. now rewrite app_nil_r.
  - destruct (next_row hub width n row) as [q|] eqn:Hq.
    2:{ apply (hub_same _ (ret before)); [|now apply certain_hub].
        intros g. rewrite E_bind, !E_ret. now rewrite app_nil_r. }
    pose proof (next_row_prob hub width n row q Hn Hq) as Hp.
    unfold next_row in Hq. destruct (Qeq_bool (sum row V) 0); [discriminate|].
    destruct (Nat.ltb (S n) width) eqn:Hlt.
    + destruct (likeliest row) as [f|] eqn:Hf.
      2:{ exfalso. unfold likeliest in Hf. destruct V; [|discriminate].
          destruct Hp as [_ Hp]. simpl in Hp. lra. }
      pose proof (likeliest_in _ _ Hf) as Hin. simpl all_on in Hq. inversion Hq; subst q.
      eapply hub_same; [|apply (IH (S n) (without row f) (before ++ [(f, onehot eqb f)]))].
      * intros g. rewrite !E_bind, (E_certain f _ Hin), E_bind. apply E_ext. intros l.
        rewrite !E_ret. now rewrite <- app_assoc.
      * lia.
      * intros z Hz. unfold without. specialize (Hn z Hz). destruct (eqb z f); lra.
      * apply Forall_app. split; [exact Hb|]. constructor; [|constructor]. eauto.
    + apply Nat.ltb_ge in Hlt. assert (m = 0)%nat as -> by lia. cbn [siblings_from].
      right. exists before, q. split; [exact Hb|split; [exact Hp|]].
      intros g. rewrite !E_bind. apply E_ext. intros x. rewrite E_bind, !E_ret. reflexivity.
Qed.

Lemma hubs_drafted rows branching :
  (forall c x, In x V -> 0 <= rows c x) ->
  forall s, In s (drafted hub rows branching) -> forall c, hub_siblings (s c).
Proof.
  intros H s Hs c. apply in_map_iff in Hs as (width & <- & _).
  eapply hub_same; [|apply (hub_siblings_from width width 0 (rows c) [])].
  - intros g. unfold siblings_of. rewrite E_bind. apply E_ext. intros l. now rewrite E_ret.
  - lia.
  - apply H.
  - constructor.
Qed.

(** A hub is fair the other way round too: the drawn sibling first. *)
Lemma hub_last_first_fair d : hub_siblings d -> fair (l <- d ;; ret (last_first l)).
Proof.
  intros [H|(fx & q & H1 & H2 & H)].
  - apply (fair_same (ret [])); [|constructor].
    intros g. rewrite E_bind, (H (fun l => E (ret (last_first l)) g)), !E_ret. reflexivity.
  - apply (fair_same (x <- sample V q ;; (r <- ret fx ;; ret ((x, q) :: r)))).
    + intros g. rewrite (E_bind d), (H (fun l => E (ret (last_first l)) g)), !E_bind.
      apply E_ext. intros x. rewrite E_bind, !E_ret, last_first_app. reflexivity.
    + apply (fair_next q (fun _ => ret fx)); [exact H2|]. intros _. now apply certain_fair.
Qed.

Theorem hubs_drawn_first_fair rows branching :
  (forall c x, In x V -> 0 <= rows c x) ->
  fair_levels (levels_drawn_first (drafted hub rows branching)).
Proof.
  intros H s Hs c. apply in_map_iff in Hs as (s' & <- & Hs).
  apply hub_last_first_fair. eapply hubs_drafted; eassumption.
Qed.
End Tree.
Arguments Node {A}.
