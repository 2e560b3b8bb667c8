# The node of a place is avoided for a moment when it comes free: nobody else is told to leave for the same job.

cluster eu-1
nodes: 2 of 8 H100
queue research: evicts lower priority
job left: 8 H100, in queue research, priority LOW
job right: 8 H100, in queue research, priority LOW
plan
  > left starts on eu-1: eu-1-n001
  > right starts on eu-1: eu-1-n002

passes 10M
comes urgent: 8 H100, in queue research, priority HIGH
plan
  > right is to leave, preempted by a job that precedes it in its queue
  > kept for urgent: eu-1-n002 (PREEMPTION)
  > urgent waits
  >   WAITING_FOR_VICTIMS: waits for 1 preemptible job with 8 GPUs to leave (eu-1); the capacity is reserved for it

fails right: NODE_FAILURE
plan
  > urgent waits
  >   BACKING_OFF: its reserved capacity is free (eu-1), but avoided after failed attempts until 2026-03-01T12:10:30Z
  >   BACKING_OFF: would start, but 1 node that could take it is avoided after 1 failed attempt; tried there from 2026-03-01T12:10:30Z on
  > right waits
  >   CAPACITY: needs 8 H100 on one node, largest free node 0 (eu-1)

passes 30S
plan
  > urgent starts on eu-1: eu-1-n002
  > right waits
  >   CAPACITY: needs 8 H100 on one node, largest free node 0 (eu-1)
