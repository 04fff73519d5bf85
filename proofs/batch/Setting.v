(* docs/exact-batch.md, section 1: the setting, in the form that the proofs use and in the words of the page. *)
From mathcomp Require Import all_ssreflect all_algebra.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory.
Local Open Scope ring_scope.

(* The proofs use a commutative group whose exponent divides 8l. It need not be finite or cyclic. *)
Record group8l := Group8l {
  E :> zmodType;
  l : nat;
  l_prime : prime l;
  l_odd : odd l;
  exp_8l : forall P : E, P *+ (8 * l) = 0;
  B : E;
  lB : B *+ l = 0;
}.

Section Basics.
Variable G : group8l.
Notation l := (l G).
Implicit Types P : G.

Lemma coprime_8l : coprime 8 l.
Proof. by rewrite (@coprime_pexpl 3 2) // coprime2n (l_odd G). Qed.

(* "t(P) = 0" and "pi(P) = 0", without a choice of T. *)
Definition t0 P := P *+ l == 0.
Definition pi0 P := P *+ 8 == 0.

Lemma split0 P : (P == 0) = t0 P && pi0 P.
Proof.
apply/eqP/andP => [->|[/eqP tP /eqP pP]]; first by rewrite /t0 /pi0 !mul0rn eqxx.
have [//|u v uv _] := @egcdnP 8 l.
have /eqP c := coprime_8l; rewrite c in uv.
have := congr1 (fun k => P *+ k) uv.
by rewrite mulnC mulrnA pP mul0rn mulrnDr mulnC mulrnA tP mul0rn add0r mulr1n => <-.
Qed.

Lemma t0N P : t0 (- P) = t0 P. Proof. by rewrite /t0 mulNrn oppr_eq0. Qed.
Lemma pi0N P : pi0 (- P) = pi0 P. Proof. by rewrite /pi0 mulNrn oppr_eq0. Qed.

(* Multiplication by integers. *)
Lemma mul8l P (k : int) : P *~ ((8 * l)%N%:Z * k) = 0.
Proof. by rewrite mulrzA -pmulrn exp_8l mul0rz. Qed.

Lemma mulB_mod (k : int) : (B G) *~ (k %% l)%Z = (B G) *~ k.
Proof.
have -> : B G *~ k = B G *~ ((k %/ l)%Z * l) + B G *~ (k %% l)%Z by rewrite -mulrzDl -divz_eq.
rewrite [(_ * _)%R]mulrC mulrzA -(pmulrn (B G)) lB mul0rz add0r //.
Qed.
End Basics.

(* The page's words: E is the direct sum of <B> and <T>; pi and t are homomorphisms. *)
Record doc_setting := DocSetting {
  dE : zmodType;
  dl : nat;
  dl_prime : prime dl;
  dl_odd : odd dl;
  dB : dE; dT : dE;
  dlB : dB *+ dl = 0;
  d8T : dT *+ 8 = 0;
  pi : {additive dE -> dE};
  t : {additive dE -> 'Z_8};
  in_B : forall P, exists k : nat, pi P = dB *+ k;
  decompose : forall P, P = pi P + dT *+ t P;
  zero_iff : forall P, P = 0 <-> pi P = 0 /\ t P = 0;
}.

Section Doc.
Variable D : doc_setting.
Implicit Type P : dE D.

Lemma l_pi P : pi D P *+ dl D = 0.
Proof. by have [k ->] := in_B P; rewrite -mulrnA mulnC mulrnA dlB mul0rn. Qed.

Lemma doc_exp_8l P : P *+ (8 * dl D) = 0.
Proof.
rewrite {1}(decompose P) mulrnDl {1}mulnC mulrnA l_pi mul0rn add0r.
by rewrite -mulrnA mulnC -mulnA mulrnA d8T mul0rn.
Qed.

Definition of_doc : group8l := Group8l (dl_prime D) (dl_odd D) doc_exp_8l (dlB D).

Lemma t0_doc P : t0 (P : of_doc) = (t D P == 0).
Proof.
apply/eqP/eqP => [lP|tP]; last by rewrite (decompose P) tP mulr0n addr0 l_pi.
have : t D (P *+ dl D) = 0 by rewrite lP raddf0.
rewrite raddfMn -mulr_natr => tl.
have u : ((dl D)%:R : 'Z_8) \is a GRing.unit by rewrite unitZpE //; exact: (coprime_8l of_doc).
by rewrite -[LHS](mulrK u) tl mul0r.
Qed.

Lemma pi0_doc P : pi0 (P : of_doc) = (pi D P == 0).
Proof.
have -> : (pi D P == 0) = ((pi D P : of_doc) == 0) by [].
rewrite (split0 (pi D P : of_doc)) {1}/t0 (l_pi P) eqxx /=.
apply/eqP/eqP => [p8|].
  by rewrite -raddfMn p8 raddf0.
move=> pp; rewrite (decompose P) mulrnDl pp add0r -mulrnA mulnC mulrnA d8T mul0rn //.
Qed.
End Doc.
