package dev.fairlead.work.workload.slurm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.kernel.lease.Installation;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.ObjectNames;
import dev.fairlead.work.workload.slurm.SlurmRest.Answer;
import dev.fairlead.work.workload.slurm.SlurmRest.Away;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Answers of slurmrestd 24.11 in v0.0.42, with the fields that are read. */
class SlurmFieldsTest {
  private static final Installation INSTALLATION = new Installation(new UUID(1, 2), 1);
  private static final AttemptId ATTEMPT = new AttemptId(new UUID(3, 4));
  private static final String META =
      "\"meta\": {\"slurm\": {\"release\": \"24.11.5\"}}, \"errors\": [], \"warnings\": []";
  private static final String NONE = "{\"set\": false, \"infinite\": false, \"number\": 0}";

  private final List<String> requests = new ArrayList<>();

  private static JsonNode json(String text) {
    return JsonMapper.shared().readTree(text);
  }

  private static String number(long value) {
    return "{\"set\": true, \"infinite\": false, \"number\": %d}".formatted(value);
  }

  private static String job(String states, String code, String signal) {
    return """
    {"jobs": [{"job_id": 7, "name": "%s", "comment": "fairlead %s worker=1", "user_name": "ml",
      "job_state": %s, "state_reason": "NonZeroExitCode", "nodes": "n3",
      "exit_code": {"status": ["ERROR"], "return_code": %s, "signal": {"id": %s, "name": ""}},
      "cpus": %s, "memory_per_node": %s, "tres_per_node": "gres/gpu:1", "start_time": %s,
      "end_time": %s, "job_resources": {"nodes": {"count": 1, "list": "n3",
        "allocation": [{"index": 0, "name": "n3", "cpus": {"count": 2, "used": 0}}]}}}], %s}\
    """
        .formatted(
            ObjectNames.attempt(ATTEMPT),
            INSTALLATION.label(),
            states,
            code,
            signal,
            number(2),
            number(100),
            number(1796051588),
            NONE,
            META);
  }

  private SlurmRest rest(String answer) {
    return new SlurmRest((method, path, body) -> {
      requests.add(
          method + " " + path + (body == null ? "" : new String(body, StandardCharsets.UTF_8)));
      if (path.equals("/openapi/v3")) {
        return new Answer(
            200, "{\"paths\": {\"/slurm/v0.0.40/jobs/\": {}, \"/slurm/v0.0.42/jobs/\": {}}}");
      }
      return new Answer(answer.contains("1007") ? 500 : 200, answer);
    });
  }

  private SlurmJob read(String answer) throws Exception {
    JsonNode first = rest(answer).read("jobs", "jobs").path("jobs").path(0);
    return SlurmJob.of(first, INSTALLATION, "ml").orElseThrow();
  }

  @Test
  void aJobIsReadInTheNewestVersionOfTheServer() throws Exception {
    SlurmJob job = read(job("[\"FAILED\"]", number(42), NONE));

    assertThat(requests).contains("GET /slurm/v0.0.42/jobs");
    assertThat(job.id()).isEqualTo(7);
    assertThat(job.attempt()).isEqualTo(ATTEMPT);
    assertThat(job.state()).isEqualTo("FAILED");
    assertThat(job.exitCode()).isEqualTo(42);
    assertThat(job.nodes()).containsExactly("n3");
    assertThat(job.cpus()).isEqualTo(2);
    assertThat(job.memoryMiB()).isEqualTo(100);
    assertThat(job.gpus()).isEqualTo(1);
    assertThat(job.startedAt()).isNotNull();
    assertThat(job.endedAt()).as("a number that is not set").isNull();
    JsonNode all = rest(job("[]", NONE, NONE)).read("jobs", "jobs");
    assertThat(all.at("/meta/Slurm/release").asString()).isEqualTo("24.11.5");
  }

  /** Fails when a job on Slurm 23.11 counts against its nodes twice: as its own, and as foreign. */
  @Test
  void nodesOfAJobInTheFormOfSlurm2311AreRead() throws Exception {
    String answer =
        job("[\"RUNNING\"]", NONE, NONE)
            .replaceFirst(
                "(?s)\"job_resources\": .*?}}]}}",
                "\"job_resources\": {\"nodes\": \"n3\", \"allocated_hosts\": 1,"
                    + " \"allocated_nodes\": [{\"nodename\": \"n3\", \"cpus_used\": 2}]}");

    assertThat(answer).contains("nodename");
    assertThat(read(answer).nodes()).containsExactly("n3");
  }

  /** Fails when a job that still holds its nodes counts as ended. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "[\"CANCELLED\", \"COMPLETING\"]|COMPLETING",
        "[\"RUNNING\", \"CONFIGURING\"]|RUNNING",
        "[\"PENDING\"]|PENDING",
        "[\"COMPLETED\"]|COMPLETED"
      })
  void theBaseStateOrTheEndOfAJobIsItsState(String states, String state) throws Exception {
    assertThat(read(job(states, NONE, NONE)).state()).isEqualTo(state);
  }

  @Test
  void aSignalIsAnExitCode() throws Exception {
    assertThat(read(job("[\"FAILED\"]", NONE, number(9))).exitCode()).isEqualTo(137);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "[\"IDLE\"]|true|false",
        "[\"MIXED\", \"DRAIN\"]|true|true",
        "[\"IDLE\", \"NOT_RESPONDING\"]|false|false",
        "[\"DOWN\"]|false|false"
      })
  void flagsOfANodeAreNotItsState(String states, boolean ready, boolean cordoned) throws Exception {
    String answer =
        """
        {"nodes": [{"name": "n1", "gres": "gpu:h100:2", "gres_used": "gpu:h100:1(IDX:0)",
          "state": %s, "cpus": 4, "real_memory": 1000, "alloc_cpus": 2, "alloc_memory": 100,
          "partitions": ["all"], "active_features": ["fast", "new"]}], %s}\
        """
            .formatted(states, META);
    JsonNode nodes = rest(answer).read("nodes", "nodes").path("nodes");
    NodeReport node = SlurmNodes.reports(nodes, List.of()).getFirst();

    assertThat(node.ready()).isEqualTo(ready);
    assertThat(node.cordoned()).isEqualTo(cordoned);
    assertThat(node.gpuModel()).isEqualTo("H100");
    assertThat(node.gpus()).hasSize(2);
    assertThat(node.foreign().cpuMilli()).isEqualTo(2000);
    assertThat(node.labels())
        .containsKeys(
            SlurmNodes.FEATURE + "fast", SlurmNodes.FEATURE + "new", SlurmNodes.PARTITION + "all");
  }

  @ParameterizedTest
  @CsvSource({"UP, true", "DRAIN, false"})
  void onlyAnOpenPartitionGetsJobs(String state, boolean open) throws Exception {
    String answer =
        "{\"partitions\": [{\"name\": \"all\", \"partition\": {\"state\": [\"%s\"]}}], %s}"
            .formatted(state, META);
    JsonNode partitions = rest(answer).read("partitions", "partitions").path("partitions");

    assertThat(SlurmNodes.partitions(partitions, json("[]")).containsKey("all")).isEqualTo(open);
  }

  @Test
  void theEndOfAForgottenJobIsReadFromTheAccounting() throws Exception {
    String answer =
        """
        {"jobs": [{"name": "fl-x", "state": {"current": ["TIMEOUT"], "reason": "None"},
          "nodes": "n3", "time": {"start": 100, "end": 200}}], %s}\
        """
            .formatted(META);
    JsonNode record = rest(answer).accounting(7).getFirst();

    SlurmJob ended = SlurmJob.vanished(7, ATTEMPT, "worker=1").ended(record);
    assertThat(ended.state()).isEqualTo("TIMEOUT");
    assertThat(ended.began()).isTrue();
    assertThat(ended.endedAt()).isNotNull();
    assertThat(rest("{\"jobs\": [], " + META + "}").accounting(8)).isEmpty();
  }

  @Test
  void aSubmissionHasTheFieldsOfTheServer() throws Exception {
    Map<String, Object> job =
        Map.of(
            "environment",
            Map.of("PATH", "/bin"),
            "nodes",
            List.of(2, 2),
            "memory_per_node",
            100,
            "time_limit",
            62,
            "gpus_per_node",
            "8",
            "no_requeue",
            true,
            "exclude_nodes",
            "n1,n2");
    JsonNode _ = rest("{\"job_id\": 7}").submit(Map.of("job", job, "script", "#!/bin/bash"));

    String sent = requests.getLast();
    assertThat(sent).startsWith("POST /slurm/v0.0.42/job/submit");
    assertThat(json(sent.substring(sent.indexOf('{'))).path("job"))
        .isEqualTo(
            json(
                """
                {"environment": ["PATH=/bin"], "nodes": "2", "minimum_nodes": 2,
                 "maximum_nodes": 2, "memory_per_node": {"set": true, "number": 100},
                 "time_limit": {"set": true, "number": 62}, "tres_per_node": "gres/gpu:8",
                 "requeue": false, "excluded_nodes": ["n1", "n2"], "script": "#!/bin/bash"}\
                """));
  }

  /** Fails when the operator only learns that a list is unreadable. */
  @Test
  void aRefusedTokenIsNamed() {
    String answer =
        "{\"jobs\": [], \"errors\": [{\"description\": \"Unable to query jobs\","
            + " \"error_number\": 1007, \"error\": \"Protocol authentication error\"}]}";

    assertThatThrownBy(() -> rest(answer).read("jobs", "jobs"))
        .isInstanceOf(Away.class)
        .hasMessageContaining("scontrol token");
  }
}
