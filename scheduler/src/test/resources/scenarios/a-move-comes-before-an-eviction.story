# Small jobs of low priority are on both nodes and may not be disturbed for half an hour. A wide job of high priority could
# evict them then; it has waited for longer than a move costs by that time, so one moves and none loses its place.

cluster eu-1: spreads, consolidates
nodes: 2 of 8 H100
queue team: owns 16 H100, evicts
job small-a: 2 H100, in queue team, priority LOW, at least 30M
job small-b: 2 H100, in queue team, priority LOW, at least 30M
plan
  > small-a starts on eu-1: eu-1-n001
  > small-b starts on eu-1: eu-1-n002

passes 10M
comes wide: 8 H100, in queue team, priority HIGH
plan
  > wide waits
  >   CAPACITY: needs 8 H100 on one node, largest free node 6 (eu-1)
  >   with gpu.count 6 instead of 8 it starts now on eu-1

passes 25M
plan
  > small-a is to leave, moved to another node, where capacity is reserved for it, so that a waiting job fits here
  > kept for wide: eu-1-n001 (PREEMPTION)
  > kept for small-a: eu-1-n002 (PREEMPTION)
  > wide waits
  >   WAITING_FOR_VICTIMS: waits for 1 preemptible job with 2 GPUs to leave (eu-1); the capacity is reserved for it
