module github.com/sigmill/sigmill/go/tests/frozen

go 1.24.0

require github.com/sigmill/sigmill/go v0.0.0

require filippo.io/edwards25519 v1.2.0 // indirect

replace github.com/sigmill/sigmill/go => ../..
