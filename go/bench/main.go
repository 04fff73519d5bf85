// Command bench compares sigmill with crypto/ed25519, crypto/ecdh, crypto/ecdsa and curve25519-voi: all in one process,
// slot after slot in turns, on the same rows. It prints medians and what the ratios should be.
//
//	go -C "$(go/scratch)/bench" run . [-seconds 2] [-ops verify,batch] [-record "$PWD/bench/record"]
//
// from the root of the repository measures the library as it is now; in this folder it is that of the committed texts.
//
// SIGMILL_CPU=none, avx2 or best measures that class of CPU alone: it hides instructions from sigmill, not from the
// others, of which only curve25519-voi looks for some (AVX2). Batches are measured with one processor (GOMAXPROCS=1), as
// curve25519-voi has only one, the rest with as many as there are.
package main

import (
	"bufio"
	"crypto"
	"crypto/ecdh"
	stdecdsa "crypto/ecdsa"
	std "crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	voi "github.com/oasisprotocol/curve25519-voi/primitives/ed25519"
	voix "github.com/oasisprotocol/curve25519-voi/primitives/x25519"
	"github.com/sigmill/sigmill/go/ecdsa"
	"github.com/sigmill/sigmill/go/ed25519"
	"github.com/sigmill/sigmill/go/internal/core"
	"github.com/sigmill/sigmill/go/x25519"
)

const rowsInAll = 4096

// inputs are random rows, each of its own key, and the same lying in one piece.
type inputs struct {
	seeds, flatKeys, flatMessages, flatSignatures, out []byte

	private                      []ed25519.PrivateKey
	public                       []ed25519.PublicKey
	voiPublic                    []voi.PublicKey
	messages, signatures         [][]byte
	prepared                     []*ed25519.PreparedKey
	voiPrepared                  []*voi.ExpandedPublicKey
	expanded                     *ed25519.ExpandedPrivateKey
	agreement                    *x25519.PrivateKey
	stdAgreement                 *ecdh.PrivateKey
	remote                       []*x25519.PublicKey
	stdRemote                    []*ecdh.PublicKey
	ecdsaKeys                    map[string]*ecdsa.PrivateKey
	ecdsaSigners                 map[string]*ecdsa.Signer
	ecdsaPublics                 map[string][]*ecdsa.PublicKey
	ecdsaHashes, ecdsaSignatures map[string][][]byte
}

func need(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func must[T any](value T, err error) T {
	need(err)
	return value
}

const preparedRows = 64

func newInputs() *inputs {
	in := &inputs{
		seeds: make([]byte, 32*rowsInAll), out: make([]byte, 64*rowsInAll), flatMessages: make([]byte, 32*rowsInAll),
		ecdsaKeys: map[string]*ecdsa.PrivateKey{}, ecdsaSigners: map[string]*ecdsa.Signer{}, ecdsaPublics: map[string][]*ecdsa.PublicKey{},
		ecdsaHashes: map[string][][]byte{}, ecdsaSignatures: map[string][][]byte{},
	}
	rand.Read(in.seeds)
	rand.Read(in.flatMessages)
	for i := range rowsInAll {
		private := ed25519.NewKeyFromSeed(in.seeds[32*i : 32*i+32])
		public := private.Public().(ed25519.PublicKey)
		message := in.flatMessages[32*i : 32*i+32]
		signature := ed25519.Sign(private, message)
		in.private, in.public, in.voiPublic = append(in.private, private), append(in.public, public), append(in.voiPublic, voi.PublicKey(public))
		in.messages, in.signatures = append(in.messages, message), append(in.signatures, signature)
		in.flatKeys, in.flatSignatures = append(in.flatKeys, public...), append(in.flatSignatures, signature...)
		if i < preparedRows {
			in.prepared = append(in.prepared, must(ed25519.NewPreparedKey(public)))
			in.voiPrepared = append(in.voiPrepared, must(voi.NewExpandedPublicKey(voi.PublicKey(public))))
		}
		secret := in.seeds[32*i : 32*i+32]
		key := must(ecdh.X25519().NewPrivateKey(secret)).PublicKey()
		in.stdRemote, in.remote = append(in.stdRemote, key), append(in.remote, must(x25519.NewPublicKey(key.Bytes())))
	}
	// they lie where C has them
	for i := range rowsInAll {
		in.public[i], in.voiPublic[i] = in.flatKeys[32*i:32*i+32], in.flatKeys[32*i:32*i+32]
		in.signatures[i] = in.flatSignatures[64*i : 64*i+64]
	}
	in.expanded = must(ed25519.NewExpandedPrivateKey(in.private[0]))
	in.agreement, in.stdAgreement = must(x25519.NewPrivateKey(in.seeds[:32])), must(ecdh.X25519().NewPrivateKey(in.seeds[:32]))
	for name, curve := range map[string]elliptic.Curve{"p256": elliptic.P256(), "p384": elliptic.P384()} {
		key := must(ecdsa.GenerateKey(curve, rand.Reader))
		signer := must(ecdsa.NewSigner(key))
		for i := range 256 {
			hash := in.messages[i]
			if name == "p384" {
				hash = in.flatMessages[16*i : 16*i+48]
			}
			in.ecdsaPublics[name] = append(in.ecdsaPublics[name], &key.PublicKey)
			in.ecdsaHashes[name] = append(in.ecdsaHashes[name], hash)
			in.ecdsaSignatures[name] = append(in.ecdsaSignatures[name], must(signer.Sign(rand.Reader, hash, crypto.SHA256)))
		}
		in.ecdsaKeys[name], in.ecdsaSigners[name] = key, signer
	}
	return in
}

// engine does rows of an operation from row first on, and reports whether its answers are right.
type engine struct {
	name string
	of   func(first, rows int) bool
}

// operation is measured in slots of so many rows.
type operation struct {
	name    string
	rows    int
	inAll   int
	engines []engine
}

// each makes an engine of what does one row.
func each(name string, one func(i int) bool) engine {
	return engine{name, func(first, rows int) bool {
		right := true
		for i := first; i < first+rows; i++ {
			right = one(i) && right
		}
		return right
	}}
}

func operations(in *inputs) []operation {
	var all []operation
	c := func(name string) []engine {
		if loop, is := inC[name]; is {
			return []engine{{"c", func(first, rows int) bool { return loop(in, first, rows) }}}
		}
		return nil
	}
	singles := map[string][]engine{
		"keygen": append([]engine{
			each("sigmill", func(i int) bool { return len(ed25519.NewKeyFromSeed(in.seeds[32*i:32*i+32])) == 64 }),
			each("std", func(i int) bool { return len(std.NewKeyFromSeed(in.seeds[32*i:32*i+32])) == 64 }),
			each("voi", func(i int) bool { return len(voi.NewKeyFromSeed(in.seeds[32*i:32*i+32])) == 64 }),
		}, c("keygen")...),
		"sign": append([]engine{
			each("sigmill", func(i int) bool { return len(ed25519.Sign(in.private[i], in.messages[i])) == 64 }),
			each("std", func(i int) bool { return len(std.Sign(in.private[i], in.messages[i])) == 64 }),
			each("voi", func(i int) bool { return len(voi.Sign(voi.PrivateKey(in.private[i]), in.messages[i])) == 64 }),
		}, c("sign")...),
		"sign_expanded": append([]engine{
			each("sigmill", func(i int) bool { return len(in.expanded.SignMessage(in.messages[i])) == 64 }),
			each("std", func(i int) bool { return len(std.Sign(in.private[0], in.messages[i])) == 64 }),
			each("voi", func(i int) bool { return len(voi.Sign(voi.PrivateKey(in.private[0]), in.messages[i])) == 64 }),
		}, c("sign_expanded")...),
		"verify": append([]engine{
			each("sigmill", func(i int) bool { return ed25519.Verify(in.public[i], in.messages[i], in.signatures[i]) }),
			each("std", func(i int) bool { return std.Verify(in.public[i], in.messages[i], in.signatures[i]) }),
			each("voi", func(i int) bool { return voi.Verify(in.voiPublic[i], in.messages[i], in.signatures[i]) }),
		}, c("verify")...),
	}
	for _, name := range []string{"keygen", "sign", "sign_expanded", "verify"} {
		all = append(all, operation{name, 16, rowsInAll, singles[name]}, operation{name + "_loop", 2048, rowsInAll, singles[name]})
	}
	all = append(all, operation{"verify_prepared", 16, preparedRows, []engine{
		each("sigmill", func(i int) bool {
			return in.prepared[i].Verify(ed25519.RuleCommon, in.messages[i], in.signatures[i], nil) == nil
		}),
		each("voi", func(i int) bool { return voi.VerifyExpanded(in.voiPrepared[i], in.messages[i], in.signatures[i]) }),
	}})
	for _, rows := range []int{8, 64, 1024, 4096} {
		var engines []engine
		for _, rule := range []ed25519.Rule{ed25519.RuleCommon, ed25519.RuleNoSmallKey, ed25519.RuleZIP215} {
			engines = append(engines, engine{"sigmill_" + rule.String(), func(first, rows int) bool {
				_, err := ed25519.VerifyBatch(rule, in.public[first:first+rows], in.messages[first:first+rows], in.signatures[first:first+rows])
				return err == nil
			}})
		}
		for name, options := range map[string]*voi.VerifyOptions{"voi_no_small_key": voi.VerifyOptionsDefault, "voi_zip215": voi.VerifyOptionsZIP_215} {
			engines = append(engines, engine{name, func(first, rows int) bool {
				batch := voi.NewBatchVerifierWithCapacity(rows)
				for i := first; i < first+rows; i++ {
					batch.AddWithOptions(in.voiPublic[i], in.messages[i], in.signatures[i], &voi.Options{Verify: options})
				}
				valid, _ := batch.Verify(nil)
				return valid
			}})
		}
		slices.SortFunc(engines, func(a, b engine) int { return strings.Compare(a.name, b.name) })
		all = append(all, operation{fmt.Sprintf("batch_%d", rows), rows, rowsInAll, engines})
	}
	all = append(all, operation{"x25519_base", 16, rowsInAll, []engine{
		each("sigmill", func(i int) bool { _, err := x25519.NewPrivateKey(in.seeds[32*i : 32*i+32]); return err == nil }),
		each("std", func(i int) bool {
			key, err := ecdh.X25519().NewPrivateKey(in.seeds[32*i : 32*i+32])
			return err == nil && key.PublicKey() != nil
		}),
		each("voi", func(i int) bool { _, err := voix.X25519(in.seeds[32*i:32*i+32], voix.Basepoint); return err == nil }),
	}}, operation{"x25519_shared", 16, rowsInAll, []engine{
		each("sigmill", func(i int) bool { _, err := in.agreement.ECDH(in.remote[i]); return err == nil }),
		each("std", func(i int) bool { _, err := in.stdAgreement.ECDH(in.stdRemote[i]); return err == nil }),
		each("voi", func(i int) bool { _, err := voix.X25519(in.seeds[:32], in.flatKeys[32*i:32*i+32]); return err == nil }),
	}})
	for _, curve := range []string{"p256", "p384"} {
		key, signer, publics := in.ecdsaKeys[curve], in.ecdsaSigners[curve], in.ecdsaPublics[curve]
		hashes, signatures := in.ecdsaHashes[curve], in.ecdsaSignatures[curve]
		all = append(all, operation{curve + "_sign", 16, 256, []engine{
			each("sigmill", func(i int) bool { _, err := signer.Sign(rand.Reader, hashes[i], crypto.SHA256); return err == nil }),
			each("std", func(i int) bool { _, err := key.Sign(rand.Reader, hashes[i], crypto.SHA256); return err == nil }),
		}}, operation{curve + "_verify", 16, 256, []engine{
			each("sigmill", func(i int) bool { return ecdsa.VerifyASN1(publics[i], hashes[i], signatures[i]) }),
			each("std", func(i int) bool { return stdecdsa.VerifyASN1(publics[i], hashes[i], signatures[i]) }),
		}}, operation{curve + "_batch_256", 256, 256, []engine{
			{"sigmill", func(first, rows int) bool {
				_, err := ecdsa.VerifyBatch(publics[:rows], hashes[:rows], signatures[:rows], nil)
				return err == nil
			}},
			each("std", func(i int) bool { return stdecdsa.VerifyASN1(publics[i], hashes[i], signatures[i]) }),
		}})
	}
	return all
}

// line is one of the record.
type line struct {
	Engine string  `json:"engine"`
	Class  string  `json:"class"`
	Op     string  `json:"op"`
	N      int     `json:"n"`
	Min    float64 `json:"ns_min"`
	Median float64 `json:"ns_median"`
	Slots  int     `json:"slots"`
}

// measure gives the engines of an operation slots in turns.
func measure(op operation, class string, length time.Duration) []line {
	processors := runtime.NumCPU()
	if strings.Contains(op.name, "batch") {
		processors = 1
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(processors))
	times := make([][]float64, len(op.engines))
	first, rounds := 0, 0
	for end := time.Now().Add(length); rounds < 3 || time.Now().Before(end); {
		for turn := range op.engines {
			// another one each time is the first to see the rows
			i := (turn + rounds) % len(op.engines)
			engine := op.engines[i]
			if op.rows < op.inAll && !engine.of(first, 1) { // its code is in the caches then
				need(fmt.Errorf("%s: %s gives a wrong answer", op.name, engine.name))
			}
			runtime.Gosched()
			start := time.Now()
			right := engine.of(first, op.rows)
			times[i] = append(times[i], float64(time.Since(start).Nanoseconds())/float64(op.rows))
			if !right {
				need(fmt.Errorf("%s: %s gives a wrong answer", op.name, engine.name))
			}
		}
		rounds++
		if first += op.rows; first+op.rows > op.inAll {
			first = 0
		}
	}
	lines := make([]line, len(op.engines))
	for i, engine := range op.engines {
		slices.Sort(times[i])
		lines[i] = line{engine.name, class, op.name, op.rows, times[i][0], times[i][len(times[i])/2], len(times[i])}
	}
	return lines
}

// bar is a bound on a median against another one, with so many ns more.
type bar struct {
	op, engine, against string
	best, other         float64 // with AVX-512 IFMA, and without
	plus                float64
}

// A time must not be more than this part of the other.
var bars = []bar{
	{"verify", "sigmill", "std", 1 / 1.5, 1 / 1.2, 0}, {"sign", "sigmill", "std", 1 / 3.0, 1 / 1.5, 0},
	{"sign_expanded", "sigmill", "std", 1 / 3.0, 1 / 1.5, 0},
	{"keygen", "sigmill", "c", 1, 1, 60}, {"sign", "sigmill", "c", 1, 1, 60}, {"sign_expanded", "sigmill", "c", 1, 1, 60}, {"verify", "sigmill", "c", 1, 1, 60},
	{"keygen_loop", "sigmill", "c", 1.1, 1.1, 0}, {"sign_loop", "sigmill", "c", 1.1, 1.1, 0}, {"verify_loop", "sigmill", "c", 1.1, 1.1, 0},
	{"batch_64", "sigmill_no_small_key", "voi_no_small_key", 1 / 3.0, 1 / 1.4, 0}, {"batch_64", "sigmill_zip215", "voi_zip215", 1 / 3.0, 1 / 1.4, 0},
	{"batch_1024", "sigmill_no_small_key", "voi_no_small_key", 1 / 3.0, 1 / 1.4, 0}, {"batch_1024", "sigmill_zip215", "voi_zip215", 1 / 3.0, 1 / 1.4, 0},
	{"batch_4096", "sigmill_no_small_key", "voi_no_small_key", 1 / 3.0, 1 / 1.4, 0}, {"batch_4096", "sigmill_zip215", "voi_zip215", 1 / 3.0, 1 / 1.4, 0},
	{"batch_1024", "sigmill_common", "sigmill_zip215", 1.15, 1.15, 0}, {"batch_4096", "sigmill_common", "sigmill_zip215", 1.15, 1.15, 0},
	{"x25519_base", "sigmill", "std", 1 / 3.0, 1, 0}, {"x25519_shared", "sigmill", "std", 1 / 1.5, 1, 0},
}

func main() {
	seconds := flag.Float64("seconds", 2, "how long each operation is measured, in each class of CPU")
	ops := flag.String("ops", "", "the beginnings of the names of operations, with commas; all of them if empty")
	record := flag.String("record", "", "a folder for the record, DATE-COMMIT.go.jsonl, or go-without-cgo or go-pure")
	flag.Parse()
	classes := []string{"portable", "avx2", "best"}
	features := map[string]uint32{"portable": 0, "avx2": 3, "best": 1<<32 - 1}
	switch cpu := os.Getenv("SIGMILL_CPU"); cpu {
	case "":
	case "none":
		classes = classes[:1]
	case "avx2":
		classes = classes[1:2]
	case "best":
		classes = classes[2:]
	default:
		need(fmt.Errorf("SIGMILL_CPU=%s: none, avx2 or best", cpu))
	}
	if ed25519.Implementation() == "pure Go" {
		classes = classes[len(classes)-1:]
	}
	in := newInputs()
	medians := map[[3]string]float64{}
	var lines []line
	for _, class := range classes {
		core.LimitCPU(features[class])
		fmt.Printf("%s, class %s, ns a row: median, least\n", ed25519.Implementation(), class)
		for _, op := range operations(in) {
			wanted := *ops == ""
			for beginning := range strings.SplitSeq(*ops, ",") {
				wanted = wanted || strings.HasPrefix(op.name, beginning)
			}
			if !wanted {
				continue
			}
			for _, l := range measure(op, class, time.Duration(*seconds*float64(time.Second))) {
				fmt.Printf("  %-16s %-21s %10.1f %10.1f\n", l.Op, l.Engine, l.Median, l.Min)
				medians[[3]string{class, l.Op, l.Engine}] = l.Median
				lines = append(lines, l)
			}
		}
	}
	missed := 0
	fmt.Println("bars: time, bound, in ns a row")
	for _, class := range classes {
		for _, b := range bars {
			ours, measured := medians[[3]string{class, b.op, b.engine}]
			against, too := medians[[3]string{class, b.op, b.against}]
			if !measured || !too {
				continue
			}
			bound := b.other
			if class == "best" && core.HasIFMA() {
				bound = b.best
			}
			word := "held"
			if limit := bound*against + b.plus; ours > limit {
				word = "MISSED"
				missed++
			}
			fmt.Printf("  %-8s %-16s %-21s %10.1f %10.1f  %-6s (%.2f of %s)\n", class, b.op, b.engine, ours, bound*against+b.plus, word, ours/against, b.against)
		}
	}
	fmt.Printf("%d bars missed\n", missed)
	if *record != "" {
		need(write(*record, *seconds, lines))
	}
}

func output(name string, arguments ...string) string {
	out, err := exec.Command(name, arguments...).Output()
	if err != nil {
		return "unknown"
	}
	return strings.TrimSpace(string(out))
}

// write makes the record: a header, and a line for each operation and engine.
func write(folder string, seconds float64, lines []line) error {
	commit := output("git", "rev-parse", "--short=12", "HEAD")
	if output("git", "status", "--porcelain", "--untracked-files=no") != "" {
		commit += "-dirty"
	}
	cpu := "unknown"
	if text, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		for l := range strings.SplitSeq(string(text), "\n") {
			if name, value, found := strings.Cut(l, ":"); found && strings.TrimSpace(name) == "model name" {
				cpu = strings.TrimSpace(value)
				break
			}
		}
	}
	now := time.Now().UTC()
	kind := map[string]string{"assembly": "go", "assembly without cgo": "go-without-cgo", "pure Go": "go-pure"}[ed25519.Implementation()]
	path := filepath.Join(folder, now.Format(time.DateOnly)+"-"+commit+"."+kind+".jsonl")
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer file.Close()
	out := bufio.NewWriter(file)
	to := json.NewEncoder(out)
	to.Encode(map[string]any{
		"cpu": cpu, "commit": commit, "date": now.Format(time.RFC3339), "go": runtime.Version(), "arch": runtime.GOARCH,
		"processors": runtime.NumCPU(), "implementation": ed25519.Implementation(), "seconds": seconds,
		"engines": map[string]string{
			"std": runtime.Version(), "c": "sigmill.h in a loop in C",
			"voi": output("go", "list", "-m", "-f", "{{.Version}}", "github.com/oasisprotocol/curve25519-voi"),
		},
	})
	for _, l := range lines {
		to.Encode(l)
	}
	if err := out.Flush(); err != nil {
		return err
	}
	fmt.Println("record:", path)
	return nil
}
