(** * Block: block verification is lossless, and emits at least as much as [chain].

    Sun et al. (2024), Algorithm 2; reference/verify/block.py.  [w] is the running
    weight min(1, w P/D) (the paper's p_i), [pass_prob] the odds that a prefix passes
    (its h_i).  [back] is the recursive form, which decides from the last drafted
    token backwards; [None] means: nothing is kept here or deeper.  [scan] is the
    published form, and [scan_is_back] says that both have one law. *)
Require Import QArith Qminmax List Lqa Lia Arith.
Require Import SpecSim.Distribution SpecSim.Step SpecSim.Rounds SpecSim.Chain.
Import ListNotations.
Open Scope Q_scope.

Section Block.
Context {A : Type}.
Variable V : list A.
Variables P D : list A -> A -> Q.
Hypothesis P_prob : forall c, prob V (P c).
Hypothesis D_prob : forall c, prob V (D c).
Variable more : list A -> bool.
Implicit Types (c xs ys : list A) (w : Q).

Definition scaled w c : A -> Q := fun x => w * P c x.
Definition pass_prob w c : Q :=
  let z := refusal V (scaled w c) (D c) in
  if Qeq_bool (z + (1 - w)) 0 then 1 else z / (z + (1 - w)).

Fixpoint back w c xs : dist (option (list A)) :=
  match xs with
  | [] =>
      b <- coin w ;;
      if b then (y <- sample V (P c) ;; ret (Some [y])) else ret None
  | x :: xs' =>
      r <- back (ratio (scaled w c) (D c) x) (c ++ [x]) xs' ;;
      match r with
      | Some ys => ret (Some (x :: ys))
      | None =>
          b <- coin (pass_prob w c) ;;
          if b then (y <- sample V (corrected V (scaled w c) (D c)) ;; ret (Some [y]))
          else ret None
      end
  end.

(** Value of a test function on a result, [None] counting zero. *)
Definition some {B} (g : B -> Q) (r : option B) : Q :=
  match r with Some b => g b | None => 0 end.

Lemma scaled_nonneg w c x : 0 <= w -> In x V -> 0 <= scaled w c x.
Proof. intros Hw Hx. unfold scaled. pose proof (proj1 (P_prob c) x Hx). nra. Qed.

Lemma scaled_sum w c : sum (scaled w c) V == w.
Proof. unfold scaled. rewrite sum_scal, (proj2 (P_prob c)). ring. Qed.

(** The identity behind h_i: (1 - overlap) * h = Z. *)
Lemma refused_pass w c : 0 <= w <= 1 ->
  (1 - overlap V (scaled w c) (D c)) * pass_prob w c == refusal V (scaled w c) (D c).
Proof.
  intros Hw. unfold pass_prob. cbv zeta.
  pose proof (overlap_refusal V (scaled w c) (D c)) as Ho. rewrite scaled_sum in Ho.
  pose proof (refusal_nonneg V (scaled w c) (D c)) as Hz.
  set (z := refusal V (scaled w c) (D c)) in *. set (o := overlap V (scaled w c) (D c)) in *.
  destruct (Qeq_bool (z + (1 - w)) 0) eqn:H.
  - apply Qeq_bool_eq in H. lra.
  - apply Qeq_bool_neq in H.
    setoid_replace (1 - o) with (z + (1 - w)) by lra. field. exact H.
Qed.

Lemma pass_range w c : 0 <= w <= 1 -> 0 <= pass_prob w c <= 1.
Proof.
  intros Hw. unfold pass_prob. cbv zeta.
  pose proof (refusal_nonneg V (scaled w c) (D c)) as Hz.
  set (z := refusal V (scaled w c) (D c)) in *.
  destruct (Qeq_bool (z + (1 - w)) 0) eqn:H; [lra|].
  apply Qeq_bool_neq in H. split.
  - apply Qle_shift_div_l; lra.
  - apply Qle_shift_div_r; lra.
Qed.

Lemma E_back_cons w c x xs g R :
  let w' := ratio (scaled w c) (D c) x in
  pass_prob w c * sum (fun y => corrected V (scaled w c) (D c) y * g [y]) V == R ->
  E (back w' (c ++ [x]) xs) (fun _ => 1) == 1 ->
  E (back w c (x :: xs)) (some g) ==
  E (back w' (c ++ [x]) xs) (some (fun ys => g (x :: ys)))
  + (R - R * E (back w' (c ++ [x]) xs) (some (fun _ => 1))).
Proof.
  intros w' HR Hm. cbn [back]. fold w'. rewrite E_bind.
  rewrite (E_ext _ _ (fun r => some (fun ys => g (x :: ys)) r
                               + (R * 1 + (- R) * some (fun _ => 1) r))).
  - rewrite !E_plus, !E_scal, Hm. ring.
  - intros [ys|].
    + rewrite E_ret. simpl. ring.
    + rewrite E_bind, E_coin, E_ret, E_bind, E_sample. simpl some.
      rewrite (sum_ext _ (fun y => corrected V (scaled w c) (D c) y * g [y]))
        by (intros y _; rewrite E_ret; reflexivity).
      rewrite <- HR. ring.
Qed.

(** The residual that the coin [pass_prob] leads to has mass one whenever the coin
    can come up heads. *)
Lemma pass_corrected_mass w c : 0 <= w <= 1 ->
  pass_prob w c * sum (fun y => corrected V (scaled w c) (D c) y * 1) V == pass_prob w c.
Proof.
  intros Hw. unfold pass_prob. cbv zeta.
  pose proof (refusal_nonneg V (scaled w c) (D c)) as Hz.
  pose proof (refusal_corrected_sum V (scaled w c) (D c) (fun _ => 1)) as Hr. cbv beta in Hr.
  assert (Hs : sum (fun x => residual (scaled w c) (D c) x * 1) V == refusal V (scaled w c) (D c))
    by (apply sum_ext; intros; ring).
  rewrite Hs in Hr.
  set (z := refusal V (scaled w c) (D c)) in *.
  set (R := sum (fun y => corrected V (scaled w c) (D c) y * 1) V) in *.
  destruct (Qeq_bool (z + (1 - w)) 0) eqn:H.
  - (* w = 1 and z = 0: the fallback residual is P itself *)
    apply Qeq_bool_eq in H.
    assert (Hz0 : z == 0) by lra. assert (Hw1 : w == 1) by lra.
    assert (R == 1) as ->; [|ring]. unfold R.
    transitivity (sum (scaled w c) V); [|rewrite scaled_sum; exact Hw1].
    apply sum_ext. intros y _. unfold corrected. fold z.
    destruct (Qeq_bool z 0) eqn:Hb; [ring|].
    apply Qeq_bool_neq in Hb. contradiction.
  - apply Qeq_bool_neq in H. unfold Qdiv.
    transitivity (z * R * / (z + (1 - w))); [ring|]. rewrite Hr. ring.
Qed.

Lemma mass_back xs : forall w c, 0 <= w <= 1 -> (forall x, In x xs -> In x V) ->
  E (back w c xs) (fun _ => 1) == 1.
Proof.
  induction xs as [|x xs IH]; intros w c Hw Hxs.
  - cbn [back]. rewrite E_bind, E_coin, E_ret, E_bind.
    rewrite (E_ext _ _ (fun _ => 1)) by e_ret.
    rewrite mass_P by exact P_prob. ring.
  - cbn [back]. rewrite E_bind, (E_ext _ _ (fun _ => 1)).
    + apply IH; [|intros; apply Hxs; now right].
      apply ratio_range; [apply scaled_nonneg; [lra|apply Hxs; now left]|].
      apply (proj1 (D_prob c)), Hxs; now left.
    + intros [ys|]; [e_ret|].
      rewrite E_bind, E_coin, E_ret, E_bind, E_sample.
      rewrite (sum_ext _ (fun y => corrected V (scaled w c) (D c) y * 1))
        by (intros y _; rewrite E_ret; reflexivity).
      rewrite (pass_corrected_mass w c Hw). ring.
Qed.

Lemma E_sample_in (p f g : A -> Q) :
  (forall x, In x V -> f x == g x) -> E (sample V p) f == E (sample V p) g.
Proof.
  intros H. rewrite !E_sample. apply sum_ext. intros x Hx. now rewrite (H x Hx).
Qed.

Lemma some_finish0 c (r : option (list A)) :
  some (fun ys => E (finish V P 0 c ys) (fun _ => 1)) r == some (fun _ => 1) r.
Proof. destruct r as [ys|]; simpl; [|reflexivity]. now rewrite (finish_0 V P). Qed.

(** One level of the recursion, for any value functions [G x] (deeper levels)
    and [g1 y] (a residual token here). *)
Lemma level w c (G : A -> Q) : 0 <= w <= 1 ->
  sum (fun x => D c x * (ratio (scaled w c) (D c) x * G x
        + (pass_prob w c * sum (fun y => corrected V (scaled w c) (D c) y * G y) V)
          * (1 - ratio (scaled w c) (D c) x))) V
  == w * sum (fun x => P c x * G x) V.
Proof.
  intros Hw.
  assert (Ht : forall x, In x V -> 0 <= scaled w c x) by (intros; apply scaled_nonneg; tauto).
  pose proof (kept_or_corrected_weighted V (scaled w c) (D c) G Ht (D_prob c)) as Hkey.
  pose proof (sum_q_ratio V (scaled w c) (D c) Ht (proj1 (D_prob c))) as Hov.
  pose proof (refused_pass w c Hw) as Hh.
  set (R := sum (fun y => corrected V (scaled w c) (D c) y * G y) V) in *.
  rewrite (sum_ext _ (fun x => D c x * (ratio (scaled w c) (D c) x * G x)
     + ((pass_prob w c * R) * D c x + (- (pass_prob w c * R)) * (D c x * ratio (scaled w c) (D c) x))))
    by (intros; ring).
  rewrite sum_plus, sum_plus, !sum_scal, Hov, (proj2 (D_prob c)).
  transitivity (sum (fun x => scaled w c x * G x) V).
  - rewrite <- Hkey, <- Hh. ring.
  - rewrite <- sum_scal. apply sum_ext. intros x _. unfold scaled. ring.
Qed.

Lemma ratio_scaled_range w c x : 0 <= w -> In x V -> 0 <= ratio (scaled w c) (D c) x <= 1.
Proof.
  intros Hw Hx. apply ratio_range; [now apply scaled_nonneg|]. now apply (proj1 (D_prob c)).
Qed.

(** With weight w, what is kept, completed by the target, carries exactly w times the
    target's law. *)
Lemma back_weight K : forall N w c, 0 <= w <= 1 -> forall f,
  E (xs <- draft V D more K c ;; back w c xs) (some (fun ys => E (finish V P N c ys) f))
  == w * E (gen V P N c) f.
Proof.
  assert (base : forall N w c f,
    E (back w c []) (some (fun ys => E (finish V P N c ys) f)) == w * E (gen V P N c) f).
  { intros N w c f. cbn [back]. rewrite E_bind, E_coin, E_ret, E_bind. simpl some.
    rewrite (gen_cut V P P_prob).
    rewrite (E_ext _ _ (fun y => E (gen V P (pred N) (c ++ [y])) (cut N f y))); [ring|].
    intros y. rewrite E_ret. simpl some. rewrite finish_cut. now apply finish_nil. }
  induction K as [|k IH]; intros N w c Hw f; cbn [draft].
  - rewrite E_bind, E_ret. apply base.
  - destruct (more c); [|rewrite E_bind, E_ret; apply base].
    rewrite (gen_cut V P P_prob), !E_bind.
    rewrite (E_sample V (P c)), <- (level w c _ Hw), <- E_sample.
    apply E_sample_in. intros x Hx. rewrite E_bind.
    pose proof (ratio_scaled_range w c x (proj1 Hw) Hx) as Hw'.
    set (w' := ratio (scaled w c) (D c) x) in *.
    set (G := fun y => E (gen V P (pred N) (c ++ [y])) (cut N f y)).
    set (R := pass_prob w c * sum (fun y => corrected V (scaled w c) (D c) y * G y) V).
    rewrite (E_ext_in (draft V D more k (c ++ [x])) _ (fun xs =>
       E (back w' (c ++ [x]) xs)
         (some (fun ys => E (finish V P (pred N) (c ++ [x]) ys) (cut N f x)))
       + (R * 1 + (- R) * E (back w' (c ++ [x]) xs)
                    (some (fun ys => E (finish V P 0 (c ++ [x]) ys) (fun _ => 1)))))).
    + rewrite !E_plus, !E_scal, (mass_draft V D D_prob more).
      rewrite <- !(E_bind (draft V D more k (c ++ [x])) (back w' (c ++ [x]))).
      rewrite (IH (pred N) w' (c ++ [x]) Hw'), (IH 0%nat w' (c ++ [x]) Hw').
      rewrite (mass_gen V P P_prob 0). unfold R, G. ring.
    + intros xs v Hin. rewrite E_ret, (E_back_cons w c x xs _ R); fold w'.
      * rewrite (E_ext _ (some (fun ys => E (finish V P N c (x :: ys)) f))
          (some (fun ys => E (finish V P (pred N) (c ++ [x]) ys) (cut N f x)))).
        2:{ intros [ys|]; simpl; [|reflexivity]. apply finish_cut. }
        rewrite (E_ext _ (some (fun ys => E (finish V P 0 _ ys) _)) (some (fun _ => 1)))
          by apply some_finish0.
        ring.
      * unfold R. rewrite (sum_ext _ (fun y => corrected V (scaled w c) (D c) y * G y));
          [reflexivity|].
        intros y _. rewrite finish_cut. unfold G. now rewrite (finish_nil V P).
      * apply mass_back; [exact Hw'|exact (draft_in _ _ _ _ _ _ _ Hin)].
Qed.

(** ** The algorithm, as the reference runs it: forward, every coin tossed, the last
    prefix that passes remembered with the row that its last token comes from.
    [past] is what has been scanned, [kept] the longest prefix that passed. *)
Fixpoint scan w c xs (past kept : list A) (left : A -> Q) : dist (list A) :=
  match xs with
  | [] => y <- sample V left ;; ret (kept ++ [y])
  | x :: xs' =>
      let w' := ratio (scaled w c) (D c) x in
      let c' := c ++ [x] in
      let past' := past ++ [x] in
      let pass := match xs' with [] => w' | _ => pass_prob w' c' end in
      let excess := match xs' with
                    | [] => P c'
                    | _ => corrected V (scaled w' c') (D c')
                    end in
      b <- coin pass ;;
      if b then scan w' c' xs' past' past' excess else scan w' c' xs' past' kept left
  end.

Definition verify_block c xs : dist (list A) :=
  scan 1 c xs [] [] (match xs with [] => P c | _ => corrected V (scaled 1 c) (D c) end).

Definition block K c : dist (list A) := xs <- draft V D more K c ;; verify_block c xs.

(** What [back] keeps below the first token of xs. *)
Definition below w c xs : dist (option (list A)) :=
  match xs with
  | [] => ret None
  | x :: xs' => r <- back (ratio (scaled w c) (D c) x) (c ++ [x]) xs' ;;
                ret (match r with Some ys => Some (x :: ys) | None => None end)
  end.

Lemma E_below_cons w c x xs g :
  E (below w c (x :: xs)) (some g) ==
  E (back (ratio (scaled w c) (D c) x) (c ++ [x]) xs) (some (fun ys => g (x :: ys))).
Proof.
  cbn [below]. rewrite E_bind. apply E_ext. intros [ys|]; rewrite E_ret; reflexivity.
Qed.

Lemma E_scan xs : forall w c past kept left f, 0 <= w <= 1 -> (forall x, In x xs -> In x V) ->
  E (scan w c xs past kept left) f ==
  E (below w c xs) (some (fun ys => f (past ++ ys)))
  + (1 - E (below w c xs) (some (fun _ => 1))) * E (sample V left) (fun y => f (kept ++ [y])).
Proof.
  induction xs as [|x xs IH]; intros w c past kept left f Hw Hxs.
  - cbn [scan below]. rewrite E_bind, !E_ret. simpl some.
    rewrite (E_ext _ _ (fun y => f (kept ++ [y]))) by e_ret. ring.
  - assert (Hx : In x V) by (apply Hxs; now left).
    assert (Hr : forall z, In z xs -> In z V) by (intros; apply Hxs; now right).
    pose proof (ratio_scaled_range w c x (proj1 Hw) Hx) as Hw'.
    rewrite !E_below_cons. cbn [scan]. cbv zeta.
    set (w' := ratio (scaled w c) (D c) x) in *. set (c' := c ++ [x]) in *.
    rewrite E_bind, E_coin, !IH by assumption.
    destruct xs as [|x' xs].
    + cbn [below back]. rewrite !E_ret, !E_bind, !E_coin, !E_ret, !E_bind. simpl some.
      set (g := fun y => f ((past ++ [x]) ++ [y])).
      rewrite (E_ext (sample V (P c'))
        (fun y => E (ret (Some [y])) (some (fun ys => f (past ++ x :: ys)))) g).
      2:{ intros y. rewrite E_ret. unfold g. simpl some. now rewrite <- app_assoc. }
      rewrite (E_ext (sample V (P c')) 
        (fun y => E (ret (Some [y])) (some (fun _ => 1))) (fun _ => 1)) by e_ret.
      rewrite (mass_P V P P_prob). ring.
    + pose proof (ratio_scaled_range w' c' x' (proj1 Hw') (Hr x' (or_introl eq_refl))) as Hw''.
      assert (Hm : E (back (ratio (scaled w' c') (D c') x') (c' ++ [x']) xs) (fun _ => 1) == 1)
        by (apply mass_back; [exact Hw''|intros; apply Hr; now right]).
      set (S_ := E (sample V (corrected V (scaled w' c') (D c'))) (fun y => f ((past ++ [x]) ++ [y]))).
      rewrite (E_back_cons w' c' x' xs (fun ys => f (past ++ x :: ys)) (pass_prob w' c' * S_));
        [|unfold S_; rewrite E_sample; apply Qmult_comp; [reflexivity|];
          apply sum_ext; intros y _; now rewrite <- app_assoc|exact Hm].
      rewrite (E_back_cons w' c' x' xs (fun _ => 1) (pass_prob w' c'));
        [|apply (pass_corrected_mass w' c' Hw')|exact Hm].
      rewrite !E_below_cons.
      rewrite (E_ext _ (some (fun ys => f ((past ++ [x]) ++ x' :: ys)))
                       (some (fun ys => f (past ++ x :: x' :: ys))))
        by (intros [ys|]; simpl; [rewrite <- app_assoc|]; reflexivity).
      ring.
Qed.

(** Deciding from the back or scanning forward is the same. *)
Lemma scan_is_back xs c f : (forall x, In x xs -> In x V) ->
  E (verify_block c xs) f == E (back 1 c xs) (some f).
Proof.
  intros Hxs. unfold verify_block. rewrite E_scan by (auto; lra).
  destruct xs as [|x xs].
  - cbn [below back]. rewrite !E_ret, E_bind, E_coin, E_ret, E_bind. simpl some.
    rewrite (E_ext _ (fun y => E (ret _) _) (fun y => f ([] ++ [y])))
      by (intros; rewrite E_ret; reflexivity). ring.
  - assert (H1 : 0 <= 1 <= 1) by lra.
    assert (Hp : pass_prob 1 c == 1).
    { unfold pass_prob. cbv zeta. set (z := refusal V (scaled 1 c) (D c)).
      destruct (Qeq_bool (z + (1 - 1)) 0) eqn:H; [reflexivity|].
      apply Qeq_bool_neq in H. field. lra. }
    assert (Hm : E (back (ratio (scaled 1 c) (D c) x) (c ++ [x]) xs) (fun _ => 1) == 1).
    { apply mass_back; [apply ratio_scaled_range; [lra|apply Hxs; now left]|].
      intros; apply Hxs; now right. }
    rewrite (E_back_cons 1 c x xs f
      (E (sample V (corrected V (scaled 1 c) (D c))) (fun y => f ([] ++ [y])))); [|rewrite Hp, E_sample; simpl; ring|exact Hm].
    rewrite !E_below_cons. simpl. ring.
Qed.

Lemma E_block K c f :
  E (block K c) f == E (xs <- draft V D more K c ;; back 1 c xs) (some f).
Proof.
  unfold block. rewrite !E_bind. apply E_ext_in. intros xs v Hin.
  apply scan_is_back. exact (draft_in _ _ _ _ _ _ _ Hin).
Qed.

(** The block has the target's law. *)
Theorem block_lossless K c : lossless_at V P c (block K c).
Proof.
  intros N f. rewrite E_bind, E_block, back_weight by lra. ring.
Qed.

Lemma scan_nonempty xs : forall w c past kept left ys v,
  In (ys, v) (scan w c xs past kept left) -> ys <> [].
Proof.
  induction xs as [|x xs IH]; intros w c past kept left ys v; cbn [scan]; intros H.
  - apply In_bind in H as (y & u & u' & _ & [H|[]]). inversion H.
    intros E0. apply app_eq_nil in E0 as [_ E0]. discriminate.
  - apply In_bind in H as ([|] & u & u' & _ & H); eapply IH, H.
Qed.

(** ** For every nondecreasing g, the expected g(length) is at least that of [chain]. *)
Definition mono (g : nat -> Q) := forall m n, (m <= n)%nat -> g m <= g n.

Lemma nonneg_lazily K c : nonneg (lazily V P D more K c).
Proof.
  assert (B : forall c, nonneg (bonus V P c)).
  { intros c'. apply nonneg_bind; [apply nonneg_sample, P_prob|intros; apply nonneg_ret]. }
  unfold lazily. revert c. induction K as [|k IH]; intros c; cbn [walk]; [apply B|].
  apply nonneg_bind.
  - unfold node. destruct (more c); (apply nonneg_bind; [|intros; apply nonneg_ret]).
    + apply step_proper; auto.
    + apply nonneg_sample, P_prob.
  - intros [y [[]|]]; simpl fst; simpl snd; cbv iota; [|apply nonneg_ret].
    apply nonneg_bind; [apply IH|intros; apply nonneg_ret].
Qed.

Lemma ratio_weight w c x : 0 <= w <= 1 -> In x V ->
  w * ratio (P c) (D c) x <= ratio (scaled w c) (D c) x.
Proof.
  intros Hw Hx. pose proof (ratio_range (P c) (D c) x (proj1 (P_prob c) x Hx) (proj1 (D_prob c) x Hx)) as Ha.
  unfold ratio at 2. apply Q.min_glb; [nra|].
  assert (ratio (P c) (D c) x <= P c x / D c x) by apply Q.le_min_r.
  unfold scaled. setoid_replace (w * P c x / D c x) with (w * (P c x / D c x))
    by (unfold Qdiv; ring). nra.
Qed.

Lemma back_dominates K : forall g w c, mono g -> 0 <= w <= 1 ->
  w * E (lazily V P D more K c) (fun ys => g (length ys))
  <= E (xs <- draft V D more K c ;; back w c xs) (some (fun ys => g (length ys))).
Proof.
  assert (base : forall g w c,
    w * E (bonus V P c) (fun ys => g (length ys))
    == E (back w c []) (some (fun ys : list A => g (length ys)))).
  { intros g w c. unfold bonus. cbn [back]. rewrite !E_bind, E_coin, E_ret, E_bind. simpl some.
    rewrite (E_ext _ (fun y => E (ret [y]) _) (fun _ => g 1%nat)) by e_ret.
    rewrite (E_ext _ (fun y => E (ret (Some [y])) _) (fun _ => g 1%nat)) by e_ret.
    ring. }
  induction K as [|k IH]; intros g w c Hg Hw.
  - cbn [draft]. unfold lazily. cbn [walk]. rewrite base, E_bind, E_ret. lra.
  - destruct (more c) eqn:Hm; cbn [draft]; rewrite Hm.
    2:{ rewrite (E_lazily_stop V P D more k c _ Hm), base, E_bind, E_ret. lra. }
    set (S_ := fun x => E (lazily V P D more k (c ++ [x])) (fun ys => g (S (length ys)))).
    set (g1 := g 1%nat).
    set (w' := fun x => ratio (scaled w c) (D c) x).
    set (a := fun x => ratio (P c) (D c) x).
    (* left-hand side *)
    assert (HL : E (lazily V P D more (S k) c) (fun ys => g (length ys))
      == sum (fun x => D c x * (a x * S_ x + (1 - a x) * g1)) V).
    { rewrite (E_lazily_more V P D more k c _ Hm), E_step. apply sum_ext. intros x Hx.
      simpl fst; simpl snd; cbv iota.
      rewrite (sum_ext _ (fun y => g1 * corrected V (P c) (D c) y)).
      2:{ intros y _. simpl length. unfold g1. ring. }
      rewrite sum_scal, (proj2 (corrected_prob V (P c) (D c) (P_prob c))).
      unfold S_, a. simpl length. ring. }
    rewrite HL. clear HL.
    (* right-hand side *)
    assert (HR : sum (fun x => D c x * (w' x * S_ x + (pass_prob w c * g1) * (1 - w' x))) V
       <= E (xs <- (x <- sample V (D c) ;; (xs <- draft V D more k (c ++ [x]) ;; ret (x :: xs))) ;; back w c xs)
            (some (fun ys => g (length ys)))).
    { rewrite !E_bind, E_sample. apply sum_le. intros x Hx.
      pose proof (proj1 (D_prob c) x Hx) as HD.
      pose proof (ratio_scaled_range w c x (proj1 Hw) Hx) as Hw'. fold (w' x) in Hw'.
      rewrite E_bind.
      rewrite (E_ext_in (draft V D more k (c ++ [x])) _ (fun xs =>
         E (back (w' x) (c ++ [x]) xs) (some (fun ys => g (S (length ys))))
         + (pass_prob w c * g1 * 1 + (- (pass_prob w c * g1)) * E (back (w' x) (c ++ [x]) xs)
              (some (fun ys => E (finish V P 0 (c ++ [x]) ys) (fun _ => 1)))))).
      - rewrite !E_plus, !E_scal, (mass_draft V D D_prob more).
        rewrite <- !(E_bind (draft V D more k (c ++ [x])) (back (w' x) (c ++ [x]))).
        rewrite (back_weight k 0%nat (w' x) (c ++ [x]) Hw'), (mass_gen V P P_prob 0).
        assert (HI := IH (fun n => g (S n)) (w' x) (c ++ [x])
                        (fun m n H => Hg (S m) (S n) (le_n_S _ _ H)) Hw').
        set (BB := E (xs <- draft V D more k (c ++ [x]) ;; back (w' x) (c ++ [x]) xs)
                     (some (fun ys => g (S (length ys))))) in *.
        change (w' x * S_ x <= BB) in HI.
        rewrite (Qmult_comm (D c x)), (Qmult_comm (D c x)).
        apply Qmult_le_compat_r; [|exact HD].
        setoid_replace (BB + (pass_prob w c * g1 * 1 + - (pass_prob w c * g1) * (w' x * 1)))
          with (BB + pass_prob w c * g1 * (1 - w' x)) by ring.
        lra.
      - intros xs v Hin. rewrite E_ret, (E_back_cons w c x xs _ (pass_prob w c * g1)); fold (w' x).
        + simpl length.
          rewrite (E_ext _ (some (fun ys => E (finish V P 0 _ ys) _)) (some (fun _ => 1)))
            by apply some_finish0.
          ring.
        + simpl length. fold g1.
          rewrite (sum_ext _ (fun y => g1 * (corrected V (scaled w c) (D c) y * 1))) by (intros; ring).
          rewrite sum_scal.
          transitivity (g1 * (pass_prob w c * sum (fun y => corrected V (scaled w c) (D c) y * 1) V)); [ring|].
          rewrite (pass_corrected_mass w c Hw). ring.
        + apply mass_back; [exact Hw'|exact (draft_in _ _ _ _ _ _ _ Hin)]. }
    refine (Qle_trans _ _ _ _ HR).
    (* (1 - overlap) h = refusal = w - overlap *)
    assert (Ht : forall x, In x V -> 0 <= scaled w c x) by (intros; apply scaled_nonneg; tauto).
    pose proof (sum_q_ratio V (scaled w c) (D c) Ht (proj1 (D_prob c))) as Hov.
    pose proof (refused_pass w c Hw) as Hh.
    pose proof (overlap_refusal V (scaled w c) (D c)) as Ho. rewrite scaled_sum in Ho.
    assert (E1 : sum (fun x => D c x * (w' x * S_ x + pass_prob w c * g1 * (1 - w' x))) V
      == w * g1 + sum (fun x => D c x * (w' x * (S_ x - g1))) V).
    { rewrite (sum_ext _ (fun x => D c x * (w' x * (S_ x - g1)) +
         (g1 * (D c x * w' x) + ((pass_prob w c * g1) * D c x + (- (pass_prob w c * g1)) * (D c x * w' x)))))
        by (intros; ring).
      rewrite !sum_plus, !sum_scal. unfold w'. rewrite Hov, (proj2 (D_prob c)).
      set (o := overlap V (scaled w c) (D c)) in *.
      transitivity (sum (fun x => D c x * (ratio (scaled w c) (D c) x * (S_ x - g1))) V
          + g1 * (o + (1 - o) * pass_prob w c)); [ring|].
      rewrite Hh, Ho. ring. }
    assert (E2 : w * sum (fun x => D c x * (a x * S_ x + (1 - a x) * g1)) V
      == w * g1 + sum (fun x => D c x * (w * a x * (S_ x - g1))) V).
    { rewrite (sum_ext _ (fun x => D c x * (a x * (S_ x - g1)) + g1 * D c x)) by (intros; ring).
      rewrite sum_plus, sum_scal, (proj2 (D_prob c)).
      rewrite (sum_ext (fun x => D c x * (w * a x * (S_ x - g1)))
                       (fun x => w * (D c x * (a x * (S_ x - g1))))) by (intros; ring).
      rewrite sum_scal. ring. }
    rewrite E1, E2.
    assert (HH : sum (fun x => D c x * (w * a x * (S_ x - g1))) V
              <= sum (fun x => D c x * (w' x * (S_ x - g1))) V).
    { apply sum_le. intros x Hx.
      pose proof (proj1 (D_prob c) x Hx) as HD.
      pose proof (ratio_weight w c x Hw Hx) as Haw. fold (a x) (w' x) in Haw.
      assert (HS : g1 <= S_ x).
      { unfold S_.
        assert (g1 == E (lazily V P D more k (c ++ [x])) (fun _ => g1)) as ->.
        { unfold lazily. rewrite E_const, (mass_walk V P P_prob); [ring|].
          intros c' [] h. apply node_law; auto. }
        apply E_le; [apply nonneg_lazily|]. intros ys. apply Hg. lia. }
      assert (0 <= D c x * ((w' x - w * a x) * (S_ x - g1))).
      { apply Qmult_le_0_compat; [exact HD|]. apply Qmult_le_0_compat; lra. }
      lra. }
    lra.
Qed.

Theorem block_dominates_chain K c g : mono g ->
  E (chain V P D more K c) (fun ys => g (length ys)) <= E (block K c) (fun ys => g (length ys)).
Proof.
  intros Hg. rewrite (chain_lazily V P D D_prob more K c (fun ys => g (length ys))), E_block.
  assert (H01 : 0 <= 1 <= 1) by lra.
  pose proof (back_dominates K g 1 c Hg H01). lra.
Qed.

(** In particular: no fewer tokens on average, and blocks stochastically no shorter. *)
Corollary block_emits_no_fewer K c : E (chain V P D more K c) len <= E (block K c) len.
Proof.
  apply (block_dominates_chain K c (fun n => inject_Z (Z.of_nat n))).
  intros m n H. rewrite <- Zle_Qle. lia.
Qed.
Corollary block_survives_no_shorter K c i :
  Pr (chain V P D more K c) (fun ys => Nat.leb i (length ys))
  <= Pr (block K c) (fun ys => Nat.leb i (length ys)).
Proof.
  apply (block_dominates_chain K c (fun n => ind (Nat.leb i n))).
  intros m n H. unfold ind.
  destruct (Nat.leb i m) eqn:H1, (Nat.leb i n) eqn:H2; try lra.
  apply Nat.leb_le in H1. apply Nat.leb_gt in H2. lia.
Qed.
End Block.

Theorem block_run_lossless {A : Type} (V : list A) (P D : list A -> A -> Q)
  (Kof : list A -> nat) (more : list A -> list A -> bool) N c :
  (forall c, prob V (P c)) -> (forall c, prob V (D c)) ->
  decode (fun c => block V P D (more c) (Kof c) c) N N c =d= gen V P N c.
Proof.
  intros HP HD. apply decode_lossless.
  - intros c'. now apply block_lossless.
  - intros c' ys w H. apply In_bind in H as (xs & u & u' & _ & H).
    eapply scan_nonempty, H.
Qed.
