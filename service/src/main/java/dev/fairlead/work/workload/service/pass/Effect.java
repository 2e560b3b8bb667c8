package dev.fairlead.work.workload.service.pass;

import dev.fairlead.work.attempt.ClusterRefusal;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.workload.service.attempt.AttemptCase;
import java.util.SortedSet;

/** Result of a step on the cluster. */
sealed interface Effect {
  AttemptCase acted();

  /** The cluster accepted the attempt. */
  record Sent(AttemptCase acted) implements Effect {}

  /** No object of the attempt remains on the cluster. */
  record Left(AttemptCase acted) implements Effect {}

  /** These members were never created. */
  record Absent(AttemptCase acted, SortedSet<MemberKey> members) implements Effect {}

  /** The cluster refuses it permanently. */
  record Refused(AttemptCase acted, FailureCause cause, String message) implements Effect {}

  /**
   * The cluster refuses the attempt, rather than one of its nodes. Other clusters may accept it.
   */
  record TurnedAway(AttemptCase acted, ClusterRefusal kind, String message) implements Effect {}

  /** An object of the ended attempt remains on the cluster, for this reason. */
  record Stays(AttemptCase acted, String why) implements Effect {}

  /** No response, or more steps are needed. */
  record Later(AttemptCase acted) implements Effect {}

  /** The cluster has a higher epoch. */
  record Deposed(AttemptCase acted) implements Effect {}
}
