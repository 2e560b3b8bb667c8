package dev.fairlead.workload.kubernetes;

import dev.fairlead.cluster.Capabilities.Fence;
import dev.fairlead.lease.Installation;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;

/**
 * Tries whether the cluster refuses what a deposed supervisor would create: by a create of an older
 * term that is a dry run, so that nothing is left of it even where it is let through.
 */
final class FenceProbe {
  private static final String OBJECT = "fairlead-fence-probe";

  private final Installation installation;
  private final ClusterCalls calls;

  FenceProbe(Installation installation, ClusterCalls calls) {
    this.installation = installation;
    this.calls = calls;
  }

  /**
   * What was found.
   *
   * @param inForce false while a fence that is there does not go by our term yet
   * @param reason for people; empty when it is enforced
   */
  record Finding(Fence fence, boolean inForce, String reason) {
    static final Finding UNKNOWN = new Finding(Fence.UNKNOWN, false, "not tried yet");

    boolean enforced() {
      return fence == Fence.ENFORCED;
    }
  }

  /**
   * @param term the term that was just raised
   * @throws CallFailure when the cluster does not say
   */
  Finding look(KubernetesClient client, long term) {
    if (refuses(client, term - 1)) {
      return new Finding(Fence.ENFORCED, true, "");
    }
    // The oldest term there is: refused by a fence that is there and does not know of ours yet.
    return refuses(client, 0)
        ? new Finding(
            Fence.UNKNOWN,
            false,
            "its fence does not go by term "
                + term
                + " yet; when that stays so, replace the policy "
                + TermFence.NAME
                + " and its binding (docs/connect-a-cluster.md)")
        : new Finding(
            Fence.ABSENT,
            true,
            "it takes creates of an older term; apply deploy/cluster.yaml"
                + " (docs/connect-a-cluster.md)");
  }

  private boolean refuses(KubernetesClient client, long term) {
    try {
      calls.write(() -> client.resource(object(term)).dryRun().create());
      return false;
    } catch (CallFailure failure) {
      if (failure.refusedBy(TermFence.NAME)) {
        return true;
      }
      throw failure;
    }
  }

  private ConfigMap object(long term) {
    return new ConfigMapBuilder()
        .withNewMetadata()
        .withName(OBJECT)
        .withNamespace(Namespaces.SYSTEM)
        .withLabels(ObjectLabels.of(installation))
        .addToLabels(ObjectLabels.TERM, Long.toString(term))
        .endMetadata()
        .build();
  }
}
