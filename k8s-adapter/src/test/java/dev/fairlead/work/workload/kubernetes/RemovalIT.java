package dev.fairlead.work.workload.kubernetes;

import static dev.fairlead.work.workload.kubernetes.RealCluster.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.fairlead.fleet.cluster.ClusterSettings;
import dev.fairlead.kernel.lease.Installation;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.work.workload.LaunchOrder;
import dev.fairlead.work.workload.RemovalOutcome;
import dev.fairlead.work.workload.kubernetes.call.CallFailure;
import dev.fairlead.work.workload.kubernetes.call.CallLimits;
import dev.fairlead.work.workload.kubernetes.call.ClusterCalls;
import dev.fairlead.work.workload.kubernetes.call.ClusterGates;
import dev.fairlead.work.workload.kubernetes.namespace.NamespaceIsolation;
import dev.fairlead.work.workload.kubernetes.namespace.NamespaceRemovals;
import dev.fairlead.work.workload.kubernetes.namespace.Namespaces;
import dev.fairlead.work.workload.kubernetes.namespace.ObjectLabels;
import dev.fairlead.work.workload.kubernetes.pod.ManifestFactory;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.GenericKubernetesResourceBuilder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.api.model.ServiceAccount;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinitionBuilder;
import io.fabric8.kubernetes.api.model.authorization.v1.SelfSubjectAccessReviewBuilder;
import io.fabric8.kubernetes.api.model.rbac.ClusterRole;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBinding;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBindingBuilder;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Namespaces of deleted projects on a real API server, and the report about each. */
@OnControlPlane
class RemovalIT {
  private static final String MARK = "fairlead.dev/created-for";
  private static final PatchContext MERGE = PatchContext.of(PatchType.JSON_MERGE);

  /** The quota controller discovers new kinds every half minute. */
  private static final Duration QUOTAS_LEARN_A_KIND = Duration.ofMinutes(2);

  private final TestCluster cluster = KubernetesCluster.shared();
  private final KubernetesClient admin = cluster.admin();
  private final Installation installation = new Installation(new UUID(random(), random()), 1);
  private final ProjectId project = new ProjectId(new UUID(random(), random()));
  private final String namespace = "fairlead-" + installation.label();
  private final ClusterCalls calls =
      new ClusterGates(CallLimits.DEFAULT, Duration.ofSeconds(10), new SimpleMeterRegistry())
          .open("removal");
  private final Namespaces namespaces =
      new Namespaces(
          installation,
          calls,
          new NamespaceIsolation(installation, calls, System::nanoTime),
          System::nanoTime);
  private final NamespaceRemovals removals =
      new NamespaceRemovals(installation, calls, namespaces, RemovalIT::pause);
  private final KubernetesClient fairlead =
      new KubernetesClientBuilder().withConfig(Config.fromKubeconfig(cluster.kubeconfig())).build();

  private static long random() {
    return ThreadLocalRandom.current().nextLong();
  }

  private static boolean pause() {
    LockSupport.parkNanos(Duration.ofMillis(100).toNanos());
    return true;
  }

  @BeforeEach
  void connect() {
    namespaces.ensureSystem(fairlead);
  }

  @AfterEach
  void close() {
    admin.resource(binding()).delete();
    admin.resource(role()).delete();
    fairlead.close();
    calls.close();
  }

  private void made() {
    assertThat(namespaces.ensure(fairlead, namespace, project)).isNull();
    eventually(
        "the cluster has furnished it",
        () ->
            admin.configMaps().inNamespace(namespace).withName("kube-root-ca.crt").get() != null
                && admin.serviceAccounts().inNamespace(namespace).withName("default").get()
                    != null);
  }

  /** Only this namespace, because other tests check Fairlead's permissions. */
  private void mayRemove() {
    admin.resource(role()).create();
    admin.resource(binding()).create();
    eventually("the API server knows of it", this::known);
  }

  private boolean known() {
    var question =
        new SelfSubjectAccessReviewBuilder()
            .withNewSpec()
            .withNewResourceAttributes()
            .withGroup("")
            .withResource("namespaces")
            .withVerb("delete")
            .withName(namespace)
            .endResourceAttributes()
            .endSpec()
            .build();
    return fairlead.resource(question).create().getStatus().getAllowed();
  }

  private ClusterRole role() {
    return new ClusterRoleBuilder()
        .withNewMetadata()
        .withName(namespace)
        .endMetadata()
        .addNewRule()
        .withApiGroups("")
        .withResources("namespaces")
        .withResourceNames(namespace)
        .withVerbs("delete")
        .endRule()
        .addNewRule()
        .withApiGroups("")
        .withResources("serviceaccounts")
        .withVerbs("list")
        .endRule()
        .build();
  }

  private ClusterRoleBinding binding() {
    return new ClusterRoleBindingBuilder()
        .withNewMetadata()
        .withName(namespace)
        .endMetadata()
        .withNewRoleRef("rbac.authorization.k8s.io", "ClusterRole", namespace)
        .addNewSubject("", "ServiceAccount", "fairlead", Namespaces.SYSTEM)
        .build();
  }

  private RemovalOutcome remove() {
    return removals.remove(fairlead, namespace, project);
  }

  private void waits(String... words) {
    RemovalOutcome outcome =
        await()
            .atMost(QUOTAS_LEARN_A_KIND)
            .until(this::remove, told -> !told.toString().contains("The next pass checks again"));
    assertThat(outcome)
        .isInstanceOfSatisfying(
            RemovalOutcome.Waits.class, waits -> assertThat(waits.why()).contains(words));
  }

  private @Nullable Namespace there() {
    return admin.namespaces().withName(namespace).get();
  }

  private boolean stays() {
    Namespace there = there();
    return there != null && there.getMetadata().getDeletionTimestamp() == null;
  }

  private void gone(HasMetadata object) {
    admin.resource(object).patch(MERGE, "{\"metadata\":{\"finalizers\":null}}");
    admin.resource(object).withGracePeriod(0).delete();
    eventually("it is gone", () -> admin.resource(object).get() == null);
  }

  private ObjectMetaBuilder meta(String name) {
    return new ObjectMetaBuilder().withName(name).withNamespace(namespace);
  }

  @Test
  void namespaceStaysWithoutTheRightAndTheStepIsNamed() {
    made();

    waits("may not delete namespaces", "deploy/cluster-removal.yaml");

    assertThat(stays()).isTrue();
  }

  /**
   * Fails when a namespace is deleted that existed before Fairlead, or that is another project's.
   */
  @Test
  void onlyTheNamespaceCreatedForThisProjectIsRemoved() {
    admin
        .resource(
            new NamespaceBuilder()
                .withMetadata(meta(namespace).withNamespace(null).build())
                .build())
        .create();
    made();
    mayRemove();
    assertThat(there().getMetadata().getLabels())
        .containsEntry(ObjectLabels.INSTALLATION, installation.label());

    assertThat(remove()).isInstanceOf(RemovalOutcome.Kept.class);
    assertThatThrownBy(() -> fairlead.namespaces().withName(namespace).delete())
        .hasMessageContaining("for a project");
    String mark =
        "{\"metadata\":{\"annotations\":{\"%s\":\"%s/x\"}}}".formatted(MARK, installation.label());
    assertThatThrownBy(() -> fairlead.namespaces().withName(namespace).patch(MERGE, mark))
        .hasMessageContaining("when the namespace is created");
    admin.namespaces().withName(namespace).patch(MERGE, mark);
    assertThat(remove()).isInstanceOf(RemovalOutcome.Kept.class);
    assertThat(stays()).isTrue();
  }

  /**
   * Fails when an object that Fairlead did not create is deleted with a namespace, or an empty
   * namespace remains.
   */
  @Test
  void namespaceIsRemovedOnceNoForeignObjectExists() {
    made();
    mayRemove();
    var claim =
        new PersistentVolumeClaimBuilder()
            .withMetadata(meta("data").build())
            .withNewSpec()
            .withAccessModes("ReadWriteOnce")
            .withNewResources()
            .withRequests(Map.of("storage", new Quantity("1Gi")))
            .endResources()
            .endSpec()
            .build();
    var secret = new SecretBuilder().withMetadata(meta("login").build()).build();
    var map = new ConfigMapBuilder().withMetadata(meta("notes").build()).build();
    LaunchOrder order = Orders.single();
    var pod =
        new PodBuilder()
            .withMetadata(
                meta("lives").addToLabels(ObjectLabels.INSTALLATION, installation.label()).build())
            .withSpec(
                ManifestFactory.pod(
                        order,
                        order.attempt().members().getFirst(),
                        null,
                        ClusterSettings.DEFAULT,
                        null)
                    .getSpec())
            .build();
    admin.resource(claim).create();
    admin.resource(secret).create();
    admin.resource(map).create();
    waits("1 configmaps, 1 persistentvolumeclaims, 1 secrets", "kubectl annotate namespace");
    gone(claim);
    gone(secret);
    gone(map);
    admin.resource(pod).create();
    waits("1 pods");
    gone(pod);
    assertThat(stays()).isTrue();

    waits("is deleting its objects");

    assertThat(stays()).isFalse();
    eventually("it is gone", () -> remove().equals(RemovalOutcome.GONE));
    assertThat(namespaces.ensure(fairlead, namespace, project)).as("made again for a job").isNull();
    assertThat(there().getMetadata().getAnnotations()).containsKey(MARK);
  }

  /**
   * Fails when only the preferred version of a group is listed: the object was deleted with its
   * namespace.
   */
  @Test
  void kindMissingFromThePreferredVersionKeepsTheNamespace() {
    made();
    mayRemove();
    String group = installation.label() + ".example.com";
    var widgets = kind(group, "Widget", "v1");
    var gadgets = kind(group, "Gadget", "v1alpha1");
    admin.resource(widgets).create();
    admin.resource(gadgets).create();
    try {
      eventually("both are served", () -> admin.getApiResources(group + "/v1alpha1") != null);
      eventually("the first is preferred", () -> "v1".equals(preferred(group)));
      admin
          .resource(
              new GenericKubernetesResourceBuilder()
                  .withApiVersion(group + "/v1alpha1")
                  .withKind("Gadget")
                  .withMetadata(meta("made-by-hand").build())
                  .build())
          .create();

      await()
          .atMost(QUOTAS_LEARN_A_KIND)
          .until(() -> {
            RemovalOutcome outcome = remove();
            assertThat(stays()).as(outcome.toString()).isTrue();
            return outcome.toString().contains("1 gadgets." + group);
          });
    } finally {
      admin.resource(gadgets).delete();
      admin.resource(widgets).delete();
    }
  }

  /** Fails when a project that had a cloud identity keeps its namespace forever. */
  @Test
  void anAccountOfACloudIdentityIsNotForeign() {
    made();
    mayRemove();
    admin.resource(account("cloud-checkpoints", true)).create();
    var theirs = account("cloud-theirs", false);
    admin.resource(theirs).create();
    waits("1 serviceaccounts");
    gone(theirs);

    waits("is deleting its objects");
  }

  private ServiceAccount account(String name, boolean ours) {
    return new ServiceAccountBuilder()
        .withMetadata(
            meta(name)
                .withLabels(ours ? Map.copyOf(ObjectLabels.of(installation)) : Map.of())
                .build())
        .build();
  }

  private String preferred(String group) {
    return admin.getApiGroup(group).getPreferredVersion().getVersion();
  }

  private static CustomResourceDefinition kind(String group, String name, String version) {
    String plural = name.toLowerCase(Locale.ROOT) + "s";
    return new CustomResourceDefinitionBuilder()
        .withNewMetadata()
        .withName(plural + "." + group)
        .endMetadata()
        .withNewSpec()
        .withGroup(group)
        .withScope("Namespaced")
        .withNewNames()
        .withKind(name)
        .withPlural(plural)
        .endNames()
        .addNewVersion()
        .withName(version)
        .withServed(true)
        .withStorage(true)
        .withNewSchema()
        .withNewOpenAPIV3Schema()
        .withType("object")
        .endOpenAPIV3Schema()
        .endSchema()
        .endVersion()
        .endSpec()
        .build();
  }

  /**
   * Fails when a namespace that cannot terminate is not reported, or is not created again
   * afterwards.
   */
  @Test
  void blockerOfARemovalIsNamedAndALaunchWaitsForIt() {
    made();
    mayRemove();
    var held =
        new ConfigMapBuilder()
            .withMetadata(
                meta("held")
                    .addToLabels(ObjectLabels.INSTALLATION, installation.label())
                    .withFinalizers("example.com/held")
                    .build())
            .build();
    admin.resource(held).create();
    waits("is deleting its objects");
    eventually(
        "what holds it is named",
        () ->
            remove() instanceof RemovalOutcome.Waits(String why)
                && why.contains("since 20")
                && why.contains("example.com/held"));
    assertThatThrownBy(() -> ensured())
        .isInstanceOfSatisfying(
            CallFailure.class, failure -> assertThat(failure.refusedForNow()).isTrue());
    gone(held);
    eventually("it is gone", () -> there() == null);
    assertThat(ensured()).isNull();
    assertThat(stays()).isTrue();
  }

  private @Nullable String ensured() {
    admin.serviceAccounts().inNamespace(namespace).withName(Namespaces.SERVICE_ACCOUNT).delete();
    return namespaces.ensure(fairlead, namespace, project);
  }

  /** Fails when a namespace that stays is left closed to its operator. */
  @Test
  void persistentNamespaceIsReopened() {
    made();
    mayRemove();
    admin.resource(new SecretBuilder().withMetadata(meta("login").build()).build()).create();
    waits("1 secrets");

    assertThat(admin.resourceQuotas().inNamespace(namespace).list().getItems()).isEmpty();
  }
}
