package dev.fairlead.work.workload.service.pass;

import dev.fairlead.work.attempt.ClusterRefusal;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.attempt.MemberKey;
import dev.fairlead.work.workload.service.attempt.AttemptCase;
import java.util.SortedSet;

/** What came of a step on the cluster. */
sealed interface Effect {
  AttemptCase acted();

  /** The cluster took it. */
  record Sent(AttemptCase acted) implements Effect {}

  /** Nothing of the attempt is left on the cluster. */
  record Left(AttemptCase acted) implements Effect {}

  /** These members were never created. */
  record Absent(AttemptCase acted, SortedSet<MemberKey> members) implements Effect {}

  /** The cluster will not take it. */
  record Refused(AttemptCase acted, FailureCause cause, String message) implements Effect {}

  /** The cluster, not a node of it, will not take it: others may. */
  record TurnedAway(AttemptCase acted, ClusterRefusal kind, String message) implements Effect {}

  /** Something of the ended attempt stays on the cluster, for this reason. */
  record Stays(AttemptCase acted, String why) implements Effect {}

  /** No answer, or more to come. */
  record Later(AttemptCase acted) implements Effect {}

  /** The cluster knows a higher term. */
  record Deposed(AttemptCase acted) implements Effect {}
}
