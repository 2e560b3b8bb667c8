# Slices of one GPU lie where their profiles may lie, and leave the most to others; nobody else gets that GPU whole.

cluster sim-1: cuts GPUs
nodes: 1 of 2 H100
job three: 1 x slice 3g.40gb
job one: 1 x slice 1g.10gb
job whole: 1 H100
job four: 1 x slice 4g.40gb
job seven: 1 x slice 7g.80gb
plan
  > three starts on sim-1: sim-1-n001
  > one starts on sim-1: sim-1-n001
  > whole starts on sim-1: sim-1-n001
  > four waits
  >   CAPACITY: needs 1 x 1 4g.40gb, room for 0 (sim-1)
  > seven waits
  >   CAPACITY: needs 1 x 1 7g.80gb, room for 0 (sim-1)

# A slice that the profile has no place for waits, although its part of the memory is free elsewhere.
ends three
plan
  > four waits
  >   CAPACITY: needs 1 x 1 4g.40gb, room for 0 (sim-1)
  > seven waits
  >   CAPACITY: needs 1 x 1 7g.80gb, room for 0 (sim-1)
