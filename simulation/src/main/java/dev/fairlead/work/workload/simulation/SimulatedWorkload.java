package dev.fairlead.work.workload.simulation;

import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.keyring.Secret;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.workload.LaunchOrder;
import dev.fairlead.work.workload.judgement.ObservedMember;
import dev.fairlead.work.workload.judgement.ObservedWorkload;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The objects of one attempt on a cluster. */
final class SimulatedWorkload {
  final AttemptId attempt;
  final String job;
  final JobId jobId;
  final SortedMap<String, String> annotations;
  final int number;
  final SortedMap<MemberKey, SimulatedPod> pods = new TreeMap<>();

  /** Secrets of its pods, from its first launch. */
  private SortedMap<String, Secret> secret;

  /** Whether it has an anchor, service, budget or secret in addition to its pods. */
  private boolean others;

  /** Number of members that are protected from eviction. */
  private int minAvailable;

  private @Nullable ObservedWorkload seen;

  SimulatedWorkload(LaunchOrder order) {
    this.attempt = order.attempt().id();
    this.job = order.job().name();
    this.jobId = order.job().id();
    this.annotations = order.job().spec().annotations();
    this.number = order.attempt().number();
    this.secret = order.secretData();
    this.others = order.job().spec().gang() || !secret.isEmpty();
  }

  SortedMap<String, Secret> secret() {
    return secret;
  }

  int minAvailable() {
    return minAvailable;
  }

  void minAvailable(int members) {
    minAvailable = members;
  }

  void removeOthers() {
    others = false;
    secret = Collections.emptySortedMap();
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
