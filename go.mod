module lockquake

go 1.26
