(* docs/exact-batch.md, section 8: changes 1 to 5 and 7 by computation in Z/40, where l = 5, B = 8 and T = 5; and two examples
   about other hypotheses. *)
From Coq Require Import ZArith List Bool Lia.
Import ListNotations.
Local Open Scope Z_scope.

Definition l := 5. Definition B := 8. Definition zero x := x mod 40 =? 0.
Definition t0 x := zero (l * x). Definition pi0 x := zero (8 * x).
(* A row is A, R, s, h. *)
Definition D A R s h := s * B - h * A - R.
Definition Q A R h := R + (h mod 8) * A.
Definition bits z j := if Z.testbit z j then 1 else 0.
Definition range n := map Z.of_nat (seq 0 n).
Definition zs := range 4. (* Coefficients of two bits. *)
Definition count {T} (p : T -> bool) (xs : list T) := length (filter p xs).
(* (1) and (2) for one row, and (1) for two. *)
Definition slices1 q z := forallb (fun j => t0 (bits z j * q)) (range 2).
Definition slices2 q q' z z' := forallb (fun j => t0 (bits z j * q + bits z' j * q')) (range 2).
Definition bracket A R s h z := ((z * s) mod l) * B - ((z * (h - h mod 8)) mod l) * A - z * Q A R h.

(* Unchanged: a row with t(Q) = 4 is accepted for one value of four. *)
Example bound_attained : count (fun z => slices1 20 z && zero (8 * bracket 0 20 0 1 z)) zs = 1%nat.
Proof. vm_compute. reflexivity. Qed.
(* Change 1: equal rows share a coefficient. *)
Example equal_coefficients : forallb (fun z => slices2 20 20 z z) zs = true /\ t0 20 = false.
Proof. vm_compute. auto. Qed.
(* Change 2: without the outer 8 a valid row with torsion in A (A = T, h = 9, R = -hT) is refused. *)
Example without_8 : zero (D 5 (- 45) 0 9) = true /\ count (fun z => zero (bracket 5 (- 45) 0 9 z)) zs = 1%nat
  /\ forallb (fun z => zero (8 * bracket 5 (- 45) 0 9 z)) zs = true.
Proof. vm_compute. auto. Qed.
(* Change 3: slices of R. A valid row is refused, an invalid one with torsion in A alone is accepted always. *)
Example slices_of_R : zero (D 5 (- 5) 0 1) = true /\ count (slices1 (- 5)) zs = 1%nat
  /\ zero (D 5 0 0 1) = false /\ forallb (fun z => slices1 0 z && zero (8 * bracket 5 0 0 1 z)) zs = true.
Proof. vm_compute. auto. Qed.
(* Change 4: one torsion test of the sum of z Q passes for half of the coefficients. *)
Example one_test : count (fun z => t0 (z * 20)) zs = 2%nat.
Proof. vm_compute. reflexivity. Qed.
(* Change 5: two signed windows of two bits: digits b - 2, slices of their magnitudes; four values where lemma 2 allows one. *)
Definition magnitude z w := Z.abs (Z.land (Z.shiftr z (2 * w)) 3 - 2).
Definition signed_slices z z' := forallb (fun w => forallb (fun j =>
  t0 (bits (magnitude z w) j * 20 + bits (magnitude z' w) j * 20)) (range 2)) (range 2).
Example signed_digits : count (signed_slices 5) (range 16) = 4%nat.
Proof. vm_compute. reflexivity. Qed.
(* Change 7: a cofactored row (R = T) in the slices. *)
Example cofactored_in_slices : pi0 (D 0 5 0 1) = true /\ count (slices1 5) zs = 1%nat.
Proof. vm_compute. auto. Qed.
(* Section 5 needs 2^w < l: with three bits two values of eight meet (2). *)
Example too_many_bits : count (fun z => zero (8 * bracket 0 8 0 1 z)) (range 8) = 2%nat.
Proof. vm_compute. reflexivity. Qed.
(* Section 12 needs an odd c. *)
Example even_c : forallb (fun d => zero (8 * (d * 5))) (range 8) = true /\ zero 5 = false.
Proof. vm_compute. auto. Qed.
