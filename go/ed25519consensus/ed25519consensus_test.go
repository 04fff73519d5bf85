package ed25519consensus_test

import (
	"crypto/ed25519"
	"testing"

	"github.com/sigmill/sigmill/go/ed25519consensus"
)

func TestBatch(t *testing.T) {
	made := ed25519consensus.NewBatchVerifier()
	with := ed25519consensus.NewPreallocatedBatchVerifier(3)
	for _, batch := range []*ed25519consensus.BatchVerifier{&made, &with, {}} {
		if batch.Verify() {
			t.Error("a batch of none is valid")
		}
		key, message, signature := make([]byte, 32), make([]byte, 3), make([]byte, 64)
		for i := range 20 {
			public, private, err := ed25519.GenerateKey(nil)
			if err != nil {
				t.Fatal(err)
			}
			message[0] = byte(i)
			copy(key, public)
			copy(signature, ed25519.Sign(private, message))
			batch.Add(key, message, signature) // which keeps nothing
			if !ed25519consensus.Verify(key, message, signature) || ed25519consensus.Verify(key, message[:2], signature) {
				t.Error("alone")
			}
			clear(key)
			clear(signature)
		}
		if !batch.Verify() {
			t.Error("a batch of valid signatures is not valid")
		}
		bad := *batch
		bad.Add(key[:31], message, signature)
		if bad.Verify() || ed25519consensus.Verify(key[:31], message, signature) || ed25519consensus.Verify(nil, message, nil) {
			t.Error("a key of 31 bytes")
		}
		batch.Add(key, message, signature[:63])
		if batch.Verify() {
			t.Error("a signature of 63 bytes")
		}
	}
}
