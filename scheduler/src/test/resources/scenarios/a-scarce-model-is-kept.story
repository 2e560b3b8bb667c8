# Who has the choice leaves a model to those who can use no other, as long as these ask for all that is free.

cluster eu-1
nodes: 1 of 8 A100, 2 of 8 H200
job any: 8 GPUs
job needy: 8 A100
plan
  > any starts on eu-1: eu-1-n002
  > needy starts on eu-1: eu-1-n001

# Where nobody needs it, price and name decide.
comes second: 8 GPUs
ends needy
plan
  > second starts on eu-1: eu-1-n001
comes third: 8 GPUs
comes late: 8 A100
plan
  > third starts on eu-1: eu-1-n003
  > late waits
  >   CAPACITY: needs 8 A100 on one node, largest free node 0 (eu-1)
