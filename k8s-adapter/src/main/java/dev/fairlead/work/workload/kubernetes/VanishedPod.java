package dev.fairlead.work.workload.kubernetes;

import dev.fairlead.kernel.lease.Installation;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.MemberKey;
import dev.fairlead.work.attempt.ObjectNames;
import dev.fairlead.work.workload.ObservedMember;
import dev.fairlead.work.workload.kubernetes.namespace.ObjectLabels;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.util.Map;
import java.util.Optional;

/** The pod of a member that no watch shows: what it takes to find it, and nothing of its state. */
record VanishedPod(String namespace, AttemptId attempt, MemberKey key, String uid) {
  String name() {
    return ObjectNames.pod(attempt, key);
  }

  /** The labels of Fairlead by which the watch shows it. */
  Map<String, String> labels(Installation installation) {
    return ObjectLabels.of(installation, attempt, key);
  }

  /**
   * What the same pod shows now, whatever became of its labels; empty where it is another one.
   *
   * @throws IllegalStateException when what was read is no pod: it says nothing of this one
   */
  Optional<ObservedMember> now(Pod read, Installation installation) {
    if (read.getMetadata() == null || read.getMetadata().getUid() == null) {
      throw new IllegalStateException("the answer is no pod: it has no metadata.uid");
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
