(* docs/exact-batch.md, section 1: edwards25519 has 8l points. No point is counted: each y has two x at most, so there are
   2p - 2 points at most, fewer than 16l; and 8l divides their number, since l B = 0 and a point has order 8. *)
From Coq Require Import ZArith Lia.
From mathcomp Require Import all_ssreflect all_fingroup all_algebra.
From Sigmill Require Import Numbers Setting Multiples Points.
From Sigmill Require Field GroupLaw.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory.
Local Open Scope ring_scope.

(* The count, in numbers alone: the group's own must not be unfolded. *)
Lemma the_multiple (N a c : nat) : (0 < N)%N -> (N <= 2 * c - 2)%N -> odd a -> (8 %| N)%N -> (a %| N)%N ->
  Z.of_nat a = l_Z -> Z.of_nat c = Field.p -> N = (8 * a)%N.
Proof.
move=> pos few_N odd_a d8 da ea ec.
have /dvdnP[k e] : (8 * a %| N)%N by rewrite Gauss_dvd ?d8 // (@coprime_pexpl 3 2) // coprime2n.
case: k e => [|[|k]] e; [by rewrite e in pos | by rewrite e mul1n | exfalso].
have h : (2 * (8 * a) <= 2 * c - 2)%N by apply: leq_trans few_N; rewrite e leq_mul2r orbT.
move: ea ec; have -> : l_Z = Zpos order_l by []; rewrite /Field.p /order_l.
move: h => /leP; rewrite -!multE -minusE; lia.
Qed.

Lemma kills_multiple (V : zmodType) (x : V) a (b : nat) : x *+ a = 0 -> x *+ (a * b) = 0.
Proof. by move=> e; rewrite mulrnA e mul0rn. Qed.
Lemma kills_four (V : zmodType) (x : V) k : (k < 3)%N -> x *+ (2 ^ k)%N = 0 -> x *+ 4 = 0.
Proof.
move=> k3 e; have -> : 4%N = (2 ^ k * 2 ^ (2 - k))%N by rewrite -expnD subnKC.
exact: kills_multiple.
Qed.

Section Order.
Variable F : finFieldType.
Hypothesis card_F : #|F| = char.
Notation K := (K F).
Notation K_p := (K_p card_F).
Notation E := (point_finZmodType card_F).
Notation Fint := (@Field.integer K).
Notation law lemma := (lemma _ _ _ _ _ _ _ _ _ (@field_axioms F)) (only parsing).
Notation two_ne0 := (@Field.two_ne0 K_p).
Notation i_i := (@Field.i_i K_p).
Notation nonsquare := (@d_nonsquare F card_F).
Implicit Types P Q : E.

Definition represents (c : projective) (P : E) : Prop :=
  let '(X, Y, Z) := c in
  [/\ Fint Z <> 0 :> F, Fint X = (P : F * F).1 * Fint Z :> F & Fint Y = (P : F * F).2 * Fint Z :> F].

Lemma add_represents c1 c2 P1 P2 : represents c1 P1 -> represents c2 P2 -> represents (add_mod c1 c2) (P1 + P2).
Proof.
case: c1 c2 => [[X1 Y1] Z1] [[X2 Y2] Z2] [z1 eX1 eY1] [z2 eX2 eY2].
have [n0 [ex ey]] := law GroupLaw.projective (@eq_dec F) (d F) _ two_ne0 i_i nonsquare _ _ _ _ _ _ (on_point P1) (on_point P2) z1 z2.
have m := Field.integer_mul K; have a := Field.integer_add K; have o := Field.integer_opp K.
have r x : Fint (Field.reduced x) = Fint x by exact: (@Field.integer_reduced K_p).
by rewrite /represents /add_mod; split;
  rewrite /Z.sub ?(r, m, a, o) eX1 eY1 eX2 eY2; [exact: n0 | exact: ex | exact: ey].
Qed.

Lemma times_represents c P n : represents c P -> represents (times c n) (P *+ Pos.to_nat n).
Proof.
move=> cP; elim: n => [n IH | n IH |] //=.
- by rewrite Pos2Nat.inj_xI multE mulrS addrC mulnC mulrnA mulr2n; apply: add_represents => //; exact: add_represents.
by rewrite Pos2Nat.inj_xO multE mulnC mulrnA mulr2n; exact: add_represents.
Qed.

Lemma zero_represents c P : represents c P -> is_zero c -> P = 0.
Proof.
case: c => [[X Y] Z] [z eX eY] /andP[/Z.eqb_eq x0 /Z.eqb_eq yz].
have cancel (a b : F) : a * Fint Z = b * Fint Z -> a = b by apply: mulIf; apply/eqP.
apply: val_inj; apply: pair_eq; apply: cancel; rewrite /= ?mul0r ?mul1r -?eX -?eY.
  by rewrite -[LHS](@Field.integer_mod K_p) x0.
exact: (@Field.integer_eq K_p).
Qed.

Lemma nonzero_represents c P : represents c P -> is_nonzero c -> P != 0.
Proof.
case: c => [[X Y] Z] [z eX eY] /Z.eqb_eq n; apply/eqP => P0; apply: (@Field.integer_ne0 K_p _ _ n).
by rewrite (Field.integer_sub K) eY P0; rewrite /= mul1r; exact: subrr.
Qed.

(* Points from coordinates. *)
Lemma on_of_mod x y : on_mod x y -> on (Fint x, Fint y).
Proof.
move=> /Z.eqb_eq e; have := @Field.integer_eq K_p _ _ e.
have m := Field.integer_mul K; have a := Field.integer_add K; have o := Field.integer_opp K.
by rewrite /Z.sub ?(m, a, o) => h; apply/eqP; exact: h.
Qed.

Definition B : E := Point (on_of_mod on_B).

Definition T : E := Point (on_of_mod on_T).

Lemma represents_affine x y (h : on_mod x y) : represents (x, y, Zpos xH) (Point (on_of_mod h)).
Proof.
split; first exact: (@Field.one_ne0 K); rewrite /=; exact: esym (mulr1 _).
Qed.

Lemma lB : B *+ ell = 0.
Proof.
have -> : ell = Pos.to_nat order_l by have := ell_Z; rewrite /l_Z /order_l; lia.
exact: (zero_represents (times_represents _ (represents_affine on_B)) B_l).
Qed.

Lemma B_ne0 : B != 0.
Proof. exact: (nonzero_represents (represents_affine on_B) B_1). Qed.

Lemma T8 : T *+ 8 = 0.
Proof. exact: (zero_represents (times_represents 8 (represents_affine on_T)) T_8). Qed.

Lemma T4 : T *+ 4 != 0.
Proof. exact: (nonzero_represents (times_represents 4 (represents_affine on_T)) T_4). Qed.

(* At most 2p - 2 points. *)
Lemma at_most_two (y : F) : (#|[pred P : E | (P : F * F).2 == y]| <= 2)%N.
Proof.
case: (pickP [pred P : E | (P : F * F).2 == y]) => [P0 /eqP y0 | none]; last by rewrite (eq_card0 none).
apply: leq_trans (_ : #|[set P0; - P0]| <= 2)%N; last by rewrite cards2; case: eqP.
apply: subset_leq_card; apply/subsetP => P; rewrite !inE => /eqP yP.
have oP := on_point P; have o0 := on_point P0; rewrite yP in oP; rewrite y0 in o0.
have [e|e] := law GroupLaw.same_y (@eq_dec F) (d F) _ two_ne0 i_i nonsquare _ _ _ oP o0.
  by apply/orP; left; apply/eqP; apply: val_inj; apply: pair_eq; rewrite ?yP ?y0.
by apply/orP; right; apply/eqP; apply: val_inj; apply: pair_eq; rewrite /= ?yP ?y0.
Qed.

Lemma at_most_one_point (y : F) : y * y = 1 -> (#|[pred P : E | (P : F * F).2 == y]| <= 1)%N.
Proof.
move=> yy; apply/card_le1P => P; rewrite !inE => /eqP yP Q; rewrite !inE.
apply/eqP/eqP => [yQ | -> //].
have x0 (R : E) : (R : F * F).2 = y -> (R : F * F).1 = 0.
  move=> yR; have o := on_point R; rewrite yR in o.
  exact: (law GroupLaw.one_x (@eq_dec F) (d F) _ two_ne0 i_i nonsquare _ _ o yy).
by apply: val_inj; apply: pair_eq; rewrite ?x0 ?yP ?yQ.
Qed.

Lemma few : (#|E| <= 2 * char - 2)%N.
Proof.
have -> : #|E| = (\sum_(y : F) #|[pred P : E | (P : F * F).2 == y]|)%N.
  rewrite -sum1_card (partition_big (fun P : E => (P : F * F).2) predT) //=.
  by apply: eq_bigr => y _; rewrite sum1_card.
have ne : (-1 : F) != 1 by apply/eqP; exact: (@Field.minus_one_ne K_p).
rewrite (bigD1 1) //= (bigD1 (-1)) //=.
have c2 : (#|[pred y : F | (y != 1%R) && (y != (- 1)%R)]| = char - 2)%N.
  have := cardC (pred2 (1 : F) (-1)); rewrite card2 eq_sym ne card_F /= => e.
  rewrite -(eq_card (A := predC (pred2 (1 : F) (-1)))); last by move=> y; rewrite !inE negb_or.
  by rewrite -e addKn.
have two : (2 <= char)%N by have := prime_gt1 char_prime.
apply: (@leq_trans (1 + (1 + \sum_(y : F | (y != 1%R) && (y != (- 1)%R)) 2))%N).
  by apply: leq_add; [apply: at_most_one_point; rewrite mulr1
    | apply: leq_add; [apply: at_most_one_point; rewrite mulrNN mulr1 | apply: leq_sum => y _; exact: at_most_two]].
rewrite sum_nat_const c2; case: (char) two => [|[|c]] // _; by rewrite subn2 /= mulnC !mulnS addKn addnA.
Qed.

(* 8l divides the number of points. *)
Lemma gcd_kills (P : E) a b : P *+ a = 0 -> P *+ b = 0 -> P *+ gcdn a b = 0.
Proof.
case: a => [|a] Pa Pb; first by rewrite gcd0n.
have [u v e _] := @egcdnP a.+1 b isT.
have := mulrnDr P (v * b) (gcdn a.+1 b); rewrite -e [(u * _)%N]mulnC [(v * _)%N]mulnC !mulrnA Pa Pb !mul0rn add0r.
by move=> <-.
Qed.

Lemma l_divides : (ell %| #|E|)%N.
Proof.
case/boolP: (ell %| #|E|)%N => // nd; case/negP: B_ne0; apply/eqP.
have := gcd_kills lB (card_kills B); rewrite (eqP (_ : coprime ell #|E|)) ?mulr1n //.
by rewrite prime_coprime ?ell_prime.
Qed.

Lemma eight_divides : (8 %| #|E|)%N.
Proof.
case/boolP: (8 %| #|E|)%N => // nd; case/negP: T4; apply/eqP.
have g := gcd_kills T8 (card_kills T).
have /(@dvdn_pfactor 2 _ 3 isT)[k k3 e] : (gcdn 8 #|E| %| 2 ^ 3)%N by exact: dvdn_gcdl.
case: (ltnP k 3) => [lt|ge]; first by rewrite e in g; exact: (kills_four lt g).
have k_3 : k = 3%N by apply/eqP; rewrite eqn_leq k3.
have d8 : (8 %| #|E|)%N by rewrite k_3 in e; rewrite -[X in (X %| _)%N]/(2 ^ 3)%N -e dvdn_gcdr.
by rewrite d8 in nd.
Qed.

Theorem order : #|E| = (8 * ell)%N.
Proof.
have pos : (0 < #|E|)%N by apply/card_gt0P; exists 0.
exact: (the_multiple pos few ell_odd eight_divides l_divides ell_Z char_Z).
Qed.

Lemma exponent (P : E) : P *+ (8 * ell) = 0.
Proof. by rewrite -order card_kills. Qed.

Definition edwards25519 : group8l := Group8l ell_prime ell_odd exponent lB.
End Order.
