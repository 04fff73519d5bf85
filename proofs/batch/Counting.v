(* docs/exact-batch.md, section 5: probability as counting over all tables z of coefficients in C, indexed by I. *)
From mathcomp Require Import all_ssreflect all_algebra.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.

Section Counting.
Variables (I C : finType).
Notation table := {ffun I -> C}.

Definition upd (z : table) m c : table := [ffun i => if i == m then c else z i].

Lemma upd_same z m c : upd z m c m = c. Proof. by rewrite ffunE eqxx. Qed.
Lemma upd_other z m c i : i != m -> upd z m c i = z i.
Proof. by rewrite ffunE => /negbTE ->. Qed.

(* Each z in A has a place f z. The coefficient there does not influence the place, and no other coefficient leaves z in A.
   Then A has at most 1/#|C| of all tables. *)
Lemma at_most_one (A : pred table) (f : table -> I) :
  (forall z c, A z -> f (upd z (f z) c) = f z) ->
  (forall z c, A z -> A (upd z (f z) c) -> c = z (f z)) ->
  #|A| * #|C| <= #|{: table}|.
Proof.
move=> same one; pose g (x : table * C) := upd x.1 (f x.1) x.2.
rewrite -(cardX A predT); apply: (@leq_card_in _ _ g).
move=> [z c] [z' c'] /andP[/= Az _] /andP[/= Az' _] e; rewrite /g /= in e.
have ef : f z = f z' by rewrite -(same z c Az) e (same z' c' Az').
have ec : c = c' by rewrite -(upd_same z (f z) c) e ef upd_same.
have ez : z' = upd z (f z) (z' (f z)).
  apply/ffunP => i; case: (altP (i =P f z)) => [->|ne]; first by rewrite upd_same.
  by rewrite upd_other // -(upd_other z c ne) e upd_other // -ef.
have := one z (z' (f z)) Az; rewrite -ez => /(_ Az') e1.
by rewrite ec; congr (_, _); rewrite ez e1; apply/ffunP => i; rewrite ffunE; case: eqP => [->|].
Qed.

(* The union bound. *)
Lemma union_bound (K : finType) (A : K -> pred table) :
  (forall k, #|A k| * #|C| <= #|{: table}|) ->
  #|[pred z | [exists k, A k z]]| * #|C| <= #|K| * #|{: table}|.
Proof.
move=> each.
have sub : #|[pred z | [exists k, A k z]]| <= \sum_k #|A k|.
  rewrite -sum1_card (eq_bigr (fun k => \sum_(z | A k z) 1)) => [|k _]; last by rewrite sum1_card.
  rewrite (exchange_big_dep predT) //= [X in _ <= X]big_mkcond /=.
  rewrite big_mkcond /=; apply: leq_sum => z _; rewrite inE.
  by case: ifP => // /existsP[k Akz]; rewrite (bigD1 k).
apply: (@leq_trans ((\sum_k #|A k|) * #|C|)); first by rewrite leq_mul2r sub orbT.
rewrite big_distrl /= -[X in _ <= X]sum_nat_const; exact: leq_sum.
Qed.
End Counting.

(* Bits, and the integers that they represent. *)
Definition value w (b : nat -> bool) : nat := \sum_(j < w) b j * 2 ^ j.

Lemma value_inj w b b' : value w b = value w b' -> forall j, j < w -> b j = b' j.
Proof.
elim: w b b' => [//|w IH] b b'.
have step c : value w.+1 c = c 0 + (value w (fun j => c j.+1)).*2.
  rewrite /value big_ord_recl muln1 -muln2 big_distrl /=; congr (_ + _).
  by apply: eq_bigr => i _; rewrite /bump /= add1n expnSr mulnA.
rewrite !step => e.
have e0 : b 0 = b' 0.
  by have := congr1 odd e; rewrite !oddD !odd_double !addbF; case: (b 0); case: (b' 0).
move: e; rewrite e0 => /addnI/double_inj/IH e [//|j] jw; exact: e.
Qed.

Lemma value_lt w b : value w b < 2 ^ w.
Proof.
elim: w b => [|w IH] b; first by rewrite /value big_ord0.
rewrite /value big_ord_recr /= expnS mul2n -addnn.
rewrite -addSn; apply: leq_add; [exact: IH|by case: (b w); rewrite ?mul1n ?mul0n].
Qed.

Definition bits w := {ffun 'I_w -> bool}.
Definition bit w (c : bits w) (j : nat) : bool := if insub j is Some j' then c j' else false.
Definition val_of w (c : bits w) : nat := value w (bit c).

Lemma bitE w (c : bits w) (j : 'I_w) : bit c j = c j.
Proof. by rewrite /bit insubT //= => lt; congr (c _); apply: val_inj. Qed.

Lemma val_ofE w (c : bits w) : val_of c = \sum_(j < w) c j * 2 ^ j.
Proof. by apply: eq_bigr => j _; rewrite bitE. Qed.

Lemma val_of_inj w : injective (@val_of w).
Proof. by move=> c c' /value_inj e; apply/ffunP => j; rewrite -!bitE e. Qed.

Lemma val_of_lt w (c : bits w) : val_of c < 2 ^ w.
Proof. exact: value_lt. Qed.

Lemma card_bits w : #|{: bits w}| = 2 ^ w.
Proof. by rewrite card_ffun card_bool card_ord. Qed.
