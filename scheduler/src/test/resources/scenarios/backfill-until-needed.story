# The first that waits gets a place to come; others use it only if they end before.

cluster eu-1
nodes: 2 of 8 H100
job runs: 8 H100, at most 1H
plan
  > runs starts on eu-1: eu-1-n001

comes wide: 2 x 8 H100
comes brief: 4 H100, at most 50M
comes endless: 2 H100
plan
  > brief starts on eu-1: eu-1-n002
  > kept for wide: eu-1-n001 and eu-1-n002 from in 1H (BACKFILL)
  > wide waits
  >   CAPACITY: needs 16 H100, room for 0 (eu-1)
  > endless waits
  >   RESERVATION_CONFLICT: would start, but 16 GPUs are reserved for 1 waiting job before it: 16 gpu of H100/RESERVED needed from 2026-03-01T13:00:00Z
  >   CAPACITY: needs 2 H100 on one node, largest free node 0 (eu-1)

# The hour is over: the place is taken up.
passes 51M
ends brief
passes 9M
ends runs
plan
  > wide starts on eu-1: eu-1-n001 and eu-1-n002
  > nothing is kept any more for wide
  > endless waits
  >   CAPACITY: needs 2 H100 on one node, largest free node 0 (eu-1)
