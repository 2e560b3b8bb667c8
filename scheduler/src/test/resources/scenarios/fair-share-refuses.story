# Both borrow from their group, which has nothing left. By fair share a queue takes only from one that keeps as much as it
# would have with the job: who would have as much or more is told both shares. A queue that never takes is told quota alone.

cluster eu-1
nodes: 3 of 8 H100
group both: owns 24 H100
queue first: below both, owns 0 H100, reclaims any, fairly
queue second: below both, owns 0 H100, reclaims any, fairly
queue third: below both, owns 0 H100
job one: 8 H100, in queue first
job two: 8 H100, in queue second
job three: 8 H100, in queue second
plan
  > one starts on eu-1: eu-1-n001
  > two starts on eu-1: eu-1-n002
  > three starts on eu-1: eu-1-n003

passes 1M
comes more: 8 H100, in queue first
comes much: 2 x 8 H100, in queue first
comes unfair: 8 H100, in queue third
plan
  > unfair waits
  >   QUOTA: needs 8 gpu of H100/RESERVED, quota of 'both' leaves 0 (24 used of 24)
  >   CAPACITY: needs 8 H100 on one node, largest free node 0 (eu-1)
  > more waits
  >   QUOTA: needs 8 gpu of H100/RESERVED, quota of 'both' leaves 0 (24 used of 24)
  >   FAIR_SHARE: with it 'first' would have a share of 0.667, 'second' has the largest of the others, 0.667: by fair share they give only while they keep as much
  >   CAPACITY: needs 8 H100 on one node, largest free node 0 (eu-1)
  > much waits
  >   QUOTA: needs 16 gpu of H100/RESERVED, quota of 'both' leaves 0 (24 used of 24)
  >   FAIR_SHARE: with it 'first' would have a share of 1.000, 'second' has the largest of the others, 0.667: by fair share they give only while they keep as much
  >   CAPACITY: needs 16 H100, room for 0 (eu-1)

# With a smaller one the queue would have less than the other, only no job of the other is small enough: that is not told.
comes less: 4 H100, in queue first
plan
  > unfair waits
  >   QUOTA: needs 8 gpu of H100/RESERVED, quota of 'both' leaves 0 (24 used of 24)
  >   CAPACITY: needs 8 H100 on one node, largest free node 0 (eu-1)
  > more waits
  >   QUOTA: needs 8 gpu of H100/RESERVED, quota of 'both' leaves 0 (24 used of 24)
  >   FAIR_SHARE: with it 'first' would have a share of 0.667, 'second' has the largest of the others, 0.667: by fair share they give only while they keep as much
  >   CAPACITY: needs 8 H100 on one node, largest free node 0 (eu-1)
  > much waits
  >   QUOTA: needs 16 gpu of H100/RESERVED, quota of 'both' leaves 0 (24 used of 24)
  >   FAIR_SHARE: with it 'first' would have a share of 1.000, 'second' has the largest of the others, 0.667: by fair share they give only while they keep as much
  >   CAPACITY: needs 16 H100, room for 0 (eu-1)
  > less waits
  >   QUOTA: needs 4 gpu of H100/RESERVED, quota of 'both' leaves 0 (24 used of 24)
  >   CAPACITY: needs 4 H100 on one node, largest free node 0 (eu-1)
