---------------------------- MODULE EventStream -----------------------------
(* Writers take a transaction id at their first write, change rows in any     *)
(* order and commit in any order; a reader follows by (transaction, sequence) *)
(* and folds what it reads. A row's lock orders the versions of an aggregate. *)
EXTENDS Naturals, FiniteSets

CONSTANTS Writers, Aggregates, MostEvents,
          BelowOldest,    (* the reader stops below the oldest open transaction *)
          ByVersion       (* a fold takes only a version above the one it has   *)

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

Change(w, a) ==
  /\ xid[w] > 0
  /\ nextSeq <= MostEvents
  /\ locks[a] = "none"
  /\ locks' = [locks EXCEPT ![a] = w]
  /\ pending' = pending \union {[xid |-> xid[w], seq |-> nextSeq, of |-> a, version |-> version[a] + 1]}
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

After(e, p) == e.xid > p[1] \/ (e.xid = p[1] /\ e.seq > p[2])

Readable ==
  {e \in events : After(e, cursor) /\ (BelowOldest => \A x \in Open : e.xid < x)}

First(e) == \A other \in Readable : other = e \/ After(other, <<e.xid, e.seq>>)

Read ==
  \E e \in Readable :
    /\ First(e)
    /\ cursor' = <<e.xid, e.seq>>
    /\ delivered' = delivered \union {e}
    /\ folded' = [folded EXCEPT ![e.of] = IF ByVersion /\ e.version < @ THEN @ ELSE e.version]
    /\ UNCHANGED <<nextXid, nextSeq, xid, locks, version, pending, events>>

Next ==
  \/ \E w \in Writers : Begin(w) \/ Commit(w) \/ Abort(w)
  \/ \E w \in Writers, a \in Aggregates : Change(w, a)
  \/ Read

Spec == Init /\ [][Next]_vars

(* What lies behind the reader was delivered: nothing is skipped. *)
NothingSkipped == \A e \in events : After(e, cursor) \/ e \in delivered

(* With everything read, the reader believes what is stored. *)
FoldIsTrue ==
  (delivered = events /\ pending = {}) => \A a \in Aggregates : folded[a] = version[a]
=============================================================================
