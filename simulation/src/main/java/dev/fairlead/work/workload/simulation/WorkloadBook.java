package dev.fairlead.work.workload.simulation;

import dev.fairlead.kernel.keyring.Secret;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.ObjectNames;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.workload.WorkloadView;
import dev.fairlead.work.workload.judgement.ObservedWorkload;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Objects on a cluster, their changes, and the attempts that never get a pod again. */
final class WorkloadBook {
  /** Most changes and stopped attempts in memory. */
  static final int CAPACITY = 65_536;

  private final SortedMap<AttemptId, SimulatedWorkload> workloads = new TreeMap<>();
  private final LinkedHashSet<AttemptId> stopped = new LinkedHashSet<>();
  private final LinkedHashSet<String> removed = new LinkedHashSet<>();
  private final ChangeLog log;

  WorkloadBook(Instant start) {
    log = new ChangeLog(start, CAPACITY);
  }

  @Nullable SimulatedWorkload find(AttemptId attempt) {
    return workloads.get(attempt);
  }

  Stream<SimulatedWorkload> all() {
    return workloads.values().stream();
  }

  void add(SimulatedWorkload workload) {
    workloads.put(workload.attempt, workload);
  }

  void changed(SimulatedWorkload workload) {
    workload.changed();
    log.touch(workload.attempt);
    if (workload.empty()) {
      workloads.remove(workload.attempt);
    }
  }

  /** Stops the attempt: a launch that arrives later creates nothing. */
  void stop(AttemptId attempt) {
    stopped.add(attempt);
    if (stopped.size() > CAPACITY) {
      stopped.removeFirst();
    }
  }

  boolean stopped(AttemptId attempt) {
    return stopped.contains(attempt);
  }

  /** Stops one member of an attempt that continues. */
  void remove(AttemptId attempt, MemberKey member) {
    removed.add(ObjectNames.pod(attempt, member));
    if (removed.size() > CAPACITY) {
      removed.removeFirst();
    }
  }

  boolean removed(AttemptId attempt, MemberKey member) {
    return removed.contains(ObjectNames.pod(attempt, member));
  }

  WorkloadView since(long revision) {
    List<AttemptId> changed = log.since(revision);
    return changed == null
        ? new WorkloadView(log.revision(), true, observed(workloads.keySet()))
        : new WorkloadView(log.revision(), false, observed(changed));
  }

  /** Names of the pods with a running process, visible or not. */
  SortedSet<String> processes() {
    return names(SimulatedPod::processRuns);
  }

  /** Names of the pods that a dead kubelet should have ended. */
  SortedSet<String> overdue() {
    return names(SimulatedPod::overdue);
  }

  private SortedSet<String> names(Predicate<SimulatedPod> wanted) {
    SortedSet<String> names = new TreeSet<>();
    for (SimulatedWorkload workload : workloads.values()) {
      workload.pods.values().stream().filter(wanted).forEach(pod -> names.add(pod.name()));
    }
    return names;
  }

  private SortedMap<AttemptId, ObservedWorkload> observed(Iterable<AttemptId> attempts) {
    SortedMap<AttemptId, ObservedWorkload> seen = new TreeMap<>();
    for (AttemptId attempt : attempts) {
      SimulatedWorkload workload = workloads.get(attempt);
      seen.put(attempt, workload == null ? ObservedWorkload.nothing(attempt) : workload.observed());
    }
    return seen;
  }

  /**
   * @throws IllegalArgumentException when it does not exist
   */
  SimulatedPod pod(AttemptId attempt, MemberKey member) {
    SimulatedWorkload workload = find(attempt);
    SimulatedPod pod = workload == null ? null : workload.pods.get(member);
    if (pod == null) {
      throw new IllegalArgumentException("no member " + member.text() + " of " + attempt.text());
    }
    return pod;
  }

  /** Secrets of its pods. */
  SortedMap<String, Secret> secret(AttemptId attempt) {
    SimulatedWorkload workload = find(attempt);
    return workload == null ? Collections.emptySortedMap() : workload.secret();
  }
}
