# A window that opens later, beside a cluster that is full.

cluster own
nodes: 1 of 8 H100
cluster bought: from 1H, until 9H
nodes: 1 of 8 H100
job first: 8 H100, at most 8H
job second: 8 H100, at most 8H
plan
  > first starts on own: own-n001
  > second waits
  >   WINDOW_CLOSED: cluster bought may be used from 2026-03-01T13:00:00Z on
  >   CAPACITY: needs 8 H100 on one node, largest free node 0 (own)

passes 1H
plan
  > second starts on bought: bought-n001
