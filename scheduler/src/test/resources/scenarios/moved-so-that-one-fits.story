# Neither of two nodes takes eight GPUs: on a cluster that moves jobs, one goes to the other node.

cluster eu-1: spreads, consolidates
nodes: 2 of 8 H100
job small-a: 2 H100
job small-b: 2 H100, at least 2H
job small-c: 1 H100
plan
  > small-a starts on eu-1: eu-1-n001
  > small-b starts on eu-1: eu-1-n002
  > small-c starts on eu-1: eu-1-n001

# A wide job comes. It has waited for nothing yet, and who moves would lose its work.
passes 20M
comes wide: 8 H100
plan
  > wide waits
  >   CAPACITY: needs 8 H100 on one node, largest free node 6 (eu-1)
  >   with gpu.count 6 instead of 8 it starts now on eu-1

# Now that is paid for, and one place is as good as the other: small-b is in its first two hours.
passes 15M
plan
  > small-a is to leave, moved to another node, where capacity is reserved for it, so that a waiting job fits here
  > small-c is to leave, moved to another node, where capacity is reserved for it, so that a waiting job fits here
  > kept for wide: eu-1-n001 (PREEMPTION)
  > kept for small-a: eu-1-n002 (PREEMPTION)
  > kept for small-c: eu-1-n002 (PREEMPTION)
  > wide waits
  >   WAITING_FOR_VICTIMS: waits for 2 preemptible jobs with 3 GPUs to leave (eu-1); the capacity is reserved for it

# Who moves has its place, whatever comes meanwhile.
leaves small-a
leaves small-c
comes other: 4 H100, priority HIGH
plan
  > small-a starts on eu-1: eu-1-n002
  > small-c starts on eu-1: eu-1-n002
  > wide starts on eu-1: eu-1-n001
  > other waits
  >   CAPACITY: needs 4 H100 on one node, largest free node 3 (eu-1)
  >   CAPACITY: 1 job of lower priority in queue 'default' runs with 2 GPUs, and preemption is off in this queue
  >   with gpu.count 3 instead of 4 it starts now on eu-1

# Nobody is moved back.
passes 1H
ends wide
comes late: 4 H100
plan
  > other starts on eu-1: eu-1-n001
  > late starts on eu-1: eu-1-n001
