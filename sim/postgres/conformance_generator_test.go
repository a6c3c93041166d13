package postgres_test

import "math/rand/v2"

type generator struct{ *rand.Rand }

func (g *generator) sequence() sequence { return sequence{{session: "a", rest: ':', text: "select 1"}} }
