(* Division steps of sigmill/src/modular/divsteps.rs: the matrix of n steps. D is delta - 1/2.
   docs/division-steps.md says how many steps are enough; that is not proven here. *)
From Coq Require Import ZArith Lia.
Open Scope Z_scope.

(* delta - 1/2, f, g, and the matrix (u v; q r). *)
Record state := State { D : Z; f : Z; g : Z; u : Z; v : Z; q : Z; r : Z }.

Definition step (s : state) : state :=
  if Z.odd (g s) then
    if 0 <=? D s then
      State (- D s) (g s) ((g s - f s) / 2) (2 * q s) (2 * r s) (q s - u s) (r s - v s)
    else
      State (D s + 1) (f s) ((g s + f s) / 2) (2 * u s) (2 * v s) (q s + u s) (r s + v s)
  else State (D s + 1) (f s) (g s / 2) (2 * u s) (2 * v s) (q s) (r s).

Fixpoint steps (n : nat) (s : state) : state :=
  match n with O => s | S n => steps n (step s) end.

Definition start (d x y : Z) : state := State d x y 1 0 0 1.

Definition in_range (p a : Z) := - p < a <= p.

(* The matrix takes p times the state from x and y; its rows sum up to at most p; no entry is -p. *)
Definition good (x y p : Z) (s : state) : Prop :=
  Z.odd (f s) = true /\ p * f s = u s * x + v s * y /\ p * g s = q s * x + r s * y /\
  Z.abs (u s) + Z.abs (v s) <= p /\ Z.abs (q s) + Z.abs (r s) <= p /\
  in_range p (u s) /\ in_range p (v s) /\ in_range p (q s) /\ in_range p (r s).

Lemma halves (a : Z) : Z.odd a = false -> 2 * (a / 2) = a.
Proof.
  intro H; rewrite Zodd_mod in H; apply Zeq_bool_neq in H.
  Z.div_mod_to_equations; lia.
Qed.

Lemma good_step (x y p : Z) (s : state) : 0 < p -> good x y p s -> good x y (2 * p) (step s).
Proof.
  intros Hp [Hf [Ef [Eg [A [B [Iu [Iv [Iq Ir]]]]]]]]; unfold step, good, in_range in *.
  destruct (Z.odd (g s)) eqn:Hg.
  - assert (Hm : 2 * ((g s - f s) / 2) = g s - f s)
      by (apply halves; rewrite Z.odd_sub, Hf, Hg; reflexivity).
    assert (Ha : 2 * ((g s + f s) / 2) = g s + f s)
      by (apply halves; rewrite Z.odd_add, Hf, Hg; reflexivity).
    destruct (0 <=? D s); cbn [D f g u v q r]; repeat split; try assumption; try lia.
  - pose proof (halves _ Hg) as Hh.
    cbn [D f g u v q r]; repeat split; try assumption; try lia.
Qed.

Lemma good_steps (n : nat) : forall (x y p : Z) (s : state),
  0 < p -> good x y p s -> good x y (2 ^ Z.of_nat n * p) (steps n s).
Proof.
  induction n as [|n IH]; intros x y p s Hp H.
  - now rewrite Z.mul_1_l.
  - rewrite Nat2Z.inj_succ, Z.pow_succ_r by lia.
    replace (2 * 2 ^ Z.of_nat n * p) with (2 ^ Z.of_nat n * (2 * p)) by ring.
    apply IH; [lia | now apply good_step].
Qed.

(* n steps from an odd x. *)
Theorem matrix_of_steps (n : nat) (d x y : Z) :
  Z.odd x = true -> good x y (2 ^ Z.of_nat n) (steps n (start d x y)).
Proof.
  intro H; rewrite <- (Z.mul_1_r (2 ^ Z.of_nat n)); apply good_steps; [lia|].
  unfold good, start, in_range; cbn [D f g u v q r]; repeat split; try assumption; lia.
Qed.

(* The same but for multiples of p that are added to f and g. *)
Definition alike (p : Z) (s t : state) : Prop :=
  D s = D t /\ u s = u t /\ v s = v t /\ q s = q t /\ r s = r t /\
  (exists a, f t = f s + p * a) /\ (exists b, g t = g s + p * b).

Lemma alike_step (p : Z) (s t : state) : alike (2 * p) s t -> alike p (step s) (step t).
Proof.
  intros [HD [Hu [Hv [Hq [Hr [[a Ha] [b Hb]]]]]]].
  assert (Hodd : Z.odd (g t) = Z.odd (g s)).
  { rewrite Hb; replace (g s + 2 * p * b) with (g s + 2 * (p * b)) by ring.
    apply Z.odd_add_mul_2. }
  unfold step; rewrite Hodd, <- HD, <- Hu, <- Hv, <- Hq, <- Hr.
  destruct (Z.odd (g s)); [destruct (0 <=? D s)|]; unfold alike; cbn [D f g u v q r];
    repeat split; try reflexivity.
  - exists (2 * b); rewrite Hb; ring.
  - exists (b - a); rewrite Ha, Hb.
    replace (g s + 2 * p * b - (f s + 2 * p * a)) with (g s - f s + p * (b - a) * 2) by ring.
    apply Z.div_add; lia.
  - exists (2 * a); rewrite Ha; ring.
  - exists (b + a); rewrite Ha, Hb.
    replace (g s + 2 * p * b + (f s + 2 * p * a)) with (g s + f s + p * (b + a) * 2) by ring.
    apply Z.div_add; lia.
  - exists (2 * a); rewrite Ha; ring.
  - exists b; rewrite Hb; replace (g s + 2 * p * b) with (g s + p * b * 2) by ring.
    apply Z.div_add; lia.
Qed.

(* n steps depend on delta and the low n bits alone. *)
Theorem low_bits (n : nat) : forall (s t : state),
  alike (2 ^ Z.of_nat n) s t -> alike 1 (steps n s) (steps n t).
Proof.
  induction n as [|n IH]; intros s t H; [exact H|].
  rewrite Nat2Z.inj_succ, Z.pow_succ_r in H by lia.
  now apply IH, alike_step.
Qed.

(* A word of `part_of_steps`: the low n bits x and y with -1 at the places of the matrix give both sums and the matrix of x and y. *)
Theorem words (n : nat) (d x y : Z) (p := 2 ^ Z.of_nat n) (s := steps n (start d x y))
  (w := steps n (start d (x - 2 * p * p) (y - 4 * p * p * p))) :
  Z.odd x = true -> 0 <= x < p -> 0 <= y < p ->
  D w = D s /\ u w = u s /\ v w = v s /\ q w = q s /\ r w = r s /\
  f w = f s - 2 * p * u s - 4 * p * p * v s /\ g w = g s - 2 * p * q s - 4 * p * p * r s /\
  Z.abs (f s) < p /\ Z.abs (g s) < p.
Proof.
  intros Hx Bx By.
  assert (Hp : 0 < p) by (apply Z.pow_pos_nonneg; lia).
  assert (L : alike 1 s w).
  { apply low_bits; unfold alike; cbn [start D f g u v q r]; repeat split; fold p.
    - exists (- (2 * p)); ring.
    - exists (- (4 * p * p)); ring. }
  destruct L as [HD [Hu [Hv [Hq [Hr _]]]]].
  assert (Hw : Z.odd (x - 2 * p * p) = true).
  { replace (x - 2 * p * p) with (x + 2 * - (p * p)) by ring; now rewrite Z.odd_add_mul_2. }
  destruct (matrix_of_steps n d x y Hx) as [_ [Ef [Eg [A [B _]]]]].
  destruct (matrix_of_steps n d (x - 2 * p * p) (y - 4 * p * p * p) Hw) as [_ [Wf [Wg _]]].
  fold p s in Ef, Eg, A, B; fold p w in Wf, Wg.
  rewrite <- Hu, <- Hv in Wf; rewrite <- Hq, <- Hr in Wg.
  repeat split; try congruence.
  - apply (Z.mul_reg_l _ _ p); [lia|]; rewrite Wf.
    replace (p * (f s - 2 * p * u s - 4 * p * p * v s))
      with (p * f s - 2 * p * p * u s - 4 * p * p * p * v s) by ring.
    rewrite Ef; ring.
  - apply (Z.mul_reg_l _ _ p); [lia|]; rewrite Wg.
    replace (p * (g s - 2 * p * q s - 4 * p * p * r s))
      with (p * g s - 2 * p * p * q s - 4 * p * p * p * r s) by ring.
    rewrite Eg; ring.
  - nia.
  - nia.
Qed.
