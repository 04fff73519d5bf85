/* crypto_sign.h: under the name by which NaCl has this part. */
#include "sigmill_nacl.h"
