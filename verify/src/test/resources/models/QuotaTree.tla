------------------------------ MODULE QuotaTree -----------------------------
(* Two queues below a root that has less than both were promised. A planner   *)
(* writes by what it once read; who is below its nominal share takes back     *)
(* what another borrows, and waits until the victim is dead. A job that lost  *)
(* its place queues again, and every end may be told twice.                   *)
EXTENDS Naturals, FiniteSets

CONSTANTS InA, InB, (* jobs of the two queues                                   *)
          Locked,         (* limits are judged by counters in the transaction   *)
          WholePath,      (* the root's limit is judged as well as the queue's  *)
          OnlyBorrowers,  (* a victim's queue has more than its nominal share   *)
          Promised,       (* what a victim frees is kept for whom it was told   *)
          Once            (* an end that is told again gives nothing back       *)

VARIABLES state,     (* of each job: queued, running, told, done                *)
          used,      (* counter of each queue                                   *)
          promised,  (* jobs for which victims were told                        *)
          seen,      (* counters as a planner read them                         *)
          again      (* jobs whose end was told twice                           *)

Queues == {"a", "b"}

Jobs == InA \union InB

Of == [j \in Jobs |-> IF j \in InA THEN "a" ELSE "b"]

(* Promised are three, there are two; who borrows may have all. *)
Capacity == 2

Nominal == [a |-> 1, b |-> 2]

Most == [a |-> 2, b |-> 2]

vars == <<state, used, promised, seen, again>>

Init ==
  /\ state = [j \in Jobs |-> "queued"]
  /\ used = [q \in Queues |-> 0]
  /\ promised = {}
  /\ seen = used
  /\ again = {}

Holds(j) == state[j] \in {"running", "told"}

Holders(q) == {j \in Jobs : Of[j] = q /\ Holds(j)}

RECURSIVE Sum(_, _)
Sum(counters, queues) ==
  IF queues = {} THEN 0
  ELSE LET q == CHOOSE x \in queues : TRUE IN counters[q] + Sum(counters, queues \ {q})

Fits(j, counters) ==
  LET q == Of[j]
      others == {o \in promised : o # j}
      kept == IF Promised THEN Cardinality(others) ELSE 0
      keptHere == IF Promised THEN Cardinality({o \in others : Of[o] = q}) ELSE 0
  IN /\ counters[q] + keptHere + 1 <= Most[q]
     /\ WholePath => Sum(counters, Queues) + kept + 1 <= Capacity

Read ==
  /\ seen' = used
  /\ UNCHANGED <<state, used, promised, again>>

Admit(j) ==
  /\ state[j] = "queued"
  /\ Fits(j, IF Locked THEN used ELSE seen)
  /\ state' = [state EXCEPT ![j] = "running"]
  /\ used' = [used EXCEPT ![Of[j]] = @ + 1]
  /\ promised' = promised \ {j}
  /\ UNCHANGED <<seen, again>>

(* What is told to leave counts as gone where victims are chosen. *)
Stays(q) == Cardinality({j \in Jobs : Of[j] = q /\ state[j] = "running"})

Reclaim(j, victim) ==
  LET q == Of[j]
  IN /\ state[j] = "queued"
     /\ j \notin promised
     /\ ~Fits(j, used)
     /\ used[q] + Cardinality({o \in promised : Of[o] = q}) < Nominal[q]
     /\ state[victim] = "running"
     /\ Of[victim] # q
     /\ OnlyBorrowers => Stays(Of[victim]) > Nominal[Of[victim]]
     /\ state' = [state EXCEPT ![victim] = "told"]
     /\ promised' = promised \union {j}
     /\ UNCHANGED <<used, seen, again>>

Leave(j) ==
  /\ state[j] = "told"
  /\ state' = [state EXCEPT ![j] = "queued"]
  /\ used' = [used EXCEPT ![Of[j]] = @ - 1]
  /\ promised' = IF Promised THEN promised ELSE {}
  /\ UNCHANGED <<seen, again>>

End(j) ==
  /\ Holds(j)
  /\ state' = [state EXCEPT ![j] = "done"]
  /\ used' = [used EXCEPT ![Of[j]] = @ - 1]
  /\ UNCHANGED <<promised, seen, again>>

EndAgain(j) ==
  /\ state[j] = "done"
  /\ j \notin again
  /\ again' = again \union {j}
  /\ used' = IF Once \/ used[Of[j]] = 0 THEN used ELSE [used EXCEPT ![Of[j]] = @ - 1]
  /\ UNCHANGED <<state, promised, seen>>

Next ==
  \/ Read
  \/ \E j \in Jobs :
       Admit(j) \/ Leave(j) \/ End(j) \/ EndAgain(j) \/ \E v \in Jobs : Reclaim(j, v)

Spec ==
  /\ Init /\ [][Next]_vars
  /\ WF_vars(Read)
  /\ \A j \in Jobs :
       WF_vars(Admit(j)) /\ WF_vars(Leave(j)) /\ WF_vars(End(j))

CountersAreRows == \A q \in Queues : used[q] = Cardinality(Holders(q))

NotTooMuch ==
  /\ \A q \in Queues : Cardinality(Holders(q)) <= Most[q]
  /\ Cardinality({j \in Jobs : Holds(j)}) <= Capacity

EveryJobEnds == \A j \in Jobs : <>(state[j] = "done")
=============================================================================
