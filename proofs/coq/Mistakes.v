(** * Mistakes: wrong programs, each refuted by an instance. *)
Require Import QArith Qminmax List Lqa Lia Arith.
Require Import SpecSim.Distribution SpecSim.Step.
Import ListNotations.
Open Scope Q_scope.

(** ** Wrong programs, refuted by one instance each. *)
Section Wrong.
Let V := [0%nat; 1%nat].
Let p (x : nat) : Q := match x with 0%nat => 3#4 | _ => 1#4 end.
Let q (x : nat) : Q := match x with 0%nat => 1#4 | _ => 3#4 end.
Let is0 (r : nat * bool) := Nat.eqb (fst r) 0.

Definition generic (a : nat -> Q) (r : nat -> Q) : dist (nat * bool) :=
  x <- sample V q ;; b <- coin (a x) ;;
  if b then ret (x, true) else (y <- sample V r ;; ret (y, false)).

Example right_program : Pr (generic (ratio p q) (corrected V p q)) is0 == p 0%nat.
Proof. vm_compute. reflexivity. Qed.
(** Resampling from p instead of the residual. *)
Example wrong_resample_p : ~ Pr (generic (ratio p q) p) is0 == p 0%nat.
Proof. vm_compute. discriminate. Qed.
(** Ratio upside down. *)
Example wrong_ratio : ~ Pr (generic (ratio q p) (corrected V p q)) is0 == p 0%nat.
Proof. vm_compute. discriminate. Qed.
(** Residual of q - p. *)
Example wrong_residual : ~ Pr (generic (ratio p q) (corrected V q p)) is0 == p 0%nat.
Proof. vm_compute. discriminate. Qed.
(** Accepting with p x alone (no division by q). *)
Example wrong_accept : ~ Pr (generic p (corrected V p q)) is0 == p 0%nat.
Proof. vm_compute. discriminate. Qed.
(** Dropping a drafted token after seeing it, and taking the bonus instead:
    a stop rule may look at the context only. *)
Example wrong_stop : ~ Pr
  (x <- sample V q ;;
   if Nat.eqb x 0 then (y <- sample V p ;; ret (y, false))
   else b <- coin (ratio p q x) ;;
        if b then ret (x, true) else (y <- sample V (corrected V p q) ;; ret (y, false))) is0
  == p 0%nat.
Proof. vm_compute. discriminate. Qed.
(** Drafting from q' but verifying with q (e.g. a temperature or top-k filter
    applied on one side only). *)
Example wrong_draft_law : ~ Pr
  (x <- sample V (fun _ => 1#2) ;; b <- coin (ratio p q x) ;;
   if b then ret (x, true) else (y <- sample V (corrected V p q) ;; ret (y, false))) is0
  == p 0%nat.
Proof. vm_compute. discriminate. Qed.
End Wrong.
