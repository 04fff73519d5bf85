(* docs/exact-batch.md, section 3: the sums of the buckets are folded by halves, as `fold` of curve/edwards/pippenger.rs does.
   The function is over any sum, so that Table.v computes it over Z; FoldingSums.v has the sums it gives in a group. *)
From Coq Require Import List.
Import ListNotations.

Section Fold.
Variables (G : Type) (zero : G) (add : G -> G -> G).

Fixpoint sum (f : nat -> G) (n : nat) : G :=
  match n with O => zero | S i => add (sum f i) (f i) end.

(* Of 2^k buckets: for each bit of their index, the lowest first, the sum of the buckets that have it; and the sum of all. *)
Fixpoint fold (k : nat) (f : nat -> G) : list G * G :=
  match k with
  | O => ([], f 0)
  | S i =>
    let high := fun b => f (Nat.pow 2 i + b) in
    let (bits, total) := fold i (fun b => add (f b) (high b)) in
    (bits ++ [sum high (Nat.pow 2 i)], total)
  end.

(* The sum of b times bucket b: the highest bit first, with a doubling for each bit. *)
Definition weighted (bits : list G) : G := fold_left (fun window bit => add (add window window) bit) (rev bits) zero.
(* Of unsigned windows bucket b has the digit b, of signed ones b + 1. *)
Definition window (signed : bool) (k : nat) (f : nat -> G) : G :=
  let (bits, total) := fold k f in if signed then add (weighted bits) total else weighted bits.
End Fold.
