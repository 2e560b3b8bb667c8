package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.fairlead.launcher.EmbeddedDatabase;
import dev.fairlead.work.workload.kubernetes.KubernetesCluster;
import dev.fairlead.work.workload.kubernetes.OnControlPlane;
import dev.fairlead.work.workload.kubernetes.TestCluster;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

/** Two new installations that share a real cluster and have projects with the same names. */
@Tag("long")
@OnControlPlane
class TwoInstallationsIT {
  private static final Duration PATIENCE = Duration.ofSeconds(120);
  private final TestCluster cluster = KubernetesCluster.shared();
  @TempDir private Path keys;

  /**
   * Fails when namespaces are named after projects alone: installations would collide, tenants
   * would share a namespace, and a project {@code system} would get Fairlead's own.
   */
  @Test
  void projectsOfTheSameNameRunInSeparateNamespaces() {
    cluster.nodes("two", 2, 8, 1);
    try (EmbeddedDatabase one = EmbeddedDatabase.start();
        EmbeddedDatabase other = EmbeddedDatabase.start()) {
      List<String> namespaces = new ArrayList<>();
      List<RunningFairlead> installations = List.of(start(one, "one"), start(other, "other"));
      try {
        for (RunningFairlead fairlead : installations) {
          register(fairlead.http());
          namespaces.addAll(run(fairlead.http()));
        }
      } finally {
        installations.forEach(RunningFairlead::end);
      }
      assertThat(namespaces)
          .hasSize(6)
          .doesNotHaveDuplicates()
          .doesNotContain("fairlead-system")
          .allSatisfy(name -> assertThat(cluster.podNodes(name)).as(name).hasSize(1));
    }
  }

  /** The namespaces of one running job in each of three projects. */
  private static List<String> run(Http http) {
    assertThat(http.json("/api/v1/tenants", "{\"name\":\"acme\"}").status()).isEqualTo(201);
    assertThat(http.json("/api/v1/projects", "{\"name\":\"system\"}").status()).isEqualTo(201);
    List<String> namespaces = new ArrayList<>();
    for (String[] at :
        new String[][] {{"default", "default"}, {"default", "system"}, {"acme", "default"}}) {
      String project = "/api/v1/projects/" + at[1];
      String[] tenant = {"Fairlead-Tenant", at[0]};
      Http.Answer job =
          http.send(
              "POST",
              project + "/jobs",
              "{image: x, gpu: 1, annotations: {sim.fairlead.dev/run-for: 1h}}",
              "Content-Type",
              Http.YAML,
              "Fairlead-Tenant",
              at[0]);
      assertThat(job.status()).as(job.body()).isEqualTo(201);
      String path = "/api/v1/jobs/" + job.json().get("id").asString();
      await(String.join("/", at))
          .atMost(PATIENCE)
          .until(() -> http.get(path, tenant).json().path("state").asString("").equals("RUNNING"));
      namespaces.add(http.get(project, tenant).json().get("namespace").asString());
    }
    return namespaces;
  }

  private RunningFairlead start(EmbeddedDatabase database, String name) {
    return RunningFairlead.startBehind(
        database, database.url(), "--fairlead.key-file=" + keys.resolve(name));
  }

  private void register(Http http) {
    String body =
        JsonMapper.builder()
            .build()
            .writeValueAsString(
                new TreeMap<>(Map.of("name", "shared", "kubeconfig", cluster.kubeconfig())));
    Http.Answer answer = http.json("/api/v1/clusters", body);
    assertThat(answer.status()).as(answer.body()).isEqualTo(201);
  }
}
