(** * Distribution: finite sums and the finite distribution monad over Q.

    A distribution is a list of (value, probability) pairs, exactly what an
    enumerating NumPy/Fraction program holds.  [E d f] is the expectation of
    the test function [f]; two programs have the same law iff all their
    expectations agree (see [pr] for point probabilities). *)
Require Import QArith Qminmax Qabs List Lqa Lia.
Import ListNotations.
Open Scope Q_scope.

(** ** Division by zero (gives zero), min and max *)
Lemma div_by_0 a b : b == 0 -> a / b == 0.
Proof. intros H. unfold Qdiv. rewrite H. unfold Qinv; simpl. ring. Qed.
Lemma qmin_l a b : a <= b -> Qmin a b == a. Proof. apply Q.min_l. Qed.
Lemma qmin_r a b : b <= a -> Qmin a b == b. Proof. apply Q.min_r. Qed.
Lemma qmax_l a b : b <= a -> Qmax a b == a. Proof. apply Q.max_l. Qed.
Lemma qmax_r a b : a <= b -> Qmax a b == b. Proof. apply Q.max_r. Qed.

(** ** Finite sums *)
Fixpoint sum {A} (f : A -> Q) (l : list A) : Q :=
  match l with [] => 0 | x :: r => f x + sum f r end.

Lemma sum_ext {A} (f g : A -> Q) l :
  (forall x, In x l -> f x == g x) -> sum f l == sum g l.
Proof.
  induction l as [|x l IH]; simpl; intros H; [reflexivity|].
  rewrite (H x) by (left; reflexivity).
  rewrite IH by (intros; apply H; right; assumption). reflexivity.
Qed.

Lemma sum_plus {A} (f g : A -> Q) l :
  sum (fun x => f x + g x) l == sum f l + sum g l.
Proof. induction l as [|x l IH]; simpl; [ring|]. rewrite IH; ring. Qed.

Lemma sum_scal {A} c (f : A -> Q) l : sum (fun x => c * f x) l == c * sum f l.
Proof. induction l as [|x l IH]; simpl; [ring|]. rewrite IH; ring. Qed.

Lemma sum_app {A} (f : A -> Q) l m : sum f (l ++ m) == sum f l + sum f m.
Proof. induction l as [|x l IH]; simpl; [ring|]. rewrite IH; ring. Qed.

Lemma sum_map {A B} (h : A -> B) (f : B -> Q) l :
  sum f (map h l) = sum (fun x => f (h x)) l.
Proof. induction l as [|x l IH]; simpl; [reflexivity|]. now rewrite IH. Qed.

Lemma sum_0 {A} (l : list A) : sum (fun _ => 0) l == 0.
Proof. induction l as [|x l IH]; simpl; [reflexivity|]. rewrite IH; ring. Qed.

Lemma sum_le {A} (f g : A -> Q) l :
  (forall x, In x l -> f x <= g x) -> sum f l <= sum g l.
Proof.
  induction l as [|x l IH]; simpl; intros H; [lra|].
  specialize (H x (or_introl eq_refl)) as Hx.
  assert (sum f l <= sum g l) by (apply IH; intros; apply H; now right). lra.
Qed.

Lemma sum_nonneg {A} (f : A -> Q) l :
  (forall x, In x l -> 0 <= f x) -> 0 <= sum f l.
Proof.
  intros H. rewrite <- (sum_0 l). apply sum_le. exact H.
Qed.

Lemma sum_swap {A B} (f : A -> B -> Q) l m :
  sum (fun x => sum (f x) m) l == sum (fun y => sum (fun x => f x y) l) m.
Proof.
  induction l as [|x l IH]; simpl; [now rewrite sum_0|].
  rewrite IH. now rewrite <- sum_plus.
Qed.

(** If a sum of nonnegative terms is zero, every term is zero. *)
Lemma sum_zero_inv {A} (f : A -> Q) l :
  (forall x, In x l -> 0 <= f x) -> sum f l == 0 ->
  forall x, In x l -> f x == 0.
Proof.
  induction l as [|y l IH]; simpl; intros Hp Hs x Hx; [contradiction|].
  assert (0 <= f y) by (apply Hp; now left).
  assert (0 <= sum f l) by (apply sum_nonneg; intros; apply Hp; now right).
  destruct Hx as [->|Hx]; [lra|].
  apply IH; auto. lra.
Qed.

(** ** The distribution monad *)
Definition dist (A : Type) := list (A * Q).
Definition ret {A} (x : A) : dist A := [(x, 1)].
(** No outcome at all, not the empty block: mass is lost if it is ever reached. *)
Definition fail {A} : dist A := [].
Definition scale {A} (w : Q) (d : dist A) : dist A :=
  map (fun xv => (fst xv, w * snd xv)) d.
Fixpoint bind {A B} (d : dist A) (k : A -> dist B) : dist B :=
  match d with
  | [] => []
  | (x, w) :: r => scale w (k x) ++ bind r k
  end.
Notation "x <- d ;; k" := (bind d (fun x => k))
  (at level 61, d at next level, right associativity).

(** A biased coin: [true] with probability [a]. *)
Definition coin (a : Q) : dist bool := [(true, a); (false, 1 - a)].

(** Sampling an index from the probability vector [p] over vocabulary [V]. *)
Definition sample {A} (V : list A) (p : A -> Q) : dist A :=
  map (fun x => (x, p x)) V.

(** Expectation, total mass, and the probability of an event. *)
Definition E {A} (d : dist A) (f : A -> Q) : Q :=
  sum (fun xw => snd xw * f (fst xw)) d.
Definition ind (b : bool) : Q := if b then 1 else 0.
Definition Pr {A} (d : dist A) (ev : A -> bool) : Q := E d (fun x => ind (ev x)).
Definition nonneg {A} (d : dist A) := forall x w, In (x, w) d -> 0 <= w.
Definition proper {A} (d : dist A) := nonneg d /\ E d (fun _ => 1) == 1.

(** Equality of laws. *)
Definition same_law {A} (d1 d2 : dist A) := forall f, E d1 f == E d2 f.
Notation "d1 =d= d2" := (same_law d1 d2) (at level 70).

Lemma E_ext {A} (d : dist A) f g : (forall x, f x == g x) -> E d f == E d g.
Proof. intros H. apply sum_ext. intros [x w] _. simpl. now rewrite H. Qed.

Lemma E_app {A} (d1 d2 : dist A) f : E (d1 ++ d2) f == E d1 f + E d2 f.
Proof. apply sum_app. Qed.

Lemma E_scale {A} w (d : dist A) f : E (scale w d) f == w * E d f.
Proof.
  unfold E, scale. rewrite sum_map, <- sum_scal.
  apply sum_ext. intros [x v] _. simpl. ring.
Qed.

Lemma E_ret {A} (x : A) f : E (ret x) f == f x.
Proof. unfold E, ret. simpl. ring. Qed.

Lemma E_bind {A B} (d : dist A) (k : A -> dist B) f :
  E (bind d k) f == E d (fun x => E (k x) f).
Proof.
  induction d as [|[x w] d IH]; simpl; [reflexivity|].
  rewrite E_app, E_scale, IH. reflexivity.
Qed.

Lemma E_plus {A} (d : dist A) f g : E d (fun x => f x + g x) == E d f + E d g.
Proof.
  unfold E. rewrite <- sum_plus. apply sum_ext. intros [x w] _. simpl. ring.
Qed.

Lemma E_scal {A} (d : dist A) c f : E d (fun x => c * f x) == c * E d f.
Proof.
  unfold E. rewrite <- sum_scal. apply sum_ext. intros [x w] _. simpl. ring.
Qed.

Lemma E_const {A} (d : dist A) c : E d (fun _ => c) == c * E d (fun _ => 1).
Proof.
  rewrite <- E_scal. apply E_ext. intros; ring.
Qed.

(** Independent draws may be made in either order. *)
Lemma E_swap {A B} (d : dist A) (e : dist B) (f : A -> B -> Q) :
  E d (fun x => E e (f x)) == E e (fun y => E d (fun x => f x y)).
Proof.
  unfold E. transitivity (sum (fun xw => sum (fun yv => snd xw * (snd yv * f (fst xw) (fst yv))) e) d).
  - apply sum_ext. intros x _. now rewrite sum_scal.
  - rewrite sum_swap. apply sum_ext. intros y _. rewrite <- sum_scal.
    apply sum_ext. intros x _. ring.
Qed.

Lemma E_coin a f : E (coin a) f == a * f true + (1 - a) * f false.
Proof. unfold E, coin. simpl. ring. Qed.

Lemma E_sample {A} (V : list A) p f :
  E (sample V p) f == sum (fun x => p x * f x) V.
Proof. unfold E, sample. rewrite sum_map. reflexivity. Qed.

Lemma E_le {A} (d : dist A) f g :
  nonneg d -> (forall x, f x <= g x) -> E d f <= E d g.
Proof.
  intros Hd H. apply sum_le. intros [x w] Hin. simpl.
  specialize (Hd x w Hin). specialize (H x).
  nra.
Qed.

(** Congruence restricted to the support. *)
Lemma E_ext_in {A} (d : dist A) f g :
  (forall x w, In (x, w) d -> f x == g x) -> E d f == E d g.
Proof. intros H. apply sum_ext. intros [x w] Hin. simpl. now rewrite (H x w Hin). Qed.

Lemma nonneg_bind {A B} (d : dist A) (k : A -> dist B) :
  nonneg d -> (forall x, nonneg (k x)) -> nonneg (bind d k).
Proof.
  intros Hd Hk. induction d as [|[x w] d IH]; simpl; intros y v Hin; [contradiction|].
  apply in_app_or in Hin as [Hin|Hin].
  - unfold scale in Hin. apply in_map_iff in Hin as [[z u] [Heq Hin]].
    simpl in Heq. inversion Heq; subst.
    specialize (Hk x _ _ Hin). specialize (Hd x w (or_introl eq_refl)). nra.
  - apply (IH (fun a b H => Hd a b (or_intror H)) y v Hin).
Qed.

Lemma nonneg_ret {A} (x : A) : nonneg (ret x).
Proof. intros y w [H|[]]. inversion H; subst. lra. Qed.

Lemma nonneg_coin a : 0 <= a <= 1 -> nonneg (coin a).
Proof.
  intros H b w [Hin|[Hin|[]]]; inversion Hin; subst; lra.
Qed.

Lemma nonneg_sample {A} (V : list A) p :
  (forall x, In x V -> 0 <= p x) -> nonneg (sample V p).
Proof.
  intros H x w Hin. apply in_map_iff in Hin as [y [Heq Hin]].
  inversion Heq; subst. auto.
Qed.

Lemma proper_bind {A B} (d : dist A) (k : A -> dist B) :
  proper d -> (forall x, proper (k x)) -> proper (bind d k).
Proof.
  intros [Hn H1] Hk. split.
  - apply nonneg_bind; auto. intros x; apply Hk.
  - rewrite E_bind. rewrite (E_ext d _ (fun _ => 1)); [exact H1|].
    intros x; apply Hk.
Qed.

Lemma proper_ret {A} (x : A) : proper (ret x).
Proof. split; [apply nonneg_ret|]. rewrite E_ret. reflexivity. Qed.

Lemma proper_coin a : 0 <= a <= 1 -> proper (coin a).
Proof. intros H; split; [now apply nonneg_coin|]. rewrite E_coin. ring. Qed.

(** [same_law] is the right notion: it is equality of all point probabilities.
    Conversely point probabilities determine expectations on a finite set. *)
Lemma same_law_Pr {A} (d1 d2 : dist A) : d1 =d= d2 -> forall ev, Pr d1 ev == Pr d2 ev.
Proof. intros H ev. apply H. Qed.

Lemma same_law_refl {A} (d : dist A) : d =d= d.
Proof. intros f; reflexivity. Qed.
Lemma same_law_trans {A} (d1 d2 d3 : dist A) : d1 =d= d2 -> d2 =d= d3 -> d1 =d= d3.
Proof. intros H1 H2 f. rewrite (H1 f). apply H2. Qed.
Lemma same_law_sym {A} (d1 d2 : dist A) : d1 =d= d2 -> d2 =d= d1.
Proof. intros H f. symmetry. apply H. Qed.
Lemma same_law_bind {A B} (d1 d2 : dist A) (k1 k2 : A -> dist B) :
  d1 =d= d2 -> (forall x, k1 x =d= k2 x) -> bind d1 k1 =d= bind d2 k2.
Proof.
  intros Hd Hk f. rewrite !E_bind.
  rewrite (E_ext d1 _ (fun x => E (k2 x) f)) by (intros x; apply Hk).
  apply Hd.
Qed.
Lemma bind_assoc {A B C} (d : dist A) (k : A -> dist B) (l : B -> dist C) :
  bind (bind d k) l =d= bind d (fun x => bind (k x) l).
Proof.
  intros f. rewrite !E_bind. apply E_ext. intros x. now rewrite E_bind.
Qed.
Lemma bind_ret_l {A B} (x : A) (k : A -> dist B) : bind (ret x) k =d= k x.
Proof. intros f. now rewrite E_bind, E_ret. Qed.
Lemma bind_ret_r {A} (d : dist A) : bind d ret =d= d.
Proof. intros f. rewrite E_bind. apply E_ext. intros x. apply E_ret. Qed.
