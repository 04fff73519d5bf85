//go:build !purego && ((linux && (amd64 || (arm64 && cgo && !sigmill_nocgo))) || (sigmill_untested && ((amd64 && (darwin || windows)) || (arm64 && darwin && cgo && !sigmill_nocgo))))

package core

import (
	"crypto/ecdsa"
	"runtime"
	"unsafe"
)

// VerifyECDSA gives the verdict under a key of a known curve. Time depends on all inputs.
func VerifyECDSA(curve Curve, policy Policy, key *ecdsa.PublicKey, digest, signature []byte) Verdict {
	turn(slowCalls)
	if policy.hasWrongLength(curve.Size(), signature) {
		return SignatureLength
	}
	var bytes [97]byte
	point := bytes[:1+2*curve.Size()]
	if !SEC1(point, key) {
		return KeyNotAPoint
	}
	return verdictOf(callECDSAVerify(curve, policy, point, digest, signature))
}

// ECDSAPiece is how many rows one call should have, so that it takes about half a millisecond.
func ECDSAPiece(curve Curve) int {
	rows := 8
	if features()&cpuIFMA != 0 {
		rows = 64
	}
	if curve == P384 {
		rows /= 2
	}
	return rows
}

func verifyECDSAPiece(curve Curve, policy Policy, of []int, row func(int) (*ecdsa.PublicKey, []byte, []byte), verdicts []Verdict) {
	width := 1 + 2*curve.Size()
	table := make([]byte, 0, len(of)*(width+curve.Size()+2*curve.Size()+9))
	offsets := make([]int64, 2*len(of)+2)
	digestOffsets, signatureOffsets := offsets[:len(of)+1], offsets[len(of)+1:]
	rows := make([]int, 0, len(of))
	for _, i := range of {
		key, _, signature := row(i)
		if policy.hasWrongLength(curve.Size(), signature) {
			verdicts[i] = SignatureLength
			continue
		}
		at := len(table)
		table = table[:at+width]
		if !SEC1(table[at:], key) {
			verdicts[i] = KeyNotAPoint
			table = table[:at]
			continue
		}
		rows = append(rows, i)
	}
	if len(rows) == 0 {
		return
	}
	keys := table
	digests := table[len(table):]
	for at, i := range rows {
		_, digest, _ := row(i)
		digests = append(digests, digest...)
		digestOffsets[at+1] = int64(len(digests))
	}
	signatures := digests[len(digests):]
	for at, i := range rows {
		_, _, signature := row(i)
		signatures = append(signatures, signature...)
		signatureOffsets[at+1] = int64(len(signatures))
	}
	work := workspaceOf(callECDSAScratchSize(len(rows), curve))
	defer workspaces.Put(work)
	codes := make([]byte, len(rows))
	result := callECDSAVerifyTable(curve, policy, keys, digests, digestOffsets[:len(rows)+1], signatures, signatureOffsets[:len(rows)+1], work, codes)
	if result < 0 {
		must(result)
	}
	for at, i := range rows {
		verdicts[i] = Verdict(codes[at])
	}
}

// ECDSAKey is a secret key that has been read.
type ECDSAKey struct {
	key   ecdsaKeyWords
	curve Curve
}

// NewECDSAKey reads a secret of the curve's Size; it reports whether that is in its range, 1 to n − 1. Constant time.
func NewECDSAKey(curve Curve, secret []byte) (*ECDSAKey, bool) {
	_ = secret[curve.Size()-1]
	k := &ECDSAKey{curve: curve}
	return k, callECDSAKeyInit(&k.key, curve, secret) == 0
}

// Public writes the public key in SEC1 bytes, uncompressed.
func (k *ECDSAKey) Public(out []byte) {
	_ = out[2*k.curve.Size()]
	must(callECDSAKeyPublic(&k.key, out))
}

// Sign writes r and s. The nonce is that of RFC 6979 with the curve's own hash, which has made the digest; or, if there
// is noise, 32 random bytes, with these as additional input, and the digest has any length but 0. Constant time but for
// sizes.
func (k *ECDSAKey) Sign(out, digest, noise []byte) {
	turn(slowCalls)
	must(callECDSAKeySign(&k.key, out[:2*k.curve.Size()], digest, noise))
}

// Wipe overwrites the key; it signs no more.
func (k *ECDSAKey) Wipe() { must(callECDSAKeyWipe(&k.key)) }

func signECDSAPiece(curve Curve, keys []*ECDSAKey, digests [][]byte, signatures []byte) {
	width := curve.Size()
	flat := make([]byte, 0, width*len(digests))
	for _, digest := range digests {
		flat = append(flat, digest[:width]...)
	}
	if len(keys) == 1 {
		must(callECDSASignTable(unsafe.Slice(&keys[0].key, 1), flat, width, signatures))
		return
	}
	list := make([]ecdsaKeyWords, len(keys))
	for i, key := range keys {
		list[i] = key.key
	}
	must(callECDSASignTable(list, flat, width, signatures))
	clear(list)
	runtime.KeepAlive(list)
}
