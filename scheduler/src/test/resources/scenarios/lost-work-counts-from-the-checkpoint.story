# Who saved its work goes first, though it has run for longer: less is lost with it.

cluster eu-1
nodes: 2 of 8 H100
queue research: evicts lower priority
job old: 8 H100, in queue research, priority LOW
plan
  > old starts on eu-1: eu-1-n001

passes 1H
comes young: 8 H100, in queue research, priority LOW
plan
  > young starts on eu-1: eu-1-n002

passes 10M
saves old
passes 5M
comes urgent: 8 H100, in queue research, priority HIGH
plan
  > old is to leave, preempted by a job that precedes it in its queue
  > kept for urgent: eu-1-n001 (PREEMPTION)
  > urgent waits
  >   WAITING_FOR_VICTIMS: waits for 1 preemptible job with 8 GPUs to leave (eu-1); the capacity is reserved for it
