(* docs/exact-batch.md, sections 3 and 7: sums over windows, buckets and folds, as the code forms them, are those of (1) and (2);
   theorems 1 and 2 for what is computed. *)
From Coq Require Import ZArith Lia.
From mathcomp Require Import all_ssreflect all_algebra.
From Sigmill Require Import Numbers Setting Counting Residuals Theorems Folding FoldingSums Final.
From Sigmill Require Windows.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory.
Local Open Scope ring_scope.
Delimit Scope Z_scope with ZZ. (* `%Z` is the scope of mathcomp's integers. *)

(* Integers of Coq as those of mathcomp. *)
Definition int_of (z : Z) : int :=
  match z with Z0 => 0 | Zpos p => Posz (Pos.to_nat p) | Zneg p => - Posz (Pos.to_nat p) end.

Lemma int_of_nat (n : nat) : int_of (Z.of_nat n) = n.
Proof. by case: n => [//|n]; rewrite /int_of /= SuccNat2Pos.id_succ. Qed.
Lemma int_of_opp x : int_of (- x)%ZZ = - int_of x.
Proof. by case: x => [|p|p] //=; rewrite opprK. Qed.
Lemma int_of_difference (a b : nat) : int_of (Z.of_nat a - Z.of_nat b)%ZZ = a%:Z - b%:Z.
Proof.
case: (leqP b a) => [le|/ltnW le].
  have -> : (Z.of_nat a - Z.of_nat b = Z.of_nat (a - b))%ZZ by move/leP: le; rewrite -minusE; lia.
  by rewrite int_of_nat subzn.
have -> : (Z.of_nat a - Z.of_nat b = - Z.of_nat (b - a))%ZZ by move/leP: le; rewrite -minusE; lia.
by rewrite int_of_opp int_of_nat -subzn // opprB.
Qed.
Lemma as_difference x : exists a b : nat, x = (Z.of_nat a - Z.of_nat b)%ZZ.
Proof. by exists (Z.to_nat x), (Z.to_nat (- x)); lia. Qed.
Lemma int_of_add x y : int_of (x + y)%ZZ = int_of x + int_of y.
Proof.
have [a [b ->]] := as_difference x; have [c [d ->]] := as_difference y.
have -> : (Z.of_nat a - Z.of_nat b + (Z.of_nat c - Z.of_nat d) = Z.of_nat (a + c) - Z.of_nat (b + d))%ZZ.
  by rewrite -!plusE; lia.
by rewrite !int_of_difference !PoszD opprD addrACA.
Qed.
Lemma int_of_sub x y : int_of (x - y)%ZZ = int_of x - int_of y.
Proof. by rewrite /Z.sub int_of_add int_of_opp. Qed.
Lemma int_of_mul x y : int_of (x * y)%ZZ = int_of x * int_of y.
Proof.
have [a [b ->]] := as_difference x; have [c [d ->]] := as_difference y.
have -> : ((Z.of_nat a - Z.of_nat b) * (Z.of_nat c - Z.of_nat d) =
  Z.of_nat (a * c + b * d) - Z.of_nat (a * d + b * c))%ZZ by rewrite -!plusE -!multE; lia.
rewrite !int_of_difference !PoszD !PoszM mulrBl !mulrBr opprD opprB addrACA !addrA.
by rewrite -!addrA; congr (_ + _); rewrite addrC -!addrA; congr (_ + _); rewrite addrC.
Qed.
Lemma absz_le x (n : nat) : (- Z.of_nat n <= x <= Z.of_nat n)%ZZ -> (`|int_of x| <= n)%N.
Proof.
move=> b; case: x b => [|p|p] /= b; rewrite ?abszN ?absz_nat //; apply/leP; lia.
Qed.
Lemma int_of_pow (w i : nat) : int_of (2 ^ Windows.place (Z.of_nat w) i)%ZZ = (2 ^ (w * i))%N.
Proof.
rewrite -int_of_nat expn_Z; congr (int_of (2 ^ _)); rewrite /Windows.place -multE; lia.
Qed.

Section Sums.
Variables (G : zmodType) (I : finType) (point : I -> G).

(* Bucket b of a signed window has the points whose digit is b + 1 or -(b + 1), the latter negated. *)
Definition signed_bucket (digit : I -> int) (b : nat) : G :=
  \sum_(i | digit i == b.+1%:Z) point i - \sum_(i | digit i == - b.+1%:Z) point i.

Lemma of_one_point (P : G) (d : int) k : (`|d| <= k)%N ->
  \sum_(0 <= b < k) ((if d == b.+1%:Z then P else 0) - (if d == - b.+1%:Z then P else 0)) *+ b.+1 = P *~ d.
Proof.
move=> le; case: (intP d) le => [|n|n] le.
- by rewrite big1 ?mulr0z // => b _; rewrite /= subr0 mul0rn.
- rewrite big_mkord (bigD1 (Ordinal le)) //= eqxx subr0 big1 ?addr0 -?pmulrn // => b ne.
  rewrite -(inj_eq val_inj) /= in ne; rewrite eqz_nat eqSS eq_sym (negbTE ne).
  by rewrite /= subr0 mul0rn.
rewrite abszN in le; rewrite big_mkord (bigD1 (Ordinal le)) //= eqxx sub0r big1 ?addr0 // => [|b ne].
  by rewrite mulrNz mulNrn pmulrn.
rewrite -(inj_eq val_inj) /= in ne; rewrite eqr_opp eqz_nat eqSS eq_sym (negbTE ne).
by rewrite /= subr0 mul0rn.
Qed.

Theorem signed_window (digit : I -> int) k : (forall i, `|digit i| <= 2 ^ k)%N ->
  window G 0 +%R true k (signed_bucket digit) = \sum_i point i *~ digit i.
Proof.
move=> small; rewrite window_signed -(eq_bigr _ (fun i _ => of_one_point (point i) (small i))).
rewrite exchange_big /=; apply: eq_bigr => b _.
by rewrite sumrMnl sumrB -!big_mkcond.
Qed.

(* The windows' sums together: the highest first, w doublings from one to the next. *)
Fixpoint combine (w : nat) (sums : nat -> G) (n : nat) : G :=
  match n with 0%N => 0 | m.+1 => sums 0%N + combine w (fun j => sums j.+1) m *+ 2 ^ w end.

Lemma combineE w sums n : combine w sums n = \sum_(0 <= j < n) sums j *+ 2 ^ (w * j).
Proof.
elim: n sums => [|n IH] sums; first by rewrite big_geq.
rewrite /= big_nat_recl // muln0 expn0 mulr1n IH -sumrMnl; congr (_ + _).
by apply: eq_bigr => j _; rewrite -mulrnA -expnD mulnS addnC.
Qed.

Lemma of_windows (P : G) (w n : nat) (digits : nat -> Z) :
  \sum_(0 <= j < n) P *~ int_of (digits j) *+ 2 ^ (w * j) = P *~ int_of (Windows.value (Z.of_nat w) digits n).
Proof.
elim: n => [|n IH]; first by rewrite big_geq // mulr0z.
by rewrite big_nat_recr // IH /= int_of_add mulrzDl int_of_mul int_of_pow mulrzA.
Qed.

Theorem signed_sum (w k n : nat) (digits : nat -> I -> Z) :
  (forall j i, (j < n)%N -> - 2 ^ Z.of_nat k <= digits j i <= 2 ^ Z.of_nat k)%ZZ ->
  combine w (fun j => window G 0 +%R true k (signed_bucket (fun i => int_of (digits j i)))) n
  = \sum_i point i *~ int_of (Windows.value (Z.of_nat w) (fun j => digits j i) n).
Proof.
move=> small; rewrite combineE; under [RHS]eq_bigr do rewrite -of_windows.
rewrite exchange_big /=; apply: eq_big_nat => j /andP[_ jn].
rewrite signed_window ?sumrMnl // => i; apply: absz_le.
by rewrite expn_Z; exact: small.
Qed.
End Sums.

(* Unsigned digits of a coefficient, and their bits. *)
Definition digit_of (w j v : nat) : nat := Z.to_nat (Windows.unsigned_digit (Z.of_nat w) j (Z.of_nat v)).
Lemma digit_ofE w j v : digit_of w j v = ((v %/ 2 ^ (w * j)) %% 2 ^ w)%N.
Proof.
have div_Z a b : (0 < b)%N -> Z.of_nat (a %/ b) = (Z.of_nat a / Z.of_nat b)%ZZ.
  move=> b0; apply: (Z.div_unique _ _ _ (Z.of_nat (a %% b))); first left.
    by have /ltP := ltn_pmod a b0; lia.
  by rewrite {1}(divn_eq a b) -plusE -multE; lia.
have mod_Z a b : (0 < b)%N -> Z.of_nat (a %% b) = (Z.of_nat a mod Z.of_nat b)%ZZ.
  move=> b0; apply: (Z.mod_unique _ _ (Z.of_nat (a %/ b))); first left.
    by have /ltP := ltn_pmod a b0; lia.
  by rewrite {1}(divn_eq a b) -plusE -multE; lia.
apply: Nat2Z.inj; rewrite mod_Z ?expn_gt0 // div_Z ?expn_gt0 // !expn_Z /digit_of /Windows.unsigned_digit Z2Nat.id.
  by congr (_ / _ ^ _ mod _)%ZZ; rewrite /Windows.place -multE; lia.
by apply: (proj1 (Z.mod_pos_bound _ _ _)); apply: Z.pow_pos_nonneg; lia.
Qed.
Lemma digit_of_lt w j v : (digit_of w j v < 2 ^ w)%N.
Proof. by rewrite digit_ofE ltn_pmod ?expn_gt0. Qed.

Lemma bit_of_mod a w b : (b < w)%N -> bit_of (a %% 2 ^ w) b = bit_of a b.
Proof.
move=> bw; rewrite /bit_of [in RHS](divn_eq a (2 ^ w)) -{3}(subnK (ltnW bw)) expnD mulnA divnMDl ?expn_gt0 //.
by rewrite oddD oddM oddX subn_eq0 leqNgt bw andbF.
Qed.
Lemma bit_of_digit w j v b : (b < w)%N -> bit_of (digit_of w j v) b = bit_of v (w * j + b).
Proof. by move=> bw; rewrite digit_ofE bit_of_mod // /bit_of expnD divnMA. Qed.

Lemma bit_of_value w c m : bit_of (value w c) m = (m < w)%N && c m.
Proof.
elim: w c m => [|w IH] c m; first by rewrite /value big_ord0 /bit_of div0n.
have -> : value w.+1 c = (c 0%N + (value w (fun j => c j.+1)).*2)%N.
  rewrite /value big_ord_recl muln1 -muln2 big_distrl /=; congr (_ + _)%N.
  by apply: eq_bigr => i _; rewrite /bump /= add1n expnSr mulnA.
case: m => [|m]; first by rewrite /bit_of expn0 divn1 oddD odd_double addbF oddb.
rewrite ltnS -[RHS](IH (fun j => c j.+1)) /bit_of expnS divnMA -muln2 addnC divnMDl // (divn_small (m := c 0%N)) ?addn0 //.
by case: (c 0%N).
Qed.
Lemma bit_of_val w (c : bits w) (m : 'I_w) : bit_of (val_of c) m = c m.
Proof. by rewrite /val_of bit_of_value ltn_ord bitE. Qed.

(* Scalars in signed windows give 8 times the sum: l more or less does not count. *)
Section Scalars.
Variables (G : group8l) (w : nat).
Hypothesis order_G : Z.of_nat (l G) = Windows.order_l.
Hypothesis known : List.In (Z.of_nat w) Windows.signed_widths.
Notation W := (Z.of_nat w).
Notation windows := (Windows.scalar_windows W).

Definition scalar_digit (x : Z) (j : nat) : Z := Windows.digit W windows j (Windows.with_offset x (Windows.offset W windows)).

Lemma half_width : (2 ^ (W - 1) = 2 ^ Z.of_nat w.-1)%ZZ.
Proof. by case: known => [|[|[|[|[|[|[]]]]]]] // e; congr (2 ^ _)%ZZ; lia. Qed.

Lemma scalar_digit_range x j : (0 <= x < Windows.order_l)%ZZ -> (j < windows)%N ->
  (- 2 ^ Z.of_nat w.-1 <= scalar_digit x j <= 2 ^ Z.of_nat w.-1)%ZZ.
Proof.
move=> range /ltP lt; have [_ h] := Windows.scalar_windows_hold W x known range.
by rewrite -half_width; exact: h.
Qed.

Lemma scalar_digits_8 (P : G) x : (0 <= x < Windows.order_l)%ZZ ->
  P *~ int_of (Windows.value W (scalar_digit x) windows) *+ 8 = P *~ int_of x *+ 8.
Proof.
move=> range; have [[] e _] := Windows.scalar_windows_hold W x known range; rewrite /scalar_digit e //.
by rewrite int_of_sub -order_G int_of_nat mulrzBr mulrnBl -pmulrn -mulrnA mulnC exp_8l subr0.
Qed.
End Scalars.

Definition Z_of (x : int) : Z := match x with Posz n => Z.of_nat n | Negz n => (- Z.of_nat n.+1)%ZZ end.
Lemma int_of_Z_of x : int_of (Z_of x) = x.
Proof. by case: x => n; rewrite /Z_of ?int_of_opp int_of_nat. Qed.
Lemma residue_range (l : nat) (x : int) : (0 < l)%N -> (0 <= Z_of (x %% l)%Z < Z.of_nat l)%ZZ.
Proof.
move=> l0; have l0' : l%:Z != 0 by rewrite eqz_nat -lt0n.
have := modz_ge0 x l0'; have := ltz_pmod x (d := l) l0.
by case: (_ %% _)%Z => // n /= /ltP lt _; lia.
Qed.

(* The first combination of an exact batch: rows in unsigned windows, whose folds are the slices; keys and B in signed ones. *)
Section Computed.
Variables (G : group8l) (n : nat) (rows : 'I_n -> row G).
Variables (K : finType) (key : 'I_n -> K) (pt : K -> G).
Hypothesis same : forall i, A (rows i) = pt (key i).
Hypothesis order_G : Z.of_nat (l G) = Windows.order_l.
Notation l := (l G).
Notation Q i := (Q (rows i)).

(* The scalars of the keys and of B for coefficients c of the rows of P. *)
Definition e c i : int := (c i * (h (rows i) - m (rows i)) %% l)%Z.
Definition scalar (P : {set 'I_n}) (c : 'I_n -> int) (k : option K) : int :=
  if k is Some k then ((\sum_(i in P | key i == k) e c i) %% l)%Z else ((- \sum_(i in P) c i * s (rows i)) %% l)%Z.
Definition base_or_key (k : option K) : G := if k is Some k then pt k else Setting.B G.

Lemma scalar_range P c k : (0 <= Z_of (scalar P c k) < Windows.order_l)%ZZ.
Proof. by rewrite -order_G; case: k => [k|]; apply: residue_range; exact: prime_gt0 (l_prime G). Qed.

Lemma keys_and_rows (P : {set 'I_n}) (c : 'I_n -> int) :
  (\sum_k base_or_key k *~ scalar P c k + \sum_(i in P) Q i *~ c i) *+ 8 = - lhs2 rows P c.
Proof.
rewrite (bigD1 None) //= (reindex_omap Some id) //=; last by case.
rewrite [X in _ + X + _](eq_bigl xpredT) => [|k]; last exact: eqxx.
rewrite !mulrnDl times8_mod (equal_keys P (fun i => c i * (h (rows i) - m (rows i))) same).
by rewrite /lhs2 !mulrnBl times8_mod mulrNz mulNrn !opprD !opprK.
Qed.

(* Coefficients of 128 bits. `ws` is the width of the keys' windows, `wu` that of the rows'. *)
Section Sliced.
Variables ws wu : nat.
Hypothesis signed : List.In (Z.of_nat ws) Windows.signed_widths.
Hypothesis unsigned : List.In (Z.of_nat wu) Windows.unsigned_widths.
Notation coefs := (coefs n 128).
Implicit Type z : coefs.
Notation reach := (Windows.z_windows (Z.of_nat wu)).

Definition keys_sum (P : {set 'I_n}) (c : 'I_n -> int) : G :=
  combine ws (fun j => window G 0 +%R true ws.-1
    (signed_bucket base_or_key (fun k => int_of (scalar_digit ws (Z_of (scalar P c k)) j)))) (Windows.scalar_windows (Z.of_nat ws)).
Definition buckets z (j : nat) : nat -> G := bucket (fun i => Q i) (fun i => digit_of wu j (val_of (z i))).
Definition rows_sum z : G := combine wu (fun j => window G 0 +%R false wu (buckets z j)) reach.
Definition slice_at z (b : nat) : G := nth 0 (fold G 0 +%R wu (buckets z (b %/ wu))).1 (b %% wu).
Definition computed z := [forall b : 'I_128, t0 (slice_at z b)] && ((keys_sum setT (zval z) + rows_sum z) *+ 8 == 0).

Lemma unsigned_width : (0 < wu)%N /\ (128 <= wu * reach)%N.
Proof.
have e : wu = Z.to_nat (Z.of_nat wu) by lia.
by case: unsigned e => [|[|[|[|[|[]]]]]] <- ->; vm_compute.
Qed.

Lemma slice_atE z (b : 'I_128) : slice_at z b = S rows setT z b.
Proof.
have [w0 _] := unsigned_width; have lt : (b %% wu < wu)%N by rewrite ltn_pmod.
rewrite /slice_at slice //; last by move=> i; exact: digit_of_lt.
rewrite /S; apply: eq_big => [i|i _]; first by rewrite inE.
by rewrite bit_of_digit // mulnC -divn_eq bit_of_val.
Qed.

Lemma rows_sumE z : rows_sum z = \sum_(i in setT) Q i *~ zval z i.
Proof.
have [_ far] := unsigned_width; rewrite /rows_sum combineE.
under eq_bigr do rewrite (window_points _ (fun i => digit_of_lt wu _ _)) -sumrMnl.
rewrite exchange_big /=; apply: eq_big => [i|i _]; first by rewrite inE.
have to_int j : Q i *+ digit_of wu j (val_of (z i)) = Q i *~ int_of (Windows.unsigned_digit (Z.of_nat wu) j (Z.of_nat (val_of (z i)))).
  rewrite pmulrn -int_of_nat /digit_of Z2Nat.id //.
  by apply: (proj1 (Z.mod_pos_bound _ _ _)); apply: Z.pow_pos_nonneg; lia.
under eq_bigr do rewrite to_int.
rewrite of_windows Windows.unsigned_windows ?int_of_nat //; first by have [/ltP] := unsigned_width; lia.
split; first lia.
have -> : (2 ^ Windows.place (Z.of_nat wu) reach = Z.of_nat (2 ^ (wu * reach)))%ZZ.
  by rewrite expn_Z /Windows.place -multE; congr (_ ^ _)%ZZ; lia.
have lt : (val_of (z i) < 2 ^ (wu * reach))%N by apply: leq_trans (val_of_lt _) _; rewrite leq_exp2l.
by move/ltP: lt; lia.
Qed.

Lemma keys_sum_8 P c : keys_sum P c *+ 8 = (\sum_k base_or_key k *~ scalar P c k) *+ 8.
Proof.
rewrite /keys_sum signed_sum; last by move=> j k lt; apply: scalar_digit_range => //; exact: scalar_range.
rewrite -!sumrMnl; apply: eq_bigr => k _.
by rewrite scalar_digits_8 ?int_of_Z_of //; exact: scalar_range.
Qed.

(* The conditions (1) and (2) are computed. *)
Theorem computedE z : computed z = accept rows setT z.
Proof.
rewrite /computed /accept; congr (_ && _); first by apply: eq_forallb => b; rewrite slice_atE.
rewrite mulrnDl keys_sum_8 rows_sumE -mulrnDl keys_and_rows oppr_eq0 lhs2E // => i.
by rewrite inE.
Qed.
End Sliced.

(* Parts: all in signed windows of width w, the coefficients less their offset. *)
Section Part.
Variable w : nat.
Hypothesis signed : List.In (Z.of_nat w) Windows.signed_widths.
Notation W := (Z.of_nat w).
Notation reach := (Windows.z_windows W).
Notation drawn := (bits (w * reach)).
Implicit Types (P : {set 'I_n}) (z : 'I_n -> drawn).

Definition coefficient (c : drawn) : int := (val_of c)%:Z - int_of (Windows.offset W reach).
Definition point (x : option K + 'I_n) : G := match x with inl k => base_or_key k | inr i => Q i end.
Definition digits P z (j : nat) (x : option K + 'I_n) : Z :=
  match x with
  | inl k => scalar_digit w (Z_of (scalar P (fun i => coefficient (z i)) k)) j
  | inr i => if (i \in P) && (j < reach)%N then Windows.digit W reach j (Z.of_nat (val_of (z i))) else 0%ZZ
  end.
Definition part_sum P z : G :=
  combine w (fun j => window G 0 +%R true w.-1 (signed_bucket point (fun x => int_of (digits P z j x)))) (Windows.scalar_windows W).
Definition part_computed P z := part_sum P z *+ 8 == 0.

Lemma reaches : (reach <= Windows.scalar_windows W)%N.
Proof. by case: signed => [|[|[|[|[|[|[|[]]]]]]]] // <-. Qed.

Lemma drawn_range (c : drawn) : (0 <= Z.of_nat (val_of c) < 2 ^ Windows.place W reach)%ZZ.
Proof.
split; first lia.
have -> : (2 ^ Windows.place W reach = Z.of_nat (2 ^ (w * reach)))%ZZ.
  by rewrite expn_Z /Windows.place -multE; congr (_ ^ _)%ZZ; lia.
by have /ltP := val_of_lt c; lia.
Qed.

Lemma nothing_above (f : nat -> Z) k d :
  Windows.value W (fun j => if (j < k)%N then f j else 0%ZZ) (k + d) = Windows.value W f k.
Proof.
elim: d => [|d IH].
  by rewrite addn0; apply: Windows.value_ext => j /ltP ->.
by rewrite addnS /= IH ltnNge leq_addr /=; lia.
Qed.

Theorem part_computedE P z : part_computed P z = cond2 rows P (fun i => coefficient (z i)).
Proof.
rewrite /part_computed /cond2 -[RHS]oppr_eq0 -(keys_and_rows P) /part_sum signed_sum.
  rewrite big_sumType /= !mulrnDl; congr (_ + _ == 0).
    by rewrite -!sumrMnl; apply: eq_bigr => k _; rewrite scalar_digits_8 ?int_of_Z_of //; exact: scalar_range.
  congr (_ *+ _); rewrite [RHS]big_mkcond; apply: eq_bigr => i _; case: ifP => iP; last first.
    rewrite (Windows.value_ext _ _ _ (fun=> 0%ZZ)) //.
    suff -> : Windows.value W (fun=> 0%ZZ) (Windows.scalar_windows W) = 0%ZZ by rewrite mulr0z.
    by elim: (Windows.scalar_windows W) => [//|k /= ->].
  rewrite -(subnKC reaches) (nothing_above (fun j => Windows.digit W reach j (Z.of_nat (val_of (z i))))).
  have [-> _] := Windows.coefficient_windows W _ signed (drawn_range (z i)).
  by rewrite int_of_sub int_of_nat.
move=> j [k|i] lt; first by apply: scalar_digit_range => //; exact: scalar_range.
rewrite /digits; case: ifP => [/andP[_ /ltP lt']|_].
  have [_ [range _]] := Windows.coefficient_windows W _ signed (drawn_range (z i)).
  by rewrite -half_width //; exact: range.
by split; apply/Z.leb_le; rewrite ?Z.opp_nonpos_nonneg; apply/Z.leb_le; have := Z.pow_nonneg 2 (Z.of_nat w.-1); lia.
Qed.

(* Parts.v asks this of coefficients. *)
Lemma coefficient_inj (c c' : drawn) : (coefficient c = coefficient c' %[mod l])%Z -> c = c'.
Proof.
have [_ [_ [_ small]]] := Windows.coefficient_windows W _ signed (drawn_range c).
have lt (a : drawn) : (val_of a < l)%N.
  by apply: ltn_of_Z; rewrite order_G; have := drawn_range a; lia.
move=> /eqP; rewrite /coefficient eqz_modDr => /eqP; rewrite !modz_nat => -[].
by rewrite !modn_small // => /val_of_inj.
Qed.
Lemma coefficient_bits : (128 <= w * reach)%N /\ (2 ^ (w * reach) < l)%N.
Proof.
have [_ [_ [enough small]]] := Windows.coefficient_windows W _ signed (drawn_range [ffun=> false]).
have e : Windows.place W reach = Z.of_nat (w * reach) by rewrite /Windows.place -multE; lia.
rewrite e in enough, small; split; first by apply/leP; lia.
by apply: ltn_of_Z; rewrite order_G expn_Z.
Qed.
End Part.
End Computed.

(* Theorems 1 and 2 for the answer that is computed. *)
Section Batch.
Variables (n : nat) (rows : 'I_n -> row E25519) (K : finType) (key : 'I_n -> K) (pt : K -> E25519) (ws wu : nat).
Hypothesis same : forall i, A (rows i) = pt (key i).
Hypothesis ok : forall i, m_ok (rows i).
Hypothesis signed : List.In (Z.of_nat ws) Windows.signed_widths.
Hypothesis unsigned : List.In (Z.of_nat wu) Windows.unsigned_widths.
Notation computed := (computed rows key pt ws wu).

Lemma order_E : Z.of_nat (l E25519) = Windows.order_l. Proof. exact: ell_Z. Qed.

Theorem computed_no_false_rejection : (forall i, D (rows i) = 0) -> forall z, computed z.
Proof.
move=> v z; rewrite (computedE same order_E) //.
apply: no_false_rejection => [i _|i|i]; [exact: ok | by rewrite inE | by rewrite /valid inE v].
Qed.

Theorem computed_soundness i : D (rows i) <> 0 -> (#|computed| * 2 ^ 128 <= #|{: coefs n 128}|)%N.
Proof.
move=> bad; rewrite (eq_card (B := accept rows setT)).
  apply: (@soundness _ rows setT _ _ i) => [j _|j|]; [exact: ok | by rewrite inE | by rewrite /valid inE; apply/eqP].
by move=> z; rewrite -!topredE /= (computedE same order_E).
Qed.

(* A part with a row whose D is not 0 up to torsion: at most one table of coefficients in 2^128 is accepted. *)
Theorem part_soundness (P : {set 'I_n}) i : i \in P -> ~~ pi0 (D (rows i)) ->
  (#|[pred z : {ffun 'I_n -> bits (ws * Windows.z_windows (Z.of_nat ws))} | part_computed rows key pt P z]| * 2 ^ 128
    <= #|{: {ffun 'I_n -> bits (ws * Windows.z_windows (Z.of_nat ws))}}|)%N.
Proof.
move=> iP bad; have [enough small] := coefficient_bits order_E signed.
apply: (leq_trans (leq_mul (leqnn _) (_ : 2 ^ 128 <= 2 ^ (ws * Windows.z_windows (Z.of_nat ws)))%N)); first by rewrite leq_exp2l.
rewrite -card_bits; apply: (@at_most_one _ _ _ (fun=> i)) => // z c.
rewrite !inE !(part_computedE same order_E signed) => h h'.
apply: (coefficient_inj order_E signed); rewrite -[in LHS](upd_same z i c).
apply: (lemma4 iP bad _ h' h) => j ne /=; rewrite upd_other //.
Qed.
End Batch.
