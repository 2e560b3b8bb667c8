package dev.fairlead.e2e;

import static dev.fairlead.e2e.WorkloadScene.PATIENCE;
import static dev.fairlead.e2e.WorkloadScene.condition;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.fairlead.work.workload.kubernetes.OnControlPlane;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Workloads that {@code kubectl} applies to a real control plane, and that run on another. */
@OnControlPlane
class WorkloadIT {
  private static WorkloadScene scene;
  @TempDir private Path folder;

  @BeforeAll
  static void aFrontWithoutNodesAndAClusterWithOne() {
    scene = new WorkloadScene("team-w");
  }

  @AfterAll
  static void theServiceEnds() {
    if (scene != null) {
      scene.close();
    }
  }

  private Path file(String manifest) {
    try {
      return Files.writeString(folder.resolve("workload.yaml"), manifest);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void apply(String manifest) {
    scene.kubectl("apply", "-f", file(manifest).toString());
  }

  /** Fails when a writer that applies the manifest again takes a field from Fairlead. */
  @Test
  void appliedWorkloadRunsOnTheOtherClusterAndIsReady() {
    String manifest = scene.workload("train", "1s", "success");
    String[] again = {
      "apply", "--server-side", "--field-manager=flux", "-f", file(manifest).toString()
    };
    scene.kubectl(again);
    await().atMost(PATIENCE).until(() -> !scene.read("train").at("/status/job").isMissingNode());
    scene.kubectl(again);

    scene.kubectl(
        "wait", "--for=condition=Ready", "workloads.fairlead.dev/train", "--timeout=120s");

    JsonNode done = scene.read("train");
    assertThat(done.at("/status/phase").asString()).isEqualTo("Succeeded");
    assertThat(done.at("/status/observedGeneration").asInt()).isEqualTo(1);
    assertThat(condition(done, "Reconciling")).startsWith("False ");
    assertThat(condition(done, "Stalled")).startsWith("False ");
    assertThat(scene.states("train-")).containsExactly("SUCCEEDED");
    assertThat(done.at("/status/job").asString())
        .isEqualTo(scene.jobs("train-").getFirst().get("id").asString());
    assertThat(scene.kubectl("get", "workloads.fairlead.dev"))
        .contains("PHASE", "Succeeded", "job_");
    assertThat(scene.front().kubectl("-n", "team-w", "get", "pods", "-o", "name")).isEmpty();
    await()
        .atMost(PATIENCE)
        .until(() -> scene.read("train").at("/metadata/finalizers").isMissingNode());
    scene.kubectl(again);
    scene.kubectl("delete", "workloads.fairlead.dev", "train", "--timeout=30s");
  }

  @Tag("long")
  @Test
  void aFailedJobStallsItsWorkloadWithTheCause() {
    apply(scene.workload("broken", "1s", "fail"));

    JsonNode failed = scene.awaitPhase("broken", "Failed");

    assertThat(condition(failed, "Stalled"))
        .startsWith("True BackoffLimitExceeded: Job job_")
        .contains("USER_ERROR");
    assertThat(condition(failed, "Ready")).startsWith("False ");
    assertThat(condition(failed, "Reconciling")).startsWith("False ");
    assertThat(scene.states("broken-")).containsExactly("FAILED");
  }

  /** Fails when a wrong field is dropped, or a corrected Workload is still refused. */
  @Test
  void invalidSpecIsRejectedWithItsPointerAndRunsOnceCorrected() {
    String right = scene.workload("typo", "1s", "success");
    apply(right.replace("memory: 1Gi", "memroy: 1Gi").replace("count: 1", "count: -1"));

    JsonNode refused = scene.awaitPhase("typo", "Failed");

    assertThat(condition(refused, "Stalled"))
        .startsWith("True NotExpressible: /spec/")
        .contains("/spec/memroy: ", "Did you mean memory?", "/spec/gpu/count: ");
    assertThat(scene.jobs("typo-")).isEmpty();

    apply(right);

    JsonNode done = scene.awaitPhase("typo", "Succeeded");
    assertThat(done.at("/status/observedGeneration").asInt()).isEqualTo(2);
    assertThat(condition(done, "Stalled")).startsWith("False ");
    assertThat(scene.jobs("typo-")).hasSize(1);
  }

  @Tag("long")
  @Test
  void specCannotNameAJob() {
    String manifest = scene.workload("named", "1s", "success") + "  name: other\n";

    assertThat(scene.refused("apply", "-f", file(manifest).toString()))
        .contains("spec.name", "named after the Workload");
  }

  /** Fails when a spec that no parser accepts hides all Jobs of the front. */
  @Tag("long")
  @Test
  void specWithoutBoundsIsReportedAndHidesNoOtherError() {
    String deep = "{\"a\":".repeat(5_000) + "1" + "}".repeat(5_000);
    String wordy = "{\"%s\":1}".formatted("n".repeat(60_000));
    for (String spec : List.of(deep, wordy)) {
      String manifest =
          "{\"apiVersion\":\"fairlead.dev/v1alpha1\",\"kind\":\"Workload\",\"metadata\":{\"generateName\":\"boundless-\"},\"spec\":%s}";
      scene.kubectl("create", "-f", file(manifest.formatted(spec)).toString());
    }
    apply(scene.workload("bounded", "1s", "success"));

    scene.awaitPhase("bounded", "Succeeded");

    String phases = "jsonpath={.items[?(@.status.phase==\"Failed\")].metadata.name}";
    await()
        .atMost(PATIENCE)
        .until(() ->
            scene.kubectl("get", "workloads.fairlead.dev", "-o", phases).split("boundless-").length
                == 3);
    scene.kubectl("delete", "workloads.fairlead.dev", "--all", "--timeout=60s");
  }

  /** Fails when the job of a Workload differs from the Workload's spec. */
  @Test
  void specOfAnAdoptedWorkloadIsImmutableAndItsDeletionCancelsTheJob() {
    String manifest = scene.workload("long", "1h", "success");
    apply(manifest);
    JsonNode running = scene.awaitPhase("long", "Running");
    assertThat(condition(running, "Reconciling")).startsWith("True Running: ");
    assertThat(running.at("/status/ready").asInt()).isEqualTo(1);

    String changed = manifest.replace("train.py", "other.py");
    assertThat(scene.refused("apply", "-f", file(changed).toString()))
        .contains("Workload is immutable", "create it again");
    scene.kubectl("label", "workloads.fairlead.dev", "long", "team=vision");

    scene.kubectl("delete", "workloads.fairlead.dev", "long", "--timeout=60s");
    await()
        .atMost(PATIENCE)
        .untilAsserted(() -> assertThat(scene.states("long-")).containsExactly("CANCELLED"));
  }

  /** Fails when a writer of the status ends a job, or a status that it wrote remains. */
  @Tag("long")
  @Test
  void statusChangedByAnotherWriterIsRestored() {
    apply(scene.workload("fought", "1h", "success"));
    JsonNode before = scene.awaitPhase("fought", "Running").at("/status");
    for (String forged :
        new String[] {
          "{\"phase\": \"Succeeded\"}",
          "{\"ready\": 0, \"completionTime\": \"2026-01-01T00:00:00Z\"}",
          "{\"conditions\": [{\"type\": \"Complete\", \"status\": \"True\", \"lastTransitionTime\": \"2026-01-01T00:00:00Z\"}]}",
          "{\"conditions\": null, \"job\": \"job_of_another\"}"
        }) {
      scene.kubectl(
          "patch",
          "workloads.fairlead.dev",
          "fought",
          "--subresource=status",
          "--type=merge",
          "-p",
          "{\"status\": %s}".formatted(forged));
      await(forged)
          .atMost(PATIENCE)
          .until(() -> stable(scene.read("fought").at("/status")).equals(stable(before)));
    }
    assertThat(scene.states("fought-")).containsExactly("RUNNING");
    scene.kubectl("delete", "workloads.fairlead.dev", "fought", "--timeout=60s");
  }

  /** The times of conditions start again when another writer removed them. */
  private static String stable(JsonNode status) {
    return status.toString().replaceAll("\"lastTransitionTime\":\"[^\"]*\"", "");
  }

  /** Fails without the policy: a stolen identity could change or release users' Workloads. */
  @Test
  void fairleadIdentityChangesOnlyTheStatusAndItsFinalizer() {
    apply(scene.workload("theirs", "1h", "success"));
    scene.awaitPhase("theirs", "Running");
    for (String wanted :
        List.of(
            "{\"metadata\":{\"labels\":{\"a\":\"1\"}}}",
            "{\"metadata\":{\"annotations\":{\"a\":\"1\"}}}",
            "{\"metadata\":{\"finalizers\":[\"a/b\"]}}")) {
      assertThat(
              scene
                  .front()
                  .refused(
                      folder,
                      "-n",
                      "team-w",
                      "patch",
                      "workloads.fairlead.dev",
                      "theirs",
                      "--type=merge",
                      "-p",
                      wanted))
          .contains("ValidatingAdmissionPolicy 'fairlead-front'");
    }
    scene.kubectl("delete", "workloads.fairlead.dev", "theirs", "--timeout=60s");

    // No one can change an adopted Workload: two policies refuse it.
    scene.front().apply(scene.workload("unmapped", "1h", "success").replace("team-w", "default"));
    assertThat(
            scene
                .front()
                .refused(
                    folder,
                    "-n",
                    "default",
                    "patch",
                    "workloads.fairlead.dev",
                    "unmapped",
                    "--type=merge",
                    "-p",
                    "{\"spec\":{\"run\":\"other\"}}"))
        .contains("ValidatingAdmissionPolicy 'fairlead-front'");
    String _ =
        scene.front().kubectl("-n", "default", "delete", "workloads.fairlead.dev", "unmapped");
  }

  /**
   * Fails when a Workload is submitted twice, or is not submitted, because the service was down at
   * its creation, or ended before it wrote the status.
   */
  @Tag("long")
  @Test
  void aRestartLosesNoWorkloadAndRunsNoneTwice() {
    apply(scene.workload("before", "3s", "success"));
    await().atMost(PATIENCE).until(() -> !scene.jobs("before-").isEmpty());
    scene.stop();
    apply(scene.workload("meanwhile", "1s", "success"));
    scene.kubectl(
        "patch",
        "workloads.fairlead.dev",
        "before",
        "--subresource=status",
        "--type=merge",
        "-p",
        "{\"status\": null}");

    scene.start();

    JsonNode before = scene.awaitPhase("before", "Succeeded");
    scene.awaitPhase("meanwhile", "Succeeded");
    assertThat(scene.states("before-")).containsExactly("SUCCEEDED");
    assertThat(scene.states("meanwhile-")).containsExactly("SUCCEEDED");
    assertThat(before.at("/status/job").asString())
        .isEqualTo(scene.jobs("before-").getFirst().get("id").asString());
  }

  /** Fails when a restore of the front's etcd cancels the jobs of the Workloads that it lost. */
  @Tag("long")
  @Test
  void simultaneousLossOfManyWorkloadsCancelsNothing() {
    int many = 25;
    StringBuilder all = new StringBuilder();
    IntStream.range(0, many)
        .forEach(i ->
            all.append(scene.workload("lost-" + i, "1h", "success").replace("count: 1", "count: 4"))
                .append("---\n"));
    apply(all.toString());
    await().atMost(PATIENCE).until(() -> scene.jobs("lost-").size() == many);
    scene.stop();
    for (int i = 0; i < many; i++) {
      scene.kubectl(
          "patch",
          "workloads.fairlead.dev",
          "lost-" + i,
          "--type=merge",
          "-p",
          "{\"metadata\":{\"finalizers\":null}}");
      scene.kubectl("delete", "workloads.fairlead.dev", "lost-" + i);
    }

    scene.start();

    await()
        .atMost(PATIENCE)
        .untilAsserted(() ->
            assertThat(
                    scene
                        .http()
                        .get("/api/v1/front-breakers")
                        .json()
                        .at("/items/0/missing")
                        .asInt())
                .isEqualTo(many));
    assertThat(scene.states("lost-")).doesNotContain("CANCELLED", "CANCELLING").hasSize(many);
    Http.Answer confirmed =
        scene
            .http()
            .send(
                "POST",
                "/api/v1/clusters/front/confirm-front-loss",
                "{missing: %d}".formatted(many),
                "Content-Type",
                Http.YAML);
    assertThat(confirmed.status()).as(confirmed.body()).isLessThan(300);
    await()
        .atMost(PATIENCE)
        .untilAsserted(() -> assertThat(scene.states("lost-")).containsOnly("CANCELLED"));
  }

  /**
   * Fails when an unserved version of the definition counts as the loss of its Workloads, or stops
   * the Jobs of the front.
   */
  @Tag("long")
  @Test
  void unservedVersionCancelsNothingAndBlocksNoOtherKind() {
    apply(scene.workload("unserved", "1h", "success"));
    scene.awaitPhase("unserved", "Running");
    scene.stop();
    scene.servesAnotherVersion();
    try {
      scene.start();
      apply(
          """
          apiVersion: batch/v1
          kind: Job
          metadata: {name: of-another-kind, namespace: team-w}
          spec:
            managedBy: fairlead.dev/job
            template:
              spec:
                restartPolicy: Never
                containers: [{name: main, image: "registry.example.com/train:1"}]
          """);

      await().atMost(PATIENCE).until(() -> scene.jobs("of-another-kind-").size() == 1);

      await()
          .atMost(PATIENCE)
          .untilAsserted(() ->
              assertThat(
                      scene
                          .http()
                          .get("/api/v1/clusters/front")
                          .json()
                          .at("/capabilities/reasons/kinds")
                          .asString(""))
                  .contains("Workload (fairlead.dev/v1alpha1)"));
      assertThat(scene.states("unserved-")).containsExactly("RUNNING");
      assertThat(scene.http().get("/api/v1/front-breakers").json().at("/items")).isEmpty();
    } finally {
      scene.servesItsVersion();
    }

    apply(scene.workload("served-again", "1s", "success"));
    scene.awaitPhase("served-again", "Succeeded");
    assertThat(scene.states("unserved-")).containsExactly("RUNNING");
    scene.kubectl("delete", "workloads.fairlead.dev", "unserved", "--timeout=60s");
    scene.kubectl("delete", "job", "of-another-kind", "--timeout=60s");
  }
}
