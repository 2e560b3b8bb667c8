# Reserved capacity first; what is on demand only after the job has waited as long as it said.

cluster own
nodes: 1 of 8 H100
cluster cloud: on-demand
nodes: 1 of 8 H100
job first: 8 H100
plan
  > first starts on own: own-n001

comes patient: 8 H100, on-demand after 30M
plan
  > patient waits
  >   CAPACITY: needs 8 H100 on one node, largest free node 0 (own)
  >   CAPACITY: ON_DEMAND capacity is considered only after the wait in placement.wait
  >   with placement.wait  instead of RESERVED it starts now on cloud

passes 31M
plan
  > patient starts on cloud: cloud-n001
