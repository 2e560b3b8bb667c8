package dev.fairlead.workload.simulation;

import dev.fairlead.job.AttemptId;
import dev.fairlead.job.MemberKey;
import dev.fairlead.workload.ObservedMember;
import dev.fairlead.workload.ObservedWorkload;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The objects of one attempt on a cluster. */
final class SimulatedWorkload {
  final AttemptId attempt;
  final String job;
  final int number;
  final SortedMap<MemberKey, SimulatedPod> pods = new TreeMap<>();

  /** Anchor, service and budget, which a gang has. */
  private boolean others;

  /** Members that nobody may evict. */
  private int minAvailable;

  private @Nullable ObservedWorkload seen;

  SimulatedWorkload(AttemptId attempt, String job, int number, boolean others) {
    this.attempt = attempt;
    this.job = job;
    this.number = number;
    this.others = others;
  }

  int minAvailable() {
    return minAvailable;
  }

  void minAvailable(int members) {
    minAvailable = members;
  }

  void removeOthers() {
    others = false;
  }

  void changed() {
    seen = null;
  }

  boolean empty() {
    return pods.isEmpty() && !others;
  }

  ObservedWorkload observed() {
    if (seen == null) {
      SortedMap<MemberKey, ObservedMember> members = new TreeMap<>();
      pods.forEach((key, pod) -> members.put(key, pod.observed()));
      seen = new ObservedWorkload(attempt, members, others);
    }
    return seen;
  }
}
