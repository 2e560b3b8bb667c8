package dev.fairlead.work.workload;

import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.ObjectNames;
import dev.fairlead.work.attempt.member.DeathEvidence;
import dev.fairlead.work.attempt.member.MemberKey;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Action of a supervisor on a cluster. Each may be repeated without harm. */
public sealed interface WorkloadAction {
  AttemptId attempt();

  /** Creates the missing objects of the attempt. Adopts existing objects of Fairlead. */
  record Launch(AttemptId attempt, LaunchOrder order) implements WorkloadAction {}

  /**
   * Deletes the pods with the grace period. Members never listed by the cluster are looked up by
   * name, live. Members without a pod of their name are reported absent.
   */
  record Stop(AttemptId attempt, String namespace, Duration grace, List<MemberKey> members)
      implements WorkloadAction {
    public Stop {
      members = List.copyOf(members);
    }

    /** Returns the removal limited to these members. */
    public Remove ofMembers() {
      return new Remove(attempt, namespace, grace, members);
    }
  }

  /**
   * Ends only these members, as {@link Stop}: the attempt continues. These members get no other
   * pod, even if a launch arrives late.
   */
  record Remove(AttemptId attempt, String namespace, Duration grace, List<MemberKey> members)
      implements WorkloadAction {
    public Remove {
      members = List.copyOf(members);
    }
  }

  /**
   * Requests a checkpoint from the programs of the attempt: {@link ObjectNames#CHECKPOINT_FILE} of
   * each member gets the deadline. Repeated, the last time counts. Skips members that do not exist
   * or do not run.
   */
  record Ask(AttemptId attempt, String namespace, List<MemberKey> members, Instant until)
      implements WorkloadAction {
    public Ask {
      members = List.copyOf(members);
    }
  }

  /**
   * The result is stored: releases the tracking of the pods and deletes every object of the
   * attempt, anchor last. Waits until every create of a member is resolved, because its name must
   * not become free for a late create.
   *
   * @param members all members, including members that left earlier
   * @param neverCreated members proven to have no pod, so a cluster need not look for one
   */
  record Retire(
      AttemptId attempt,
      String namespace,
      List<MemberKey> members,
      SortedSet<MemberKey> neverCreated)
      implements WorkloadAction {
    public Retire {
      members = List.copyOf(members);
      neverCreated = Collections.unmodifiableSortedSet(new TreeSet<>(neverCreated));
    }

    /** For the whole attempt. */
    public static Retire of(Attempt attempt, String namespace) {
      List<MemberKey> members = attempt.everyMember().stream().map(MemberKey::of).toList();
      SortedSet<MemberKey> neverCreated =
          attempt.everyMember().stream()
              .filter(member -> member.evidence() == DeathEvidence.NEVER_CREATED)
              .map(MemberKey::of)
              .collect(Collectors.toCollection(TreeSet::new));
      return new Retire(attempt.id(), namespace, members, neverCreated);
    }
  }

  /**
   * Sets the number of members protected from eviction by others: all at launch, 0 to let a foreign
   * drain finish. An attempt without a budget is not changed.
   */
  record Budget(AttemptId attempt, String namespace, int minAvailable) implements WorkloadAction {}
}
