// Package store keeps the trail: the only room that speaks SQL.
package store
