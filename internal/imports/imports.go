// Package imports is a test and nothing else: it holds the rooms of progmon
// to the direction in which imports point, and modernc.org/libc to the
// version that modernc.org/sqlite was generated against.
package imports
