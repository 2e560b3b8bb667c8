# A gang starts whole or not at all, and in one rack where it asks for that.

cluster eu-1
nodes: rack r1, 3 of 8 H100, rack r2, 1 of 8 H100
job single: 8 H100
job trio: 3 x 8 H100, in one rack
plan
  > single starts on eu-1: eu-1-n001
  > trio waits
  >   TOPOLOGY: needs 24 H100 in one rack, largest free rack 16 (eu-1)
  >   with workers 2 instead of 3 it starts now on eu-1
  >   with gpu.count 4 instead of 8 it starts now on eu-1
  >   with topology prefer rack instead of rack it starts now on eu-1

# Its rack is free again.
ends single
plan
  > trio starts on eu-1: eu-1-n001 and eu-1-n002 and eu-1-n003
