# What comes free on a node belongs to those who wait for it there: nobody leaves for room that is kept.

cluster eu-1
nodes: 2 of 8 H100
queue front
queue back: evicts lower priority
job holds: 4 H100, in queue back, priority LOW
plan
  > holds starts on eu-1: eu-1-n001

comes wide: 4 x 4 H100, in queue front, priority HIGH
plan
  > wide waits
  >   CAPACITY: needs 16 H100, room for 12 (eu-1)
  >   with workers 3 instead of 4 it starts now on eu-1
  >   with gpu.count 2 instead of 4 it starts now on eu-1

passes 2H
plan
  > kept for wide: 2 on eu-1-n001 and 2 on eu-1-n002 (DRAIN)
  > wide waits
  >   CAPACITY: needs 16 H100, room for 0 (eu-1)

comes small: 2 H100, in queue back, priority NORMAL
plan
  > wide waits
  >   CAPACITY: nodes are reserved for it (eu-1); 1 job with 4 GPUs still run there
  >   CAPACITY: needs 16 H100, room for 12 (eu-1)
  > small waits
  >   RESERVATION_CONFLICT: would start, but 16 GPUs are reserved for 1 waiting job before it: 16 gpu of H100/RESERVED until 2026-03-02T14:00:00Z
  >   CAPACITY: needs 2 H100 on one node, largest free node 0 (eu-1)
