package redis

// handWrittenReplicated returns sequences for a primary and its replica that each test one thing.
func handWrittenReplicated() map[string]string {
	return map[string]string{
		"what is written is read": `
a SET k v
a SETEX e 100 v
a PSETEX p 60000 v
a SET x me NX PX 30000
a SET x you NX PX 30000
a INCR n
a INCRBY n 41
a DEL k
a HSET h f v
a RPUSH l a b
a SADD s a
a ZADD z 1.5 m
a WAIT 1 0
r GET k
r EXISTS k
r GET e
r TTL e
r PTTL e
r PEXPIRETIME p
r GET x
r PTTL x
r GET n
r HGETALL h
r LRANGE l 0 -1
r SMEMBERS s
r ZRANGE z 0 -1 WITHSCORES
r TYPE h
r MGET k n x
r PTTL n
a PEXPIRE x 5000
a PERSIST p
a RENAME n m
r PTTL x
r PTTL p
r GET n
r GET m
a FLUSHALL
r GET x
r EXISTS h l s z
r DBSIZE
`,
		"scripts": `
a EVAL $fenced 2 k f me 30000
a EVAL $fenced 2 k f you 30000
r GET k
r GET f
r PTTL k
r EVALSHA #fenced 2 k f me 30000
r EVAL $fenced 2 k f me 30000
r SCRIPT EXISTS #fenced
a EVAL $release 1 k you
a EVAL $renew 1 k me 5000
r PTTL k
a EVALSHA #release 1 k me
r GET k
a EVAL $semaphore 1 s me 5000 2
r ZCARD s
a EVAL $reenter 1 h me 1000
a EVAL $reenter 1 h me 1000
r HGETALL h
a EVAL <<redis.call('SET', 'half', 1) error('then')>> 0
r GET half
a EVAL $deadline 1 half 2
pause 5
r GET half
a SCRIPT LOAD $publish
r EVALSHA #publish 2 k f me 100
r SCRIPT LOAD <<return 5>>
r EVAL <<return 5>> 0
`,
		"writes to a replica": `
a SET k v PX 60000
r SET k w
r SET k
r NONSENSE k
r DEL k
r DEL missing
r SETNX k w
r INCR k
r EXPIRE k 1
r PEXPIRE missing 1
r PERSIST k
r GETEX k
r GETDEL k
r GETSET k w
r HSET h f v
r LPUSH k 1
r FLUSHALL
r FLUSHDB
r RENAME k l
r MSET k 1
r SET k w BOGUS
r GET k
r TOUCH k
r PING
r ECHO hi
r SELECT 0
r EXEC
r MULTI
r GET k
r EXEC
r MULTI
r GET k
r SET k w
r EXEC
r MULTI
r EVAL <<return redis.call('SET', KEYS[1], 'w')>> 1 k
r EVAL <<return redis.call('GET', KEYS[1])>> 1 k
r EXEC
r MULTI
r SET k w
r DISCARD
r GET k
a GET k
`,
		"scripts on a replica": `
a SET k me PX 60000
r EVAL <<return redis.call('GET', KEYS[1])>> 1 k
r EVAL_RO <<return redis.call('GET', KEYS[1])>> 1 k
r EVAL <<return redis.call('SET', KEYS[1], 'w')>> 1 k
r EVAL <<return redis.pcall('SET', KEYS[1], 'w')>> 1 k
r EVAL <<return redis.pcall('SET', KEYS[1], 'w').err>> 1 k
r EVAL <<local ok, e = pcall(redis.call, 'SET', KEYS[1], 'w') return {tostring(ok), type(e), e}>> 1 k
r EVAL <<
redis.call('DEL', KEYS[1])>> 1 k
r EVAL_RO <<return redis.call('SET', KEYS[1], 'w')>> 1 k
r EVAL $release 1 k you
r EVAL $release 1 k me
r EVAL $renew 1 k me 5
r EVALSHA #release 1 k me
r EVALSHA #release 1 k you
r EVAL <<return redis.call('WAIT', 1, 0)>> 0
r EVAL <<return redis.call('SET')>> 0
r EVAL <<#!lua
return redis.call('GET', KEYS[1])>> 1 k
r EVAL <<#!lua flags=no-writes
return redis.call('GET', KEYS[1])>> 1 k
r EVAL <<#!lua flags=no-writes
return redis.call('SET', KEYS[1], 'w')>> 1 k
r EVAL_RO <<#!lua
return 1>> 0
r EVAL <<#!lua
return 1>> x
r EVAL <<#!lua flags=bogus
return 1>> 0
r EVAL <<#!lua
return (>> 0
r SCRIPT LOAD <<#!lua
return 7>>
r EVALSHA 0123456789012345678901234567890123456789 0
r MULTI
r EVAL <<#!lua
return 1>> 0
r EXEC
r GET k
`,
		"wait": `
a WAIT 1 0
a SET k 1
a WAIT 1 0
a SET k 2
a WAIT 1 1000
a SET k 3
a WAIT 2 50
a SET k 4
a WAIT 3 50
r GET k
b WAIT 1 1000
b GET k
b WAIT 1 1000
a wait 1 1000
a MULTI
a SET k 5
a EXEC
a WAIT 1 1000
a EVAL <<return redis.call('INCR', 'n')>> 0
a WAIT 1 1000
r GET n
a FLUSHALL
a WAIT 1 1000
r GET k
`,
		"wait, malformed": `
a WAIT
a WAIT 1
a WAIT 1 2 3
a WAIT x 1
a WAIT 1 x
a WAIT x x
a WAIT 1 -1
a WAIT x -1
a WAIT 01 1
a WAIT +1 1
a WAIT "" 1
a WAIT 1.5 1
a WAIT 1 01
a WAIT 1 1.5
a WAIT 1 ""
a WAIT 99999999999999999999 1
a WAIT 1 99999999999999999999
a WAIT 1 9223372036854775807
a EVAL <<return redis.call('WAIT', 1, 0)>> 0
a EVAL <<return redis.pcall('WAIT', 1, 0).err>> 0
a MULTI
a WAIT x 1
a WAIT 1 -1
a EXEC
a MULTI
a WAIT 1
a EXEC
`,
		"wait on a replica": `
r WAIT 1 0
r WAIT 0 0
r WAIT x 0
r WAIT 1 -1
r WAIT 1
r MULTI
r GET k
r WAIT 1 0
r EXEC
`,
		// An idle replica acknowledges what it has every second.
		"wait in a transaction": `
a SET k 1
pause 1300
a MULTI
a SET k 2
a WAIT 1 50
a WAIT 2 50
a EXEC
a WAIT 1 0
r GET k
`,
		"wait for a stopped replica": `
a SET k 1
a WAIT 1 0
stop
a SET k 2
a WAIT 1 5
a WAIT 1 1
a WAIT 2 5
a GET k
a WAIT 1 5
a DEL missing
a WAIT 1 5
b GET k
b WAIT 1 5
fresh
b WAIT 1 5
b WAIT 1 5
a MULTI
a WAIT 1 50
a EXEC
go-on
a WAIT 1 0
b WAIT 1 0
r GET k
r GET stops
`,
		"what a stopped replica missed": `
a SET k 1 PX 60000
a SET gone 1
a RPUSH l a b c
stop
a INCR k
a DEL gone
a LPOP l
a EVAL $fenced 2 x f me 30000
a SET short 1 PX 1
pause 5
a GET short
a HSET h f v
go-on
r GET k
r PTTL k
r EXISTS gone
r LRANGE l 0 -1
r GET x
r GET short
r HGETALL h
`,
		"expiry on a replica": `
a SET k v PX 3
a SET n 5 PX 3
a HSET h f v
a PEXPIRE h 3
a SET stays v
pause 8
r GET k
r EXISTS k stays
r TTL k
r PTTL n
r PEXPIRETIME n
r TYPE h
r HGET h f
r HLEN h
r STRLEN k
r MGET k n stays
r TOUCH k
r EVAL <<return {redis.call('EXISTS', KEYS[1]), redis.call('GET', KEYS[1]), redis.call('PTTL', KEYS[1])}>> 1 k
r SET k w NX
a GET k
a SET k w NX PX 60000
r GET k
a INCR n
r GET n
r PTTL n
`,
		"expiry edges on a replica": `
a SET a 1 PX 2
r PTTL a
pause 1
r PTTL a
pause 1
r GET a
pause 1
r GET a
a EVAL $deadline 1 a 1
r GET a
a SET b 1
a EVAL $deadline 1 b 1
r PTTL b
r GET b
r GET b
a SET c 1 PX 2
pause 1
a PEXPIRE c 60000
r PTTL c
a SET d 1 PXAT 1
r GET d
a SET e 1
a PEXPIREAT e 1
r EXISTS e
`,
		"promotion": `
a SET k v PX 60000
a SET short v PX 4
a SET stays v
a INCR n
a HSET h f v
a RPUSH l a b
a EVAL $fenced 2 x f me 30000
a SCRIPT LOAD $release
r SCRIPT LOAD $renew
promote
pause 6
a GET k
a PTTL k
a GET short
a PTTL stays
a INCR n
a HGETALL h
a LRANGE l 0 -1
a GET x
a GET f
a EVALSHA #fenced 2 x f you 30000
a EVALSHA #release 1 x me
a EVALSHA #renew 1 x me 5000
a EVAL $release 1 x me
a WAIT 1 0
r GET x
r GET n
r EVALSHA #release 1 x me
r EVALSHA #renew 1 x me 5000
r SET k w
b SET k w NX
b SET x you NX PX 30000
b WAIT 1 0
r GET x
promote
a GET x
a PTTL x
a EVALSHA #release 1 x you
r GET x
`,
		"a primary that forgets": `
a SET k v PX 60000
a SCRIPT LOAD $release
a WAIT 1 0
r GET k
r SCRIPT LOAD $renew
kill
a GET k
a EVALSHA #release 1 k me
r GET k
r EVALSHA #renew 1 k me 1
a SET k w NX PX 60000
a WAIT 1 0
r GET k
`,
	}
}
