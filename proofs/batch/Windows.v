(* docs/exact-batch.md, section 7, "Integers in windows": functions over Z as the code has them, and the sums they give.
   `with_offset`, `digit` and `unsigned_digit` are the functions of these names in combine/windows.rs and scalar/recode.rs.
   table.csv, which Table.v makes, has their values for edge scalars, and tests of the library compare them. *)
From Coq Require Import ZArith Lia List.
Import ListNotations.
Local Open Scope Z_scope.

Definition order_l : Z := 2 ^ 252 + 27742317777372353535851937790883648493.

(* Windows of width w; n of them. *)
Definition place (w : Z) (i : nat) : Z := w * Z.of_nat i.
Fixpoint offset (w : Z) (n : nat) : Z :=
  match n with O => 0 | S i => offset w i + 2 ^ (w - 1) * 2 ^ place w i end.
Definition with_offset (x off : Z) : Z :=
  if x =? 0 then off else let s := x + off in if s <? order_l then s else s - order_l.

(* The last of signed windows takes the bit above it. *)
Definition digit (w : Z) (n i : nat) (s : Z) : Z :=
  (s / 2 ^ place w i) mod 2 ^ (if Nat.eqb (S i) n then w + 1 else w) - 2 ^ (w - 1).
Definition unsigned_digit (w : Z) (i : nat) (s : Z) : Z := (s / 2 ^ place w i) mod 2 ^ w.

Fixpoint value (w : Z) (digits : nat -> Z) (n : nat) : Z :=
  match n with O => 0 | S i => value w digits i + digits i * 2 ^ place w i end.

Section Width.
Variable w : Z.
Hypothesis w1 : 1 <= w.

Lemma place_pos i : 0 <= place w i. Proof. unfold place. nia. Qed.
Lemma place_succ i : place w (S i) = place w i + w. Proof. unfold place. nia. Qed.

Lemma value_unsigned n s : value w (fun i => unsigned_digit w i s) n = s mod 2 ^ place w n.
Proof.
induction n as [|n IH]; cbn [value].
- unfold place. rewrite Z.mul_0_r. symmetry. apply Z.mod_1_r.
- rewrite IH, place_succ, Z.pow_add_r by (try apply place_pos; lia).
  pose proof (place_pos n). assert (0 < 2 ^ place w n) by (apply Z.pow_pos_nonneg; lia).
  assert (0 < 2 ^ w) by (apply Z.pow_pos_nonneg; lia).
  unfold unsigned_digit. rewrite Z.rem_mul_r by lia. lia.
Qed.

(* Unsigned windows give the integer. *)
Theorem unsigned_windows n z : 0 <= z < 2 ^ place w n -> value w (fun i => unsigned_digit w i z) n = z.
Proof. intro. rewrite value_unsigned. apply Z.mod_small. assumption. Qed.

Lemma value_minus n (f : nat -> Z) : value w (fun i => f i - 2 ^ (w - 1)) n = value w f n - offset w n.
Proof. induction n as [|n IH]; cbn [value offset]; [lia|rewrite IH; ring]. Qed.

Lemma value_ext n f g : (forall i, (i < n)%nat -> f i = g i) -> value w f n = value w g n.
Proof. induction n as [|n IH]; intro e; cbn [value]; [lia|rewrite IH, e; auto]. Qed.

(* Signed windows give the integer less the offset, with the bit above the last window. *)
Theorem signed_windows n s : 0 <= s < 2 ^ (place w (S n) + 1) ->
  value w (fun i => digit w (S n) i s) (S n) = s - offset w (S n).
Proof.
intro range.
unfold digit. rewrite value_minus. f_equal. cbn [value].
rewrite (value_ext n _ (fun i => unsigned_digit w i s)), value_unsigned.
- rewrite Nat.eqb_refl. pose proof (place_pos n).
  assert (0 < 2 ^ place w n) by (apply Z.pow_pos_nonneg; lia).
  rewrite (Z.mod_small (s / 2 ^ place w n)).
  + pose proof (Z.div_mod s (2 ^ place w n)). lia.
  + split; [apply Z.div_pos; lia|]. apply Z.div_lt_upper_bound; [lia|].
    rewrite <- Z.pow_add_r by lia. replace (place w n + (w + 1)) with (place w (S n) + 1) by (rewrite place_succ; ring). lia.
- intros i lt. destruct (Nat.eqb_spec (S i) (S n)); [lia|reflexivity].
Qed.

(* Each digit but the last has a bucket; the last has one if the integer is small enough. *)
Theorem digit_range n i s : 0 <= s -> s / 2 ^ place w n <= 2 ^ w -> (i <= n)%nat ->
  - 2 ^ (w - 1) <= digit w (S n) i s <= 2 ^ (w - 1).
Proof.
intros pos top le. unfold digit.
assert (twice : 2 ^ w = 2 * 2 ^ (w - 1)) by (rewrite <- Z.pow_succ_r by lia; f_equal; lia).
assert (0 < 2 ^ (w - 1)) by (apply Z.pow_pos_nonneg; lia).
destruct (Nat.eqb_spec (S i) (S n)) as [e|ne].
- injection e as ->. pose proof (place_pos n). assert (0 < 2 ^ place w n) by (apply Z.pow_pos_nonneg; lia).
  assert (0 <= s / 2 ^ place w n) by (apply Z.div_pos; lia).
  rewrite Z.mod_small; [lia|]. split; [lia|]. rewrite Z.pow_add_r by lia. lia.
- pose proof (Z.mod_pos_bound (s / 2 ^ place w i) (2 ^ w)). lia.
Qed.
End Width.

(* x + offset or x + offset - l. *)
Lemma with_offset_value x off : 0 <= x -> with_offset x off - off = x \/ with_offset x off - off = x - order_l.
Proof.
intro. unfold with_offset. destruct (Z.eqb_spec x 0); [left; lia|]. destruct (Z.ltb_spec (x + off) order_l); lia.
Qed.
Lemma with_offset_range x off : 0 <= x < order_l -> 0 <= off -> 0 <= with_offset x off <= Z.max (order_l - 1) off.
Proof.
intros. unfold with_offset. destruct (Z.eqb_spec x 0); [lia|]. destruct (Z.ltb_spec (x + off) order_l); lia.
Qed.

Lemma offset_pos w n : 1 <= w -> 0 <= offset w n.
Proof.
intro. induction n as [|n IH]; cbn [offset]; [lia|].
assert (0 < 2 ^ (w - 1)) by (apply Z.pow_pos_nonneg; lia).
assert (0 < 2 ^ place w n) by (apply Z.pow_pos_nonneg; unfold place; nia). nia.
Qed.

(* SIGNED_WIDTHS with the number of windows of an integer below l (`scalar_windows`) and of a coefficient (`z_windows`). *)
Definition scalar_windows (w : Z) : nat := Z.to_nat ((252 + w - 1) / w).
Definition z_windows (w : Z) : nat := Z.to_nat ((128 + w - 1) / w).
Definition signed_widths : list Z := [11; 9; 8; 7; 6; 5; 4].
Definition unsigned_widths : list Z := [10; 8; 6; 5; 4].

Lemma widths_reach : forallb (fun w =>
  (1 <=? w) && (Z.max (order_l - 1) (offset w (scalar_windows w)) / 2 ^ place w (pred (scalar_windows w)) <=? 2 ^ w)
  && Nat.ltb 0 (scalar_windows w) && (Z.max (order_l - 1) (offset w (scalar_windows w)) <? 2 ^ (place w (scalar_windows w) + 1))
  && (128 <=? place w (z_windows w)) && (2 ^ place w (z_windows w) <? order_l) && Nat.ltb 0 (z_windows w))%bool
  signed_widths = true.
Proof. vm_compute. reflexivity. Qed.

(* Every integer below l, also a chosen one: its windows give it, or it less l, and every digit has a bucket. *)
Theorem scalar_windows_hold w x : In w signed_widths -> 0 <= x < order_l ->
  let n := scalar_windows w in let s := with_offset x (offset w n) in
  (value w (fun i => digit w n i s) n = x \/ value w (fun i => digit w n i s) n = x - order_l)
  /\ forall i, (i < n)%nat -> - 2 ^ (w - 1) <= digit w n i s <= 2 ^ (w - 1).
Proof.
intros inw range n s. pose proof (proj1 (forallb_forall _ _) widths_reach w inw) as h. cbv beta in h.
repeat rewrite Bool.andb_true_iff in h. destruct h as [[[[[[w1 top] n0] reach] _] _] _].
apply Z.leb_le in w1, top. apply Nat.ltb_lt in n0. apply Z.ltb_lt in reach.
fold n in top, n0, reach. pose proof (with_offset_range x (offset w n) range (offset_pos w n w1)) as r. fold s in r.
assert (N : n = S (pred n)) by lia. split.
- rewrite N. rewrite signed_windows; [|assumption|rewrite <- N; lia]. rewrite <- N. apply with_offset_value. lia.
- intros i lt. rewrite N. apply digit_range; [assumption|lia| |lia].
  eapply Z.le_trans; [|exact top]. apply Z.div_le_mono; [|lia].
  apply Z.pow_pos_nonneg; [lia|]. unfold place. nia.
Qed.

(* Coefficients in signed windows: bits below 2^(w n), less the offset. Different bits give different residues mod l. *)
Theorem coefficient_windows w z : In w signed_widths -> let n := z_windows w in 0 <= z < 2 ^ place w n ->
  value w (fun i => digit w n i z) n = z - offset w n
  /\ (forall i, (i < n)%nat -> - 2 ^ (w - 1) <= digit w n i z <= 2 ^ (w - 1)) /\ 128 <= place w n /\ 2 ^ place w n < order_l.
Proof.
intros inw n range. pose proof (proj1 (forallb_forall _ _) widths_reach w inw) as h. cbv beta in h.
repeat rewrite Bool.andb_true_iff in h. destruct h as [[[[[[w1 _] _] _] z1] z2] n0].
apply Z.leb_le in w1, z1. apply Nat.ltb_lt in n0. apply Z.ltb_lt in z2. fold n in z1, z2, n0.
assert (N : n = S (pred n)) by lia. split; [|split; [|auto]].
- rewrite N. apply signed_windows; [assumption|]. rewrite <- N.
  assert (0 <= place w n) by (unfold place; nia). rewrite Z.pow_add_r by lia. lia.
- intros i lt. rewrite N. apply digit_range; [assumption|lia| |lia].
  apply Z.lt_le_incl. assert (0 <= place w (pred n)) by (unfold place; nia).
  apply Z.div_lt_upper_bound; [apply Z.pow_pos_nonneg; lia|].
  rewrite <- Z.pow_add_r by lia. replace (place w (pred n) + w) with (place w n); [lia|]. rewrite N at 1. apply place_succ.
Qed.
