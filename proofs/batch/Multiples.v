(* docs/exact-batch.md, section 1: multiples of points of edwards25519 in integers modulo p, to compute with. Order.v shows
   that they are those of the group. *)
From Coq Require Import ZArith.
From Sigmill Require Import Field.
Local Open Scope Z_scope.

Definition d_Z : Z := 37095705934669439343138083508754565189542113879843219016388785533085940283555.
Definition projective : Type := Z * Z * Z.
Definition add_mod (P Q : projective) : projective :=
  let '(X1, Y1, Z1) := P in let '(X2, Y2, Z2) := Q in
  (let a := reduced (Z1 * Z2) in let b := reduced (a * a) in let c := reduced (X1 * X2) in let g := reduced (Y1 * Y2) in
   let e := reduced (d_Z * reduced (c * g)) in
   (reduced (reduced (a * (b - e)) * reduced (X1 * Y2 + X2 * Y1)), reduced (reduced (a * (b + e)) * (g + c)),
    reduced ((b - e) * (b + e)))).
Fixpoint times (P : projective) (n : positive) : projective :=
  match n with
  | xH => P
  | xO m => let Q := times P m in add_mod Q Q
  | xI m => let Q := times P m in add_mod (add_mod Q Q) P
  end.


Definition is_zero (c : projective) : bool := let '(X, Y, Z) := c in ((X mod p =? 0) && ((Y - Z) mod p =? 0))%bool.
Definition is_nonzero (c : projective) : bool :=
  let '(X, Y, Z) := c in ((Y - Z) * power_mod (Y - Z) (Z.to_pos (p - 2))) mod p =? 1.
Definition on_mod (x y : Z) : bool := (y * y - x * x - (1 + d_Z * x * x * y * y)) mod p =? 0.

Definition B_x : Z := 15112221349535400772501151409588531511454012693041857206046113283949847762202.
Definition B_y : Z := 46316835694926478169428394003475163141307993866256225615783033603165251855960.
Definition T_x : Z := 14399317868200118260347934320527232580618823971194345261214217575416788799818.
Definition T_y : Z := 55188659117513257062467267217118295137698188065244968500265048394206261417927.
Definition order_l : positive := 7237005577332262213973186563042994240857116359379907606001950938285454250989.

Lemma on_B : on_mod B_x B_y = true. Proof. vm_compute. reflexivity. Qed.
Lemma on_T : on_mod T_x T_y = true. Proof. vm_compute. reflexivity. Qed.
Lemma B_1 : is_nonzero (B_x, B_y, 1) = true. Proof. vm_compute. reflexivity. Qed.
Lemma B_l : is_zero (times (B_x, B_y, 1) order_l) = true. Proof. vm_compute. reflexivity. Qed.
Lemma T_4 : is_nonzero (times (T_x, T_y, 1) 4) = true. Proof. vm_compute. reflexivity. Qed.
Lemma T_8 : is_zero (times (T_x, T_y, 1) 8) = true. Proof. vm_compute. reflexivity. Qed.
