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

(* Section 7, "Samples": two combinations with coefficients of their own. A wrong acceptance of either has these bounds, so that
   either is accepted wrongly for at most two tables in 2^128. *)
Theorem samples (n1 n2 : nat) (wrong1 : pred (coefs n1 128)) (wrong2 : pred (coefs n2 128)) :
  (#|wrong1| * 2 ^ 128 <= #|{: coefs n1 128}|)%N -> (#|wrong2| * 2 ^ 128 <= #|{: coefs n2 128}|)%N ->
  (#|[pred z : coefs n1 128 * coefs n2 128 | wrong1 z.1 || wrong2 z.2]| * 2 ^ 128
    <= 2 * #|{: coefs n1 128 * coefs n2 128}|)%N.
Proof.
move=> le1 le2.
apply: (@leq_trans ((#|[predX wrong1 & predT : pred (coefs n2 128)]| + #|[predX (predT : pred (coefs n1 128)) & wrong2]|) * 2 ^ 128)).
  rewrite leq_mul2r; apply/orP; right; rewrite -cardUI; apply: leq_trans (leq_addr _ _).
  by apply: subset_leq_card; apply/subsetP => z; rewrite !inE /= andbT.
rewrite !cardX mulnDl mul2n -addnn card_prod; apply: leq_add; first by rewrite mulnAC leq_mul2r le1 orbT.
by rewrite -mulnA leq_mul2l le2 orbT.
Qed.
