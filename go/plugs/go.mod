module github.com/sigmill/sigmill/go/plugs

go 1.24.0

require (
	github.com/go-jose/go-jose/v4 v4.1.3
	github.com/golang-jwt/jwt/v5 v5.3.0
	github.com/sigmill/sigmill/go v0.0.0
	golang.org/x/crypto v0.47.0
)

require (
	filippo.io/edwards25519 v1.2.0 // indirect
	golang.org/x/sys v0.40.0 // indirect
)

replace github.com/sigmill/sigmill/go => ../
