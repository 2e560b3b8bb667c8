package dev.fairlead.work.workload.kubernetes.namespace;

import dev.fairlead.fleet.cluster.Wall;
import dev.fairlead.kernel.lease.Installation;
import dev.fairlead.kernel.problem.FatalErrors;
import dev.fairlead.work.workload.kubernetes.call.CallFailure;
import dev.fairlead.work.workload.kubernetes.call.ClusterCalls;
import dev.fairlead.work.workload.kubernetes.call.Pages;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.KubernetesResourceList;
import io.fabric8.kubernetes.api.model.LimitRange;
import io.fabric8.kubernetes.api.model.ListOptions;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.ResourceQuota;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks every few minutes whether the project namespaces still have their isolation, restores
 * missing parts and probes whether the cluster refuses violations. It needs two lists for any
 * number of namespaces. Runs only while this process acts on the cluster.
 */
public final class Upkeep implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Upkeep.class);
  private static final Duration TURN = Duration.ofSeconds(2);
  private static final long KEPT_NANOS = Duration.ofMinutes(5).toNanos();
  private static final long AGAIN_NANOS = Duration.ofSeconds(30).toNanos();

  /** Number of namespaces with a new plan in a pass. */
  private static final int CHANGED_AT_ONCE = 20;

  private final Installation installation;
  private final ClusterCalls calls;
  private final Namespaces namespaces;
  private final NamespaceWalls walls;
  private final WallProbes probes;
  private final CountDownLatch closed = new CountDownLatch(1);
  private final NamespaceRounds rounds;
  private final Supplier<Set<String>> devices;
  private volatile @Nullable Long term;
  private @Nullable Long last;
  private volatile @Nullable Findings findings;

  /**
   * @param devices resource names under which nodes offer GPUs
   */
  public Upkeep(
      Installation installation,
      ClusterCalls calls,
      Namespaces namespaces,
      NamespaceWalls walls,
      Supplier<Set<String>> devices) {
    this.installation = installation;
    this.calls = calls;
    this.devices = devices;
    this.namespaces = namespaces;
    this.walls = walls;
    probes = new WallProbes(calls);
    rounds = new NamespaceRounds(installation, calls, namespaces, walls);
  }

  /** The results of the last probes. */
  private record Findings(Wall podSecurity, Wall quota, Wall scope) {}

  /** Sets the term under which this process acts on the cluster, null while it does not. */
  public synchronized void acts(@Nullable Long now) {
    if (now != null && !now.equals(last)) {
      last = now;
      walls.begin();
    }
    term = now;
  }

  /** Runs in the background until it is closed. */
  public void start(String cluster, Supplier<KubernetesClient> client) {
    Thread _ = Thread.ofVirtual().name("cluster-upkeep-" + cluster).start(() -> keep(client));
  }

  private void keep(Supplier<KubernetesClient> client) {
    long due = System.nanoTime();
    while (!pause()) {
      if (term != null && System.nanoTime() - due >= 0) {
        due = System.nanoTime() + (looked(client) ? KEPT_NANOS : AGAIN_NANOS);
      } else if (term != null) {
        followed(client);
      }
    }
  }

  private boolean looked(Supplier<KubernetesClient> client) {
    try {
      boolean before = walls.lacksRight();
      look(client.get());
      return walls.plans().complete() && (before || !walls.lacksRight());
    } catch (Throwable failed) {
      FatalErrors.rethrow(failed);
      LOG.debug("namespaces were not looked at", failed);
      return false;
    }
  }

  private void followed(Supplier<KubernetesClient> client) {
    try {
      follow(client.get());
    } catch (Throwable failed) {
      FatalErrors.rethrow(failed);
      LOG.debug("namespaces do not follow their plans yet", failed);
    }
  }

  /** Applies changed plans. A pass ends at the first failure, which is retried. */
  public void follow(KubernetesClient client) {
    String why = null;
    for (var change : walls.plans().changed(CHANGED_AT_ONCE)) {
      if (why == null && !walls.refused()) {
        why = rebuilt(client, change.namespace());
        walls.tell(Wall.NETWORK, change.namespace(), why);
        walls.plans().tried(change, why == null);
      }
    }
  }

  private @Nullable String rebuilt(KubernetesClient client, String name) {
    try {
      return namespaces.rebuild(client, name);
    } catch (CallFailure failure) {
      return NamespaceWalls.why(failure);
    }
  }

  private boolean pause() {
    try {
      return closed.await(TURN.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      return true;
    }
  }

  /**
   * Runs one check.
   *
   * @throws CallFailure if the cluster does not answer
   */
  public void look(KubernetesClient client) {
    List<String> names = new ArrayList<>();
    try {
      names.addAll(keepWalls(client));
    } catch (CallFailure failure) {
      if (!failure.missingRight()) {
        throw failure;
      }
      walls.tell(Wall.POD_SECURITY, NamespaceWalls.NO_RIGHT);
      walls.tell(Wall.NETWORK, NamespaceWalls.NO_RIGHT);
      walls.tell(Wall.QUOTA, NamespaceWalls.NO_RIGHT);
    }
    findings =
        new Findings(
            probes.podSecurity(client, names),
            probes.quota(client, List.copyOf(walls.quotas().inForce())),
            probes.scope(client));
  }

  private List<String> keepWalls(KubernetesClient client) {
    SortedSet<String> gone = walls.known();
    List<Namespace> ours = namespaces.ours(client);
    String labels = null;
    for (Namespace namespace : ours) {
      String failed = walls.label(client, namespace, namespaces.labels());
      labels = failed == null ? labels : failed;
    }
    walls.tell(Wall.POD_SECURITY, labels);
    walls.tell(Wall.NETWORK, isolate(client, ours));
    walls.tell(Wall.QUOTA, bound(client, ours));
    List<String> names =
        ours.stream().map(namespace -> namespace.getMetadata().getName()).sorted().toList();
    gone.removeAll(names);
    gone.remove(Namespaces.SYSTEM);
    walls.forget(gone);
    Long acting = term;
    if (acting != null) {
      rounds.look(client, names, acting);
    }
    return names;
  }

  private @Nullable String isolate(KubernetesClient client, List<Namespace> ours) {
    String why = null;
    try {
      walls.findServers(client);
      Map<String, List<NetworkPolicy>> there = policies(client);
      for (Namespace namespace : ours) {
        String name = namespace.getMetadata().getName();
        String failed = walls.isolate(client, name, there.getOrDefault(name, List.of()));
        if (failed == null) {
          walls.tell(Wall.NETWORK, name, null);
        }
        why = failed == null ? why : failed;
        if (NamespaceWalls.NO_RIGHT.equals(failed)) {
          break;
        }
      }
    } catch (CallFailure failure) {
      if (!failure.missingRight()) {
        throw failure;
      }
      why = NamespaceWalls.NO_RIGHT;
    }
    return why;
  }

  /** Limits CPU and memory only if containers without requests are still accepted. */
  private @Nullable String bound(KubernetesClient client, List<Namespace> ours) {
    SortedSet<String> devicesOnly = new TreeSet<>(Set.of(QuotaAmounts.PODS, QuotaAmounts.GPUS));
    devices.get().forEach(name -> devicesOnly.add("requests." + name));
    SortedSet<String> all = new TreeSet<>(devicesOnly);
    all.addAll(Set.of(QuotaAmounts.CPU, QuotaAmounts.MEMORY));
    String why = null;
    try {
      var limits = client.limitRanges().inAnyNamespace().withLabels(ours());
      Map<String, LimitRange> defaults = named(limits::list, ContainerDefaults.NAME);
      var quotas = client.resourceQuotas().inAnyNamespace().withLabels(ours());
      Map<String, ResourceQuota> bounds = named(quotas::list, NamespaceQuotas.NAME);
      for (Namespace namespace : ours) {
        String name = namespace.getMetadata().getName();
        String open = walls.defaults().keep(client, name, defaults.get(name));
        Set<String> names = open == null ? all : devicesOnly;
        String failed = walls.quotas().keep(client, name, bounds.get(name), names);
        why = open == null ? why : open;
        why = failed == null ? why : failed;
        if (NamespaceWalls.NO_RIGHT.equals(failed)) {
          break;
        }
      }
      return why;
    } catch (CallFailure failure) {
      return NamespaceWalls.why(failure);
    }
  }

  private SortedMap<String, String> ours() {
    return new TreeMap<>(Map.of(ObjectLabels.INSTALLATION, installation.label()));
  }

  /** Returns the objects of this name by namespace. */
  private <T extends HasMetadata> Map<String, T> named(
      Function<ListOptions, ? extends KubernetesResourceList<T>> list, String name) {
    Map<String, T> found = new HashMap<>();
    Pages.each(
        calls,
        list,
        object -> {
          if (object.getMetadata().getName().equals(name)) {
            found.put(object.getMetadata().getNamespace(), object);
          }
        });
    return found;
  }

  /** Returns Fairlead's policies except gang policies, by namespace. */
  private Map<String, List<NetworkPolicy>> policies(KubernetesClient client) {
    Map<String, List<NetworkPolicy>> found = new HashMap<>();
    var ours =
        client
            .network()
            .v1()
            .networkPolicies()
            .inAnyNamespace()
            .withLabel(ObjectLabels.INSTALLATION, installation.label())
            .withoutLabel(ObjectLabels.ATTEMPT);
    for (NetworkPolicy policy : walls.policies(ours::list)) {
      found
          .computeIfAbsent(policy.getMetadata().getNamespace(), key -> new ArrayList<>())
          .add(policy);
    }
    return found;
  }

  /** Returns the known state of every isolation feature. */
  public List<Wall> walls(FenceProbe.Finding fence, ClusterOfferings.Findings survey) {
    Findings found = findings;
    Map<String, String> trouble = walls.trouble();
    Wall security =
        found == null ? Wall.unknown(Wall.POD_SECURITY, "not tried yet") : found.podSecurity();
    return List.of(
        switch (fence.fence()) {
          case ENFORCED -> Wall.enforced(Wall.FENCE);
          case ABSENT -> Wall.notEnforced(Wall.FENCE, fence.reason());
          case UNKNOWN -> Wall.unknown(Wall.FENCE, fence.reason());
        },
        network(found != null, trouble.get(Wall.NETWORK), survey),
        trouble.containsKey(Wall.POD_SECURITY) && security.state() == Wall.State.ENFORCED
            ? Wall.unknown(Wall.POD_SECURITY, trouble.get(Wall.POD_SECURITY))
            : security,
        quota(found, trouble.get(Wall.QUOTA)),
        found == null ? Wall.unknown(Wall.SCOPE, "not tried yet") : found.scope());
  }

  private static Wall quota(@Nullable Findings found, @Nullable String trouble) {
    if (trouble != null) {
      return Wall.notEnforced(Wall.QUOTA, trouble);
    }
    return found == null ? Wall.unknown(Wall.QUOTA, "not tried yet") : found.quota();
  }

  private static Wall network(
      boolean looked, @Nullable String trouble, ClusterOfferings.Findings survey) {
    if (trouble != null) {
      return Wall.notEnforced(Wall.NETWORK, trouble);
    }
    if (!looked) {
      return Wall.unknown(Wall.NETWORK, "not looked at yet");
    }
    String agent = survey.reasons().get("networkPolicy");
    return Wall.unknown(
        Wall.NETWORK,
        "its network policies exist; enforcement by the network plugin is not proven"
            + (agent == null ? "" : ": " + agent));
  }

  @Override
  public void close() {
    closed.countDown();
  }
}
