(* docs/exact-batch.md, section 5: lemma 2, theorems 1 and 2, with slices and with (1'), for batches of exact rows (X) and
   cofactored ones (the others, section 7). *)
From mathcomp Require Import all_ssreflect all_algebra.
From Sigmill Require Import Setting Counting Residuals.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Theorems.
Variables (G : group8l) (n w : nat) (rows : 'I_n -> row G).
(* The exact rows. The others are cofactored and have m = 0, so that Q = R. *)
Variable X : {set 'I_n}.
Notation l := (l G).
Notation A i := (A (rows i)).
Notation R i := (R (rows i)).
Notation Q i := (Q (rows i)).
Notation D i := (D (rows i)).
Notation s i := (s (rows i)).
Notation h i := (h (rows i)).
Notation m i := (m (rows i)).

Definition coefs := {ffun 'I_n -> bits w}.
Implicit Types z : coefs.
Definition zval z i : int := val_of (z i).

Definition S z (j : 'I_w) : G := \sum_(i in X) Q i *+ z i j.
Definition cond1 z := [forall j, t0 (S z j)].
Definition cond1' := [forall i in X, t0 (Q i)].

(* The left side of (2) as section 3 writes it, with the slices. *)
Definition lhs2_slices z : G :=
  (Setting.B G *~ ((\sum_i zval z i * s i) %% l)%Z
   - \sum_i A i *~ ((zval z i * (h i - m i)) %% l)%Z
   - (\sum_j S z j *+ 2 ^ j + \sum_(i | i \notin X) R i *~ zval z i)) *+ 8.

Definition accept z := cond1 z && (lhs2_slices z == 0).
Definition accept' z := cond1' && (lhs2_slices z == 0).

(* The single verifier's answer about the residual. *)
Definition valid i := if i \in X then D i == 0 else pi0 (D i).

Hypothesis ok : forall i, i \in X -> m_ok (rows i).
Hypothesis cofactored : forall i, i \notin X -> m i = 0.

Lemma same_point z : \sum_j S z j *+ 2 ^ j = \sum_(i in X) Q i *~ zval z i.
Proof.
rewrite /S; under eq_bigr do rewrite -sumrMnl.
rewrite exchange_big; apply: eq_bigr => i _.
rewrite /zval -pmulrn val_ofE -sumrMnr; apply: eq_bigr => j _.
by rewrite mulrnA.
Qed.

Lemma lhs2E z : lhs2_slices z = lhs2 rows setT (zval z).
Proof.
rewrite /lhs2_slices /lhs2 same_point; congr ((_ *~ (_ %% _)%Z - _ - _) *+ _).
- by apply: eq_bigl => i; rewrite inE.
- by apply: eq_bigl => i; rewrite inE.
rewrite [RHS](bigID (mem X)) /=; congr (_ + _); first by apply: eq_bigl => i; rewrite inE.
apply: eq_big => [i|i nX]; first by rewrite inE.
by rewrite /Residuals.Q cofactored // mulr0z addr0.
Qed.

Lemma valid_t0 i : i \in X -> valid i -> t0 (Q i).
Proof. by move=> iX; rewrite /valid iX -lemma1_t0 ?ok // => /eqP ->; rewrite /t0 mul0rn. Qed.

Lemma valid_pi0 i : valid i -> pi0 (D i).
Proof. by rewrite /valid; case: ifP => // _ /eqP ->; rewrite /pi0 mul0rn. Qed.

Lemma invalid i : ~~ valid i -> (i \in X) && ~~ t0 (Q i) || ~~ pi0 (D i).
Proof.
by rewrite /valid; case: ifP => [iX|_ ->]; rewrite ?orbT // split0 negb_and lemma1_t0 ?ok.
Qed.

Lemma cond2_valid (P : {set 'I_n}) c : (forall i, i \in P -> pi0 (D i)) -> cond2 rows P c.
Proof.
move=> v; rewrite /cond2 lemma3 -sumrMnl big1 // => i /v/eqP d.
by rewrite mulrzMn d mul0rz.
Qed.

(* Theorem 1. *)
Theorem theorem1 : (forall i, valid i) -> forall z, accept z.
Proof.
move=> v z; apply/andP; split; last by rewrite lhs2E; apply: cond2_valid => i _; exact: valid_pi0.
apply/forallP => j; rewrite /t0 /S -sumrMnl big1 // => i iX.
by have /eqP q := valid_t0 iX (v i); rewrite -mulrnA mulnC mulrnA q mul0rn.
Qed.

Theorem theorem1' : (forall i, valid i) -> forall z, accept' z.
Proof.
move=> v z; apply/andP; split; last by rewrite lhs2E; apply: cond2_valid => i _; exact: valid_pi0.
by apply/forall_inP => i iX; exact: valid_t0.
Qed.

(* Lemma 2. *)
Lemma lemma2 z z' k : k \in X -> ~~ t0 (Q k) -> (forall i, i != k -> z i = z' i) ->
  cond1 z -> cond1 z' -> z k = z' k.
Proof.
move=> kX bad same /forallP t /forallP t'; apply/ffunP => j.
have : (S z j - S z' j) *+ l = 0.
  by have /eqP a := t j; have /eqP b := t' j; rewrite mulrnBl a b subrr.
rewrite /S -sumrB (bigD1 k) //= big1 ?addr0 => [|i /andP[_ ne]]; last by rewrite same // subrr.
move: bad; rewrite /t0; case: (z k j); case: (z' k j) => // /eqP bad.
- by rewrite subr0.
by rewrite sub0r mulNrn => /eqP; rewrite oppr_eq0 => /eqP.
Qed.

Hypothesis w_l : (2 ^ w < l)%N.

Lemma val_inj_mod (c c' : bits w) : (val_of c = val_of c' %[mod l])%Z -> c = c'.
Proof.
rewrite !modz_nat => -[]; rewrite !modn_small => [/val_of_inj //||];
  exact: (ltn_trans (val_of_lt _) w_l).
Qed.

Lemma one_value z z' k : ~~ pi0 (D k) -> (forall i, i != k -> z i = z' i) ->
  lhs2_slices z == 0 -> lhs2_slices z' == 0 -> z k = z' k.
Proof.
move=> bad same; rewrite !lhs2E => c2 c2'; apply: val_inj_mod.
by apply: (lemma4 _ bad _ c2 c2') => // i ne; rewrite /zval same.
Qed.

Lemma upd_offdiag z k c i : i != k -> upd z k c i = z i. Proof. exact: upd_other. Qed.

(* Theorem 2: of all tables of coefficients at most one in 2^w is accepted. *)
Theorem theorem2 k : ~~ valid k -> (#|accept| * 2 ^ w <= #|{: coefs}|)%N.
Proof.
move=> bad; rewrite -card_bits; apply: (@at_most_one _ _ _ (fun=> k)) => // z c.
move=> /andP[a1 a2] /andP[b1 b2]; rewrite -[LHS](upd_same z k c).
have off i : i != k -> upd z k c i = z i by exact: upd_other.
by case/orP: (invalid bad) => [/andP[kX tk]|pk]; [apply: (lemma2 kX tk)|apply: (one_value pk)].
Qed.

Theorem theorem2' k : ~~ valid k -> (#|accept'| * 2 ^ w <= #|{: coefs}|)%N.
Proof.
move=> bad; rewrite -card_bits; apply: (@at_most_one _ _ _ (fun=> k)) => // z c.
move=> /andP[a1 a2] /andP[b1 b2]; rewrite -[LHS](upd_same z k c).
have off i : i != k -> upd z k c i = z i by exact: upd_other.
case/orP: (invalid bad) => [/andP[kX tk]|pk]; last exact: (one_value pk).
by case/negP: tk; exact: (forall_inP a1).
Qed.

(* With (1') the torsion part has no error. *)
Theorem no_error k z : k \in X -> ~~ t0 (Q k) -> accept' z = false.
Proof. by move=> kX tk; apply/negP => /andP[/forall_inP/(_ k kX) t _]; rewrite t in tk. Qed.
End Theorems.

(* Theorem 2 for fixed other coefficients, the form in which section 5 argues. *)
Section OneRow.
Variables (G : group8l) (n w : nat) (rows : 'I_n -> row G) (X : {set 'I_n}).
Hypothesis ok : forall i, i \in X -> m_ok (rows i).
Hypothesis cofactored : forall i, i \notin X -> m (rows i) = 0.
Hypothesis w_l : (2 ^ w < l G)%N.

Corollary at_most_one_value (z : coefs n w) k : ~~ valid rows X k ->
  (#|[pred c | accept rows X (upd z k c)]| <= 1)%N.
Proof.
move=> bad; apply/card_le1P => c; rewrite inE => a c'; rewrite !inE.
apply/idP/eqP => [a'|-> //]; move: a a' => /andP[a1 a2] /andP[b1 b2].
rewrite -(upd_same z k c) -(upd_same z k c').
have off i : i != k -> upd z k c' i = upd z k c i by move=> ne; rewrite !upd_other.
case/orP: (invalid ok bad) => [/andP[kX tk]|pk]; first exact: (lemma2 kX tk).
exact: (one_value cofactored w_l pk).
Qed.
End OneRow.
