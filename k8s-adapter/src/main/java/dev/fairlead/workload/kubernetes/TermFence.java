package dev.fairlead.workload.kubernetes;

import dev.fairlead.lease.Installation;
import dev.fairlead.workload.TermClaim;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The highest term under which this installation acts on the cluster, kept there in a ConfigMap
 * that has a key for each installation. It only rises, by compare-and-set. A supervisor looks
 * before it creates; that narrows the time in which a deposed one can create, it does not close it:
 * the admission policy that reads the same object does, and {@link FenceProbe} tells whether it is
 * there.
 */
final class TermFence {
  static final String NAME = "fairlead-fence";
  private static final long FRESH_NANOS = Duration.ofSeconds(1).toNanos();
  private static final long PROBED_NANOS = Duration.ofMinutes(1).toNanos();
  private static final int ATTEMPTS = 5;

  private final String key;
  private final ClusterCalls calls;
  private final Namespaces namespaces;
  private final FenceProbe probe;
  private final boolean required;
  private final LongSupplier nanoTime;
  private long confirmed = Long.MIN_VALUE;
  private long confirmedAt;
  private long probed = Long.MIN_VALUE;
  private long probedAt;
  private volatile FenceProbe.Finding finding = FenceProbe.Finding.UNKNOWN;

  /**
   * @param required whether nothing is done on a cluster that does not enforce the fence
   */
  TermFence(
      Installation installation,
      ClusterCalls calls,
      Namespaces namespaces,
      FenceProbe probe,
      boolean required,
      LongSupplier nanoTime) {
    this.key = installation.label();
    this.calls = calls;
    this.namespaces = namespaces;
    this.probe = probe;
    this.required = required;
    this.nanoTime = nanoTime;
  }

  /** What the last probe found. */
  FenceProbe.Finding finding() {
    return finding;
  }

  /**
   * Makes this term the cluster's, unless it knows a higher one, and sees to it that the cluster
   * goes by it. Looked up at most once a second.
   *
   * @throws CallFailure when the fence cannot be read, raised or tried
   */
  synchronized TermClaim claim(KubernetesClient client, long term) {
    OptionalLong higher = raise(client, term);
    if (higher.isPresent()) {
      return new TermClaim.Higher(higher.getAsLong());
    }
    long now = nanoTime.getAsLong();
    if (probed != term || now - probedAt >= PROBED_NANOS) {
      finding = probe.look(client, term);
      probed = finding.inForce() ? term : Long.MIN_VALUE;
      probedAt = now;
    }
    FenceProbe.Finding found = finding;
    return found.inForce() && (found.enforced() || !required)
        ? TermClaim.OURS
        : new TermClaim.Unknown("nothing is done there yet: " + found.reason());
  }

  /** The higher term; empty when ours stands. */
  private OptionalLong raise(KubernetesClient client, long term) {
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
        calls.read(() -> client.configMaps().inNamespace(Namespaces.SYSTEM).withName(NAME).get());
    Long known = fence == null ? null : term(fence);
    if (known != null && known >= term) {
      return known;
    }
    try {
      calls.write(() ->
          fence == null
              ? client.resource(with(new ConfigMapBuilder(), Map.of(), term)).create()
              : client.resource(with(new ConfigMapBuilder(fence), data(fence), term)).update());
      return term;
    } catch (CallFailure failure) {
      if (failure.conflict()) {
        return null;
      }
      throw failure;
    }
  }

  /** An update carries the version that was read, so it fails when somebody else wrote since. */
  private ConfigMap with(ConfigMapBuilder fence, Map<String, String> others, long term) {
    Map<String, String> terms = new TreeMap<>(others);
    terms.put(key, Long.toString(term));
    return fence
        .editOrNewMetadata()
        .withName(NAME)
        .withNamespace(Namespaces.SYSTEM)
        .endMetadata()
        .withData(terms)
        .build();
  }

  private @Nullable Long term(ConfigMap fence) {
    String text = data(fence).get(key);
    if (text != null && !text.matches("[0-9]{1,18}")) {
      throw CallFailure.of(
          new IllegalStateException("key " + key + " of the fence " + NAME + " holds no term"));
    }
    return text == null ? null : Long.valueOf(text);
  }

  private static Map<String, String> data(ConfigMap fence) {
    return fence.getData() == null ? Map.of() : fence.getData();
  }
}
