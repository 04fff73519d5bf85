package sigmillarrow_test

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	sigmillarrow "github.com/sigmill/sigmill/go/arrow"
	"github.com/sigmill/sigmill/go/ed25519"
)

func ExampleVerifyRecord() {
	private := ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "key", Type: &arrow.FixedSizeBinaryType{ByteWidth: 32}},
		{Name: "msg", Type: arrow.BinaryTypes.String, Nullable: true},
		{Name: "sig", Type: arrow.BinaryTypes.Binary},
	}, nil)
	builder := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer builder.Release()
	for i, message := range []string{"one", "two", "three"} {
		builder.Field(0).(*array.FixedSizeBinaryBuilder).Append(private.Public().(ed25519.PublicKey))
		builder.Field(2).(*array.BinaryBuilder).Append(ed25519.Sign(private, []byte(message)))
		if i == 1 {
			builder.Field(1).AppendNull()
		} else {
			builder.Field(1).(*array.StringBuilder).Append(message)
		}
	}
	record := builder.NewRecordBatch()
	defer record.Release()

	verdicts, err := sigmillarrow.VerifyRecord(ed25519.RuleZIP215, record, sigmillarrow.DefaultNames)
	for _, verdict := range verdicts {
		fmt.Println(verdict.Valid(), sigmillarrow.Reason(verdict))
	}
	fmt.Println(err)
	// Output:
	// true ok
	// false null
	// true ok
	// sigmillarrow: row 1: something is null: no verdict
}
