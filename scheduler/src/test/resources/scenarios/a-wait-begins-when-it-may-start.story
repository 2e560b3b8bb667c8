# Who is not to start before a time waits from then on: for reserved capacity, and until nodes are drained.

cluster own
nodes: 1 of 8 H100
cluster cloud: on-demand
nodes: 1 of 8 H100
job first: 8 H100
plan
  > first starts on own: own-n001

comes later: 8 H100, on-demand after 30M, not before 2H
comes wide: 8 H100, on own, not before 2H
passes 121M
plan
  > later waits
  >   CAPACITY: needs 8 H100 on one node, largest free node 0 (own)
  >   CAPACITY: ON_DEMAND capacity is considered only after the wait in placement.wait
  >   with placement.wait  instead of RESERVED it starts now on cloud
  > wide waits
  >   CAPACITY: needs 8 H100 on one node, largest free node 0 (own)
  >   with placement.clusters cloud instead of own it starts now on cloud

passes 30M
plan
  > later starts on cloud: cloud-n001
  > wide waits
  >   CAPACITY: needs 8 H100 on one node, largest free node 0 (own)

passes 30M
plan
  > kept for wide: own-n001 (DRAIN)
  > wide waits
  >   CAPACITY: needs 8 H100 on one node, largest free node 0 (own)
ends later

# Who ran and waits again has waited as long as before and since, not while it ran.
goes wide
comes patient: 8 H100, on-demand after 30M
passes 10M
ends first
plan
  > patient starts on own: own-n001
  > nothing is kept any more for a job that has gone

passes 5H
leaves patient
comes urgent: 8 H100, on own, priority HIGH
plan
  > urgent starts on own: own-n001
  > patient waits
  >   CAPACITY: needs 8 H100 on one node, largest free node 0 (own)
  >   CAPACITY: ON_DEMAND capacity is considered only after the wait in placement.wait
  >   with placement.wait  instead of RESERVED it starts now on cloud

passes 19M
plan
  > patient waits
  >   CAPACITY: needs 8 H100 on one node, largest free node 0 (own)
  >   CAPACITY: ON_DEMAND capacity is considered only after the wait in placement.wait
  >   with placement.wait  instead of RESERVED it starts now on cloud

passes 1M
plan
  > patient starts on cloud: cloud-n001
