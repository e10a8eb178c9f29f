package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/graphgen/graphgen/thread"
)

// migrations make the schema, one after the other. A change of the schema is another element; none is ever edited.
//
// A thread has one row in threads, and one in records for each record. The update of a step touches no index: there is
// none but the primary key, and pages have room for the next version of a row (a HOT update). Records have the number of
// the row of their thread, which is never used again, so that a thread that was deleted has no part in another.
var migrations = []string{
	`create sequence %[1]s.tokens;
	create table %[1]s.threads (
		name    text collate "C" primary key,
		id      bigint generated always as identity,
		token   bigint not null,      -- of the lease; 0: there is none
		until   timestamptz,          -- the end of the lease
		stop    boolean not null default false,
		seq     bigint not null default 0, -- of the last record; 0: only the name is leased
		status  smallint not null default 0,
		graph   text not null default '',
		shape   text not null default '',
		created timestamptz,
		updated timestamptz,
		expires timestamptz,
		summary bytea
	) with (fillfactor = 50);
	create table %[1]s.records (
		thread   bigint not null,
		seq      bigint not null,
		time     timestamptz,
		snapshot boolean not null,
		data     bytea not null,
		primary key (thread, seq)
	);`,
}

// migrate brings the schema to the version of this package, in one transaction that other processes wait for.
func migrate(ctx context.Context, db beginner, schema string) error {
	tx, err := db.Begin(ctx)
	if err != nil {
		return err
	}
	defer tx.Rollback(context.WithoutCancel(ctx))
	quoted := pgx.Identifier{schema}.Sanitize()
	const key = 0x67726170 // of the lock, for all schemas
	if _, err := tx.Exec(ctx, `select pg_advisory_xact_lock($1)`, key); err != nil {
		return err
	}
	for _, statement := range []string{`create schema if not exists %s`, `create table if not exists %s.version (version int not null)`} {
		if _, err := tx.Exec(ctx, fmt.Sprintf(statement, quoted)); err != nil {
			return err
		}
	}
	found := 0
	err = tx.QueryRow(ctx, fmt.Sprintf(`select version from %s.version`, quoted)).Scan(&found)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		_, err = tx.Exec(ctx, fmt.Sprintf(`insert into %s.version values (0)`, quoted))
	case err == nil && found > len(migrations):
		err = &thread.SchemaError{Store: "postgres schema " + schema, Found: found, Know: len(migrations)}
	}
	if err != nil || found == len(migrations) {
		return err
	}
	for _, m := range migrations[found:] {
		if _, err := tx.Exec(ctx, fmt.Sprintf(m, quoted)); err != nil {
			return err
		}
	}
	if _, err := tx.Exec(ctx, fmt.Sprintf(`update %s.version set version = $1`, quoted), len(migrations)); err != nil {
		return err
	}
	return tx.Commit(ctx)
}
