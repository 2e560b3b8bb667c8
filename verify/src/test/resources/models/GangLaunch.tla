----------------------------- MODULE GangLaunch -----------------------------
(* Two gangs of the size of the cluster. Places are reserved, members created *)
(* one by one, a start may time out and is rolled back; the supervisor may    *)
(* crash between any two steps and knows nothing afterwards but the rows.     *)
EXTENDS Naturals, FiniteSets

CONSTANTS Gangs, Members, Capacity,
          Whole,          (* all places of a gang are taken in one transaction *)
          DeadFirst       (* places are given back only when every member died *)

VARIABLES state,   (* of each gang: queued, launching, stopping, running, done *)
          held,    (* places it holds                                          *)
          pods,    (* members whose process lives                              *)
          tries

vars == <<state, held, pods, tries>>

MostTries == 2

Init ==
  /\ state = [g \in Gangs |-> "queued"]
  /\ held = [g \in Gangs |-> 0]
  /\ pods = [g \in Gangs |-> {}]
  /\ tries = [g \in Gangs |-> 0]

Size == Cardinality(Members)

RECURSIVE Sum(_)
Sum(gangs) ==
  IF gangs = {} THEN 0 ELSE LET g == CHOOSE x \in gangs : TRUE IN held[g] + Sum(gangs \ {g})

Used == Sum(Gangs)

Reserve(g) ==
  /\ state[g] = "queued"
  /\ IF Whole
     THEN /\ Used + Size <= Capacity
          /\ held' = [held EXCEPT ![g] = Size]
          /\ state' = [state EXCEPT ![g] = "launching"]
     ELSE /\ Used < Capacity
          /\ held' = [held EXCEPT ![g] = @ + 1]
          /\ state' = [state EXCEPT ![g] = IF held[g] + 1 = Size THEN "launching" ELSE "queued"]
  /\ UNCHANGED <<pods, tries>>

(* Sent again after a crash: the name makes it one. *)
Create(g, m) ==
  /\ state[g] = "launching"
  /\ m \notin pods[g]
  /\ pods' = [pods EXCEPT ![g] = @ \union {m}]
  /\ UNCHANGED <<state, held, tries>>

AllRun(g) ==
  /\ state[g] = "launching"
  /\ pods[g] = Members
  /\ state' = [state EXCEPT ![g] = "running"]
  /\ UNCHANGED <<held, pods, tries>>

TimeOut(g) ==
  /\ state[g] = "launching"
  /\ pods[g] # Members
  /\ tries[g] < MostTries
  /\ tries' = [tries EXCEPT ![g] = @ + 1]
  /\ state' = [state EXCEPT ![g] = "stopping"]
  /\ UNCHANGED <<held, pods>>

Die(g, m) ==
  /\ state[g] \in {"stopping", "running"}
  /\ m \in pods[g]
  /\ pods' = [pods EXCEPT ![g] = @ \ {m}]
  /\ UNCHANGED <<state, held, tries>>

GiveBack(g) ==
  /\ state[g] \in {"stopping", "running"}
  /\ DeadFirst => pods[g] = {}
  /\ held' = [held EXCEPT ![g] = 0]
  /\ state' = [state EXCEPT ![g] = IF state[g] = "running" THEN "done" ELSE "queued"]
  /\ UNCHANGED <<pods, tries>>

Next ==
  \E g \in Gangs :
    \/ Reserve(g) \/ AllRun(g) \/ TimeOut(g) \/ GiveBack(g)
    \/ \E m \in Members : Create(g, m) \/ Die(g, m)

Spec ==
  /\ Init /\ [][Next]_vars
  /\ \A g \in Gangs :
       /\ SF_vars(Reserve(g)) /\ WF_vars(AllRun(g)) /\ WF_vars(GiveBack(g))
       /\ \A m \in Members : WF_vars(Create(g, m)) /\ WF_vars(Die(g, m))

NotTooMuch == Used <= Capacity

NoProcessWithoutPlace == \A g \in Gangs : Cardinality(pods[g]) <= held[g]

EveryGangEnds == \A g \in Gangs : <>(state[g] = "done")
=============================================================================
