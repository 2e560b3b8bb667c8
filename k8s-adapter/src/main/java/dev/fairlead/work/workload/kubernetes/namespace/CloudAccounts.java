package dev.fairlead.work.workload.kubernetes.namespace;

import dev.fairlead.kernel.lease.Installation;
import dev.fairlead.people.cloudidentity.CloudIdentity;
import dev.fairlead.work.workload.LaunchOrder;
import dev.fairlead.work.workload.kubernetes.call.ByName;
import dev.fairlead.work.workload.kubernetes.call.CallFailure;
import dev.fairlead.work.workload.kubernetes.call.ClusterCalls;
import io.fabric8.kubernetes.api.model.ServiceAccount;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Service accounts of cloud identities in the namespaces of projects. No role binding of Fairlead
 * names them, so they have no rights on the Kubernetes API.
 */
public final class CloudAccounts {
  private final Installation installation;
  private final ClusterCalls calls;
  private final ServerSideApply apply;

  CloudAccounts(Installation installation, ClusterCalls calls) {
    this.installation = installation;
    this.calls = calls;
    apply = new ServerSideApply(calls);
  }

  /**
   * Ensures the service account of the job's cloud identity, if it names one. Server-side apply
   * removes annotations that the identity has no more, and retains those of other owners.
   *
   * @return why pods of the job may not have it, null if they may
   * @throws CallFailure if the cluster does not answer
   */
  public @Nullable String ensure(KubernetesClient client, LaunchOrder order) {
    CloudIdentity identity = order.identity();
    if (identity == null) {
      return null;
    }
    ServiceAccount wanted = wanted(identity, order.project().namespace());
    String name = wanted.getMetadata().getName();
    ServiceAccount there =
        calls.read(() ->
            ByName.find(
                client.serviceAccounts().inNamespace(order.project().namespace()).withName(name)));
    if (there != null && !installation.label().equals(label(there))) {
      return "service account %s of namespace %s was not created by this Fairlead installation. Delete it, or rename the cloud identity"
          .formatted(name, order.project().namespace());
    }
    if (there == null || !same(there, wanted)) {
      ServiceAccount _ = apply.apply(client, wanted);
    }
    return null;
  }

  private ServiceAccount wanted(CloudIdentity identity, String namespace) {
    return new ServiceAccountBuilder()
        .withNewMetadata()
        .withName(CloudIdentity.serviceAccount(identity.name()))
        .withNamespace(namespace)
        .withLabels(ObjectLabels.of(installation))
        .withAnnotations(identity.annotations())
        .endMetadata()
        .withAutomountServiceAccountToken(false)
        .build();
  }

  private static @Nullable String label(ServiceAccount account) {
    Map<String, String> labels = account.getMetadata().getLabels();
    return labels == null ? null : labels.get(ObjectLabels.INSTALLATION);
  }

  /** Compares the annotations that Fairlead may write. */
  private static boolean same(ServiceAccount there, ServiceAccount wanted) {
    return ServerSideApply.same(there, wanted) && known(there).equals(known(wanted));
  }

  private static Map<String, String> known(ServiceAccount account) {
    Map<String, String> annotations = account.getMetadata().getAnnotations();
    Map<String, String> known = annotations == null ? new TreeMap<>() : new TreeMap<>(annotations);
    known.keySet().retainAll(CloudIdentity.KEYS);
    return known;
  }
}
