(* docs/exact-batch.md, section 1: a finite field with p elements as a prime field, the points of edwards25519 over it as a
   commutative group, and their order 8l without point counting. *)
From Coq Require Import ZArith Lia.
From mathcomp Require Import all_ssreflect all_fingroup all_algebra.
From Sigmill Require Import Numbers Multiples.
From Sigmill Require Field GroupLaw.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory.
Local Open Scope ring_scope.

Lemma expg_card (gT : finGroupType) (x : gT) : (x ^+ #|[set: gT]| = 1)%g.
Proof.
have /dvdnP[k ->] : (#[x]%g %| #|[set: gT]|)%N by rewrite orderE cardSg // subsetT.
by rewrite mulnC expgM expg_order expg1n.
Qed.

Lemma card_kills (V : finZmodType) (x : V) : x *+ #|V| = 0.
Proof.
by have := @expg_card [finGroupType of V for +%R] x; rewrite FinRing.zmodXgE cardsT FinRing.zmod1gE.
Qed.

Section FiniteField.
Variable F : finFieldType.
Hypothesis card_F : #|F| = char.

Definition divide (x y : F) : F := x / y.

Lemma field_axioms : Field_theory.field_theory (0 : F) 1 +%R *%R (fun x y => x - y) -%R divide (fun x => x^-1) (@eq F).
Proof.
split; last by move=> x /eqP x0; rewrite mulVf.
- split; [exact: add0r | exact: addrC | exact: addrA | exact: mul1r | exact: mulrC | exact: mulrA | exact: mulrDl | by []|].
  exact: subrr.
- by apply/eqP; exact: oner_neq0.
by [].
Qed.

Lemma eq_dec (x y : F) : {x = y} + {x <> y}.
Proof. by case: (x =P y) => e; [left | right]. Qed.

Definition K : Field.field := @Field.Field _ _ _ _ _ _ _ _ _ field_axioms eq_dec.

Lemma integer_nat (n : nat) : @Field.integer K (Z.of_nat n) = n%:R :> F.
Proof.
elim: n => [//|n IH]; rewrite Nat2Z.inj_succ -Z.add_1_l (Field.integer_add K) IH mulrS //.
Qed.

Lemma p_is_0 : @Field.integer K Field.p = 0 :> F.
Proof.
by rewrite -char_Z integer_nat -card_F card_kills.
Qed.

Lemma power_nat (x : F) (n : positive) : @Field.power K x n = x ^+ Pos.to_nat n.
Proof.
elim/Pos.peano_ind: n => [|n IH]; first by rewrite expr1.
by rewrite (Field.power_succ K) IH Pos2Nat.inj_succ exprS.
Qed.

Lemma card_units : #|[set: {unit F}]| = (#|F|).-1.
Proof.
rewrite cardsT card_sub -(cardC1 (0 : F)); apply: eq_card => x.
by rewrite !inE unitfE.
Qed.

Lemma fermat (x : F) : x <> 0 -> @Field.power K x (Z.to_pos (Field.p - 1)) = 1.
Proof.
move=> /eqP x0; have u : x \is a GRing.unit by rewrite unitfE.
have e := expg_card (FinRing.unit F u).
rewrite power_nat; have -> : Pos.to_nat (Z.to_pos (Field.p - 1)) = (#|F|).-1.
  by have := char_Z; rewrite card_F; move: char => c; rewrite /Field.p; lia.
by have := congr1 val e; rewrite FinRing.val_unitX card_units.
Qed.

Definition K_p : Field.prime_field := @Field.PrimeField K p_is_0 fermat.

(* The curve. *)
Definition d : F := @Field.integer K d_Z.

Lemma d_is : d * @Field.integer K 121666 = - @Field.integer K 121665.
Proof.
have e : @Field.integer K (d_Z * 121666) = @Field.integer K (- 121665) by apply: (@Field.integer_eq K_p); vm_compute.
by rewrite (Field.integer_mul K) in e; exact: (etrans e (Field.integer_opp K 121665)).
Qed.

Lemma d_nonsquare (x : F) : x * x <> d.
Proof.
apply: (@Field.nonsquare K_p) => e.
  have L : Field.legendre (K := K_p) d = @Field.integer K (-1).
    by rewrite /Field.legendre /d -(@Field.integer_power K_p); apply: (@Field.integer_eq K_p); vm_compute.
  exact: (@Field.minus_one_ne K_p (etrans (esym L) e)).
apply: (@Field.integer_ne0 K_p d_Z 29203323570479832313932222820853031755424015489030106335172286495629888845891 _ e).
by vm_compute.
Qed.

Definition on (P : F * F) : bool := P.2 * P.2 - P.1 * P.1 == 1 + d * P.1 * P.1 * P.2 * P.2.

Record point := Point { coordinates :> F * F; _ : on coordinates }.
Canonical point_subType := [subType for coordinates].
Definition point_eqMixin := [eqMixin of point by <:].
Canonical point_eqType := EqType point point_eqMixin.
Definition point_choiceMixin := [choiceMixin of point by <:].
Canonical point_choiceType := ChoiceType point point_choiceMixin.
Definition point_countMixin := [countMixin of point by <:].
Canonical point_countType := CountType point point_countMixin.
Canonical point_subCountType := [subCountType of point].
Definition point_finMixin := [finMixin of point by <:].
Canonical point_finType := FinType point point_finMixin.
Canonical point_subFinType := [subFinType of point].
Implicit Types P Q R : point.

Lemma on_point P : GroupLaw.on F 1 +%R *%R (fun x y => x - y) d P.1 P.2.
Proof. by case: P => P /= /eqP. Qed.

Notation law lemma := (lemma _ _ _ _ _ _ _ _ _ field_axioms) (only parsing).
Notation i := (@Field.i K_p).
Notation two_ne0 := (@Field.two_ne0 K_p).
Notation i_i := (@Field.i_i K_p).

Definition sum (P Q : F * F) : F * F :=
  ((P.1 * Q.2 + Q.1 * P.2) / (1 + d * P.1 * Q.1 * P.2 * Q.2), (P.2 * Q.2 + P.1 * Q.1) / (1 - d * P.1 * Q.1 * P.2 * Q.2)).

Lemma sum_on P Q : on (sum P Q).
Proof.
apply/eqP; exact: (law GroupLaw.closed eq_dec d i two_ne0 i_i d_nonsquare _ _ _ _ (on_point P) (on_point Q)).
Qed.
Lemma zero_on : on (0, 1).
Proof. apply/eqP; exact: (law GroupLaw.neutral_on d). Qed.
Lemma opp_on P : on (- P.1, P.2).
Proof. apply/eqP; exact: (law GroupLaw.inverse_on d _ _ (on_point P)). Qed.

Definition add P Q : point := Point (sum_on P Q).
Definition zero : point := Point zero_on.
Definition opp P : point := Point (opp_on P).

Lemma pair_eq (a b : F * F) : a.1 = b.1 -> a.2 = b.2 -> a = b.
Proof. by case: a b => [? ?] [? ?] /= -> ->. Qed.

Lemma addA : associative add.
Proof.
move=> P Q R; apply: val_inj; apply: pair_eq; symmetry.
  exact: (law GroupLaw.assoc_x eq_dec d i two_ne0 i_i d_nonsquare _ _ _ _ _ _ (on_point P) (on_point Q) (on_point R)).
exact: (law GroupLaw.assoc_y eq_dec d i two_ne0 i_i d_nonsquare _ _ _ _ _ _ (on_point P) (on_point Q) (on_point R)).
Qed.
Lemma addC : commutative add.
Proof.
move=> P Q; apply: val_inj; apply: pair_eq; first exact: (law GroupLaw.comm_x).
exact: (law GroupLaw.comm_y).
Qed.
Lemma add0 : left_id zero add.
Proof.
move=> P; apply: val_inj; apply: pair_eq; first exact: (law GroupLaw.neutral_x d two_ne0).
exact: (law GroupLaw.neutral_y d two_ne0).
Qed.
Lemma addN : left_inverse zero opp add.
Proof.
move=> P; apply: val_inj; apply: pair_eq; first exact: (law GroupLaw.inverse_x).
exact: (law GroupLaw.inverse_y eq_dec d i two_ne0 i_i d_nonsquare _ _ (on_point P)).
Qed.

Definition point_zmodMixin := ZmodMixin addA addC add0 addN.
Canonical point_zmodType := ZmodType point point_zmodMixin.
Canonical point_finZmodType := [finZmodType of point].
End FiniteField.
