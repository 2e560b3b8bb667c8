# Nodes of the other cluster are free, and so is quota for the moment: but once others have left for the job that has a
# place, it takes more than they give back.

cluster eu-1
nodes: 2 of 8 H100
cluster us-1
nodes: 2 of 8 H100
group org
queue owner: below org, reclaims, owns 24 H100
queue guest: below org, owns 0 H100
job lent: 8 H100, in queue guest, on eu-1
plan
  > lent starts on eu-1: eu-1-n001

comes wide: 2 x 8 H100, in queue owner, on eu-1
comes second: 2 x 8 H100, in queue guest, on us-1
plan
  > lent is to leave, preempted: another queue reclaimed quota that its queue had borrowed
  > kept for wide: eu-1-n001 and eu-1-n002 (PREEMPTION)
  > wide waits
  >   WAITING_FOR_VICTIMS: waits for 1 preemptible job with 8 GPUs to leave (eu-1); the capacity is reserved for it
  > second waits
  >   RESERVATION_CONFLICT: needs 16 gpu of H100/RESERVED, quota of 'org' leaves 8 in addition to the 16 reserved for 1 waiting job: 16 gpu of H100/RESERVED until 2026-03-01T12:10:30Z
  >   with workers 1 instead of 2 it starts now on us-1
  >   with gpu.count 4 instead of 8 it starts now on us-1

leaves lent
plan
  > wide starts on eu-1: eu-1-n001 and eu-1-n002
  > lent waits
  >   CAPACITY: needs 8 H100 on one node, largest free node 0 (eu-1)
  >   with placement.clusters us-1 instead of eu-1 it starts now on us-1
  > second waits
  >   QUOTA: needs 16 gpu of H100/RESERVED, quota of 'org' leaves 8 (16 used of 24)
  >   with workers 1 instead of 2 it starts now on us-1
  >   with gpu.count 4 instead of 8 it starts now on us-1
