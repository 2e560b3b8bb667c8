# A deadline: who runs is taken to end by then, who waits fails once it could no longer end in time.

cluster one
nodes: 1 of 8 H100
job runs: 8 H100, over by 4H
job waits: 8 H100, at most 1H, over by 3H
job open-ended: 8 H100, over by 3H
plan
  > runs starts on one: one-n001
  > waits waits
  >   CAPACITY: needs 8 H100 on one node, largest free node 0 (one)
  > open-ended waits
  >   CAPACITY: needs 8 H100 on one node, largest free node 0 (one)

passes 121M
plan
  > waits fails
  > waits waits
  >   MISCONFIGURED: it can no longer end before its deadline 2026-03-01T15:00:00Z with its maxRuntime
  >   CAPACITY: needs 8 H100 on one node, largest free node 0 (one)
  > open-ended waits
  >   CAPACITY: needs 8 H100 on one node, largest free node 0 (one)

goes waits
passes 1H
plan
  > open-ended fails
  > open-ended waits
  >   MISCONFIGURED: its deadline 2026-03-01T15:00:00Z has passed
  >   CAPACITY: needs 8 H100 on one node, largest free node 0 (one)
