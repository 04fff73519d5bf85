/* crypto_scalarmult_curve25519.h: under the name by which NaCl has this part. */
#include "sigmill_nacl.h"
