package dev.fairlead.work.workload.kubernetes.pod;

import dev.fairlead.fleet.cluster.ClusterSettings;
import dev.fairlead.fleet.cluster.ClusterSettings.Pinning;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.workload.LaunchOrder;
import dev.fairlead.work.workload.kubernetes.call.ByName;
import dev.fairlead.work.workload.kubernetes.call.CallFailure;
import dev.fairlead.work.workload.kubernetes.call.ClusterCalls;
import dev.fairlead.work.workload.kubernetes.dra.GpuClaims;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.jspecify.annotations.Nullable;

/**
 * Reads the volume claims of a job to decide how its pods are pinned. A claim that waits for its
 * first consumer is bound for the node that the cluster's scheduler selects, so a pod that bypasses
 * the scheduler would wait forever.
 */
public final class Claims {
  private final ClusterCalls calls;
  private final ClusterSettings usual;

  /**
   * @param usual settings for pods without relevant claims
   */
  public Claims(ClusterCalls calls, ClusterSettings usual) {
    this.calls = calls;
    this.usual = usual;
  }

  public ClusterSettings usual() {
    return usual;
  }

  /**
   * The result of reading the claims.
   *
   * @param settings settings of the cluster, with the pinning that the claims need
   * @param trouble the missing claim, null if the cluster has all claims
   */
  public record Finding(ClusterSettings settings, @Nullable String trouble) {}

  /**
   * @throws CallFailure if the cluster does not answer
   */
  public Finding look(KubernetesClient client, LaunchOrder order) {
    String namespace = order.project().namespace();
    ClusterSettings settings =
        GpuClaims.claimed(usual.devices(), order.job().spec())
            ? usual.withPinning(Pinning.SCHEDULER) // the scheduler allocates the devices of claims
            : usual;
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
      settings = bound ? settings : settings.withPinning(Pinning.SCHEDULER);
    }
    return new Finding(settings, null);
  }
}
