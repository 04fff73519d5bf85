(* docs/exact-batch.md, section 1: l is prime. A Pocklington certificate, checked by coqprime. *)
From Coqprime Require Import Pock PocklingtonCertificat.
Require Import ZArith Znumtheory.
Local Open Scope positive_scope.

Lemma prime_l : prime 7237005577332262213973186563042994240857116359379907606001950938285454250989.
Proof.
apply (Pocklington_refl
  (Pock_certif 7237005577332262213973186563042994240857116359379907606001950938285454250989 2 ((276602624281642239937218680557139826668747,1)::(2,2)::nil)%list 1)
  ((Pock_certif 276602624281642239937218680557139826668747 2 ((19757330305831588566944191468367130476339,1)::(2,1)::nil)%list 1) ::
   (Pock_certif 19757330305831588566944191468367130476339 2 ((172054593956031949258510691,1)::(2,1)::nil)%list 1) ::
   (Pock_certif 172054593956031949258510691 2 ((4434155615661930479,1)::(2,1)::nil)%list 1) ::
   (Pock_certif 4434155615661930479 17 ((1257559732178653,1)::(2,1)::nil)%list 1) ::
   (Pock_certif 1257559732178653 2 ((1224481,1)::(531581,1)::(2,2)::nil)%list 1) ::
   (Pock_certif 1224481 7 ((2551,1)::(2,5)::nil)%list 1) ::
   (Pock_certif 531581 2 ((3797,1)::(2,2)::nil)%list 1) ::
   (Pock_certif 3797 2 ((73,1)::(2,2)::nil)%list 1) ::
   (Pock_certif 2551 6 ((17,1)::(5,2)::(2,1)::nil)%list 1) ::
   (Pock_certif 73 5 ((3,2)::(2,3)::nil)%list 1) ::
   (Pock_certif 17 3 ((2,4)::nil)%list 1) ::
   (Pock_certif 5 2 ((2,2)::nil)%list 1) ::
   (Pock_certif 3 2 ((2,1)::nil)%list 1) ::
   (Proof_certif 2 prime_2) :: nil)%list).
vm_cast_no_check (refl_equal true).
Qed.
