module github.com/sigmill/sigmill/go

go 1.24.0

require filippo.io/edwards25519 v1.2.0
