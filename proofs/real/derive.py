"""The development over the real numbers, derived from the one over the rationals.

    python derive.py FOLDER_OF_RATIONAL_SOURCES FOLDER_TO_WRITE_TO

The proofs use the laws of an ordered field only, so a change of names is enough: what
is written is compiled by Coq like anything else. Its Reals rest on two axioms of the
standard library; the rational development rests on none.
"""

import re
import sys
from pathlib import Path

FILES = (
    "Distribution",
    "Step",
    "Rounds",
    "Chain",
    "Block",
    "Tree",
    "Recursive",
    "Fixed",
    "Hub",
    "Transport",
    "Plans",
    "Weights",
    "Stopping",
)
IMPORTS = "Require Import Reals Rbasic_fun List Lra Lia Arith.\n"
NAMES = """
(** Names of the rational version, for the reals. *)
Definition Req_bool (x y : R) : bool := if Req_EM_T x y then true else false.
Definition Rle_bool (x y : R) : bool := if Rle_dec x y then true else false.
Lemma Req_bool_eq x y : Req_bool x y = true -> x = y.
Proof. unfold Req_bool. destruct (Req_EM_T x y); [auto|discriminate]. Qed.
Lemma Req_bool_neq x y : Req_bool x y = false -> x <> y.
Proof. unfold Req_bool. destruct (Req_EM_T x y); [discriminate|auto]. Qed.
Lemma Rle_shift_div_l a b c : 0 < c -> a * c <= b -> a <= b / c.
Proof.
  intros Hc H. apply (Rmult_le_reg_r c); [exact Hc|].
  unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
Qed.
Lemma Rle_shift_div_r a b c : 0 < b -> a <= c * b -> a / b <= c.
Proof.
  intros Hb H. apply (Rmult_le_reg_r b); [exact Hb|].
  unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
Qed.
Lemma Rmult_le_compat_right x y z : x <= y -> 0 <= z -> x * z <= y * z.
Proof. intros; now apply Rmult_le_compat_r. Qed.
"""
CHANGES = [
    (r"rewrite H\. unfold Qinv; simpl\. ring\.", "rewrite H, Rinv_0. ring."),
    (r"Require Import (Q[A-Za-z]+ )+List[^.]*\.\n", IMPORTS),
    (r"SpecSim\b", "SpecSimReal"),
    (r"\bQ_scope\b", "R_scope"),
    (r"==", "="),
    (r"\bQ(min|max|abs)\b", r"R\1"),
    (r"\bQabs_neg\b", "Rabs_left1"),
    (r"\bQabs_pos\b", "Rabs_pos_eq"),
    (r"\bQ\.min_glb\b", "Rmin_glb"),
    (r"\bQ\.le_(min|max)_([lr])\b", r"R\1_\2"),
    (r"\bQ\.(min|max)_l\b", r"R\1_left"),
    (r"\bQ\.(min|max)_r\b", r"R\1_right"),
    (r"\bQ(eq|le)_bool", r"R\1_bool"),
    (r"\bQeq_refl\b", "eq_refl"),
    (r"\bQeq_dec\b", "Req_EM_T"),
    (r"\bQlt_le_dec\b", "Rlt_le_dec"),
    (r"\bQle_shift_div", "Rle_shift_div"),
    (r"\bQmult_le_compat_r\b", "Rmult_le_compat_right"),
    (r"\bQmult_le_0_compat\b", "Rmult_le_pos"),
    (r"\bQmult_inv_r\b", "Rinv_r"),
    (r"\bQmult_plus_distr_r\b", "Rmult_plus_distr_l"),
    (r"\bQplus_le_compat\b", "Rplus_le_compat"),
    (r"\bQle_refl\b", "Rle_refl"),
    (r"\bQ(div|inv|minus|le_trans|mult_comm|mult_1_[lr])\b", r"R\1"),
    (r"apply Qmult_comp; \[reflexivity\|\]", "f_equal"),
    (r"\bsetoid_replace\b", "replace"),
    (r"\(1 ?# ?2\)", "(1 / 2)"),
    (r"inject_Z \(Z\.of_nat (\(length ys\)|n)\)", r"INR \1"),
    (
        r"Nat2Z\.inj_succ\. unfold Z\.succ\.\n  rewrite inject_Z_plus",
        "S_INR",
    ),
    (r"rewrite <- Zle_Qle\. lia", "now apply le_INR"),
    (r"\bQ\b", "R"),
]


def main() -> None:
    source, target = map(Path, sys.argv[1:])
    target.mkdir(exist_ok=True)
    for name in FILES:
        text = (source / f"{name}.v").read_text()
        for old, new in CHANGES:
            text = re.sub(old, new, text)
        if name == "Distribution":
            text = text.replace(
                "Open Scope R_scope.\n", f"Open Scope R_scope.\n{NAMES}", 1
            )
        (target / f"{name}.v").write_text(text)


if __name__ == "__main__":
    main()
