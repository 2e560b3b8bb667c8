package dev.fairlead.workload;

import java.util.SortedSet;

/** What came of an action. */
public sealed interface ActionOutcome {
  /**
   * Every call was answered and the effect is there (or under way, for deletes).
   *
   * @param absent members whose name was read as free, after every create of ours was resolved
   */
  record Done(SortedSet<MemberKey> absent) implements ActionOutcome {}

  /** The cluster refuses it as it is and will again: a foreign object on our name, an invalid field, a missing claim. */
  record Refused(String reason, String message) implements ActionOutcome {}

  /** A deposed supervisor: the cluster knows a higher term. */
  record Deposed(long term) implements ActionOutcome {}

  /** Not sent, or without an answer; to be tried again. */
  record Unavailable(String message) implements ActionOutcome {}
}
