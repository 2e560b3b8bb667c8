# Each queue owns 8 of 16 and red uses 10, 5 on each node. Blue owns what it asks for, and quota has room for it; no node has.
# Red has no more than it deserves, since nothing else is asked for, but more than it owns: so one of its jobs leaves.

cluster eu-1
nodes: 2 of 8 H100
group org: owns 0 H100, divides
queue red: below org, owns 8 H100, reclaims, fairly
queue blue: below org, owns 8 H100, reclaims, fairly
job red-1: 5 H100, in queue red
job red-2: 5 H100, in queue red
plan
  > red-1 starts on eu-1: eu-1-n001
  > red-2 starts on eu-1: eu-1-n002

passes 1H
comes blue-1: 6 H100, in queue blue
plan
  > red-2 is to leave, preempted: another queue reclaimed quota that its queue had borrowed
  > kept for blue-1: eu-1-n002 (PREEMPTION)
  > blue-1 waits
  >   WAITING_FOR_VICTIMS: waits for 1 preemptible job with 5 GPUs to leave (eu-1); the capacity is reserved for it
