# Two queues borrow what is left: the one with twice the weight gets twice as much.

cluster eu-1
nodes: 3 of 4 H100
group lab: owns 12 H100
queue heavy: below lab, weight 2, owns 0 H100
queue light: below lab, weight 1, owns 0 H100
job heavy: 6 elements, 2 H100, in queue heavy
job light: 6 elements, 2 H100, in queue light
plan
  > heavy[0] starts on eu-1: eu-1-n001
  > heavy[1] starts on eu-1: eu-1-n001
  > light[0] starts on eu-1: eu-1-n002
  > heavy[2] starts on eu-1: eu-1-n002
  > heavy[3] starts on eu-1: eu-1-n003
  > light[1] starts on eu-1: eu-1-n003
  > heavy waits
  >   QUOTA: needs 2 gpu of H100/RESERVED, quota of 'lab' leaves 0 (12 used of 12)
  >   CAPACITY: needs 2 H100 on one node, largest free node 0 (eu-1)
  > light waits
  >   QUOTA: needs 2 gpu of H100/RESERVED, quota of 'lab' leaves 0 (12 used of 12)
  >   CAPACITY: needs 2 H100 on one node, largest free node 0 (eu-1)
