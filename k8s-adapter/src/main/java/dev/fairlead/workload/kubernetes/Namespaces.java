package dev.fairlead.workload.kubernetes;

import dev.fairlead.lease.Installation;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.Set;
import java.util.SortedMap;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Namespaces of ours: created where they are missing, with the rules that every pod in them has to
 * meet.
 */
final class Namespaces {
  static final String PREFIX = "fairlead-";
  static final String SYSTEM = PREFIX + "system";

  /** Without any rights, and no token of it is mounted; each namespace has its own. */
  static final String SERVICE_ACCOUNT = "fairlead-job";

  private final Installation installation;
  private final ClusterCalls calls;
  private final Set<String> known = ConcurrentHashMap.newKeySet();

  Namespaces(Installation installation, ClusterCalls calls) {
    this.installation = installation;
    this.calls = calls;
  }

  /**
   * @throws CallFailure when it is not there and cannot be made
   */
  void ensure(KubernetesClient client, String name) {
    if (known.contains(name)) {
      return;
    }
    Namespace there = calls.read(() -> client.namespaces().withName(name).get());
    if (there == null) {
      create(client, namespace(name));
    }
    // Our own account, so that no pod waits until the cluster has made the default one.
    if (calls.read(() -> client.serviceAccounts().inNamespace(name).withName(SERVICE_ACCOUNT).get())
        == null) {
      create(
          client,
          new ServiceAccountBuilder()
              .withNewMetadata()
              .withName(SERVICE_ACCOUNT)
              .withNamespace(name)
              .withLabels(ObjectLabels.of(installation))
              .endMetadata()
              .withAutomountServiceAccountToken(false)
              .build());
    }
    known.add(name);
  }

  /** It turned out to be gone or on its way out: looked at anew before the next use. */
  void forget(String name) {
    known.remove(name);
  }

  private void create(KubernetesClient client, HasMetadata object) {
    try {
      calls.write(() -> client.resource(object).create());
    } catch (CallFailure failure) {
      if (!failure.conflict()) {
        throw failure;
      }
    }
  }

  private Namespace namespace(String name) {
    SortedMap<String, String> labels = ObjectLabels.of(installation);
    labels.put("pod-security.kubernetes.io/enforce", "restricted");
    labels.put("pod-security.kubernetes.io/enforce-version", "latest");
    return new NamespaceBuilder()
        .withNewMetadata()
        .withName(name)
        .withLabels(labels)
        .endMetadata()
        .build();
  }
}
