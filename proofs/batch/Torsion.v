(* docs/exact-batch.md, section 9: the test accepts a point of edwards25519 exactly when its torsion part is zero. Points of the
   group with t(P) = 0 are the multiples by eight; Character.v has the steps between its identities and such a multiple. *)
From Coq Require Import ZArith.
From mathcomp Require Import all_ssreflect all_algebra.
From Sigmill Require Import Numbers Setting Points Order.
From Sigmill Require Field GroupLaw Images Character.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory.
Local Open Scope ring_scope.

Lemma eighths (G : group8l) (P : G) : t0 P <-> exists Q : G, P = Q *+ 8.
Proof.
split=> [/eqP lP | [Q ->]]; last by rewrite /t0 -mulrnA exp_8l.
have [//|u v uv _] := @egcdnP 8 (l G).
have /eqP co := coprime_8l G; rewrite co in uv; exists (P *+ u).
by rewrite -mulrnA uv mulrnDr mulnC mulrnA lP mul0rn add0r mulr1n.
Qed.

Section Torsion.
Variable F : finFieldType.
Hypothesis card_F : #|F| = char.
Notation K := (K F).
Notation K_p := (K_p card_F).
Notation E := (edwards25519 card_F).
Notation law lemma := (lemma _ _ _ _ _ _ _ _ _ (@field_axioms F)) (only parsing).
Notation x_of P := ((P : point F) : F * F).1.
Notation y_of P := ((P : point F) : F * F).2.
Notation Fint := (@Field.integer K).
Notation d := (d F).
Notation nonsquare := (@d_nonsquare F card_F).
Notation two_ne0 := (@Field.two_ne0 K_p).
Notation i_i := (@Field.i_i K_p).

(* The constants: either root c of - (A + 2), and the root r of A + 2 for which r (2 - r) is not a square. *)
Variables r c : F.
Hypothesis rr : r * r = Fint 486664.
Hypothesis cc : c * c = - (r * r).
Hypothesis r_sign : @Field.legendre K_p (r * (1 + 1 - r)) = - 1.

Let dr := @Character.d_r K_p d r (@d_is F card_F) rr.
Let A_minus_2 := @Character.A_minus_2_holds K_p r rr.
Let rr_4 := @Character.rr_4_holds K_p r rr.
Let rr0 := @Character.rr0 K_p r r_sign.
Notation curve := (@Images.curve (Field.car K) Field.one Field.add Field.mul Field.sub r).
Notation x2 := (@Images.x2 (Field.car K) Field.one Field.add Field.mul Field.sub Field.div).
Notation y2 := (@Images.y2 (Field.car K) Field.one Field.add Field.mul Field.sub Field.div).

Lemma point_curve (P : E) : curve (x_of P) (y_of P).
Proof. exact: (@Character.curve_of_on K_p d r dr _ _ (on_point P)). Qed.

Lemma curve_point (x y : F) : curve x y -> exists P : E, x_of P = x /\ y_of P = y.
Proof.
move=> h; have o : on (x, y) by apply/eqP; exact: (@Character.on_of_curve K_p d r dr x y rr0 h).
by exists (Point o : point F).
Qed.

Lemma double_point (P : E) : x_of (P *+ 2) = x2 (x_of P) (y_of P) /\ y_of (P *+ 2) = y2 (x_of P) (y_of P).
Proof.
exact: (@Character.doubles K_p d _ _ (on_point P)).
Qed.

Lemma complete (x y : F) : curve x y -> y * y - x * x <> 0 /\ 1 + 1 - y * y + x * x <> 0.
Proof.
move=> /curve_point[P [<- <-]]; have o := on_point P; have [n p] := @Character.denominators K_p d _ _ o.
have n0 := law GroupLaw.plus0 (@eq_dec F) d _ two_ne0 i_i nonsquare _ _ _ _ o o.
have p0 := law GroupLaw.minus0 (@eq_dec F) d _ two_ne0 i_i nonsquare _ _ _ _ o o.
by split; [move=> e; apply: n0; exact: (etrans n e) | move=> e; apply: p0; exact: (etrans p e)].
Qed.

Lemma closed (x y : F) : curve x y -> curve (x2 x y) (y2 x y).
Proof.
by move=> /curve_point[P [<- <-]]; have [<- <-] := double_point P; exact: point_curve.
Qed.

Notation twice := (@Character.twice K_p).
Lemma point_eq (P Q : E) : x_of P = x_of Q -> y_of P = y_of Q -> P = Q.
Proof. by move=> ex ey; apply: val_inj; apply: pair_eq. Qed.

Lemma twice_point (P : E) : twice (x_of P, y_of P) = (x_of (P *+ 2), y_of (P *+ 2)).
Proof. by have [-> ->] := double_point P. Qed.

Lemma eighths_curve (P : E) :
  t0 P <-> exists a b : F, curve a b /\ twice (twice (twice (a, b))) = (x_of P, y_of P).
Proof.
rewrite eighths; split=> [[Q ->] | [a [b [/curve_point[Q [<- <-]]]]]].
  exists (x_of Q), (y_of Q); split; first exact: point_curve.
  by rewrite !twice_point -!mulrnA.
rewrite !twice_point -!mulrnA -[(2 * _)%N]/8%N => e; exists Q.
exact: (point_eq (esym (congr1 fst e)) (esym (congr1 snd e))).
Qed.

(* The points that the formulas leave out: t(P) is neither 0 for y = -1 nor for y = 0. *)
Lemma four_kills (P : E) : P *+ 4 = 0 -> t0 P -> P = 0.
Proof.
move=> P4 tP; apply/eqP; rewrite split0 tP /=; apply/eqP.
by rewrite (mulrnA P 4 2) P4 mul0rn.
Qed.

Lemma opp_x0 (P : E) : x_of P = 0 -> P *+ 2 = 0.
Proof.
move=> x0; have e : - P = P by apply: point_eq => //=; rewrite x0 oppr0.
by rewrite mulr2n -{1}e addNr.
Qed.

Lemma x0_t0 (P : E) : x_of P = 0 -> t0 P <-> y_of P = 1.
Proof.
move=> x0; split=> [tP | y1].
  have P4 : P *+ 4 = 0 by rewrite (mulrnA P 2 2) (opp_x0 x0) mul0rn.
  by rewrite (four_kills P4 tP).
have -> : P = 0 by apply: point_eq; rewrite ?x0 ?y1.
by rewrite /t0 mul0rn.
Qed.

Lemma y0_t0 (P : E) : y_of P = 0 -> ~ t0 P.
Proof.
move=> y0 tP; have P2 : x_of (P *+ 2) = 0.
  have -> : x_of (P *+ 2) = divide (x_of P * y_of P + x_of P * y_of P) (1 + d * x_of P * x_of P * y_of P * y_of P) by [].
  by rewrite y0 mulr0 addr0 /divide mul0r.
have P4 : P *+ 4 = 0 by rewrite (mulrnA P 2 2) (opp_x0 P2).
have P0 := four_kills P4 tP.
by move: y0; rewrite P0 => /eqP; rewrite /= oner_eq0.
Qed.

(* The statement of section 9: X = x Z, Y = y Z, and a root of N/D = (Z + Y)/(Z - Y), if there is one. *)
Definition value (X Y Z w : F) : F :=
  let N := Z + Y in let D := Z - Y in
  let m := (1 + 1) * X * Y - c * w * D * Z in
  let Ud := D * X in let Un := (1 + 1) * m + Fint 486664 * Ud in
  let a := w * Un - (1 + 1 - r) * m in let b := Ud * m in (1 + 1) * (a * a) * (b * b * b).
Definition accepts (X Y Z : F) (root : option F) : bool :=
  if X == 0 then Y == Z else if root is Some w then @Field.quartic K_p (value X Y Z w) == 1 else false.
Definition is_root (N D : F) (root : option F) : Prop :=
  if root is Some w then w * w * D = N else forall w, w * w * D <> N.

Theorem torsion_test (P : E) (X Y Z : F) (root : option F) :
  Z <> 0 -> X = x_of P * Z -> Y = y_of P * Z -> is_root (Z + Y) (Z - Y) root -> accepts X Y Z root = t0 P.
Proof.
move=> Z0 eX eY R; have Zn : Z != 0 by apply/eqP.
have oP := point_curve P; rewrite /accepts eX mulf_eq0 (negPf Zn) orbF.
have [x0|x0] := eqVneq (x_of P) 0.
  rewrite eY -{2}(mul1r Z); apply/eqP/idP => [/(mulIf Zn) y1 | /(x0_t0 x0) -> //]; exact/(x0_t0 x0).
have xn : x_of P <> 0 by apply/eqP.
have v w : @Field.quartic K_p (value (x_of P * Z) Y Z w) = Field.quartic (@Character.g K_p r c (x_of P * Z) Y Z w).
  by rewrite /value -rr.
have [y0|y0] := eqVneq (y_of P) 0.
  transitivity false; last by symmetry; apply/negP; exact: y0_t0.
  case: root R => [w|//] /= R; apply/eqP; rewrite v.
  exact: (@Character.order_4 K_p r c cc r_sign rr_4 _ _ _ _ _ _ oP xn y0 (erefl _) eY Z0 R).
have yn : y_of P <> 0 by apply/eqP.
case: root R => [w|] /= R.
  have [to from] := @Character.eight K_p r c cc A_minus_2 r_sign complete closed _ _ _ _ _ _ oP xn yn (erefl _) eY Z0 R.
  apply/eqP/idP => [e | /eighths_curve/from e]; first by apply/eighths_curve/to; exact: (etrans (esym (v w)) e).
  exact: (etrans (v w) e).
symmetry; apply/negP => /eighths[Q e].
have [|w] := @Character.eight_root K_p r c cc r_sign complete closed _ _ _ _ eY Z0 xn yn; last exact: R.
exists (x_of (Q *+ 4)), (y_of (Q *+ 4)); split; first exact: point_curve.
by rewrite twice_point -mulrnA e.
Qed.
End Torsion.

(* The page's constants. *)
Section Edwards25519.
Variable F : finFieldType.
Hypothesis card_F : #|F| = char.
Notation Fint := (@Field.integer (K F)).

Theorem section_9 (P : edwards25519 card_F) (X Y Z : F) (root : option F) :
  Z <> 0 -> X = ((P : point F) : F * F).1 * Z -> Y = ((P : point F) : F * F).2 * Z ->
  is_root (Z + Y) (Z - Y) root -> accepts card_F (Fint Character.r_Z) (Fint Character.c_Z) X Y Z root = t0 P.
Proof.
apply: torsion_test; [exact: (@Character.r_squared (K_p card_F)) | exact: (@Character.c_squared (K_p card_F))
  | exact: (@Character.r_sign (K_p card_F))].
Qed.
End Edwards25519.
