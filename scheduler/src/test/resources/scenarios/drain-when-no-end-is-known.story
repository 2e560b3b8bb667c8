# Nobody knows when the running jobs end: after an hour nodes are kept for the job that waits.

cluster eu-1
nodes: 2 of 8 H100
job left: 8 H100
job right: 4 H100
plan
  > left starts on eu-1: eu-1-n001
  > right starts on eu-1: eu-1-n002

comes wide: 2 x 8 H100
plan
  > wide waits
  >   CAPACITY: needs 16 H100, room for 0 (eu-1)
  >   with gpu.count 2 instead of 8 it starts now on eu-1

passes 61M
comes small: 4 H100
plan
  > kept for wide: eu-1-n001 and eu-1-n002 (DRAIN)
  > wide waits
  >   CAPACITY: needs 16 H100, room for 0 (eu-1)
  > small waits
  >   RESERVATION_CONFLICT: would start, but 16 GPUs are reserved for 1 waiting job before it: 16 gpu of H100/RESERVED until 2026-03-02T13:01:00Z
  >   CAPACITY: needs 4 H100 on one node, largest free node 0 (eu-1)

# One of two has ended, and the small one still waits: the place is for the wide one.
ends right
plan
  > wide waits
  >   CAPACITY: nodes are reserved for it (eu-1); 1 job with 8 GPUs still run there
  >   CAPACITY: needs 16 H100, room for 8 (eu-1)
  > small waits
  >   RESERVATION_CONFLICT: would start, but 16 GPUs are reserved for 1 waiting job before it: 16 gpu of H100/RESERVED until 2026-03-02T13:01:00Z
  >   CAPACITY: needs 4 H100 on one node, largest free node 0 (eu-1)

ends left
plan
  > wide starts on eu-1: eu-1-n001 and eu-1-n002
  > small waits
  >   CAPACITY: needs 4 H100 on one node, largest free node 0 (eu-1)

# A node that is drained for one goes out of service: nothing is kept beside it, and others do as well.
comes broad: 8 H100
passes 61M
plan
  > kept for small: eu-1-n001 (DRAIN)
  > small waits
  >   CAPACITY: needs 4 H100 on one node, largest free node 0 (eu-1)
  > broad waits
  >   CAPACITY: needs 8 H100 on one node, largest free node 0 (eu-1)
cordons eu-1-n001
plan
  > nothing is kept any more for small
  > kept for small: eu-1-n002 (DRAIN)
  > small waits
  >   CAPACITY: needs 4 H100 on one node, largest free node 0 (eu-1)
  > broad waits
  >   CAPACITY: needs 8 H100 on one node, largest free node 0 (eu-1)
