package dev.fairlead.work.workload.kubernetes.namespace;

import dev.fairlead.fleet.cluster.IsolationFeature;
import dev.fairlead.kernel.lease.Installation;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.work.workload.kubernetes.call.ByName;
import dev.fairlead.work.workload.kubernetes.call.CallFailure;
import dev.fairlead.work.workload.kubernetes.call.ClusterCalls;
import dev.fairlead.work.workload.kubernetes.call.Pages;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.ServiceAccount;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Fairlead's namespaces. They are created if they are missing, with the rules that every pod in
 * them must meet.
 */
public final class Namespaces {
  public static final String PREFIX = "fairlead-";
  public static final String SYSTEM = PREFIX + "system";

  /** Has no rights, and its token is not mounted. Each namespace has its own. */
  public static final String SERVICE_ACCOUNT = "fairlead-job";

  /**
   * Trouble of accounts. It is not a separate isolation feature, because pods mount no token
   * anyway.
   */
  static final String ACCOUNT = "service account " + SERVICE_ACCOUNT;

  /** Time after which a namespace is checked again, because it may have been removed. */
  private static final long FRESH_NANOS = Duration.ofMinutes(5).toNanos();

  private final Installation installation;
  private final ClusterCalls calls;
  private final LongSupplier nanoTime;
  private final NamespaceIsolation isolation;
  private final CloudAccounts accounts;
  private final Map<String, Long> known = new ConcurrentHashMap<>();

  /** Names of Fairlead's namespaces that this process has seen, regardless of their labels. */
  private final Set<String> seen = ConcurrentHashMap.newKeySet();

  public Namespaces(
      Installation installation,
      ClusterCalls calls,
      NamespaceIsolation isolation,
      LongSupplier nanoTime) {
    this.installation = installation;
    this.calls = calls;
    this.isolation = isolation;
    this.nanoTime = nanoTime;
    accounts = new CloudAccounts(installation, calls);
  }

  public NamespaceIsolation isolation() {
    return isolation;
  }

  public CloudAccounts accounts() {
    return accounts;
  }

  public NamespaceQuotas quotas() {
    return isolation.quotas();
  }

  /**
   * Ensures Fairlead's own namespace, which the installations of a cluster share.
   *
   * @throws CallFailure if it does not exist and cannot be created
   */
  public void ensureSystem(KubernetesClient client) {
    if (!fresh(SYSTEM)) {
      Namespace there = read(client, SYSTEM);
      if (there == null) {
        Namespace shared = namespace(SYSTEM);
        shared.getMetadata().getLabels().remove(ObjectLabels.INSTALLATION);
        create(client, shared);
      } else {
        String _ = isolation.label(client, there, NamespaceIsolation.labels());
      }
      complete(client, SYSTEM, account(client, SYSTEM));
    }
  }

  /**
   * Ensures the namespace of a project. A namespace that another installation created contains the
   * jobs, claims and secrets of the other installation, regardless of its name.
   *
   * @param project for which a missing namespace is created
   * @return why no job of this installation may run there, null if it may
   * @throws CallFailure if it does not exist and cannot be created
   */
  public @Nullable String ensure(KubernetesClient client, String name, ProjectId project) {
    if (fresh(name)) {
      return null;
    }
    Namespace there = read(client, name);
    if (there == null) {
      create(client, ofProject(name, project));
      there = read(client, name);
    }
    /* A namespace that was created manually has no label, but its account has. */
    ServiceAccount account = account(client, name);
    String owner = label(there) == null ? label(account) : label(there);
    if (owner != null && !owner.equals(installation.label())) {
      return foreign(name, owner);
    }
    complete(client, name, account);
    String why = there == null ? null : build(client, there);
    if (why != null) {
      isolation.tell(IsolationFeature.NETWORK, why);
    }
    return null;
  }

  /**
   * Applies a changed plan to an existing namespace of this installation.
   *
   * @return why it was not possible
   * @throws CallFailure if the cluster does not return it
   */
  @Nullable String rebuild(KubernetesClient client, String name) {
    Namespace there = read(client, name);
    return there != null && installation.label().equals(label(there)) ? build(client, there) : null;
  }

  private @Nullable String build(KubernetesClient client, Namespace there) {
    String name = there.getMetadata().getName();
    seen.add(name);
    String label = isolation.label(client, there, labels());
    if (label != null) {
      isolation.tell(IsolationFeature.POD_SECURITY, label);
    }
    try {
      isolation.knowServers(client);
      var policies =
          client
              .network()
              .v1()
              .networkPolicies()
              .inNamespace(name)
              .withLabel(ObjectLabels.INSTALLATION, installation.label())
              .withoutLabel(ObjectLabels.ATTEMPT);
      return isolation.isolate(client, name, isolation.policies(policies::list));
    } catch (CallFailure failure) {
      return NamespaceIsolation.why(failure);
    }
  }

  /** Returns the labels of every project namespace of this installation. */
  public SortedMap<String, String> labels() {
    SortedMap<String, String> labels = ObjectLabels.of(installation);
    labels.putAll(NamespaceIsolation.labels());
    return labels;
  }

  /**
   * Returns the existing project namespaces, even if they lost their label since this process saw
   * them.
   *
   * @throws CallFailure if the cluster does not answer
   */
  List<Namespace> ours(KubernetesClient client) {
    var labelled = client.namespaces().withLabel(ObjectLabels.INSTALLATION, installation.label());
    SortedMap<String, Namespace> found = new TreeMap<>();
    Pages.all(calls, labelled::list).forEach(n -> found.put(n.getMetadata().getName(), n));
    for (String name : List.copyOf(seen)) {
      if (!found.containsKey(name)) {
        Namespace there = read(client, name);
        if (there != null && label(there) == null) {
          found.put(name, there);
        } else {
          seen.remove(name);
        }
      }
    }
    found.values().removeIf(n -> n.getMetadata().getDeletionTimestamp() != null);
    return List.copyOf(found.values());
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
        + ". Use another project or cluster. If that installation no longer exists, an"
        + " operator labels the namespace and the account for this one: kubectl label"
        + " --overwrite namespace "
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
    if (account == null) { // a separate account, so that no pod waits for the default account
      create(client, wantedAccount(name));
    } else {
      isolation.tell(ACCOUNT, name, NamespaceIsolation.built(() -> restore(client, account)));
    }
    known.put(name, nanoTime.getAsLong());
  }

  /**
   * Restores the account of a namespace: its existence, its labels, and the setting that no pod
   * mounts its token.
   *
   * @return why it was not possible, null if the account is correct
   * @throws CallFailure if the cluster does not return it
   */
  @Nullable String keepAccount(KubernetesClient client, String name) {
    ServiceAccount there = account(client, name);
    return NamespaceIsolation.built(() -> {
      if (there == null) {
        calls.write(() -> client.resource(wantedAccount(name)).create());
        isolation.repaired(name, "service account " + SERVICE_ACCOUNT);
      } else {
        restore(client, there);
      }
    });
  }

  /** Retains additions by others, such as image pull secrets. */
  private void restore(KubernetesClient client, ServiceAccount there) {
    ServiceAccount wanted = wantedAccount(there.getMetadata().getNamespace());
    if (label(there) != null) { // the account of the shared namespace has labels of its creator
      wanted.getMetadata().setLabels(owner(there));
    }
    if (!ServerSideApply.same(there, wanted)) {
      ServiceAccount _ = isolation.apply().apply(client, wanted);
      isolation.repaired(wanted.getMetadata().getNamespace(), "service account " + SERVICE_ACCOUNT);
    }
  }

  /** Returns the labels of the installation that created the account. */
  private static SortedMap<String, String> owner(ServiceAccount account) {
    SortedMap<String, String> labels = new TreeMap<>(account.getMetadata().getLabels());
    labels.keySet().retainAll(List.of(ObjectLabels.INSTALLATION, ObjectLabels.MANAGED_BY));
    return labels;
  }

  private ServiceAccount wantedAccount(String namespace) {
    return new ServiceAccountBuilder()
        .withMetadata(ServerSideApply.meta(installation, namespace, SERVICE_ACCOUNT))
        .withAutomountServiceAccountToken(false)
        .build();
  }

  /**
   * Requests a check before the next use, because the namespace or one of its objects may have been
   * removed.
   */
  public void forget(String name) {
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

  /**
   * Adds the annotation for namespaces that Fairlead created. No other namespace is ever removed.
   */
  private Namespace ofProject(String name, ProjectId project) {
    Namespace made = namespace(name);
    made.getMetadata().setAnnotations(Map.of(ObjectLabels.CREATED_FOR, mark(project)));
    return made;
  }

  private String mark(ProjectId project) {
    return installation.label() + "/" + project.bare();
  }

  /** Returns whether this installation created it for that project and its label is unchanged. */
  boolean made(Namespace there, ProjectId project) {
    Map<String, String> marks = there.getMetadata().getAnnotations();
    return installation.label().equals(label(there))
        && marks != null
        && mark(project).equals(marks.get(ObjectLabels.CREATED_FOR));
  }

  private Namespace namespace(String name) {
    return new NamespaceBuilder()
        .withNewMetadata()
        .withName(name)
        .withLabels(labels())
        .endMetadata()
        .build();
  }
}
