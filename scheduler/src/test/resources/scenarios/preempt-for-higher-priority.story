# A higher priority makes room, cheapest lost work first, and the place is its own until it starts.

cluster eu-1
nodes: 2 of 8 H100
queue research: evicts lower priority
job old: 8 H100, in queue research, priority LOW
plan
  > old starts on eu-1: eu-1-n001

passes 1H
comes young: 8 H100, in queue research, priority LOW
plan
  > young starts on eu-1: eu-1-n002

passes 10M
comes urgent: 8 H100, in queue research, priority HIGH
plan
  > young is to leave, preempted by a job that precedes it in its queue
  > kept for urgent: eu-1-n002 (PREEMPTION)
  > urgent waits
  >   WAITING_FOR_VICTIMS: waits for 1 preemptible job with 8 GPUs to leave (eu-1); the capacity is reserved for it

# Who was told leaves and waits again; a small job that comes meanwhile does not get the place.
leaves young
comes small: 1 H100, in queue research, priority NORMAL
plan
  > urgent starts on eu-1: eu-1-n002
  > old is to leave, preempted by a job that precedes it in its queue
  > kept for small: eu-1-n001 (PREEMPTION)
  > small waits
  >   WAITING_FOR_VICTIMS: waits for 1 preemptible job with 8 GPUs to leave (eu-1); the capacity is reserved for it
  > young waits
  >   CAPACITY: needs 8 H100 on one node, largest free node 0 (eu-1)
