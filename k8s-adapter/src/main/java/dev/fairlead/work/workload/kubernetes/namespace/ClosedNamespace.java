package dev.fairlead.work.workload.kubernetes.namespace;

import dev.fairlead.fleet.cluster.connection.ClusterRight;
import dev.fairlead.kernel.lease.Installation;
import dev.fairlead.people.cloudidentity.CloudIdentity;
import dev.fairlead.work.workload.kubernetes.call.ByName;
import dev.fairlead.work.workload.kubernetes.call.CallFailure;
import dev.fairlead.work.workload.kubernetes.call.ClusterCalls;
import dev.fairlead.work.workload.kubernetes.call.Pages;
import io.fabric8.kubernetes.api.model.APIGroup;
import io.fabric8.kubernetes.api.model.APIResource;
import io.fabric8.kubernetes.api.model.APIResourceList;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.KubernetesResourceList;
import io.fabric8.kubernetes.api.model.ListOptions;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceQuota;
import io.fabric8.kubernetes.api.model.ResourceQuotaBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.Resource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Blocks all creates in a namespace while it is open, by a ResourceQuota that admits no object of
 * any kind. The status of the quota counts the existing objects, including secrets and custom
 * kinds, so no rights to read all kinds are needed.
 */
final class ClosedNamespace implements AutoCloseable {
  static final String QUOTA = "fairlead-removal";

  /**
   * Its admission takes effect within moments, the counts with the quota controller's next sync.
   */
  private static final int LOOKS = 40;

  /**
   * Verbs of the kinds that the quota controller counts: kinds that can be created, deleted and
   * watched.
   */
  private static final Set<String> COUNTED = Set.of("create", "delete", "list", "watch");

  /** These do not belong to the content of a namespace, and Kubernetes does not count them. */
  private static final Set<String> NOT_COUNTED =
      Set.of("count/events", "count/events.events.k8s.io");

  /** Each cluster creates these in each namespace. */
  private static final Set<String> OF_THE_CLUSTER =
      Set.of("kube-root-ca.crt", "openshift-service-ca.crt");

  /** Added after the namespace is closed, so that everything is counted again. */
  private static final String RECOUNT = "pods";

  private static final String ACCOUNTS = "count/serviceaccounts";

  /** Granted only by {@code deploy/cluster-removal.yaml}. */
  private static final ClusterRight LIST_ACCOUNTS = new ClusterRight("", "serviceaccounts", "list");

  private static final Quantity NONE = new Quantity("0");

  private final Installation installation;
  private final ClusterCalls calls;
  private final KubernetesClient client;
  private final String namespace;
  private final BooleanSupplier pause;

  /**
   * @param pause waits briefly between checks, returns false when the process is about to end
   */
  ClosedNamespace(
      Installation installation,
      ClusterCalls calls,
      KubernetesClient client,
      String namespace,
      BooleanSupplier pause) {
    this.installation = installation;
    this.calls = calls;
    this.client = client;
    this.namespace = namespace;
    this.pause = pause;
  }

  /**
   * Closes the namespace and counts its objects.
   *
   * @return by kind, the number of objects that Fairlead did not create, empty if none
   * @throws CallFailure if the cluster does not answer
   * @throws Uncounted if the objects could not be counted
   */
  SortedMap<String, Long> foreign() throws Uncounted {
    close(); // left by a process that has ended
    Map<String, Quantity> none = new TreeMap<>();
    kinds().forEach(kind -> none.put(kind, NONE));
    ServerSideApply apply = new ServerSideApply(calls);
    ResourceQuota _ = apply.apply(client, quota(none));
    until("the quota refuses nothing " + QUOTA + " that closes it", this::closed);
    none.put(RECOUNT, NONE);
    ResourceQuota _ = apply.apply(client, quota(none));
    until(
        "its quota " + QUOTA + " is not counted", () -> used().keySet().containsAll(none.keySet()));
    SortedMap<String, Long> foreign = new TreeMap<>();
    used().forEach((kind, count) -> foreign.put(kind, count.getNumericalAmount().longValue()));
    foreign.remove(RECOUNT);
    own().forEach((kind, count) -> foreign.merge(kind, -count, Long::sum));
    foreign.values().removeIf(count -> count <= 0);
    return foreign;
  }

  /**
   * Returns the quota name of every kind of the cluster. The version that a group prefers need not
   * have all of its kinds.
   */
  private SortedSet<String> kinds() {
    SortedSet<String> kinds = new TreeSet<>();
    add(kinds, "", "v1");
    for (APIGroup group : calls.read(client::getApiGroups).getGroups()) {
      group.getVersions().forEach(of -> add(kinds, "." + group.getName(), of.getGroupVersion()));
    }
    kinds.removeAll(NOT_COUNTED);
    return kinds;
  }

  private void add(SortedSet<String> kinds, String group, String version) {
    @Nullable APIResourceList there = calls.read(() -> client.getApiResources(version));
    if (there == null) {
      return; // removed since its group was listed, with its kinds
    }
    for (APIResource kind : there.getResources()) {
      if (Boolean.TRUE.equals(kind.getNamespaced()) && kind.getVerbs().containsAll(COUNTED)) {
        kinds.add("count/" + kind.getName() + group);
      }
    }
  }

  private ResourceQuota quota(Map<String, Quantity> hard) {
    return new ResourceQuotaBuilder()
        .withMetadata(ServerSideApply.meta(installation, namespace, QUOTA))
        .withNewSpec()
        .withHard(hard)
        .endSpec()
        .build();
  }

  private void until(String otherwise, BooleanSupplier done) throws Uncounted {
    for (int look = 0; look < LOOKS; look++) {
      if (done.getAsBoolean()) {
        return;
      }
      if (!pause.getAsBoolean()) {
        break;
      }
    }
    throw new Uncounted(otherwise + ". The next pass checks again.");
  }

  private boolean closed() {
    var stray =
        new ConfigMapBuilder()
            .withNewMetadata()
            .withName(QUOTA)
            .withNamespace(namespace)
            .endMetadata()
            .build();
    try {
      calls.write(() -> client.resource(stray).dryRun().create());
      return false;
    } catch (CallFailure failure) {
      if (failure.refusedByQuota(QUOTA)) {
        return true;
      }
      throw failure;
    }
  }

  private Map<String, Quantity> used() {
    ResourceQuota there = calls.read(() -> ByName.find(byName()));
    return there == null || there.getStatus() == null || there.getStatus().getUsed() == null
        ? Map.of()
        : there.getStatus().getUsed();
  }

  /**
   * Returns the number of objects that Fairlead and each cluster create in the namespace of a
   * project, by kind.
   */
  private Map<String, Long> own() throws Uncounted {
    Map<String, Long> own = new HashMap<>();
    long accounts =
        List.of("default", Namespaces.SERVICE_ACCOUNT).stream()
            .filter(name ->
                calls.read(() ->
                    ByName.find(client.serviceAccounts().inNamespace(namespace).withName(name)))
                    != null)
            .count();
    long others = used().getOrDefault(ACCOUNTS, NONE).getNumericalAmount().longValue() - accounts;
    own.put(ACCOUNTS, others > 0 ? accounts + identities() : accounts);
    own.put("count/configmaps", ours(client.configMaps().inNamespace(namespace)::list));
    own.put("count/resourcequotas", ours(client.resourceQuotas().inNamespace(namespace)::list));
    own.put("count/limitranges", ours(client.limitRanges().inNamespace(namespace)::list));
    own.put(
        "count/networkpolicies.networking.k8s.io",
        ours(client.network().v1().networkPolicies().inNamespace(namespace)::list));
    return own;
  }

  /**
   * Returns the number of service accounts of cloud identities.
   *
   * @throws Uncounted without the right to list service accounts
   */
  private long identities() throws Uncounted {
    if (!Rights.may(client, calls, LIST_ACCOUNTS, namespace, null)) {
      throw new Uncounted(
          "Fairlead "
              + ClusterRight.lacking(List.of(LIST_ACCOUNTS))
              + " there, so accounts of cloud identities cannot be distinguished from others: apply"
              + " deploy/cluster-removal.yaml again");
    }
    var accounts =
        client
            .serviceAccounts()
            .inNamespace(namespace)
            .withLabel(ObjectLabels.INSTALLATION, installation.label());
    return Pages.all(calls, accounts::list).stream()
        .filter(account -> CloudIdentity.isServiceAccount(account.getMetadata().getName()))
        .count();
  }

  private <T extends HasMetadata> long ours(
      Function<ListOptions, ? extends KubernetesResourceList<T>> list) {
    return Pages.all(calls, list).stream()
        .filter(object -> {
          Map<String, String> labels = object.getMetadata().getLabels();
          return OF_THE_CLUSTER.contains(object.getMetadata().getName())
              || labels != null
                  && installation.label().equals(labels.get(ObjectLabels.INSTALLATION));
        })
        .count();
  }

  private Resource<ResourceQuota> byName() {
    return client.resourceQuotas().inNamespace(namespace).withName(QUOTA);
  }

  /** Allows creates again. */
  @Override
  public void close() {
    calls.write(() -> byName().delete());
  }

  /** The objects could not be counted. */
  static final class Uncounted extends Exception {
    private static final long serialVersionUID = 1L;

    Uncounted(String message) {
      super(message);
    }
  }
}
