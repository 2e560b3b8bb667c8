package dev.fairlead.work.workload.kubernetes.route;

import dev.fairlead.kernel.identity.IdText;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.work.serving.ModelServiceId;
import dev.fairlead.work.workload.kubernetes.namespace.ObjectLabels;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The pod of a replica that takes requests.
 *
 * @param job job of the replica
 * @param ready whether Kubernetes shows it as ready and not deleted
 */
public record ReplicaPod(
    String uid, String namespace, ModelServiceId service, JobId job, boolean ready) {
  /** Returns null for a pod without the labels of a replica. */
  public static @Nullable ReplicaPod of(Pod pod) {
    Map<String, String> labels = pod.getMetadata().getLabels();
    Optional<ModelServiceId> service =
        labels == null
            ? Optional.empty()
            : IdText.decode(labels.getOrDefault(ObjectLabels.SERVICE, "")).map(ModelServiceId::new);
    Optional<JobId> job = ObjectLabels.job(pod);
    return service.isEmpty() || job.isEmpty()
        ? null
        : new ReplicaPod(
            pod.getMetadata().getUid(),
            pod.getMetadata().getNamespace(),
            service.get(),
            job.get(),
            ready(pod));
  }

  private static boolean ready(Pod pod) {
    return pod.getMetadata().getDeletionTimestamp() == null
        && pod.getStatus() != null
        && pod.getStatus().getConditions().stream()
            .anyMatch(c -> "Ready".equals(c.getType()) && "True".equals(c.getStatus()));
  }
}
