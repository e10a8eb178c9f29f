package sqlite

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/graphgen/graphgen/thread"
)

// migrations make the schema, one after the other. A change of the schema is another element; none is ever edited.
//
// A record's key is the number of its thread times 2³², plus its own number: one tree holds the records of a thread in
// their order, and a step writes no index. A number of a thread is never used again. Times are microseconds
// since 1970, or null. A record has a checksum, as SQLite has none.
var migrations = []string{
	`create table tokens (last integer not null);
	insert into tokens values (0);
	create table threads (
		id      integer primary key autoincrement,
		name    text not null unique,
		token   integer not null,           -- of the lease; 0: there is none
		until   integer,                    -- the end of the lease
		stop    integer not null default 0,
		seq     integer not null default 0, -- of the last record; 0: only the name is leased
		status  integer not null default 0,
		graph   text not null default '',
		shape   text not null default '',
		created integer,
		updated integer,
		expires integer,
		summary blob
	);
	create table records (
		key      integer primary key,
		time     integer,
		snapshot integer not null,
		sum      integer not null,
		data     blob not null
	);`,
	`select 1`, // the checksum is of the whole record
}

// migrate brings the schema to the version of this package, in one transaction that other processes wait for.
func migrate(ctx context.Context, db *sql.DB, path string) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	found := 0
	if err := tx.QueryRowContext(ctx, `pragma user_version`).Scan(&found); err != nil {
		return err
	}
	if found > len(migrations) {
		return &thread.SchemaError{Store: path, Found: found, Know: len(migrations)}
	}
	if found == len(migrations) {
		return nil
	}
	for _, m := range migrations[found:] {
		if _, err := tx.ExecContext(ctx, m); err != nil {
			return err
		}
	}
	if _, err := tx.ExecContext(ctx, fmt.Sprintf(`pragma user_version = %d`, len(migrations))); err != nil {
		return err
	}
	return tx.Commit()
}
