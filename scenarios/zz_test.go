package scenarios
import ("testing";"context";"path/filepath")
func BenchmarkJournal(b *testing.B){ s,_ := Load("kleppmann")
 for _, with := range []bool{false,true} { name:="without"; if with {name="with"}
 b.Run(name, func(b *testing.B){ for range b.N { o := []Option{WithSeeds(1,200),WithJobs(1)}
  if with { j,err := CreateJournal(filepath.Join(b.TempDir(),"runs"),s); if err!=nil {b.Fatal(err)}; defer j.Close(); o=append(o,WithJournal(j)) }
  if _,err := Run(context.Background(),s,o...); err!=nil {b.Fatal(err)} } }) } }
