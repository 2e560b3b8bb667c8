package dev.fairlead.workload.kubernetes;

import dev.fairlead.job.AttemptId;
import dev.fairlead.job.ObjectNames;
import dev.fairlead.lease.Installation;
import dev.fairlead.workload.ObservedMember;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A pod in a namespace of ours that says by labels and name which member it is. */
record OwnPod(String namespace, AttemptId attempt, ObservedMember member) {
  static @Nullable OwnPod of(Pod pod) {
    // Labels can be forged wherever somebody may create pods; our namespaces are ours.
    if (!pod.getMetadata().getNamespace().startsWith(Namespaces.PREFIX)) {
      return null;
    }
    Optional<AttemptId> attempt = ObjectLabels.attempt(pod);
    Optional<ObservedMember> member = PodObservations.of(pod);
    return attempt.isPresent() && member.isPresent()
        ? new OwnPod(pod.getMetadata().getNamespace(), attempt.get(), member.get())
        : null;
  }

  boolean same(@Nullable OwnPod other) {
    return other != null
        && attempt.equals(other.attempt)
        && member.key().equals(other.member.key());
  }

  String name() {
    return ObjectNames.pod(attempt, member.key());
  }

  /** The labels of Fairlead by which the watch shows it. */
  Map<String, String> labels(Installation installation) {
    return ObjectLabels.of(installation, attempt, member.key());
  }

  /** What the same pod shows now, whatever became of its labels; empty where it is another one. */
  Optional<ObservedMember> now(Pod read, Installation installation) {
    if (!member.uid().equals(read.getMetadata().getUid())) {
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
