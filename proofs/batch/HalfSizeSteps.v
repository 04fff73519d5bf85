(* docs/exact-batch.md, section 12: a round of scalar/half_size.rs as functions over Z. The coefficients stay below 2^26, so that
   its floating-point numbers and packed words hold them exactly, and every pair that it finds has an odd c and u = c h mod 8l. *)
From Coq Require Import ZArith Lia List Znumtheory.
From Sigmill Require Import Windows.
Import ListNotations.
Local Open Scope Z_scope.

(* The larger and the smaller number of a round, with their coefficients of the numbers that it began with. *)
Record state := State { larger : Z; smaller : Z; larger_p : Z; larger_q : Z; smaller_p : Z; smaller_q : Z }.

Definition step (least : Z) (t : state) : state :=
  let '(State a b p q r s) := t in
  if b <? least then t else
  let two_e := 2 ^ (Z.log2 a - Z.log2 b) in
  let rest := a - b * two_e in
  let sign := if rest <? 0 then -1 else 1 in
  let a' := sign * rest in let p' := sign * (p - two_e * r) in let q' := sign * (q - two_e * s) in
  if a' <? b then State b a' r s p' q' else State a' b p' q' r s.

Fixpoint steps (least : Z) (n : nat) (t : state) : state :=
  match n with O => t | S m => steps least m (step least t) end.

(* One coefficient of each number, x of a and y of b, in a round whose determinant makes y a - x b plus or minus D. *)
Section Column.
Variable D : Z.
Hypothesis D0 : 0 < D.

(* After a swap behind a step that has made A into b = B - A, where B = 2^e a. *)
Definition grown a b x y := y * a - x * b = D /\ exists A k,
  b < A /\ x * b * A <= 2 * D * b /\ 2 ^ k <= a < 2 ^ (k + 1) /\ (A + b) * 2 ^ k <= a * A.
Definition bounded_if_positive a b x y := 0 <= y /\ (
  (x <= 0 /\ y * a - x * b = D) \/
  (0 <= x /\ x * b - y * a = D /\ y * a < 2 * D) \/
  (0 <= x /\ y * a - x * b = D /\ x * b < D) \/
  (0 <= x /\ grown a b x y)).
Definition bounded a b x y := bounded_if_positive a b x y \/ bounded_if_positive a b (- x) (- y).

Lemma coefficients a b x y : 0 < b <= a -> bounded a b x y -> Z.abs x * b < 3 * D /\ Z.abs y * a < 3 * D.
Proof.
intros ab. assert (one : forall x y, bounded_if_positive a b x y -> Z.abs x * b < 3 * D /\ Z.abs y * a < 3 * D).
{ clear x y. intros x y [y0 [[x0 e]|[[x0 [e lt]]|[[x0 [e lt]]|[x0 [e [A [k [bA [le _]]]]]]]]]]; rewrite (Z.abs_eq y) by lia.
  - rewrite Z.abs_neq by lia. assert (0 <= - x * b) by nia. assert (0 <= y * a) by nia. lia.
  - rewrite Z.abs_eq by lia. lia.
  - rewrite Z.abs_eq by lia. lia.
  - rewrite Z.abs_eq by lia. assert (x * b < 2 * D) by nia. lia. }
intros [h|h]; apply one in h; [|rewrite !Z.abs_opp in h]; exact h.
Qed.

(* A step whose a and B = 2^e b lie between the same powers of two. *)
Section Step.
Variables a b x y two_e k : Z.
Hypothesis ab : 0 < b <= a.
Hypothesis e0 : 0 < two_e.
Hypothesis a_k : 2 ^ k <= a < 2 ^ (k + 1).
Hypothesis B_k : 2 ^ k <= b * two_e < 2 ^ (k + 1).
Hypothesis k0 : 0 <= k.
Notation B := (b * two_e).

Lemma twice : 2 ^ (k + 1) = 2 * 2 ^ k. Proof. rewrite Z.pow_add_r by lia. lia. Qed.

(* a' = a - B: nothing grows. *)
Lemma less : B <= a -> bounded_if_positive a b x y ->
  let a' := a - B in let x' := x - two_e * y in
  0 <= y /\ ((x' <= 0 /\ y * a' - x' * b = D) \/ (0 <= x' /\ x' * b - y * a' = D /\ y * a' < D) \/ (0 <= x' /\ y * a' - x' * b = D /\ x' * b < D)).
Proof.
intros le [y0 h]. cbv zeta. split; [exact y0|]. pose proof twice as t.
assert (half : y * a <= 2 * (y * B)) by nia. assert (yB : y * B <= y * a) by nia. assert (0 <= y * B) by nia.
replace (y * (a - B)) with (y * a - y * B) by ring. replace ((x - two_e * y) * b) with (x * b - y * B) by ring.
assert (x2 : x * b < 2 * D \/ x * b - y * a = D).
{ destruct h as [[x0 e]|[[x0 [e lt]]|[[x0 [e lt]]|[x0 [e [A [k' [bA [l _]]]]]]]]]; [left; nia|right; lia|left; lia|left; nia]. }
destruct (Z.le_gt_cases (x - two_e * y) 0) as [neg|pos].
- assert (x * b - y * B <= 0) by nia. left. split; [exact neg|].
  destruct h as [[x0 e]|[[x0 [e lt]]|[[x0 [e lt]]|[x0 [e _]]]]]; nia.
- assert (0 < x * b - y * B) by nia. right.
  destruct h as [[x0 e]|[[x0 [e lt]]|[[x0 [e lt]]|[x0 [e _]]]]]; [nia|left|right|right]; lia.
Qed.
(* a' = B - a: the coefficient of a' grows, by the part that a' is of a. *)
Lemma more : a < B -> bounded_if_positive a b x y ->
  let a' := B - a in let x' := two_e * y - x in
  0 <= y /\ ((x' <= 0 /\ y * a' - x' * b = D) \/ (0 <= x' /\ x' * b - y * a' = D /\ y * a' < 2 * D /\ y * a' * a <= 2 * D * a') \/
    (0 <= x' /\ x' * b - y * a' = D /\ y * a' < D) \/ (0 <= x' /\ y * a' - x' * b = D /\ x' * b < D)).
Proof.
intros lt [y0 h]. cbv zeta. split; [exact y0|]. pose proof twice as t. assert (B2 : B < 2 * a) by lia.
assert (yB : y * a <= y * B) by nia. assert (yB2 : y * B <= 2 * (y * a)) by nia.
replace (y * (B - a)) with (y * B - y * a) by ring. replace ((two_e * y - x) * b) with (y * B - x * b) by ring.
assert (sign : two_e * y - x <= 0 /\ y * B - x * b <= 0 \/ 0 <= two_e * y - x /\ 0 <= y * B - x * b).
{ replace (y * B - x * b) with ((two_e * y - x) * b) by ring. destruct (Z.le_gt_cases (two_e * y - x) 0); [left|right]; nia. }
assert (grows : y * a < 2 * D -> (y * B - y * a) * a <= 2 * D * (B - a)).
{ intro. replace ((y * B - y * a) * a) with (y * a * (B - a)) by ring. nia. }
destruct h as [[x0 e]|[[x0 [e l]]|[[x0 [e l]]|[x0 [e [A [k' [bA [l [r1 r2]]]]]]]]]].
- destruct sign as [[n1 n2]|[n1 n2]]; [left|right; left]; split; nia.
- destruct sign as [[n1 n2]|[n1 n2]]; [left; split; [exact n1|lia]|]. right; right; right. split; [exact n1|]. nia.
- destruct sign as [[n1 n2]|[n1 n2]]; [exfalso; nia|right; left]. split; [exact n1|]. nia.
- destruct sign as [[n1 n2]|[n1 n2]]; [exfalso; nia|right; right; left]. split; [exact n1|]. split; [lia|].
  (* (1 + 2 rho)(1 - rho) <= 1 + rho *)
  assert (K : k' = k).
  { destruct (Z.lt_trichotomy k' k) as [L|[L|L]]; [|exact L|].
    - assert (2 ^ (k' + 1) <= 2 ^ k) by (apply Z.pow_le_mono_r; lia). lia.
    - assert (2 ^ (k + 1) <= 2 ^ k') by (apply Z.pow_le_mono_r; lia). lia. }
  subst k'. clear r1.
  assert (f : (B - a) * (A + b) < a * (A - b)) by nia.
  assert (g : y * (B - a) * a = (D + x * b) * (B - a)) by nia.
  assert (g2 : (D + x * b) * A <= D * (A + 2 * b)) by nia.
  assert (u : (D + x * b) * A * ((B - a) * (A + b)) < D * a * A * (A + b)).
  { assert (0 <= (B - a) * (A + b)) by nia.
    assert ((D + x * b) * A * ((B - a) * (A + b)) <= D * (A + 2 * b) * ((B - a) * (A + b))) by (apply Z.mul_le_mono_nonneg_r; assumption).
    assert (D * (A + 2 * b) * ((B - a) * (A + b)) < D * (A + 2 * b) * (a * (A - b))) by (apply Z.mul_lt_mono_pos_l; [nia|exact f]).
    assert (0 <= D * a * (2 * (b * b))) by nia.
    replace (D * a * A * (A + b)) with (D * (A + 2 * b) * (a * (A - b)) + D * a * (2 * (b * b))) by ring. lia. }
  assert (v : y * (B - a) * (a * A * (A + b)) < D * (a * A * (A + b))).
  { replace (y * (B - a) * (a * A * (A + b))) with ((y * (B - a) * a) * A * (A + b)) by ring. rewrite g.
    replace ((D + x * b) * (B - a) * A * (A + b)) with ((D + x * b) * A * ((B - a) * (A + b))) by ring.
    replace (D * (a * A * (A + b))) with (D * a * A * (A + b)) by ring. exact u. }
  replace (y * B - y * a) with (y * (B - a)) by ring.
  apply Z.mul_lt_mono_pos_r in v; [exact v|nia].
Qed.
End Step.
(* A step on a column: a' and b, with the coefficients x' and y, either of which may come first. *)
Definition column_after b y (a' x' : Z) := 0 <= a' /\ Z.abs x' * b < 3 * D /\
  (0 < a' -> if a' <? b then bounded b a' y x' else bounded a' b x' y).

Lemma after_positive a b x y : 0 < b <= a -> bounded_if_positive a b x y ->
  let two_e := 2 ^ (Z.log2 a - Z.log2 b) in let rest := a - b * two_e in let sign := if rest <? 0 then -1 else 1 in
  column_after b y (sign * rest) (sign * (x - two_e * y)).
Proof.
intros ab h two_e rest sign. pose proof (Z.log2_nonneg b). assert (le : Z.log2 b <= Z.log2 a) by (apply Z.log2_le_mono; lia).
pose proof (Z.log2_spec a) as sa. pose proof (Z.log2_spec b) as sb. specialize (sa ltac:(lia)). specialize (sb ltac:(lia)).
rewrite <- Z.add_1_r in sa, sb.
assert (e0 : 0 < two_e) by (apply Z.pow_pos_nonneg; lia).
assert (same : 2 ^ Z.log2 b * two_e = 2 ^ Z.log2 a) by (unfold two_e; rewrite <- Z.pow_add_r by lia; f_equal; lia).
assert (t : forall z, 0 <= z -> 2 ^ (z + 1) = 2 * 2 ^ z) by (intros; rewrite Z.pow_add_r by lia; lia).
rewrite t in sb by lia.
assert (B_k : 2 ^ Z.log2 a <= b * two_e < 2 ^ (Z.log2 a + 1)) by (rewrite t by lia; nia).
unfold column_after, sign. destruct (Z.ltb_spec rest 0) as [neg|pos]; unfold rest in *.
- replace (-1 * (a - b * two_e)) with (b * two_e - a) by ring. replace (-1 * (x - two_e * y)) with (two_e * y - x) by ring.
  destruct (more a b x y two_e (Z.log2 a) ab e0 sa B_k ltac:(lia) ltac:(lia) h) as [y0 K].
  split; [lia|]. assert (small : Z.abs (two_e * y - x) * b < 3 * D).
  { destruct K as [[n e]|[[n [e [l _]]]|[[n [e l]]|[n [e l]]]]].
    - rewrite Z.abs_neq by lia. assert (0 <= y * (b * two_e - a)) by nia. lia.
    - rewrite Z.abs_eq by lia. lia.
    - rewrite Z.abs_eq by lia. lia.
    - rewrite Z.abs_eq by lia. lia. }
  split; [exact small|]. intro a'0. rewrite t in B_k by lia.
  set (a' := b * two_e - a) in *. set (x' := two_e * y - x) in *.
  destruct (Z.ltb_spec a' b) as [swap|keep].
  + destruct K as [[n e]|[[n [e [l g]]]|[[n [e l]]|[n [e l]]]]].
    * right. split; [lia|]. left. split; [lia|]. lia.
    * left. split; [lia|]. right; right; right. split; [lia|]. split; [lia|]. exists a, (Z.log2 b).
      split; [lia|]. split; [exact g|]. split; [rewrite t by lia; lia|].
      unfold a'. replace (a + (b * two_e - a)) with (b * two_e) by ring.
      replace (b * two_e * 2 ^ Z.log2 b) with (b * (2 ^ Z.log2 b * two_e)) by ring. rewrite same. nia.
    * left. split; [lia|]. right; right; left. lia.
    * left. split; [lia|]. right; left. lia.
  + left. split; [lia|]. destruct K as [[n e]|[[n [e [l g]]]|[[n [e l]]|[n [e l]]]]]; [left|right; left|right; left|right; right; left]; lia.
- replace (1 * (a - b * two_e)) with (a - b * two_e) by ring. replace (1 * (x - two_e * y)) with (x - two_e * y) by ring.
  destruct (less a b x y two_e (Z.log2 a) ab e0 sa B_k ltac:(lia) ltac:(lia) h) as [y0 K].
  split; [lia|]. assert (0 <= y * (a - b * two_e)) by nia. assert (small : Z.abs (x - two_e * y) * b < 3 * D).
  { destruct K as [[n e]|[[n [e l]]|[n [e l]]]].
    - rewrite Z.abs_neq by lia. lia.
    - rewrite Z.abs_eq by lia. lia.
    - rewrite Z.abs_eq by lia. lia. }
  split; [exact small|]. intro a'0. set (a' := a - b * two_e) in *. set (x' := x - two_e * y) in *.
  destruct (Z.ltb_spec a' b) as [swap|keep].
  + destruct K as [[n e]|[[n [e l]]|[n [e l]]]].
    * right. split; [lia|]. left. split; [lia|]. lia.
    * left. split; [lia|]. right; right; left. lia.
    * left. split; [lia|]. right; left. lia.
  + left. split; [lia|]. destruct K as [[n e]|[[n [e l]]|[n [e l]]]]; [left|right; left|right; right; left]; lia.
Qed.

Lemma bounded_opp a b x y : bounded a b (- x) (- y) -> bounded a b x y.
Proof. intros [h|h]; [right; exact h|left]. rewrite !Z.opp_involutive in h. exact h. Qed.

Lemma after a b x y : 0 < b <= a -> bounded a b x y ->
  let two_e := 2 ^ (Z.log2 a - Z.log2 b) in let rest := a - b * two_e in let sign := if rest <? 0 then -1 else 1 in
  column_after b y (sign * rest) (sign * (x - two_e * y)).
Proof.
intros ab [h|h]; [exact (after_positive a b x y ab h)|].
destruct (after_positive a b (- x) (- y) ab h) as [a0 [small next]]. cbv zeta in *.
set (two_e := 2 ^ (Z.log2 a - Z.log2 b)) in *. set (sign := if a - b * two_e <? 0 then -1 else 1) in *.
replace (sign * (- x - two_e * - y)) with (- (sign * (x - two_e * y))) in small, next by ring.
rewrite Z.abs_opp in small. split; [exact a0|]. split; [exact small|]. intro a'0. specialize (next a'0).
destruct (sign * (a - b * two_e) <? b); apply bounded_opp; exact next.
Qed.
End Column.

(* A round that begins with a0 >= b0, and whose steps end where 2^26 b < 3 a0. *)
Section Round.
Variables least a0 b0 : Z.
Hypothesis range : 0 < least.
Hypothesis narrowest : 3 * a0 <= 2 ^ 26 * least.
Hypothesis order : 0 <= b0 <= a0.
Variables sa sb : Z.
Hypothesis sa1 : Z.abs sa = 1.
Hypothesis sb1 : Z.abs sb = 1.
Notation start := (State a0 b0 sa 0 0 sb).

Definition small x := Z.abs x < 2 ^ 26.
Definition unimodular t := Z.abs (larger_p t * smaller_q t - larger_q t * smaller_p t) = 1.
Definition holds t := 0 <= smaller t <= larger t /\ unimodular t /\ small (larger_p t) /\ small (larger_q t) /\ small (smaller_p t) /\ small (smaller_q t) /\
  (least <= smaller t -> 0 < b0 /\ bounded b0 (larger t) (smaller t) (larger_p t) (smaller_p t) /\ bounded a0 (larger t) (smaller t) (larger_q t) (smaller_q t)).

Lemma start_holds : holds start.
Proof.
unfold holds, unimodular, small. cbn [larger smaller larger_p larger_q smaller_p smaller_q]. rewrite !Z.mul_0_r, Z.sub_0_r, Z.abs_mul, sa1, sb1. cbn.
repeat split; try lia.
- destruct (Z.abs_eq_cases sa 1) as [e|e]; [lia| |]; subst sa; [right|left]; (split; [lia|]); left; lia.
- destruct (Z.abs_eq_cases sb 1) as [e|e]; [lia| |]; subst sb; [left|right]; (split; [lia|]); left; lia.
Qed.

Lemma step_holds t : holds t -> holds (step least t).
Proof.
destruct t as [a b p q r s]. unfold holds, unimodular, step. cbn [larger smaller larger_p larger_q smaller_p smaller_q].
intros [ab [det [sp [sq [sr [ss next]]]]]]. destruct (Z.ltb_spec b least) as [out|in_]; [cbn; tauto|].
destruct (next in_) as [D0 [hp hq]]. assert (a0pos : 0 < a0) by lia. assert (ab' : 0 < b <= a) by lia.
pose proof (after b0 D0 a b p r ab' hp) as [a'0 [p3 np]]. pose proof (after a0 a0pos a b q s ab' hq) as [_ [q3 nq]].
cbv zeta in *. set (two_e := 2 ^ (Z.log2 a - Z.log2 b)) in *. set (sign := if a - b * two_e <? 0 then -1 else 1) in *.
set (a' := sign * (a - b * two_e)) in *. set (p' := sign * (p - two_e * r)) in *. set (q' := sign * (q - two_e * s)) in *.
assert (sp' : small p') by (unfold small; nia). assert (sq' : small q') by (unfold small; nia).
assert (det' : Z.abs (p' * s - q' * r) = 1).
{ unfold p', q'. replace (sign * (p - two_e * r) * s - sign * (q - two_e * s) * r) with (sign * (p * s - q * r)) by ring.
  rewrite Z.abs_mul, det. unfold sign. destruct (a - b * two_e <? 0); reflexivity. }
destruct (Z.ltb_spec a' b) as [swap|keep]; cbn.
- split; [lia|]. split; [replace (r * q' - s * p') with (- (p' * s - q' * r)) by ring; rewrite Z.abs_opp; exact det'|].
  repeat split; try assumption; [apply np; lia|apply nq; lia].
- split; [lia|]. split; [exact det'|]. repeat split; try assumption; [apply np; lia|apply nq; lia].
Qed.

(* Coefficients are below 2^26 after any number of steps, and their determinant is 1 or -1. *)
Theorem round_holds n : holds (steps least n start).
Proof.
assert (all : forall t, holds t -> holds (steps least n t)); [|apply all; exact start_holds].
induction n as [|n IH]; intros t h; cbn [steps]; [exact h|]. apply IH, step_holds, h.
Qed.
End Round.

(* A round on vectors (u, c) of the lattice: the leading numbers, whatever they are, decide about steps alone. *)
Definition vector : Type := Z * Z.
Definition combination (x y : Z) (v w : vector) : vector := (x * fst v + y * fst w, x * snd v + y * snd w).
Definition of_rows (t : state) (v w : vector) : vector * vector :=
  (combination (larger_p t) (larger_q t) v w, combination (smaller_p t) (smaller_q t) v w).

(* The leading numbers of a round, which one is larger, and its least number. *)
Record leading := Leading { first : Z; second : Z; sign_1 : Z; sign_2 : Z; swapped : bool; end_ : Z }.
Definition fits (a : leading) := 0 < end_ a /\ 3 * first a <= 2 ^ 26 * end_ a /\ 0 <= second a <= first a
  /\ Z.abs (sign_1 a) = 1 /\ Z.abs (sign_2 a) = 1.
Definition round (n : nat) (v : vector * vector) (a : leading) : vector * vector :=
  let (x, y) := if swapped a then (snd v, fst v) else v in
  of_rows (steps (end_ a) n (State (first a) (second a) (sign_1 a) 0 0 (sign_2 a))) x y.

(* The last combination: the smaller one if its c is odd, else the larger one less k times the smaller one; c is made positive. *)
Definition choose (k : Z) (v : vector * vector) : vector :=
  let w := if Z.odd (snd (snd v)) then snd v else combination 1 (- k) (fst v) (snd v) in
  if snd w <? 0 then (- fst w, - snd w) else w.

Section Lattice.
Variable h : Z.
Definition in_lattice (v : vector) := (8 * order_l | fst v - snd v * h).
Definition one_odd (v : vector * vector) := (Z.odd (snd (fst v)) || Z.odd (snd (snd v)))%bool = true.

Lemma combination_in x y v w : in_lattice v -> in_lattice w -> in_lattice (combination x y v w).
Proof.
unfold in_lattice, combination. cbn. intros hv hw.
replace (x * fst v + y * fst w - (x * snd v + y * snd w) * h) with (x * (fst v - snd v * h) + y * (fst w - snd w * h)) by ring.
apply Z.divide_add_r; apply Z.divide_mul_r; assumption.
Qed.

Lemma keeps_one_odd x y z t v w : Z.abs (x * t - y * z) = 1 -> one_odd (v, w) -> one_odd (combination x y v w, combination z t v w).
Proof.
unfold one_odd, combination. cbn. intros det odd.
assert (o : Z.odd (x * t - y * z) = true) by (destruct (Z.abs_eq_cases (x * t - y * z) 1) as [e|e]; [lia| |]; rewrite e; reflexivity).
rewrite Z.odd_sub, !Z.odd_mul in o. rewrite !Z.odd_add, !Z.odd_mul.
destruct (Z.odd x), (Z.odd y), (Z.odd z), (Z.odd t), (Z.odd (snd v)), (Z.odd (snd w)); cbn in *; congruence.
Qed.

Lemma round_keeps n v a : fits a -> in_lattice (fst v) /\ in_lattice (snd v) /\ one_odd v ->
  in_lattice (fst (round n v a)) /\ in_lattice (snd (round n v a)) /\ one_odd (round n v a).
Proof.
intros [e0 [narrow [le [s1 s2]]]] [hv [hw odd]]. unfold round.
assert (ordered : exists x y, (if swapped a then (snd v, fst v) else v) = (x, y) /\ in_lattice x /\ in_lattice y /\ one_odd (x, y)).
{ destruct v as [x y]. destruct (swapped a); eexists; eexists; (split; [reflexivity|]); cbn in *; repeat split; try assumption.
  unfold one_odd in *. cbn in *. rewrite Bool.orb_comm. exact odd. }
destruct ordered as [x [y [-> [hx [hy o]]]]].
pose proof (round_holds (end_ a) (first a) (second a) e0 narrow le _ _ s1 s2 n) as H.
destruct H as [_ [det _]]. unfold of_rows. cbn [fst snd].
split; [apply combination_in; assumption|]. split; [apply combination_in; assumption|].
apply keeps_one_odd; assumption.
Qed.

(* The pair: theorem 4 asks no more of it, and c < 2^140 < l is looked at. *)
Theorem half_size_pair (n : nat) (rounds : list leading) (k : Z) : (forall a, In a rounds -> fits a) ->
  let (u, c) := choose k (fold_left (round n) rounds ((8 * order_l, 0), (h, 1))) in
  (u - c * h) mod (8 * order_l) = 0 /\ Z.odd c = true /\ 0 < c.
Proof.
intro all.
assert (basis : let v := fold_left (round n) rounds ((8 * order_l, 0), (h, 1)) in in_lattice (fst v) /\ in_lattice (snd v) /\ one_odd v).
{ assert (start : in_lattice (fst ((8 * order_l, 0), (h, 1))) /\ in_lattice (snd ((8 * order_l, 0), (h, 1))) /\ one_odd ((8 * order_l, 0), (h, 1))).
  { unfold in_lattice, one_odd. cbn [fst snd]. split; [exists 1; ring|]. split; [exists 0; ring|reflexivity]. }
  revert start. generalize ((8 * order_l, 0), (h, 1)) as v. induction rounds as [|a rest IH]; intros v start; cbn [fold_left]; [exact start|].
  apply IH; [intros; apply all; right; assumption|]. apply round_keeps; [apply all; left; reflexivity|exact start]. }
cbv zeta in basis. set (v := fold_left (round n) rounds _) in *. destruct basis as [hv [hw odd]]. unfold choose.
set (w := if Z.odd (snd (snd v)) then snd v else combination 1 (- k) (fst v) (snd v)).
assert (W : in_lattice w /\ Z.odd (snd w) = true).
{ unfold w, one_odd in *. destruct (Z.odd (snd (snd v))) eqn:e; [split; assumption|].
  rewrite Bool.orb_false_r in odd. split; [apply combination_in; assumption|].
  unfold combination. cbn [snd]. rewrite Z.odd_add, !Z.odd_mul, e, odd, Bool.andb_false_r. reflexivity. }
destruct W as [lattice odd_c]. assert (nonzero : snd w <> 0) by (intro e; rewrite e in odd_c; discriminate).
unfold in_lattice in lattice. destruct (Z.ltb_spec (snd w) 0) as [neg|pos]; cbn [fst snd].
- split; [|split; [rewrite Z.odd_opp; exact odd_c|lia]].
  replace (- fst w - - snd w * h) with (- (fst w - snd w * h)) by ring. apply Z.mod_divide; [discriminate|].
  apply Z.divide_opp_r. exact lattice.
- destruct w as [u c]. cbn [fst snd] in *. split; [apply Z.mod_divide; [discriminate|exact lattice]|]. split; [exact odd_c|lia].
Qed.
End Lattice.
