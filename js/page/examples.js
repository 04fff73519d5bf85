/** Signatures to begin with: rows of vectors/ed25519/verify.csv, all of variant pure. */
export const EXAMPLES = [
  // row 1
  {
    name: "an honest signature", variant: "pure", context: "", message: "72",
    key: "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
    signature:
      "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
  },
  // row 14
  {
    name: "key and R have a torsion part", variant: "pure", context: "", message: "343a206d6978656420412c206d6978656420522c20636f666163746f726564206f6e6c792c207472792030",
    key: "684093a18746742c3e0270515e9d8ff800c256e465f5f879fad105e7c436090f",
    signature:
      "07f676b9b58eda6b4693608988083198235c3a9338463421579764913e27df2ec3e16a55e0941f072a083c01052447ad6d9287c71b9e507b517e731ae0e93506",
  },
  // row 16
  {
    name: "S is ℓ too large (malleable)", variant: "pure", context: "", message: "53202b206c",
    key: "b5a414df48e8c3242f268bfae8933f6853dd6f72379a08c6a860684d63206eef",
    signature:
      "adca23cf1f0d21b09c7c6b33861d7613ac0a4ffb46ca5d3683fdfe41ed57a4f22ca057f894eaa52c82d26c73263d224479a5a71696da77a5c2b95f038de5d315",
  },
  // row 21
  {
    name: "the key is not canonical", variant: "pure", context: "", message: "31313a206e6f6e2d63616e6f6e6963616c20412c207472792033",
    key: "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    signature:
      "201e28964b12af4c26c81caaf5e025fac7ad10e1243161f8ba05fbc3827b6cb9e9b3574b1b0c58960fcbcedff0cdf9045d7bd102a72d4526c5f59cc6e69b9f00",
  },
  // row 1112
  {
    name: "key and signature are zero", variant: "pure", context: "", message: "6d6573736167652030",
    key: "0000000000000000000000000000000000000000000000000000000000000000",
    signature:
      "00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000",
  },
];
