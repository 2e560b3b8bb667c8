# A gang grows into what comes free, but not into what another waits for.

cluster eu-1
nodes: 2 of 8 H100
queue research: evicts lower priority
job first: 2 x 4 H100, in queue research, priority NORMAL
job elastic: 1 to 4 x 4 H100, in queue research, priority LOW
plan
  > first starts on eu-1: 2 on eu-1-n001
  > elastic starts on eu-1: 2 on eu-1-n002

passes 10M
comes wide: 3 x 4 H100, in queue research, priority LOW
plan
  > wide waits
  >   CAPACITY: needs 12 H100, room for 0 (eu-1)

ends first
plan
  > wide waits
  >   CAPACITY: needs 12 H100, room for 8 (eu-1)
  >   with workers 2 instead of 3 it starts now on eu-1
  >   with gpu.count 2 instead of 4 it starts now on eu-1

goes wide
plan
  > elastic grows by 2: 2 on eu-1-n001

# Who needs its room gets what it can do without, the last members first; the gang runs on.
passes 10M
comes urgent: 4 H100, in queue research, priority HIGH
plan
  > elastic is to shrink by worker-3, preempted by a job that precedes it in its queue
  > kept for urgent: eu-1-n001 (PREEMPTION)
  > urgent waits
  >   WAITING_FOR_VICTIMS: waits for 1 preemptible job to give up 4 GPUs (eu-1); the capacity is reserved for it

shrinks elastic
plan
  > urgent starts on eu-1: eu-1-n001

# It rests before it grows again.
passes 1M
ends urgent
plan

passes 5M
plan
  > elastic grows by 1: eu-1-n001

# Its owner wants fewer: the last members leave, and what they held is for others.
asks elastic: 1 to 2 x 4 H100
plan
  > elastic is to shrink by worker-4 and worker-2
shrinks elastic
comes next: 8 H100, in queue research, priority LOW
plan
  > next starts on eu-1: eu-1-n001
