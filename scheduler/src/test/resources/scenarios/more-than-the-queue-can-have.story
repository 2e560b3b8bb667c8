# The head of a strict queue asks for more than the limits up to the root would ever give: it is told how much that is, and
# the jobs behind it start. Once the limit is raised it is a head as any other, and nobody passes it.

cluster eu-1
nodes: 8 of 8 H100
group org: owns 24 H100
queue team: below org, strict, owns 8 H100 borrowing 8
queue other: below org, owns 8 H100
job large: 4 x 8 H100, in queue team
job behind: 8 H100, in queue team
plan
  > behind starts on eu-1: eu-1-n001
  > large waits
  >   NEVER_FITS: needs 32 gpu of H100/RESERVED, queue 'team' can have at most 16
  >   with workers 1 instead of 4 it starts now on eu-1
  >   with gpu.count 2 instead of 8 it starts now on eu-1

limits team: owns 8 H100 borrowing 24
comes later: 8 H100, in queue team
plan
  > large waits
  >   QUOTA: needs 32 gpu of H100/RESERVED, quota of 'team' leaves 24 (8 used of 8)
  >   with workers 3 instead of 4 it starts now on eu-1
  >   with gpu.count 6 instead of 8 it starts now on eu-1
  > later waits
  >   RESERVATION_CONFLICT: queue 'team' is STRICT_FIFO: jobs behind its first waiting job do not pass it

ends behind
plan
  > large starts on eu-1: eu-1-n001 and eu-1-n002 and eu-1-n003 and eu-1-n004
  > later waits
  >   QUOTA: needs 8 gpu of H100/RESERVED, quota of 'team' leaves 0 (32 used of 8)
