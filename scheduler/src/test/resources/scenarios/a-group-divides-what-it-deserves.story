# Two groups deserve 8 of 16 each. The only queue of one uses all; it has no more than its group could offer, but its group
# has more than it deserves: so it gives.

cluster eu-1
nodes: 2 of 8 H100
group org: owns 16 H100, divides
group east: below org, owns 0 H100, divides
group west: below org, owns 0 H100, divides
queue red: below east, owns 0 H100, reclaims, fairly
queue blue: below west, owns 0 H100, reclaims, fairly
job red-1: 8 H100, in queue red
job red-2: 8 H100, in queue red
plan
  > red-1 starts on eu-1: eu-1-n001
  > red-2 starts on eu-1: eu-1-n002

passes 1H
comes blue-1: 8 H100, in queue blue
plan
  > red-2 is to leave, preempted: its queue used more than its share
  > kept for blue-1: eu-1-n002 (PREEMPTION)
  > blue-1 waits
  >   WAITING_FOR_VICTIMS: waits for 1 preemptible job with 8 GPUs to leave (eu-1); the capacity is reserved for it
