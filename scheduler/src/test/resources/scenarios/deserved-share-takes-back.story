# A group divides its GPUs by weight: red, green and blue deserve 4, 4 and 8 of 16 once all ask for more.
# Who has more than it deserves gives, down to what it deserves; who has no more gives nothing.

cluster eu-1
nodes: 2 of 8 H100
group org: owns 16 H100, divides
queue red: below org, weight 1, owns 0 H100, reclaims, fairly
queue green: below org, weight 1, owns 0 H100, reclaims, fairly
queue blue: below org, weight 2, owns 0 H100, reclaims, fairly
job green-1: 4 H100, in queue green
job red-1: 4 H100, in queue red
job red-2: 4 H100, in queue red
job red-3: 4 H100, in queue red
job red-4: 4 H100, in queue red
job green-2: 4 H100, in queue green
plan
  > green-1 starts on eu-1: eu-1-n001
  > red-1 starts on eu-1: eu-1-n001
  > red-2 starts on eu-1: eu-1-n002
  > green-2 starts on eu-1: eu-1-n002
  > red-3 waits
  >   QUOTA: needs 4 gpu of H100/RESERVED, quota of 'org' leaves 0 (16 used of 16)
  >   CAPACITY: needs 4 H100 on one node, largest free node 0 (eu-1)
  > red-4 waits
  >   QUOTA: needs 4 gpu of H100/RESERVED, quota of 'org' leaves 0 (16 used of 16)
  >   CAPACITY: needs 4 H100 on one node, largest free node 0 (eu-1)

passes 1H
comes blue-1: 4 H100, in queue blue
comes blue-2: 4 H100, in queue blue
comes blue-3: 4 H100, in queue blue
plan
  > green-2 is to leave, preempted: its queue used more than its share
  > kept for blue-1: eu-1-n002 (PREEMPTION)
  > red-2 is to leave, preempted: its queue used more than its share
  > kept for blue-2: eu-1-n002 (PREEMPTION)
  > blue-1 waits
  >   WAITING_FOR_VICTIMS: waits for 1 preemptible job with 4 GPUs to leave (eu-1); the capacity is reserved for it
  > blue-2 waits
  >   WAITING_FOR_VICTIMS: waits for 1 preemptible job with 4 GPUs to leave (eu-1); the capacity is reserved for it
  > blue-3 waits
  >   QUOTA: needs 4 gpu of H100/RESERVED, quota of 'org' leaves 0 (16 used of 16)
  >   CAPACITY: needs 4 H100 on one node, largest free node 0 (eu-1)
  > red-3 waits
  >   QUOTA: needs 4 gpu of H100/RESERVED, quota of 'org' leaves 0 (16 used of 16)
  >   CAPACITY: needs 4 H100 on one node, largest free node 0 (eu-1)
  > red-4 waits
  >   QUOTA: needs 4 gpu of H100/RESERVED, quota of 'org' leaves 0 (16 used of 16)
  >   CAPACITY: needs 4 H100 on one node, largest free node 0 (eu-1)
