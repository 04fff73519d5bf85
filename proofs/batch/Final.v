(* docs/exact-batch.md, section 5: theorems 1 and 2 for edwards25519 over GF(p), its l, and coefficients of 128 bits. No hypothesis
   about the group is left. *)
From mathcomp Require Import all_ssreflect all_algebra.
From Sigmill Require Import Numbers Setting Counting Residuals Theorems Order.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory.

Definition E25519 : group8l := edwards25519 (card_Fp char_prime).

Section Final.
Variables (n : nat) (rows : 'I_n -> row E25519) (X : {set 'I_n}).
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
End Final.
