# A gang that is never evicted does not grow into nominal quota that a job of its kind waits for; it does once that is gone.

cluster eu-1
nodes: 1 of 8 H100
group lab: owns 8 H100
queue team: below lab, owns 4 H100
job other: 6 H100, in queue team
plan
  > other starts on eu-1: eu-1-n001
comes gang: 1 to 4 x 1 H100, in queue team, priority HIGH
plan
  > gang starts on eu-1: 2 on eu-1-n001
passes 10M
comes wide: 3 H100, in queue team, priority HIGH
ends other
plan
  > wide waits
  >   QUOTA: needs 3 gpu of H100/RESERVED, nominal quota of 'team' leaves 2 to jobs that are not preemptible (2 used by such of 4)
  >   with gpu.count 2 instead of 3 it starts now on eu-1
  >   with preemption.allowed true instead of false it starts now on eu-1
goes wide
plan
  > gang grows by 2: 2 on eu-1-n001
