package dev.fairlead.work.workload.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.fleet.node.NodeLabelsAndTaints;
import dev.fairlead.kernel.lease.Installation;
import dev.fairlead.work.workload.ActionOutcome;
import dev.fairlead.work.workload.ClusterGateway;
import dev.fairlead.work.workload.NodeNotes;
import dev.fairlead.work.workload.kubernetes.namespace.Namespaces;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.api.model.Taint;
import io.fabric8.kubernetes.api.model.authorization.v1.ResourceRule;
import io.fabric8.kubernetes.api.model.authorization.v1.SelfSubjectAccessReviewBuilder;
import io.fabric8.kubernetes.api.model.authorization.v1.SelfSubjectRulesReviewBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.net.HttpURLConnection;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The identity of {@code deploy/cluster.yaml} has the rights that Fairlead uses and no others. All
 * other tests on a real control plane run with this role, which shows that it suffices.
 */
@OnControlPlane
class LeastPrivilegeIT {
  /** Every right, as {@code group/resource verb}. The manifest explains its purpose. */
  private static final List<String> RIGHTS =
      List.of(
          "/nodes list",
          "/nodes watch",
          "/pods get",
          "/pods list",
          "/pods watch",
          "/pods create",
          "/pods delete",
          "/pods patch",
          "/pods/log get",
          "/configmaps get",
          "/configmaps list",
          "/configmaps watch",
          "/configmaps create",
          "/configmaps delete",
          "/services get",
          "/services create",
          "/services delete",
          "/secrets create",
          "/secrets delete",
          "policy/poddisruptionbudgets get",
          "policy/poddisruptionbudgets create",
          "policy/poddisruptionbudgets delete",
          "policy/poddisruptionbudgets patch",
          "/namespaces get",
          "/namespaces list",
          "/namespaces create",
          "/namespaces patch",
          "/serviceaccounts get",
          "/serviceaccounts create",
          "/serviceaccounts patch",
          "networking.k8s.io/networkpolicies get",
          "networking.k8s.io/networkpolicies list",
          "networking.k8s.io/networkpolicies create",
          "networking.k8s.io/networkpolicies patch",
          "/resourcequotas get",
          "/resourcequotas list",
          "/resourcequotas create",
          "/resourcequotas patch",
          "/resourcequotas delete",
          "/limitranges list",
          "/limitranges create",
          "/limitranges patch",
          "discovery.k8s.io/endpointslices get",
          "/persistentvolumeclaims get",
          "scheduling.k8s.io/priorityclasses list",
          "storage.k8s.io/storageclasses list",
          "resource.k8s.io/deviceclasses list",
          "apps/daemonsets list",
          "nvidia.com/clusterpolicies list");

  private static final PatchContext MERGE = PatchContext.of(PatchType.JSON_MERGE);
  private static final String LABELS = "{\"metadata\":{\"labels\":{\"%s}}}";
  private static final String NODES = "deploy/cluster-nodes.yaml";
  private static final String OTHERS =
      "{\"metadata\":{\"annotations\":{\"example.com/a\":\"1\"},\"labels\":{\"example.com/l\":\"1\"}},\"spec\":{\"taints\":[{\"key\":\"example.com/team\",\"effect\":\"NoSchedule\"}]}}";
  private static final String EVICTED =
      "{\"spec\":{\"taints\":[{\"key\":\"fairlead.dev/quarantine\",\"effect\":\"NoExecute\"}]}}";
  private static final String OWNER =
      "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"name\":\"none\",\"uid\":\"none\"}";

  /** Calls that would move work to or from a node, or delete it. */
  private static final List<String> FORBIDDEN =
      List.of(
          "{\"metadata\":{\"labels\":{\"example.com/l\":\"2\"}}}",
          "{\"metadata\":{\"labels\":{\"example.com/l\":null}}}",
          "{\"metadata\":{\"annotations\":{\"example.com/b\":\"1\"}}}",
          "{\"metadata\":{\"annotations\":{\"example.com/a\":null}}}",
          "{\"metadata\":{\"finalizers\":[\"example.com/f\"]}}",
          "{\"metadata\":{\"ownerReferences\":[" + OWNER + "]}}",
          "{\"spec\":{\"taints\":null}}",
          "{\"spec\":{\"taints\":[{\"key\":\"example.com/team\",\"effect\":\"NoSchedule\"},{\"key\":\"b\",\"effect\":\"NoSchedule\"}]}}",
          "{\"spec\":{\"taints\":[{\"key\":\"example.com/team\",\"effect\":\"NoSchedule\"},{\"key\":\"fairlead.dev/quarantine\",\"effect\":\"NoExecute\"}]}}",
          "{\"spec\":{\"taints\":[{\"key\":\"example.com/team\",\"effect\":\"NoSchedule\"},{\"key\":\"node.kubernetes.io/unschedulable\",\"effect\":\"NoExecute\"}]}}",
          "{\"spec\":{\"providerID\":\"other://1\"}}");

  private TestCluster cluster;
  private KubernetesClient fairlead;

  @BeforeEach
  void connect() {
    cluster = KubernetesCluster.shared();
    fairlead =
        new KubernetesClientBuilder()
            .withConfig(Config.fromKubeconfig(cluster.kubeconfig()))
            .build();
  }

  @AfterEach
  void close() {
    fairlead.close();
  }

  @Test
  void fairleadHasExactlyTheRightsOfTheManifest() {
    assertThat(rights("fairlead-nlp")).containsExactlyInAnyOrderElementsOf(RIGHTS);
    SortedSet<String> system = rights(Namespaces.SYSTEM);
    system.removeAll(RIGHTS);
    assertThat(system)
        .containsExactly(
            "/configmaps[fairlead-fence] update", "/serviceaccounts/token[fairlead] create");
  }

  @ParameterizedTest
  @CsvSource({
    "'',secrets,get",
    "'',secrets,list",
    "'',secrets,watch",
    "'',secrets,patch",
    "'',pods/exec,create",
    "'',pods/eviction,create",
    "'',pods,update",
    "'',pods,deletecollection",
    "'',nodes,patch",
    "'',nodes,delete",
    "'',namespaces,delete",
    "'',namespaces,update",
    "networking.k8s.io,networkpolicies,delete",
    "'',serviceaccounts/token,create",
    "'',configmaps,update",
    "'',persistentvolumeclaims,create",
    "'',events,list",
    "rbac.authorization.k8s.io,rolebindings,create",
    "rbac.authorization.k8s.io,clusterroles,bind",
    "apps,deployments,create",
    "batch,jobs,create",
    "admissionregistration.k8s.io,validatingadmissionpolicybindings,delete"
  })
  void intruderCallsAreDenied(String group, String resource, String verb) {
    String[] parts = resource.split("/");
    var review =
        new SelfSubjectAccessReviewBuilder()
            .withNewSpec()
            .withNewResourceAttributes()
            .withGroup(group)
            .withResource(parts[0])
            .withSubresource(parts.length > 1 ? parts[1] : null)
            .withVerb(verb)
            .withNamespace("fairlead-nlp")
            .endResourceAttributes()
            .endSpec()
            .build();
    assertThat(fairlead.resource(review).create().getStatus().getAllowed()).isFalse();
  }

  @Test
  void serviceAccountWritesOnlyInManagedNamespaces() {
    ForeignPods.namespace(cluster, "others");
    for (HasMetadata object : inNamespace("others")) {
      assertThatThrownBy(() -> fairlead.resource(object).create())
          .as(object.getKind())
          .hasMessageContaining("only to namespaces named fairlead-*");
      cluster.admin().resource(object).create();
      try {
        assertThatThrownBy(() -> fairlead.resource(object).delete())
            .as(object.getKind())
            .satisfies(LeastPrivilegeIT::refused);
      } finally {
        cluster.admin().resource(object).delete();
      }
    }
  }

  @Test
  void namespaceBelowTheRestrictedLevelCannotBeCreated() {
    for (var namespace :
        List.of(
            namespace("kube-fairlead", "restricted"),
            namespace("fairlead-loose", "baseline"),
            namespace("fairlead-none", null))) {
      assertThatThrownBy(() -> fairlead.resource(namespace).create())
          .hasMessageContaining("Pod Security restricted");
    }
    fairlead.resource(namespace("fairlead-strict", "restricted")).dryRun().create();
  }

  /** Fails when a stolen identity can start a pod in a namespace that admits privileged pods. */
  @Test
  void namespaceOfTheNodeAgentIsNotWritable() {
    String agent = "fairlead-node-agent";
    RealCluster.eventually(
        "no other test takes it away",
        () ->
            cluster.admin().namespaces().withName(agent).get() instanceof Namespace there
                ? there.getMetadata().getDeletionTimestamp() == null
                : true);
    ForeignPods.namespace(cluster, agent);
    for (HasMetadata object : inNamespace(agent)) {
      assertThatThrownBy(() -> fairlead.resource(object).dryRun().create())
          .as(object.getKind())
          .hasMessageContaining("node agent");
    }
    String strict = LABELS.formatted("pod-security.kubernetes.io/enforce\":\"restricted\"");
    assertThatThrownBy(() -> fairlead.namespaces().withName(agent).patch(MERGE, strict))
        .hasMessageContaining("node agent");
  }

  /** Fails when a stolen identity can preempt foreign pods, or take their traffic. */
  @Test
  void systemPodsAndAddressableServicesCannotBeCreated() {
    ForeignPods.namespace(cluster, "fairlead-kept");
    HasMetadata pod =
        new PodBuilder()
            .withNewMetadata()
            .withName("p")
            .withNamespace("fairlead-kept")
            .endMetadata()
            .withSpec(ForeignPods.spec("nowhere"))
            .editSpec()
            .withPriorityClassName("system-node-critical")
            .endSpec()
            .build();
    assertThatThrownBy(() -> fairlead.resource(pod).dryRun().create())
        .hasMessageContaining("priority class");
    var service =
        new ServiceBuilder()
            .withNewMetadata()
            .withName("s")
            .withNamespace("fairlead-kept")
            .endMetadata()
            .withNewSpec()
            .addNewPort()
            .withPort(443)
            .endPort()
            .withExternalIPs("203.0.113.10")
            .endSpec();
    assertThatThrownBy(() -> fairlead.resource(service.build()).dryRun().create())
        .hasMessageContaining("only Services without an external address");
  }

  /**
   * Fails when a stolen identity can remove the isolation of a namespace, grant itself access by a
   * label on another namespace, or delete a namespace.
   */
  @Test
  void onlyOwnAndPodSecurityLabelsOfANamespaceAreWritable() {
    ForeignPods.namespace(cluster, "others");
    ForeignPods.namespace(cluster, "fairlead-labelled");
    var labelled = fairlead.namespaces().withName("fairlead-labelled");
    String strict = "pod-security.kubernetes.io/enforce\":\"restricted\"";
    labelled.patch(MERGE, LABELS.formatted(strict + ",\"fairlead.dev/managed-by\":\"fairlead\""));
    assertThatThrownBy(
            () -> labelled.patch(MERGE, LABELS.formatted(strict + ",\"team\":\"admins\"")))
        .hasMessageContaining("Pod Security");
    assertThatThrownBy(() ->
            labelled.patch(
                MERGE, LABELS.formatted("pod-security.kubernetes.io/enforce\":\"privileged\"")))
        .hasMessageContaining("Pod Security restricted");
    cluster
        .admin()
        .namespaces()
        .withName("fairlead-labelled")
        .patch(MERGE, LABELS.formatted("team\":\"own\""));
    assertThatThrownBy(() -> labelled.patch(MERGE, LABELS.formatted("team\":null")))
        .hasMessageContaining("remove only its own labels");
    assertThatThrownBy(
            () -> labelled.patch(MERGE, "{\"metadata\":{\"ownerReferences\":[" + OWNER + "]}}"))
        .hasMessageContainingAll("owner references", "finalizers");
    HasMetadata letIn = namespace("fairlead-let-in", "restricted");
    letIn.getMetadata().getLabels().put("team", "admins");
    assertThatThrownBy(() -> fairlead.resource(letIn).create())
        .hasMessageContaining("Pod Security");
    assertThatThrownBy(
            () -> fairlead.namespaces().withName("others").patch(MERGE, LABELS.formatted(strict)))
        .hasMessageContaining("named fairlead-*");
  }

  /** Fails when a stolen identity can create a token for an account, or a permanent Secret. */
  @Test
  void onlyImmutableSecretsOfAttemptsCanBeCreated() {
    ForeignPods.namespace(cluster, "fairlead-kept");
    fairlead.resource(secret("fairlead-kept", "Opaque", true)).dryRun().create();
    String login = "kubernetes.io/dockerconfigjson";
    Secret pulls = secret("fairlead-kept", login, true);
    pulls.setStringData(Map.of(".dockerconfigjson", "{\"auths\":{}}", "hub.token", "beside it"));
    fairlead.resource(pulls).dryRun().create();
    assertThatThrownBy(
            () -> fairlead.resource(secret("fairlead-kept", "Opaque", null)).dryRun().create())
        .hasMessageContainingAll("immutable", "Opaque", "kubernetes.io/dockerconfigjson");
    String token = "kubernetes.io/service-account-token";
    assertThatThrownBy(
            () -> fairlead.resource(secret("fairlead-kept", token, true)).dryRun().create())
        .hasMessageContainingAll("immutable", "Opaque", "kubernetes.io/dockerconfigjson");
    assertThatThrownBy(
            () -> fairlead.resource(secret(Namespaces.SYSTEM, "Opaque", true)).dryRun().create())
        .hasMessageContaining("in its own namespace");
  }

  /**
   * Fails when a stolen identity can move work to or from a node, evict pods, or remove a node, by
   * the permission to show pools and quarantines.
   */
  @Test
  void onlyLabelsTaintsCordonsAndOwnAnnotationsOfNodesAreWritable() {
    String node = cluster.nodes("marked", 1, 8, 1).getFirst();
    cluster.patch(node, OTHERS);
    cluster.applies(NODES);
    try (ClusterGateway gateway =
        RealCluster.synced(new Installation(UUID.randomUUID(), 1), cluster)) {
      NodeLabelsAndTaints sick = new NodeLabelsAndTaints("day", "XID-79");
      RealCluster.eventually("it may", () -> done(gateway.setLabelsAndTaints(node, sick)));
      RealCluster.eventually("it is shown", () -> shown(gateway, node).equals(sick));
      RealCluster.eventually(
          "the policy is in force",
          () -> denied(node, "{\"metadata\":{\"labels\":{\"team\":\"a\"}}}"));
      assertThat(FORBIDDEN).allMatch(wanted -> denied(node, wanted));
      assertThat(done(gateway.note(node, new TreeMap<>(Map.of("fairlead.dev/repair-key", "k")))))
          .as("janitors")
          .isTrue();
      fairlead.nodes().withName(node).patch(MERGE, "{\"spec\":{\"unschedulable\":true}}");
      // the cluster taints a cordoned node: the patch may conflict with that, and is retried
      RealCluster.eventually(
          "it goes", () -> done(gateway.setLabelsAndTaints(node, NodeLabelsAndTaints.NONE)));
      RealCluster.eventually("nothing is left", () -> shown(gateway, node).none());
      assertThat(cluster.admin().nodes().withName(node).get().getSpec().getTaints())
          .extracting(Taint::getKey)
          .contains("example.com/team")
          .doesNotContain(NodeLabelsAndTaints.QUARANTINE);
      // Fails when a taint set by another client prevents Fairlead from all other changes of the
      // node.
      cluster.patch(node, EVICTED);
      assertThat(denied(node, "{\"spec\":{\"unschedulable\":null}}")).isFalse();
    } finally {
      cluster.withdraws(NODES);
      RealCluster.eventually("the right is gone", () -> !mayChange(node));
      cluster.admin().nodes().withName(node).delete();
    }
  }

  private static boolean done(Object outcome) {
    return outcome instanceof ActionOutcome.Done || outcome instanceof NodeNotes.Shown;
  }

  private static NodeLabelsAndTaints shown(ClusterGateway gateway, String node) {
    return gateway.inventory().nodes().stream()
        .filter(n -> n.name().equals(node))
        .findFirst()
        .orElseThrow()
        .labelsAndTaints();
  }

  private boolean mayChange(String node) {
    try {
      var _ = fairlead.nodes().withName(node).dryRun().patch(MERGE, "{}");
      return true;
    } catch (KubernetesClientException refused) {
      return refused.getCode() != HttpURLConnection.HTTP_FORBIDDEN;
    }
  }

  private boolean denied(String node, String merge) {
    try {
      var _ = fairlead.nodes().withName(node).dryRun().patch(MERGE, merge);
      return false;
    } catch (KubernetesClientException refused) {
      return refused.getMessage().contains("fairlead-nodes");
    }
  }

  private static Secret secret(
      String namespace, String type, @org.jspecify.annotations.Nullable Boolean immutable) {
    return new SecretBuilder()
        .withNewMetadata()
        .withName("s")
        .withNamespace(namespace)
        .addToLabels("fairlead.dev/attempt", "x")
        .addToAnnotations("kubernetes.io/service-account.name", "default")
        .endMetadata()
        .withType(type)
        .withImmutable(immutable)
        .build();
  }

  private static void refused(Throwable error) {
    // No permission (service accounts are not deleted), or a permission that the policy limits.
    assertThat(error.getMessage())
        .containsAnyOf("only to namespaces named fairlead-*", "cannot delete resource");
  }

  private static List<HasMetadata> inNamespace(String name) {
    return List.of(
        new PodBuilder()
            .withNewMetadata()
            .withName("p")
            .withNamespace(name)
            .endMetadata()
            .withSpec(ForeignPods.spec("nowhere"))
            .build(),
        new ConfigMapBuilder()
            .withNewMetadata()
            .withName("c")
            .withNamespace(name)
            .endMetadata()
            .build(),
        new ServiceAccountBuilder()
            .withNewMetadata()
            .withName("s")
            .withNamespace(name)
            .endMetadata()
            .build());
  }

  private static HasMetadata namespace(
      String name, @org.jspecify.annotations.Nullable String level) {
    NamespaceBuilder namespace =
        new NamespaceBuilder().withNewMetadata().withName(name).endMetadata();
    return level == null
        ? namespace.build()
        : namespace
            .editMetadata()
            .addToLabels("pod-security.kubernetes.io/enforce", level)
            .endMetadata()
            .build();
  }

  /**
   * Its permissions according to the API server, without the self-subject reviews that every
   * account may create.
   */
  private SortedSet<String> rights(String namespace) {
    var review =
        fairlead
            .resource(
                new SelfSubjectRulesReviewBuilder()
                    .withNewSpec()
                    .withNamespace(namespace)
                    .endSpec()
                    .build())
            .create();
    SortedSet<String> rights = new TreeSet<>();
    for (ResourceRule rule : review.getStatus().getResourceRules()) {
      for (String group : rule.getApiGroups()) {
        for (String resource : rule.getResources()) {
          for (String verb : rule.getVerbs()) {
            String names = rule.getResourceNames().isEmpty() ? "" : rule.getResourceNames() + "";
            if (!resource.startsWith("selfsubject")) {
              rights.add(group + "/" + resource + names + " " + verb);
            }
          }
        }
      }
    }
    return rights;
  }
}
