# What keeps a job back besides room: a held queue, a time, another job, a model that is not there.

cluster eu-1
nodes: 1 of 8 H100, cordoned, 1 of 8 H100
queue held: held
job held: 1 H100, in queue held
job later: 1 H100, not before 2H
job dependent: 1 H100, after nightly
job foreign: 1 L4
job wide: 2 x 8 H100
plan
  > held waits
  >   QUEUE_STOPPED: queue 'held' is held and starts no jobs
  > later waits
  >   NOT_BEFORE: not to start before 2026-03-01T14:00:00Z
  > dependent waits
  >   DEPENDENCY: waits for nightly
  > foreign waits
  >   NEVER_FITS: no node has L4; there are H100
  >   with gpu.model H100 instead of L4 it starts now on eu-1
  > wide waits
  >   CAPACITY: needs 16 H100, room for 8 (eu-1)
  >   with workers 1 instead of 2 it starts now on eu-1
  >   with gpu.count 4 instead of 8 it starts now on eu-1
