//go:build !unix

package store_test

import "errors"

var errNotHere = errors.New("not on this platform")

func roleFlock([]string) error { return errNotHere }

func limitFileSize(string) error { return errNotHere }
