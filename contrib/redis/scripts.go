package redis

import (
	"strings"

	goredis "github.com/redis/go-redis/v9"
)

// A thread has three keys: a hash with its head, a hash with its records by their numbers, and the numbers of its snapshots,
// sorted. The names of all threads are a sorted set, in the order of their bytes. Everything is done by scripts, each
// of which Redis runs alone. Every script has the prefix of the keys as KEYS[1], and the time in microseconds as ARGV[1];
// empty is the clock of the server.
//
// The hash of a head has the fields of a thread.Head, and token (0: no lease) and first (the first record that
// is kept). A record is a letter, S for a snapshot, eight bytes of its time, and its data.
//
// Numbers of Lua are exact to 2^53: microseconds until the year 2255, and more records and tokens than anyone has.
const preamble = `
local prefix = KEYS[1]
local now = tonumber(ARGV[1])
if not now then
	local t = redis.call('TIME')
	now = t[1] * 1000000 + t[2]
end
local function num(v) return string.format('%.0f', v) end
local function head(name) return prefix .. 'head:' .. name end
local function log(name) return prefix .. 'log:' .. name end
local function field(name, f) return redis.call('HGET', head(name), f) end
local function number(name, f) return tonumber(field(name, f) or '0') end
local function held(name) return number(name, 'until') > now end
local function exists(name) return number(name, 'seq') > 0 or redis.call('EXISTS', log(name)) == 1 end
local function ended(status) return status == '3' or status == '4' or status == '5' end
local function snaps(name) return prefix .. 'snaps:' .. name end
local function snapshot(name, seq)
	return tonumber(redis.call('ZREVRANGEBYSCORE', snaps(name), num(seq), '-inf', 'LIMIT', 0, 1)[1] or '0')
end
local function span(name)
	local first, last = number(name, 'first'), number(name, 'seq')
	local n = redis.call('HLEN', log(name))
	if last == 0 and n == 0 or n == last - first + 1 and redis.call('HEXISTS', log(name), num(last)) == 1 then return first, last end
	last = 0
	for _, at in ipairs(redis.call('HKEYS', log(name))) do last = math.max(last, tonumber(at)) end
	return first, last
end
local function show(name)
	return redis.call('HMGET', head(name), 'graph', 'shape', 'status', 'seq', 'created', 'updated', 'expires', 'summary', 'stop', 'until', 'token')
end
local function remove(name)
	redis.call('UNLINK', head(name), log(name), snaps(name))
	redis.call('ZREM', prefix .. 'names', name)
end
`

func script(body string) *goredis.Script {
	return goredis.NewScript(preamble + strings.TrimSpace(body))
}

var (
	// open: the version of this package. It returns the version that the keys have; keys without one get the version of the
	// package. There is one version so far: a later one migrates the keys here.
	open = script(`
local found = redis.call('GET', prefix .. 'version')
if not found then
	found = ARGV[2]
	redis.call('SET', prefix .. 'version', found)
end
return {'ok', found}`)

	// acquire: name, ttl. It returns the head, or {'held', until}, or {'damaged', the head, the first and the last record}. A token is not below
	// the time: a server that has lost the last ones gives none of them again.
	acquire = script(`
local name, ttl = ARGV[2], tonumber(ARGV[3])
if held(name) then return {'held', field(name, 'until')} end
local first, last = span(name)
if last ~= number(name, 'seq') then return {'damaged', show(name), num(first), num(last)} end
local token = math.max(tonumber(redis.call('GET', prefix .. 'token') or '0') + 1, now)
redis.call('SET', prefix .. 'token', num(token))
redis.call('HSET', head(name), 'token', num(token), 'until', num(now + ttl))
if not exists(name) then redis.call('ZADD', prefix .. 'names', 0, name) end
return {'ok', show(name)}`)

	// renew: name, token, ttl.
	renew = script(`
local name = ARGV[2]
if field(name, 'token') ~= ARGV[3] then return {'lost'} end
redis.call('HSET', head(name), 'until', num(now + tonumber(ARGV[4])))
return {'ok', num(now + tonumber(ARGV[4])), field(name, 'stop') or '0'}`)

	// release: name, token.
	release = script(`
local name = ARGV[2]
if field(name, 'token') ~= ARGV[3] then return {'ok'} end
if not exists(name) then remove(name) else redis.call('HSET', head(name), 'token', '0', 'until', '0') end
return {'ok'}`)

	// put: name, token, ttl, seq, graph, shape, status, created, updated, expires, summary, and the records.
	put = script(`
local name = ARGV[2]
if field(name, 'token') ~= ARGV[3] then return {'lost'} end
local seq, n = tonumber(ARGV[5]), #ARGV - 12
local last = number(name, 'seq')
local ends = num(now + tonumber(ARGV[4]))
if last ~= seq - n then
	local same = n > 0 and last == seq
	for i = 1, n do
		if not same then break end
		local stored = redis.call('HGET', log(name), num(seq - n + i))
		same = stored and string.sub(stored, 1, 1) == string.sub(ARGV[12 + i], 1, 1) and string.sub(stored, 10) == string.sub(ARGV[12 + i], 10)
	end
	if not same then return {'seq', num(last)} end
	redis.call('HSET', head(name), 'until', ends)
	return {'ok', ends, field(name, 'stop') or '0'}
end
for i = 1, n do
	local at = num(seq - n + i)
	redis.call('HSET', log(name), at, ARGV[12 + i])
	if string.sub(ARGV[12 + i], 1, 1) == 'S' then redis.call('ZADD', snaps(name), at, at) end
end
if last == 0 then redis.call('HSET', head(name), 'first', num(seq - n + 1), 'created', ARGV[9]) end
local stop = field(name, 'stop') or '0'
if ended(ARGV[8]) then stop = '0' end
redis.call('HSET', head(name), 'seq', ARGV[5], 'graph', ARGV[6], 'shape', ARGV[7], 'status', ARGV[8], 'updated', ARGV[10], 'expires', ARGV[11],
	'summary', ARGV[12], 'until', ends, 'stop', stop)
return {'ok', ends, stop}`)

	// load: name, at. It returns the head, the first and the last record, the number of the last snapshot, and the records from it on.
	load = script(`
local name, at = ARGV[2], tonumber(ARGV[3])
if not exists(name) then return {'none'} end
if at == 0 then at = number(name, 'seq') end
local from, first, last = snapshot(name, at), span(name)
local records = {}
if from > 0 and at <= number(name, 'seq') then
	for i = from, at do records[#records + 1] = redis.call('HGET', log(name), num(i)) end
end
return {'ok', show(name), num(first), num(last), num(from), records}`)

	// history: name, after, limit. It returns what load does.
	history = script(`
local name, limit = ARGV[2], tonumber(ARGV[4])
if not exists(name) then return {'none'} end
local first, last = span(name)
local from, through = math.max(tonumber(ARGV[3]) + 1, first), number(name, 'seq')
if limit > 0 then through = math.min(through, from + limit - 1) end
local records = {}
for i = from, through do records[#records + 1] = redis.call('HGET', log(name), num(i)) end
return {'ok', show(name), num(first), num(last), num(from), records}`)

	// list: where it begins, prefix, graph, statuses, unleased, limit. It looks at 500 names, and returns threads, and the last name if there may be more.
	list = script(`
local names = redis.call('ZRANGEBYLEX', prefix .. 'names', ARGV[2], '+', 'LIMIT', 0, 500)
local limit, found = tonumber(ARGV[7]), {}
for _, name in ipairs(names) do
	if string.sub(name, 1, #ARGV[3]) ~= ARGV[3] then return {'ok', found} end
	local status = field(name, 'status') or '0'
	if exists(name) and (ARGV[4] == '' or field(name, 'graph') == ARGV[4]) and (ARGV[5] == '' or string.find(ARGV[5], status, 1, true))
			and (ARGV[6] == '0' or not held(name)) then
		found[#found + 1] = {name, show(name)}
		if #found == limit then return {'ok', found} end
	end
end
return {'ok', found, names[500] or ''}`)

	// stop: name.
	stop = script(`
local name = ARGV[2]
if not exists(name) then return {'none'} end
if not ended(field(name, 'status')) then redis.call('HSET', head(name), 'stop', '1') end
return {'ok'}`)

	// copyTo: from, at, name, graph, shape, status, created, updated, expires, summary. It returns {'damaged', the head, the first record, how many there
	// are} where one is missing.
	copyTo = script(`
local from, at, name = ARGV[2], tonumber(ARGV[3]), ARGV[4]
if not exists(from) then return {'none'} end
local first, n = number(from, 'first'), 0
if at < first or at > number(from, 'seq') then return {'record', num(at)} end
if exists(name) then return {'exists'} end
if held(name) then return {'held', field(name, 'until')} end
for i = first, at do n = n + redis.call('HEXISTS', log(from), num(i)) end
if n ~= at - first + 1 then return {'damaged', show(from), num(first), num(n)} end
remove(name)
for i = first, at do redis.call('HSET', log(name), num(i), redis.call('HGET', log(from), num(i))) end
for _, n in ipairs(redis.call('ZRANGEBYSCORE', snaps(from), '-inf', num(at))) do redis.call('ZADD', snaps(name), n, n) end
redis.call('HSET', head(name), 'token', '0', 'until', '0', 'stop', '0', 'seq', num(at), 'first', num(first), 'graph', ARGV[5], 'shape', ARGV[6],
	'status', ARGV[7], 'created', ARGV[8], 'updated', ARGV[9], 'expires', ARGV[10], 'summary', ARGV[11])
redis.call('ZADD', prefix .. 'names', 0, name)
return {'ok'}`)

	// prune: name, before.
	prune = script(`
local name = ARGV[2]
if not exists(name) then return {'none'} end
local first, keep = number(name, 'first'), snapshot(name, tonumber(ARGV[3]))
if keep <= first then return {'ok', '0'} end
for i = first, keep - 1 do redis.call('HDEL', log(name), num(i)) end
redis.call('ZREMRANGEBYSCORE', snaps(name), '-inf', '(' .. num(keep))
redis.call('HSET', head(name), 'first', num(keep))
return {'ok', num(keep - first)}`)

	// delete: name.
	del = script(`
local name = ARGV[2]
if not exists(name) then return {'none'} end
if held(name) then return {'held', field(name, 'until')} end
remove(name)
return {'ok'}`)

	// sweep: where it begins. It looks at 500 names, and returns how many threads it has deleted, and the last name.
	sweep = script(`
local names = redis.call('ZRANGEBYLEX', prefix .. 'names', ARGV[2], '+', 'LIMIT', 0, 500)
local n = 0
for _, name in ipairs(names) do
	if not held(name) then
		local expires = number(name, 'expires')
		if not exists(name) then
			remove(name)
		elseif expires > 0 and expires <= now then
			remove(name)
			n = n + 1
		end
	end
end
return {'ok', num(n), names[500] or ''}`)
)
