(* A field as a record, so that the identities of GroupLaw.v and Isogeny.v need no library but Coq's own; the integers in it;
   powers. docs/exact-batch.md, section 9: Euler's criterion and the quartic power for p = 5 mod 8. *)
From Coq Require Import Ring Field Setoid ZArith InitialRing Lia.

Record field := Field {
  car :> Type;
  zero : car; one : car;
  add : car -> car -> car; mul : car -> car -> car; sub : car -> car -> car; opp : car -> car;
  div : car -> car -> car; inv : car -> car;
  field_axioms : field_theory zero one add mul sub opp div inv (@eq car);
  dec : forall x y : car, {x = y} + {x <> y};
}.
Arguments zero {f}. Arguments one {f}. Arguments add {f}. Arguments mul {f}. Arguments sub {f}. Arguments opp {f}.
Arguments div {f}. Arguments inv {f}. Arguments dec {f}.

Declare Scope F_scope.
Delimit Scope F_scope with F.
Notation "0" := zero : F_scope.
Notation "1" := one : F_scope.
Infix "+" := add : F_scope.
Infix "*" := mul : F_scope.
Infix "-" := sub : F_scope.
Infix "/" := div : F_scope.
Notation "- x" := (opp x) : F_scope.
Notation "2" := (add one one) : F_scope.
Notation "3" := (add one (add one one)) : F_scope.
Notation "4" := (add (add one one) (add one one)) : F_scope.

Section Field.
Variable K : field.
Add Field K_field : (field_axioms K).
Local Open Scope F_scope.
Implicit Types x y : K.

Lemma product_0 x y : x * y = 0 -> x <> 0 -> y = 0.
Proof. intros E x0. transitivity (x * y / x); [field; auto | rewrite E; field; auto]. Qed.

Lemma product_ne0 x y : x <> 0 -> y <> 0 -> x * y <> 0.
Proof. intros x0 y0 E. apply y0. exact (product_0 _ _ E x0). Qed.

Lemma factor_ne0 x y : x * y <> 0 -> x <> 0 /\ y <> 0.
Proof. split; intro E; apply H; rewrite E; ring. Qed.

Lemma minus_0 x y : x - y = 0 -> x = y.
Proof. intro E. transitivity (x - y + y); [ring | rewrite E; ring]. Qed.

(* Powers by squaring. *)
Fixpoint power x (n : positive) : K :=
  match n with
  | xH => x
  | xO m => power x m * power x m
  | xI m => x * (power x m * power x m)
  end.

Lemma power_xO x m : power x (xO m) = power x m * power x m.
Proof. reflexivity. Qed.
Lemma power_xI x m : power x (xI m) = x * (power x m * power x m).
Proof. reflexivity. Qed.

Lemma power_succ x n : power x (Pos.succ n) = x * power x n.
Proof. induction n as [n IH | n IH |]; simpl; rewrite ?IH; ring. Qed.

Lemma power_product x y n : power (x * y) n = power x n * power y n.
Proof. induction n as [n IH | n IH |]; simpl; rewrite ?IH; ring. Qed.

Lemma power_add x m n : power x (m + n) = power x m * power x n.
Proof.
induction m as [| m IH] using Pos.peano_ind.
- rewrite Pos.add_1_l, power_succ. reflexivity.
- rewrite Pos.add_succ_l, !power_succ, IH. ring.
Qed.

Lemma power_one n : power 1 n = 1.
Proof. induction n as [n IH | n IH |]; simpl; rewrite ?IH; ring. Qed.

Lemma power_0 n : power 0 n = 0.
Proof. induction n as [n IH | n IH |]; simpl; rewrite ?IH; ring. Qed.

Lemma power_ne0 x n : x <> 0 -> power x n <> 0.
Proof. intro x0. induction n as [n IH | n IH |]; simpl; auto using product_ne0. Qed.

Lemma one_ne0 : (1 : K) <> 0.
Proof. exact (F_1_neq_0 (field_axioms K)). Qed.

Lemma inverse x : x <> 0 -> x * (1 / x) = 1.
Proof. intro x0. field. exact x0. Qed.

(* Integers in the field. *)
Definition integer : Z -> K := gen_phiZ 0 1 add mul opp.
Let morphism := gen_phiZ_morph (Eqsth K) (Eq_ext add mul opp) (F_R (field_axioms K)).

Lemma integer_add a b : integer (a + b) = integer a + integer b.
Proof. exact (morph_add morphism a b). Qed.
Lemma integer_mul a b : integer (a * b) = integer a * integer b.
Proof. exact (morph_mul morphism a b). Qed.
Lemma integer_sub a b : integer (a - b) = integer a - integer b.
Proof. exact (morph_sub morphism a b). Qed.
Lemma integer_opp a : integer (- a) = - integer a.
Proof. exact (morph_opp morphism a). Qed.
Lemma integer_0 : integer 0 = 0. Proof. reflexivity. Qed.
Lemma integer_1 : integer 1 = 1. Proof. reflexivity. Qed.
End Field.
Arguments power {K}. Arguments integer {K}.
(* A power is never unfolded: it would be a term of 2^254 factors. *)
Global Opaque power.

Definition p : Z := 57896044618658097711785492504343953926634992332820282019728792003956564819949.
Definition half : positive := 28948022309329048855892746252171976963317496166410141009864396001978282409974.
Definition quarter : positive := 14474011154664524427946373126085988481658748083205070504932198000989141204987.

(* GF(p): p is 0, and Fermat's little theorem holds. *)
Record prime_field := PrimeField {
  base :> field;
  p_is_0 : integer p = zero :> base;
  fermat : forall x : base, x <> zero -> power x (Z.to_pos (p - 1)) = one;
}.

(* An integer congruent modulo p, of 256 bits for a product of two such: 2^255 is 19. *)
Definition fold_once (a : Z) : Z := Z.land a (Z.ones 255) + 19 * Z.shiftr a 255.
Definition reduced (a : Z) : Z := fold_once (fold_once a).

Lemma fold_once_mod a : exists q, (a = q * p + fold_once a)%Z.
Proof.
exists (Z.shiftr a 255). unfold fold_once. rewrite Z.land_ones, Z.shiftr_div_pow2 by lia.
pose proof (Z.div_mod a (2 ^ 255)). unfold p. lia.
Qed.

(* Powers modulo p of integers, to compute with. *)
Fixpoint power_mod (a : Z) (n : positive) : Z :=
  match n with
  | xH => reduced a
  | xO m => let b := power_mod a m in reduced (b * b)
  | xI m => let b := power_mod a m in reduced (a * reduced (b * b))
  end.

Section PrimeField.
Variable K : prime_field.
Add Field K_field2 : (field_axioms K).
Local Open Scope F_scope.
Implicit Types x y : K.

Lemma integer_mod a : integer (a mod p) = integer a :> K.
Proof.
transitivity (integer (p * (a / p) + a mod p) : K).
- rewrite integer_add, integer_mul, p_is_0. ring.
- rewrite <- Z.div_mod by discriminate. reflexivity.
Qed.

Lemma integer_reduced a : integer (reduced a) = integer a :> K.
Proof.
assert (once : forall b, integer (fold_once b) = integer b :> K).
{ intro b. destruct (fold_once_mod b) as [q E]. rewrite E at 2. rewrite integer_add, integer_mul, p_is_0. ring. }
unfold reduced. rewrite !once. reflexivity.
Qed.

Lemma integer_eq a b : ((a - b) mod p = 0)%Z -> integer a = integer b :> K.
Proof. intro E. apply minus_0. rewrite <- integer_sub, <- integer_mod, E. reflexivity. Qed.

Lemma integer_ne0 a b : ((a * b) mod p = 1)%Z -> integer a <> (0 : K).
Proof.
intros E a0. apply (one_ne0 K). rewrite <- integer_1, <- E, integer_mod, integer_mul, a0. ring.
Qed.

Lemma integer_power a n : integer (power_mod a n) = power (integer a) n :> K.
Proof.
induction n as [n IH | n IH |]; cbn [power_mod]; cbv zeta.
- rewrite power_xI, integer_reduced, integer_mul, integer_reduced, integer_mul, IH. reflexivity.
- rewrite power_xO, integer_reduced, integer_mul, IH. reflexivity.
- apply integer_reduced.
Qed.

(* Legendre's symbol and the quartic power of section 9. *)
Definition legendre x : K := power x half.
Definition quartic x : K := power x quarter.

Lemma half_quarter : half = xO quarter. Proof. reflexivity. Qed.
Lemma p_half : Z.to_pos (p - 1) = xO half. Proof. reflexivity. Qed.

Lemma legendre_quartic x : legendre x = quartic x * quartic x.
Proof. unfold legendre, quartic. rewrite half_quarter. apply power_xO. Qed.

Lemma legendre_squared x : x <> 0 -> legendre x * legendre x = 1.
Proof. intro x0. unfold legendre. rewrite <- power_xO, <- p_half. apply (fermat K), x0. Qed.

Lemma legendre_square x : x <> 0 -> legendre (x * x) = 1.
Proof. intro x0. unfold legendre. rewrite power_product. apply legendre_squared, x0. Qed.

Lemma legendre_product x y : legendre (x * y) = legendre x * legendre y.
Proof. apply power_product. Qed.

Lemma quartic_product x y : quartic (x * y) = quartic x * quartic y.
Proof. apply power_product. Qed.

Lemma quartic_square x : quartic (x * x) = legendre x.
Proof. rewrite quartic_product, legendre_quartic. reflexivity. Qed.

Lemma two_ne0 : (2 : K) <> 0.
Proof.
change (integer 2 <> (0 : K)).
apply (integer_ne0 2 28948022309329048855892746252171976963317496166410141009864396001978282409975).
vm_compute. reflexivity.
Qed.

Lemma sign x : x * x = 1 -> x = 1 \/ x = - (1).
Proof.
intro E. destruct (dec x 1) as [|n]; auto. right.
assert (z : x + 1 = 0).
{ apply (product_0 K (x - 1)).
  - transitivity (x * x - 1); [ring | rewrite E; ring].
  - intro Z. apply n, minus_0, Z. }
transitivity (x + 1 - 1); [ring | rewrite z; ring].
Qed.

Lemma minus_one_ne : - (1) <> (1 : K).
Proof.
intro E. apply two_ne0. transitivity (1 - - (1) : K); [ring | rewrite E; ring].
Qed.

Lemma legendre_sign x : x <> 0 -> legendre x = 1 \/ legendre x = - (1).
Proof. intro x0. apply sign, legendre_squared, x0. Qed.

(* A root of -1, 2^((p-1)/4). *)
Definition i_Z : Z := power_mod 2 quarter.
Definition i : K := integer i_Z.
Lemma i_i : i * i = - (1).
Proof.
change (i * i = integer (-1)). unfold i. rewrite <- integer_mul. apply integer_eq. vm_compute. reflexivity.
Qed.

Lemma root_minus_one : exists j : K, j * j = - (1).
Proof. exists i. exact i_i. Qed.

Lemma i_ne0 : i <> 0.
Proof. intro E. apply (one_ne0 K). generalize i_i. rewrite E. intro Z. transitivity (- - (1) : K); [ring | rewrite <- Z; ring]. Qed.

Lemma quartic_minus_one : quartic (- (1)) = - (1).
Proof.
change (quartic (integer (-1)) = integer (-1) :> K). unfold quartic. rewrite <- integer_power.
apply integer_eq. vm_compute. reflexivity.
Qed.

(* x^((p+3)/8) is a root of x * x^((p-1)/4). *)
Lemma root_up_to_sign x : exists y, y * y = x * quartic x.
Proof.
exists (power x 7237005577332262213973186563042994240829374041602535252466099000494570602494).
unfold quartic. rewrite <- power_xO, <- power_succ. reflexivity.
Qed.

(* Euler's criterion. *)
Lemma root_of_legendre x : legendre x = 1 -> exists y, y * y = x.
Proof.
rewrite legendre_quartic. intro E. destruct (root_up_to_sign x) as [y S].
destruct (sign (quartic x) E) as [Q | Q]; rewrite Q in S.
- exists y. rewrite S. ring.
- destruct root_minus_one as [j jj]. exists (j * y). transitivity (j * j * (y * y)); [ring|]. rewrite jj, S. ring.
Qed.

Lemma nonsquare x : legendre x <> 1 -> x <> 0 -> forall y, y * y <> x.
Proof.
intros L x0 y E. apply L. rewrite <- E. apply legendre_square. intro Z. apply x0. rewrite <- E, Z. ring.
Qed.
End PrimeField.
Arguments legendre {K}. Arguments quartic {K}. Arguments i {K}.
