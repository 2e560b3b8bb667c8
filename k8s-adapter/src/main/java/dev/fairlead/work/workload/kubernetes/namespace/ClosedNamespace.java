package dev.fairlead.work.workload.kubernetes.namespace;

import dev.fairlead.kernel.lease.Installation;
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
 * A namespace in which nothing can be made while this is open, by a ResourceQuota that admits no
 * object of any kind. Its status counts what is there, secrets and custom kinds included, so that
 * nothing has to be read for which a right to read all of its kind would be needed.
 */
final class ClosedNamespace implements AutoCloseable {
  static final String QUOTA = "fairlead-removal";

  /** Its admission follows within moments; the counts with the quota controller's next turn. */
  private static final int LOOKS = 40;

  /** What the quota controller counts: what can be made, removed and followed. */
  private static final Set<String> COUNTED = Set.of("create", "delete", "list", "watch");

  /** Kept by no namespace, and not counted by Kubernetes. */
  private static final Set<String> NOT_COUNTED =
      Set.of("count/events", "count/events.events.k8s.io");

  /** Each cluster makes them in each namespace. */
  private static final Set<String> OF_THE_CLUSTER =
      Set.of("kube-root-ca.crt", "openshift-service-ca.crt");

  /** Added once it is closed, so that all is counted again from then on. */
  private static final String RECOUNT = "pods";

  private static final Quantity NONE = new Quantity("0");

  private final Installation installation;
  private final ClusterCalls calls;
  private final KubernetesClient client;
  private final String namespace;
  private final BooleanSupplier pause;

  /**
   * @param pause waits a moment between looks; false when the process is about to end
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
   * Closes it and counts.
   *
   * @return by kind, what is there that Fairlead did not make; empty when there is nothing
   * @throws CallFailure when the cluster does not answer
   * @throws Uncounted when it is not known what is there
   */
  SortedMap<String, Long> foreign() throws Uncounted {
    close(); // one that a process left which ended in between
    Map<String, Quantity> none = new TreeMap<>();
    kinds().forEach(kind -> none.put(kind, NONE));
    calls.write(() -> client.resource(quota(none)).create());
    until("nothing is refused by the quota " + QUOTA + " that closes it", this::closed);
    none.put(RECOUNT, NONE);
    calls.write(() -> client.resource(quota(none)).update());
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
   * That of every kind of the cluster, as quotas name them. The version that a group prefers need
   * not have all of its kinds.
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
      return; // went since its group was listed, and its kinds with it
    }
    for (APIResource kind : there.getResources()) {
      if (Boolean.TRUE.equals(kind.getNamespaced()) && kind.getVerbs().containsAll(COUNTED)) {
        kinds.add("count/" + kind.getName() + group);
      }
    }
  }

  private ResourceQuota quota(Map<String, Quantity> hard) {
    return new ResourceQuotaBuilder()
        .withNewMetadata()
        .withName(QUOTA)
        .withNamespace(namespace)
        .withLabels(ObjectLabels.of(installation))
        .endMetadata()
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
    throw new Uncounted(otherwise + "; it is looked at again");
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

  /** What Fairlead and each cluster make in the namespace of a project, by kind. */
  private Map<String, Long> own() {
    Map<String, Long> own = new HashMap<>();
    long accounts =
        List.of("default", Namespaces.SERVICE_ACCOUNT).stream()
            .filter(name ->
                calls.read(() ->
                    ByName.find(client.serviceAccounts().inNamespace(namespace).withName(name)))
                    != null)
            .count();
    own.put("count/serviceaccounts", accounts);
    own.put("count/configmaps", ours(client.configMaps().inNamespace(namespace)::list));
    own.put("count/resourcequotas", ours(client.resourceQuotas().inNamespace(namespace)::list));
    own.put("count/limitranges", ours(client.limitRanges().inNamespace(namespace)::list));
    own.put(
        "count/networkpolicies.networking.k8s.io",
        ours(client.network().v1().networkPolicies().inNamespace(namespace)::list));
    return own;
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

  /** Things can be made there again. */
  @Override
  public void close() {
    calls.write(() -> byName().delete());
  }

  /** What is there could not be found out. */
  static final class Uncounted extends Exception {
    private static final long serialVersionUID = 1L;

    Uncounted(String message) {
      super(message);
    }
  }
}
