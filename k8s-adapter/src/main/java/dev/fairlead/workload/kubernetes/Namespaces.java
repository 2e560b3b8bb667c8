package dev.fairlead.workload.kubernetes;

import dev.fairlead.lease.Installation;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.ServiceAccount;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.util.Map;
import java.util.SortedMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

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
   * Fairlead's own, which the installations of a cluster share.
   *
   * @throws CallFailure when it is not there and cannot be made
   */
  void ensureSystem(KubernetesClient client) {
    if (!fresh(SYSTEM)) {
      if (read(client, SYSTEM) == null) {
        Namespace shared = namespace(SYSTEM);
        shared.getMetadata().getLabels().remove(ObjectLabels.INSTALLATION);
        create(client, shared);
      }
      complete(client, SYSTEM, account(client, SYSTEM));
    }
  }

  /**
   * That of a project. One that another installation made holds that installation's jobs, claims
   * and secrets, whatever it is called.
   *
   * @return why no job of ours may run there, null when they may
   * @throws CallFailure when it is not there and cannot be made
   */
  @Nullable String ensure(KubernetesClient client, String name) {
    if (fresh(name)) {
      return null;
    }
    Namespace there = read(client, name);
    if (there == null) {
      create(client, namespace(name));
      there = read(client, name);
    }
    // one that was made by hand has no label, but the account in it has
    ServiceAccount account = account(client, name);
    String owner = label(there) == null ? label(account) : label(there);
    if (owner != null && !owner.equals(installation.label())) {
      return foreign(name, owner);
    }
    complete(client, name, account);
    return null;
  }

  private static @Nullable String label(@Nullable HasMetadata object) {
    Map<String, String> labels = object == null ? null : object.getMetadata().getLabels();
    return labels == null ? null : labels.get(ObjectLabels.INSTALLATION);
  }

  private String foreign(String name, String owner) {
    return "namespace "
        + name
        + " belongs to another Fairlead installation, "
        + owner
        + " by the label "
        + ObjectLabels.INSTALLATION
        + " on it or on its service account "
        + SERVICE_ACCOUNT
        + ", not to this one, "
        + installation.label()
        + "; use another project or cluster, or, if that installation is gone, an operator gives"
        + " the namespace and the account the label of this one: kubectl label --overwrite"
        + " namespace "
        + name
        + " "
        + ObjectLabels.INSTALLATION
        + "="
        + installation.label();
  }

  private boolean fresh(String name) {
    Long seen = known.get(name);
    return seen != null && nanoTime.getAsLong() - seen < FRESH_NANOS;
  }

  private @Nullable Namespace read(KubernetesClient client, String name) {
    return calls.read(() -> ByName.find(client.namespaces().withName(name)));
  }

  private @Nullable ServiceAccount account(KubernetesClient client, String name) {
    return calls.read(
        () -> ByName.find(client.serviceAccounts().inNamespace(name).withName(SERVICE_ACCOUNT)));
  }

  private void complete(KubernetesClient client, String name, @Nullable ServiceAccount account) {
    // Our own account, so that no pod waits until the cluster has made the default one.
    if (account == null) {
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
