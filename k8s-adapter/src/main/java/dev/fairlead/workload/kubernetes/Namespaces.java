package dev.fairlead.workload.kubernetes;

import dev.fairlead.lease.Installation;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.util.Map;
import java.util.SortedMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/**
 * Namespaces of ours: created where they are missing, with the rules that every pod in them has to
 * meet.
 */
final class Namespaces {
  static final String PREFIX = "fairlead-";
  static final String SYSTEM = PREFIX + "system";

  /** Without any rights, and no token of it is mounted; each namespace has its own. */
  static final String SERVICE_ACCOUNT = "fairlead-job";

  /** What was there is looked at again after this time: somebody may have removed it. */
  private static final long FRESH_NANOS = Duration.ofMinutes(5).toNanos();

  private final Installation installation;
  private final ClusterCalls calls;
  private final LongSupplier nanoTime;
  private final Map<String, Long> known = new ConcurrentHashMap<>();

  Namespaces(Installation installation, ClusterCalls calls, LongSupplier nanoTime) {
    this.installation = installation;
    this.calls = calls;
    this.nanoTime = nanoTime;
  }

  /**
   * @throws CallFailure when it is not there and cannot be made
   */
  void ensure(KubernetesClient client, String name) {
    Long seen = known.get(name);
    if (seen != null && nanoTime.getAsLong() - seen < FRESH_NANOS) {
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
    known.put(name, nanoTime.getAsLong());
  }

  /** It or what it holds of ours may be gone: looked at anew before the next use. */
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
