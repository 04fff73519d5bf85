(* The theorems of docs/exact-batch.md for l of edwards25519 and coefficients of 128 bits. *)
From mathcomp Require Import all_ssreflect all_algebra.
From Sigmill Require Import Numbers Setting Counting Residuals Theorems Parts HalfSize.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory.

(* Any commutative group in which l B = 0 and 8l P = 0 for all P. Points.v shows that edwards25519 is one. *)
Section Curve.
Variables (E : zmodType) (B : E).
Hypothesis lB : (B *+ ell = 0)%R.
Hypothesis exp : forall P : E, (P *+ (8 * ell) = 0)%R.
Definition ed : group8l := Group8l ell_prime ell_odd exp lB.

Variables (n : nat) (rows : 'I_n -> row ed) (X : {set 'I_n}).
Hypothesis ok : forall i, i \in X -> m_ok (rows i).
Hypothesis cofactored : forall i, i \notin X -> (m (rows i) = 0)%R.

Theorem no_false_rejection : (forall i, valid rows X i) -> forall z : coefs n 128, accept rows X z.
Proof. by move=> v z; exact: theorem1. Qed.

Theorem soundness i : ~~ valid rows X i ->
  (#|accept (w := 128) rows X| * 2 ^ 128 <= #|{: coefs n 128}|)%N.
Proof. exact: (theorem2 ok cofactored small). Qed.

Theorem soundness_one_row (z : coefs n 128) i : ~~ valid rows X i ->
  (#|[pred c | accept rows X (upd z i c)]| <= 1)%N.
Proof. exact: (at_most_one_value ok cofactored small). Qed.
End Curve.

