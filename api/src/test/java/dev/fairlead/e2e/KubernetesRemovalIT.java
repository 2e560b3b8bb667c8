package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.fairlead.work.workload.kubernetes.KubernetesCluster;
import dev.fairlead.work.workload.kubernetes.OnControlPlane;
import dev.fairlead.work.workload.kubernetes.TestCluster;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBindingBuilder;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBuilder;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

/**
 * The namespace of a deleted project is removed from a real control plane, without objects of
 * others.
 */
@Tag("long")
@OnControlPlane
class KubernetesRemovalIT {
  private static final Duration PATIENCE = Duration.ofSeconds(90);
  private static RunningFairlead fairlead;
  private static Http http;
  private static TestCluster cluster;

  @BeforeAll
  static void aRegisteredCluster(@TempDir Path keys) {
    cluster = KubernetesCluster.several(1).getFirst();
    cluster.nodes("removal", 1, 4, 1);
    fairlead =
        RunningFairlead.start(
            "--fairlead.key-file=" + keys.resolve("key"), "--fairlead.workload.keep-succeeded=0s");
    http = fairlead.http();
    String body =
        JsonMapper.builder()
            .build()
            .writeValueAsString(
                new TreeMap<>(Map.of("name", "removal", "kubeconfig", cluster.kubeconfig())));
    Http.Answer answer = http.json("/api/v1/clusters", body);
    assertThat(answer.status()).as(answer.body()).isEqualTo(201);
    await()
        .atMost(PATIENCE)
        .until(() ->
            http.get("/api/v1/clusters/removal")
                .json()
                .path("state")
                .asString("")
                .equals("ACTIVE"));
  }

  @AfterAll
  static void theServiceEnds() {
    if (fairlead != null) {
      fairlead.close();
    }
  }

  private static boolean there(String namespace) {
    return cluster.admin().namespaces().withName(namespace).get() != null;
  }

  private static void mayRemove(String namespace) {
    cluster
        .admin()
        .resource(
            new ClusterRoleBuilder()
                .withNewMetadata()
                .withName(namespace)
                .endMetadata()
                .addNewRule()
                .withApiGroups("")
                .withResources("namespaces")
                .withResourceNames(namespace)
                .withVerbs("delete")
                .endRule()
                .build())
        .create();
    cluster
        .admin()
        .resource(
            new ClusterRoleBindingBuilder()
                .withNewMetadata()
                .withName(namespace)
                .endMetadata()
                .withNewRoleRef("rbac.authorization.k8s.io", "ClusterRole", namespace)
                .addNewSubject("", "ServiceAccount", "fairlead", "fairlead-system")
                .build())
        .create();
  }

  /** A deleted project that had run a job. */
  private static String deletedProject() {
    assertThat(http.json("/api/v1/projects", "{\"name\":\"leaving\"}").status()).isEqualTo(201);
    String namespace = http.namespace("leaving");
    Http.Answer answer =
        http.yaml(
            "/api/v1/projects/leaving/jobs",
            "{image: x, gpu: 1, annotations: {sim.fairlead.dev/run-for: 1s}}");
    assertThat(answer.status()).as(answer.body()).isEqualTo(201);
    String job = "/api/v1/jobs/" + answer.json().get("id").asString();
    await()
        .atMost(PATIENCE)
        .until(() -> http.get(job).json().path("state").asString("").equals("SUCCEEDED"));
    assertThat(there(namespace)).isTrue();
    await().atMost(PATIENCE).until(() -> http.send("DELETE", job, null).status() == 204);
    assertThat(http.send("DELETE", "/api/v1/projects/leaving", null).status()).isEqualTo(204);
    return namespace;
  }

  /**
   * Fails when an empty namespace remains, a namespace with objects is removed, or a new project
   * gets an old namespace.
   */
  @Test
  void namespaceOfADeletedProjectIsRemovedOnceItIsEmpty() {
    String filled = deletedProject();
    var notes =
        new ConfigMapBuilder()
            .withNewMetadata()
            .withName("notes")
            .withNamespace(filled)
            .endMetadata()
            .build();
    cluster.admin().resource(notes).create();
    mayRemove(filled);
    String empty = deletedProject();
    assertThat(empty).isNotEqualTo(filled);
    mayRemove(empty);

    await().atMost(PATIENCE).until(() -> !there(empty));
    await()
        .atMost(PATIENCE)
        .untilAsserted(() ->
            assertThat(http.get("/api/v1/checks").body())
                .contains("namespaces", filled, "it holds 1 configmaps"));
    assertThat(there(filled)).isTrue();
    cluster.admin().resource(notes).delete();
    // the namespace is checked at growing intervals, which exceed a minute on a slow machine
    await().atMost(PATIENCE.multipliedBy(4)).until(() -> !there(filled));
    assertThat(List.of(filled, empty)).noneMatch(KubernetesRemovalIT::there);
  }
}
