// Package sigmillarrow verifies Ed25519 signatures that are in Apache Arrow's columns, with arrow-go's types. It is a
// module of its own, so that who verifies slices does not depend on arrow-go.
//
// Values are taken where they lie. They are bytes: binary, large_binary, fixed_size_binary, binary_view, the text types utf8,
// large_utf8 and utf8_view (of messages only), and dictionaries of these. A row in which something is null has no verdict:
// [Null], which is not valid. All rows of the type null are null. Other types are an error, lists and run-end encoding among
// them.
package sigmillarrow

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
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
// type, an offset that is not in the values, or a number of rows that the buffers do not have. Views and dictionaries do not
// have their values one behind the other: [Verify] takes them, and this does not.
func Column(from arrow.Array) (ed25519.Column, error) {
	data := from.Data()
	first, rows := data.Offset(), data.Len()
	if !isColumn(from.DataType()) {
		return ed25519.Column{}, fmt.Errorf("the type is %v, not binary, large_binary, fixed_size_binary, utf8 or large_utf8", from.DataType())
	}
	if rows == 0 {
		return ed25519.Column{}, nil
	}
	width, there := 0, 0
	switch from.DataType().ID() {
	case arrow.FIXED_SIZE_BINARY:
		if width = from.DataType().(*arrow.FixedSizeBinaryType).ByteWidth; width > 0 {
			there = len(buffer(data, 1)) / width
		}
	case arrow.LARGE_BINARY, arrow.LARGE_STRING:
		there = len(buffer(data, 1))/8 - 1
	default:
		there = len(buffer(data, 1))/4 - 1
	}
	if err := bounded(data, there); err != nil {
		return ed25519.Column{}, err
	}
	switch from := from.(type) {
	case *array.FixedSizeBinary:
		column := ed25519.Column{Values: buffer(data, 1), Offsets: make([]int64, rows+1)}
		for i := range column.Offsets {
			column.Offsets[i] = int64(width) * int64(first+i)
		}
		return column, nil
	case *array.Binary:
		return checked(ed25519.Column{Values: buffer(data, 2), Offsets: widened(from.ValueOffsets())})
	case *array.String:
		return checked(ed25519.Column{Values: buffer(data, 2), Offsets: widened(from.ValueOffsets())})
	case *array.LargeBinary:
		return checked(ed25519.Column{Values: buffer(data, 2), Offsets: from.ValueOffsets()})
	case *array.LargeString:
		return checked(ed25519.Column{Values: buffer(data, 2), Offsets: from.ValueOffsets()})
	}
	return ed25519.Column{}, fmt.Errorf("the array is a %T, not one of arrow-go's for %v", from, from.DataType())
}

func buffer(data arrow.ArrayData, i int) []byte {
	if buffers := data.Buffers(); i < len(buffers) && buffers[i] != nil {
		return buffers[i].Bytes()
	}
	return nil
}

// bounded is an error if an array has more rows than its buffers, of which there values are. It comes before memory is asked
// for, or touched: an array may state any number of rows.
func bounded(data arrow.ArrayData, there int) error {
	first, rows := data.Offset(), data.Len()
	if bits := buffer(data, 0); len(bits) > 0 {
		there = min(there, 8*len(bits))
	}
	if first < 0 || rows < 0 || first > there || rows > there-first {
		return fmt.Errorf("%d rows from row %d on, of %d in the buffers", rows, first, max(there, 0))
	}
	return nil
}

// isColumn says whether values of a type lie one behind the other.
func isColumn(of arrow.DataType) bool {
	switch of.ID() {
	case arrow.BINARY, arrow.LARGE_BINARY, arrow.FIXED_SIZE_BINARY, arrow.STRING, arrow.LARGE_STRING:
		return true
	}
	return false
}

func isText(of arrow.DataType) bool {
	switch of := of.(type) {
	case *arrow.DictionaryType:
		return isText(of.ValueType)
	default:
		return of.ID() == arrow.STRING || of.ID() == arrow.LARGE_STRING || of.ID() == arrow.STRING_VIEW
	}
}

// reader gives the value of a row where it lies, or false for null.
type reader func(row int) ([]byte, bool)

// read is the values of an array of any type that is taken. All rows have been looked at: a reader meets no fault.
func read(from arrow.Array) (reader, error) {
	switch from := from.(type) {
	case *array.Null:
		return func(int) ([]byte, bool) { return nil, false }, nil
	case *array.BinaryView:
		return views(from)
	case *array.StringView:
		return views(from)
	case *array.Dictionary:
		return dictionary(from)
	}
	if !isColumn(from.DataType()) {
		return nil, fmt.Errorf("the type is %v, not binary, large_binary, fixed_size_binary, binary_view, utf8, large_utf8, "+
			"utf8_view, a dictionary of these, or null", from.DataType())
	}
	column, err := Column(from)
	return readColumn(from, column), err
}

func readColumn(from arrow.Array, column ed25519.Column) reader {
	return func(row int) ([]byte, bool) {
		if !from.IsValid(row) {
			return nil, false
		}
		return column.Values[column.Offsets[row]:column.Offsets[row+1]], true
	}
}

// views reads views of 16 bytes: the length of a value, and then, up to 12 bytes, itself, or else its first 4 bytes, the
// number of a buffer and the position there.
func views(from arrow.Array) (reader, error) {
	const size, inline = 16, 12
	data, all := from.Data(), buffer(from.Data(), 1)
	if err := bounded(data, len(all)/size); err != nil {
		return nil, err
	}
	value := func(row int) ([]byte, bool) {
		view := all[size*(data.Offset()+row):][:size]
		number := func(at int) int64 { return int64(int32(binary.LittleEndian.Uint32(view[at:]))) }
		length := number(0)
		if 0 <= length && length <= inline {
			return view[4 : 4+length], true
		}
		of, position := number(8), number(12)
		if length < 0 || position < 0 || of < 0 || of >= int64(len(data.Buffers())-2) {
			return nil, false
		}
		bytes := buffer(data, int(2+of))
		if position+length > int64(len(bytes)) {
			return nil, false
		}
		return bytes[position:][:length], true
	}
	for row := range from.Len() {
		if _, ok := value(row); !ok && from.IsValid(row) {
			return nil, fmt.Errorf("the view of row %d is of no bytes in the buffers", row)
		}
	}
	return func(row int) ([]byte, bool) {
		if !from.IsValid(row) {
			return nil, false
		}
		return value(row)
	}, nil
}

// dictionary reads values by their indices. A null is one of either.
func dictionary(from *array.Dictionary) (reader, error) {
	data := from.Data()
	of := data.DataType().(*arrow.DictionaryType)
	values := from.Dictionary()
	if of.ValueType.ID() == arrow.DICTIONARY {
		return nil, fmt.Errorf("the type is %v: a dictionary of dictionaries", of)
	}
	value, err := read(values)
	if err != nil {
		return nil, fmt.Errorf("the dictionary: %w", err)
	}
	integer, ok := of.IndexType.(arrow.FixedWidthDataType)
	if !ok || !arrow.IsInteger(integer.ID()) {
		return nil, fmt.Errorf("the indices are of type %v", of.IndexType)
	}
	size, indices := integer.BitWidth()/8, buffer(data, 1)
	if err := bounded(data, len(indices)/size); err != nil {
		return nil, err
	}
	index := func(row int) uint64 {
		var number [8]byte
		copy(number[:], indices[size*(data.Offset()+row):][:size])
		at := binary.LittleEndian.Uint64(number[:])
		if arrow.IsSignedInteger(integer.ID()) && number[size-1] >= 0x80 {
			at = math.MaxUint64 // a negative index is none
		}
		return at
	}
	for row := range from.Len() {
		if at := index(row); from.IsValid(row) && at >= uint64(values.Len()) {
			return nil, fmt.Errorf("the index of row %d is not one of the %d values of the dictionary", row, values.Len())
		}
	}
	return func(row int) ([]byte, bool) {
		if !from.IsValid(row) {
			return nil, false
		}
		return value(int(index(row)))
	}, nil
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
// Views, dictionaries and arrays of type null take more memory than the other types, 80 bytes a row, as do nulls.
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

// mostNulls bounds the rows of tables in which every column is of type null: such a table takes no memory, whatever number
// of rows it states.
const mostNulls = 1 << 24

func verify(rule ed25519.Rule, arrays [3]arrow.Array, names [3]string) ([]ed25519.Verdict, error) {
	var columns [3]ed25519.Column
	var readers [3]reader
	areColumns, areNull, rows := true, true, arrays[0].Len()
	for i, from := range arrays {
		var err error
		switch {
		case from.Len() != rows:
			err = fmt.Errorf("%d rows, and %d %s", from.Len(), rows, names[0])
		case i != 1 && isText(from.DataType()):
			err = errors.New("text; keys and signatures are bytes, of a binary type")
		case isColumn(from.DataType()):
			columns[i], err = Column(from)
			readers[i] = readColumn(from, columns[i])
		default:
			readers[i], err = read(from)
		}
		if err != nil {
			return nil, fmt.Errorf("sigmillarrow: %s: %w", names[i], err)
		}
		areNull = areNull && from.DataType().ID() == arrow.NULL
		areColumns = areColumns && isColumn(from.DataType()) && !hasNull(from)
	}
	if areNull && (rows < 0 || rows > mostNulls) {
		return nil, fmt.Errorf("sigmillarrow: %d rows of nulls alone, more than %d", rows, mostNulls)
	}
	if areColumns {
		return ed25519.VerifyColumns(rule, columns[0], columns[1], columns[2])
	}
	verdicts := make([]ed25519.Verdict, rows)
	var whole []int // rows without a null
	var keys []ed25519.PublicKey
	var messages, signatures [][]byte
	for row := range rows {
		verdicts[row] = Null
		key, hasKey := readers[0](row)
		message, hasMessage := readers[1](row)
		signature, hasSignature := readers[2](row)
		if hasKey && hasMessage && hasSignature {
			whole = append(whole, row)
			keys, messages, signatures = append(keys, key), append(messages, message), append(signatures, signature)
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
