(* docs/exact-batch.md, section 7, "Parts": earlier draws choose each part, and each part has coefficients of its own. The
   search is that of ed25519/many/search, above 128 rows and below. *)
From mathcomp Require Import all_ssreflect all_algebra.
From Sigmill Require Import Setting Counting Residuals Theorems.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Search.
Variables (G : group8l) (n w N : nat) (rows : 'I_n -> row G).
Notation l := (l G).
Notation Q i := (Q (rows i)).
Notation D i := (D (rows i)).
Hypothesis w_l : (2 ^ w < l)%N.

(* Coefficients of all N+1 combinations. Number 0 is that of all rows. *)
Notation draws := {ffun 'I_N.+1 * 'I_n -> bits w}.
Implicit Types Z : draws.

(* The integer that the bits represent in each combination: unsigned, or less an offset, or with more bits drawn beside
   these. *)
Variable v : 'I_N.+1 -> 'I_n -> bits w -> int.
Hypothesis v_inj : forall k i c c', (v k i c = v k i c' %[mod l])%Z -> c = c'.

(* The rows of combination k: a function of the rows and of earlier draws. *)
Variable part : draws -> 'I_N.+1 -> {set 'I_n}.
Hypothesis causal : forall Z Z' (k : 'I_N.+1),
  (forall (k' : 'I_N.+1) i, (k' < k)%N -> Z (k', i) = Z' (k', i)) -> part Z k = part Z' k.

Definition holds Z k := cond2 rows (part Z k) (fun i => v k i (Z (k, i))).
Definition bad_in Z k := [exists i in part Z k, ~~ pi0 (D i)].
Definition wrong k Z := bad_in Z k && holds Z k.

Lemma part_upd Z k i c : part (upd Z (k, i) c) k = part Z k.
Proof.
apply: causal => k' j lt; rewrite upd_other //.
by apply: contraTneq lt => -[-> _]; rewrite ltnn.
Qed.

(* One part. *)
Lemma wrong_part k : (#|wrong k| * 2 ^ w <= #|{: draws}|)%N.
Proof.
case: (pickP (wrong k)) => [Z0|none]; last by rewrite (eq_card0 none).
case/andP => /existsP[i0 _] _.
pose f Z := (k, odflt i0 [pick i in part Z k | ~~ pi0 (D i)]).
have fP Z : wrong k Z -> (f Z).2 \in part Z k /\ ~~ pi0 (D (f Z).2).
  case/andP => /existsP[i bad] _; rewrite /f /=; case: pickP => [j /andP[] //|/(_ i)].
  by rewrite bad.
rewrite -card_bits; apply: (@at_most_one _ _ _ f) => [Z c _|Z c wZ wZ'].
  by rewrite /f part_upd.
have [inp bad] := fP Z wZ; apply: (@v_inj k (f Z).2).
rewrite -[in LHS](upd_same Z (f Z) c).
case/andP: wZ => _ h; case/andP: wZ' => _; rewrite /holds part_upd => h'.
apply: (lemma4 inp bad _ h' h) => i ne /=; rewrite upd_other //.
by apply: contraNneq ne => -[->].
Qed.

(* Any of them. *)
Theorem parts :
  (#|[pred Z | [exists k, wrong k Z]]| * 2 ^ w <= N.+1 * #|{: draws}|)%N.
Proof.
have := @union_bound _ [finType of bits w] _ wrong; rewrite card_ord card_bits; apply=> k.
exact: wrong_part.
Qed.

(* The search. First all rows, with slices (more than 128 rows) or a test of each Q. If a slice carries torsion, each Q is
   tested, and rows that fail are refused. Then parts, by (2) alone. *)
Hypothesis ok : forall i, m_ok (rows i).
Hypothesis v_slices : forall i c, v ord0 i c = val_of c.

Definition first Z : coefs n w := [ffun i => Z (ord0, i)].
Definition slices Z := cond1 rows setT (first Z).
Variable sliced : bool.
Definition refused Z i := ~~ (sliced && slices Z) && ~~ t0 (Q i).
Definition accepted Z i := ~~ refused Z i &&
  [exists k, (i \in part Z k) && holds Z k && ((k == ord0) && sliced ==> slices Z)].
Definition error Z := [exists i, accepted Z i && (D i != 0)].

Lemma valid_not_refused Z i : D i = 0 -> ~~ refused Z i.
Proof. by move=> d; rewrite /refused negb_and -lemma1_t0 // d /t0 mul0rn eqxx orbT. Qed.

Lemma D0 i : (D i != 0) = ~~ t0 (Q i) || ~~ pi0 (D i).
Proof. by rewrite split0 negb_and lemma1_t0. Qed.

(* Combination 0 counts as its slices if a row has wrong torsion, else as its equation. *)
Definition bad_torsion := [exists i, ~~ t0 (Q i)].
Definition wrong0 Z := if sliced && bad_torsion then slices Z else wrong ord0 Z.

Lemma wrong_slices i0 : ~~ t0 (Q i0) -> (#|slices| * 2 ^ w <= #|{: draws}|)%N.
Proof.
move=> bad; rewrite -card_bits; apply: (@at_most_one _ _ _ (fun=> (ord0, i0))) => // Z c t t'.
have e : first (upd Z (ord0, i0) c) i0 = first Z i0.
  apply: (lemma2 (X := setT) _ bad _ t' t) => [|i ne]; first by rewrite inE.
  by rewrite !ffunE xpair_eqE eqxx (negbTE ne).
by move: e; rewrite !ffunE eqxx.
Qed.

Lemma card_wrong0 : (#|wrong0| * 2 ^ w <= #|{: draws}|)%N.
Proof.
have e : wrong0 =i (if sliced && bad_torsion then slices else wrong ord0).
  by move=> Z; rewrite /in_mem /= /wrong0; case: ifP.
rewrite (eq_card e); case: ifP => [/andP[_ /existsP[i bad]]|_]; last exact: wrong_part.
exact: wrong_slices bad.
Qed.

Lemma error_sub Z : error Z -> wrong0 Z || [exists k, (k != ord0) && wrong k Z].
Proof.
case/existsP => i /andP[/andP[open /existsP[k /andP[/andP[ip hk] sl]]]]; rewrite D0.
case/orP => [tbad|pbad].
  move: open; rewrite /refused tbad andbT negbK => /andP[sd st]; rewrite /wrong0 sd st.
  by have -> : bad_torsion by apply/existsP; exists i.
have wk : wrong k Z by rewrite /wrong hk andbT; apply/existsP; exists i; rewrite ip.
have [k0|nk] := eqVneq k ord0; last by apply/orP; right; apply/existsP; exists k; rewrite nk.
move: sl wk; rewrite k0 eqxx /= /wrong0 => /implyP sl wk.
by case: ifP => [/andP[/sl -> _]|_]; rewrite ?wk.
Qed.

(* Any row gets a wrong verdict with probability (N + 1)/2^w at most: each combination counts once. *)
Theorem search_sound : (#|error| * 2 ^ w <= N.+1 * #|{: draws}|)%N.
Proof.
pose W k Z := if k == ord0 then wrong0 Z else wrong k Z.
apply: (@leq_trans (#|[pred Z | [exists k, W k Z]]| * 2 ^ w)).
  rewrite leq_mul2r; apply/orP; right; apply/subset_leq_card/subsetP => Z.
  rewrite !inE => /error_sub/orP[w0|/existsP[k /andP[/negbTE nk wk]]].
    by apply/existsP; exists ord0; rewrite /W eqxx.
  by apply/existsP; exists k; rewrite /W nk.
have := @union_bound _ [finType of bits w] _ W; rewrite card_ord card_bits; apply=> k.
have [->|nk] := eqVneq k ord0.
  by rewrite (eq_card (B := wrong0)) ?card_wrong0 // => Z; rewrite /in_mem /= /W eqxx.
by rewrite (eq_card (B := wrong k)) ?wrong_part // => Z; rewrite /in_mem /= /W (negbTE nk).
Qed.

(* A refused row is invalid, with certainty. Other rows that are not accepted are verified by their own equations. *)
Theorem refused_sound Z i : refused Z i -> D i <> 0.
Proof. by move=> r d; move: (valid_not_refused Z d); rewrite r. Qed.

(* A combination of valid rows holds. *)
Theorem valid_part_holds Z k : (forall i, i \in part Z k -> D i = 0) -> holds Z k.
Proof. by move=> d; apply: cond2_valid => i /d ->; rewrite /pi0 mul0rn. Qed.

(* A given row in M combinations at most: M/2^w. *)
Section Row.
Variables (i : 'I_n) (M : nat).
Hypothesis bad : ~~ pi0 (D i).
Hypothesis at_most : forall Z, (#|[set k | i \in part Z k]| <= M)%N.
Definition rank Z (k : 'I_N.+1) := #|[set k' : 'I_N.+1 | (k' < k)%N && (i \in part Z k')]|.
Definition at_rank Z (j : nat) k := (i \in part Z k) && (rank Z k == j).

Lemma rank_lt Z (k k' : 'I_N.+1) : i \in part Z k -> (k < k')%N -> (rank Z k < rank Z k')%N.
Proof.
move=> ik lt; apply: proper_card; apply/properP; split.
  by apply/subsetP => x; rewrite !inE => /andP[xk ->]; rewrite (ltn_trans xk lt).
by exists k; rewrite !inE ?lt ?ltnn.
Qed.

Lemma at_rank_inj Z j k k' : at_rank Z j k -> at_rank Z j k' -> k = k'.
Proof.
case/andP=> ik /eqP e /andP[ik' /eqP e']; apply: val_inj => /=.
by case: (ltngtP k k') => // lt; [have := rank_lt ik lt|have := rank_lt ik' lt]; rewrite e e' ltnn.
Qed.

Lemma at_rank_upd Z j k c : at_rank Z j k -> at_rank (upd Z (k, i) c) j k.
Proof.
have same (k' : 'I_N.+1) : (k' <= k)%N -> part (upd Z (k, i) c) k' = part Z k'.
  move=> le; apply: causal => x y lt; rewrite upd_other //.
  by apply: contraTneq lt => -[-> _]; rewrite -leqNgt.
rewrite /at_rank same // => /andP[-> /eqP <-] /=; apply/eqP; apply: eq_card => x; rewrite !inE.
by case: ltnP => //= lt; rewrite same // ltnW.
Qed.

Definition wrong_at (j : 'I_M) Z := [exists k, at_rank Z j k && holds Z k].
Lemma wrong_rank j : (#|wrong_at j| * 2 ^ w <= #|{: draws}|)%N.
Proof.
pose f Z := (odflt ord0 [pick k | at_rank Z j k], i).
have fP Z k : at_rank Z j k -> f Z = (k, i).
  by move=> a; rewrite /f; case: pickP => [k' a'|/(_ k)]; [rewrite (at_rank_inj a' a)|rewrite a].
rewrite -card_bits; apply: (@at_most_one _ _ _ f) => Z c /existsP[k /andP[a hk]].
  by rewrite (fP Z k a); apply: fP; exact: at_rank_upd.
rewrite (fP Z k a) => /existsP[k' /andP[a' hk']].
have e := at_rank_inj a' (at_rank_upd c a); rewrite e in hk'; case/andP: a => ik _.
apply: (@v_inj k i); rewrite -[in LHS](upd_same Z (k, i) c).
rewrite /holds part_upd in hk'; apply: (lemma4 ik bad _ hk' hk) => x ne /=; rewrite upd_other //.
by apply: contraNneq ne => -[->].
Qed.

Theorem row_bound :
  (#|[pred Z | [exists k, (i \in part Z k) && holds Z k]]| * 2 ^ w <= M * #|{: draws}|)%N.
Proof.
apply: (@leq_trans (#|[pred Z | [exists j, wrong_at j Z]]| * 2 ^ w)); last first.
  have := @union_bound _ [finType of bits w] _ wrong_at; rewrite card_ord card_bits; apply=> j.
  exact: wrong_rank.
rewrite leq_mul2r; apply/orP; right; apply/subset_leq_card/subsetP => Z.
rewrite !inE => /existsP[k /andP[ik hk]].
have lt : (rank Z k < M)%N.
  apply: leq_trans (at_most Z); apply: proper_card; apply/properP; split.
    by apply/subsetP => x; rewrite !inE => /andP[].
  by exists k; rewrite !inE ?ltnn ?ik.
by apply/existsP; exists (Ordinal lt); apply/existsP; exists k; rewrite /at_rank ik hk eqxx.
Qed.
End Row.
End Search.
