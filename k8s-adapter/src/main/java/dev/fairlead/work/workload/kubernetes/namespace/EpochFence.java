package dev.fairlead.work.workload.kubernetes.namespace;

import dev.fairlead.kernel.lease.Installation;
import dev.fairlead.work.workload.EpochClaim;
import dev.fairlead.work.workload.kubernetes.call.ByName;
import dev.fairlead.work.workload.kubernetes.call.CallFailure;
import dev.fairlead.work.workload.kubernetes.call.ClusterCalls;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The highest epoch under which this installation acts on the cluster, and the highest watermark of
 * its database, stored on the cluster in a ConfigMap with keys for each installation. Both only
 * increase, by compare-and-set. A supervisor checks it before it creates objects. This shortens the
 * time in which a deposed supervisor can create, but does not eliminate it. The admission policy
 * that reads the same object does, and {@link FenceProbe} checks that policy.
 */
public final class EpochFence {
  public static final String NAME = "fairlead-fence";
  private static final long FRESH_NANOS = Duration.ofSeconds(1).toNanos();
  private static final long PROBED_NANOS = Duration.ofMinutes(1).toNanos();

  /** Shorter interval, so that a newly applied fence is detected soon. */
  private static final long OPEN_NANOS = Duration.ofSeconds(10).toNanos();

  private static final int ATTEMPTS = 5;

  private static final Known NONE = new Known(Long.MIN_VALUE, 0);

  private final String key;
  private final String watermarkKey;
  private final ClusterCalls calls;
  private final Namespaces namespaces;
  private final FenceProbe probe;
  private final boolean required;
  private final LongSupplier nanoTime;
  private Known confirmed = NONE;
  private long claimedWatermark;
  private long confirmedAt;
  private long probed = Long.MIN_VALUE;
  private long probedAt;
  private volatile FenceProbe.Finding finding = FenceProbe.Finding.UNKNOWN;

  /**
   * @param required whether nothing is done on a cluster that does not enforce the fence
   */
  public EpochFence(
      Installation installation,
      ClusterCalls calls,
      Namespaces namespaces,
      FenceProbe probe,
      boolean required,
      LongSupplier nanoTime) {
    this.key = installation.label();
    this.watermarkKey = key + ".watermark";
    this.calls = calls;
    this.namespaces = namespaces;
    this.probe = probe;
    this.required = required;
    this.nanoTime = nanoTime;
  }

  /** The stored values on the cluster. */
  private record Known(long epoch, long watermark) {
    boolean beyond(Known other) {
      return epoch > other.epoch || watermark > other.watermark;
    }
  }

  /** Returns the result of the last probe. */
  public FenceProbe.Finding finding() {
    return finding;
  }

  /** Claims like {@link #claim}, with the last claimed watermark. */
  public synchronized EpochClaim check(KubernetesClient client, long epoch) {
    return claim(client, epoch, claimedWatermark);
  }

  /**
   * Stores this epoch and watermark on the cluster, unless the stored values are higher, and checks
   * that the cluster enforces them. The values are read at most once a second.
   *
   * @throws CallFailure if the fence cannot be read, raised or probed
   */
  public synchronized EpochClaim claim(KubernetesClient client, long epoch, long watermark) {
    claimedWatermark = watermark;
    try {
      return claimed(client, epoch, watermark);
    } catch (CallFailure failure) {
      if (failure.notFound() || failure.code() == HttpURLConnection.HTTP_FORBIDDEN) {
        namespaces.forget(Namespaces.SYSTEM); // its namespace may have been removed
        confirmed = NONE;
      }
      throw failure;
    }
  }

  private EpochClaim claimed(KubernetesClient client, long epoch, long watermark) {
    Known known = raise(client, new Known(epoch, watermark));
    if (known.epoch() > epoch) {
      return new EpochClaim.Higher(known.epoch());
    }
    if (known.watermark() > watermark) {
      return new EpochClaim.Ahead(known.watermark());
    }
    long now = nanoTime.getAsLong();
    if (probed != epoch || now - probedAt >= (finding.enforced() ? PROBED_NANOS : OPEN_NANOS)) {
      finding = probe.look(client, epoch);
      probed = finding.inForce() ? epoch : Long.MIN_VALUE;
      probedAt = now;
    }
    FenceProbe.Finding found = finding;
    return found.inForce() && (found.enforced() || !required)
        ? EpochClaim.OURS
        : new EpochClaim.Unknown("no action is taken there yet: " + found.reason());
  }

  /** Returns the stored values after trying to raise them. */
  private Known raise(KubernetesClient client, Known ours) {
    if (confirmed.epoch() > ours.epoch()) {
      return confirmed;
    }
    if (confirmed.equals(ours) && nanoTime.getAsLong() - confirmedAt < FRESH_NANOS) {
      return confirmed;
    }
    namespaces.ensureSystem(client);
    long now = nanoTime.getAsLong();
    for (int i = 0; i < ATTEMPTS; i++) {
      Known known = compareAndSet(client, ours);
      if (known != null) {
        confirmed = known;
        confirmedAt = now;
        return known;
      }
    }
    throw CallFailure.of(new IllegalStateException("the fence changes constantly"));
  }

  /** Returns the stored values after one try, null if another process wrote concurrently. */
  private @Nullable Known compareAndSet(KubernetesClient client, Known ours) {
    ConfigMap fence =
        calls.read(
            () -> ByName.find(client.configMaps().inNamespace(Namespaces.SYSTEM).withName(NAME)));
    Known known = fence == null ? NONE : known(fence);
    if (known.beyond(ours) || known.equals(ours)) {
      return known;
    }
    try {
      calls.write(() ->
          fence == null
              ? client.resource(with(new ConfigMapBuilder(), Map.of(), ours)).create()
              : client.resource(with(new ConfigMapBuilder(fence), data(fence), ours)).update());
      return ours;
    } catch (CallFailure failure) {
      if (failure.conflict()) {
        return null;
      }
      throw failure;
    }
  }

  /** Builds an update that carries the read version, so it fails if another process wrote since. */
  private ConfigMap with(ConfigMapBuilder fence, Map<String, String> others, Known ours) {
    Map<String, String> epochs = new TreeMap<>(others);
    epochs.put(key, Long.toString(ours.epoch()));
    epochs.put(watermarkKey, Long.toString(ours.watermark()));
    return fence
        .editOrNewMetadata()
        .withName(NAME)
        .withNamespace(Namespaces.SYSTEM)
        .endMetadata()
        .withData(epochs)
        .build();
  }

  private Known known(ConfigMap fence) {
    return new Known(
        number(fence, key, NONE.epoch()), number(fence, watermarkKey, NONE.watermark()));
  }

  private static long number(ConfigMap fence, String key, long absent) {
    String text = data(fence).get(key);
    if (text != null && !text.matches("[0-9]{1,18}")) {
      throw CallFailure.of(
          new IllegalStateException("key " + key + " of the fence " + NAME + " holds no number"));
    }
    return text == null ? absent : Long.parseLong(text);
  }

  private static Map<String, String> data(ConfigMap fence) {
    return fence.getData() == null ? Map.of() : fence.getData();
  }
}
