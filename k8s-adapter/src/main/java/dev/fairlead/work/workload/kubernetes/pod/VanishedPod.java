package dev.fairlead.work.workload.kubernetes.pod;

import dev.fairlead.kernel.lease.Installation;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.ObjectNames;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.workload.judgement.ObservedMember;
import dev.fairlead.work.workload.kubernetes.namespace.ObjectLabels;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.util.Map;
import java.util.Optional;

/** Identifies a member's pod that no watch shows, without its state. */
public record VanishedPod(String namespace, AttemptId attempt, MemberKey key, String uid) {
  public String name() {
    return ObjectNames.pod(attempt, key);
  }

  /** Returns the labels of Fairlead for the selector of the watch. */
  public Map<String, String> labels(Installation installation) {
    return ObjectLabels.of(installation, attempt, key);
  }

  /**
   * Returns the current state of the same pod, regardless of its labels. The result is empty if it
   * is another pod.
   *
   * @throws IllegalStateException if the response is not a pod, so it proves nothing about this pod
   */
  public Optional<ObservedMember> now(Pod read, Installation installation) {
    if (read.getMetadata() == null || read.getMetadata().getUid() == null) {
      throw new IllegalStateException("the answer is not a pod: it has no metadata.uid");
    }
    if (!uid.equals(read.getMetadata().getUid())) {
      return Optional.empty();
    }
    return PodObservations.of(
        new PodBuilder(read)
            .editMetadata()
            .addToLabels(labels(installation))
            .endMetadata()
            .build());
  }
}
