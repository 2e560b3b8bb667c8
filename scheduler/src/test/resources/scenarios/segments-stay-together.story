# A gang in segments: each pair in one rack, the pairs where they fit; three that want one rack wait for it.

cluster eu-1
nodes: rack r1, 3 of 8 H100
nodes: rack r2, 3 of 8 H100
job pairs: 4 x 8 H100, segments of 2 in one rack
job triple: 3 x 8 H100, segments of 3 in one rack
plan
  > pairs starts on eu-1: eu-1-n001 and eu-1-n002 and eu-1-n004 and eu-1-n005
  > triple waits
  >   CAPACITY: needs 24 H100, room for 0 (eu-1)
  >   with gpu.count 2 instead of 8 it starts now on eu-1

ends pairs
plan
  > triple starts on eu-1: eu-1-n001 and eu-1-n002 and eu-1-n003
