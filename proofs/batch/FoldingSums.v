(* docs/exact-batch.md, section 3: folding buckets by halves gives, for each bit of the digits, the sum of the points whose digit
   has it: a slice, in unsigned windows. It also gives the sum of b times bucket b. *)
From mathcomp Require Import all_ssreflect all_algebra.
From Sigmill Require Import Counting Folding.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory.
Local Open Scope ring_scope.

Lemma powE k : Nat.pow 2 k = (2 ^ k)%N.
Proof. by elim: k => [//|k IH]; rewrite /= IH expnS mul2n -addnn -!plusE PeanoNat.Nat.add_0_r. Qed.

(* Bit j of b. *)
Definition bit_of (b j : nat) : bool := odd (b %/ 2 ^ j).

Lemma bit_low i j b : (j < i)%N -> bit_of (2 ^ i + b) j = bit_of b j.
Proof.
move=> lt; rewrite /bit_of -(subnK (ltnW lt)) expnD divnMDl ?expn_gt0 // oddD oddX subn_eq0 leqNgt lt //.
Qed.
Lemma bit_top i b : (b < 2 ^ i)%N -> bit_of (2 ^ i + b) i.
Proof. by move=> lt; rewrite /bit_of -{1}[(2 ^ i)%N]mul1n divnMDl ?expn_gt0 // divn_small. Qed.
Lemma bit_none i b : (b < 2 ^ i)%N -> bit_of b i = false.
Proof. by move=> lt; rewrite /bit_of divn_small. Qed.

Lemma bits_of k b : (b < 2 ^ k)%N -> (\sum_(0 <= j < k) bit_of b j * 2 ^ j)%N = b.
Proof.
elim: k b => [|k IH] b; first by rewrite expn0 ltnS leqn0 big_nil => /eqP.
rewrite big_nat_recr //= => lt; case: (ltnP b (2 ^ k)) => [small|big].
  by rewrite bit_none // mul0n addn0 IH.
have e : b = (2 ^ k + (b - 2 ^ k))%N by rewrite subnKC.
have lt' : (b - 2 ^ k < 2 ^ k)%N by rewrite ltn_subLR // addnn -mul2n -expnS.
rewrite e bit_top // mul1n (eq_big_nat _ _ (F2 := fun j => (bit_of (b - 2 ^ k) j * 2 ^ j)%N)).
  by rewrite IH // addnC.
by move=> j /andP[_ jk]; rewrite bit_low.
Qed.

Section Sums.
Variable G : zmodType.
Notation fold := (fold G 0 +%R).
Notation sum := (sum G 0 +%R).
Implicit Types f : nat -> G.

Lemma sumE f n : sum f n = \sum_(0 <= b < n) f b.
Proof. by elim: n => [|n IH]; rewrite /= ?big_nil // IH big_nat_recr. Qed.

Lemma halves (P : pred nat) f i :
  \sum_(0 <= b < 2 ^ i.+1 | P b) f b
  = \sum_(0 <= b < 2 ^ i | P b) f b + \sum_(0 <= b < 2 ^ i | P (2 ^ i + b)%N) f (2 ^ i + b)%N.
Proof.
rewrite (@big_cat_nat _ _ _ (2 ^ i)) ?leq_exp2l //=; congr (_ + _).
rewrite -{1}[(2 ^ i)%N]add0n big_addn expnS mul2n -addnn addnK.
by apply: eq_big => b; rewrite addnC.
Qed.

Lemma fold_size k f : size (fold k f).1 = k.
Proof. by elim: k f => [//|k IH] f /=; case: (fold k _) (IH (fun b => f b + f (Nat.pow 2 k + b)%N)) => bits total /=; rewrite size_cat /= addn1 => ->. Qed.

Theorem fold_total k f : (fold k f).2 = \sum_(0 <= b < 2 ^ k) f b.
Proof.
elim: k f => [|k IH] f /=; first by rewrite big_nat1.
case E: (fold k _) => [bits total] /=; have := IH (fun b => f b + f (Nat.pow 2 k + b)%N).
by rewrite E /= => ->; rewrite (halves xpredT) powE big_split.
Qed.

Theorem fold_bits k f j : (j < k)%N -> nth 0 (fold k f).1 j = \sum_(0 <= b < 2 ^ k | bit_of b j) f b.
Proof.
elim: k f => [//|k IH] f jk /=.
case E: (fold k _) => [bits total] /=; have s := fold_size k (fun b => f b + f (Nat.pow 2 k + b)%N).
rewrite E /= in s; rewrite nth_cat s halves; case: (ltnP j k) => [lt|ge].
  have := IH (fun b => f b + f (Nat.pow 2 k + b)%N) lt; rewrite E /= => ->.
  by rewrite big_split powE; congr (_ + _); apply: eq_bigl => b; rewrite bit_low.
have -> : j = k by apply/eqP; rewrite eqn_leq ge -ltnS jk.
rewrite subnn /= sumE powE [X in X + _]big_nat_cond [X in X + _]big_pred0 ?add0r; last first.
  by move=> b; apply/negP => /andP[/andP[_ lt]]; rewrite bit_none.
rewrite big_nat_cond [RHS]big_nat_cond; apply: eq_bigl => b.
by case lt: (0 <= b < 2 ^ k)%N; rewrite //= bit_top //; case/andP: lt.
Qed.

Lemma weightedE (bits : seq G) : weighted G 0 +%R bits = \sum_(0 <= j < size bits) nth 0 bits j *+ 2 ^ j.
Proof.
rewrite /weighted; elim: bits => [|x bits IH]; first by rewrite /= big_geq.
have -> : List.rev (x :: bits) = (List.rev bits ++ [:: x])%list by [].
rewrite List.fold_left_app /= IH big_nat_recl //= expn0 mulr1n addrC; congr (_ + _).
by rewrite -mulr2n -sumrMnl; apply: eq_bigr => j _; rewrite expnS mulnC mulrnA.
Qed.

Lemma sum_of_weighted k f : \sum_(0 <= j < k) (\sum_(0 <= b < 2 ^ k | bit_of b j) f b) *+ 2 ^ j = \sum_(0 <= b < 2 ^ k) f b *+ b.
Proof.
under eq_bigr do rewrite -sumrMnl big_mkcond /=.
rewrite exchange_big /= big_nat_cond [RHS]big_nat_cond; apply: eq_bigr => b /andP[/andP[_ lt] _].
rewrite -[X in _ = _ *+ X](bits_of lt) -sumrMnr; apply: eq_bigr => j _.
by case: (bit_of b j); rewrite ?mul1n ?mul0n ?mulr0n.
Qed.

(* The sum of a window: of unsigned ones bucket b counts b times, of signed ones b + 1 times. *)
Theorem window_unsigned k f : window G 0 +%R false k f = \sum_(0 <= b < 2 ^ k) f b *+ b.
Proof.
rewrite /window -sum_of_weighted; case E: (fold k f) => [bits total].
rewrite weightedE; have := fold_size k f; rewrite E /= => ->.
by apply: eq_big_nat => j /andP[_ jk]; rewrite -fold_bits // E.
Qed.
Theorem window_signed k f : window G 0 +%R true k f = \sum_(0 <= b < 2 ^ k) f b *+ b.+1.
Proof.
have := window_unsigned k f; have := fold_total k f; rewrite /window; case: (fold k f) => bits total /= -> ->.
by rewrite -big_split; apply: eq_bigr => b _; rewrite mulrSr.
Qed.

(* Buckets of points by digit: a bit of the buckets' fold is the sum of the points whose digit has the bit, so a slice. *)
Variables (I : finType) (point : I -> G) (digit : I -> nat) (k : nat).
Hypothesis digits : forall i, (digit i < 2 ^ k)%N.
Definition bucket (b : nat) : G := \sum_(i | digit i == b) point i.

Lemma by_buckets (P : pred nat) (m : nat -> nat) :
  \sum_(0 <= b < 2 ^ k | P b) bucket b *+ m b = \sum_(i | P (digit i)) point i *+ m (digit i).
Proof.
rewrite big_mkord (partition_big (fun i => Ordinal (digits i)) (fun b : 'I_(2 ^ k) => P b)) //=.
apply: eq_bigr => b Pb; rewrite /bucket -sumrMnl; apply: eq_big => [i|i /eqP -> //].
rewrite -val_eqE /=; case: eqP => [->|]; by rewrite ?Pb ?andbF.
Qed.

Theorem slice j : (j < k)%N -> nth 0 (fold k bucket).1 j = \sum_i point i *+ bit_of (digit i) j.
Proof.
move=> jk; rewrite fold_bits //; under eq_bigr do rewrite -[bucket _]mulr1n.
rewrite (by_buckets (fun b => bit_of b j) (fun=> 1%N)) big_mkcond; apply: eq_bigr => i _.
by case: (bit_of _ j).
Qed.
Theorem window_points : window G 0 +%R false k bucket = \sum_i point i *+ digit i.
Proof. by rewrite window_unsigned (by_buckets xpredT id). Qed.
End Sums.
