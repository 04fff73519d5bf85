(* docs/exact-batch.md, section 9: its identities, over any field and for any r with A = r^2 - 2. M' is
   V^2 = U (U - r^2) (U - r^2 + 4), which is V^2 = U^3 - 2A U^2 + (A^2 - 4) U. The identities `double` and `translate` take the
   place of Weil reciprocity (9.e): Character.v needs f at Q + Q and Q + T' only. *)
From Coq Require Import Ring Field Setoid.
Section Isogeny.
Variables (F : Type) (zero one : F) (add mul sub : F -> F -> F) (opp : F -> F) (div : F -> F -> F) (inv : F -> F).
Hypothesis field_axioms : field_theory zero one add mul sub opp div inv (@eq F).
Add Field F : field_axioms.
Notation "0" := zero. Notation "1" := one.
Infix "+" := add. Infix "*" := mul. Infix "-" := sub. Infix "/" := div. Notation "- x" := (opp x).
Notation "2" := (1 + 1). Notation "4" := (2 + 2). Notation "3" := (1 + 2).

(* A side condition of field from a hypothesis, up to ring. *)
Ltac by_hyp := match goal with
  | H : ?x <> 0 |- ?y <> 0 => let e := fresh in intro e; apply H; solve
      [refine (eq_trans _ e); ring | transitivity (- y); [ring|rewrite e; ring]] end.
Ltac sides := repeat split; by_hyp.

Variable r : F.
Definition on U V := V * V = U * (U - r * r) * (U - r * r + 4).
Definition f U V := (V - (2 - r) * (U - r * r)) * (V - (2 - r) * (U - r * r)) / (U - r * r).
Definition US := r * (r - 2). Definition VS := 2 * r * (r - 2).
Definition pow4 x := x * x * (x * x).

Lemma S_on : on US VS. Proof. unfold on, US, VS. ring. Qed.

(* 9.e for Q' = T' = (0, 0): f(Q) f(T') = f(Q + T') g^4. *)
Definition K := r * r * (r * r - 4).
Definition UT U := K / U.
Definition VT U V := - (K * V / (U * U)).
Definition gT U V := (VS * U - V * US) / (US * U - K).
Lemma translate U V : on U V -> U <> 0 -> r * r <> 0 -> U - r * r <> 0 ->
  K - r * r * U <> 0 -> US * U - K <> 0 ->
  f U V * f 0 0 = f (UT U) (VT U V) * pow4 (gT U V).
Proof.
unfold on, f, UT, VT, gT, US, VS, pow4, K. intros H u0 rr u1 u2 u3.
field [H]; sides.
Qed.
Lemma f_T' : r * r <> 0 -> f 0 0 = - (r * (2 - r) * (r * (2 - r))).
Proof.
unfold f; intro rr; field; sides.
Qed.

(* 9.e for Q' = Q: f(Q) is the product of a square root of f(2Q) and a square. C is V^2. *)
Definition C U := U * (U - r * r) * (U - r * r + 4).
Definition lam U V := (3 * U * U - 4 * (r * r - 2) * U + K) * V / (2 * C U).
Definition U2 U := (U * U - K) * (U * U - K) / (4 * C U).
Definition V2 U V := lam U V * (U - U2 U) - V.
Definition Ee U := (U - r * r) * (U - r * r) - 4 * r * r.
Definition hh U V := (V2 U V - (2 - r) * (U2 U - r * r)) * 2 * V / Ee U.
Definition dS U := US * (4 * C U) - (U * U - K) * (U * U - K).
Definition gg U V := (VS - V - lam U V * (US - U)) * (4 * C U) / dS U.

Section Double.
Variables U V : F.
Hypothesis H : on U V.
Hypothesis two : 2 <> 0.
Hypothesis four : 4 <> 0.
Hypothesis u0 : U <> 0.
Hypothesis u1 : U - r * r <> 0.
Hypothesis u2 : U - r * r + 4 <> 0.

Lemma U2_tangent : U2 U = lam U V * lam U V + 2 * (r * r - 2) - 2 * U.
Proof. revert H; unfold on, U2, lam, C, K. intro E. field [E]; sides. Qed.
Lemma V2_on : on (U2 U) (V2 U V).
Proof. revert H; unfold on, V2, U2, lam, C, K. intro E. field [E]; sides. Qed.
Lemma U2_square : U2 U - r * r = Ee U * Ee U / (4 * C U).
Proof. unfold U2, C, Ee, K. field; sides. Qed.
(* U(2Q) = r^2 only if Ee = 0, and U(2Q) = U(S) only if dS = 0. *)
Hypothesis e0 : Ee U <> 0.
Hypothesis d0 : dS U <> 0.
Lemma double_root : f U V = hh U V * (gg U V * gg U V).
Proof.
revert H e0 d0; unfold on, f, hh, gg, V2, lam, VS, dS, Ee, US, U2, C, K. intros E E0 D0.
field [E]; sides.
Qed.
Lemma f_double : f (U2 U) (V2 U V) = hh U V * hh U V.
Proof.
unfold f, hh; rewrite U2_square. generalize (V2 U V); intro y.
revert H e0; unfold on, Ee, C. intros E E0. field [E]; sides.
Qed.
(* f(2Q) is f(Q)^2 up to a fourth power. *)
Theorem double : f U V * f U V = f (U2 U) (V2 U V) * pow4 (gg U V).
Proof. rewrite f_double, double_root. unfold pow4. ring. Qed.
End Double.

(* 9.f at the image of (u, v) on M under phi. *)
Definition onM u v := v * v = u * (u * u + (r * r - 2) * u + 1).
Lemma image_on u v : onM u v -> u <> 0 -> on (v * v / (u * u)) (v * (1 - u * u) / (u * u)).
Proof. unfold on, onM. intros E u0. field [E]; sides. Qed.
Lemma image_square u v : onM u v -> u <> 0 -> v * v / (u * u) - r * r = (u - 1) * (u - 1) / u.
Proof. unfold onM. intros E u0. field [E]; sides. Qed.

(* 9.b: the preimages of (u, v) under the dual isogeny, w^2 = u. *)
Definition Up w v := r * r - 2 + 2 * (w * w) - 2 * v / w.
Lemma preimage_on w v : onM (w * w) v -> w <> 0 -> on (Up w v) (2 * w * Up w v).
Proof. unfold on, onM, Up. intros E w0. field [E]; sides. Qed.
Lemma preimage_u w v : w <> 0 -> 4 <> 0 -> Up w v <> 0 ->
  (2 * w * Up w v) * (2 * w * Up w v) / (4 * (Up w v * Up w v)) = w * w.
Proof. generalize (Up w v). intros x w0 f0 x0. field; sides. Qed.

(* 9.h: f(P1) b^4 = g, with N = Z + Y = w^2 D, D = Z - Y. *)
Lemma coordinates X Y Z D w c : D = Z - Y -> Z + Y = w * w * D ->
  let m := 2 * X * Y - c * w * D * Z in
  let Ud := D * X in let Un := 2 * m + r * r * Ud in
  let a := w * Un - (2 - r) * m in let b := Ud * m in
  let U := r * r - 2 + 2 * (w * w) - 2 * (c * w * Z / X) in
  let V := 2 * w * U in
  X <> 0 -> D <> 0 -> m <> 0 -> 2 <> 0 -> U - r * r <> 0 ->
  f U V * (b * b * (b * b)) = 2 * (a * a) * (b * b * b).
Proof.
intros dd nn m Ud Un a b U V X0 D0 m0 t0 U0.
assert (eU : U = Un / Ud).
  unfold U, Un, Ud, m. replace (w * w) with ((Z + Y) / D) by (rewrite nn; field; sides). rewrite dd. field.
  rewrite <- dd; auto.
assert (eU' : U - r * r = 2 * m / Ud) by (rewrite eU; unfold Un, Ud; field; sides).
assert (eV : V - (2 - r) * (U - r * r) = 2 * a / Ud).
  unfold V, a. rewrite eU'. rewrite eU. unfold Un, Ud. field; sides.
unfold f. rewrite eV, eU'. unfold b, Ud. field; sides.
Qed.
End Isogeny.
