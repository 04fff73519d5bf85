(* docs/exact-batch.md, section 9, e to g: the quartic power of f at the preimages of P, from `double` and `translate`. Points are
   pairs of GF(p) on the curve of Images.v; `complete` says that doubling has no denominator 0 there. *)
From Coq Require Import Ring Field Setoid ZArith.
From Sigmill Require Import Field.
From Sigmill Require Isogeny Images GroupLaw.
Section Character.
Variable K : prime_field.
Add Field K_field : (field_axioms K).
Local Open Scope F_scope.
Implicit Types x y w z X Y Z : K.
Notation lift lemma := (lemma _ _ _ _ _ _ _ _ _ (field_axioms K)) (only parsing).
Notation f := (Isogeny.f K one add mul sub div).
Notation on := (Isogeny.on K one add mul sub).
Notation UT := (Isogeny.UT K one add mul sub div).
Notation VT := (Isogeny.VT K one add mul sub opp div).
Notation curve := (Images.curve K one add mul sub).
Notation phi_U := (Images.phi_U K mul opp div).
Notation phi_V := (Images.phi_V K one add mul sub opp div).
Notation x2 := (Images.x2 K one add mul sub div).
Notation y2 := (Images.y2 K one add mul sub div).
Notation u_of := (Images.u_of K one add sub div).
Notation U_of := (Images.U_of K one add mul sub div).
Notation root := (Images.root K one add mul sub opp div).

Variables r c : K.
Hypothesis cc : c * c = - (r * r).
Hypothesis A_minus_2 : legendre (r * r - 4) = - (1).
Hypothesis sign_of_r : legendre (r * (2 - r)) = - (1).
Hypothesis complete : forall x y, curve r x y -> y * y - x * x <> 0 /\ 2 - y * y + x * x <> 0.
Let two := two_ne0 K.

Ltac nz := match goal with H : ?a <> 0 |- ?b <> 0 => let e := fresh in intro e; apply H; solve
      [refine (eq_trans _ e); ring | transitivity (- b); [ring|rewrite e; ring]] end.
Ltac sides := repeat split; first [assumption | nz].

(* Squares. *)
Lemma four : (4 : K) <> 0.
Proof. replace (4 : K) with (2 * 2 : K) by ring. apply product_ne0; exact two. Qed.
Lemma legendre_not x z : legendre x = - (1) -> z * z <> x.
Proof.
intros L e. destruct (dec x 0) as [x0|x0].
- apply (minus_one_ne K). rewrite <- L, x0. unfold legendre. rewrite power_0. exfalso.
  revert L. rewrite x0. unfold legendre. rewrite power_0. intro Z. apply (one_ne0 K). transitivity (- - (1) : K); [ring|].
  rewrite <- Z. ring.
- refine (nonsquare K x _ x0 z e). rewrite L. exact (minus_one_ne K).
Qed.
Lemma legendre_minus_one : legendre (- (1)) = (1 : K).
Proof. rewrite legendre_quartic, quartic_minus_one. ring. Qed.
Lemma legendre_opp x : legendre (- x) = legendre x.
Proof. replace (- x) with (- (1) * x) by ring. rewrite legendre_product, legendre_minus_one. ring. Qed.
Lemma legendre_inverse x y : y <> 0 -> legendre (x * x / y) = legendre (x * x) * legendre y.
Proof.
intro y0. rewrite <- legendre_product. replace (x * x / y) with (x * x * y * (1 / y * (1 / y))) by (field; auto).
rewrite legendre_product, legendre_square; [ring|]. intro Z. apply (one_ne0 K).
transitivity (y * y * (1 / y * (1 / y))); [field; auto|rewrite Z; ring].
Qed.
Lemma quartic_fourth x : x <> 0 -> quartic (x * x * (x * x)) = 1.
Proof. intro x0. rewrite quartic_square. apply legendre_square, x0. Qed.
Lemma quartic_0 : quartic (0 : K) = 0.
Proof. apply power_0. Qed.

Lemma r0 : r <> 0.
Proof.
intro Z. apply (legendre_not _ 0 sign_of_r). rewrite Z. ring.
Qed.
Lemma rr0 : r * r <> 0.
Proof. apply product_ne0; exact r0. Qed.
Lemma c0 : c <> 0.
Proof. intro Z. apply rr0. transitivity (- - (r * r)); [ring|rewrite <- cc, Z; ring]. Qed.
Lemma square_ne_US z : z * z <> r * (r - 2).
Proof. apply legendre_not. rewrite <- sign_of_r, <- legendre_opp. f_equal. ring. Qed.
Lemma r_plus_2 : r + 2 <> 0.
Proof. intro Z. apply (legendre_not _ 0 A_minus_2). transitivity ((r + 2) * (r - 2)); [rewrite Z|]; ring. Qed.

Section Point.
Variables x y : K.
Hypothesis E : curve r x y.
Hypothesis x0 : x <> 0.
Hypothesis y0 : y <> 0.

Lemma xxyy : 4 * (x * x) * (y * y) <> 0.
Proof. pose proof four. auto using product_ne0. Qed.
Lemma a0 : 1 - y * y <> 0.
Proof. intro Z. apply xxyy. rewrite <- E. transitivity (- (r * r) * (x * x + 1) * (1 - y * y)); [ring|rewrite Z; ring]. Qed.
Lemma b0 : x * x + 1 <> 0.
Proof. intro Z. apply xxyy. rewrite <- E, Z. ring. Qed.
Lemma minus0 : 1 - y <> 0.
Proof. intro Z. apply a0. transitivity ((1 - y) * (1 + y)); [ring|rewrite Z; ring]. Qed.
Lemma plus0 : 1 + y <> 0.
Proof. intro Z. apply a0. transitivity ((1 - y) * (1 + y)); [ring|rewrite Z; ring]. Qed.
Lemma u0 : u_of y <> 0.
Proof.
pose proof minus0. intro Z. apply plus0. transitivity (u_of y * (1 - y)); [unfold Images.u_of; field; auto|rewrite Z; ring].
Qed.

Lemma phi_U_square : c / x * (c / x) = phi_U r x.
Proof. unfold Images.phi_U. rewrite <- cc. field. auto. Qed.
Lemma U0 : phi_U r x <> 0.
Proof.
intro Z. apply rr0. transitivity (- (x * x * phi_U r x)); [unfold Images.phi_U; field; auto|rewrite Z; ring].
Qed.
Lemma U_rr : phi_U r x - r * r <> 0.
Proof.
intro Z. apply (product_ne0 K _ _ rr0 b0). transitivity (- (x * x * (phi_U r x - r * r))); [unfold Images.phi_U; field; auto|].
rewrite Z; ring.
Qed.
Lemma U_rr_4 : phi_U r x - r * r + 4 <> 0.
Proof.
intro Z. apply (legendre_not _ (c / x) A_minus_2). rewrite phi_U_square.
transitivity (phi_U r x - r * r + 4 + (r * r - 4)); [ring|rewrite Z; ring].
Qed.
Lemma phi_on : on r (phi_U r x) (phi_V c x y).
Proof. pose proof a0. pose proof b0. apply (lift Images.phi_on); auto. Qed.

(* S is the only zero of f. *)
Lemma f_ne0 : f r (phi_U r x) (phi_V c x y) <> 0.
Proof.
pose proof phi_on as o. pose proof U_rr as n. pose proof phi_U_square as s. unfold Isogeny.on in o. unfold Isogeny.f.
revert o n s. generalize (phi_U r x) (phi_V c x y) (c / x). intros U V z o n s Z.
assert (N : V - (2 - r) * (U - r * r) = 0).
{ destruct (dec (V - (2 - r) * (U - r * r)) 0) as [|ne]; auto. exfalso. apply (product_ne0 K _ _ ne ne).
  transitivity ((V - (2 - r) * (U - r * r)) * (V - (2 - r) * (U - r * r)) / (U - r * r) * (U - r * r)); [field; auto|].
  rewrite Z. ring. }
assert (e : V = (2 - r) * (U - r * r)) by (apply minus_0, N).
assert (q : (U - r * (r - 2)) * (U - r * (r - 2)) = 0).
{ apply (product_0 K (U - r * r)); auto.
  transitivity (U * (U - r * r) * (U - r * r + 4) - (2 - r) * (U - r * r) * ((2 - r) * (U - r * r))); [ring|].
  rewrite <- o, e. ring. }
apply (square_ne_US z). rewrite s. apply minus_0.
destruct (dec (U - r * (r - 2)) 0) as [|ne]; auto. exact (product_0 K _ _ q ne).
Qed.

(* 9.f *)
Lemma legendre_f : legendre (f r (phi_U r x) (phi_V c x y)) = legendre (u_of y).
Proof.
pose proof f_ne0 as n. unfold Isogeny.f in *.
pose proof a0. pose proof b0. pose proof minus0. pose proof plus0. pose proof u0 as nu. pose proof U_rr as u1.
assert (e : phi_U r x - r * r = (u_of y - 1) * (u_of y - 1) / u_of y) by (apply (lift Images.U_minus_rr); auto).
revert e n u1 nu. generalize (u_of y) (phi_U r x - r * r) (phi_V c x y). intros u d V e n u1 nu.
assert (n1 : u - 1 <> 0) by (intro Z; apply u1; rewrite e, Z; field; auto).
assert (n2 : V - (2 - r) * d <> 0) by (intro Z; apply n; rewrite Z; field; auto).
rewrite legendre_inverse, legendre_square by assumption. rewrite e, legendre_inverse, legendre_square by assumption. ring.
Qed.
End Point.

(* 9.g: either preimage of a double. *)
Section Double.
Variables x y : K.
Hypothesis E : curve r x y.
Hypothesis x0 : x <> 0.
Hypothesis y0 : y <> 0.
Hypothesis s0 : y * y + x * x <> 0.

(* U is r (r + 2) only for a point whose double has y = 0. *)
Lemma U_ne_4 : phi_U r x <> r * (r + 2).
Proof.
intro Z. pose proof r0. pose proof r_plus_2. pose proof two.
assert (h : (r + 2) * (x * x) + r = 0).
{ apply (product_0 K r); auto. transitivity (x * x * (r * (r + 2)) + r * r); [ring|].
  rewrite <- Z. unfold Images.phi_U. field. auto. }
apply (product_ne0 K (2 * (r * (r + 2))) (y * y + x * x)); auto using product_ne0.
transitivity ((r + 2) * (r * r * ((y * y - 1) * (x * x + 1)) - 4 * (x * x) * (y * y))
  - ((r + 2) * (x * x) + r) * (r * r * (y * y - 1) - 4 * (y * y) - 2 * r)); [ring|].
rewrite E, h. ring.
Qed.

Lemma gT_defined : Isogeny.US K one add mul sub r * phi_U r x - Isogeny.K K one add mul sub r <> 0.
Proof.
intro Z. apply U_ne_4. apply minus_0. apply (product_0 K (r * (r - 2))).
- refine (eq_trans _ Z). unfold Isogeny.US, Isogeny.K. ring.
- intro q. apply (square_ne_US 0). rewrite q. ring.
Qed.

Lemma translate : quartic (f r (UT r (phi_U r x)) (VT r (phi_U r x) (phi_V c x y))) = quartic (f r (phi_U r x) (phi_V c x y)).
Proof.
pose proof rr0 as rr. pose proof (U0 x x0) as u0. pose proof (U_rr x y E x0 y0) as u1.
pose proof gT_defined as d. pose proof (f_ne0 x y E x0 y0) as n.
assert (k : Isogeny.K K one add mul sub r - r * r * phi_U r x <> 0).
{ intro Z. apply (legendre_not _ (c / x) A_minus_2). rewrite phi_U_square; auto. symmetry. apply minus_0.
  apply (product_0 K (r * r)); auto. refine (eq_trans _ Z). unfold Isogeny.K. ring. }
pose proof (lift Isogeny.translate r _ _ (phi_on x y E x0 y0) u0 rr u1 k d) as e.
rewrite (lift Isogeny.f_T' r rr) in e. unfold Isogeny.pow4 in e. revert e.
generalize (Isogeny.gT K one add mul sub div r (phi_U r x) (phi_V c x y)). intros g e.
assert (t : r * (2 - r) <> 0) by (intro Z; apply (legendre_not _ 0 sign_of_r); rewrite Z; ring).
assert (g0 : g <> 0).
{ intro Z. apply (product_ne0 K _ _ n (product_ne0 K _ _ t t)). rewrite Z in e.
  transitivity (- (f r (phi_U r x) (phi_V c x y) * - (r * (2 - r) * (r * (2 - r))))); [ring|rewrite e; ring]. }
apply (f_equal quartic) in e. rewrite !quartic_product in e at 1.
replace (- (r * (2 - r) * (r * (2 - r)))) with (- (1) * (r * (2 - r) * (r * (2 - r)))) in e by ring.
rewrite (quartic_product K (- (1))), quartic_square, sign_of_r, quartic_minus_one in e.
rewrite <- !quartic_product, quartic_product, quartic_fourth in e; auto.
transitivity (quartic (f r (UT r (phi_U r x)) (VT r (phi_U r x) (phi_V c x y))) * 1); [ring|]. rewrite <- e. ring.
Qed.

Lemma preimage w : w * w = u_of (y2 x y) ->
  quartic (f r (U_of r c w (x2 x y)) (2 * w * U_of r c w (x2 x y))) = quartic (f r (phi_U r x) (phi_V c x y)).
Proof.
intro ww. pose proof (a0 x y E x0 y0). pose proof (b0 x y E x0 y0). pose proof r0. destruct (complete x y E).
pose proof (lift Images.root_squared r c cc two x y E x0) as R. rewrite <- R in ww; auto.
assert (s : (w - root r c x y) * (w + root r c x y) = 0).
{ transitivity (w * w - root r c x y * root r c x y); [ring|rewrite ww; ring]. }
destruct (dec (w - root r c x y) 0) as [e|n].
- apply minus_0 in e. subst w. rewrite (lift Images.U_of_root r c cc two x y E x0), (lift Images.V_of_root r c two x y x0); auto.
- assert (e : w = - root r c x y).
  { apply minus_0. refine (eq_trans _ (product_0 K _ _ s n)). ring. }
  subst w. rewrite (lift Images.U_of_other_root r c cc two x y E x0), (lift Images.V_of_other_root r c two x y x0); auto.
  exact translate.
Qed.
End Double.

(* 9.f: at 2Q the quartic power of f is the Legendre symbol of u(Q). *)
Lemma quartic_double x y : curve r x y -> x <> 0 -> y <> 0 -> y * y + x * x <> 0 -> curve r (x2 x y) (y2 x y) ->
  quartic (f r (phi_U r (x2 x y)) (phi_V c (x2 x y) (y2 x y))) = legendre (u_of y).
Proof.
intros E x0 y0 s0 E2. destruct (complete x y E) as [p0 q0].
pose proof (a0 x y E x0 y0) as na. pose proof (b0 x y E x0 y0) as nb.
assert (nx : x2 x y <> 0).
{ intro Z. apply (product_ne0 K _ _ two (product_ne0 K _ _ x0 y0)).
  transitivity (x2 x y * (y * y - x * x)); [unfold Images.x2; field; auto|rewrite Z; ring]. }
assert (ny : y2 x y <> 0).
{ intro Z. apply s0. transitivity (y2 x y * (2 - y * y + x * x)); [unfold Images.y2; field; auto|rewrite Z; ring]. }
pose proof (a0 _ _ E2 nx ny) as na2.
pose proof (U0 x x0) as u0. pose proof (U_rr x y E x0 y0) as u1. pose proof (U_rr_4 x x0) as u2.
rewrite <- (lift Images.V2_double r c two x y E x0); auto. rewrite <- (lift Images.U2_double r two x y E x0); auto.
assert (e0 : Isogeny.Ee K one add mul sub r (phi_U r x) <> 0).
{ intro Z. apply (product_ne0 K (phi_U r x - r * (r - 2)) (phi_U r x - r * (r + 2))).
  - intro q. apply (square_ne_US (c / x)). rewrite phi_U_square; auto. apply minus_0, q.
  - intro q. apply (U_ne_4 x y E x0 s0). apply minus_0, q.
  - refine (eq_trans _ Z). unfold Isogeny.Ee. ring. }
assert (d0 : Isogeny.dS K one add mul sub r (phi_U r x) <> 0).
{ intro Z. apply (square_ne_US (c / x2 x y)). rewrite phi_U_square; auto.
  rewrite <- (lift Images.U2_double r two x y E x0); auto. symmetry. apply minus_0.
  assert (C : 4 * Isogeny.C K one add mul sub r (phi_U r x) <> 0).
  { unfold Isogeny.C. pose proof four. auto using product_ne0. }
  apply (product_0 K _ _) with (2 := C). refine (eq_trans _ Z). unfold Isogeny.dS, Isogeny.U2, Isogeny.US.
  destruct (factor_ne0 K _ _ C). field. split; first [assumption | exact (product_ne0 K _ _ two two)]. }
pose proof (phi_on x y E x0 y0) as o. pose proof (f_ne0 x y E x0 y0) as n.
pose proof (lift Isogeny.double_root r _ _ o two four u0 u1 u2 e0 d0) as g.
pose proof (lift Isogeny.double r _ _ o two four u0 u1 u2 e0 d0) as e. unfold Isogeny.pow4 in e.
rewrite <- (legendre_f x y E x0 y0), <- quartic_square, e, quartic_product, quartic_fourth; [ring|].
intro Z. apply n. rewrite g, Z. ring.
Qed.

(* 9.b, backwards. *)
Lemma halve w x y : curve r x y -> x <> 0 -> y <> 0 -> w * w = u_of y ->
  exists x' y', curve r x' y' /\ x2 x' y' = x /\ y2 x' y' = y.
Proof.
intros E x0 y0 ww. pose proof (minus0 x y E x0 y0) as m0. pose proof (plus0 x y E x0 y0) as p0.
pose proof (a0 x y E x0 y0) as na. pose proof (b0 x y E x0 y0) as nb. pose proof r0 as nr.
assert (w0 : w <> 0) by (intro Z; apply (u0 x y E x0 y0); rewrite <- ww, Z; ring).
(* It is enough to halve with a root whose U is a square. *)
assert (half : forall v, v * v = u_of y -> v <> 0 -> legendre (U_of r c v x) = 1 -> U_of r c v x <> 0 ->
  exists x' y', curve r x' y' /\ x2 x' y' = x /\ y2 x' y' = y).
{ clear w ww w0. intros w ww w0 L n. destruct (root_of_legendre K _ L) as [z zz].
  assert (z0 : z <> 0) by (intro Z; apply n; rewrite <- zz, Z; ring).
  set (x' := Images.hx K div c z). set (y' := Images.hy K one add mul sub div r w z).
  pose proof (lift Images.half_curve r c cc two w z x y E x0 m0 p0 nb z0 w0 ww zz : curve r x' y') as E'.
  pose proof (lift Images.half_root r c cc two w z x y E x0 m0 p0 nb nr z0 w0 ww zz) as hr. fold x' y' in hr.
  pose proof (lift Images.half_U r c cc z nr z0) as hU. fold x' in hU.
  assert (nx : x' <> 0).
  { intro Z. apply c0. transitivity (x' * z); [unfold x', Images.hx; field; auto|rewrite Z; ring]. }
  assert (ny : y' <> 0).
  { intro Z. apply w0. rewrite <- hr, Z. field. exact nr. }
  destruct (complete x' y' E') as [p' q']. pose proof (a0 x' y' E' nx ny) as a'. pose proof (b0 x' y' E' nx ny) as b'.
  rewrite <- (lift Images.root_is r c two x' y' nx a' nr) in hr.
  pose proof (lift Images.root_squared r c cc two x' y' E' nx a' b' ny q' nr) as R.
  pose proof (lift Images.U_of_root r c cc two x' y' E' nx a' b' ny p' q' nr) as RU. rewrite hr in R, RU.
  exists x', y'. split; [exact E'|split].
  - apply (lift Images.U_of_injective r c cc two w); auto.
    + intro Z. apply (product_ne0 K _ _ two (product_ne0 K _ _ nx ny)).
      transitivity (x2 x' y' * (y' * y' - x' * x')); [unfold Images.x2; field; auto|rewrite Z; ring].
    + rewrite RU, hU. exact zz.
  - apply (lift Images.u_of_injective two); auto.
    + intro Z. apply (product_ne0 K _ _ two a'). transitivity ((1 - y2 x' y') * (2 - y' * y' + x' * x')); [|rewrite Z; ring].
      unfold Images.y2. field; auto.
    + rewrite <- R. exact ww. }
assert (P : U_of r c w x * U_of r c (- w) x = r * r * (r * r - 4)).
{ unfold Images.U_of. transitivity ((r * r - 2 + 2 * (w * w)) * (r * r - 2 + 2 * (w * w)) - 4 * (c * c) * (w * w) / (x * x));
    [field; auto|].
  rewrite cc, ww, (lift Images.rr r x y E na nb). unfold Images.u_of. field. sides. }
assert (L : legendre (U_of r c w x * U_of r c (- w) x) = - (1)).
{ rewrite P, legendre_product, legendre_square, A_minus_2; [ring|exact nr]. }
destruct (factor_ne0 K (U_of r c w x) (U_of r c (- w) x)) as [n1 n2].
{ intro Z. apply (legendre_not _ 0 L). rewrite Z. ring. }
destruct (legendre_sign K _ n1) as [L1|L1].
- exact (half w ww w0 L1 n1).
- apply (half (- w)); auto.
  + rewrite <- ww. ring.
  + nz.
  + rewrite legendre_product, L1 in L. transitivity (- (- (1) * legendre (U_of r c (- w) x))); [ring|rewrite L; ring].
Qed.

(* 9.h and i: the value that the test raises to the quartic power, from coordinates and a root. *)
Definition g (X Y Z w : K) : K :=
  let D := Z - Y in let m := 2 * X * Y - c * w * D * Z in let Ud := D * X in let Un := 2 * m + r * r * Ud in
  let a := w * Un - (2 - r) * m in let b := Ud * m in 2 * (a * a) * (b * b * b).

Lemma root_of_u Y Z w y : Y = y * Z -> Z <> 0 -> 1 - y <> 0 -> (w * w * (Z - Y) = Z + Y <-> w * w = u_of y).
Proof.
intros -> Z0 m0. unfold Images.u_of. split; intro e.
- transitivity (w * w * (Z - y * Z) / (Z * (1 - y))); [field; auto|rewrite e; field; auto].
- rewrite e. field. auto.
Qed.

Lemma g_is_f X Y Z w x y : X = x * Z -> Y = y * Z -> Z <> 0 -> x <> 0 -> 1 - y <> 0 -> w * w = u_of y ->
  U_of r c w x - r * r <> 0 -> quartic (g X Y Z w) = quartic (f r (U_of r c w x) (2 * w * U_of r c w x)).
Proof.
intros eX eY Z0 x0 m0 ww n. pose proof two.
assert (X0 : X <> 0) by (rewrite eX; auto using product_ne0).
assert (D0 : Z - Y <> 0).
{ intro e. apply (product_ne0 K _ _ Z0 m0). refine (eq_trans _ e). rewrite eY. ring. }
assert (N : Z + Y = w * w * (Z - Y)) by (symmetry; apply (root_of_u Y Z w y); auto).
assert (e : U_of r c w x = r * r - 2 + 2 * (w * w) - 2 * (c * w * Z / X)).
{ unfold Images.U_of. rewrite eX. field. auto. }
set (m := 2 * X * Y - c * w * (Z - Y) * Z).
assert (mU : 2 * m = (Z - Y) * X * (U_of r c w x - r * r)).
{ rewrite e. transitivity (2 * X * (Z + Y - (Z - Y)) - 2 * (c * w * (Z - Y) * Z)); [unfold m; ring|rewrite N; field; auto]. }
assert (M0 : m <> 0).
{ intro q. apply (product_ne0 K _ _ (product_ne0 K _ _ D0 X0) n). rewrite <- mU, q. ring. }
rewrite e in n. pose proof (lift Isogeny.coordinates r X Y Z (Z - Y) w c eq_refl N X0 D0 M0 two n) as q. cbv zeta in q.
unfold g. cbv zeta. rewrite <- q, quartic_product, quartic_fourth, e; [ring|auto using product_ne0].
Qed.

Lemma U_ne_rr w x y : curve r x y -> x <> 0 -> y <> 0 -> w * w = u_of y -> U_of r c w x - r * r <> 0.
Proof.
intros E x0 y0 ww Z. pose proof (a0 x y E x0 y0). pose proof (b0 x y E x0 y0). pose proof (minus0 x y E x0 y0).
pose proof (plus0 x y E x0 y0). pose proof (u0 x y E x0 y0) as n.
pose proof (lift Images.U_minus_rr r x y E x0) as e. rewrite <- ww in *.
assert (q : w * w - 1 = c * w / x).
{ apply minus_0. apply (product_0 K 2); [|exact two]. refine (eq_trans _ Z). unfold Images.U_of. ring. }
destruct (factor_ne0 K _ _ n) as [w0 _]. apply rr0.
transitivity (phi_U r x - (phi_U r x - r * r)); [ring|]. rewrite e, q; auto.
transitivity (phi_U r x - c * c / (x * x)); [field; auto|]. rewrite cc. unfold Images.phi_U. ring.
Qed.

(* A point with y = 0 has order 4. *)
Hypothesis rr_4 : quartic (4 * (r * r)) = - (1).
Lemma order_4 X Y Z w x y : curve r x y -> x <> 0 -> y = 0 -> X = x * Z -> Y = y * Z -> Z <> 0 ->
  w * w * (Z - Y) = Z + Y -> quartic (g X Y Z w) <> 1.
Proof.
intros E x0 y0 eX eY Z0 N. pose proof (one_ne0 K) as one0. assert (neg : - (1) <> (0 : K)) by nz.
assert (m0 : 1 - y <> 0) by (rewrite y0; nz).
apply (root_of_u Y Z w y eY Z0 m0) in N.
assert (ww : w * w = 1) by (rewrite N, y0; unfold Images.u_of; field; auto).
assert (xx : x * x = - (1)).
{ apply minus_0. apply (product_0 K (r * r)); [|exact rr0].
  transitivity (4 * (x * x) * (y * y) - r * r * ((y * y - 1) * (x * x + 1))); [rewrite y0; ring|rewrite <- E; ring]. }
set (U := U_of r c w x).
assert (q : (U - r * r) * (U - r * r) = 4 * (r * r)).
{ transitivity ((2 * (w * w) - 2 - 2 * (c * w / x)) * (2 * (w * w) - 2 - 2 * (c * w / x))); [unfold U, Images.U_of; ring|].
  rewrite ww. transitivity (4 * (c * c) * (w * w) / (x * x)); [field; auto|]. rewrite cc, ww, xx. field. exact neg. }
assert (n : U - r * r <> 0).
{ intro e. apply (product_ne0 K _ _ four rr0). rewrite <- q, e. ring. }
rewrite (g_is_f X Y Z w x y eX eY Z0 x0 m0 N n). fold U. intro e.
assert (L : legendre (U - r * r) = - (1)) by (rewrite <- quartic_square, q; exact rr_4).
apply (minus_one_ne K). rewrite <- L. unfold Isogeny.f in e. revert e n L. generalize (U - r * r) (2 * w * U). intros D V e n L.
assert (k : V - (2 - r) * D <> 0).
{ intro k. apply one0. rewrite <- e, k. replace (0 * 0 / D) with (0 : K) by (field; auto). rewrite quartic_0. reflexivity. }
assert (s : legendre ((V - (2 - r) * D) * (V - (2 - r) * D) / D) = 1) by (rewrite legendre_quartic, e; ring).
rewrite legendre_inverse, legendre_square in s by assumption. rewrite <- s. ring.
Qed.

(* The test holds for eight times a point alone. *)
Hypothesis closed : forall x y, curve r x y -> curve r (x2 x y) (y2 x y).
Definition twice (P : K * K) : K * K := (x2 (fst P) (snd P), y2 (fst P) (snd P)).

Lemma double_x x y : curve r x y -> x2 x y <> 0 -> x <> 0 /\ y <> 0.
Proof.
intros E n. destruct (complete x y E). split; intro Z; apply n.
- transitivity (x * (2 * y / (y * y - x * x))); [unfold Images.x2; field; auto|rewrite Z; ring].
- transitivity (y * (2 * x / (y * y - x * x))); [unfold Images.x2; field; auto|rewrite Z; ring].
Qed.
Lemma double_y x y : curve r x y -> y2 x y <> 0 -> y * y + x * x <> 0.
Proof. intros E n Z. destruct (complete x y E). apply n. unfold Images.y2. rewrite Z. field. auto. Qed.
Lemma double_square x y : curve r x y -> x2 x y <> 0 -> exists w, w * w = u_of (y2 x y).
Proof.
intros E n. destruct (double_x x y E n) as [x0 y0]. destruct (complete x y E). exists (root r c x y).
apply (lift Images.root_squared r c cc two x y E x0); eauto using a0, b0, r0.
Qed.

Theorem eight X Y Z w x y : curve r x y -> x <> 0 -> y <> 0 -> X = x * Z -> Y = y * Z -> Z <> 0 -> w * w * (Z - Y) = Z + Y ->
  (quartic (g X Y Z w) = 1 <-> exists a b, curve r a b /\ twice (twice (twice (a, b))) = (x, y)).
Proof.
intros E x0 y0 eX eY Z0 N. pose proof (minus0 x y E x0 y0) as m0. apply (root_of_u Y Z w y eY Z0 m0) in N.
rewrite (g_is_f X Y Z w x y eX eY Z0 x0 m0 N (U_ne_rr w x y E x0 y0 N)). clear X Y Z eX eY Z0 m0. split.
- intro H. destruct (halve w x y E x0 y0 N) as (p & q & Ep & <- & <-).
  destruct (double_x p q Ep x0) as [p0 q0]. pose proof (double_y p q Ep y0) as s0.
  rewrite (preimage p q Ep p0 q0 s0 w N) in H.
  assert (L : legendre (u_of q) = 1) by (rewrite <- (legendre_f p q Ep p0 q0), legendre_quartic, H; ring).
  destruct (root_of_legendre K _ L) as [v vv]. destruct (halve v p q Ep p0 q0 vv) as (p1 & q1 & E1 & <- & <-).
  destruct (double_x p1 q1 E1 p0) as [p10 q10].
  rewrite (quartic_double p1 q1 E1 p10 q10 (double_y p1 q1 E1 q0) Ep) in H.
  destruct (root_of_legendre K _ H) as [t tt]. destruct (halve t p1 q1 E1 p10 q10 tt) as (a & b & Ea & <- & <-).
  exists a, b. split; [exact Ea|reflexivity].
- intros (a & b & Ea & e). unfold twice in e. cbn [fst snd] in e. pose proof (closed a b Ea) as E1.
  destruct (double_square a b Ea) as [t tt].
  + intro z. revert x0. injection e as <- _. intro x0.
    destruct (double_x _ _ (closed _ _ E1) x0) as [z' _]. destruct (double_x _ _ E1 z') as [z'' _]. exact (z'' z).
  + revert e E1 tt. generalize (x2 a b) (y2 a b). intros p1 q1 e E1 tt. clear a b Ea.
    pose proof (closed p1 q1 E1) as Ep. injection e as <- <-.
    destruct (double_x _ _ Ep x0) as [p0 q0]. pose proof (double_y _ _ Ep y0) as s0. destruct (double_x _ _ E1 p0) as [p10 q10].
    rewrite (preimage _ _ Ep p0 q0 s0 w N), (quartic_double p1 q1 E1 p10 q10 (double_y p1 q1 E1 q0) Ep), <- tt.
    apply legendre_square. intro z. apply (u0 p1 q1 E1 p10 q10). rewrite <- tt, z. ring.
Qed.

Theorem eight_root Y Z x y : Y = y * Z -> Z <> 0 -> x <> 0 -> y <> 0 ->
  (exists a b, curve r a b /\ twice (a, b) = (x, y)) -> exists w, w * w * (Z - Y) = Z + Y.
Proof.
intros eY Z0 x0 y0 (a & b & Ea & e). unfold twice in e. cbn [fst snd] in e. injection e as <- <-.
destruct (double_square a b Ea x0) as [w ww]. exists w.
apply (root_of_u Y Z w (y2 a b) eY Z0); [exact (minus0 _ _ (closed a b Ea) x0 y0)|exact ww].
Qed.
End Character.

(* Between the equation of section 1 and that of Images.v. *)
Section Edwards.
Variable K : prime_field.
Add Field K_field2 : (field_axioms K).
Local Open Scope F_scope.
Notation on := (GroupLaw.on K one add mul sub).
Variables d r : K.
Hypothesis dr : d * (r * r) = 4 - r * r.
Implicit Types x y : K.

Lemma curve_of_on x y : on d x y -> Images.curve K one add mul sub r x y.
Proof.
unfold GroupLaw.on, Images.curve. intro E. apply minus_0.
transitivity (r * r * (y * y - x * x - 1) - (4 - r * r) * (x * x * (y * y))); [ring|]. rewrite <- dr, E. ring.
Qed.
Lemma on_of_curve x y : r * r <> 0 -> Images.curve K one add mul sub r x y -> on d x y.
Proof.
unfold GroupLaw.on, Images.curve. intros rr E. apply minus_0. apply (product_0 K (r * r)); [|exact rr].
transitivity (r * r * (y * y - x * x - 1) - d * (r * r) * (x * x * (y * y))); [ring|]. rewrite dr.
transitivity (r * r * ((y * y - 1) * (x * x + 1)) - 4 * (x * x) * (y * y)); [ring|rewrite E; ring].
Qed.
Lemma denominators x y : on d x y -> 1 + d * x * x * y * y = y * y - x * x /\ 1 - d * x * x * y * y = 2 - y * y + x * x.
Proof.
unfold GroupLaw.on. intro E. split; [rewrite E; reflexivity|]. transitivity (2 - (1 + d * x * x * y * y)); [ring|rewrite <- E; ring].
Qed.
Lemma doubles x y : on d x y ->
  (x * y + x * y) / (1 + d * x * x * y * y) = Images.x2 K one add mul sub div x y
  /\ (y * y + x * x) / (1 - d * x * x * y * y) = Images.y2 K one add mul sub div x y.
Proof.
intro E. destruct (denominators x y E) as [n p]. rewrite n, p. split; [|reflexivity]. unfold Images.x2. f_equal. ring.
Qed.

(* The constants. *)
Hypothesis rr : r * r = integer 486664.
Lemma four_is : integer 4 = 4 :> K.
Proof. change 4%Z with (2 + 2)%Z. rewrite integer_add. reflexivity. Qed.
Lemma A_minus_2_holds : legendre (r * r - 4) = - (1).
Proof.
rewrite rr, <- four_is, <- integer_sub. change (legendre (integer 486660) = integer (-1) :> K). unfold legendre.
rewrite <- integer_power. apply integer_eq. vm_compute. reflexivity.
Qed.
Lemma rr_4_holds : quartic (4 * (r * r)) = - (1).
Proof.
rewrite rr, <- four_is, <- integer_mul. change (quartic (integer 1946656) = integer (-1) :> K). unfold quartic.
rewrite <- integer_power. apply integer_eq. vm_compute. reflexivity.
Qed.
End Edwards.

Section Constants.
Variable K : prime_field.
Add Field K_field3 : (field_axioms K).
Local Open Scope F_scope.
Definition r_Z : Z := 0x6be4f497f9a9c2afc21fa77ad7f4a6ef635a11c7284a9363e9a248ef9c884415.
Definition c_Z : Z := 0x0f26edf460a006bbd27b08dc03fc4f7ec5a1d3d14b7d1a82cc6e04aaff457e06.
Lemma r_squared : integer r_Z * integer r_Z = integer 486664 :> K.
Proof. rewrite <- integer_mul. apply integer_eq. vm_compute. reflexivity. Qed.
Lemma c_squared : integer c_Z * integer c_Z = - (integer r_Z * integer r_Z) :> K.
Proof. rewrite <- !integer_mul, <- integer_opp. apply integer_eq. vm_compute. reflexivity. Qed.
Lemma r_sign : legendre (integer r_Z * (2 - integer r_Z)) = - (1) :> K.
Proof.
change (legendre (integer r_Z * (integer 2 - integer r_Z)) = integer (-1) :> K). rewrite <- integer_sub, <- integer_mul.
unfold legendre. rewrite <- integer_power. apply integer_eq. vm_compute. reflexivity.
Qed.
Lemma d_r d r : d * integer 121666 = - integer 121665 -> r * r = integer 486664 -> d * (r * r) = 4 - r * r :> K.
Proof.
intros e ->. rewrite <- (four_is K). change 486664%Z with (4 * 121666)%Z. rewrite integer_mul.
transitivity (integer 4 * (d * integer 121666)); [ring|]. rewrite e.
change 121666%Z with (121665 + 1)%Z. rewrite integer_add, integer_1. ring.
Qed.
End Constants.
