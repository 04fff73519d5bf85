// Command stress calls what computes from many goroutines while everything that Go's runtime does to a goroutine is done
// as often as it can be: garbage collection, preemption, stacks that grow and are copied, stack dumps of all goroutines, the
// CPU profiler at 1 kHz, the execution tracer, other numbers of processors, panics. Every result is compared with the
// standard library's. It prints rounds by kind, and exits with 1 at the first difference.
//
//	go/check stress SECONDS
package main

import (
	"bytes"
	"context"
	"crypto/ecdh"
	stdecdsa "crypto/ecdsa"
	std "crypto/ed25519"
	"crypto/elliptic"
	"crypto/sha256"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"runtime/trace"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sigmill/sigmill/go/ecdsa"
	"github.com/sigmill/sigmill/go/ed25519"
	"github.com/sigmill/sigmill/go/internal/core"
	"github.com/sigmill/sigmill/go/x25519"
)

// row is a signature whose verdict the standard library has given.
type row struct {
	public                       ed25519.PublicKey
	private                      ed25519.PrivateKey
	message, signature, asSigned []byte
	valid                        bool
}

var (
	rows     []row
	prepared []*ed25519.PreparedKey
	expanded []*ed25519.ExpandedPrivateKey
	long     row
	agreed   []agreement
	p256     []ecdsaRow
)

type agreement struct {
	secret, public, shared []byte
}

type ecdsaRow struct {
	key               *stdecdsa.PrivateKey
	digest, signature []byte
	valid             bool
}

func must[T any](value T, err error) T {
	if err != nil {
		fail(err)
	}
	return value
}

func fail(what ...any) {
	fmt.Fprintln(os.Stderr, append([]any{"stress:"}, what...)...)
	os.Exit(1)
}

// check ends the program at a wrong result.
func check(right bool, kind string, seed uint64) {
	if !right {
		fail(kind, "differs from the standard library, seed", seed)
	}
}

func newRow(size int, damaged bool) row {
	var r row
	r.public, r.private, _ = std.GenerateKey(nil)
	r.message = make([]byte, size)
	for i := range r.message {
		r.message[i] = byte(rand.Uint32())
	}
	r.asSigned = std.Sign(r.private, r.message)
	r.signature = slices.Clone(r.asSigned)
	if damaged {
		r.signature[rand.IntN(64)] ^= 1 << rand.IntN(8)
	}
	r.valid = std.Verify(r.public, r.message, r.signature)
	return r
}

func prepare() {
	for i := range 512 {
		rows = append(rows, newRow(rand.IntN(1500), i%5 == 0))
		prepared = append(prepared, must(ed25519.NewPreparedKey(rows[i].public)))
		expanded = append(expanded, must(ed25519.NewExpandedPrivateKey(rows[i].private)))
	}
	long = newRow(700_000, false)
	for range 64 {
		a, b := must(ecdh.X25519().GenerateKey(source{})), must(ecdh.X25519().GenerateKey(source{}))
		agreed = append(agreed, agreement{a.Bytes(), b.PublicKey().Bytes(), must(a.ECDH(b.PublicKey()))})
	}
	for i := range 64 {
		key := must(stdecdsa.GenerateKey(elliptic.P256(), source{}))
		digest := sha256.Sum256([]byte{byte(i)})
		signature := must(stdecdsa.SignASN1(source{}, key, digest[:]))
		if i%5 == 0 {
			digest[i%32] ^= 4
		}
		p256 = append(p256, ecdsaRow{key, digest[:], signature, stdecdsa.VerifyASN1(&key.PublicKey, digest[:], signature)})
	}
}

type source struct{}

// Read gives what need not be secret here.
func (source) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = byte(rand.Uint32())
	}
	return len(b), nil
}

// kinds of calls. Each takes its inputs from anywhere: the heap, its own stack, a stack that was just copied.
var kinds = []struct {
	name string
	do   func(seed uint64) bool
}{
	{"sign and verify", func(seed uint64) bool {
		r := &rows[seed%512]
		var private [64]byte // on the stack
		copy(private[:], r.private)
		signature := ed25519.Sign(private[:], r.message)
		return string(signature) == string(r.asSigned) && ed25519.Verify(r.public, r.message, signature)
	}},
	{"verify", func(seed uint64) bool {
		r := &rows[seed%512]
		var signature [64]byte
		copy(signature[:], r.signature)
		return ed25519.Verify(r.public, r.message, signature[:]) == r.valid
	}},
	{"prepared", func(seed uint64) bool {
		r := &rows[seed%512]
		return (prepared[seed%512].Verify(ed25519.RuleCommon, r.message, r.signature, nil) == nil) == r.valid
	}},
	{"expanded", func(seed uint64) bool {
		return bytes.Equal(expanded[seed%512].SignMessage(rows[seed%512].message), rows[seed%512].asSigned)
	}},
	{"public key", func(seed uint64) bool {
		r := &rows[seed%512]
		return bytes.Equal(ed25519.NewKeyFromSeed(r.private[:32]), r.private)
	}},
	{"prepare and expand", func(seed uint64) bool {
		r := &rows[seed%512]
		key, err := ed25519.NewPreparedKey(r.public)
		signer, err2 := ed25519.NewExpandedPrivateKey(r.private)
		if err != nil || err2 != nil {
			return false
		}
		defer signer.Wipe()
		return (key.Verify(ed25519.RuleCommon, r.message, r.signature, nil) == nil) == r.valid &&
			bytes.Equal(signer.SignMessage(r.message), r.asSigned)
	}},
	{"batch", func(seed uint64) bool {
		count := int(seed>>16) % 200
		verifier := ed25519.NewBatchVerifier(ed25519.RuleCommon, count)
		for i := range count {
			r := &rows[(seed+uint64(i))%512]
			verifier.Add(r.public, r.message, r.signature)
		}
		verdicts, err := verifier.Verdicts(context.Background())
		for i := range verdicts {
			if (verdicts[i] == ed25519.Valid) != rows[(seed+uint64(i))%512].valid {
				return false
			}
		}
		return err == nil && len(verdicts) == count
	}},
	{"many signatures", func(seed uint64) bool {
		count := 1 + int(seed>>16)%100
		keys, messages := make([]ed25519.PrivateKey, count), make([][]byte, count)
		for i := range count {
			r := &rows[(seed+uint64(i))%512]
			keys[i], messages[i] = r.private, r.message
		}
		signatures, err := ed25519.SignBatch(keys, messages)
		for i := range signatures {
			if !bytes.Equal(signatures[i], rows[(seed+uint64(i))%512].asSigned) {
				return false
			}
		}
		return err == nil && len(signatures) == count
	}},
	{"many keys", func(seed uint64) bool {
		_, keys, err := ed25519.GenerateKeys(source{}, 1+int(seed>>16)%100)
		at := seed % uint64(len(keys))
		return err == nil && bytes.Equal(std.NewKeyFromSeed(keys[at].Seed()), keys[at])
	}},
	{"agreement", func(seed uint64) bool {
		a := &agreed[seed%64]
		private, err := x25519.NewPrivateKey(a.secret)
		if err != nil {
			return false
		}
		public, err := x25519.NewPublicKey(a.public)
		if err != nil {
			return false
		}
		shared, err := private.ECDH(public)
		return err == nil && bytes.Equal(shared, a.shared)
	}},
	{"ECDSA", func(seed uint64) bool {
		r := &p256[seed%64]
		signature, err := ecdsa.SignASN1(source{}, r.key, r.digest)
		return err == nil && stdecdsa.VerifyASN1(&r.key.PublicKey, r.digest, signature) &&
			ecdsa.VerifyASN1(&r.key.PublicKey, r.digest, r.signature) == r.valid
	}},
	{"long message", func(seed uint64) bool {
		if seed>>16%8 != 0 {
			return true
		}
		return ed25519.Verify(long.public, long.message, long.signature) &&
			bytes.Equal(ed25519.Sign(long.private, long.message), long.signature)
	}},
}

// deep makes the stack grow, calls there, and makes it grow again.
//
//go:noinline
func deep(levels int, call func()) byte {
	var frame [512]byte
	frame[levels%512] = 1
	if levels == 0 {
		call()
		return frame[0]
	}
	return deep(levels-1, call) + frame[levels%512]
}

var counts []atomic.Int64

// round makes one call, somewhere on a stack.
func round(kind int, seed uint64) {
	call := func() {
		check(kinds[kind].do(seed), kinds[kind].name, seed)
		counts[kind].Add(1)
	}
	switch seed >> 32 % 5 {
	case 0:
		call()
	case 1:
		deep(int(seed>>40%128), call)
	case 2: // the stack is small, and will have been used up
		done := make(chan bool)
		go func() {
			defer close(done)
			call()
			deep(int(seed>>40%16), call)
		}()
		<-done
	case 3: // a panic goes through
		func() {
			defer func() {
				if recover() != "planned" {
					fail("another panic")
				}
				call()
			}()
			deep(3, call)
			panic("planned")
		}()
	case 4:
		call()
		runtime.Gosched()
		call()
	}
}

var garbage atomic.Pointer[[]byte]

// disturb does something to the runtime again and again until the end.
func disturb(done <-chan struct{}, group *sync.WaitGroup, pause time.Duration, do func(step int)) {
	group.Add(1)
	go func() {
		defer group.Done()
		for step := 0; ; step++ {
			select {
			case <-done:
				return
			case <-time.After(pause):
				do(step)
			}
		}
	}()
}

func phase(duration time.Duration, goroutines int) {
	done := make(chan struct{})
	var disturbers, workers sync.WaitGroup
	disturb(done, &disturbers, time.Millisecond, func(int) { runtime.GC() })
	dump := make([]byte, 1<<20)
	disturb(done, &disturbers, 3*time.Millisecond, func(int) { runtime.Stack(dump, true) })
	disturb(done, &disturbers, 5*time.Millisecond, func(step int) {
		runtime.GOMAXPROCS(1 + step%4)
		debug.SetGCPercent(1 + step%50)
	})
	disturb(done, &disturbers, 20*time.Millisecond, func(int) {
		pprof.Lookup("goroutine").WriteTo(io.Discard, 0)
		pprof.Lookup("heap").WriteTo(io.Discard, 0)
		debug.FreeOSMemory()
	})
	disturb(done, &disturbers, 10*time.Millisecond, func(step int) {
		switch step % 200 {
		case 0:
			runtime.SetCPUProfileRate(1000) // StartCPUProfile then says that it cannot have 100, and that is right
			if err := pprof.StartCPUProfile(io.Discard); err != nil {
				fail(err)
			}
		case 50:
			if err := trace.Start(io.Discard); err != nil {
				fail(err)
			}
		case 150:
			pprof.StopCPUProfile()
		case 199:
			trace.Stop()
		}
	})
	for number := range goroutines {
		workers.Add(1)
		go func() {
			defer workers.Done()
			random := rand.New(rand.NewPCG(uint64(number), uint64(time.Now().UnixNano())))
			for {
				select {
				case <-done:
					return
				default:
				}
				round(random.IntN(len(kinds)), random.Uint64())
				filler := make([]byte, random.IntN(20_000))
				garbage.Store(&filler)
			}
		}()
	}
	time.Sleep(duration)
	close(done)
	workers.Wait()
	disturbers.Wait()
	pprof.StopCPUProfile()
	trace.Stop()
	runtime.GOMAXPROCS(0)
}

func main() {
	seconds := flag.Float64("seconds", 10, "how long")
	goroutines := flag.Int("goroutines", 32, "how many call")
	flag.Parse()
	runtime.SetBlockProfileRate(1000)
	runtime.SetMutexProfileFraction(10)
	prepare()
	counts = make([]atomic.Int64, len(kinds))
	fmt.Println("stress:", core.Implementation, runtime.Version(), runtime.GOARCH)
	begin := time.Now()
	end := begin.Add(time.Duration(*seconds * float64(time.Second)))
	shown := begin
	// a busy machine needs more time until something of each kind has been done
	for number := 0; time.Now().Before(end) || number < 60 && missing() != ""; number++ {
		// all of the CPU, AVX2 alone, ADX alone, none of it
		core.LimitCPU([]uint32{7, 3, 1, 0}[number%4])
		phase(min(max(time.Until(end), time.Second), 5*time.Second), *goroutines)
		if time.Since(shown) > time.Minute {
			shown = time.Now()
			report(begin)
		}
	}
	core.LimitCPU(7)
	report(begin)
	if name := missing(); name != "" {
		fail("nothing was done of", name)
	}
}

// missing is a kind of which nothing was done.
func missing() string {
	for i := range kinds {
		if counts[i].Load() == 0 {
			return kinds[i].name
		}
	}
	return ""
}

func report(begin time.Time) {
	total := int64(0)
	text := ""
	for i, kind := range kinds {
		total += counts[i].Load()
		text += fmt.Sprintf(", %s %d", kind.name, counts[i].Load())
	}
	fmt.Printf("stress: %.0f s, %d rounds, no difference%s\n", time.Since(begin).Seconds(), total, text)
}
