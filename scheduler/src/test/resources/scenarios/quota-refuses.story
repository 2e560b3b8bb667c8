# Nodes are free, but the queue has no quota left, and may not borrow.

cluster eu-1
nodes: 2 of 8 H100
queue team: owns 8 H100 borrowing 0
job first: 8 H100, in queue team
job second: 4 H100, in queue team
plan
  > first starts on eu-1: eu-1-n001
  > second waits
  >   QUOTA: needs 4 gpu of H100/RESERVED, quota of 'team' leaves 0 (8 used of 8)
