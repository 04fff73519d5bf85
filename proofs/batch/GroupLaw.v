(* docs/exact-batch.md, section 1: the group law of -x^2 + y^2 = 1 + d x^2 y^2 over a field in which -1 is a square and d is
   not. It is complete, closed, commutative and associative, with neutral and inverse elements.
   With t = 1/(1 - d x^2) and e = 1/d the rules y^2 = t + e t - e and x^2 t = e t - e rewrite every identity to 0 = 0. *)
From Coq Require Import Ring Field Setoid.
Section GroupLaw.
Variables (F : Type) (zero one : F) (add mul sub : F -> F -> F) (opp : F -> F) (div : F -> F -> F) (inv : F -> F).
Hypothesis field_axioms : field_theory zero one add mul sub opp div inv (@eq F).
Hypothesis dec : forall x y : F, {x = y} + {x <> y}.
Add Field F : field_axioms.
Notation "0" := zero. Notation "1" := one.
Infix "+" := add. Infix "*" := mul. Infix "-" := sub. Infix "/" := div. Notation "- x" := (opp x).
Variables d i : F.
Hypothesis two : 1 + 1 <> (0 : F).
Hypothesis ii : i * i = - (1).
Hypothesis nonsquare : forall x : F, x * x <> d.

Definition on x y := y * y - x * x = 1 + d * x * x * y * y.
Definition x3 x1 y1 x2 y2 := (x1 * y2 + x2 * y1) / (1 + d * x1 * x2 * y1 * y2).
Definition y3 x1 y1 x2 y2 := (y1 * y2 + x1 * x2) / (1 - d * x1 * x2 * y1 * y2).

Lemma product_0 a b : a * b = 0 -> a <> 0 -> b = 0.
Proof. intros E a0. transitivity (a * b / a); [field; auto|rewrite E; field; auto]. Qed.
Lemma d0 : d <> 0. Proof. intro E; apply (nonsquare 0); rewrite E; ring. Qed.
Lemma t0 x : 1 - d * x * x <> 0.
Proof.
intro E. assert (x0 : x <> 0) by (intro E'; apply two; rewrite E' in E;
  transitivity ((1 - d * 0 * 0) * (1 + 1)); [ring|rewrite E; ring]).
apply (nonsquare (1 / x)).
transitivity (d + (1 - d * x * x) / (x * x)); [field; auto|rewrite E; field; auto].
Qed.

Lemma rules x y : on x y -> let t := 1 / (1 - d * x * x) in let e := 1 / d in
  y * y = t + e * t - e /\ x * x * t = e * t - e.
Proof.
intros E t e; unfold t, e; pose proof (t0 x) as T; pose proof d0.
split; [|field; auto].
transitivity ((y * y - x * x - (1 + d * x * x * y * y)) / (1 - d * x * x) + (1 + x * x) / (1 - d * x * x)); [field; auto|].
rewrite E; field; auto.
Qed.

(* No denominator is 0. *)
Lemma complete x1 y1 x2 y2 s : s * s = 1 -> on x1 y1 -> on x2 y2 -> d * x1 * x2 * y1 * y2 <> s.
Proof.
intros ss E1 E2 E.
assert (s0 : s <> 0) by (intro Z; apply two; transitivity ((1 + 1) * (s * s)); [rewrite ss; ring|rewrite Z; ring]).
assert (P0 : x1 * y1 <> 0) by (intro Z; apply s0; rewrite <- E; transitivity (d * x2 * y2 * (x1 * y1)); [ring|rewrite Z; ring]).
assert (i0 : i <> 0).
  intro Z. apply two. transitivity (- (1 + 1) * (i * i)); [rewrite ii; ring|rewrite Z; ring].
assert (key : forall k, k * k = 1 ->
  - d * (i * x1 * y1) * (i * x1 * y1) * ((i * x2 + k * y2) * (i * x2 + k * y2)) = (i * x1 + k * s * y1) * (i * x1 + k * s * y1)).
  intros k kk.
  transitivity (- d * (i * i) * x1 * x1 * y1 * y1 * ((i * i) * x2 * x2 + (k * k) * (y2 * y2) + (1 + 1) * k * i * x2 * y2)); [ring|].
  rewrite ii, kk.
  transitivity (d * x1 * x1 * y1 * y1 * (y2 * y2 - x2 * x2) + (1 + 1) * k * i * x1 * y1 * (d * x1 * x2 * y1 * y2)); [ring|].
  rewrite E2.
  transitivity (d * x1 * x1 * y1 * y1 + (d * x1 * x2 * y1 * y2) * (d * x1 * x2 * y1 * y2) + (1 + 1) * k * i * x1 * y1 * (d * x1 * x2 * y1 * y2)); [ring|].
  rewrite E, ss.
  transitivity (1 + d * x1 * x1 * y1 * y1 + (1 + 1) * k * i * x1 * y1 * s); [ring|]. rewrite <- E1.
  transitivity ((i * i) * x1 * x1 + (k * k) * (s * s) * (y1 * y1) + (1 + 1) * k * i * x1 * y1 * s); [rewrite ii, kk, ss; ring|ring].
assert (no : forall k, k * k = 1 -> i * x2 + k * y2 = 0).
  intros k kk. destruct (dec (i * x2 + k * y2) 0) as [|ne]; auto. exfalso.
  apply (nonsquare ((i * x1 + k * s * y1) / (x1 * y1 * (i * x2 + k * y2)))).
  assert (x10 : x1 <> 0) by (intro Z; apply P0; rewrite Z; ring).
  assert (y10 : y1 <> 0) by (intro Z; apply P0; rewrite Z; ring).
  transitivity ((i * x1 + k * s * y1) * (i * x1 + k * s * y1) / (x1 * y1 * (i * x2 + k * y2) * (x1 * y1 * (i * x2 + k * y2)))); [field; auto|].
  rewrite <- (key k kk). transitivity (- (i * i) * d); [field; auto|rewrite ii; ring].
assert (one1 : 1 * 1 = (1 : F)) by ring. assert (one2 : - (1) * - (1) = (1 : F)) by ring.
pose proof (no 1 one1) as A. pose proof (no (- (1)) one2) as C.
assert (x20 : x2 = 0).
  apply (product_0 ((1 + 1) * i)); [transitivity ((i * x2 + 1 * y2) + (i * x2 + - (1) * y2)); [ring|rewrite A, C; ring]|].
  intro Z. apply i0. apply (product_0 (1 + 1)); auto.
apply s0. rewrite <- E, x20. ring.
Qed.

Lemma plus0 x1 y1 x2 y2 : on x1 y1 -> on x2 y2 -> 1 + d * x1 * x2 * y1 * y2 <> 0.
Proof.
intros A C E. apply (complete x1 y1 x2 y2 (- (1))); auto; [ring|].
transitivity (1 + d * x1 * x2 * y1 * y2 - 1); [ring|rewrite E; ring].
Qed.
Lemma minus0 x1 y1 x2 y2 : on x1 y1 -> on x2 y2 -> 1 - d * x1 * x2 * y1 * y2 <> 0.
Proof.
intros A C E. apply (complete x1 y1 x2 y2 1); auto; [ring|].
transitivity (1 - (1 - d * x1 * x2 * y1 * y2)); [ring|rewrite E; ring].
Qed.

Lemma de : d * (1 / d) = 1. Proof. pose proof d0; field; auto. Qed.

Theorem closed x1 y1 x2 y2 : on x1 y1 -> on x2 y2 -> on (x3 x1 y1 x2 y2) (y3 x1 y1 x2 y2).
Proof.
intros A C. pose proof (plus0 _ _ _ _ A C). pose proof (minus0 _ _ _ _ A C). pose proof de as DE.
destruct (rules _ _ A) as [Y1 X1], (rules _ _ C) as [Y2 X2].
revert DE Y1 X1 Y2 X2. generalize (1 / d) (1 / (1 - d * x1 * x1)) (1 / (1 - d * x2 * x2)). intros e t1 t2 DE Y1 X1 Y2 X2.
unfold on, x3, y3. field [DE Y1 X1 Y2 X2]; auto.
Qed.

Ltac assoc_start A C G :=
  pose proof (plus0 _ _ _ _ A C) as p1; pose proof (minus0 _ _ _ _ A C) as m1;
  pose proof (plus0 _ _ _ _ C G) as p2; pose proof (minus0 _ _ _ _ C G) as m2; pose proof de as DE;
  pose proof (plus0 _ _ _ _ (closed _ _ _ _ A C) G) as q1; pose proof (plus0 _ _ _ _ A (closed _ _ _ _ C G)) as q2;
  pose proof (minus0 _ _ _ _ (closed _ _ _ _ A C) G) as n1; pose proof (minus0 _ _ _ _ A (closed _ _ _ _ C G)) as n2;
  destruct (rules _ _ A) as [Y1 X1], (rules _ _ C) as [Y2 X2], (rules _ _ G) as [Y3 X3]; clear A C G;
  revert DE Y1 X1 Y2 X2 Y3 X3.
(* A numerator is not 0, since the fraction is not. *)
Ltac num := match goal with q : ?x <> 0 |- ?y <> 0 => let Z := fresh in intro Z; apply q;
  match type of Z with ?n = 0 =>
    match goal with
    | a : 1 + ?u <> 0, b : 1 - ?u <> 0 |- _ => solve [transitivity (n / ((1 + u) * (1 - u))); [field; auto|rewrite Z; field; auto]]
    end end end.

Theorem assoc_x x1 y1 x2 y2 xx yy : on x1 y1 -> on x2 y2 -> on xx yy ->
  x3 (x3 x1 y1 x2 y2) (y3 x1 y1 x2 y2) xx yy = x3 x1 y1 (x3 x2 y2 xx yy) (y3 x2 y2 xx yy).
Proof.
intros A C G; assoc_start A C G.
generalize (1 / d) (1 / (1 - d * x1 * x1)) (1 / (1 - d * x2 * x2)) (1 / (1 - d * xx * xx)).
intros e t1 t2 tt DE Y1 X1 Y2 X2 Y3 X3. unfold x3, y3 in *.
field [DE Y1 X1 Y2 X2 Y3 X3]; repeat split; auto; num.
Qed.

Theorem assoc_y x1 y1 x2 y2 xx yy : on x1 y1 -> on x2 y2 -> on xx yy ->
  y3 (x3 x1 y1 x2 y2) (y3 x1 y1 x2 y2) xx yy = y3 x1 y1 (x3 x2 y2 xx yy) (y3 x2 y2 xx yy).
Proof.
intros A C G; assoc_start A C G.
generalize (1 / d) (1 / (1 - d * x1 * x1)) (1 / (1 - d * x2 * x2)) (1 / (1 - d * xx * xx)).
intros e t1 t2 tt DE Y1 X1 Y2 X2 Y3 X3. unfold x3, y3 in *.
field [DE Y1 X1 Y2 X2 Y3 X3]; repeat split; auto; num.
Qed.

Lemma comm_x x1 y1 x2 y2 : x3 x1 y1 x2 y2 = x3 x2 y2 x1 y1.
Proof. unfold x3. f_equal; ring. Qed.
Lemma comm_y x1 y1 x2 y2 : y3 x1 y1 x2 y2 = y3 x2 y2 x1 y1.
Proof. unfold y3. f_equal; ring. Qed.
Lemma one0 : 1 <> (0 : F). Proof. intro E; apply two; rewrite E; ring. Qed.
Lemma neutral_x x y : x3 0 1 x y = x.
Proof. unfold x3. transitivity (x / 1); [f_equal; ring|field; exact one0]. Qed.
Lemma neutral_y x y : y3 0 1 x y = y.
Proof. unfold y3. transitivity (y / 1); [f_equal; ring|field; exact one0]. Qed.
Lemma neutral_on : on 0 1. Proof. unfold on; ring. Qed.
Lemma inverse_on x y : on x y -> on (- x) y.
Proof. unfold on; intro E. transitivity (y * y - x * x); [ring|rewrite E; ring]. Qed.
Lemma inverse_x x y : x3 (- x) y x y = 0.
Proof. unfold x3. transitivity (0 / (1 + d * - x * x * y * y)); [f_equal; ring|]. rewrite (Fdiv_def field_axioms); ring. Qed.
Lemma inverse_y x y : on x y -> y3 (- x) y x y = 1.
Proof.
intro E; unfold y3. pose proof (minus0 _ _ _ _ (inverse_on _ _ E) E) as n.
transitivity ((y * y - x * x) / (1 - d * - x * x * y * y)); [f_equal; ring|].
rewrite E. transitivity ((1 - d * - x * x * y * y) / (1 - d * - x * x * y * y)); [f_equal; ring|field; auto].
Qed.

(* Addition without inversions, on X = x Z and Y = y Z. *)
Theorem projective x1 y1 z1 x2 y2 z2 : on x1 y1 -> on x2 y2 -> z1 <> 0 -> z2 <> 0 ->
  let a := z1 * z2 in let b := a * a in let c := x1 * z1 * (x2 * z2) in let g := y1 * z1 * (y2 * z2) in let e := d * (c * g) in
  let z := (b - e) * (b + e) in
  z <> 0 /\ a * (b - e) * (x1 * z1 * (y2 * z2) + x2 * z2 * (y1 * z1)) = x3 x1 y1 x2 y2 * z
  /\ a * (b + e) * (g + c) = y3 x1 y1 x2 y2 * z.
Proof.
intros A C n1 n2 a b c g e z.
pose proof (plus0 _ _ _ _ A C) as p1; pose proof (minus0 _ _ _ _ A C) as m1.
assert (E1 : b - e = z1 * z1 * (z2 * z2) * (1 - d * x1 * x2 * y1 * y2)) by (unfold b, e, c, g, a; ring).
assert (E2 : b + e = z1 * z1 * (z2 * z2) * (1 + d * x1 * x2 * y1 * y2)) by (unfold b, e, c, g, a; ring).
assert (ne : forall u v, u <> 0 -> v <> 0 -> u * v <> 0) by (intros u v u0 v0 Z; exact (v0 (product_0 _ _ Z u0))).
unfold z, x3, y3; rewrite E1, E2; unfold a, c, g.
split; [auto 8|split; field; auto].
Qed.

(* A point is determined by y up to the sign of x, and by y = 1 or y = -1. *)
Lemma plus_dyy y : 1 + d * y * y <> 0.
Proof.
intro E. assert (y0 : y <> 0) by (intro Z; apply one0; rewrite <- E, Z; ring).
apply (nonsquare (i / y)). transitivity (i * i / (y * y)); [field; auto|]. rewrite ii.
transitivity (d - (1 + d * y * y) / (y * y)); [field; auto|rewrite E; field; auto].
Qed.
Lemma same_y x1 x2 y : on x1 y -> on x2 y -> x1 = x2 \/ x1 = - x2.
Proof.
intros A C. destruct (dec (x1 - x2) 0) as [e|n]; [left|right].
- transitivity (x1 - x2 + x2); [ring|rewrite e; ring].
- assert (Z : x1 + x2 = 0).
  { apply (product_0 ((1 + d * y * y) * (x1 - x2))).
    - transitivity ((1 + d * x1 * x1 * y * y - (y * y - x1 * x1)) - (1 + d * x2 * x2 * y * y - (y * y - x2 * x2))); [ring|].
      rewrite A, C. ring.
    - intro Z. exact (n (product_0 _ _ Z (plus_dyy y))). }
  transitivity (x1 + x2 - x2); [ring|rewrite Z; ring].
Qed.
Lemma one_x x y : on x y -> y * y = 1 -> x = 0.
Proof.
intros A Y. assert (Z : x * x = 0).
{ apply (product_0 (1 + d * y * y)); [|apply plus_dyy].
  transitivity ((1 + d * x * x * y * y) - (y * y - x * x) + (y * y - 1)); [ring|rewrite A, Y; ring]. }
destruct (dec x 0) as [|n]; auto. exact (product_0 _ _ Z n).
Qed.
End GroupLaw.
