package dev.fairlead.work.workload;

import dev.fairlead.work.attempt.member.MemberKey;
import java.util.SortedSet;

/** Result of an action. */
public sealed interface ActionOutcome {
  /**
   * Every call was answered and has taken effect (or is in progress, for deletes).
   *
   * @param absent members with a free name, after every create by Fairlead was resolved
   */
  record Done(SortedSet<MemberKey> absent) implements ActionOutcome {}

  /** The cluster permanently refuses it. */
  record Refused(Why why, String message) implements ActionOutcome {}

  /** Reason why a cluster refuses an action. */
  enum Why {
    /** An object that is not ours has the name. */
    NAME_TAKEN,
    /** The planned node was deleted, or is cordoned, tainted or not ready. */
    PLACE_REFUSED,
    /** The object is invalid on every cluster. */
    INVALID,
    /** The cluster lacks a volume claim that the job mounts, which another cluster may have. */
    CLAIM_MISSING,
    /** A rule of this cluster denies it: an admission policy, a webhook, a limit range. */
    DENIED,
    /**
     * It accepts no such object from any client in the namespace for now: a full quota, a missing
     * permission, a namespace that is being removed, or a webhook that does not respond.
     */
    NOT_NOW,
    /** The cluster or its adapter does not support it */
    UNSUPPORTED
  }

  /** A deposed supervisor: the cluster has a higher epoch. */
  record Deposed(long epoch) implements ActionOutcome {}

  /** The event was not sent, or no response arrived. The call may be tried again. */
  record Unavailable(String message) implements ActionOutcome {}
}
