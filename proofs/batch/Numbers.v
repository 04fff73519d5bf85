(* docs/exact-batch.md, section 1: the numbers l and p, between Z and mathcomp's natural numbers. *)
From Coq Require Import ZArith Znumtheory Lia.
From mathcomp Require Import all_ssreflect all_algebra.
From Sigmill Require PrimeL PrimeP Field.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.

Definition l_Z : Z := (2 ^ 252 + 27742317777372353535851937790883648493)%Z.
Definition ell : nat := Z.to_nat l_Z.

Lemma ell_Z : Z.of_nat ell = l_Z.
Proof. by rewrite /ell Z2Nat.id. Qed.
Global Opaque ell. (* A unary number: never to be computed. *)

(* From the primes of Z to those of mathcomp. *)
Lemma prime_of_Z (p : nat) : Znumtheory.prime (Z.of_nat p) -> prime p.
Proof.
move=> [gt1 rel]; have p1 : (1 < p)%N by apply/ltP; lia.
apply/primeP; split=> // d /dvdnP[k pk]; rewrite orbC.
have dp : (Z.of_nat d | Z.of_nat p)%Z by exists (Z.of_nat k); rewrite pk -multE; lia.
case: (prime_divisors _ (prime_intro _ gt1 rel) _ dp) => [|[|[|]]] e; try lia.
- by apply/orP; right; apply/eqP; lia.
by apply/orP; left; apply/eqP; lia.
Qed.

Lemma ell_prime : prime ell.
Proof. by apply: prime_of_Z; rewrite ell_Z; exact: PrimeL.prime_l. Qed.

Lemma expn_Z (a b : nat) : Z.of_nat (a ^ b)%N = (Z.of_nat a ^ Z.of_nat b)%Z.
Proof.
elim: b => [//|b IH]; rewrite expnS -multE Nat2Z.inj_mul IH Nat2Z.inj_succ Z.pow_succ_r //; lia.
Qed.

Lemma ltn_of_Z (a b : nat) : (Z.of_nat a < Z.of_nat b)%Z -> (a < b)%N.
Proof. by move=> lt; apply/ltP; lia. Qed.

Lemma small_of w : (2 ^ Z.of_nat w < l_Z)%Z -> (2 ^ w < ell)%N.
Proof. by move=> lt; apply: ltn_of_Z; rewrite ell_Z expn_Z. Qed.

Lemma small : (2 ^ 128 < ell)%N.
Proof. exact: small_of. Qed.

Lemma ell_odd : odd ell.
Proof.
case: (even_prime ell_prime) => [e|o]; last exact: o.
by have := ell_Z; rewrite e => /(congr1 (Z.eqb 2)).
Qed.

Definition char : nat := Z.to_nat Field.p.

Lemma char_Z : Z.of_nat char = Field.p.
Proof. by rewrite /char Z2Nat.id. Qed.
Global Opaque char.

Lemma char_prime : prime char.
Proof. by apply: prime_of_Z; rewrite char_Z; exact: PrimeP.prime_p. Qed.
