# Nominal quota that is kept for one job is not there for the next, so only one of the two makes others leave.

cluster eu-1
nodes: 2 of 8 H100
group lab: owns 8 H100
queue theirs: below lab, owns 8 H100, evicts
job low-1: 8 H100, in queue theirs, priority LOW
job low-2: 8 H100, in queue theirs, priority LOW
plan
  > low-1 starts on eu-1: eu-1-n001
  > low-2 starts on eu-1: eu-1-n002
comes first: 8 H100, in queue theirs, priority HIGH
comes second: 8 H100, in queue theirs, priority HIGH
plan
  > low-2 is to leave, preempted by a job that precedes it in its queue
  > kept for first: eu-1-n002 (PREEMPTION)
  > first waits
  >   WAITING_FOR_VICTIMS: waits for 1 preemptible job with 8 GPUs to leave (eu-1); the capacity is reserved for it
  > second waits
  >   QUOTA: needs 8 gpu of H100/RESERVED, quota of 'lab' leaves 0 (16 used of 16)
  >   CAPACITY: needs 8 H100 on one node, largest free node 0 (eu-1)
