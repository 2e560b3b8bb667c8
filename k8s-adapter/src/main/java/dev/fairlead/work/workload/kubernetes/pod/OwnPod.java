package dev.fairlead.work.workload.kubernetes.pod;

import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.workload.judgement.ObservedMember;
import dev.fairlead.work.workload.kubernetes.namespace.Namespaces;
import dev.fairlead.work.workload.kubernetes.namespace.ObjectLabels;
import dev.fairlead.work.workload.kubernetes.route.ReplicaPod;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A pod in one of Fairlead's namespaces with the labels and the name of a member. */
public record OwnPod(
    String namespace, AttemptId attempt, ObservedMember member, @Nullable ReplicaPod replica) {
  public static @Nullable OwnPod of(Pod pod) {
    /* Labels can be forged with the right to create pods, except in Fairlead's namespaces. */
    if (!pod.getMetadata().getNamespace().startsWith(Namespaces.PREFIX)) {
      return null;
    }
    Optional<AttemptId> attempt = ObjectLabels.attempt(pod);
    Optional<ObservedMember> member = PodObservations.of(pod);
    return attempt.isPresent() && member.isPresent()
        ? new OwnPod(
            pod.getMetadata().getNamespace(), attempt.get(), member.get(), ReplicaPod.of(pod))
        : null;
  }

  public boolean same(@Nullable OwnPod other) {
    return other != null
        && attempt.equals(other.attempt)
        && member.key().equals(other.member.key());
  }

  public VanishedPod vanished() {
    return new VanishedPod(namespace, attempt, member.key(), member.uid());
  }
}
