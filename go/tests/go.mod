module github.com/sigmill/sigmill/go/tests

go 1.24.0

require (
	github.com/hdevalence/ed25519consensus v0.2.0
	github.com/oasisprotocol/curve25519-voi v0.0.0-20230904125328-1f23a7beb09a
	github.com/sigmill/sigmill/go v0.0.0
	golang.org/x/mod v0.33.0
)

require (
	filippo.io/edwards25519 v1.2.0 // indirect
	golang.org/x/crypto v0.0.0-20220321153916-2c7772ba3064 // indirect
	golang.org/x/sys v0.0.0-20220325203850-36772127a21f // indirect
)

replace github.com/sigmill/sigmill/go => ../
