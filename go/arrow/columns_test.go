package sigmillarrow_test

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	sigmillarrow "github.com/sigmill/sigmill/go/arrow"
	"github.com/sigmill/sigmill/go/ed25519"
)

// build makes an array of a type; nil is null.
func build(t *testing.T, of arrow.DataType, values [][]byte) arrow.Array {
	t.Helper()
	builder := array.NewBuilder(memory.DefaultAllocator, of)
	defer builder.Release()
	for _, value := range values {
		if value == nil {
			builder.AppendNull()
			continue
		}
		switch builder := builder.(type) {
		case *array.BinaryBuilder:
			builder.Append(value)
		case *array.FixedSizeBinaryBuilder:
			builder.Append(value)
		case *array.StringBuilder:
			builder.Append(string(value))
		case *array.LargeStringBuilder:
			builder.Append(string(value))
		case *array.BinaryViewBuilder:
			builder.Append(value)
		case *array.StringViewBuilder:
			builder.Append(string(value))
		case *array.BinaryDictionaryBuilder:
			builder.Append(value)
		case *array.FixedSizeBinaryDictionaryBuilder:
			builder.Append(value)
		default:
			t.Fatalf("%v", of)
		}
	}
	return builder.NewArray()
}

var (
	ofKeys = []arrow.DataType{arrow.BinaryTypes.Binary, arrow.BinaryTypes.LargeBinary, &arrow.FixedSizeBinaryType{ByteWidth: 32}}
	ofSigs = []arrow.DataType{arrow.BinaryTypes.Binary, arrow.BinaryTypes.LargeBinary, &arrow.FixedSizeBinaryType{ByteWidth: 64}}
	ofMsgs = []arrow.DataType{arrow.BinaryTypes.Binary, arrow.BinaryTypes.LargeBinary, arrow.BinaryTypes.String, arrow.BinaryTypes.LargeString}
)

// table is signed rows; some are refused.
type table struct {
	keys, messages, signatures [][]byte
	verdicts                   []ed25519.Verdict
}

func newTable(t *testing.T, rows int) table {
	t.Helper()
	public, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	var out table
	for i := range rows {
		message := fmt.Appendf(nil, "%0*d", i%40, i) // of several sizes, one of them 1
		signature, verdict := ed25519.Sign(private, message), ed25519.Valid
		if i%7 == 3 {
			message, verdict = append(message, '!'), ed25519.Equation
		}
		if i%11 == 5 {
			signature[63], verdict = 0xff, ed25519.SOutOfRange
		}
		out.keys, out.messages, out.signatures = append(out.keys, public), append(out.messages, message), append(out.signatures, signature)
		out.verdicts = append(out.verdicts, verdict)
	}
	return out
}

// firstRefused is what the error must be.
func firstRefused(verdicts []ed25519.Verdict) string {
	for row, verdict := range verdicts {
		switch verdict {
		case ed25519.Valid:
		case sigmillarrow.Null:
			return (&sigmillarrow.NullError{Row: row}).Error()
		default:
			return (&ed25519.NotAllValidError{Row: row, Verdict: verdict}).Error()
		}
	}
	return "<nil>"
}

// All types in all places, whole and sliced, with nulls and without, have the verdicts of the rows alone.
func TestTypesSlicesAndNulls(t *testing.T) {
	const rows = 60
	checked := 0
	for _, nulls := range []bool{false, true} {
		from := newTable(t, rows)
		if nulls {
			for i := 0; i < rows; i += 9 {
				[][][]byte{from.keys, from.messages, from.signatures}[i/9%3][i] = nil
				from.verdicts[i] = sigmillarrow.Null
			}
		}
		for _, ofKey := range ofKeys {
			for _, ofMsg := range ofMsgs {
				for _, ofSig := range ofSigs {
					keys, messages, signatures := build(t, ofKey, from.keys), build(t, ofMsg, from.messages), build(t, ofSig, from.signatures)
					for _, cut := range [][2]int64{{0, rows}, {1, rows}, {10, 17}, {30, 31}, {rows - 1, rows}, {4, 4}, {0, 0}} {
						part := func(of arrow.Array) arrow.Array { return array.NewSlice(of, cut[0], cut[1]) }
						got, err := sigmillarrow.Verify(ed25519.RuleStrict, part(keys), part(messages), part(signatures))
						expected := from.verdicts[cut[0]:cut[1]]
						if !slices.Equal(got, expected) || fmt.Sprint(err) != firstRefused(expected) {
							t.Fatalf("%v, %v, %v, rows %v: %v %v, must be %v %s", ofKey, ofMsg, ofSig, cut, got, err, expected, firstRefused(expected))
						}
						checked += len(got)
					}
				}
			}
		}
	}
	t.Logf("%d verdicts", checked)
}

func dictionary(of arrow.DataType, index arrow.DataType) arrow.DataType {
	return &arrow.DictionaryType{IndexType: index, ValueType: of}
}

// Views and dictionaries in each place, and columns of type null, have the verdicts of the rows alone.
func TestViewsDictionariesAndNullColumns(t *testing.T) {
	const rows = 60
	views, texts, nulls := arrow.BinaryTypes.BinaryView, arrow.BinaryTypes.StringView, arrow.Null
	fixed := func(width int) arrow.DataType { return &arrow.FixedSizeBinaryType{ByteWidth: width} }
	types := [][3]arrow.DataType{
		{views, views, views},
		{ofKeys[0], views, ofSigs[2]}, {ofKeys[2], texts, ofSigs[0]}, {views, ofMsgs[2], ofSigs[1]}, {ofKeys[1], ofMsgs[0], views},
		{dictionary(fixed(32), arrow.PrimitiveTypes.Uint8), dictionary(ofMsgs[0], arrow.PrimitiveTypes.Int16), dictionary(fixed(64), arrow.PrimitiveTypes.Int64)},
		{dictionary(ofKeys[0], arrow.PrimitiveTypes.Int32), dictionary(ofMsgs[2], arrow.PrimitiveTypes.Uint32), ofSigs[0]},
		{nulls, ofMsgs[0], ofSigs[0]}, {ofKeys[2], nulls, views}, {ofKeys[0], ofMsgs[0], nulls}, {nulls, nulls, nulls},
	}
	for _, withNulls := range []bool{false, true} {
		from := newTable(t, rows)
		if withNulls {
			for i := 0; i < rows; i += 9 {
				[][][]byte{from.keys, from.messages, from.signatures}[i/9%3][i] = nil
				from.verdicts[i] = sigmillarrow.Null
			}
		}
		for _, of := range types {
			var columns [3]arrow.Array
			verdicts := slices.Clone(from.verdicts)
			for i, values := range [][][]byte{from.keys, from.messages, from.signatures} {
				if of[i] == nulls {
					columns[i] = array.NewNull(rows)
					verdicts = slices.Repeat([]ed25519.Verdict{sigmillarrow.Null}, rows)
					continue
				}
				columns[i] = build(t, of[i], values)
			}
			for _, cut := range [][2]int64{{0, rows}, {1, rows}, {10, 17}, {30, 31}, {rows - 1, rows}, {4, 4}, {0, 0}} {
				part := func(i int) arrow.Array { return array.NewSlice(columns[i], cut[0], cut[1]) }
				got, err := sigmillarrow.Verify(ed25519.RuleStrict, part(0), part(1), part(2))
				expected := verdicts[cut[0]:cut[1]]
				if !slices.Equal(got, expected) || fmt.Sprint(err) != firstRefused(expected) {
					t.Fatalf("%v, rows %v: %v %v, must be %v %s", of, cut, got, err, expected, firstRefused(expected))
				}
			}
		}
	}
}

// view is a view of a value that lies in a buffer.
func view(length, buffer, position int32) []byte {
	out := make([]byte, 16)
	for i, number := range []int32{length, 0, buffer, position} {
		binary.LittleEndian.PutUint32(out[4*i:], uint32(number))
	}
	return out
}

// A view that points nowhere and an index without a value are errors, unless the row is null.
func TestViewsAndIndicesOutOfBounds(t *testing.T) {
	from := newTable(t, 3)
	keys, signatures := build(t, ofKeys[2], from.keys), build(t, ofSigs[2], from.signatures)
	values := memory.NewBufferBytes(make([]byte, 40))
	for _, bad := range [][]byte{view(-1, 0, 0), view(13, -1, 0), view(13, 1, 0), view(13, 0, -1), view(13, 0, 28), view(math.MaxInt32, 0, math.MaxInt32)} {
		for bits, expected := range map[byte]string{0b111: "sigmillarrow: messages: the view of row 1 is of no bytes in the buffers", 0b101: "null"} {
			all := slices.Concat(view(13, 0, 27), bad, view(40, 0, 0))
			buffers := []*memory.Buffer{memory.NewBufferBytes([]byte{bits}), memory.NewBufferBytes(all), values}
			messages := array.NewBinaryViewData(array.NewData(arrow.BinaryTypes.BinaryView, 3, buffers, nil, 0, 0))
			verdicts, err := sigmillarrow.Verify(ed25519.RuleCommon, keys, messages, signatures)
			if got := fmt.Sprint(err); got != expected && (expected != "null" || len(verdicts) != 3 || verdicts[1] != sigmillarrow.Null) {
				t.Errorf("%x: %v, must be %s", bad, err, expected)
			}
		}
	}
	for index, size := range map[arrow.DataType]int{arrow.PrimitiveTypes.Int8: 200, arrow.PrimitiveTypes.Uint8: 200, arrow.PrimitiveTypes.Int16: 3} {
		width := index.(arrow.FixedWidthDataType).BitWidth() / 8
		indices := make([]byte, 3*width)
		for i := range width {
			indices[width+i] = 0xff
		}
		inner := build(t, ofMsgs[0], slices.Repeat([][]byte{{1}}, size))
		data := array.NewDataWithDictionary(dictionary(ofMsgs[0], index), 3, []*memory.Buffer{nil, memory.NewBufferBytes(indices)}, 0, 0, inner.Data().(*array.Data))
		_, err := sigmillarrow.Verify(ed25519.RuleCommon, keys, array.NewDictionaryData(data), signatures)
		if expected := fmt.Sprintf("sigmillarrow: messages: the index of row 1 is not one of the %d values of the dictionary", size); fmt.Sprint(err) != expected {
			t.Errorf("index %v: %v, must be %s", index, err, expected)
		}
	}
}

func TestColumnsAreNotCopied(t *testing.T) {
	from := newTable(t, 9)
	for _, of := range append(slices.Clone(ofSigs), ofMsgs[3]) {
		values := from.signatures
		if of == ofMsgs[3] {
			values = from.messages
		}
		whole := build(t, of, values)
		column, err := sigmillarrow.Column(array.NewSlice(whole, 2, 7))
		if err != nil || column.Rows() != 5 {
			t.Fatalf("%v: %d rows, %v", of, column.Rows(), err)
		}
		for i := range 5 {
			if got := column.Values[column.Offsets[i]:column.Offsets[i+1]]; !bytes.Equal(got, values[2+i]) {
				t.Errorf("%v, value %d: %x, must be %x", of, i, got, values[2+i])
			}
		}
		buffers := whole.Data().Buffers()
		if &column.Values[0] != &buffers[len(buffers)-1].Bytes()[0] {
			t.Errorf("%v: the values are a copy", of)
		}
	}
}

// array of bytes with these offsets, as a damaged file may have it.
func withOffsets(offsets ...int32) arrow.Array {
	raw := arrow.Int32Traits.CastToBytes(offsets)
	data := array.NewData(arrow.BinaryTypes.Binary, len(offsets)-1, []*memory.Buffer{nil, memory.NewBufferBytes(raw), memory.NewBufferBytes(make([]byte, 9))}, nil, 0, 0)
	return array.NewBinaryData(data)
}

func TestBadInput(t *testing.T) {
	from := newTable(t, 3)
	keys, messages, signatures := build(t, ofKeys[2], from.keys), build(t, ofMsgs[0], from.messages), build(t, ofSigs[2], from.signatures)
	record := func(names []string, columns ...arrow.Array) arrow.RecordBatch {
		fields := make([]arrow.Field, len(names))
		for i := range names {
			fields[i] = arrow.Field{Name: names[i], Type: columns[i].DataType(), Nullable: true}
		}
		return array.NewRecordBatch(arrow.NewSchema(fields, nil), columns, 3)
	}
	numbers := array.NewBuilder(memory.DefaultAllocator, arrow.PrimitiveTypes.Int64)
	numbers.(*array.Int64Builder).AppendValues([]int64{1, 2, 3}, nil)
	ints := numbers.NewArray()
	text := build(t, ofMsgs[2], [][]byte{[]byte(hex.EncodeToString(from.keys[0])), {}, {}})
	verify := func(keys, messages, signatures arrow.Array) func() ([]ed25519.Verdict, error) {
		return func() ([]ed25519.Verdict, error) {
			return sigmillarrow.Verify(ed25519.RuleCommon, keys, messages, signatures)
		}
	}
	inRecord := func(names []string, columns ...arrow.Array) func() ([]ed25519.Verdict, error) {
		return func() ([]ed25519.Verdict, error) {
			return sigmillarrow.VerifyRecord(ed25519.RuleCommon, record(names, columns...), sigmillarrow.DefaultNames)
		}
	}
	for expected, call := range map[string]func() ([]ed25519.Verdict, error){
		"sigmillarrow: messages: 2 rows, and 3 public keys":                                verify(keys, array.NewSlice(messages, 1, 3), signatures),
		"sigmillarrow: public keys: text; keys and signatures are bytes, of a binary type": verify(text, messages, signatures),
		"sigmillarrow: signatures: the type is int64, not binary, large_binary, fixed_size_binary, binary_view, utf8, large_utf8, utf8_view, a dictionary of these, or null": verify(keys, messages, ints),
		"sigmillarrow: messages: offset 2 is 3, of 9 bytes":                                      verify(keys, withOffsets(0, 4, 3, 9), signatures),
		"sigmillarrow: messages: offset 0 is -1, of 9 bytes":                                     verify(keys, withOffsets(-1, 4, 5, 9), signatures),
		"sigmillarrow: public keys: 2305843009213693951 rows from row 0 on, of 3 in the buffers": verify(array.NewFixedSizeBinaryData(array.NewData(ofKeys[2], 1<<61-1, keys.Data().Buffers(), nil, 0, 0)), messages, signatures),
		`sigmillarrow: no column is called "sig"; there are ["key" "msg"]`:                       inRecord([]string{"key", "msg"}, keys, messages),
		`sigmillarrow: 2 columns are called "msg"`:                                               inRecord([]string{"key", "msg", "msg", "sig"}, keys, messages, messages, signatures),
		`sigmillarrow: column "key": the type is int64, not binary, large_binary, fixed_size_binary, binary_view, utf8, large_utf8, utf8_view, a dictionary of these, or null`: inRecord([]string{"key", "msg", "sig"}, ints, messages, signatures),
		`sigmillarrow: column "sig": text; keys and signatures are bytes, of a binary type`:                                                                                    inRecord([]string{"key", "msg", "sig"}, keys, messages, text),
	} {
		if verdicts, err := call(); err == nil || err.Error() != expected || verdicts != nil {
			t.Errorf("%v, %v, must be %s", verdicts, err, expected)
		}
	}
	verdicts, err := inRecord([]string{"other", "sig", "msg", "key"}, ints, signatures, messages, keys)()
	if err != nil || len(verdicts) != 3 {
		t.Errorf("a record: %v %v", verdicts, err)
	}
	// keys of 33 bytes are keys of a wrong length
	long := make([][]byte, 3)
	for i := range long {
		long[i] = append(bytes.Clone(from.keys[i]), 0)
	}
	verdicts, err = sigmillarrow.Verify(ed25519.RuleCommon, build(t, &arrow.FixedSizeBinaryType{ByteWidth: 33}, long), messages, signatures)
	if !errors.Is(err, ed25519.KeyLength) || len(verdicts) != 3 || sigmillarrow.Reason(verdicts[2]) != "key_length" {
		t.Errorf("keys of 33 bytes: %v %v", verdicts, err)
	}
	if sigmillarrow.Reason(sigmillarrow.Null) != "null" || sigmillarrow.Reason(ed25519.Valid) != "ok" || sigmillarrow.Null.Valid() {
		t.Error("Reason")
	}
	// a file that says there are no nulls, where its bits say that there is one
	lying := array.NewFixedSizeBinaryData(array.NewData(ofKeys[2], 3, []*memory.Buffer{memory.NewBufferBytes([]byte{0b101}), keys.Data().Buffers()[1]}, nil, 0, 0))
	verdicts, err = sigmillarrow.Verify(ed25519.RuleCommon, lying, messages, signatures)
	if fmt.Sprint(err) != "sigmillarrow: row 1: something is null: no verdict" || verdicts[0] != ed25519.Valid || verdicts[1] != sigmillarrow.Null || verdicts[2] != ed25519.Valid {
		t.Errorf("a null that is not counted: %v %v", verdicts, err)
	}
	defer func() {
		if said := recover(); !strings.Contains(fmt.Sprint(said), "no verification rule") {
			t.Errorf("rule 0: %v", said)
		}
	}()
	sigmillarrow.Verify(0, keys, messages, signatures)
}

// stated makes arrays that state a length which their buffers do not have; arrow-go refuses to make some of them.
func stated() map[string]arrow.Array {
	out := map[string]arrow.Array{}
	types := []arrow.DataType{arrow.Null, arrow.PrimitiveTypes.Int64, arrow.BinaryTypes.Binary, arrow.BinaryTypes.LargeBinary,
		arrow.BinaryTypes.String, arrow.BinaryTypes.LargeString, arrow.BinaryTypes.BinaryView}
	for _, width := range []int{0, 1, 32, 64, math.MaxInt32} {
		types = append(types, &arrow.FixedSizeBinaryType{ByteWidth: width})
	}
	values := memory.NewBufferBytes(make([]byte, 4096))
	for _, of := range types {
		for _, length := range []int{1, 100, 5000, 1 << 40, math.MaxInt - 1, math.MaxInt, -1} {
			for _, offset := range []int{0, 1, 1 << 40, math.MaxInt, -1} {
				for name, buffers := range map[string][]*memory.Buffer{
					"no buffers":     {nil, nil, nil},
					"buffers":        {nil, values, values},
					"one null's bit": {memory.NewBufferBytes([]byte{0}), values, values},
				} {
					for _, nulls := range []int{0, 1, array.UnknownNullCount} {
						func() {
							defer func() { recover() }()
							name := fmt.Sprintf("%v, length %d, offset %d, %s, %d nulls", of, length, offset, name, nulls)
							out[name] = array.MakeFromData(array.NewData(of, length, buffers, nil, nulls, offset))
						}()
					}
				}
			}
		}
	}
	return out
}

func TestStatedLengths(t *testing.T) {
	arrays := stated()
	for name, of := range arrays {
		func() {
			defer func() {
				if said := recover(); said != nil {
					t.Errorf("%s: panic: %v", name, said)
				}
			}()
			verdicts, err := sigmillarrow.Verify(ed25519.RuleCommon, of, of, of)
			most := 100
			if of.DataType().ID() == arrow.NULL {
				most = 5000 // rows of nulls alone have no buffers
			}
			if err == nil || len(verdicts) > most {
				t.Errorf("%s: %d verdicts, %v", name, len(verdicts), err)
			}
		}()
	}
	t.Logf("%d arrays", len(arrays))
}
