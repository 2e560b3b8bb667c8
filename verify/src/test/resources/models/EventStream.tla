---------------------------- MODULE EventStream -----------------------------
(* Writers take a transaction id at their first write, change rows in any     *)
(* order and commit in any order; a reader follows by (position, sequence)    *)
(* and folds what it reads. A row's lock orders the versions of an aggregate; *)
(* an event's position is its transaction's id, or the greatest position of   *)
(* its aggregate's events where that is greater.                              *)
EXTENDS Naturals, FiniteSets

CONSTANTS Writers, Aggregates, MostEvents,
          BelowOldest,    (* the reader stops below the oldest open transaction *)
          BehindEarlier   (* an event stands behind its aggregate's earlier ones *)

VARIABLES nextXid, nextSeq,
          xid,       (* of each writer's open transaction, 0 for none          *)
          locks,     (* who holds the row of each aggregate, "none"            *)
          version,   (* committed version of each aggregate                    *)
          pending,   (* events of open transactions                            *)
          events,    (* committed events                                       *)
          cursor,    (* position up to which the reader has read               *)
          delivered, (* events the reader got                                  *)
          folded     (* version of each aggregate that the reader believes in  *)

vars == <<nextXid, nextSeq, xid, locks, version, pending, events, cursor, delivered, folded>>

Init ==
  /\ nextXid = 1 /\ nextSeq = 1
  /\ xid = [w \in Writers |-> 0]
  /\ locks = [a \in Aggregates |-> "none"]
  /\ version = [a \in Aggregates |-> 0]
  /\ pending = {} /\ events = {}
  /\ cursor = <<0, 0>>
  /\ delivered = {}
  /\ folded = [a \in Aggregates |-> 0]

Begin(w) ==
  /\ xid[w] = 0
  /\ nextSeq <= MostEvents
  /\ nextXid <= MostEvents
  /\ xid' = [xid EXCEPT ![w] = nextXid]
  /\ nextXid' = nextXid + 1
  /\ UNCHANGED <<nextSeq, locks, version, pending, events, cursor, delivered, folded>>

Of(a) == {e \in events : e.of = a}

Greatest(S) == CHOOSE x \in S : \A y \in S : x >= y

Position(w, a) ==
  IF BehindEarlier THEN Greatest({xid[w]} \union {e.at : e \in Of(a)}) ELSE xid[w]

Change(w, a) ==
  /\ xid[w] > 0
  /\ nextSeq <= MostEvents
  /\ locks[a] = "none"
  /\ locks' = [locks EXCEPT ![a] = w]
  /\ pending' = pending \union 
       {[xid |-> xid[w], at |-> Position(w, a), seq |-> nextSeq, of |-> a, version |-> version[a] + 1]}
  /\ nextSeq' = nextSeq + 1
  /\ UNCHANGED <<nextXid, xid, version, events, cursor, delivered, folded>>

Mine(w) == {e \in pending : e.xid = xid[w]}

Finish(w) ==
  /\ pending' = pending \ Mine(w)
  /\ locks' = [a \in Aggregates |-> IF locks[a] = w THEN "none" ELSE locks[a]]
  /\ xid' = [xid EXCEPT ![w] = 0]
  /\ UNCHANGED <<nextXid, nextSeq, cursor, delivered, folded>>

Commit(w) ==
  /\ xid[w] > 0
  /\ events' = events \union Mine(w)
  /\ version' = [a \in Aggregates |-> version[a] + Cardinality({e \in Mine(w) : e.of = a})]
  /\ Finish(w)

Abort(w) ==
  /\ xid[w] > 0
  /\ UNCHANGED <<events, version>>
  /\ Finish(w)

Open == {xid[w] : w \in Writers} \ {0}

After(e, p) == e.at > p[1] \/ (e.at = p[1] /\ e.seq > p[2])

Readable ==
  {e \in events : After(e, cursor) /\ (BelowOldest => \A x \in Open : e.at < x)}

First(e) == \A other \in Readable : other = e \/ After(other, <<e.at, e.seq>>)

Read ==
  \E e \in Readable :
    /\ First(e)
    /\ cursor' = <<e.at, e.seq>>
    /\ delivered' = delivered \union {e}
    /\ folded' = [folded EXCEPT ![e.of] = e.version]
    /\ UNCHANGED <<nextXid, nextSeq, xid, locks, version, pending, events>>

Next ==
  \/ \E w \in Writers : Begin(w) \/ Commit(w) \/ Abort(w)
  \/ \E w \in Writers, a \in Aggregates : Change(w, a)
  \/ Read

Spec == Init /\ [][Next]_vars

(* What lies behind the reader was delivered: nothing is skipped. *)
NothingSkipped == \A e \in events : After(e, cursor) \/ e \in delivered

(* What is delivered of an aggregate is delivered in the order of its versions. *)
InOrder ==
  \A e, f \in events : (e.of = f.of /\ e.version < f.version) => After(f, <<e.at, e.seq>>)

(* With everything read, the reader believes what is stored. *)
FoldIsTrue ==
  (delivered = events /\ pending = {}) => \A a \in Aggregates : folded[a] = version[a]
=============================================================================
