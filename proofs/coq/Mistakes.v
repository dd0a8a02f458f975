(** * Mistakes: wrong programs, each refuted by an instance of two or three words.

    One for each family of faults that the oracle plants (specsim/oracle/mutants), as
    far as a family has a law of its own. *)
Require Import QArith Qminmax List Lqa Lia Arith.
Require Import SpecSim.Distribution SpecSim.Step SpecSim.Rounds SpecSim.Chain SpecSim.Block
  SpecSim.Tree SpecSim.Recursive.
Import ListNotations.
Open Scope Q_scope.

Section Mistakes.
Let V := [0%nat; 1%nat].
Let row (a b : Q) (x : nat) : Q := match x with 0%nat => a | 1%nat => b | _ => 0 end.
Let p := row (3 # 4) (1 # 4).
Let q := row (1 # 4) (3 # 4).
Let words := [0; 1; 2]%nat.
Let wide (a b c : Q) (x : nat) := nth x [a; b; c] 0.

(** ** One drafted token. *)
Let is0 (y : nat) := Nat.eqb y 0.
Let one (kept : nat -> Q) (left : nat -> Q) : dist nat :=
  x <- sample V q ;; b <- coin (kept x) ;; if b then ret x else draw V left.

Example right_step : Pr (one (ratio p q) (residual p q)) is0 == p 0%nat.
Proof. vm_compute. reflexivity. Qed.
(** The ratio is upside down. *)
Example wrong_ratio : ~ Pr (one (ratio q p) (residual p q)) is0 == p 0%nat.
Proof. vm_compute. discriminate. Qed.
(** Kept with the target's own odds, the draft's row forgotten. *)
Example wrong_odds : ~ Pr (one p (residual p q)) is0 == p 0%nat.
Proof. vm_compute. discriminate. Qed.
(** Everything is kept. *)
Example wrong_keep_all : ~ Pr (one (fun _ => 1) (residual p q)) is0 == p 0%nat.
Proof. vm_compute. discriminate. Qed.
(** The correction is drawn from the target. *)
Example wrong_correction : ~ Pr (one (ratio p q) p) is0 == p 0%nat.
Proof. vm_compute. discriminate. Qed.
(** The residual is that of q. *)
Example wrong_residual : ~ Pr (one (ratio p q) (residual q p)) is0 == p 0%nat.
Proof. vm_compute. discriminate. Qed.
(** With three words. *)
Example right_three_words : Pr
  (x <- sample words (fun _ => 1 # 3) ;;
   b <- coin (ratio (wide (1 # 2) (1 # 3) (1 # 6)) (fun _ => 1 # 3) x) ;;
   if b then ret x
   else draw words (residual (wide (1 # 2) (1 # 3) (1 # 6)) (fun _ => 1 # 3))) is0 == 1 # 2.
Proof. vm_compute. reflexivity. Qed.
(** Only the refused token is taken out. *)
Example wrong_take_out : ~ Pr
  (x <- sample words (fun _ => 1 # 3) ;;
   b <- coin (ratio (wide (1 # 2) (1 # 3) (1 # 6)) (fun _ => 1 # 3) x) ;;
   if b then ret x
   else draw words (without Nat.eqb (wide (1 # 2) (1 # 3) (1 # 6)) x)) is0 == 1 # 2.
Proof. vm_compute. discriminate. Qed.

(** Drawn from another row than is declared (a temperature or a filter on one side). *)
Example wrong_declared_row : ~ Pr
  (x <- sample V (row (1 # 2) (1 # 2)) ;; b <- coin (ratio p q x) ;;
   if b then ret x else draw V (residual p q)) is0 == p 0%nat.
Proof. vm_compute. discriminate. Qed.
(** An unlikely draft is dropped after a look at it. *)
Example wrong_drop : ~ Pr
  (x <- sample V q ;;
   if is0 x then sample V p
   else b <- coin (ratio p q x) ;; if b then ret x else draw V (residual p q)) is0
  == p 0%nat.
Proof. vm_compute. discriminate. Qed.
(** Two uniforms, one for whether to keep and one for what to take instead. *)
Let twelfths := sample [0; 1; 2; 3; 4; 5; 6; 7; 8; 9; 10; 11]%Z (fun _ => 1 # 12).
Example right_two_coins : Pr
  (x <- sample words (wide (1 # 4) (1 # 4) (1 # 2)) ;; u <- twelfths ;; v <- twelfths ;;
   ret (if Z.ltb u (nth x [12; 12; 4]%Z 0%Z) then x
        else if Z.ltb v 9 then 0%nat else 1%nat)) is0
  == 1 # 2.
Proof. vm_compute. reflexivity. Qed.
(** One uniform decides both whether to keep and what to take instead (here uniform on
    twelve points, which is exact: all thresholds are twelfths). *)
Example wrong_one_coin : ~ Pr
  (x <- sample words (wide (1 # 4) (1 # 4) (1 # 2)) ;; u <- twelfths ;;
   ret (if Z.ltb u (nth x [12; 12; 4]%Z 0%Z) then x
        else if Z.ltb u 9 then 0%nat else 1%nat)) is0
  == 1 # 2.
Proof. vm_compute. discriminate. Qed.
(** Rows rounded to eighths. *)
Example wrong_rounding : ~ Pr
  (x <- sample V q ;; b <- coin (ratio (row (3 # 8) (5 # 8)) q x) ;;
   if b then ret x else draw V (residual (row (3 # 8) (5 # 8)) q)) is0 == 1 # 3.
Proof. vm_compute. discriminate. Qed.
(** The last word is cut off the target's row. *)
Example wrong_vocabulary : ~ Pr
  (x <- sample V q ;; b <- coin (ratio (row (3 # 4) 0) q x) ;;
   if b then ret x else draw V (residual (row (3 # 4) 0) q)) is0 == p 0%nat.
Proof. vm_compute. discriminate. Qed.

(** ** Blocks.  The target turns with the context. *)
Let P (c : list nat) := match c with [] => p | _ => row (1 # 3) (2 # 3) end.
Let D (_ : list nat) := q.
Let always (_ : list nat) := true.
Let first_two (block : dist (list nat)) : Q :=
  Pr (bind block (finish V P 2 [])) (leqb Nat.eqb [0; 0]%nat).
Let truth : Q := joint P [] [0; 0]%nat.

Example right_chain : first_two (chain V P D always 2 []) == truth.
Proof. vm_compute. reflexivity. Qed.
(** Every position is verified by the first row. *)
Example wrong_row : ~ first_two
  (xs <- draft V D always 2 [] ;; Chain.verify V (fun _ => P []) D [] xs) == truth.
Proof. vm_compute. discriminate. Qed.
(** The bonus token is the drafter's. *)
Example wrong_bonus : ~ first_two
  (x <- sample V (D []) ;; b <- coin (ratio (P []) (D []) x) ;;
   if b then (y <- sample V (D [x]) ;; ret [x; y])
   else (y <- draw V (residual (P []) (D [])) ;; ret [y])) == truth.
Proof. vm_compute. discriminate. Qed.
(** The refused token stays, and the correction comes after it. *)
Example wrong_prefix : ~ first_two
  (x <- sample V (D []) ;; b <- coin (ratio (P []) (D []) x) ;;
   if b then ret [x] else (y <- draw V (residual (P []) (D [])) ;; ret [x; y])) == truth.
Proof. vm_compute. discriminate. Qed.

(** Block verification with the weight of the last token alone. *)
Let Fixpoint forgetful (w : Q) (c xs : list nat) : dist (option (list nat)) :=
  match xs with
  | [] => b <- coin w ;; if b then (y <- sample V (P c) ;; ret (Some [y])) else ret None
  | x :: xs' =>
      r <- forgetful (ratio (P c) (D c) x) (c ++ [x]) xs' ;;
      match r with
      | Some ys => ret (Some (x :: ys))
      | None =>
          b <- coin (pass_prob V P D w c) ;;
          if b then (y <- sample V (corrected V (scaled P w c) (D c)) ;; ret (Some [y]))
          else ret None
      end
  end.
Let found (d : dist (option (list nat))) : dist (list nat) :=
  r <- d ;; match r with Some ys => ret ys | None => fail end.
Example right_backward : first_two
  (found (xs <- draft V D always 2 [] ;; back V P D 1 [] xs)) == truth.
Proof. vm_compute. reflexivity. Qed.
Example wrong_weight : ~ first_two
  (found (xs <- draft V D always 2 [] ;; forgetful 1 [] xs)) == truth.
Proof. vm_compute. discriminate. Qed.

(** ** Siblings: two, drawn independently from q. *)
Let two : dist (list (nat * (nat -> Q))) := siblings_of V Nat.eqb iid 2 q.

Example right_siblings : Pr (l <- two ;; first_kept V p l) is0 == p 0%nat.
Proof. vm_compute. reflexivity. Qed.
(** The second sibling is tested on the whole target. *)
Let Fixpoint on_the_whole (l : list (nat * (nat -> Q))) : dist nat :=
  match l with
  | [] => sample V p
  | (x, r) :: l' => b <- coin (ratio p r x) ;; if b then ret x else on_the_whole l'
  end.
Example wrong_sibling : ~ Pr (l <- two ;; on_the_whole l) is0 == p 0%nat.
Proof. vm_compute. discriminate. Qed.
(** Siblings are sorted before they are tried. *)
Let sorted (l : list (nat * (nat -> Q))) :=
  match l with [(x, r); (y, s)] => if Nat.leb x y then l else [(y, s); (x, r)] | _ => l end.
Example wrong_order : ~ Pr (l <- two ;; first_kept V p (sorted l)) is0 == p 0%nat.
Proof. vm_compute. discriminate. Qed.
Example right_three_word_siblings : Pr
  (l <- siblings_of words Nat.eqb iid 2 (wide (1 # 4) (1 # 4) (1 # 2)) ;;
   first_kept words (wide (1 # 2) (1 # 3) (1 # 6)) l) is0 == 1 # 2.
Proof. vm_compute. reflexivity. Qed.
(** Copies are merged, and what is left is tested as if it were independent. *)
Let merged (l : list (nat * (nat -> Q))) :=
  match l with [(x, r); (y, s)] => if Nat.eqb x y then [(x, r)] else l | _ => l end.
Example wrong_merged : ~ Pr
  (l <- siblings_of words Nat.eqb iid 2 (wide (1 # 4) (1 # 4) (1 # 2)) ;;
   first_kept words (wide (1 # 2) (1 # 3) (1 # 6)) (merged l)) is0 == 1 # 2.
Proof. vm_compute. discriminate. Qed.
End Mistakes.
