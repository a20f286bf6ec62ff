package store_test

import (
	"testing"
	"time"

	"github.com/progmon/progmon/cursor"
	"github.com/progmon/progmon/store"
)

func TestWhoWatches(t *testing.T) {
	now := cursor.Instant{Wall: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), Mono: time.Hour, Boot: "here"}
	looked := func(ago time.Duration) store.MonitorRow {
		return store.MonitorRow{ID: "m", Boot: "here", LastMono: now.Mono - ago, LastLook: now.Wall.Add(-ago),
			Interval: 5 * time.Second, LateAfter: 15 * time.Second}
	}
	elsewhere := func(m store.MonitorRow) store.MonitorRow { m.Boot = "there"; return m }
	stopped := func(m store.MonitorRow) store.MonitorRow { m.Stopped = m.LastLook; return m }
	jumped := func(m store.MonitorRow) store.MonitorRow { m.LastLook = now.Wall.Add(12 * time.Hour); return m }
	for _, row := range []struct {
		claim    string
		monitors []store.MonitorRow
		want     string
		age      time.Duration
	}{
		{"nobody ever looked", nil, store.MonitorNever, 0},
		{"three intervals are not late", []store.MonitorRow{looked(15 * time.Second)}, store.MonitorLive, 15 * time.Second},
		{"more are", []store.MonitorRow{looked(16 * time.Second)}, store.MonitorLate, 16 * time.Second},
		{"one of two is enough", []store.MonitorRow{looked(time.Hour), looked(time.Second)}, store.MonitorLive, time.Second},
		{"the order does not matter", []store.MonitorRow{looked(time.Second), looked(time.Hour)}, store.MonitorLive, time.Second},
		{"the best of two late ones", []store.MonitorRow{looked(time.Hour), looked(time.Minute)}, store.MonitorLate, time.Minute},
		{"one that ended looks no more", []store.MonitorRow{stopped(looked(time.Second))}, store.MonitorLate, time.Second},
		{"one that ended beside one that lives", []store.MonitorRow{stopped(looked(time.Second)), looked(3 * time.Second)}, store.MonitorLive, 3 * time.Second},
		{"the wall clock jumped, in this boot", []store.MonitorRow{jumped(looked(20 * time.Second))}, store.MonitorLate, 20 * time.Second},
		{"another boot goes by the wall clock", []store.MonitorRow{elsewhere(looked(20 * time.Second))}, store.MonitorLate, 20 * time.Second},
		{"and never by a stamp in the future", []store.MonitorRow{elsewhere(jumped(looked(20 * time.Second)))}, store.MonitorLate, 0},
	} {
		got := store.WatchedAt(row.monitors, now)
		if got.State != row.want || got.Age != row.age {
			t.Errorf("%s: %s, %v; want %s, %v", row.claim, got.State, got.Age, row.want, row.age)
		}
	}
}
