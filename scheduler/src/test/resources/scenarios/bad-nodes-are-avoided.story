# A node that failed a job is not given to it again for a while; when two jobs failed there, to nobody.

cluster eu-1
nodes: 2 of 8 H100
job one: 8 H100
plan
  > one starts on eu-1: eu-1-n001

fails one: START_TIMEOUT
plan
  > one starts on eu-1: eu-1-n002

# The only other node is taken, so the second time it waits until the first node is tried again.
comes two: 8 H100
plan
  > two starts on eu-1: eu-1-n001
fails two: PLACEMENT_CONFLICT
ends one
comes three: 8 H100
comes four: 8 H100
plan
  > two starts on eu-1: eu-1-n002
  > three waits
  >   BACKING_OFF: would start, but 1 node that could take it is avoided after 2 failed attempts; tried there from 2026-03-01T12:01:00Z on
  > four waits
  >   BACKING_OFF: would start, but 1 node that could take it is avoided after 2 failed attempts; tried there from 2026-03-01T12:01:00Z on

passes 10S
plan
  > three waits
  >   BACKING_OFF: would start, but 1 node that could take it is avoided after 2 failed attempts; tried there from 2026-03-01T12:01:00Z on
  > four waits
  >   BACKING_OFF: would start, but 1 node that could take it is avoided after 2 failed attempts; tried there from 2026-03-01T12:01:00Z on
passes 50S
plan
  > three starts on eu-1: eu-1-n001
  > four waits
  >   CAPACITY: needs 8 H100 on one node, largest free node 0 (eu-1)
