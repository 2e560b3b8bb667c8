# Nothing is kept, and nobody leaves, for a job that could not end in time any more when its place is free.

cluster block: until 4H
nodes: 1 of 8 H100
queue research: evicts lower priority
queue other
job runs: 8 H100, at most 3H, in queue other, priority HIGH
plan
  > runs starts on block: block-n001

# It could start in three hours, and would end after the window closes.
comes too-long: 8 H100, at most 90M, in queue other
comes gap: 4 H100, at most 30M, in queue research
plan
  > kept for gap: block-n001 from in 3H (BACKFILL)
  > too-long waits
  >   CAPACITY: needs 8 H100 on one node, largest free node 0 (block)
  > gap waits
  >   CAPACITY: needs 4 H100 on one node, largest free node 0 (block)
  >   may start in 3H: every job takes its longest runtime (its own or its queue's), and no job is added

# This one ends before.
comes fits: 8 H100, at most 30M, in queue research, priority HIGH
plan
  > kept for fits: block-n001 from in 3H (BACKFILL)
  > nothing is kept any more for gap
  > fits waits
  >   CAPACITY: needs 8 H100 on one node, largest free node 0 (block)
  >   may start in 3H: every job takes its longest runtime (its own or its queue's), and no job is added
  > too-long waits
  >   CAPACITY: needs 8 H100 on one node, largest free node 0 (block)
  > gap waits
  >   CAPACITY: needs 4 H100 on one node, largest free node 0 (block)
  >   may start in 3H30M: every job takes its longest runtime (its own or its queue's), and no job is added

# By its deadline it has to start within half an hour.
comes hurried: 8 H100, at most 30M, over by 1H, in queue other, priority HIGH
plan
  > fits waits
  >   CAPACITY: needs 8 H100 on one node, largest free node 0 (block)
  >   may start in 3H: every job takes its longest runtime (its own or its queue's), and no job is added
  > hurried waits
  >   CAPACITY: needs 8 H100 on one node, largest free node 0 (block)
  > too-long waits
  >   CAPACITY: needs 8 H100 on one node, largest free node 0 (block)
  > gap waits
  >   CAPACITY: needs 4 H100 on one node, largest free node 0 (block)
  >   may start in 3H30M: every job takes its longest runtime (its own or its queue's), and no job is added

ends runs
goes fits
goes too-long
goes hurried
passes 1M
plan
  > gap starts on block: block-n001
  > nothing is kept any more for a job that has gone

# Who leaves may take 30 seconds, and then it is too late.
passes 2H
comes urgent: 8 H100, at most 119M, in queue research, priority HIGH
plan
  > kept for urgent: block-n001 from in 0S (BACKFILL)
  > urgent waits
  >   CAPACITY: needs 8 H100 on one node, largest free node 0 (block)
  >   may start in 0S: every job takes its longest runtime (its own or its queue's), and no job is added

goes urgent
comes in-time: 8 H100, at most 118M, in queue research, priority HIGH
plan
  > gap is to leave, preempted by a job that precedes it in its queue
  > kept for in-time: block-n001 (PREEMPTION)
  > nothing is kept any more for a job that has gone
  > in-time waits
  >   WAITING_FOR_VICTIMS: waits for 1 preemptible job with 4 GPUs to leave (block); the capacity is reserved for it

# The window is changed by the time that passes: the place is kept no longer.
passes 2M
plan
  > nothing is kept any more for in-time
  > in-time waits
  >   WINDOW_CLOSED: cluster block can be used until 2026-03-01T16:00:00Z: only jobs whose maxRuntime ends before then start there
