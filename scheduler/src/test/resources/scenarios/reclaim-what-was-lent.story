# What a queue lends comes back when it asks: whoever borrowed it goes, its owner takes no more than its own.

cluster eu-1
nodes: 2 of 8 H100
group lab: owns 16 H100
queue ours: below lab, owns 8 H100, reclaims lent
queue theirs: below lab, owns 8 H100
job inside: 8 H100, in queue theirs
job borrowed: 8 H100, in queue theirs
plan
  > inside starts on eu-1: eu-1-n001
  > borrowed starts on eu-1: eu-1-n002

comes owner: 8 H100, in queue ours
comes more: 8 H100, in queue ours
plan
  > borrowed is to leave, preempted: another queue reclaimed quota that its queue had borrowed
  > kept for owner: eu-1-n002 (PREEMPTION)
  > owner waits
  >   WAITING_FOR_VICTIMS: waits for 1 preemptible job with 8 GPUs to leave (eu-1); the capacity is reserved for it
  > more waits
  >   CAPACITY: needs 8 H100 on one node, largest free node 0 (eu-1)
