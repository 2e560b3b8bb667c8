package dev.fairlead.work.workload.kubernetes.namespace;

import dev.fairlead.fleet.cluster.IsolationFeature;
import dev.fairlead.kernel.lease.Installation;
import dev.fairlead.people.tenant.Egress;
import dev.fairlead.work.workload.kubernetes.call.CallFailure;
import dev.fairlead.work.workload.kubernetes.call.ClusterCalls;
import dev.fairlead.work.workload.kubernetes.call.Pages;
import io.fabric8.kubernetes.api.model.KubernetesResourceList;
import io.fabric8.kubernetes.api.model.ListOptions;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The isolation of a namespace's pods: its Pod Security labels, its network policies and its quota.
 * They are restored if they were changed or removed. A feature that cannot be applied is reported
 * and blocks nothing.
 */
public final class NamespaceIsolation {
  private static final Logger LOG = LoggerFactory.getLogger(NamespaceIsolation.class);

  /** Problem of the network policies that concerns no single namespace. */
  private static final String SERVERS = IsolationFeature.NETWORK + " (API server)";

  static final String GANGS = IsolationFeature.NETWORK + " (gangs)";

  public static final String OPEN =
      "it refused the network policy of a gang, so other pods can reach the gang";

  private static final String NO_SERVERS =
      "no EndpointSlice default/"
          + ApiServers.NAME
          + " is needed so that pods can reach the API server";

  /** One text for all namespaces, so that it is stored only once. */
  public static final String NO_RIGHT =
      "Fairlead's identity has no permission to create it. Apply deploy/cluster.yaml. fairlead "
          + "doctor lists the missing permissions.";

  private static final int MOST_REASONS = 3;

  /** Retention of a refusal, because it may be temporary. */
  private static final long REFUSED_NANOS = Duration.ofSeconds(30).toNanos();

  private final Installation installation;
  private final ClusterCalls calls;
  private final LongSupplier nanoTime;
  private final ApiServers servers;
  private final NamespaceQuotas quotas;
  private final NamespacePlans plans = new NamespacePlans();
  private final ContainerDefaults defaults;
  private final ServerSideApply apply;

  /** Reason why an isolation feature is not applied, by name and by namespace, with "" for none. */
  private final Map<String, SortedMap<String, String>> trouble = new ConcurrentHashMap<>();

  /** The source rules of each policy when it was last written or seen, by namespace and name. */
  private final Map<String, Isolation.Rules> written = new ConcurrentHashMap<>();

  /** Names of gang policies, by namespace, that were written or seen in this epoch. */
  private final Map<String, Set<String>> gangs = new ConcurrentHashMap<>();

  /** Last time when the permission for network policies was missing, null if it is available. */
  private volatile @Nullable Long refusedAt;

  /**
   * @param nanoTime the monotonic clock
   */
  public NamespaceIsolation(Installation installation, ClusterCalls calls, LongSupplier nanoTime) {
    this.installation = installation;
    this.calls = calls;
    this.nanoTime = nanoTime;
    servers = new ApiServers(calls);
    apply = new ServerSideApply(calls);
    quotas = new NamespaceQuotas(installation, calls, this);
    defaults = new ContainerDefaults(installation, this);
  }

  public NamespaceQuotas quotas() {
    return quotas;
  }

  public NamespacePlans plans() {
    return plans;
  }

  ServerSideApply apply() {
    return apply;
  }

  ContainerDefaults defaults() {
    return defaults;
  }

  /** Resets the state for a new epoch, because another process may have acted on the cluster. */
  void begin() {
    written.clear();
    gangs.clear();
    plans.begin();
    quotas.begin();
    defaults.begin();
    servers.begin();
    refusedAt = null;
  }

  /** Returns why isolation features are not applied somewhere, by name. */
  public SortedMap<String, String> trouble() {
    SortedMap<String, String> found = new TreeMap<>();
    found.put(IsolationFeature.NETWORK, reasons(IsolationFeature.NETWORK, SERVERS, GANGS));
    found.put(IsolationFeature.QUOTA, reasons(IsolationFeature.QUOTA));
    found.put(
        IsolationFeature.POD_SECURITY, reasons(IsolationFeature.POD_SECURITY, Namespaces.ACCOUNT));
    found.values().removeIf(String::isEmpty);
    return found;
  }

  /** Returns at most a few distinct reasons, for any number of namespaces. */
  private String reasons(String... kinds) {
    List<String> all =
        Stream.of(kinds)
            .flatMap(kind -> of(kind).values().stream().distinct().map(why -> said(kind, why)))
            .distinct()
            .toList();
    String more = all.size() > MOST_REASONS ? "; and " + (all.size() - MOST_REASONS) + " more" : "";
    return all.stream().limit(MOST_REASONS).collect(Collectors.joining("; ")) + more;
  }

  private static String said(String kind, String why) {
    return kind.equals(Namespaces.ACCOUNT) ? kind + ": " + why : why;
  }

  private SortedMap<String, String> of(String kind) {
    return trouble.computeIfAbsent(kind, key -> new ConcurrentSkipListMap<>());
  }

  /** Records why an isolation feature could not be applied, null if it was applied everywhere. */
  void tell(String feature, @Nullable String why) {
    tell(feature, "", why);
  }

  /** Records why an isolation feature of one namespace could not be applied, null if it was. */
  void tell(String feature, String namespace, @Nullable String why) {
    SortedMap<String, String> known = of(feature);
    if (why == null) {
      known.remove(namespace);
    } else {
      boolean first = !known.containsValue(why);
      known.put(namespace, why);
      if (first) {
        LOG.warn("feature {} is incomplete in namespace \"{}\": {}", feature, namespace, why);
      }
    }
  }

  /** Returns the namespaces with problems of their own. */
  SortedSet<String> troubled() {
    SortedSet<String> found = new TreeSet<>();
    trouble.values().forEach(of -> found.addAll(of.keySet()));
    found.remove("");
    return found;
  }

  /** Returns the namespaces with known state. */
  SortedSet<String> known() {
    SortedSet<String> found = troubled();
    found.addAll(gangs.keySet());
    found.addAll(quotas.known());
    found.addAll(defaults.known());
    return found;
  }

  /** Forgets namespaces that no longer exist. */
  void forget(Collection<String> gone) {
    gangs.keySet().removeAll(gone);
    quotas.forget(gone);
    defaults.forget(gone);
    trouble.values().forEach(of -> of.keySet().removeAll(gone));
  }

  /** Returns whether the right to network policies was missing in the last 30 seconds. */
  public boolean refused() {
    Long at = refusedAt;
    return at != null && nanoTime.getAsLong() - at < REFUSED_NANOS;
  }

  /** Returns whether the right was missing at its last use. */
  boolean lacksRight() {
    return refusedAt != null;
  }

  private void refuse() {
    if (refusedAt == null) {
      LOG.warn("feature {}, next attempt in 30 seconds: {}", IsolationFeature.NETWORK, NO_RIGHT);
    }
    refusedAt = nanoTime.getAsLong();
  }

  /**
   * Returns every network policy of a list.
   *
   * @throws CallFailure if the cluster does not answer
   */
  List<NetworkPolicy> policies(
      Function<ListOptions, ? extends KubernetesResourceList<NetworkPolicy>> list) {
    try {
      List<NetworkPolicy> found = Pages.all(calls, list);
      refusedAt = null;
      return found;
    } catch (CallFailure failure) {
      if (failure.missingRight()) {
        refuse();
      }
      throw failure;
    }
  }

  /** Records that a gang is launched without its policy. The text is the same for all gangs. */
  public void gangOpen(NetworkPolicy policy, String why) {
    if (!of(GANGS).containsValue(OPEN)) {
      LOG.warn("gang {} has no network policy: {}", policy.getMetadata().getName(), why);
    }
    tell(GANGS, policy.getMetadata().getNamespace(), OPEN);
  }

  /** Records that the cluster refused the policy of a gang. */
  public void gangRefused(NetworkPolicy policy, String why) {
    if (refusedAt != null) {
      refuse();
    }
    gangOpen(policy, why);
  }

  /**
   * Records that a gang has its policy. Others of its namespace may have none, and only a check of
   * all shows that.
   */
  public void gangClosed(NetworkPolicy policy) {
    refusedAt = null;
    remember(policy);
  }

  private void remember(NetworkPolicy policy) {
    gangs
        .computeIfAbsent(policy.getMetadata().getNamespace(), key -> ConcurrentHashMap.newKeySet())
        .add(policy.getMetadata().getName());
  }

  /**
   * Records the running gangs of a namespace, so that all others are forgotten.
   *
   * @param running names of their policies
   */
  void running(String namespace, Set<String> running) {
    gangs.computeIfPresent(
        namespace,
        (key, known) -> {
          known.retainAll(running);
          return known.isEmpty() ? null : known;
        });
  }

  /** Returns the labels of each of Fairlead's namespaces, of any installation. */
  public static SortedMap<String, String> labels() {
    SortedMap<String, String> labels = new TreeMap<>();
    labels.put("pod-security.kubernetes.io/enforce", "restricted");
    labels.put("pod-security.kubernetes.io/enforce-version", "latest");
    return labels;
  }

  /**
   * @return why it was not possible, null if it has them
   */
  @Nullable String label(KubernetesClient client, Namespace there, Map<String, String> wanted) {
    SortedMap<String, String> wrong = ServerSideApply.wrong(there, wanted);
    if (wrong.isEmpty()) {
      return null;
    }
    return built(() -> {
      Namespace _ = apply.label(client, there, wanted);
      repaired(there.getMetadata().getName(), "labels " + wrong.keySet());
    });
  }

  /**
   * @param there the policies of the namespace with Fairlead's labels
   * @return why it was not possible, null if it has them
   */
  @Nullable String isolate(
      KubernetesClient client, String namespace, Collection<NetworkPolicy> there) {
    Map<String, NetworkPolicy> named =
        there.stream()
            .collect(Collectors.toMap(policy -> policy.getMetadata().getName(), policy -> policy));
    String why = null;
    Egress egress = plans.egress(namespace);
    Isolation.Rules now =
        new Isolation.Rules(servers.known(), egress == null ? Egress.OPEN : egress);
    for (NetworkPolicy wanted : Isolation.of(installation, namespace, now)) {
      String name = wanted.getMetadata().getName();
      String key = namespace + "/" + name;
      NetworkPolicy old = named.get(name);
      boolean same = old != null && ServerSideApply.same(old, wanted);
      boolean reach = name.equals(Isolation.EGRESS);
      boolean mayKnowMore =
          old != null
              && now.servers().isEmpty()
              && !written.containsKey(key)
              && Isolation.sameButServers(old, wanted);
      boolean unplanned = egress == null;
      if (reach && (unplanned || !same && mayKnowMore)) {
        continue;
      }
      String failed =
          built(() -> {
            if (!same) {
              put(client, old, wanted);
            }
            written.put(key, now);
          });
      why = failed == null ? why : failed;
    }
    return why;
  }

  /**
   * Restores the policy of a running gang. A policy that never existed, because of a missing right,
   * does not count as a repair.
   *
   * @param old existing object of the same name, null if none
   * @return why it was not possible, null if it has it
   */
  @Nullable String close(
      KubernetesClient client, @Nullable NetworkPolicy old, NetworkPolicy wanted) {
    String namespace = wanted.getMetadata().getNamespace();
    String name = wanted.getMetadata().getName();
    if (old != null && ServerSideApply.same(old, wanted)) {
      remember(wanted);
      return null;
    }
    boolean known = old != null || gangs.getOrDefault(namespace, Set.of()).contains(name);
    return built(() -> {
      NetworkPolicy _ = apply.apply(client, wanted);
      remember(wanted);
      if (known) {
        repaired(namespace, "network policy of gang " + name);
      }
    });
  }

  /** A policy with the label of attempts would be missing in the list of each pass. */
  private void put(KubernetesClient client, @Nullable NetworkPolicy old, NetworkPolicy wanted) {
    boolean drifted = drifted(old, wanted);
    apply.removeLabel(client, apply.apply(client, wanted), ObjectLabels.ATTEMPT);
    if (drifted) {
      repaired(
          wanted.getMetadata().getNamespace(), "network policy " + wanted.getMetadata().getName());
    }
  }

  /** Returns whether others changed the policy since it was last written. */
  private boolean drifted(@Nullable NetworkPolicy old, NetworkPolicy wanted) {
    String namespace = wanted.getMetadata().getNamespace();
    String name = wanted.getMetadata().getName();
    Isolation.Rules then = written.get(namespace + "/" + name);
    return then != null
        && (old == null
            || Isolation.of(installation, namespace, then).stream()
                .noneMatch(policy -> ServerSideApply.same(old, policy)));
  }

  void repaired(String namespace, String what) {
    LOG.warn("namespace {}: {} restored after a change or removal there", namespace, what);
    calls.repaired();
  }

  static @Nullable String built(Runnable build) {
    try {
      build.run();
      return null;
    } catch (CallFailure failure) { // deleted or just changed: checked again later
      return failure.notFound() || failure.conflict() || failure.namespaceEnding()
          ? null
          : why(failure);
    }
  }

  static String why(CallFailure failure) {
    return failure.missingRight() ? NO_RIGHT : String.valueOf(failure.getMessage());
  }

  /** Looks up the addresses of the API server if they are unknown. */
  void knowServers(KubernetesClient client) {
    if (servers.known().isEmpty()) {
      findServers(client);
    }
  }

  /**
   * Looks up the addresses of the API server.
   *
   * @throws CallFailure if the cluster does not answer
   */
  void findServers(KubernetesClient client) {
    try {
      tell(SERVERS, servers.find(client) ? null : NO_SERVERS);
    } catch (CallFailure failure) {
      if (!failure.missingRight()) {
        throw failure;
      }
      tell(SERVERS, NO_RIGHT);
    }
  }
}
