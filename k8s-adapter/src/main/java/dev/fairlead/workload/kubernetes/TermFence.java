package dev.fairlead.workload.kubernetes;

import dev.fairlead.lease.Installation;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The highest term under which this installation creates on the cluster, kept there in a ConfigMap.
 * It only rises, by compare-and-set. A supervisor looks before it creates; that narrows the time in
 * which a deposed one can create, it does not close it: the admission policy that does reads the
 * same object.
 */
final class TermFence {
  private static final String TERM = "term";
  private static final long FRESH_NANOS = 1_000_000_000L;
  private static final int ATTEMPTS = 5;

  private final Installation installation;
  private final ClusterCalls calls;
  private final Namespaces namespaces;
  private final LongSupplier nanoTime;
  private long confirmed = Long.MIN_VALUE;
  private long confirmedAt;

  TermFence(
      Installation installation, ClusterCalls calls, Namespaces namespaces, LongSupplier nanoTime) {
    this.installation = installation;
    this.calls = calls;
    this.namespaces = namespaces;
    this.nanoTime = nanoTime;
  }

  static String name(Installation installation) {
    return "fence-" + installation.label();
  }

  /**
   * Makes this term the cluster's, unless it knows a higher one. Looked up at most once a second.
   *
   * @return the higher term, empty when ours stands
   * @throws CallFailure when the fence cannot be read or raised
   */
  synchronized OptionalLong raise(KubernetesClient client, long term) {
    if (term < confirmed) {
      return OptionalLong.of(confirmed);
    }
    if (term == confirmed && nanoTime.getAsLong() - confirmedAt < FRESH_NANOS) {
      return OptionalLong.empty();
    }
    namespaces.ensure(client, Namespaces.SYSTEM);
    long now = nanoTime.getAsLong();
    for (int i = 0; i < ATTEMPTS; i++) {
      Long known = compareAndSet(client, term);
      if (known != null) {
        confirmed = known;
        confirmedAt = now;
        return known > term ? OptionalLong.of(known) : OptionalLong.empty();
      }
    }
    throw CallFailure.of(new IllegalStateException("the fence changes all the time"));
  }

  /** The term that stands after one try; null when somebody else wrote in between. */
  private @Nullable Long compareAndSet(KubernetesClient client, long term) {
    ConfigMap fence =
        calls.read(() ->
            client.configMaps().inNamespace(Namespaces.SYSTEM).withName(name(installation)).get());
    if (fence != null && term(fence) >= term) {
      return term(fence);
    }
    try {
      calls.write(() ->
          fence == null
              ? client.resource(with(new ConfigMapBuilder(), term)).create()
              : client.resource(with(new ConfigMapBuilder(fence), term)).update());
      return term;
    } catch (CallFailure failure) {
      if (failure.conflict()) {
        return null;
      }
      throw failure;
    }
  }

  /** An update carries the version that was read, so it fails when somebody else wrote since. */
  private ConfigMap with(ConfigMapBuilder fence, long term) {
    return fence
        .editOrNewMetadata()
        .withName(name(installation))
        .withNamespace(Namespaces.SYSTEM)
        .withLabels(ObjectLabels.of(installation))
        .endMetadata()
        .withData(Map.of(TERM, Long.toString(term)))
        .build();
  }

  private static long term(ConfigMap fence) {
    String text = fence.getData() == null ? null : fence.getData().get(TERM);
    if (text == null || !text.matches("[0-9]{1,19}")) {
      throw CallFailure.of(
          new IllegalStateException(
              "the fence " + fence.getMetadata().getName() + " holds no term"));
    }
    return Long.parseLong(text);
  }
}
