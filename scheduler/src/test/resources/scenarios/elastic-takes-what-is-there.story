# An elastic gang starts with what there is.

cluster eu-1
nodes: 3 of 8 H100
job taken: 8 H100
job elastic: 1 to 4 x 8 H100
plan
  > taken starts on eu-1: eu-1-n001
  > elastic starts on eu-1: eu-1-n002 and eu-1-n003
