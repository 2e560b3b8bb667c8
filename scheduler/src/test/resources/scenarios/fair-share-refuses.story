# Both borrow from their group, which has nothing left. By fair share a queue takes only from one that has a larger share than
# its own with the job; a job that waits for this shows both shares. A queue that never takes shows quota alone.

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
  >   FAIR_SHARE: with it 'first' would have a share of 0.667, 'second' has the largest of the others, 0.667: by fair share a queue only gives capacity to a queue that has less afterwards
  >   CAPACITY: needs 8 H100 on one node, largest free node 0 (eu-1)
  > much waits
  >   QUOTA: needs 16 gpu of H100/RESERVED, quota of 'both' leaves 0 (24 used of 24)
  >   FAIR_SHARE: with it 'first' would have a share of 1.000, 'second' has the largest of the others, 0.667: by fair share a queue only gives capacity to a queue that has less afterwards
  >   CAPACITY: needs 16 H100, room for 0 (eu-1)

# With a smaller one the queue has less than the other: the newest job of the other gives way, also where less would do.
comes less: 4 H100, in queue first
plan
  > three is to leave, preempted: its queue used more than its share
  > kept for less: eu-1-n003 (PREEMPTION)
  > unfair waits
  >   QUOTA: needs 8 gpu of H100/RESERVED, quota of 'both' leaves 0 (24 used of 24)
  >   CAPACITY: needs 8 H100 on one node, largest free node 0 (eu-1)
  > more waits
  >   QUOTA: needs 8 gpu of H100/RESERVED, quota of 'both' leaves 0 (24 used of 24)
  >   FAIR_SHARE: with it 'first' would have a share of 0.834, 'second' has the largest of the others, 0.334: by fair share a queue only gives capacity to a queue that has less afterwards
  >   CAPACITY: needs 8 H100 on one node, largest free node 0 (eu-1)
  > much waits
  >   QUOTA: needs 16 gpu of H100/RESERVED, quota of 'both' leaves 0 (24 used of 24)
  >   FAIR_SHARE: with it 'first' would have a share of 1.167, 'second' has the largest of the others, 0.334: by fair share a queue only gives capacity to a queue that has less afterwards
  >   CAPACITY: needs 16 H100, room for 0 (eu-1)
  > less waits
  >   WAITING_FOR_VICTIMS: waits for 1 preemptible job with 8 GPUs to leave (eu-1); the capacity is reserved for it
