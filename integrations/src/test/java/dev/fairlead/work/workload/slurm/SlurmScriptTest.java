package dev.fairlead.work.workload.slurm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.cluster.Capabilities;
import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.kernel.identity.memory.SeededIds;
import dev.fairlead.kernel.lease.Installation;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.spec.CommandSpec;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.spec.RoleSpec;
import dev.fairlead.work.workload.LaunchOrders;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

/** The batch script in bash, with an {@code srun} that starts its command immediately. */
class SlurmScriptTest {
  /**
   * Ends its options at the first word without a hyphen, and refuses {@code :}, as srun does, and
   * jobs other than its own.
   */
  private static final String SRUN =
      """
      #!/bin/bash
      for word; do [ "$word" != : ] || exit 99; done
      [ "$1" = --jobid=42 ] || exit 98
      while [ "${1#-}" != "$1" ]; do shift; done
      exec "$@"
      """;

  private static final List<NodeReport> NODES =
      SlurmNodes.reports(
          JsonMapper.shared().readTree("[{\"name\": \"n1\"}, {\"name\": \"n2\"}]"), List.of());

  @TempDir private Path directory;

  private record Ended(int code, String output) {}

  @BeforeEach
  void anSrun() throws IOException {
    Path srun = Files.writeString(directory.resolve("srun"), SRUN);
    assertThat(srun.toFile().setExecutable(true)).isTrue();
  }

  private Ended run(JobSpec spec) throws Exception {
    Installation installation = new Installation(new UUID(1, 2), 1);
    String script =
        new SlurmScript(
                new LaunchOrders(new SeededIds(1), installation, "slurm")
                    .order(1, spec, NODES, Capabilities.UNOBSERVED),
                "all",
                List.of("n1", "n2"))
            .body()
            .get("script")
            .toString();
    Path file = Files.writeString(directory.resolve("job"), script);
    ProcessBuilder bash =
        new ProcessBuilder("/bin/bash", file.toString()).redirectErrorStream(true);
    bash.environment().put("PATH", directory + ":/usr/bin:/bin");
    bash.environment().put("SLURM_JOB_ID", "42");
    Process process = bash.start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Ended(process.waitFor(), output);
  }

  private static Specs job(String text) {
    return Specs.job("script").run(text);
  }

  /** Fails, mostly at the first run, when bash forgets a member that ended early. */
  @RepeatedTest(10)
  void memberThatFailsImmediatelyGivesTheJobItsExitCode() throws Exception {
    Ended ended = run(job("[ $FAIRLEAD_INDEX = 1 ] && exit 7; exit 0").workers(3).build());

    assertThat(ended.code()).isEqualTo(7);
  }

  @Test
  void theJobSucceedsAfterItsLastMember() throws Exception {
    Ended ended = run(job("echo $FAIRLEAD_INDEX").workers(3).build());

    assertThat(ended.code()).isZero();
    assertThat(ended.output().lines()).containsExactlyInAnyOrder("0", "1", "2");
  }

  @Test
  void argumentsAndVariablesAreNotExpandedByAShellOrSrun() throws Exception {
    String odd = "it's $(id) `id` \"x\" ; exit 3 #\n\\ &";
    JobSpec spec = job("any").env("ODD", odd).build();
    List<String> words = List.of("/usr/bin/printf", "<%s>", ":", "-n", "--uid=0", odd, "");
    JobSpec exact =
        spec.withRoles(
            spec.roles().stream().map(role -> role.withCommand(CommandSpec.exec(words))).toList());

    assertThat(run(exact)).isEqualTo(new Ended(0, "<:><-n><--uid=0><" + odd + "><>"));
    assertThat(run(job("printf %s \"$ODD\"").env("ODD", odd).build())).isEqualTo(new Ended(0, odd));
  }

  /** Fails when the name of {@code worker-0} is replaced inside {@code ps-worker-0}. */
  @Test
  void membersAreMatchedByNodeEvenIfOneNameEndsWithAnother() throws Exception {
    JobSpec spec = job("echo \"$TF_CONFIG\"").build();
    RoleSpec role = spec.roles().getFirst();
    JobSpec both =
        spec.withLauncher("tensorflow")
            .withRoles(List.of(role.withName("worker"), role.withName("ps-worker")));

    assertThat(run(both).output())
        .contains("\"worker\": [\"n1:2222\"]", "\"ps-worker\": [\"n2:2222\"]");
  }

  /** Fails when a job that was submitted inside a Slurm job runs in that job. */
  @Test
  void variableNamingAnotherSlurmJobHasNoEffectOnSrun() throws Exception {
    assertThat(run(job("true").env("SLURM_JOB_ID", "666").build()).code()).isZero();
  }

  /** Fails when srun reads the program as an option. */
  @Test
  void programStartingWithAHyphenIsNotFound() throws Exception {
    JobSpec spec = job("any").build();
    JobSpec hyphen =
        spec.withRoles(
            spec.roles().stream()
                .map(role -> role.withCommand(CommandSpec.exec(List.of("--jobid=1", "/bin/true"))))
                .toList());

    assertThat(run(hyphen).code()).isEqualTo(127);
  }
}
