(* The values of the functions of Windows.v and Folding.v for edge scalars. `check` compares them with table.csv, and tests of the
   library compare table.csv with its own functions: combine/windows.rs, scalar/recode.rs, curve/edwards/pippenger.rs,
   scalar/half_size.rs.
   A row begins with its kind: 0 a scalar below l in signed windows, 1 a coefficient in signed windows, 2 one in unsigned windows,
   3 buckets and their folds, 4 a round of half-size steps: both numbers and the least one; both, and the
   coefficients of each, after it. *)
From Coq Require Import ZArith List.
From Sigmill Require Import Windows Folding HalfSizeSteps.
Import ListNotations.
Local Open Scope Z_scope.

Definition range (n : nat) : list nat := seq 0 n.

(* Integers whose windows are at an end. *)
Definition edges (w : Z) : list Z :=
  let off := offset w (scalar_windows w) in
  let near x := [(x - 1) mod order_l; x mod order_l; (x + 1) mod order_l] in
  near 0 ++ near (2 ^ 252) ++ near (2 ^ 252 - off) ++ near (- off)
  ++ [(2 ^ 252 - off + 2 ^ 124) mod order_l; 2 ^ 128 - 1; Z.div order_l 2; Z.div order_l 3].
Definition scalar_rows (w : Z) : list (list Z) :=
  let n := scalar_windows w in
  map (fun x => let s := with_offset x (offset w n) in [0; w; x; s] ++ map (fun i => digit w n i s) (range n)) (edges w).

Definition coefficient_rows (w : Z) : list (list Z) :=
  let n := z_windows w in let top := 2 ^ place w n in
  map (fun z => [1; w; z; z] ++ map (fun i => digit w n i z) (range n)) [0; 1; top - 1; top / 2; top / 3; top / 7].
Definition unsigned_rows (w : Z) : list (list Z) :=
  map (fun z => [2; w; z; z] ++ map (fun i => unsigned_digit w i z) (range (z_windows w)))
    [0; 1; 2 ^ 128 - 1; 2 ^ 127; 2 ^ 128 / 3; 2 ^ 128 / 7].

Definition bucket (b : nat) : Z := (7 * Z.of_nat b * Z.of_nat b + 3 * Z.of_nat b + 1) mod 101.
Definition fold_row (k : nat) : list Z :=
  let (bits, total) := fold Z 0 Z.add k bucket in
  [3; Z.of_nat k] ++ map bucket (range (Nat.pow 2 k)) ++ bits ++ [total; window Z 0 Z.add false k bucket; window Z 0 Z.add true k bucket].

(* Numbers of 53 bits, which floating-point numbers hold. *)
Definition round_row (ab : Z * Z) : list Z :=
  let (a, b) := ab in let least := 3 * a / 2 ^ 26 + 1 in
  let t := steps least 20 (State a b 1 0 0 1) in
  [4; a; b; least; larger t; smaller t; larger_p t; larger_q t; smaller_p t; smaller_q t].
Fixpoint noise (n : nat) (x : Z) : list Z :=
  match n with O => [] | S m => let y := (6364136223846793005 * x + 1442695040888963407) mod 2 ^ 64 in y / 2 ^ 12 :: noise m y end.
Definition rounds : list (Z * Z) :=
  let low := 2 ^ 52 in let high := 2 ^ 53 - 1 in
  [(low, low); (low, low - 1); (low + 1, low); (high, high); (high, high - 1); (high, low); (high, low + 1); (high, 1); (high, 0); (low, 1);
   (low, low / 2 + 1); (low + 1, low / 2 + 1); (high, high / 2); (high, high / 2 + 1); (high, high / 3); (low, 2 * (low / 3)); (high, 2 * high / 3);
   (high, 3 * high / 2 ^ 26); (high, 3 * high / 2 ^ 26 + 1); (high, 3 * high / 2 ^ 26 + 2); (7778742049 * 2 ^ 19, 4807526976 * 2 ^ 19);
   (8944394323791464, 5527939700884757); (6369051672525773, 2638118608463219)]
  ++ map (fun x => (low + x, low + x / 3)) (noise 10 1) ++ map (fun x => (low + x, x + 1)) (noise 10 2)
  ++ map (fun x => (high - x / 2, x / 2 ^ 20)) (noise 10 3).

Definition table : list (list Z) :=
  flat_map scalar_rows signed_widths ++ flat_map coefficient_rows signed_widths ++ flat_map unsigned_rows unsigned_widths
  ++ map fold_row [1%nat; 2%nat; 3%nat; 4%nat; 5%nat]
  ++ map round_row rounds.

Set Printing Width 1000000.
Set Printing Depth 1000000.
Eval vm_compute in table.
