(* docs/exact-batch.md, section 12: the residual with scalars of half the length, theorem 4. *)
From mathcomp Require Import all_ssreflect all_algebra.
From Sigmill Require Import Setting Residuals.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section HalfSize.
Variables (G : group8l) (r : row G) (u c b : int).
Notation l := (l G).
Hypothesis c_odd : ~~ (2 %| c)%Z.
Hypothesis c_l : ~~ (l %| c)%Z.
Hypothesis u_c : (u = c * h r %[mod (8 * l)%N])%Z.
Hypothesis b_c : (b = c * s r %[mod l])%Z.

Definition D' : G := Setting.B G *~ b - A r *~ u - R r *~ c.

Lemma mod_order (x : G) (k k' : int) (o : nat) : x *+ o = 0 -> (k = k' %[mod o])%Z -> x *~ k = x *~ k'.
Proof.
move=> xo /eqP; rewrite eqz_mod_dvd => /dvdzP[q e].
apply/eqP; rewrite -subr_eq0 -mulrzBr e [q * _]mulrC mulrzA -[x *~ o%:Z]/(x *+ o).
by rewrite xo mul0rz.
Qed.

Lemma D'E : D' = D r *~ c.
Proof.
rewrite /D' /D (mod_order (lB G) b_c) (mod_order (exp_8l (A r)) u_c).
by rewrite !mulrzBl -!mulrzA ![_ * c]mulrC.
Qed.

Lemma coprime_c : coprimez (8 * l)%N c.
Proof.
have c2 := c_odd; have cl := c_l; rewrite !dvdzE /= in c2 cl.
rewrite coprimezE /= coprimeMl [coprime l _]prime_coprime ?l_prime // cl andbT.
by rewrite (@coprime_pexpl 3 2) // prime_coprime.
Qed.

Lemma c_injective (x : G) : (x *~ c == 0) = (x == 0).
Proof.
apply/eqP/eqP => [xc|->]; last by rewrite mul0rz.
have /coprimezP[[v c'] /= e] := coprime_c.
rewrite -[x]mulr1z -e mulrzDl [v * _]mulrC [c' * _]mulrC !mulrzA xc mul0rz addr0.
by rewrite -[x *~ _]/(x *+ (8 * l)) exp_8l mul0rz.
Qed.

(* Theorem 4, exact and cofactored. *)
Theorem theorem4 : (D' == 0) = (D r == 0).
Proof. by rewrite D'E c_injective. Qed.

Theorem theorem4_cofactored : (D' *+ 8 == 0) = (D r *+ 8 == 0).
Proof. by rewrite D'E mulrzMn c_injective. Qed.
End HalfSize.
