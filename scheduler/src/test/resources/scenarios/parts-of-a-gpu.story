# Parts of GPUs go where they leave the least unusable; a whole GPU still finds a node.

cluster eu-1: sharing
nodes: 2 of 2 H100
job half: 0.5 H100
job other: 0.5 H100
job quarter: 0.3 H100
job whole: 2 H100
plan
  > half starts on eu-1: eu-1-n001
  > other starts on eu-1: eu-1-n001
  > quarter starts on eu-1: eu-1-n001
  > whole starts on eu-1: eu-1-n002
