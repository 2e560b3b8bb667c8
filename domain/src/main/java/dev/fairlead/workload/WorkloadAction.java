package dev.fairlead.workload;

import dev.fairlead.job.AttemptId;
import dev.fairlead.job.MemberKey;
import java.time.Duration;
import java.util.List;

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
   * The result is stored: releases the tracking of the pods and deletes every object of the
   * attempt, anchor last. Not before every create of a member is resolved: its name must not become
   * free for one that comes late.
   */
  record Retire(AttemptId attempt, String namespace, List<MemberKey> members)
      implements WorkloadAction {
    public Retire {
      members = List.copyOf(members);
    }
  }

  /**
   * Sets how many members others may not evict: all of them as launched, 0 to let a drain of
   * somebody else finish. An attempt without a budget is left as it is.
   */
  record Budget(AttemptId attempt, String namespace, int minAvailable) implements WorkloadAction {}
}
