# Two jobs of different queues are to have the cores that one leaves and those that are free: nobody else gets any.
# Fails when what comes free once is counted for both.

cluster eu-1
nodes: 1 of 8 H100
queue left
queue right
job endless: 8 H100, 64 cores, in queue left
plan
  > endless starts on eu-1: eu-1-n001

comes first: 4 H100, 64 cores, in queue left
comes second: 4 H100, 64 cores, in queue right
passes 61M
comes third: 32 cores, in queue right
plan
  > kept for first: eu-1-n001 (DRAIN)
  > kept for second: eu-1-n001 (DRAIN)
  > first waits
  >   CAPACITY: needs 4 H100 on one node, largest free node 0 (eu-1)
  > second waits
  >   CAPACITY: needs 4 H100 on one node, largest free node 0 (eu-1)
  > third waits
  >   RESERVATION_CONFLICT: would start, but 4 GPUs are reserved for 1 waiting job before it: 4 gpu of H100/RESERVED until 2026-03-02T13:01:00Z
  >   CAPACITY: needs 1 x 32 cpu and 2Gi, room for 0 (eu-1)

ends endless
plan
  > first starts on eu-1: eu-1-n001
  > second starts on eu-1: eu-1-n001
  > third waits
  >   CAPACITY: needs 1 x 32 cpu and 2Gi, room for 0 (eu-1)
