//! OpenSSH: public and private keys, signatures by `ssh-keygen -Y` (SSHSIG), allowed signers.
