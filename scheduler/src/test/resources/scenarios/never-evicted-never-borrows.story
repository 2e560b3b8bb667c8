# Who is never evicted takes nominal quota alone: what another queue lends could not be given back. And nobody is evicted
# for a job that nominal quota refuses.

cluster eu-1
nodes: 2 of 8 H100
group lab: owns 8 H100
queue theirs: below lab, owns 8 H100, evicts
queue ours: below lab, owns 8 H100
job low: 8 H100, in queue theirs, priority LOW
job firm: 4 H100, in queue theirs, priority HIGH
plan
  > firm starts on eu-1: eu-1-n001
  > low starts on eu-1: eu-1-n002
comes wide: 2 x 4 H100, in queue theirs, priority HIGH
comes borrows: 4 H100, in queue theirs
plan
  > borrows starts on eu-1: eu-1-n001
  > wide waits
  >   QUOTA: needs 8 gpu of H100/RESERVED, nominal quota of 'theirs' leaves 4 to jobs that are not preemptible (4 used by such of 8)
  >   CAPACITY: needs 8 H100, room for 0 (eu-1)

# Nominal quota has room again when one of its own kind ends: now others have to leave.
ends firm
plan
  > low is to leave, preempted by a job that precedes it in its queue
  > kept for wide: 2 on eu-1-n002 (PREEMPTION)
  > wide waits
  >   WAITING_FOR_VICTIMS: waits for 1 preemptible job with 8 GPUs to leave (eu-1); the capacity is reserved for it
