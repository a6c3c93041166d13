package reports
import ("testing";"os")
func TestTmpPlot(t *testing.T){
 c,_:=gcPause()
 f,_:=os.Create("/tmp/p4.png"); writePNG(f,c); f.Close()
 g,_:=os.Create("/tmp/p4.svg"); writeSVG(g,c); g.Close()
 Table(os.Stdout,c,Options{Report:"out/gc-pause"})
}
