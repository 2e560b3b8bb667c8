---------------------------- MODULE AttemptLease ----------------------------
(* One job, its attempts, two supervisors of which one may stand still at any *)
(* moment, and the cluster's objects. Creates travel: they may arrive late,   *)
(* also after their sender was deposed.                                       *)
EXTENDS Naturals, FiniteSets

CONSTANTS Supervisors, MostAttempts, MostEpochs,
          ClusterFence,   (* the cluster refuses a create under an old epoch  *)
          Evidence,       (* an attempt ends only with proof of its death    *)
          Resolved        (* own creates are resolved before absence counts, *)
                          (* and before a name is given free                 *)

Attempts == 1..MostAttempts

VARIABLES fence,        (* the epoch in the database                          *)
          mine,         (* epoch that each supervisor believes in, 0 for none *)
          row,          (* state of each attempt in the database             *)
          decided,      (* launches that a supervisor stored and has to send *)
          flying,       (* creates under way: attempt, epoch, sender          *)
          object,       (* what the cluster has under the attempt's name     *)
          clusterEpoch   (* the highest epoch the cluster was shown            *)

vars == <<fence, mine, row, decided, flying, object, clusterEpoch>>

Init ==
  /\ fence = 0
  /\ mine = [s \in Supervisors |-> 0]
  /\ row = [a \in Attempts |-> IF a = 1 THEN "planned" ELSE "none"]
  /\ decided = [s \in Supervisors |-> {}]
  /\ flying = {}
  /\ object = [a \in Attempts |-> "free"]
  /\ clusterEpoch = 0

Holds(s) == mine[s] = fence /\ fence > 0

Own(s, a) == a \in decided[s] \/ \E m \in flying : m.attempt = a /\ m.sender = s

TakeOver(s) ==
  /\ fence < MostEpochs
  /\ fence' = fence + 1
  /\ mine' = [mine EXCEPT ![s] = fence + 1]
  /\ decided' = [decided EXCEPT ![s] = {}]
  /\ UNCHANGED <<row, flying, object, clusterEpoch>>

ShowEpoch(s) ==
  /\ mine[s] > clusterEpoch
  /\ clusterEpoch' = mine[s]
  /\ UNCHANGED <<fence, mine, row, decided, flying, object>>

(* Under the fence; the send comes later, or never. *)
StoreLaunch(s, a) ==
  /\ Holds(s)
  /\ clusterEpoch = mine[s]
  /\ row[a] \in {"planned", "launching"}
  /\ object[a] = "free"
  /\ row' = [row EXCEPT ![a] = "launching"]
  /\ decided' = [decided EXCEPT ![s] = @ \union {a}]
  /\ UNCHANGED <<fence, mine, flying, object, clusterEpoch>>

Send(s, a) ==
  /\ a \in decided[s]
  /\ decided' = [decided EXCEPT ![s] = @ \ {a}]
  /\ flying' = flying \union {[attempt |-> a, epoch |-> mine[s], sender |-> s]}
  /\ UNCHANGED <<fence, mine, row, object, clusterEpoch>>

Arrive(m) ==
  /\ m \in flying
  /\ flying' = flying \ {m}
  /\ object' = IF object[m.attempt] = "free" /\ (~ClusterFence \/ m.epoch >= clusterEpoch)
               THEN [object EXCEPT ![m.attempt] = "alive"]
               ELSE object
  /\ UNCHANGED <<fence, mine, row, decided, clusterEpoch>>

Stop(s, a) ==
  /\ Holds(s)
  /\ row[a] \in {"planned", "launching"}
  /\ row' = [row EXCEPT ![a] = "stopping"]
  /\ UNCHANGED <<fence, mine, decided, flying, object, clusterEpoch>>

(* The process ends, by itself or because it was told to; the finalizer keeps the name. *)
Die(a) ==
  /\ object[a] = "alive"
  /\ object' = [object EXCEPT ![a] = "dead"]
  /\ UNCHANGED <<fence, mine, row, decided, flying, clusterEpoch>>

Absent(s, a) ==
  /\ row[a] = "stopping"
  /\ object[a] = "free"
  /\ clusterEpoch = mine[s]
  /\ Resolved => ~Own(s, a)

End(s, a) ==
  /\ Holds(s)
  /\ row[a] \in {"launching", "stopping"}
  /\ Evidence => (object[a] = "dead" \/ Absent(s, a))
  /\ row' = [row EXCEPT ![a] = "ended"]
  /\ UNCHANGED <<fence, mine, decided, flying, object, clusterEpoch>>

Retire(s, a) ==
  /\ Holds(s)
  /\ clusterEpoch = mine[s]
  /\ row[a] = "ended"
  /\ object[a] = "dead"
  /\ Resolved => ~Own(s, a)
  /\ object' = [object EXCEPT ![a] = "free"]
  /\ UNCHANGED <<fence, mine, row, decided, flying, clusterEpoch>>

TryAgain(a) ==
  /\ a < MostAttempts
  /\ row[a] = "ended"
  /\ row[a + 1] = "none"
  /\ row' = [row EXCEPT ![a + 1] = "planned"]
  /\ UNCHANGED <<fence, mine, decided, flying, object, clusterEpoch>>

Next ==
  \/ \E s \in Supervisors : TakeOver(s) \/ ShowEpoch(s)
  \/ \E s \in Supervisors, a \in Attempts :
       StoreLaunch(s, a) \/ Send(s, a) \/ Stop(s, a) \/ End(s, a) \/ Retire(s, a)
  \/ \E m \in flying : Arrive(m)
  \/ \E a \in Attempts : Die(a) \/ TryAgain(a)

Spec == Init /\ [][Next]_vars

OneAlive == Cardinality({a \in Attempts : object[a] = "alive"}) <= 1

DeadIsDead == \A a \in Attempts : row[a] = "ended" => object[a] # "alive"
=============================================================================
