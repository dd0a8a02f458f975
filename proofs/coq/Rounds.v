(** * Rounds: what losslessness means, and why rounds may be chained.

    A context is the list of all tokens so far; a model is a function from the
    context to a probability vector, and may depend on all of it.  A round takes a
    context and emits a block of tokens.  It is lossless if the block, continued by
    the target to N tokens (cut, if it is longer), has the law of N tokens sampled
    from the target, whatever N. *)
Require Import QArith Qminmax List Lqa Lia Arith.
Require Import SpecSim.Distribution SpecSim.Step.
Import ListNotations.
Open Scope Q_scope.

Ltac e_ret := intros; cbv beta; rewrite E_ret; reflexivity.

(** What comes out of [bind] came out of the continuation. *)
Lemma In_bind {B C} (d : dist B) (k : B -> dist C) y v :
  In (y, v) (bind d k) -> exists x u u', In (x, u') d /\ In (y, u) (k x).
Proof.
  induction d as [|[x u] d IH]; simpl; intros Hin; [contradiction|].
  apply in_app_or in Hin as [Hin|Hin].
  - apply in_map_iff in Hin as [[z t] [Heq Hin]]. inversion Heq; subst. eauto 6.
  - destruct (IH Hin) as (a & b & b' & H1 & H2). eauto 6.
Qed.

Section Target.
Context {A : Type}.
Variable V : list A.
Variable P : list A -> A -> Q.                      (* the target model *)
Hypothesis P_prob : forall c, prob V (P c).
Implicit Types (c xs ys zs : list A).

(** What we must reproduce: N tokens sampled one by one from the target. *)
Fixpoint gen (N : nat) c : dist (list A) :=
  match N with
  | O => ret []
  | S m => y <- sample V (P c) ;; (ys <- gen m (c ++ [y]) ;; ret (y :: ys))
  end.

(** A block [ys] completed to N tokens by the target itself; if the block is
    already longer than N it is cut. *)
Definition finish (N : nat) c ys : dist (list A) :=
  zs <- gen (N - length ys) (c ++ ys) ;; ret (firstn N ys ++ zs).

(** The claim that every rule is measured by. *)
Definition lossless_at c (block : dist (list A)) :=
  forall N, bind block (finish N c) =d= gen N c.

Lemma mass_P c : E (sample V (P c)) (fun _ => 1) == 1.
Proof. apply sample_proper, P_prob. Qed.

Lemma mass_gen N : forall c, E (gen N c) (fun _ => 1) == 1.
Proof.
  induction N as [|m IH]; intros c; simpl; [e_ret|].
  rewrite E_bind, (E_ext _ _ (fun _ => 1)); [apply mass_P|].
  intros y. rewrite E_bind, (E_ext _ _ (fun _ => 1)); [apply IH|].
  intros ys. e_ret.
Qed.

Lemma E_gen_S m c f :
  E (gen (S m) c) f ==
  E (sample V (P c)) (fun y => E (gen m (c ++ [y])) (fun ys => f (y :: ys))).
Proof.
  simpl. rewrite E_bind. apply E_ext. intros y. rewrite E_bind. apply E_ext.
  intros ys. e_ret.
Qed.

Lemma E_finish N c ys f :
  E (finish N c ys) f == E (gen (N - length ys) (c ++ ys)) (fun zs => f (firstn N ys ++ zs)).
Proof. unfold finish. rewrite E_bind. apply E_ext. intros zs. e_ret. Qed.

Lemma finish_0 c ys f : E (finish 0 c ys) f == f [].
Proof. rewrite E_finish. simpl. now rewrite E_ret. Qed.

Lemma finish_cons m c y ys f :
  E (finish (S m) c (y :: ys)) f == E (finish m (c ++ [y]) ys) (fun zs => f (y :: zs)).
Proof.
  rewrite !E_finish. simpl. rewrite <- app_assoc. reflexivity.
Qed.

Lemma finish_nil N c f : E (finish N c []) f == E (gen N c) f.
Proof.
  rewrite E_finish. simpl. rewrite Nat.sub_0_r, app_nil_r.
  apply E_ext. intros zs. rewrite firstn_nil. reflexivity.
Qed.

(** [gen] is the target's joint law: a given sequence has probability
    P(x1 | c) P(x2 | c x1) ... *)
Section Joint.
Variable eqb : A -> A -> bool.
Hypothesis eqb_eq : forall x y, eqb x y = true <-> x = y.
Hypothesis V_nodup : NoDup V.
Fixpoint leqb (a b : list A) : bool :=
  match a, b with
  | [], [] => true
  | x :: a', y :: b' => eqb x y && leqb a' b'
  | _, _ => false
  end.
Fixpoint joint c xs : Q :=
  match xs with [] => 1 | x :: xs' => P c x * joint (c ++ [x]) xs' end.

Theorem target_joint xs : forall c, (forall x, In x xs -> In x V) ->
  Pr (gen (length xs) c) (leqb xs) == joint c xs.
Proof.
  induction xs as [|x xs IH]; intros c Hin; unfold Pr; cbn [length joint].
  - cbn [gen]. rewrite E_ret. reflexivity.
  - rewrite E_gen_S, E_sample.
    rewrite (sum_ext _ (fun y => (P c y * Pr (gen (length xs) (c ++ [y])) (leqb xs)) * ind (eqb y x))).
    + rewrite (sum_pick V eqb eqb_eq V_nodup
        (fun y => P c y * Pr (gen (length xs) (c ++ [y])) (leqb xs)) x) by (apply Hin; now left).
      rewrite IH by (intros; apply Hin; now right). reflexivity.
    + intros y _. cbn [leqb]. unfold Pr.
      assert (Hs : eqb x y = eqb y x).
      { destruct (eqb x y) eqn:H1, (eqb y x) eqn:H2; auto.
        - apply eqb_eq in H1; subst. rewrite (proj2 (eqb_eq y y) eq_refl) in H2; discriminate.
        - apply eqb_eq in H2; subst. rewrite (proj2 (eqb_eq x x) eq_refl) in H1; discriminate. }
      transitivity (P c y * E (gen (length xs) (c ++ [y]))
                              (fun ys => ind (eqb y x) * ind (leqb xs ys))); [|rewrite E_scal; ring].
      apply Qmult_comp; [reflexivity|]. apply E_ext. intros ys.
      rewrite Hs. destruct (eqb y x); simpl; ring.
Qed.
End Joint.

(** A block that is lossless has probability one in all: nothing got lost. *)
Lemma lossless_mass c block : lossless_at c block -> E block (fun _ => 1) == 1.
Proof.
  intros H. transitivity (E (gen 0 c) (fun _ => 1)); [|apply mass_gen].
  rewrite <- (H 0%nat (fun _ => 1)), E_bind. apply E_ext. intros ys. now rewrite finish_0.
Qed.

Lemma lossless_same c b1 b2 : b1 =d= b2 -> lossless_at c b1 -> lossless_at c b2.
Proof.
  intros H H1 N f. rewrite <- (H1 N f), !E_bind. symmetry. apply H.
Qed.

(** Whatever is decided by independent luck [d] (which rule, how long a draft),
    a mixture of lossless blocks is lossless. *)
Theorem mixture_lossless {Luck} (d : dist Luck) c (block : Luck -> dist (list A)) :
  E d (fun _ => 1) == 1 -> (forall r, lossless_at c (block r)) ->
  lossless_at c (bind d block).
Proof.
  intros Hd H N f. rewrite E_bind, E_bind.
  rewrite (E_ext _ _ (fun _ => E (gen N c) f)).
  - rewrite E_const, Hd. ring.
  - intros r. rewrite <- (H r N f), E_bind. reflexivity.
Qed.

(** Test functions with the first token given; N may be 0. *)
Definition cut (N : nat) (f : list A -> Q) (y : A) : list A -> Q :=
  fun zs => match N with O => f [] | S _ => f (y :: zs) end.

Lemma finish_cut N c y ys f :
  E (finish N c (y :: ys)) f == E (finish (pred N) (c ++ [y]) ys) (cut N f y).
Proof.
  destruct N as [|m]; simpl pred.
  - rewrite (finish_0 c (y :: ys)), finish_0. reflexivity.
  - apply finish_cons.
Qed.

Lemma gen_cut N c f :
  E (gen N c) f
  == E (sample V (P c)) (fun y => E (gen (pred N) (c ++ [y])) (cut N f y)).
Proof.
  destruct N as [|m]; simpl pred.
  - simpl. rewrite E_ret.
    rewrite (E_ext _ _ (fun _ => f [])) by (intros; rewrite E_ret; reflexivity).
    rewrite E_const, mass_P. ring.
  - rewrite E_gen_S. reflexivity.
Qed.

Definition bonus c : dist (list A) := y <- sample V (P c) ;; ret [y].

Lemma bonus_lossless c : lossless_at c (bonus c).
Proof.
  intros N f. unfold bonus. rewrite E_bind, E_bind, gen_cut. apply E_ext. intros y.
  rewrite E_ret, finish_cut. apply finish_nil.
Qed.

(** ** Walks.  A step in state [s] emits a token and says in which state to go on,
    if at all.  All that losslessness needs is that the token has law P c, whatever
    decides the rest. *)
Section Walk.
Context {State : Type}.
Variable node : list A -> State -> dist (A * option State).

Fixpoint walk (K : nat) c (s : State) : dist (list A) :=
  match K with
  | O => bonus c
  | S k =>
      r <- node c s ;;
      match snd r with
      | Some s' => ys <- walk k (c ++ [fst r]) s' ;; ret (fst r :: ys)
      | None => ret [fst r]
      end
  end.

Hypothesis node_law : forall c s f,
  E (node c s) (fun r => f (fst r)) == E (sample V (P c)) f.

Theorem walk_lossless K : forall c s, lossless_at c (walk K c s).
Proof.
  induction K as [|k IH]; intros c s N f; cbn [walk]; [apply bonus_lossless|].
  rewrite E_bind, E_bind, gen_cut, <- (node_law c s). apply E_ext.
  intros [y [s'|]]; simpl fst; simpl snd; cbv iota.
  - rewrite E_bind, <- (IH (c ++ [y]) s' (pred N) (cut N f y)), E_bind.
    apply E_ext. intros ys. rewrite E_ret. apply finish_cut.
  - rewrite E_ret, finish_cut. apply finish_nil.
Qed.

Lemma mass_walk K c s : E (walk K c s) (fun _ => 1) == 1.
Proof. apply (lossless_mass c), walk_lossless. Qed.

Lemma walk_nonempty K c s ys w : In (ys, w) (walk K c s) -> ys <> [].
Proof.
  destruct K as [|k]; cbn [walk]; intros H.
  - apply In_bind in H as (y & u & u' & _ & [H|[]]). inversion H; discriminate.
  - apply In_bind in H as ([y [s'|]] & u & u' & _ & H); simpl in H.
    + apply In_bind in H as (zs & v & v' & _ & [H|[]]). inversion H; discriminate.
    + destruct H as [H|[]]. inversion H; discriminate.
Qed.

(** Expected length of a walk that goes on with the same odds everywhere. *)
Definition goes_on (r : A * option State) := match snd r with Some _ => true | None => false end.
Fixpoint qpow (a : Q) (n : nat) : Q := match n with O => 1 | S m => a * qpow a m end.
Definition len ys : Q := inject_Z (Z.of_nat (length ys)).

Lemma len_cons y ys : len (y :: ys) == 1 + len ys.
Proof.
  unfold len. simpl length. rewrite Nat2Z.inj_succ. unfold Z.succ.
  rewrite inject_Z_plus. ring.
Qed.

Theorem walk_expected_tokens a K :
  (forall c s, Pr (node c s) goes_on == a) ->
  forall c s, E (walk K c s) len * (1 - a) == 1 - qpow a (S K).
Proof.
  intros Ha. induction K as [|k IH]; intros c s; cbn [walk].
  - unfold bonus. rewrite E_bind, (E_ext _ _ (fun _ => 1)).
    + rewrite mass_P. simpl. ring.
    + intros y. rewrite E_ret, len_cons. unfold len; simpl. ring.
  - (* the value hangs on the token through the next context, and by induction not
       even so, unless a = 1 where one cannot divide: keep the factor 1 - a *)
    rewrite E_bind, Qmult_comm, <- E_scal.
    rewrite (E_ext _ _ (fun r => (1 - a) + (1 - qpow a (S k)) * ind (goes_on r))).
    + rewrite E_plus, E_scal. fold (Pr (node c s) goes_on). rewrite Ha, E_const.
      rewrite (node_law c s (fun _ => 1)), mass_P. simpl. ring.
    + intros [y [s'|]]; simpl fst; simpl snd; cbv iota; unfold goes_on; simpl snd; cbv iota.
      * rewrite E_bind.
        rewrite (E_ext _ _ (fun ys => 1 + len ys)) by (intros; rewrite E_ret; apply len_cons).
        rewrite E_plus, mass_walk. simpl ind. rewrite <- (IH (c ++ [y]) s'). ring.
      * rewrite E_ret, len_cons. unfold len; simpl. ring.
Qed.
End Walk.

(** ** Whole runs: rounds until N tokens are out.  Every round may use another rule
    and another length of draft, chosen from the context. *)
Section Run.
Variable round : list A -> dist (list A).
Hypothesis round_lossless : forall c, lossless_at c (round c).
Hypothesis round_nonempty : forall c ys w, In (ys, w) (round c) -> ys <> [].

Fixpoint decode (fuel N : nat) c : dist (list A) :=
  match fuel, N with
  | S fl, S _ =>
      ys <- round c ;;
      (zs <- decode fl (N - length ys) (c ++ ys) ;; ret (firstn N ys ++ zs))
  | _, _ => ret []
  end.

Lemma decode_enough fuel : forall N c, (N <= fuel)%nat -> decode fuel N c =d= gen N c.
Proof.
  induction fuel as [|fl IH]; intros N c Hle; destruct N as [|m];
    try (apply same_law_refl); try lia.
  intros f. rewrite <- (round_lossless c (S m) f).
  cbn [decode]. rewrite !E_bind.
  apply E_ext_in. intros ys w Hin. apply round_nonempty in Hin.
  rewrite E_finish, E_bind.
  rewrite (E_ext _ _ (fun zs => f (firstn (S m) ys ++ zs))) by (intros; e_ret).
  apply IH. destruct ys; [congruence|simpl; lia].
Qed.

Theorem decode_lossless N c : decode N N c =d= gen N c.
Proof. now apply decode_enough. Qed.
End Run.

(** ** A certain target.  Its only possible output is its own greedy sequence. *)
Section Greedy.
Variable eqb : A -> A -> bool.
Hypothesis eqb_eq : forall x y, eqb x y = true <-> x = y.
Hypothesis V_nodup : NoDup V.
Variable best : list A -> A.                         (* argmax of the target *)
Hypothesis best_in : forall c, In (best c) V.
Hypothesis P_greedy : forall c x, P c x == onehot eqb (best c) x.

Fixpoint greedy (N : nat) c : list A :=
  match N with O => [] | S m => best c :: greedy m (c ++ [best c]) end.

Theorem target_greedy N : forall c f, E (gen N c) f == f (greedy N c).
Proof.
  induction N as [|m IH]; intros c f; [simpl; e_ret|].
  rewrite E_gen_S, E_sample. simpl.
  rewrite (sum_ext _ (fun y => E (gen m (c ++ [y])) (fun ys => f (y :: ys)) * ind (eqb y (best c)))).
  - rewrite (sum_pick V eqb eqb_eq V_nodup
       (fun y => E (gen m (c ++ [y])) (fun ys => f (y :: ys))) (best c)) by auto.
    apply (IH (c ++ [best c]) (fun ys => f (best c :: ys))).
  - intros y _. rewrite P_greedy. unfold onehot. ring.
Qed.
End Greedy.
End Target.

