package zookeeper_test

// handWritten lists sequences that were written by hand.
func handWritten() map[string]string {
	return map[string]string{
		"znodes and their Stats": `
			a open
			a create /a p one
			a exists /a
			a setData /a 0 two
			a setData /a 0 three
			a getData /a
			a create /a/b p x
			a create /a/c p y
			a getChildren /a
			a delete /a
			a delete /a/b 3
			a delete /a/b 0
			a exists /a
			a delete /a/c
			a delete /a
			a exists /a
			a delete /a
			a setData /a -1 z
			a getData /a
			a getChildren /a
			a create /a/b p
			a create /a p
			a create /a p`,
		"sequential znodes count all children that there were": `
			a open
			a create /q p
			a create /q/x p
			a create /q/s- s
			a delete /q/x
			a create /q/s- s
			a create /q/t- es
			a getChildren /q
			a exists /q
			a delete /q/s-0000000001
			a create /q/s- s`,
		"ephemeral znodes end with their session": `
			a open
			b open
			a create /e e
			b exists /e watch
			b getChildren / watch
			b create /e/x p
			b create /e p
			a close
			b exists /e
			a open
			a create /e e`,
		"watches fire once, and before the reply": `
			a open
			a exists /w watch
			a create /w p
			a create /w/x p
			a getData /w watch
			a getChildren /w watch
			a exists /w watch
			a setData /w -1 1
			a setData /w -1 2
			a create /w/y p
			a getData /w watch
			a getChildren /w watch
			a delete /w/x
			a delete /w/y
			a getData /w watch
			a getChildren /w watch
			a delete /w`,
		"a multi changes all or nothing": `
			a open
			a create /m p
			a multi create /m/a p 1 ; create /m/b es ; setData /m 0 x ; check /m 1
			a multi create /m/c p ; delete /m/none ; setData /m -1 y
			a multi create /m/d s ; create /m/d s ; delete /m/d0000000002
			a multi check /m 7 ; create /m/e p
			a multi delete /m/a ; delete /m/a
			a exists /m
			a getChildren /m`,
		"watches outlast a lost connection": `
			a open
			b open
			a create /n p
			a create /n/x p
			a getData /n watch
			a getChildren /n watch
			a exists /none watch
			a drop
			b setData /n -1 1
			a getData /n watch
			a getChildren /n watch
			a exists /none2 watch
			a exists /n/x watch
			a cut
			b setData /n -1 2
			b create /n/y p
			b create /none2 p
			b delete /n/x
			a heal
			b create /none p
			a exists /n`,
		"a session that is cut off for long expires": `
			a open
			b open
			a create /e e
			a create /q p
			a create /q/l- es
			b exists /e watch
			b getChildren /q watch
			a cut
			a expire
			b exists /e
			b getChildren /q
			a heal
			a exists /e
			a create /e e
			b exists /e`,
		"a session that is cut off briefly goes on": `
			a open
			b open
			a create /e e
			b exists /e watch
			a cut
			b create /x p
			a heal
			a exists /e
			b exists /e`,
		"watches of an expired session end": `
			a open
			b open
			a create /w p
			a getData /w watch
			a cut
			a expire
			b setData /w -1 1
			a heal
			b setData /w -1 2
			a getData /w`,
		"a session that has ended uses zxids": `
			a open
			a create /a p
			b open
			b close
			a create /b p
			a delete /none
			a create /c p
			a sync /
			a create /d p
			a exists /b
			a exists /c
			a exists /d`,
	}
}
