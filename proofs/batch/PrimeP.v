(* docs/exact-batch.md, section 9: p = 2^255 - 19 is prime. A Pocklington certificate, checked by coqprime. *)
From Coqprime Require Import Pock PocklingtonCertificat.
Require Import ZArith Znumtheory.
Local Open Scope positive_scope.

Lemma prime_p : prime 57896044618658097711785492504343953926634992332820282019728792003956564819949.
Proof.
apply (Pocklington_refl
  (Pock_certif 57896044618658097711785492504343953926634992332820282019728792003956564819949 2 ((74058212732561358302231226437062788676166966415465897661863160754340907,1)::(2,2)::nil)%list 1)
  ((Pock_certif 74058212732561358302231226437062788676166966415465897661863160754340907 2 ((75445702479781427272750846543864801,1)::(31757755568855353,1)::(2,1)::nil)%list 1) ::
   (Pock_certif 75445702479781427272750846543864801 7 ((1919519569386763,1)::(72106336199,1)::(2,5)::nil)%list 1) ::
   (Pock_certif 31757755568855353 5 ((430751,1)::(4153,1)::(2,3)::nil)%list 1) ::
   (Pock_certif 1919519569386763 2 ((8574133,1)::(127,1)::(2,1)::nil)%list 1) ::
   (Pock_certif 72106336199 7 ((2773320623,1)::(2,1)::nil)%list 1) ::
   (Pock_certif 2773320623 5 ((569003,1)::(2,1)::nil)%list 1) ::
   (Pock_certif 8574133 2 ((991,1)::(2,2)::nil)%list 1) ::
   (Pock_certif 569003 2 ((419,1)::(2,1)::nil)%list 1) ::
   (Pock_certif 430751 17 ((1723,1)::(2,1)::nil)%list 1) ::
   (Pock_certif 4153 5 ((173,1)::(2,3)::nil)%list 1) ::
   (Pock_certif 1723 2 ((41,1)::(2,1)::nil)%list 1) ::
   (Pock_certif 991 3 ((11,1)::(5,1)::(2,1)::nil)%list 1) ::
   (Pock_certif 419 2 ((19,1)::(2,1)::nil)%list 1) ::
   (Pock_certif 173 2 ((43,1)::(2,2)::nil)%list 1) ::
   (Pock_certif 127 3 ((7,1)::(2,1)::nil)%list 1) ::
   (Pock_certif 43 2 ((7,1)::(2,1)::nil)%list 1) ::
   (Pock_certif 41 3 ((2,3)::nil)%list 1) ::
   (Pock_certif 19 2 ((3,2)::(2,1)::nil)%list 1) ::
   (Pock_certif 11 2 ((5,1)::(2,1)::nil)%list 1) ::
   (Pock_certif 7 3 ((3,1)::(2,1)::nil)%list 1) ::
   (Pock_certif 5 2 ((2,2)::nil)%list 1) ::
   (Pock_certif 3 2 ((2,1)::nil)%list 1) ::
   (Proof_certif 2 prime_2) :: nil)%list).
vm_cast_no_check (refl_equal true).
Qed.
