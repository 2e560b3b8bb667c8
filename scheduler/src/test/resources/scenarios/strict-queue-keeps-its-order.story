# In a strict queue nobody passes the head; in another queue the same small job starts.

cluster eu-1
nodes: 1 of 8 H100, 1 of 4 H100
queue strict: strict
queue loose
job runs: 8 H100, in queue loose
plan
  > runs starts on eu-1: eu-1-n001

comes wide: 8 H100, in queue strict
comes behind: 1 H100, in queue strict
comes beside: 1 H100, in queue loose
plan
  > beside starts on eu-1: eu-1-n002
  > wide waits
  >   CAPACITY: needs 8 H100 on one node, largest free node 3 (eu-1)
  >   with gpu.count 3 instead of 8 it starts now on eu-1
  > behind waits
  >   RESERVATION_CONFLICT: queue 'strict' is STRICT_FIFO: jobs behind its first waiting job do not pass it
