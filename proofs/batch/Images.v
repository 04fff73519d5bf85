(* docs/exact-batch.md, section 9, a to c: the maps from edwards25519 to M' in Edwards coordinates, doubling there and halving.
   The curve is r^2 (y^2 - 1) (x^2 + 1) = 4 x^2 y^2, c^2 = - r^2, and phi(P) = (U, V) with U = c^2/x^2, V = -4 c y/(x (1 - y^2)). *)
From Coq Require Import Ring Field Setoid.
From Sigmill Require Import Isogeny.
Section Images.
Variables (F : Type) (zero one : F) (add mul sub : F -> F -> F) (opp : F -> F) (div : F -> F -> F) (inv : F -> F).
Hypothesis field_axioms : field_theory zero one add mul sub opp div inv (@eq F).
Add Field F : field_axioms.
Notation "0" := zero. Notation "1" := one.
Infix "+" := add. Infix "*" := mul. Infix "-" := sub. Infix "/" := div. Notation "- x" := (opp x).
Notation "2" := (1 + 1). Notation "4" := (2 + 2). Notation "3" := (1 + 2).
Variables r c : F.
Hypothesis cc : c * c = - (r * r).
Hypothesis two : 2 <> 0.
Lemma one_ne0' : 1 <> 0.
Proof. intro Z. apply two. rewrite Z. ring. Qed.
Lemma four_ne0 : 4 <> 0.
Proof. intro Z. apply two. transitivity (4 / 2); [field; auto | rewrite Z; field; auto]. Qed.
Lemma product_ne0 a b : a <> 0 -> b <> 0 -> a * b <> 0.
Proof. intros u v Z. apply v. transitivity (a * b / a); [field; auto | rewrite Z; field; auto]. Qed.

Lemma c0 : r <> 0 -> c <> 0.
Proof. intros r0 Z. apply (product_ne0 r r); auto. transitivity (- (c * c)); [rewrite cc; ring | rewrite Z; ring]. Qed.

Notation onM' := (Isogeny.on F 1 add mul sub r).
Notation f := (Isogeny.f F 1 add mul sub div r).
Notation U2 := (Isogeny.U2 F 1 add mul sub div r).
Notation V2 := (Isogeny.V2 F 1 add mul sub div r).
Notation K := (Isogeny.K F 1 add mul sub r).
Notation UT := (Isogeny.UT F 1 add mul sub div r).
Notation VT := (Isogeny.VT F 1 add mul sub opp div r).
Notation Up := (Isogeny.Up F 1 add mul sub div r).

Definition curve x y := r * r * ((y * y - 1) * (x * x + 1)) = 4 * (x * x) * (y * y).
Definition phi_U x := - (r * r) / (x * x).
Definition phi_V x y := - (4 * c * y) / (x * (1 - y * y)).
Definition x2 x y := 2 * x * y / (y * y - x * x).
Definition y2 x y := (y * y + x * x) / (2 - y * y + x * x).
Definition u_of y := (1 + y) / (1 - y).

Ltac nz := match goal with H : ?a <> 0 |- ?b <> 0 => let e := fresh in intro e; apply H; solve
      [refine (eq_trans _ e); ring | transitivity (- b); [ring|rewrite e; ring]] end.
Ltac sides := repeat split; first [nz | assumption].

Section Point.
Variables x y : F.
Hypothesis E : curve x y.
Hypothesis x0 : x <> 0.
Hypothesis a0 : 1 - y * y <> 0.
Hypothesis b0 : x * x + 1 <> 0.

Lemma rr : r * r = - (4 * (x * x) * (y * y)) / ((1 - y * y) * (x * x + 1)).
Proof.
unfold curve in E. transitivity (- (r * r * ((y * y - 1) * (x * x + 1))) / ((1 - y * y) * (x * x + 1))); [field; sides|].
rewrite E. reflexivity.
Qed.

Lemma phi_on : onM' (phi_U x) (phi_V x y).
Proof.
unfold Isogeny.on, phi_U, phi_V.
transitivity (4 * 4 * (c * c) * (y * y) / (x * x * ((1 - y * y) * (1 - y * y)))); [field; sides|].
rewrite cc, rr. field; sides.
Qed.

Section Double.
Hypothesis y0 : y <> 0.
Hypothesis p0 : y * y - x * x <> 0.
Hypothesis q0 : 2 - y * y + x * x <> 0.

Ltac facts := pose proof four_ne0; assert (h1 : 4 * (x * x) * (y * y) <> 0) by auto using product_ne0;
  assert (h2 : 4 * (x * x) * (y * y) * (x * x + 1) <> 0) by auto using product_ne0;
  assert (h3 : 4 * (x * x) * (x * x + 1) <> 0) by auto using product_ne0; assert (h4 : 2 * (1 - y * y) <> 0) by auto using product_ne0.


Lemma U2_double : U2 (phi_U x) = phi_U (x2 x y).
Proof. unfold Isogeny.U2, Isogeny.C, Isogeny.K, phi_U, x2. rewrite rr. facts. field. sides. Qed.

Lemma V2_double : 1 - y2 x y * y2 x y <> 0 -> V2 (phi_U x) (phi_V x y) = phi_V (x2 x y) (y2 x y).
Proof.
intro n0. unfold Isogeny.V2, Isogeny.lam. rewrite U2_double. unfold Isogeny.C, Isogeny.K, phi_U, phi_V, x2.
assert (e : 1 - y2 x y * y2 x y = 4 * ((1 - y * y) * (x * x + 1)) / ((2 - y * y + x * x) * (2 - y * y + x * x))) by
  (unfold y2; field; sides).
rewrite e. unfold y2. rewrite rr. facts. field. sides.
Qed.

(* 9.b: for P = 2P' a root of u(P), and both preimages of P under the dual isogeny. *)
Definition root := phi_V x y / (2 * phi_U x).
Definition U_of w X := r * r - 2 + 2 * (w * w) - 2 * (c * w / X).
Hypothesis r0 : r <> 0.
Lemma root_is : root = 2 * c * (x * y) / (r * r * (1 - y * y)).
Proof. pose proof (product_ne0 r r r0 r0). unfold root, phi_V, phi_U. field; repeat split; auto; nz. Qed.

Lemma root_squared : root * root = u_of (y2 x y).
Proof.
rewrite root_is. transitivity (4 * (c * c) * (x * x) * (y * y) / (r * r * (r * r) * ((1 - y * y) * (1 - y * y)))); [field; sides|].
rewrite cc. transitivity (- (4 * (x * x) * (y * y)) / (r * r * ((1 - y * y) * (1 - y * y)))); [field; sides|].
rewrite rr. unfold u_of, y2. facts. field. sides.
Qed.

Lemma U_of_root : U_of root (x2 x y) = phi_U x.
Proof.
unfold U_of. rewrite root_squared. replace (c * root / x2 x y) with (c * c * 2 * (x * y) / (r * r * (1 - y * y)) / (x2 x y)).
- rewrite cc. unfold phi_U, u_of, y2, x2. rewrite rr. facts. field. sides.
- rewrite root_is. unfold x2. field; sides.
Qed.
Lemma U_of_other_root : U_of (- root) (x2 x y) = UT (phi_U x).
Proof.
unfold U_of. replace (- root * - root) with (root * root) by ring. rewrite root_squared.
replace (c * - root / x2 x y) with (- (c * c * 2 * (x * y) / (r * r * (1 - y * y)) / (x2 x y))).
- rewrite cc. unfold Isogeny.UT, Isogeny.K, phi_U, u_of, y2, x2. rewrite rr. facts. field. sides.
- rewrite root_is. unfold x2. field; sides.
Qed.
Lemma V_of_root : 2 * root * phi_U x = phi_V x y.
Proof. pose proof (product_ne0 r r r0 r0). unfold root, phi_V, phi_U. field; repeat split; auto; nz. Qed.
Lemma V_of_other_root : 2 * - root * UT (phi_U x) = VT (phi_U x) (phi_V x y).
Proof. pose proof (product_ne0 r r r0 r0). unfold root, Isogeny.UT, Isogeny.VT, phi_V, phi_U. field; repeat split; auto; nz. Qed.
End Double.

(* 9.f: U - r^2 is u(P) up to squares. *)
Lemma U_minus_rr : 1 - y <> 0 -> 1 + y <> 0 -> phi_U x - r * r = (u_of y - 1) * (u_of y - 1) / u_of y.
Proof. intros. unfold phi_U, u_of. rewrite rr. field. repeat split; auto; nz. Qed.
End Point.

(* 9.b, backwards: a point whose u is a square is twice a point, since one of the preimages has a square as U. *)
Section Halve.
Variables w z x y : F.
Hypothesis E : curve x y.
Hypothesis x0 : x <> 0.
Hypothesis m0 : 1 - y <> 0.
Hypothesis p0 : 1 + y <> 0.
Hypothesis b0 : x * x + 1 <> 0.
Hypothesis r0 : r <> 0.
Hypothesis z0 : z <> 0.
Hypothesis w0 : w <> 0.
Hypothesis ww : w * w = u_of y.
Hypothesis zz : z * z = U_of w x.
Definition h := (z * z - (r * r - 2) - 2 * w * z) / 2.
Definition k := (z * z - (r * r - 2) + 2 * w * z) / 2.
Definition hx := c / z.
Definition hy := (h - 1) / (h + 1).

Lemma h_k : h * k = 1.
Proof.
pose proof four_ne0. assert (a0 : 1 - y * y <> 0) by (replace (1 - y * y) with ((1 - y) * (1 + y)) by ring; auto using product_ne0).
transitivity (((z * z - (r * r - 2)) * (z * z - (r * r - 2)) - 4 * (w * w) * (z * z)) / 4); [unfold h, k; field; sides|].
rewrite zz. unfold U_of.
transitivity (- (w * w) * (w * w) - (r * r - 2) * (w * w) + (c * c) * (w * w) / (x * x)); [field; sides|].
rewrite cc, ww, (rr x y E a0 b0). unfold u_of. field. sides.
Qed.
Lemma h0 : h <> 0.
Proof. intro Z. apply one_ne0'. rewrite <- h_k, Z. ring. Qed.
Lemma h_minus_k : k - h = 2 * w * z.
Proof. unfold h, k. field; sides. Qed.
Lemma h_plus_k : z * z = r * r - 2 + h + k.
Proof. unfold h, k. field; sides. Qed.
Lemma k_is : k = 1 / h.
Proof. transitivity (h * k / h); [field; exact h0|rewrite h_k; reflexivity]. Qed.
Lemma h1 : h + 1 <> 0.
Proof.
intro Z. assert (e : h = - (1)) by (transitivity (h + 1 - 1); [ring|rewrite Z; ring]).
assert (f : k = - (1)).
{ pose proof h_k as q. rewrite e in q. transitivity (- (- (1) * k)); [ring|rewrite q; reflexivity]. }
apply (product_ne0 (2 * w) z); auto using product_ne0. rewrite <- h_minus_k, e, f. ring.
Qed.
Lemma w_is : w = (1 / h - h) / (2 * z).
Proof. rewrite <- k_is, h_minus_k. field; sides. Qed.
Lemma cc_h : c * c = - (z * z - h - 1 / h + 2).
Proof. rewrite h_plus_k, k_is, cc. field. exact h0. Qed.
Lemma hx_hx : hx * hx = c * c / (z * z). Proof. unfold hx; field; sides. Qed.

Lemma half_curve : curve hx hy.
Proof.
unfold curve. replace (r * r) with (- (c * c)) by (rewrite cc; ring).
rewrite hx_hx, cc_h. unfold hy. pose proof h0. pose proof h1. field. sides.
Qed.
Lemma half_a : 1 - hy * hy = 4 * h / ((h + 1) * (h + 1)).
Proof. unfold hy. field. exact h1. Qed.
Lemma half_U : phi_U hx = z * z.
Proof. unfold phi_U. rewrite hx_hx, <- cc. field. pose proof (c0 r0). auto. Qed.
Lemma half_root : 2 * c * (hx * hy) / (r * r * (1 - hy * hy)) = w.
Proof.
pose proof h0. pose proof h1. pose proof four_ne0. pose proof (c0 r0). rewrite half_a, w_is. unfold hx, hy.
assert (q : - (c * c) <> 0) by (rewrite cc; intro Z; apply (product_ne0 r r r0 r0); transitivity (- - (r * r)); [ring|exact Z]).
replace (r * r) with (- (c * c)) by (rewrite cc; ring). field. sides.
Qed.
End Halve.

Lemma u_of_injective a b : 1 - a <> 0 -> 1 - b <> 0 -> u_of a = u_of b -> a = b.
Proof.
intros na nb e. assert (f : (1 + a) * (1 - b) = (1 + b) * (1 - a)).
{ transitivity (u_of a * (1 - a) * (1 - b)); [unfold u_of; field; sides|rewrite e; unfold u_of; field; sides]. }
assert (g : 2 * (a - b) = 0) by (transitivity ((1 + a) * (1 - b) - (1 + b) * (1 - a)); [ring|rewrite f; ring]).
transitivity (2 * (a - b) / 2 + b); [field; sides|rewrite g; field; sides].
Qed.
Lemma U_of_injective w a b : w <> 0 -> r <> 0 -> a <> 0 -> b <> 0 -> U_of w a = U_of w b -> a = b.
Proof.
intros w0 r0 a0 b0 e. pose proof (c0 r0) as c0'. unfold U_of in e.
assert (f : c * w / a = c * w / b).
{ transitivity ((r * r - 2 + 2 * (w * w) - (r * r - 2 + 2 * (w * w) - 2 * (c * w / a))) / 2); [field; sides|].
  rewrite e. field; sides. }
transitivity (c * w / (c * w / a)); [field; repeat split; auto|].
rewrite f. field; repeat split; auto.
Qed.
End Images.
