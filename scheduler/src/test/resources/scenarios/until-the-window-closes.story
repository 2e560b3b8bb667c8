# Capacity that is bought for a time: only what ends before it closes starts there.

cluster block: until 4H
nodes: 2 of 8 H100
job short: 8 H100, at most 2H
job long: 8 H100, at most 5H
job open-ended: 8 H100
plan
  > short starts on block: block-n001
  > long waits
  >   WINDOW_CLOSED: cluster block can be used until 2026-03-01T16:00:00Z: only jobs whose maxRuntime ends before then start there
  >   with maxRuntime 239m instead of longer or none it starts now on block
  > open-ended waits
  >   WINDOW_CLOSED: cluster block can be used until 2026-03-01T16:00:00Z: only jobs whose maxRuntime ends before then start there
  >   with maxRuntime 239m instead of longer or none it starts now on block

passes 3H
ends short
comes late: 8 H100, at most 2H
plan
  > long waits
  >   WINDOW_CLOSED: cluster block can be used until 2026-03-01T16:00:00Z: only jobs whose maxRuntime ends before then start there
  >   with maxRuntime 59m instead of longer or none it starts now on block
  > open-ended waits
  >   WINDOW_CLOSED: cluster block can be used until 2026-03-01T16:00:00Z: only jobs whose maxRuntime ends before then start there
  >   with maxRuntime 59m instead of longer or none it starts now on block
  > late waits
  >   WINDOW_CLOSED: cluster block can be used until 2026-03-01T16:00:00Z: only jobs whose maxRuntime ends before then start there
  >   with maxRuntime 59m instead of longer or none it starts now on block

passes 2H
plan
  > long waits
  >   WINDOW_CLOSED: cluster block may no longer be used since 2026-03-01T16:00:00Z
  > open-ended waits
  >   WINDOW_CLOSED: cluster block may no longer be used since 2026-03-01T16:00:00Z
  > late waits
  >   WINDOW_CLOSED: cluster block may no longer be used since 2026-03-01T16:00:00Z
