package postgres

import "regexp"

// statements are the statements of a store. The character @ is the schema.
type statements struct {
	acquire, renew, release, replace, appendOne, appendMany, writeAll, holder string
	head, load, history, list, stop, copyHead, copyRecords, prune             string
	deleteHead, deleteRecords, sweep, held                                    string
}

const headColumns = `name, graph, shape, status, seq, created, updated, expires, summary, stop, until`

// span has the numbers of the first and the last record of a thread t.
const span = `, coalesce((select min(r.seq) from @records r where r.thread = t.id), 0), coalesce((select max(r.seq) from @records r where r.thread = t.id), 0)`

// update is the part of an append that moves the head, under the fence.
const update = `update @threads set
		seq = $6, status = $7, stop = stop and not $8, graph = $9, shape = $10, created = case when seq = 0 then $11 else created end,
		updated = $12, expires = $13, summary = $14, until = coalesce($4::timestamptz, clock_timestamp()) + $3::interval
	where name = $1 and token = $2 and seq = $5
	returning id, until, stop`

// unplanned finds the arrays of a statement, which a subquery around each hides from the planner of Postgres. As long as it sees how many elements they
// have, and these are few, it plans the statement again in each execution, which takes longer than the execution does.
var unplanned = regexp.MustCompile(`\$\d+::\w+\[\]`)

func newStatements(schema string) statements {
	n := func(s string) string { return named(schema, s) }
	return statements{
		acquire: n(`insert into @threads as t (name, token, until)
			values ($1, nextval('@tokens'), coalesce($3::timestamptz, clock_timestamp()) + $2::interval)
			on conflict (name) do update set token = excluded.token, until = excluded.until
			where t.until is null or t.until <= coalesce($3::timestamptz, clock_timestamp())
			returning token, until`),
		renew: n(`update @threads set until = coalesce($4::timestamptz, clock_timestamp()) + $3::interval where name = $1 and ` +
			`token = $2 returning until, stop`),
		release: n(`with d as (delete from @threads where name = $1 and token = $2 and seq = 0) update @threads set token = 0, ` +
			`until = null where name = $1 and token = $2 and seq > 0`),
		replace: n(`with h as (` + update + `) select until, stop from h`),
		appendOne: n(`with h as (` + update + `), r as (
			insert into @records (thread, seq, time, snapshot, data) select id, $6, $15::timestamptz, $16::boolean, $17::bytea from h
		) select until, stop from h`),
		appendMany: n(`with h as (` + update + `), r as (
			insert into @records (thread, seq, time, snapshot, data)
			select id, u.* from h, unnest($15::bigint[], $16::timestamptz[], $17::boolean[], $18::bytea[]) u
		) select until, stop from h`),
		writeAll: n(unplanned.ReplaceAllString(`with free as (
			select t.ctid tid, i.* from unnest($2::text[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::smallint[], $8::boolean[],
				$9::text[], $10::text[], $11::timestamptz[], $12::timestamptz[], $13::timestamptz[], $14::bytea[])
				i(name, token, ttl, before, seq, status, ended, graph, shape, created, updated, expires, summary)
			join @threads t on t.name = i.name and t.token = i.token and t.seq = i.before for no key update of t skip locked
		), h as (
			update @threads t set
				seq = i.seq, status = i.status, stop = t.stop and not i.ended, graph = i.graph, shape = i.shape,
				created = case when t.seq = 0 then i.created else t.created end, updated = i.updated, expires = i.expires, summary = i.summary,
				until = coalesce($1::timestamptz, clock_timestamp()) + i.ttl * interval '1 microsecond'
			from free i where t.ctid = i.tid
			returning t.name, t.id, t.until, t.stop
		), r as (
			insert into @records (thread, seq, time, snapshot, data)
			select h.id, u.seq, u.time, u.snapshot, u.data
			from unnest($15::text[], $16::bigint[], $17::timestamptz[], $18::boolean[], $19::bytea[]) u(name, seq, time, snapshot, data)
			join h on h.name = u.name
		), held as (
			select t.ctid tid from unnest($20::text[], $21::bigint[]) o(name, token)
			join @threads t on t.name = o.name and t.token = o.token where t.seq > 0 for no key update of t skip locked
		), d as (
			update @threads t set token = 0, until = null from held where t.ctid = held.tid returning t.name
		) select name, until, stop from h union all select name, null, false from d`, `(select $0)`)),
		holder: n(`select id, seq from @threads where name = $1 and token = $2`),
		head:   n(`select ` + headColumns + `, id` + span + ` from @threads t where name = $1`),
		load: n(`select seq, time, snapshot, data from @records where thread = $1 and seq <= $2 and seq >=
			(select seq from @records where thread = $1 and seq <= $2 and snapshot order by seq desc limit 1) order by seq`),
		history: n(`select seq, time, snapshot, data from @records where thread = $1 and seq > $2 and seq <= $3 order by seq limit $4`),
		list: n(`select ` + headColumns + ` from @threads
			where seq > 0 and ($1 = '' or graph = $1) and (cardinality($2::smallint[]) = 0 or status = any($2))
			and name > $3 and name >= $4 and starts_with(name, $4)
			and (not $5 or until is null or until <= coalesce($6::timestamptz, clock_timestamp())) order by name limit $7`),
		held: n(`select name from @threads where name = any($1) and until > coalesce($2::timestamptz, clock_timestamp())`),
		stop: n(`update @threads set stop = not status = any($2) where name = $1 and seq > 0`),
		copyHead: n(`insert into @threads as t (name, token, seq, status, graph, shape, created, updated, expires, summary)
			values ($1, 0, $2, $3, $4, $5, $6, $7, $8, $9)
			on conflict (name) do update set token = 0, until = null, seq = excluded.seq,
				status = excluded.status, graph = excluded.graph, shape = excluded.shape,
				created = excluded.created, updated = excluded.updated, expires = excluded.expires, summary = excluded.summary
			where t.seq = 0 and (t.until is null or t.until <= coalesce($10::timestamptz, clock_timestamp())) returning id`),
		copyRecords: n(`with c as (insert into @records select $1, seq, time, snapshot, data from @records where thread = $2 and seq <= $3 returning 1)
			select count(*), coalesce((select min(seq) from @records where thread = $2), 0) from c`),
		prune: n(`delete from @records where thread = $1 and seq <
			(select seq from @records where thread = $1 and seq <= $2 and snapshot order by seq desc limit 1)`),
		deleteHead: n(`delete from @threads where name = $1 and seq > 0 and (until is null or until <= coalesce($2::timestamptz,` +
			` clock_timestamp())) returning id`),
		deleteRecords: n(`delete from @records where thread = any($1)`),
		sweep: n(`delete from @threads where (until is null or until <= coalesce($1::timestamptz, clock_timestamp()))
			and (seq = 0 or expires <= coalesce($1::timestamptz, clock_timestamp())) returning id, seq`),
	}
}
