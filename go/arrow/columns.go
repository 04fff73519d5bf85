// Package sigmillarrow verifies Ed25519 signatures that are in Apache Arrow's columns, with arrow-go's types. It is a
// module of its own, so that who verifies slices does not depend on arrow-go.
//
// Values are taken where they lie. A row in which something is null has no verdict: [Null], which is not valid.
package sigmillarrow

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/bitutil"
	"github.com/sigmill/sigmill/go/ed25519"
)

// Null stands for the verdict on a row in which something is null: nothing was decided. It is 255, as in sigmill.h.
const Null = ed25519.Verdict(255)

// Reason is the name of a verdict: "ok", "null", or that of the reason, such as "key_small_order".
func Reason(verdict ed25519.Verdict) string {
	if verdict == Null {
		return "null"
	}
	return verdict.String()
}

// NullError says that a row has no verdict, because something in it is null, and that the rows before it are valid.
type NullError struct {
	Row int // counted from 0
}

// Error names the row.
func (e *NullError) Error() string {
	return "sigmillarrow: row " + strconv.Itoa(e.Row) + ": something is null: no verdict"
}

// Column is an array's values, where they lie, sliced as the array is. It takes Binary, LargeBinary and FixedSizeBinary,
// and String and LargeString as the bytes of their text. What stands in null rows means nothing. The error names another
// type, an offset that is not in the values, or a number of rows that the buffers do not have.
func Column(from arrow.Array) (ed25519.Column, error) {
	data := from.Data()
	first, rows := data.Offset(), data.Len()
	if err := acceptable(from.DataType()); err != nil || rows == 0 {
		return ed25519.Column{}, err
	}
	bytes := func(buffer int) []byte {
		if of := data.Buffers()[buffer]; of != nil {
			return of.Bytes()
		}
		return nil
	}
	// before memory is asked for, or touched: an array may state any number of rows
	width, there := 0, 0
	switch from.DataType().ID() {
	case arrow.FIXED_SIZE_BINARY:
		if width = from.DataType().(*arrow.FixedSizeBinaryType).ByteWidth; width > 0 {
			there = len(bytes(1)) / width
		}
	case arrow.LARGE_BINARY, arrow.LARGE_STRING:
		there = len(bytes(1))/8 - 1
	default:
		there = len(bytes(1))/4 - 1
	}
	if bits := bytes(0); len(bits) > 0 {
		there = min(there, 8*len(bits))
	}
	if first < 0 || rows < 0 || first > there || rows > there-first {
		return ed25519.Column{}, fmt.Errorf("%d rows from row %d on, of %d in the buffers", rows, first, max(there, 0))
	}
	switch from := from.(type) {
	case *array.FixedSizeBinary:
		column := ed25519.Column{Values: bytes(1), Offsets: make([]int64, rows+1)}
		for i := range column.Offsets {
			column.Offsets[i] = int64(width) * int64(first+i)
		}
		return column, nil
	case *array.Binary:
		return checked(ed25519.Column{Values: bytes(2), Offsets: widened(from.ValueOffsets())})
	case *array.String:
		return checked(ed25519.Column{Values: bytes(2), Offsets: widened(from.ValueOffsets())})
	case *array.LargeBinary:
		return checked(ed25519.Column{Values: bytes(2), Offsets: from.ValueOffsets()})
	case *array.LargeString:
		return checked(ed25519.Column{Values: bytes(2), Offsets: from.ValueOffsets()})
	}
	return ed25519.Column{}, acceptable(from.DataType())
}

func acceptable(of arrow.DataType) error {
	switch of.ID() {
	case arrow.BINARY, arrow.LARGE_BINARY, arrow.FIXED_SIZE_BINARY, arrow.STRING, arrow.LARGE_STRING:
		return nil
	}
	return fmt.Errorf("the type is %v, not binary, large_binary, fixed_size_binary, utf8 or large_utf8", of)
}

func widened(offsets []int32) []int64 {
	wide := make([]int64, len(offsets))
	for i, offset := range offsets {
		wide[i] = int64(offset)
	}
	return wide
}

func checked(column ed25519.Column) (ed25519.Column, error) {
	before := int64(0)
	for i, offset := range column.Offsets {
		if offset < before || offset > int64(len(column.Values)) {
			return ed25519.Column{}, fmt.Errorf("offset %d is %d, of %d bytes", i, offset, len(column.Values))
		}
		before = offset
	}
	return column, nil
}

// Verify verifies row i of three arrays as [ed25519.VerifyWithRule] would verify what is in them, with the same verdict.
// The error is nil only if every row is valid: it is an [ed25519.NotAllValidError] or a [NullError] of the first row that is
// not, or says what does not fit together, in which case there are no verdicts. Keys and signatures as text are an error: it
// would be hexadecimal or base64, and is not guessed. It panics if there is no such rule. Time depends on all inputs.
func Verify(rule ed25519.Rule, keys, messages, signatures arrow.Array) ([]ed25519.Verdict, error) {
	return verify(rule, [3]arrow.Array{keys, messages, signatures}, [3]string{"public keys", "messages", "signatures"})
}

// Names are those of the columns of a record.
type Names struct{ Key, Message, Signature string }

// DefaultNames are the names that sigmill's command line takes.
var DefaultNames = Names{Key: "key", Message: "msg", Signature: "sig"}

// VerifyRecord is [Verify] for the columns of a record with these names. The error names a column that is missing, or there
// twice.
func VerifyRecord(rule ed25519.Rule, record arrow.RecordBatch, names Names) ([]ed25519.Verdict, error) {
	var columns [3]arrow.Array
	in := [3]string{names.Key, names.Message, names.Signature}
	for i, name := range in {
		switch found := record.Schema().FieldIndices(name); len(found) {
		case 0:
			return nil, fmt.Errorf("sigmillarrow: no column is called %q; there are %q", name, fieldNames(record.Schema()))
		case 1:
			columns[i] = record.Column(found[0])
		default:
			return nil, fmt.Errorf("sigmillarrow: %d columns are called %q", len(found), name)
		}
		in[i] = fmt.Sprintf("column %q", name)
	}
	return verify(rule, columns, in)
}

func fieldNames(schema *arrow.Schema) []string {
	names := make([]string, schema.NumFields())
	for i := range names {
		names[i] = schema.Field(i).Name
	}
	return names
}

// hasNull looks at the bits themselves: a file says, too, how many nulls there are, and may be wrong.
func hasNull(from arrow.Array) bool {
	bits := from.NullBitmapBytes()
	return len(bits) > 0 && bitutil.CountSetBits(bits, from.Data().Offset(), from.Len()) < from.Len()
}

func verify(rule ed25519.Rule, arrays [3]arrow.Array, names [3]string) ([]ed25519.Verdict, error) {
	var columns [3]ed25519.Column
	nulls, rows := false, arrays[0].Len()
	for i, from := range arrays {
		var err error
		switch id := from.DataType().ID(); {
		case from.Len() != rows:
			err = fmt.Errorf("%d rows, and %d %s", from.Len(), rows, names[0])
		case i != 1 && (id == arrow.STRING || id == arrow.LARGE_STRING):
			err = errors.New("text; keys and signatures are bytes, of a binary type")
		default:
			columns[i], err = Column(from)
		}
		if err != nil {
			return nil, fmt.Errorf("sigmillarrow: %s: %w", names[i], err)
		}
		nulls = nulls || hasNull(from)
	}
	if !nulls {
		return ed25519.VerifyColumns(rule, columns[0], columns[1], columns[2])
	}
	value := func(column, row int) []byte {
		c := &columns[column]
		return c.Values[c.Offsets[row]:c.Offsets[row+1]]
	}
	verdicts := make([]ed25519.Verdict, rows)
	var whole []int // rows without a null
	var keys []ed25519.PublicKey
	var messages, signatures [][]byte
	for row := range rows {
		verdicts[row] = Null
		if arrays[0].IsValid(row) && arrays[1].IsValid(row) && arrays[2].IsValid(row) {
			whole = append(whole, row)
			keys, messages, signatures = append(keys, value(0, row)), append(messages, value(1, row)), append(signatures, value(2, row))
		}
	}
	of, err := ed25519.VerifyBatch(rule, keys, messages, signatures)
	var refused *ed25519.NotAllValidError
	if err != nil && !errors.As(err, &refused) {
		return nil, err
	}
	for i, row := range whole {
		verdicts[row] = of[i]
	}
	for row, verdict := range verdicts {
		switch verdict {
		case ed25519.Valid:
		case Null:
			return verdicts, &NullError{Row: row}
		default:
			return verdicts, &ed25519.NotAllValidError{Row: row, Verdict: verdict}
		}
	}
	return verdicts, nil
}
