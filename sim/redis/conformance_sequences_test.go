package redis

import (
	"crypto/sha1"
	"encoding/hex"
)

func shaOf(script string) string {
	sum := sha1.Sum([]byte(script))
	return hex.EncodeToString(sum[:])
}

// lockScripts returns scripts of locks: those of this project, and equivalents of those of
// well-known lock libraries.
func lockScripts() map[string]string {
	return map[string]string{
		"release":  `if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`,
		"renew":    `if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("PEXPIRE", KEYS[1], ARGV[2]) end return 0`,
		"recreate": `local o = redis.call("GET", KEYS[1]) if o == ARGV[1] then return redis.call("PEXPIRE", KEYS[1], ARGV[2]) elseif not o then redis.call("SET", KEYS[1], ARGV[1], "PX", ARGV[2]) return 1 end return 0`,
		"fenced":   `if redis.call("SET", KEYS[1], ARGV[1], "NX", "PX", ARGV[2]) then return redis.call("INCR", KEYS[2]) end return 0`,
		"incr":     `local n = redis.call("INCR", KEYS[2]) if redis.call("SET", KEYS[1], ARGV[1], "NX", "PX", ARGV[2]) then return n end return 0`,
		"publish":  `local n = redis.call("INCR", KEYS[2]) local r = redis.call("SET", KEYS[1], ARGV[1], "NX", "PX", ARGV[2]) if r == "OK" then return n end return nil`,
		// A release that tells a key that is gone from one of another owner.
		"delete3": `local v = redis.call("GET", KEYS[1]) if v == ARGV[1] then return redis.call("DEL", KEYS[1]) elseif v == false then return -1 else return 0 end`,
		// A renewal that sets the key again if nobody has it.
		"touch": `local v = redis.call("GET", KEYS[1]) if v == ARGV[1] then return redis.call("PEXPIRE", KEYS[1], ARGV[2]) elseif v == false then return redis.call("SET", KEYS[1], ARGV[1], "PX", ARGV[2], "NX") end return 0`,
		// Many keys, all or none.
		"obtainAll": `if redis.call("MSETNX", KEYS[1], ARGV[1], KEYS[2], ARGV[1]) == 1 then for _, k in ipairs(KEYS) do redis.call("PEXPIRE", k, ARGV[2]) end return redis.status_reply("OK") end
local same = #ARGV[1] for i, k in ipairs(KEYS) do local v = redis.call("GET", k) if not v or string.sub(v, 1, same) ~= ARGV[1] then return false end end
for _, k in ipairs(KEYS) do redis.call("SET", k, ARGV[1], "PX", ARGV[2]) end return redis.status_reply("OK")`,
		"refreshAll": `local vs = redis.call("MGET", unpack(KEYS)) for i, _ in ipairs(KEYS) do if vs[i] ~= ARGV[1] then return false end end for _, k in ipairs(KEYS) do redis.call("PEXPIRE", k, ARGV[2]) end return redis.status_reply("OK")`,
		"releaseAll": `local vs = redis.call("MGET", unpack(KEYS)) for i, _ in ipairs(KEYS) do if vs[i] ~= ARGV[1] then return false end end redis.call("DEL", unpack(KEYS)) return redis.status_reply("OK")`,
		"minTTL":     `local least = -3 for _, k in ipairs(KEYS) do local ttl = redis.call("PTTL", k) if ttl < 0 then return ttl end if least == -3 or ttl < least then least = ttl end end return least`,
		// A lock that its holder may take again: a hash of owner and count.
		"reenter": `if redis.call("EXISTS", KEYS[1]) == 0 or redis.call("HEXISTS", KEYS[1], ARGV[1]) == 1 then redis.call("HINCRBY", KEYS[1], ARGV[1], 1) redis.call("PEXPIRE", KEYS[1], ARGV[2]) return nil end return redis.call("PTTL", KEYS[1])`,
		"leave":   `if redis.call("HEXISTS", KEYS[1], ARGV[1]) == 0 then return nil end local n = redis.call("HINCRBY", KEYS[1], ARGV[1], -1) if n > 0 then redis.call("PEXPIRE", KEYS[1], ARGV[2]) return 0 end redis.call("DEL", KEYS[1]) return 1`,
		// A semaphore: a sorted set of owners by the time at which they end.
		"semaphore": `local t = redis.call("TIME") local now = t[1] * 1000 + math.floor(t[2] / 1000) redis.call("ZREMRANGEBYSCORE", KEYS[1], "-inf", now - 1)
if redis.call("ZCARD", KEYS[1]) < tonumber(ARGV[3]) or redis.call("ZSCORE", KEYS[1], ARGV[1]) then redis.call("ZADD", KEYS[1], now + tonumber(ARGV[2]), ARGV[1]) redis.call("PEXPIRE", KEYS[1], ARGV[2]) return redis.call("ZRANK", KEYS[1], ARGV[1]) end return -1`,
		// The holders of permits, and readers: a sorted set of owners by the end of their leases.
		"permit":      `local time = redis.call("TIME") local now = time[1] * 1000 + math.floor(time[2] / 1000) redis.call("ZREMRANGEBYSCORE", KEYS[1], "-inf", now) if redis.call("ZCARD", KEYS[1]) >= tonumber(ARGV[3]) then return 0 end redis.call("ZADD", KEYS[1], now + ARGV[2], ARGV[1]) if redis.call("PTTL", KEYS[1]) < tonumber(ARGV[2]) then redis.call("PEXPIRE", KEYS[1], ARGV[2]) end return 1`,
		"renewPermit": `local time = redis.call("TIME") local now = time[1] * 1000 + math.floor(time[2] / 1000) local ends = redis.call("ZSCORE", KEYS[1], ARGV[1]) if not ends or tonumber(ends) <= now then return 0 end redis.call("ZADD", KEYS[1], now + ARGV[2], ARGV[1]) if redis.call("PTTL", KEYS[1]) < tonumber(ARGV[2]) then redis.call("PEXPIRE", KEYS[1], ARGV[2]) end return 1`,
		"freePermit":  `local time = redis.call("TIME") local now = time[1] * 1000 + math.floor(time[2] / 1000) local ends = redis.call("ZSCORE", KEYS[1], ARGV[1]) if not ends or tonumber(ends) <= now then return 0 end return redis.call("ZREM", KEYS[1], ARGV[1])`,
		"rank":        `local now = tonumber(ARGV[4]) redis.call("ZREMRANGEBYSCORE", KEYS[1], "-inf", now) redis.call("ZADD", KEYS[1], now + ARGV[2], ARGV[1]) if redis.call("ZRANK", KEYS[1], ARGV[1]) >= tonumber(ARGV[3]) then redis.call("ZREM", KEYS[1], ARGV[1]) return 0 end redis.call("ZADD", KEYS[1], now + ARGV[2], ARGV[1]) if redis.call("PTTL", KEYS[1]) < tonumber(ARGV[2]) then redis.call("PEXPIRE", KEYS[1], ARGV[2]) end return 1`,
		// A read-write lock: a writer, readers, and a mark that a writer waits.
		"reader":       `local time = redis.call("TIME") local now = time[1] * 1000 + math.floor(time[2] / 1000) if redis.call("EXISTS", KEYS[2], KEYS[3]) > 0 then return 0 end redis.call("ZADD", KEYS[1], now + ARGV[2], ARGV[1]) if redis.call("PTTL", KEYS[1]) < tonumber(ARGV[2]) then redis.call("PEXPIRE", KEYS[1], ARGV[2]) end return 1`,
		"renewReaders": `local time = redis.call("TIME") local now = time[1] * 1000 + math.floor(time[2] / 1000) local ends = redis.call("ZSCORE", KEYS[1], ARGV[1]) if not ends or tonumber(ends) <= now then return 0 end for _, reader in ipairs(redis.call("ZRANGE", KEYS[1], 0, -1)) do redis.call("ZADD", KEYS[1], now + ARGV[2], reader) end redis.call("PEXPIRE", KEYS[1], ARGV[2]) return 1`,
		"writer":       `local time = redis.call("TIME") local now = time[1] * 1000 + math.floor(time[2] / 1000) redis.call("ZREMRANGEBYSCORE", KEYS[2], "-inf", now) if redis.call("EXISTS", KEYS[1]) == 1 or redis.call("ZCARD", KEYS[2]) > 0 then if tonumber(ARGV[3]) > 0 then redis.call("SET", KEYS[3], "", "PX", ARGV[3]) end return 0 end redis.call("SET", KEYS[1], ARGV[1], "PX", ARGV[2]) redis.call("DEL", KEYS[3]) return 1`,
		// A lock that its holder may take again, with the number of its sections in the request.
		"enter": `local held = redis.call("HEXISTS", KEYS[1], ARGV[1]) if held == 0 and (redis.call("EXISTS", KEYS[1]) == 1 or tonumber(ARGV[3]) > 1) then return 0 end redis.call("HSET", KEYS[1], ARGV[1], ARGV[3]) redis.call("PEXPIRE", KEYS[1], ARGV[2]) return 1`,
		"exit":  `if redis.call("HEXISTS", KEYS[1], ARGV[1]) == 0 then return 0 end if tonumber(ARGV[3]) > 1 then redis.call("HSET", KEYS[1], ARGV[1], ARGV[3] - 1) return 1 end return redis.call("DEL", KEYS[1])`,
		// A fair lock: a queue and a holder.
		"queue": `redis.call("RPUSH", KEYS[2], ARGV[1]) if redis.call("LINDEX", KEYS[2], 0) == ARGV[1] and redis.call("SET", KEYS[1], ARGV[1], "NX", "PX", ARGV[2]) then redis.call("LPOP", KEYS[2]) return 1 end return {redis.call("LLEN", KEYS[2]), redis.call("PTTL", KEYS[1])}`,
		// An absolute deadline in milliseconds from now, by the server's clock.
		"deadline": `local t = redis.call("TIME") local ms = t[1] * 1000 + math.floor(t[2] / 1000) + tonumber(ARGV[1]) return {redis.call("PEXPIREAT", KEYS[1], string.format("%.0f", ms)), redis.call("EXISTS", KEYS[1]), redis.call("PTTL", KEYS[1]), redis.call("GET", KEYS[1])}`,
	}
}

// handWritten returns sequences that each test one thing.
func handWritten() map[string]string {
	return map[string]string{
		"strings": `
SET k v
GET k
SET k w NX
SET k w XX
SET n w XX
SET n w NX GET
SET n x XX GET
SET n y GET
GET n
SET k v EX 10 PX 10
SET k v NX XX
SET k v EX 0
SET k v EX -1
SET k v PX x
SET k v EX
SET k v BOGUS
SET k v KEEPTTL EX 10
SET k v KEEPTTL NX
SET k v EX 9223372036854775807
SET k v EXAT 1
EXISTS k
SET k v PXAT 1
GET k
SET k v PXAT 99999999999999
PEXPIRETIME k
SET last v PXAT 9223372036854775807
EXPIRETIME last
SET k w KEEPTTL
PEXPIRETIME k
SET k
SET
GET
GET a b
SETNX k v
SETNX q v
SETNX q
SETEX q 10 v
TTL q
SETEX q 0 v
SETEX q x v
PSETEX q 1500 v
PTTL q
PSETEX q -1 v
GETSET q w
PTTL q
GETSET missing w
GETDEL missing2
GETDEL q
GETDEL q
GETEX k
GETEX k PX 5000
PTTL k
GETEX k PERSIST
PTTL k
GETEX k EX 0
GETEX k EX 10 PERSIST
GETEX k BOGUS
GETEX missing3 EX 10
GETEX k EXAT 1
EXISTS k
APPEND a hello
APPEND a world
GET a
STRLEN a
STRLEN missing
SETRANGE a 3 XX
GET a
SETRANGE a -1 X
SETRANGE z 3 ""
EXISTS z
SETRANGE z 3 abc
GET z
SETRANGE z x abc
SETRANGE z 536870912 a
GETRANGE a 0 3
GETRANGE a -3 -1
GETRANGE a 5 1
GETRANGE a x 1
GETRANGE missing 0 -1
SUBSTR a 0 2
MSET a 1 b 2
MGET a b c
MSET a 1 b
MSETNX c 1 a 2
MSETNX c 1 d 2
MGET a b c d
MGET
LPUSH list 1
MGET a list
GETSET list 1
GETDEL list
GETEX list
APPEND list 1
STRLEN list
SETRANGE list 0 a
GETRANGE list 0 1
SETNX list 1
SET list 1 GET
SET list 1 NX
SET list 1
TYPE list
SET k "" PX 100
GET k
`,
		"numbers": `
INCR n
INCRBY n 41
DECR n
DECRBY n 10
DECRBY n -9223372036854775808
GET n
SET n 9223372036854775807
INCR n
INCRBY n 1
SET n -9223372036854775808
DECR n
DECRBY n 1
SET n abc
INCR n
DECR n
INCRBY n 1
SET n " 1"
INCR n
SET n "1 "
INCR n
SET n 01
INCR n
SET n +1
INCR n
SET n -0
INCR n
SET n ""
INCR n
SET n 1.5
INCR n
INCRBYFLOAT n 1.5
INCRBYFLOAT n 5e3
INCRBYFLOAT n x
INCRBYFLOAT n inf
INCRBYFLOAT f 0.1
INCRBYFLOAT f 0.2
INCRBYFLOAT f -0.3
INCRBYFLOAT f 1e20
INCRBYFLOAT f
SET f 10
INCRBYFLOAT f 5
INCRBY f x
INCRBY f 1.5
INCRBY f 99999999999999999999
INCRBY f
INCR
INCR a b
LPUSH l 1
INCR l
INCRBYFLOAT l 1
SET p 5 PX 1000
INCR p
PTTL p
`,
		"keys": `
SET a 1
SET b 2 PX 5000
HSET h f v
DEL a missing a
UNLINK b missing
EXISTS a b h h
TYPE a
TYPE h
SADD s x
TYPE s
ZADD z 1 x
TYPE z
RPUSH l x
TYPE l
TYPE
DEL
UNLINK
EXISTS
SET a 1 PX 9000
SET b 2
RENAME a b
GET b
PTTL b
EXISTS a
RENAME missing b
RENAME b b
RENAMENX b h
RENAMENX b c
PTTL c
RENAMENX missing c
RENAMENX c c
RENAME c
TOUCH c h missing
KEYS *
KEYS h*
KEYS [hs]
KEYS ?
DBSIZE
COPY c d
COPY c d REPLACE
COPY missing d
PTTL d
SET d 1 PX 1000
SET e 2
COPY e d REPLACE
RPUSH copied 5
SET over string
COPY copied over REPLACE
TYPE over
DEL over
INCR over
COPY copied copied REPLACE
COPY nothing over REPLACE
GET over
COPY copied over REPLACE nonsense
GET over
PTTL d
RENAME d d
FLUSHALL
DBSIZE
FLUSHALL ASYNC
FLUSHALL BOGUS
FLUSHDB
FLUSHDB SYNC
RANDOMKEY x
`,
		"expiry": `
SET k v
TTL k
PTTL k
EXPIRETIME k
PEXPIRETIME k
TTL missing
PTTL missing
EXPIRETIME missing
PEXPIRETIME missing
EXPIRE k 100
TTL k
PTTL k
PERSIST k
PERSIST k
PERSIST missing
EXPIRE missing 1
EXPIRE k x
EXPIRE k
EXPIRE k 10 BOGUS
EXPIRE k 10 NX
EXPIRE k 20 NX
EXPIRE k 20 XX
EXPIRE k 10 GT
EXPIRE k 30 GT
EXPIRE k 40 LT
EXPIRE k 20 LT
PTTL k
EXPIRE k 20 NX XX
EXPIRE k 20 GT LT
EXPIRE k 20 NX GT
EXPIRE k 20 XX GT
EXPIRE k 19 XX LT
PERSIST k
EXPIRE k 10 XX
EXPIRE k 10 GT
EXPIRE k 10 LT
PTTL k
PEXPIRE k 1500
TTL k
PEXPIRE k 1499
TTL k
PEXPIRE k 500
TTL k
PEXPIRE k 499
TTL k
PEXPIREAT k 99999999999499
PEXPIREAT k 99999999999499 LT
PEXPIREAT k 99999999999499 GT
PEXPIREAT k 99999999999498 LT
PEXPIREAT k 99999999999499 GT
EXPIRETIME k
PEXPIREAT k 99999999999500
EXPIRETIME k
EXPIREAT k 99999999999
PEXPIRETIME k
PEXPIREAT k 1
EXISTS k
GET k
SET k v
EXPIREAT k 0
EXISTS k
SET k v
EXPIRE k -1
EXISTS k
SET k v
PEXPIRE k 0
EXISTS k
SET k v
PEXPIREAT k -5
EXISTS k
SET k v
EXPIRE k 9223372036854775807
EXPIRE k -9223372036854775807
PEXPIRE k 9223372036854775807
EXPIREAT k 9223372036854775807
PEXPIREAT k 9223372036854775807
PTTL k
TTL k
EXPIRE k 0 GT
EXPIRE k 0 XX
EXISTS k
SET k v
EXPIRE k 0 XX
EXISTS k
EXPIRE k 0 NX
EXISTS k
HSET h a 1
PEXPIRE h 5000
HSET h b 2
PTTL h
DEL h
HSET h a 1
PTTL h
TTL
TTL a b
PTTL
PERSIST
EXPIRETIME a b
PEXPIRETIME
PEXPIREAT k
`,
		"expiry edges": `
SET k v PX 1
EVAL $deadline 1 k 0
GET k
SET k v
EVAL $deadline 1 k -1
GET k
SET k v
EVAL $deadline 1 k 1
GET k
SET k v
EVAL $deadline 1 k 100000
EXISTS k
PTTL k
TTL k
SET a 1 PX 1
PTTL a
pause 1
PTTL a
EXISTS a
SET b 1 PX 2
pause 2
GET b
INCR b
SET c 1 PX 3
pause 3
SET c 2 NX PX 10
SET d 1 PX 2
pause 1
PTTL d
pause 1
PTTL d
pause 1
PTTL d
`,
		"hashes": `
HSET h a 1 b 2
HSET h a 1 b
HSET h
HSET h a 3 c 4
HGET h a
HGET h missing
HGET missing a
HGET h
HMGET h a x b
HMGET missing a
HMSET h d 5
HMSET h d
HSETNX h a 9
HSETNX h z 9
HEXISTS h a
HEXISTS h q
HEXISTS missing q
HLEN h
HLEN missing
HSTRLEN h a
HSTRLEN h q
HKEYS h
HVALS h
HGETALL h
HGETALL missing
HDEL h a q
HDEL missing a
HDEL h
HINCRBY h n 5
HINCRBY h n -7
HINCRBY h n x
HSET h t abc
HINCRBY h t 1
HSET h big 9223372036854775807
HINCRBY h big 1
HINCRBYFLOAT h f 1.5
HINCRBYFLOAT h f x
HINCRBYFLOAT h t 1
HINCRBY h n
SET s v
HSET s a 1
HGET s a
HDEL s a
HGETALL s
HINCRBY s a 1
HEXISTS s a
HLEN s
HKEYS s
HMGET s a
HSETNX s a 1
HDEL h b c d z n t big f
EXISTS h
`,
		"sets": `
SADD s a b c a
SADD s a
SADD s
SCARD s
SCARD missing
SISMEMBER s a
SISMEMBER s q
SISMEMBER missing q
SMISMEMBER s a q
SMISMEMBER missing a
SMEMBERS s
SMEMBERS missing
SREM s a q
SREM missing a
SREM s
SREM s b c
EXISTS s
SET k v
SADD k a
SREM k a
SISMEMBER k a
SMEMBERS k
SCARD k
SMOVE s t a
SADD s a
SMOVE s t a
SMOVE s t q
SMEMBERS t
`,
		"sorted sets with INCR": `
ZADD z NX INCR 1 a
ZADD z NX INCR 1 a
ZADD z XX INCR 1 b
ZADD z XX INCR 1 a
ZADD z GT INCR -1 a
ZADD z LT INCR -1 a
ZADD z GT INCR 5 a
ZADD z LT INCR 5 a
ZADD z GT INCR 5 new
ZADD z XX GT INCR 5 newer
ZADD z NX CH INCR 1 c
ZADD z CH INCR 1 c
ZADD z INCR inf c
ZADD z INCR -inf c
ZADD z NX INCR -inf c
ZADD z CH 1 a 2 q
ZADD z XX CH 9 a 2 nope
ZADD z GT CH 1 a 20 q
ZADD z LT CH 1 a 30 q
ZADD z XX LT CH 0 a 0 zz
ZADD z NX 1
ZADD z INCR
ZADD z NX
ZADD z NX GT 1 a
ZADD z nx incr 1 d
ZRANGE z 0 -1 WITHSCORES
ZADD none XX INCR 1 a
EXISTS none
ZADD none XX 1 a
EXISTS none
SET s v
ZADD s NX INCR 1 a
ZADD s INCR x a
`,
		"neighbours of what locks use": `
SET k v EX 100 GET
SET k w XX GET
SET k v NX GET
GETEX k EXAT 99999999999
GETDEL k
GETEX k PERSIST
SET k 1 PXAT 99999999999999 NX
EXPIRE k 100 GT
EXPIRE k 100 LT
PERSIST k
LPUSH l a b c a
LPOS l a
LPOS l a RANK -1
LPOS l a COUNT 0
LPOS l a RANK 2
LPOS l a RANK 0
LPOS l a COUNT -1
LPOS l a MAXLEN 1
LPOS l zz COUNT 1
LPOS l zz
LPOS none a COUNT 0
LPOS l a BOGUS 1
LPOS l a RANK x
LPOS l a COUNT 1 RANK -1 MAXLEN 0
LMPOP 1 l LEFT
LMPOP 2 none l RIGHT COUNT 2
LMPOP 1 none LEFT
LMPOP 0 l LEFT
LMPOP x l LEFT
LMPOP 1 l UP
LMPOP 1 l LEFT COUNT 0
LMPOP 1 l LEFT COUNT x
LMPOP 2 l LEFT
LMPOP 1 l LEFT EXTRA
LMPOP 1 l m LEFT
ZADD z 1 a 2 b 3 c 4.5 d
ZMPOP 1 z MIN
ZMPOP 2 none z MAX COUNT 2
ZMPOP 1 none MIN
ZMPOP 0 z MIN
ZMPOP 1 z LEFT
ZMPOP 1 z MIN COUNT 0
ZPOPMIN z 0
ZPOPMIN k 0
ZPOPMAX z
ZRANDMEMBER none
HRANDFIELD none
SRANDMEMBER none
SPOP none
SPOP none 1
SMISMEMBER none a b
SINTERCARD 1 none
SINTERCARD 0 none
SADD s a b c
SADD t b c d
SINTERCARD 2 s t
SINTERCARD 2 s t LIMIT 1
SINTERCARD 2 s t LIMIT -1
SINTERCARD 3 s t
SDIFF s t
SINTERSTORE d s t
SDIFFSTORE d s t
SUNIONSTORE d s none
SUNIONSTORE d none
EXISTS d
SMOVE s t a
LINSERT l BEFORE zz x
RPUSHX none a
HSETNX h f v
HINCRBY h n 5
HINCRBYFLOAT h n 0.5
HRANDFIELD h 0
TOUCH h none
COPY h h2
COPY h h2 DB 0
COPY h h2 DB 1 REPLACE
COPY h h2 BOGUS
COPY h h
SCAN 0 MATCH h COUNT 100 TYPE hash
SCAN x
SCAN 0 COUNT 0
SCAN 0 BOGUS
HSCAN h 0
SSCAN t 0 MATCH x
ZSCAN z 0
HSCAN none 0
`,
		"ranges and bits": `
ZADD z 1 a 2 b 3 c
ZRANGEBYLEX z - +
ZRANGEBYLEX z [a (c
ZLEXCOUNT z - +
ZREVRANGEBYSCORE z +inf -inf WITHSCORES LIMIT 1 1
ZRANGE z 0 -1 REV WITHSCORES
ZRANGE z (3 1 BYSCORE REV LIMIT 0 1
ZRANGE z [a [b BYLEX
ZRANGE z 0 -1 BYSCORE
ZRANK z b WITHSCORE
ZUNION 2 z z
ZINTER 1 z WITHSCORES
ZUNIONSTORE u 2 z z WEIGHTS 2 3 AGGREGATE MAX
ZRANGE u 0 -1 WITHSCORES
ZINTERSTORE u 1 z
ZREMRANGEBYLEX z [a [a
ZMSCORE z a b
ZPOPMIN z -1
ZINCRBY z inf b
ZINCRBY z -inf b
SETBIT b 7 1
GETBIT b 7
GETBIT b 100
SETBIT b -1 1
SETBIT b 0 2
BITCOUNT b
BITCOUNT b 0 -1
BITPOS b 1
LSET l 0 a
RPUSH l a b c
LRANGE l -2 -1
LINSERT l AFTER b x
LMOVE l l LEFT RIGHT
LMOVE l l UP RIGHT
RPOPLPUSH l m
EXPIRE l 10 XX
PEXPIREAT l 99999999999999 NX
EXPIRETIME l
GETRANGE none 0 -1
MSETNX a 1 a 2
MGET a l none
STRLEN a
APPEND a x
GETSET a y
INCRBYFLOAT f 3.0e3
DECRBY f 1
ECHO x
PING x
TIME x
DBSIZE x
`,
		"lists": `
LPUSH l a b c
RPUSH l d
LRANGE l 0 -1
LRANGE l 1 2
LRANGE l -100 100
LRANGE l 5 9
LRANGE missing 0 -1
LRANGE l x 1
LLEN l
LLEN missing
LINDEX l 0
LINDEX l -1
LINDEX l 99
LINDEX l x
LPOP l
RPOP l
LPOP l 2
LPOP l 2
LPOP missing
LPOP missing 1
LPOP l x
LPOP l -1
EXISTS l
RPUSH l a b c
LPOP l 0
RPOP l 10
LPUSHX l a
RPUSHX l a
RPUSH l a b a c a
LREM l 2 a
LRANGE l 0 -1
LREM l -1 a
LREM l 0 zz
LREM l x a
LSET l 0 z
LSET l 99 z
LSET missing 0 z
LTRIM l 0 0
LRANGE l 0 -1
RPUSH l b c d
LINSERT l BEFORE b x
LINSERT l AFTER zz x
LINSERT l BOGUS b x
LPOS l x
LPOS l nope
RPOPLPUSH l m
LMOVE l m LEFT RIGHT
LRANGE m 0 -1
SET s v
LPUSH s a
LPOP s
LLEN s
LRANGE s 0 -1
LINDEX s 0
LPUSH l
LPOP
`,
		"sorted sets": `
ZADD z 1 a 2 b 3 c
ZADD z NX 5 a 4 d
ZADD z XX 5 a 9 e
ZADD z XX CH 6 a
ZADD z GT 1 a
ZADD z LT 1 a
ZADD z GT CH 7 a
ZADD z NX XX 1 a
ZADD z GT LT 1 a
ZADD z NX GT 1 a
ZADD z INCR 1 a
ZADD z INCR 1 a 2 b
ZADD z NX INCR 1 a
ZADD z x a
ZADD z nan a
ZADD z 1
ZADD z 1 a 2
ZADD z inf top -inf low
ZSCORE z top
ZSCORE z low
ZSCORE z a
ZSCORE z q
ZSCORE missing q
ZADD z 1.5 half 0.1 tenth 1e20 huge 3.0 three 1700000000123 ms
ZSCORE z half
ZSCORE z tenth
ZSCORE z huge
ZSCORE z three
ZSCORE z ms
ZMSCORE z a q
ZINCRBY z 1.5 a
ZINCRBY z x a
ZCARD z
ZCARD missing
ZRANK z a
ZRANK z q
ZRANK missing q
ZREVRANK z a
ZCOUNT z 1 3
ZCOUNT z (1 (3
ZCOUNT z -inf +inf
ZCOUNT z x 3
ZRANGE z 0 -1
ZRANGE z 0 -1 WITHSCORES
ZRANGE z 0 1 REV
ZRANGE z 1 3 BYSCORE
ZRANGE z (1 3 BYSCORE LIMIT 0 1
ZRANGE z 3 1 BYSCORE REV
ZRANGE z x 1
ZRANGE z 0 1 BOGUS
ZRANGE z 0 1 LIMIT 0 1
ZRANGE missing 0 -1
ZREVRANGE z 0 1 WITHSCORES
ZRANGEBYSCORE z -inf 3
ZRANGEBYSCORE z (1 +inf WITHSCORES LIMIT 0 2
ZRANGEBYSCORE z x 3
ZRANGEBYSCORE z 1 3 BOGUS
ZREVRANGEBYSCORE z 3 1
ZREM z q a
ZREM missing a
ZREM z
ZREMRANGEBYSCORE z -inf (2
ZREMRANGEBYSCORE z 2 2
ZREMRANGEBYSCORE z x 2
ZREMRANGEBYSCORE missing 0 1
ZREMRANGEBYRANK z 0 0
ZPOPMIN z
ZPOPMAX z
ZPOPMIN missing
ZPOPMIN z 2
ZRANGE z 0 -1
ZREMRANGEBYSCORE z -inf +inf
EXISTS z
SET s v
ZADD s 1 a
ZREM s a
ZRANGE s 0 -1
ZSCORE s a
ZCARD s
ZRANK s a
ZRANGEBYSCORE s 0 1
ZREMRANGEBYSCORE s 0 1
`,
		"transactions": `
MULTI
SET k v PX 1000
INCR k
GET k
EXEC
MULTI
SET a 1
DISCARD
GET a
MULTI
SET a 1
NONSENSE
EXEC
GET a
MULTI
SET a 1
GET
EXEC
GET a
MULTI
MULTI
SET a 2
EXEC
GET a
EXEC
DISCARD
EXEC x
MULTI
EXEC
MULTI
EVAL <<return redis.call('INCR', KEYS[1])>> 1 n
EVAL <<return redis.call('LPUSH', KEYS[1], 1)>> 1 n
TIME x
EXEC
MULTI
LPUSH n 1
SET k w NX PX 100
SCRIPT LOAD <<return 1>>
EXEC
GET k
`,
		"errors": `
NONSENSE
NONSENSE a b c
nonsense "a b"
get
GET k l
SET k v
LPUSH k a
HGET k a
SADD k a
ZADD k 1 a
PING
PING hello
PING a b
ECHO hi
ECHO
SELECT 0
SELECT x
TIME x
EVAL
EVAL <<return 1>>
EVAL <<return 1>> x
EVAL <<return 1>> -1
EVAL <<return 1>> 2 a
EVALSHA abc 0
EVALSHA 0123456789012345678901234567890123456789 0
EVALSHA
SCRIPT
SCRIPT BOGUS
SCRIPT LOAD
SCRIPT LOAD <<return 1>>
SCRIPT LOAD a b
SCRIPT EXISTS
SCRIPT EXISTS e0e1f9fabfc9d4800c877a703b823ac0578ff8db E0E1F9FABFC9D4800C877A703B823AC0578FF8DB 00
EVALSHA E0E1F9FABFC9D4800C877A703B823AC0578FF8DB 0
SCRIPT FLUSH
SCRIPT EXISTS e0e1f9fabfc9d4800c877a703b823ac0578ff8db
SCRIPT FLUSH ASYNC
SCRIPT FLUSH SYNC
SCRIPT FLUSH BOGUS
SCRIPT FLUSH a b
EVAL_RO <<return redis.call('GET', KEYS[1])>> 1 k
EVAL_RO <<return redis.call('SET', KEYS[1], 1)>> 1 k
EVAL_RO <<return redis.pcall('SET', KEYS[1], 1)>> 1 k
EVAL_RO <<return redis.pcall('SET', KEYS[1], 1).err>> 1 k
EVALSHA_RO 00 0
`,
		"lock scripts": `
SET k me NX PX 30000
EVAL $release 1 k you
EVALSHA #release 1 k me
EVALSHA #release 1 k me
EVALSHA #renew 1 k me 100
SCRIPT LOAD $renew
EVALSHA #renew 1 k me 100
SET k me
EVALSHA #renew 1 k me 5000
PTTL k
EVALSHA #renew 1 k me x
EVALSHA #renew 1 k me -1
EXISTS k
EVAL $recreate 1 k me 1000
EVAL $recreate 1 k me 2000
EVAL $recreate 1 k you 1000
PTTL k
EVAL $fenced 2 l f me 1000
EVAL $fenced 2 l f you 1000
GET f
EVAL $incr 2 m f me 1000
EVAL $incr 2 m f you 1000
EVAL $publish 2 o f you 1000
EVAL $fenced 2 p f you 0
EVAL $fenced 2 p f you x
EVAL $fenced 2 p f you
EVAL $delete3 1 k you
EVAL $delete3 1 k me
EVAL $delete3 1 k me
EVAL $touch 1 k me 1000
EVAL $touch 1 k me 1000
EVAL $touch 1 k you 1000
EVAL $obtainAll 2 x y me 1000
EVAL $obtainAll 2 x y me 2000
EVAL $obtainAll 2 y z you 2000
EVAL $minTTL 3 x y z
EVAL $minTTL 2 x y
EVAL $refreshAll 2 x y me 900
EVAL $refreshAll 2 x y you 900
EVAL $releaseAll 2 x y you
EVAL $releaseAll 2 x y me
EVAL $reenter 1 h me 1000
EVAL $reenter 1 h me 1000
EVAL $reenter 1 h you 1000
EVAL $leave 1 h you 1000
EVAL $leave 1 h me 1000
EVAL $leave 1 h me 1000
EXISTS h
EVAL $semaphore 1 s a 5000 2
EVAL $semaphore 1 s b 5000 2
EVAL $semaphore 1 s c 5000 2
EVAL $semaphore 1 s a 6000 2
ZCARD s
PTTL s
EVAL $queue 2 q w a 100
EVAL $queue 2 q w b 100
LPUSH bad 1
EVAL $release 1 bad me
EVAL $reenter 1 k me 100
`,
		"semaphore": `
EVAL $permit 1 s a 5000 2
EVAL $permit 1 s b 3000 2
PTTL s
EVAL $permit 1 s c 5000 2
EVAL $renewPermit 1 s a 6000 2
EVAL $renewPermit 1 s c 6000 2
PTTL s
EVAL $freePermit 1 s c 5000 2
EVAL $freePermit 1 s b 5000 2
EVAL $freePermit 1 s b 5000 2
EVAL $permit 1 s c 5000 2
ZRANGE s 0 -1
ZADD s 1000 a
EVAL $renewPermit 1 s a 6000 2
EVAL $freePermit 1 s a 6000 2
ZCARD s
EVAL $permit 1 s d 5000 2
ZRANGE s 0 -1
DEL s
EVAL $rank 1 s a 5000 1 1767225600100
EVAL $rank 1 s b 5000 1 1767225600200
EVAL $rank 1 s c 5000 1 1767225600050
ZRANGE s 0 -1 WITHSCORES
EVAL $rank 1 s d 5000 1 1767225605100
ZRANGE s 0 -1 WITHSCORES
SET k v
EVAL $permit 1 k a 5000 2
EVAL $freePermit 1 k a 5000 2
`,
		"read-write lock": `
EVAL $reader 3 r k w a 5000
EVAL $reader 3 r k w b 5000
EVAL $writer 3 k r w c 5000 300
PTTL w
GET w
EVAL $reader 3 r k w d 5000
EVAL $freePermit 3 r k w a 5000
EVAL $freePermit 3 r k w b 5000
EXISTS r
EVAL $reader 3 r k w d 5000
EVAL $writer 3 k r w c 5000 300
EXISTS w
GET k
PTTL k
EVAL $reader 3 r k w d 5000
EVAL $writer 3 k r w e 5000 0
EXISTS w
EVAL $renew 3 k r w c 6000
EVAL $release 3 k r w c 6000
EVAL $reader 3 r k w a 3000
EVAL $reader 3 r k w b 3000
ZADD r 1000 a
EVAL $renewReaders 3 r k w a 6000
EVAL $renewReaders 3 r k w b 6000
EVAL $renewReaders 3 r k w x 6000
PTTL r
EVAL $freePermit 3 r k w a 6000
ZRANGE r 0 -1
`,
		"re-entrant lock": `
EVAL $enter 1 h a 5000 1
EVAL $enter 1 h a 6000 2
EVAL $enter 1 h b 5000 1
HGETALL h
PTTL h
EVAL $enter 1 h a 6000 1
EVAL $exit 1 h b 6000 1
EVAL $enter 1 h a 6000 2
EVAL $exit 1 h a 6000 2
HGETALL h
EVAL $exit 1 h a 6000 1
EXISTS h
EVAL $exit 1 h a 6000 1
EVAL $enter 1 h a 6000 2
EXISTS h
LPUSH bad 1
EVAL $enter 1 bad a 6000 1
EVAL $exit 1 bad a 6000 1
`,
		"conversions": `
EVAL <<return 1>> 0
EVAL <<return 3.99>> 0
EVAL <<return -3.99>> 0
EVAL <<return 2^53>> 0
EVAL <<return 2^63>> 0
EVAL <<return -2^63>> 0
EVAL <<return 1/0>> 0
EVAL <<return 0/0>> 0
EVAL <<return 'x'>> 0
EVAL <<return ''>> 0
EVAL <<return true>> 0
EVAL <<return false>> 0
EVAL <<return nil>> 0
EVAL <<return>> 0
EVAL <<return {}>> 0
EVAL <<return {1, 'a', {2, {3}}, nil, 5}>> 0
EVAL <<return {1, false, true, 3.7, '4'}>> 0
EVAL <<return {a=1, 2}>> 0
EVAL <<return {ok='FINE'}>> 0
EVAL <<return {ok='A
B'}>> 0
EVAL <<return {err='MY error'}>> 0
EVAL <<return {err='word'}>> 0
EVAL <<return {err='-MY error'}>> 0
EVAL <<return {err=5}>> 0
EVAL <<return {ok=5}>> 0
EVAL <<return {ok='x', err='MY error'}>> 0
EVAL <<return {{ok='A'}, {err='B c'}}>> 0
EVAL <<return redis.error_reply('MY error')>> 0
EVAL <<return redis.error_reply('word')>> 0
EVAL <<return redis.error_reply('-word')>> 0
EVAL <<return redis.error_reply('-MY err')>> 0
EVAL <<return redis.error_reply('')>> 0
EVAL <<return redis.error_reply()>> 0
EVAL <<return redis.error_reply(5)>> 0
EVAL <<return redis.error_reply({})>> 0
EVAL <<return redis.status_reply('FINE')>> 0
EVAL <<return redis.status_reply('')>> 0
EVAL <<return redis.status_reply()>> 0
EVAL <<return redis.status_reply(5)>> 0
EVAL <<return redis.status_reply('a', 'b')>> 0
EVAL <<return redis.call('SET', 'k', 'v')>> 0
EVAL <<return redis.call('SET', 'k', 'v').ok>> 0
EVAL <<return redis.call('SET', 'k', 'v') == 'OK'>> 0
EVAL <<return type(redis.call('SET', 'k', 'v', 'NX'))>> 0
EVAL <<return redis.call('GET', 'missing') == false>> 0
EVAL <<return type(redis.call('GET', 'missing'))>> 0
EVAL <<return redis.call('INCR', 'n') + 1>> 0
EVAL <<return redis.call('MGET', 'k', 'missing')>> 0
EVAL <<return redis.call('MGET', 'k', 'missing')[2]>> 0
EVAL <<return #redis.call('MGET', 'k', 'missing')>> 0
EVAL <<return redis.call('LPOP', 'missing', 1)>> 0
EVAL <<return redis.call('HGETALL', 'missing')>> 0
EVAL <<return redis.call('TYPE', 'k')>> 0
EVAL <<return redis.call('TYPE', 'k').ok>> 0
EVAL <<return redis.call('PING')>> 0
EVAL <<return KEYS[1] .. ARGV[1]>> 1 key arg
EVAL <<return {#KEYS, #ARGV, KEYS[2] or 'none'}>> 1 key arg
EVAL <<return tostring(ARGV[1] + 1)>> 0 41
EVAL <<return tostring(1e15)>> 0
EVAL <<return tostring(1e14 + 0.5)>> 0
EVAL <<return tostring(2^53)>> 0
EVAL <<return tostring(0.1)>> 0
EVAL <<return tostring(1/3)>> 0
EVAL <<return 1700000000123 .. ''>> 0
EVAL <<return tostring(1700000000123456)>> 0
EVAL <<return tostring(1/0)>> 0
EVAL <<return tostring(nil) .. tostring(true)>> 0
EVAL <<redis.call('SET', 'x', 1.5) return redis.call('GET', 'x')>> 0
EVAL <<redis.call('SET', 'x', 0.1) return redis.call('GET', 'x')>> 0
EVAL <<redis.call('SET', 'x', 1/3) return redis.call('GET', 'x')>> 0
EVAL <<redis.call('SET', 'x', 1e15) return redis.call('GET', 'x')>> 0
EVAL <<redis.call('SET', 'x', 1e20) return redis.call('GET', 'x')>> 0
EVAL <<redis.call('SET', 'x', 2^53) return redis.call('GET', 'x')>> 0
EVAL <<redis.call('SET', 'x', 2^63) return redis.call('GET', 'x')>> 0
EVAL <<redis.call('SET', 'x', -1.0) return redis.call('GET', 'x')>> 0
EVAL <<redis.call('SET', 'x', 1e300) return redis.call('GET', 'x')>> 0
EVAL <<redis.call('SET', 'x', 1e-7) return redis.call('GET', 'x')>> 0
EVAL <<redis.call('SET', 'x', 123456.789) return redis.call('GET', 'x')>> 0
EVAL <<return tonumber('0x10')>> 0
EVAL <<return tonumber('abc') == nil>> 0
EVAL <<return tonumber(' 12 ')>> 0
EVAL <<return tonumber('1e3')>> 0
EVAL <<return tonumber('10', 2)>> 0
EVAL <<return tonumber('')>> 0
EVAL <<return string.format('%d %s %5.2f %x %q', 5, 'a', 1.5, 255, 'q')>> 0
EVAL <<return string.format('%.0f', 1700000000123)>> 0
EVAL <<return string.format('%d', 3.7)>> 0
EVAL <<return {string.find('hello', 'l+')}>> 0
EVAL <<return {string.match('a:12', '(%a):(%d+)')}>> 0
EVAL <<return string.gsub('hello', 'l', 'L')>> 0
EVAL <<return string.rep('ab', 3) .. string.upper('x') .. string.reverse('abc')>> 0
EVAL <<local r = {} for w in string.gmatch('a,b,c', '[^,]+') do r[#r+1] = w end return r>> 0
EVAL <<local t = {3,1,2} table.sort(t) return t>> 0
EVAL <<local t = {1,2} table.insert(t, 3) table.remove(t, 1) return {table.concat(t, '-'), table.getn(t), unpack(t)}>> 0
EVAL <<return {math.floor(1.7), math.ceil(1.2), math.max(1, 5), math.min(1, 5), math.abs(-3), math.fmod(7, 3), 7 % 3, -7 % 3}>> 0
EVAL <<return {select('#', 1, 2), select(2, 'a', 'b')}>> 0
EVAL <<return redis.sha1hex('')>> 0
EVAL <<return redis.sha1hex(5)>> 0
EVAL <<return redis.sha1hex()>> 0
EVAL <<return redis.sha1hex({})>> 0
EVAL <<return redis.REDIS_VERSION_NUM>> 0
EVAL <<return redis.replicate_commands()>> 0
EVAL <<return redis.set_repl(redis.REPL_ALL)>> 0
EVAL <<return {redis.LOG_DEBUG, redis.LOG_WARNING, redis.REPL_ALL, redis.REPL_NONE, redis.REPL_AOF, redis.REPL_SLAVE, redis.REPL_REPLICA}>> 0
EVAL <<return redis.log(redis.LOG_DEBUG, 'x')>> 0
EVAL <<return redis.log('x')>> 0
EVAL <<redis.setresp(2) return 1>> 0
EVAL <<math.randomseed(0) return {math.random(1000), math.random(1000), math.random(1000)}>> 0
EVAL <<math.randomseed(7) return {math.random(1000), tostring(math.random())}>> 0
EVAL <<return tostring(math.random())>> 0
EVAL <<return math.random(0)>> 0
EVAL <<return {math.random(5, 7), math.random(-3, 3)}>> 0
EVAL <<return type(os.clock())>> 0
EVAL <<return _VERSION>> 0
EVAL <<#!lua name=x
return 1>> 0
EVAL <<#!lua
return 1>> 0
EVAL <<#!lua flags=allow-oom,allow-stale
return redis.call('SET', 'k', 'v')>> 0
EVAL <<#!lua flags=bogus
return 1>> 0
EVAL <<#!python
return 1>> 0
EVAL <<#!lua return 1>> 0
EVAL_RO <<#!lua
return 1>> 0
EVAL_RO <<#!lua flags=no-writes
return redis.call('GET', 'k')>> 0
EVAL <<#!lua flags=no-writes
return redis.call('GET', 'k')>> 0
EVAL <<#!lua flags=no-writes
return redis.call('SET', 'k', 1)>> 0
EVAL <<return cjson.encode({1, 2, 'a'})>> 0
EVAL <<return cjson.encode({a=1})>> 0
EVAL <<return cjson.decode('{"a": [1, 2, {"b": "c"}]}').a[3].b>> 0
EVAL <<return {bit.band(255, 15), bit.bor(1, 2, 4), bit.bxor(5, 1), bit.bnot(0), bit.lshift(1, 31), bit.rshift(-1, 28), bit.arshift(-8, 1), bit.tobit(4294967295)}>> 0
EVAL <<local t = redis.call('TIME') return 'owner:' .. 1700000000123456 .. ':' .. 1/3 .. 5 .. #t>> 0
EVAL <<local function id(n) return n .. '' end local t = {[1 .. 'a'] = 2^40 .. ''} for i = 1, 2 do t[#t + 1] = id(i / 3) end return {t['1a'], t[1], t[2]}>> 0
EVAL <<local s = '' local i = 0 repeat i = i + 1 s = s .. i * 1e14 .. ',' until i .. '' == '3' while #s .. '' == 'x' do end if s .. 1 ~= s then return s end>> 0
EVAL <<return cjson.encode({owner='a/b"c'})>> 0
EVAL <<return cjson.encode({})>> 0
EVAL <<return cjson.encode({1.5, true, false, cjson.null, 'x' .. string.char(1, 10, 127), 1700000000123456})>> 0
EVAL <<return cjson.encode('a') .. cjson.encode(5)>> 0
EVAL <<local t = cjson.decode('{"owner":"me","n":3,"x":null,"y":[true,1.5e3]}') return {t.owner, t.n, tostring(t.x == cjson.null), t.y[1], t.y[2], #t.y}>> 0
EVAL <<return cjson.encode({{a={1}}, {}})>> 0
EVAL <<return {tonumber('0x1F'), tonumber('ff', 16), tonumber('7', 8), tonumber('9', 8) or 'none', tonumber(' 1.5e1 '), tonumber('1_0') or 'none', tonumber({}) or 'none', tonumber(true) or 'none'}>> 0
`,
		"script errors": `
SET k v
EVAL <<return redis.call('INCR', 'k')>> 0
EVAL <<return redis.pcall('INCR', 'k')>> 0
EVAL <<return redis.pcall('INCR', 'k').err>> 0
EVAL <<return redis.call('LPUSH', 'k', 1)>> 0
EVAL <<return redis.pcall('LPUSH', 'k', 1).err>> 0
EVAL <<
local x = 1
return redis.call('INCR', 'k')>> 0
EVAL <<return redis.call('NONSENSE')>> 0
EVAL <<return redis.pcall('NONSENSE').err>> 0
EVAL <<return redis.call('GET')>> 0
EVAL <<return redis.pcall('GET').err>> 0
EVAL <<return redis.call()>> 0
EVAL <<return redis.pcall().err>> 0
EVAL <<return redis.call({})>> 0
EVAL <<return redis.call('GET', {})>> 0
EVAL <<return redis.call('GET', nil)>> 0
EVAL <<return redis.call('GET', true)>> 0
EVAL <<return redis.pcall('GET', true).err>> 0
EVAL <<return redis.call('EVAL', 'return 1', 0)>> 0
EVAL <<return redis.call('MULTI')>> 0
EVAL <<return redis.call('WATCH', 'k')>> 0
EVAL <<return redis.pcall('SUBSCRIBE', 'k').err>> 0
EVAL <<return redis.call('SELECT', 'x')>> 0
EVAL <<return redis.call('SCRIPT', 'LOAD', 'return 1')>> 0
EVAL <<local ok, e = pcall(redis.call, 'INCR', 'k') return {tostring(ok), type(e), e.err}>> 0
EVAL <<local ok, e = pcall(redis.call, 'INCR', 'k') return e>> 0
EVAL <<local ok, e = pcall(function() return redis.call('INCR', 'k') end) return e>> 0
EVAL <<local ok, e = pcall(function() error('x') end) return e>> 0
EVAL <<local ok, e = pcall(function() error('x', 0) end) return e>> 0
EVAL <<local ok, e = pcall(function() error({code=5}) end) return e.code>> 0
EVAL <<return redis.pcall('SET', 'k', 'v', 'BOGUS')>> 0
EVAL <<error('boom')>> 0
EVAL <<error('boom', 0)>> 0
EVAL <<
error('boom')>> 0
EVAL <<error({err='MY boom'})>> 0
EVAL <<error(redis.error_reply('MY boom'))>> 0
EVAL <<error()>> 0
EVAL <<error(nil)>> 0
EVAL <<error(5)>> 0
EVAL <<assert(false)>> 0
EVAL <<assert(false, 'claim')>> 0
EVAL <<assert(redis.pcall('INCR', 'k'))>> 0
EVAL <<assert(nil, redis.error_reply('MY x'))>> 0
EVAL <<leak = 1>> 0
EVAL <<return undefined>> 0
EVAL <<return undefined.x>> 0
EVAL <<_G.x = 1>> 0
EVAL <<rawset(_G, 'x', 1)>> 0
EVAL <<KEYS = {} return 1>> 0
EVAL <<KEYS[1] = 'z' return KEYS[1]>> 1 k
EVAL <<redis.call = nil>> 0
EVAL <<string.len = nil>> 0
EVAL <<setmetatable(_G, {})>> 0
EVAL <<function f() return 1 end return f()>> 0
EVAL <<local function f() return 1 end return f()>> 0
EVAL <<return type(print)>> 0
EVAL <<return type(os)>> 0
EVAL <<return os.time()>> 0
EVAL <<return type(io)>> 0
EVAL <<return type(require)>> 0
EVAL <<return type(dofile)>> 0
EVAL <<return type(newproxy)>> 0
EVAL <<return type(getfenv)>> 0
EVAL <<return type(setfenv)>> 0
EVAL <<return type(rawequal)>> 0
EVAL <<return type(debug)>> 0
EVAL <<return type(package)>> 0
EVAL <<return type(module)>> 0
EVAL <<return type(redis.breakpoint)>> 0
EVAL <<return type(redis.register_function)>> 0
EVAL <<return type(xpcall)>> 0
EVAL <<local x = nil return x.y>> 0
EVAL <<local x = nil return x()>> 0
EVAL <<return 1 + nil>> 0
EVAL <<return 'a' + 1>> 0
EVAL <<return {} .. 'a'>> 0
EVAL <<return 1 < 'a'>> 0
EVAL <<return #5>> 0
EVAL <<return ('x').y.z>> 0
EVAL <<return redis.nonsense>> 0
EVAL <<return redis.nonsense()>> 0
EVAL <<return string.rep()>> 0
EVAL <<return tonumber()>> 0
EVAL <<return math.floor('x')>> 0
EVAL <<return (>> 0
EVAL <<return 1 return 2>> 0
EVAL <<local>> 0
EVAL <<x = >> 0
SCRIPT LOAD <<return (>>
EVAL <<return unpack({1, 2}), 3>> 0
EVAL <<return redis.call('SET', 'k', 'v', 'PX', 0)>> 0
EVAL <<return redis.call('PEXPIRE', 'k', 'x')>> 0
EVAL <<redis.call('SET', 'half', 1) error('then')>> 0
GET half
EVAL <<local t = redis.call('TIME') local n = 0 while n < 100 do n = n + 1 end local u = redis.call('EXISTS', 'k') return u>> 0
`,
	}
}
