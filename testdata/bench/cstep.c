/* cstep: the durable step in C, the yardstick for the Go API.
 *
 *   cstep DB RUN FIRST LAST [BATCH]
 *
 * flips steps FIRST..LAST of RUN to done, BATCH (1) in a transaction, with
 * everything prepared, and prints how many nanoseconds a step took.
 */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static sqlite3 *db;

static void must(int rc, const char *what) {
	if (rc != SQLITE_OK && rc != SQLITE_DONE && rc != SQLITE_ROW) {
		fprintf(stderr, "cstep: %s: %s\n", what, sqlite3_errmsg(db));
		exit(1);
	}
}

static sqlite3_stmt *prepare(const char *text) {
	sqlite3_stmt *s;
	must(sqlite3_prepare_v2(db, text, -1, &s, NULL), text);
	return s;
}

static void run(sqlite3_stmt *s, const char *what) {
	must(sqlite3_step(s), what);
	sqlite3_reset(s);
}

int main(int argc, char **argv) {
	if (argc < 5) {
		fprintf(stderr, "usage: cstep DB RUN FIRST LAST [BATCH]\n");
		return 64;
	}
	long first = atol(argv[3]), last = atol(argv[4]), batch = argc > 5 ? atol(argv[5]) : 1;
	must(sqlite3_open_v2(argv[1], &db, SQLITE_OPEN_READWRITE, NULL), "open");
	sqlite3_busy_timeout(db, 10000);
	must(sqlite3_exec(db,
		"PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY;"
		"PRAGMA foreign_keys = ON; PRAGMA recursive_triggers = ON", NULL, NULL, NULL), "pragmas");
	sqlite3_stmt *begin = prepare("BEGIN IMMEDIATE"), *commit = prepare("COMMIT");
	sqlite3_stmt *flip = prepare("UPDATE step SET state = 'done', epoch = 1 WHERE run_id = ?1 AND pos = ?2 AND finished_ms IS NULL");
	sqlite3_stmt *stand = prepare("SELECT last_event, position FROM cursor WHERE run_id = ?1");
	sqlite3_bind_text(flip, 1, argv[2], -1, SQLITE_STATIC);
	sqlite3_bind_text(stand, 1, argv[2], -1, SQLITE_STATIC);
	struct timespec a, b;
	clock_gettime(CLOCK_MONOTONIC, &a);
	for (long pos = first; pos <= last;) {
		run(begin, "begin");
		for (long i = 0; i < batch && pos <= last; i++, pos++) {
			sqlite3_bind_int64(flip, 2, pos);
			run(flip, "flip");
			if (sqlite3_changes(db) != 1) {
				fprintf(stderr, "cstep: step %ld did not flip\n", pos);
				return 1;
			}
			run(stand, "stand");
		}
		run(commit, "commit");
	}
	clock_gettime(CLOCK_MONOTONIC, &b);
	printf("%.0f\n", ((b.tv_sec - a.tv_sec) * 1e9 + (b.tv_nsec - a.tv_nsec)) / (last - first + 1));
	return 0;
}
