# Two queues own nothing and borrow from their group: who comes later takes by fair share until both have as much.

cluster eu-1
nodes: 2 of 8 H100
group both: owns 16 H100
queue first: below both, owns 0 H100, reclaims any, fairly
queue second: below both, owns 0 H100, reclaims any, fairly
job one: 8 H100, in queue first
job two: 8 H100, in queue first
plan
  > one starts on eu-1: eu-1-n001
  > two starts on eu-1: eu-1-n002

passes 1M
comes three: 8 H100, in queue second
comes four: 8 H100, in queue second
plan
  > two is to leave, preempted: its queue used more than its share
  > kept for three: eu-1-n002 (PREEMPTION)
  > three waits
  >   WAITING_FOR_VICTIMS: waits for 1 preemptible job with 8 GPUs to leave (eu-1); the capacity is reserved for it
  > four waits
  >   QUOTA: needs 8 gpu of H100/RESERVED, quota of 'both' leaves 0 (16 used of 16)
  >   FAIR_SHARE: with it 'second' would have a share of 1.000, 'first' has the largest of the others, 0.500: by fair share a queue only gives capacity to a queue that has less afterwards
  >   CAPACITY: needs 8 H100 on one node, largest free node 0 (eu-1)

leaves two
plan
  > three starts on eu-1: eu-1-n002
  > two waits
  >   QUOTA: needs 8 gpu of H100/RESERVED, quota of 'both' leaves 0 (16 used of 16)
  >   FAIR_SHARE: with it 'first' would have a share of 1.000, 'second' has the largest of the others, 0.500: by fair share a queue only gives capacity to a queue that has less afterwards
  >   CAPACITY: needs 8 H100 on one node, largest free node 0 (eu-1)
  > four waits
  >   QUOTA: needs 8 gpu of H100/RESERVED, quota of 'both' leaves 0 (16 used of 16)
  >   FAIR_SHARE: with it 'second' would have a share of 1.000, 'first' has the largest of the others, 0.500: by fair share a queue only gives capacity to a queue that has less afterwards
  >   CAPACITY: needs 8 H100 on one node, largest free node 0 (eu-1)
