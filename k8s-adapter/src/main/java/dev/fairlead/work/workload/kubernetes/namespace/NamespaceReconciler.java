package dev.fairlead.work.workload.kubernetes.namespace;

import dev.fairlead.fleet.cluster.IsolationFeature;
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
public final class NamespaceReconciler implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(NamespaceReconciler.class);
  private static final Duration TURN = Duration.ofSeconds(2);
  private static final long KEPT_NANOS = Duration.ofMinutes(5).toNanos();
  private static final long AGAIN_NANOS = Duration.ofSeconds(30).toNanos();

  /** Number of namespaces with a new plan in a pass. */
  private static final int CHANGED_AT_ONCE = 20;

  private final Installation installation;
  private final ClusterCalls calls;
  private final Namespaces namespaces;
  private final NamespaceIsolation isolation;
  private final IsolationProbes probes;
  private final CountDownLatch closed = new CountDownLatch(1);
  private final NamespaceRounds rounds;
  private final Supplier<Set<String>> devices;
  private volatile @Nullable Long epoch;
  private @Nullable Long last;
  private volatile @Nullable Findings findings;

  /**
   * @param devices resource names under which nodes offer GPUs
   */
  public NamespaceReconciler(
      Installation installation,
      ClusterCalls calls,
      Namespaces namespaces,
      NamespaceIsolation isolation,
      Supplier<Set<String>> devices) {
    this.installation = installation;
    this.calls = calls;
    this.devices = devices;
    this.namespaces = namespaces;
    this.isolation = isolation;
    probes = new IsolationProbes(calls);
    rounds = new NamespaceRounds(installation, calls, namespaces, isolation);
  }

  /** The results of the last probes. */
  private record Findings(
      IsolationFeature podSecurity, IsolationFeature quota, IsolationFeature scope) {}

  /** Sets the epoch under which this process acts on the cluster, null while it does not. */
  public synchronized void acts(@Nullable Long now) {
    if (now != null && !now.equals(last)) {
      last = now;
      isolation.begin();
    }
    epoch = now;
  }

  /** Runs in the background until it is closed. */
  public void start(String cluster, Supplier<KubernetesClient> client) {
    Thread _ = Thread.ofVirtual().name("cluster-upkeep-" + cluster).start(() -> keep(client));
  }

  private void keep(Supplier<KubernetesClient> client) {
    long due = System.nanoTime();
    while (!pause()) {
      if (epoch != null && System.nanoTime() - due >= 0) {
        due = System.nanoTime() + (looked(client) ? KEPT_NANOS : AGAIN_NANOS);
      } else if (epoch != null) {
        followed(client);
      }
    }
  }

  private boolean looked(Supplier<KubernetesClient> client) {
    try {
      boolean before = isolation.lacksRight();
      look(client.get());
      return isolation.plans().complete() && (before || !isolation.lacksRight());
    } catch (Throwable failed) {
      FatalErrors.rethrow(failed);
      LOG.debug("namespaces were not checked", failed);
      return false;
    }
  }

  private void followed(Supplier<KubernetesClient> client) {
    try {
      follow(client.get());
    } catch (Throwable failed) {
      FatalErrors.rethrow(failed);
      LOG.debug("namespaces are not in their planned state yet", failed);
    }
  }

  /** Applies changed plans. A pass ends at the first failure, which is retried. */
  public void follow(KubernetesClient client) {
    String why = null;
    for (var change : isolation.plans().changed(CHANGED_AT_ONCE)) {
      if (why == null && !isolation.refused()) {
        why = rebuilt(client, change.namespace());
        isolation.tell(IsolationFeature.NETWORK, change.namespace(), why);
        isolation.plans().tried(change, why == null);
      }
    }
  }

  private @Nullable String rebuilt(KubernetesClient client, String name) {
    try {
      return namespaces.rebuild(client, name);
    } catch (CallFailure failure) {
      return NamespaceIsolation.why(failure);
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
      names.addAll(repairIsolation(client));
    } catch (CallFailure failure) {
      if (!failure.missingRight()) {
        throw failure;
      }
      isolation.tell(IsolationFeature.POD_SECURITY, NamespaceIsolation.NO_RIGHT);
      isolation.tell(IsolationFeature.NETWORK, NamespaceIsolation.NO_RIGHT);
      isolation.tell(IsolationFeature.QUOTA, NamespaceIsolation.NO_RIGHT);
    }
    findings =
        new Findings(
            probes.podSecurity(client, names),
            probes.quota(client, List.copyOf(isolation.quotas().inForce())),
            probes.scope(client));
  }

  private List<String> repairIsolation(KubernetesClient client) {
    SortedSet<String> gone = isolation.known();
    List<Namespace> ours = namespaces.ours(client);
    String labels = null;
    for (Namespace namespace : ours) {
      String failed = isolation.label(client, namespace, namespaces.labels());
      labels = failed == null ? labels : failed;
    }
    isolation.tell(IsolationFeature.POD_SECURITY, labels);
    isolation.tell(IsolationFeature.NETWORK, isolate(client, ours));
    isolation.tell(IsolationFeature.QUOTA, bound(client, ours));
    List<String> names =
        ours.stream().map(namespace -> namespace.getMetadata().getName()).sorted().toList();
    gone.removeAll(names);
    gone.remove(Namespaces.SYSTEM);
    isolation.forget(gone);
    Long acting = epoch;
    if (acting != null) {
      rounds.look(client, names, acting);
    }
    return names;
  }

  private @Nullable String isolate(KubernetesClient client, List<Namespace> ours) {
    String why = null;
    try {
      isolation.findServers(client);
      Map<String, List<NetworkPolicy>> there = policies(client);
      for (Namespace namespace : ours) {
        String name = namespace.getMetadata().getName();
        String failed = isolation.isolate(client, name, there.getOrDefault(name, List.of()));
        if (failed == null) {
          isolation.tell(IsolationFeature.NETWORK, name, null);
        }
        why = failed == null ? why : failed;
        if (NamespaceIsolation.NO_RIGHT.equals(failed)) {
          break;
        }
      }
    } catch (CallFailure failure) {
      if (!failure.missingRight()) {
        throw failure;
      }
      why = NamespaceIsolation.NO_RIGHT;
    }
    return why;
  }

  /** Limits CPU and memory only if containers without requests are still accepted. */
  private @Nullable String bound(KubernetesClient client, List<Namespace> ours) {
    SortedSet<String> devicesOnly =
        new TreeSet<>(Set.of(ResourceQuotaAmounts.PODS, ResourceQuotaAmounts.GPUS));
    devices.get().forEach(name -> devicesOnly.add("requests." + name));
    SortedSet<String> all = new TreeSet<>(devicesOnly);
    all.addAll(Set.of(ResourceQuotaAmounts.CPU, ResourceQuotaAmounts.MEMORY));
    String why = null;
    try {
      var limits = client.limitRanges().inAnyNamespace().withLabels(ours());
      Map<String, LimitRange> defaults = named(limits::list, ContainerDefaults.NAME);
      var quotas = client.resourceQuotas().inAnyNamespace().withLabels(ours());
      Map<String, ResourceQuota> bounds = named(quotas::list, NamespaceQuotas.NAME);
      for (Namespace namespace : ours) {
        String name = namespace.getMetadata().getName();
        String open = isolation.defaults().keep(client, name, defaults.get(name));
        Set<String> names = open == null ? all : devicesOnly;
        String failed = isolation.quotas().keep(client, name, bounds.get(name), names);
        why = open == null ? why : open;
        why = failed == null ? why : failed;
        if (NamespaceIsolation.NO_RIGHT.equals(failed)) {
          break;
        }
      }
      return why;
    } catch (CallFailure failure) {
      return NamespaceIsolation.why(failure);
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
    for (NetworkPolicy policy : isolation.policies(ours::list)) {
      found
          .computeIfAbsent(policy.getMetadata().getNamespace(), key -> new ArrayList<>())
          .add(policy);
    }
    return found;
  }

  /** Returns the known state of every isolation feature. */
  public List<IsolationFeature> isolation(
      FenceProbe.Finding fence, ClusterOfferings.Findings survey) {
    Findings found = findings;
    Map<String, String> trouble = isolation.trouble();
    IsolationFeature security =
        found == null
            ? IsolationFeature.unknown(IsolationFeature.POD_SECURITY, "not tried yet")
            : found.podSecurity();
    return List.of(
        switch (fence.fence()) {
          case ENFORCED -> IsolationFeature.enforced(IsolationFeature.FENCE);
          case ABSENT -> IsolationFeature.notEnforced(IsolationFeature.FENCE, fence.reason());
          case UNKNOWN -> IsolationFeature.unknown(IsolationFeature.FENCE, fence.reason());
        },
        network(found != null, trouble.get(IsolationFeature.NETWORK), survey),
        trouble.containsKey(IsolationFeature.POD_SECURITY)
                && security.state() == IsolationFeature.State.ENFORCED
            ? IsolationFeature.unknown(
                IsolationFeature.POD_SECURITY, trouble.get(IsolationFeature.POD_SECURITY))
            : security,
        quota(found, trouble.get(IsolationFeature.QUOTA)),
        found == null
            ? IsolationFeature.unknown(IsolationFeature.SCOPE, "not tried yet")
            : found.scope());
  }

  private static IsolationFeature quota(@Nullable Findings found, @Nullable String trouble) {
    if (trouble != null) {
      return IsolationFeature.notEnforced(IsolationFeature.QUOTA, trouble);
    }
    return found == null
        ? IsolationFeature.unknown(IsolationFeature.QUOTA, "not tried yet")
        : found.quota();
  }

  private static IsolationFeature network(
      boolean looked, @Nullable String trouble, ClusterOfferings.Findings survey) {
    if (trouble != null) {
      return IsolationFeature.notEnforced(IsolationFeature.NETWORK, trouble);
    }
    if (!looked) {
      return IsolationFeature.unknown(IsolationFeature.NETWORK, "not checked yet");
    }
    String agent = survey.reasons().get("networkPolicy");
    return IsolationFeature.unknown(
        IsolationFeature.NETWORK,
        "its network policies exist, but enforcement by the network plugin is not proven"
            + (agent == null ? "" : ": " + agent));
  }

  @Override
  public void close() {
    closed.countDown();
  }
}
