package dev.fairlead.work.workload.kubernetes.namespace;

import dev.fairlead.fleet.cluster.IsolationFeature;
import dev.fairlead.kernel.lease.Installation;
import dev.fairlead.work.workload.kubernetes.call.ByName;
import dev.fairlead.work.workload.kubernetes.call.CallFailure;
import dev.fairlead.work.workload.kubernetes.call.ClusterCalls;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.ResourceQuota;
import io.fabric8.kubernetes.api.model.ResourceQuotaBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Limits the resources of a namespace by a ResourceQuota: current use, current launches, and a
 * margin. A launch that needs more raises it before its pods are created, and a later check lowers
 * it again. The quota never fails a launch: after a refusal it is raised, and if that does not
 * help, it is removed.
 */
public final class NamespaceQuotas {
  public static final String NAME = "fairlead-quota";

  private static final Logger LOG = LoggerFactory.getLogger(NamespaceQuotas.class);

  /** Number of times that a launch checks whether the cluster's controller has followed. */
  private static final int LOOKS = 6;

  private static final Duration FIRST_PAUSE = Duration.ofMillis(10);

  /** Number of refusals after checks, or of missing reactions, after which the quota is removed. */
  private static final int MOST = 2;

  private static final String LATE =
      "the cluster has not raised quota %s of namespace %s yet. Check kube-controller-manager.";

  private static final String REMOVED = "quota " + NAME + " blocked a job, and was removed";

  private final Installation installation;
  private final ClusterCalls calls;
  private final NamespaceIsolation isolation;
  private final Map<String, Room> rooms = new ConcurrentHashMap<>();

  NamespaceQuotas(Installation installation, ClusterCalls calls, NamespaceIsolation isolation) {
    this.installation = installation;
    this.calls = calls;
    this.isolation = isolation;
  }

  /** The state of one namespace in this process. Each object is its own lock. */
  private static final class Room {
    /** Amounts that may be created without a check. A missing name is not limited. */
    private @Nullable SortedMap<String, BigDecimal> left;

    /** Amounts that current launches create. */
    private SortedMap<String, BigDecimal> sending = new TreeMap<>();

    /** Amounts that were last written or seen, null before that. */
    private @Nullable SortedMap<String, BigDecimal> written;

    /** Whether a launch has checked the quota since it last refused a pod of Fairlead. */
    private boolean looked;

    /** Number of checks by launches after which it refused a pod, since the last {@link #keep}. */
    private int refused;

    /** Number of consecutive raises without a reaction of the cluster. */
    private int late;

    private boolean inForce;

    private boolean has(Map<String, BigDecimal> asked) {
      return left != null && ResourceQuotaAmounts.fits(asked, left);
    }
  }

  private Room room(String namespace) {
    return rooms.computeIfAbsent(namespace, key -> new Room());
  }

  /** Resets the state for a new epoch, because another process may have written quotas. */
  void begin() {
    rooms.clear();
  }

  void forget(Collection<String> gone) {
    rooms.keySet().removeAll(gone);
  }

  /** Returns the namespaces with known state. */
  Set<String> known() {
    return rooms.keySet();
  }

  /** Returns the namespaces in which a quota was in force at the last check. */
  SortedSet<String> inForce() {
    SortedSet<String> found = new TreeSet<>();
    rooms.forEach((name, room) -> {
      synchronized (room) {
        if (room.inForce) {
          found.add(name);
        }
      }
    });
    return found;
  }

  /**
   * Ensures quota for pods that are about to be created. {@link #sent} returns the amounts.
   *
   * @return why they must not be created yet, null if they may
   */
  public @Nullable String take(KubernetesClient client, String namespace, List<Pod> pods) {
    SortedMap<String, BigDecimal> asked = ResourceQuotaAmounts.of(pods);
    Room room = room(namespace);
    synchronized (room) {
      String why = room.has(asked) ? null : raised(client, namespace, room, asked);
      if (why != null) {
        return why.formatted(NAME, namespace);
      }
      room.sending = ResourceQuotaAmounts.sum(room.sending, asked);
      room.left = room.left == null ? null : ResourceQuotaAmounts.less(room.left, asked);
      return null;
    }
  }

  /** Returns the amounts of pods that were created, or were not. */
  public void sent(String namespace, List<Pod> pods) {
    Room room = room(namespace);
    synchronized (room) {
      room.sending = ResourceQuotaAmounts.less(room.sending, ResourceQuotaAmounts.of(pods));
      room.sending.values().removeIf(amount -> amount.signum() <= 0);
    }
  }

  /**
   * If the quota cannot be read or written, the cluster decides.
   *
   * @return why it is not raised yet, null if the launch may continue
   */
  private @Nullable String raised(
      KubernetesClient client, String namespace, Room room, SortedMap<String, BigDecimal> asked) {
    room.looked = true;
    try {
      for (int look = 0; look < LOOKS; look++) {
        ResourceQuota there = calls.read(() -> find(client, namespace));
        room.left = there == null ? Collections.emptySortedMap() : left(there, room.sending);
        if (there == null || room.has(asked)) {
          room.late = 0;
          return null;
        }
        raise(client, namespace, room, there, asked);
        LockSupport.parkNanos(FIRST_PAUSE.toNanos() << look);
      }
      room.left = null;
      room.late++;
      if (room.late >= MOST) {
        remove(client, namespace, room);
      }
      return LATE;
    } catch (CallFailure failure) {
      LOG.debug("quota of namespace {} could not be raised", namespace, failure);
      room.left = null;
      return null;
    }
  }

  /**
   * Raises the quota, even if the cluster counts pods in it concurrently. Its controller must then
   * follow.
   */
  private void raise(
      KubernetesClient client,
      String namespace,
      Room room,
      ResourceQuota there,
      SortedMap<String, BigDecimal> asked) {
    SortedMap<String, BigDecimal> bounds = ResourceQuotaAmounts.bounds(there);
    SortedMap<String, BigDecimal> held =
        ResourceQuotaAmounts.sum(
            ResourceQuotaAmounts.sum(ResourceQuotaAmounts.used(there), room.sending), asked);
    SortedMap<String, BigDecimal> more = new TreeMap<>(bounds);
    more.replaceAll((name, bound) -> {
      BigDecimal needed = held.getOrDefault(name, BigDecimal.ZERO);
      return needed.compareTo(bound) <= 0 ? bound : ResourceQuotaAmounts.roomy(name, needed);
    });
    if (!ResourceQuotaAmounts.same(bounds, more)) {
      ResourceQuota _ = write(client, room, quota(namespace, more));
    }
  }

  /** If the response is lost, the stored quota is unknown and is accepted as found. */
  private ResourceQuota write(KubernetesClient client, Room room, ResourceQuota wanted) {
    try {
      ResourceQuota now = isolation.apply().apply(client, wanted);
      room.written = ResourceQuotaAmounts.bounds(wanted);
      return now;
    } catch (CallFailure failure) {
      room.written = failure.effect() == CallFailure.Effect.UNKNOWN ? null : room.written;
      throw failure;
    }
  }

  private static SortedMap<String, BigDecimal> left(
      ResourceQuota there, Map<String, BigDecimal> sending) {
    SortedMap<String, BigDecimal> now = ResourceQuotaAmounts.inForce(there);
    SortedMap<String, BigDecimal> bounds = new TreeMap<>(ResourceQuotaAmounts.bounds(there));
    bounds.replaceAll((name, bound) -> bound.min(now.getOrDefault(name, bound)));
    return ResourceQuotaAmounts.less(
        ResourceQuotaAmounts.less(bounds, ResourceQuotaAmounts.used(there)), sending);
  }

  /**
   * Records that the quota refused a pod of Fairlead. The next launch checks it, and it is removed
   * if that did not help. Pods of a gang are created concurrently, so refusals after the same check
   * count once.
   *
   * @return whether another try may succeed, false if Fairlead may neither raise nor remove it
   */
  public boolean refused(KubernetesClient client, String namespace) {
    Room room = room(namespace);
    synchronized (room) {
      room.left = null;
      room.refused += room.looked ? 1 : 0;
      room.looked = false;
      try {
        if (room.refused >= MOST) {
          remove(client, namespace, room);
        }
        return true;
      } catch (CallFailure failure) {
        return !failure.missingRight();
      }
    }
  }

  private void remove(KubernetesClient client, String namespace, Room room) {
    room.written = null;
    calls.write(() -> client.resource(quota(namespace, new TreeMap<>())).delete());
    room.inForce = false;
    room.late = 0;
    room.refused = 0;
    calls.quotaRemoved();
    LOG.warn("namespace {}: {}", namespace, REMOVED);
    isolation.tell(IsolationFeature.QUOTA, namespace, REMOVED);
  }

  private ResourceQuota quota(String namespace, SortedMap<String, BigDecimal> bounds) {
    return new ResourceQuotaBuilder()
        .withMetadata(ServerSideApply.meta(installation, namespace, NAME))
        .withNewSpec()
        .withHard(ResourceQuotaAmounts.written(bounds))
        .endSpec()
        .build();
  }

  /**
   * Restores the quota of a namespace, and lowers a quota far above the current use.
   *
   * @param there null if none with Fairlead's labels exists
   * @param names names of the limited resources
   * @return why it was not possible, null if the quota is correct
   */
  @Nullable String keep(
      KubernetesClient client, String namespace, @Nullable ResourceQuota there, Set<String> names) {
    Room room = room(namespace);
    synchronized (room) {
      room.refused = 0;
      room.inForce =
          there != null
              && ResourceQuotaAmounts.inForce(there).containsKey(ResourceQuotaAmounts.GPUS);
      if (room.inForce) {
        isolation.tell(IsolationFeature.QUOTA, namespace, null);
      }
      boolean drifted = room.written != null && !wellFormed(there, room.written);
      SortedMap<String, BigDecimal> wanted = wanted(there, names, room, drifted);
      if (wellFormed(there, wanted)) {
        room.written = wanted;
        return null;
      }
      return NamespaceIsolation.built(() -> {
        restore(client, room, there, quota(namespace, wanted));
        room.left = null;
        if (drifted) {
          isolation.repaired(namespace, "ResourceQuota " + NAME);
        }
      });
    }
  }

  /**
   * A launch may have raised the quota since the list, so this applies only to the listed version.
   * Amounts and scopes that others added survive an apply, so the quota is then created again.
   * Finalizers would retain the deleted quota.
   */
  private void restore(
      KubernetesClient client, Room room, @Nullable ResourceQuota there, ResourceQuota wanted) {
    wanted
        .getMetadata()
        .setResourceVersion(there == null ? null : there.getMetadata().getResourceVersion());
    ResourceQuota stored = write(client, room, wanted);
    if (!ServerSideApply.same(stored, wanted)) {
      wanted.getMetadata().setResourceVersion(null);
      isolation.apply().removeFinalizers(client, stored);
      calls.write(() -> client.resource(wanted).delete());
      ResourceQuota _ = write(client, room, wanted);
    }
  }

  private static SortedMap<String, BigDecimal> wanted(
      @Nullable ResourceQuota there, Set<String> names, Room room, boolean drifted) {
    SortedMap<String, BigDecimal> wanted = new TreeMap<>();
    for (String name : names) {
      BigDecimal used = there == null ? null : ResourceQuotaAmounts.used(there).get(name);
      BigDecimal bound = there == null ? null : ResourceQuotaAmounts.bounds(there).get(name);
      if (used == null || bound == null) {
        wanted.put(name, ResourceQuotaAmounts.open(name));
      } else {
        BigDecimal held = used.add(room.sending.getOrDefault(name, BigDecimal.ZERO));
        boolean stays = !drifted && ResourceQuotaAmounts.near(name, bound, held);
        wanted.put(name, stays ? bound : ResourceQuotaAmounts.roomy(name, held));
      }
    }
    return wanted;
  }

  private boolean wellFormed(@Nullable ResourceQuota there, SortedMap<String, BigDecimal> wanted) {
    return there != null && ServerSideApply.same(there, quota("", wanted));
  }

  private static @Nullable ResourceQuota find(KubernetesClient client, String namespace) {
    return ByName.find(client.resourceQuotas().inNamespace(namespace).withName(NAME));
  }
}
