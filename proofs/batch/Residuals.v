(* docs/exact-batch.md, sections 3 and 4: residuals, the left side of (2), lemmas 1, 3 and 4; section 7, "Equal keys". *)
From mathcomp Require Import all_ssreflect all_algebra.
From Sigmill Require Import Setting Counting.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Lemma mulrzMn (E : zmodType) (x : E) (k : int) n : x *~ k *+ n = x *+ n *~ k.
Proof. by rewrite pmulrn mulrzAC -pmulrn. Qed.

Record row (G : group8l) := Row { A : G; R : G; s : int; h : int; m : int }.

Section Rows.
Variable G : group8l.
Notation l := (l G).
Notation B := (B G).
Implicit Type r : row G.

Definition D r : G := B *~ s r - A r *~ h r - R r.
Definition Q r : G := R r + A r *~ m r.
Definition m_ok r := (8 %| h r - m r)%Z.

Lemma D_in_Q r : D r = B *~ s r - A r *~ (h r - m r) - Q r.
Proof. rewrite /D /Q mulrzBr opprB opprD !addrA [_ + A r *~ m r]addrC -!addrA [RHS]addrC !addrA.
by rewrite addrNK. Qed.

(* Lemma 1. *)
Lemma lemma1 r : m_ok r -> D r *+ l = - (Q r *+ l).
Proof.
move=> /dvdzP[k hm]; rewrite D_in_Q !mulrnBl hm.
rewrite [k * _]mulrC mulrzA -[A r *~ 8]/(A r *+ 8) !mulrzMn -mulrnA lB exp_8l !mul0rz.
by rewrite subr0 sub0r.
Qed.

Lemma lemma1_t0 r : m_ok r -> t0 (D r) = t0 (Q r).
Proof. by move=> ok; rewrite /t0 lemma1 // oppr_eq0. Qed.
End Rows.

Section Batch.
Variables (G : group8l) (n : nat) (rows : 'I_n -> row G).
Notation l := (l G).
Notation B := (B G).
Notation A i := (A (rows i)).
Notation Q i := (Q (rows i)).
Notation D i := (D (rows i)).
Notation s i := (s (rows i)).
Notation h i := (h (rows i)).
Notation m i := (m (rows i)).
Implicit Types (P X : {set 'I_n}) (c : 'I_n -> int).

(* The left side of (2) over the rows of P with integers c as coefficients. Cofactored rows have m = 0, so Q = R. *)
Definition lhs2 P c : G :=
  (B *~ ((\sum_(i in P) c i * s i) %% l)%Z
   - \sum_(i in P) A i *~ ((c i * (h i - m i)) %% l)%Z
   - \sum_(i in P) Q i *~ c i) *+ 8.

Lemma times8_mod (x : G) (k : int) : x *~ (k %% l)%Z *+ 8 = x *~ k *+ 8.
Proof.
have -> : x *~ k = x *~ (l%:Z * (k %/ l)%Z) + x *~ (k %% l)%Z.
  by rewrite -mulrzDl [l%:Z * _]mulrC -divz_eq.
by rewrite mulrnDl mulrzA -[x *~ l%:Z]/(x *+ l) (mulrzMn (x *+ l)) -mulrnA mulnC exp_8l mul0rz add0r.
Qed.

(* Lemma 3, for all inputs. *)
Lemma lemma3 P c : lhs2 P c = (\sum_(i in P) D i *~ c i) *+ 8.
Proof.
rewrite /lhs2 !mulrnBl times8_mod -!sumrMnl.
under [X in _ - X - _]eq_bigr do rewrite times8_mod.
rewrite mulrz_sumr -sumrMnl -!sumrB; apply: eq_bigr => i _.
rewrite D_in_Q !mulrzBl !mulrnBl -!mulrzA.
by congr (_ *~ _ *+ 8 - _ *~ _ *+ 8 - _); rewrite mulrC.
Qed.

(* Section 7, "Equal keys": e may be added up over the rows of a key. *)
Lemma equal_keys (K : finType) (key : 'I_n -> K) (pt : K -> G) P (e : 'I_n -> int) :
  (forall i, A i = pt (key i)) ->
  (\sum_k pt k *~ ((\sum_(i in P | key i == k) (e i %% l)%Z) %% l)%Z) *+ 8
  = (\sum_(i in P) A i *~ (e i %% l)%Z) *+ 8.
Proof.
move=> same; rewrite -!sumrMnl [RHS](partition_big key predT) //=.
apply: eq_bigr => k _; rewrite times8_mod mulrz_sumr -sumrMnl.
by apply: eq_bigr => i /andP[_ /eqP <-]; rewrite same.
Qed.

Definition cond2 P c := lhs2 P c == 0.

(* Lemma 4: if pi(D_k) is not 0, the other coefficients determine that of row k mod l. *)
Lemma lemma4_eq P c c' k : k \in P -> ~~ pi0 (D k) -> (forall i, i != k -> c i = c' i) ->
  lhs2 P c = lhs2 P c' -> (c k = c' k %[mod l])%Z.
Proof.
move=> kP bad same; rewrite !lemma3 => e.
have : (D k *+ 8) *~ (c k - c' k) = 0.
  have: (\sum_(i in P) D i *~ c i) *+ 8 - (\sum_(i in P) D i *~ c' i) *+ 8 = 0 by rewrite e subrr.
  rewrite -mulrnBl -sumrB (bigD1 k) //= big1 ?addr0; last first.
    by move=> i /andP[_ /same ->]; rewrite subrr.
  by rewrite -mulrzBr mulrzMn.
set x := D k *+ 8; move=> x0; apply/eqP; rewrite eqz_mod_dvd.
have xl : x *~ l = 0 by rewrite -pmulrn /x -mulrnA exp_8l.
case/boolP: (l %| c k - c' k)%Z => // ndvd; case/negP: bad.
have /coprimezP[[u v] /= uv] : coprimez l (c k - c' k).
  by rewrite coprimezE prime_coprime ?l_prime.
by rewrite /pi0 -/x -[x]mulr1z -uv mulrzDl [u * _]mulrC [v * _]mulrC !mulrzA xl x0 !mul0rz addr0.
Qed.

Lemma lemma4 P c c' k : k \in P -> ~~ pi0 (D k) -> (forall i, i != k -> c i = c' i) ->
  cond2 P c -> cond2 P c' -> (c k = c' k %[mod l])%Z.
Proof. by move=> kP bad same /eqP e /eqP e'; apply: (lemma4_eq kP bad same); rewrite e e'. Qed.
End Batch.
