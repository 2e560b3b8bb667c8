package dev.fairlead.work.workload.kubernetes;

import dev.fairlead.fleet.cluster.ClusterSettings;
import dev.fairlead.fleet.cluster.ClusterSettings.Pinning;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.workload.LaunchOrder;
import dev.fairlead.work.workload.kubernetes.call.ByName;
import dev.fairlead.work.workload.kubernetes.call.CallFailure;
import dev.fairlead.work.workload.kubernetes.call.ClusterCalls;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.jspecify.annotations.Nullable;

/**
 * The volume claims of a job, and what they mean for how its pods are pinned: a claim that waits
 * for its first consumer is bound for the node that the cluster's scheduler names, so a pod that
 * passes the scheduler by would wait for ever.
 */
final class Claims {
  private final ClusterCalls calls;
  private final ClusterSettings usual;

  /**
   * @param usual for pods whose claims do not matter
   */
  Claims(ClusterCalls calls, ClusterSettings usual) {
    this.calls = calls;
    this.usual = usual;
  }

  ClusterSettings usual() {
    return usual;
  }

  /**
   * What was found.
   *
   * @param settings with the pinning that its claims need
   * @param trouble which claim the cluster lacks, null when it has all
   */
  record Finding(ClusterSettings settings, @Nullable String trouble) {}

  /**
   * @throws CallFailure when the cluster does not say
   */
  Finding look(KubernetesClient client, LaunchOrder order) {
    String namespace = order.project().namespace();
    ClusterSettings settings = usual;
    for (JobSpec.VolumeSpec volume : order.job().spec().volumes()) {
      String name = volume.claim();
      if (name == null) {
        continue;
      }
      PersistentVolumeClaim claim =
          calls.read(() ->
              ByName.find(client.persistentVolumeClaims().inNamespace(namespace).withName(name)));
      if (claim == null) {
        return new Finding(
            settings, "there is no volume claim " + name + " in namespace " + namespace);
      }
      boolean bound = claim.getStatus() != null && "Bound".equals(claim.getStatus().getPhase());
      settings = bound ? settings : settings.pinned(Pinning.SCHEDULER);
    }
    return new Finding(settings, null);
  }
}
