//go:build !cgo || purego || sigmill_nocgo || !linux || !(amd64 || arm64)

package main

// inC is empty: there is no C.
var inC map[string]func(in *inputs, first, rows int) bool
