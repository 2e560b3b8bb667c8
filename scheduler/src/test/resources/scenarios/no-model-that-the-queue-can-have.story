# Every model that could hold the job is named with what the queue can have of it. Of A100 it could have enough, but no
# cluster has as many. The group above owns less than the queue may borrow.

cluster eu-1
nodes: 4 of 8 H100, 1 of 8 A100
cluster us-1
nodes: 4 of 8 H200
group org: owns 8 H100, owns 0 H200, owns 64 A100
queue team: below org, owns 4 H100 borrowing 64, owns 16 H200 borrowing 0, owns 0 A100
job wide: 4 x 8 GPUs, in queue team
plan
  > wide waits
  >   NEVER_FITS: needs 32 gpu of H100/RESERVED, queue 'team' can have at most 12, by the quota of 'org'
  >   NEVER_FITS: needs 32 gpu of H200/RESERVED, queue 'team' can have at most 16, by the quota of 'org'
  >   with workers 2 instead of 4 it starts now on us-1
  >   with gpu.count 4 instead of 8 it starts now on us-1
