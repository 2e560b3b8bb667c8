package dev.fairlead.work.workload;

import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.DeathEvidence;
import dev.fairlead.work.attempt.MemberKey;
import dev.fairlead.work.attempt.ObjectNames;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** What a supervisor does on a cluster. Each may be repeated without harm. */
public sealed interface WorkloadAction {
  AttemptId attempt();

  /**
   * Creates whatever of the attempt is missing; objects of ours that are there already are adopted.
   */
  record Launch(AttemptId attempt, LaunchOrder order) implements WorkloadAction {}

  /**
   * Deletes the pods with the grace period. Members that the cluster has never shown are looked up
   * by name, live; those whose name is free are reported absent.
   */
  record Stop(AttemptId attempt, String namespace, Duration grace, List<MemberKey> members)
      implements WorkloadAction {
    public Stop {
      members = List.copyOf(members);
    }

    /** The same for these members alone. */
    public Remove ofMembers() {
      return new Remove(attempt, namespace, grace, members);
    }
  }

  /**
   * Ends these members alone, as {@link Stop}: the attempt lives on. None of them gets a pod any
   * more, however late a launch of it comes.
   */
  record Remove(AttemptId attempt, String namespace, Duration grace, List<MemberKey> members)
      implements WorkloadAction {
    public Remove {
      members = List.copyOf(members);
    }
  }

  /**
   * Asks the programs of the attempt to save their work: what is in {@link
   * ObjectNames#CHECKPOINT_FILE} of each member becomes the time until which they are waited for.
   * Repeated, the last time counts. Members that are not there, or do not run, are left as they
   * are.
   */
  record Ask(AttemptId attempt, String namespace, List<MemberKey> members, Instant until)
      implements WorkloadAction {
    public Ask {
      members = List.copyOf(members);
    }
  }

  /**
   * The result is stored: releases the tracking of the pods and deletes every object of the
   * attempt, anchor last. Not before every create of a member is resolved: its name must not become
   * free for one that comes late.
   *
   * @param members all of them, those that left earlier too
   * @param neverCreated those that were proven to have no pod, so a cluster need not look for one
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

    /** Of the whole attempt. */
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
   * Sets how many members others may not evict: all of them as launched, 0 to let a drain of
   * somebody else finish. An attempt without a budget is left as it is.
   */
  record Budget(AttemptId attempt, String namespace, int minAvailable) implements WorkloadAction {}
}
