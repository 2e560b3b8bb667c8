package dev.fairlead.work.workload.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.cluster.ClusterSettings;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.spec.RoleSpec;
import dev.fairlead.work.workload.LaunchOrder;
import dev.fairlead.work.workload.judgement.ObservedMember;
import dev.fairlead.work.workload.kubernetes.pod.ManifestFactory;
import dev.fairlead.work.workload.kubernetes.pod.PodObservations;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerStateBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PodSetupTest {
  private static Pod pod(int member) {
    JobSpec spec = Specs.job("prepared").workers(2).run("train $RANK").build();
    RoleSpec role = spec.roles().getFirst();
    LaunchOrder order =
        Orders.of(role.withCommand(role.command().preparedBy(List.of("make DATA=$HOME"))));
    return ManifestFactory.pod(
        order,
        order.attempt().members().get(member),
        ManifestFactory.anchor(order),
        ClusterSettings.DEFAULT,
        null);
  }

  /** Fails when a member of a gang has no setup, or Kubernetes expands a variable in the setup. */
  @Test
  void everyMemberRunsItsSetupBeforeItsProgram() {
    for (int member = 0; member < 2; member++) {
      Container main = pod(member).getSpec().getContainers().getFirst();
      assertThat(main.getArgs()).isEmpty();
      assertThat(main.getCommand())
          .startsWith("/bin/sh", "-c")
          .endsWith("fairlead", "/bin/sh", "-c", "train $$RANK");
      assertThat(main.getCommand().get(2)).contains("eval 'make DATA=$$HOME'\n");
    }
  }

  /**
   * Fails when a program that was not started is reported as a failed one, or a program reports
   * that it was not started.
   */
  @ParameterizedTest
  @CsvSource({
    "1, Error, fairlead: setup command 2 of 3, SetupFailed 2",
    "1, Error, a line of a log, Error",
    "137, OOMKilled, fairlead: setup command 2 of 3, OOMKilled",
    "0, Completed, fairlead: setup command 2 of 3, Completed",
    "121, Error, fairlead: no Ray client server, RayUnserved",
    "1, Error, fairlead: no Ray client server, Error",
    "121, Error, a line of a log, Error"
  })
  void aFailedSetupIsTheReasonOfItsMember(
      int exitCode, String ofKubelet, String message, String reason) {
    Pod ended =
        new PodBuilder(pod(0))
            .editMetadata()
            .withUid("uid")
            .endMetadata()
            .withNewStatus()
            .withPhase(exitCode == 0 ? "Succeeded" : "Failed")
            .addNewContainerStatus()
            .withName("main")
            .withState(
                new ContainerStateBuilder()
                    .withNewTerminated()
                    .withExitCode(exitCode)
                    .withReason(ofKubelet)
                    .withMessage(message)
                    .endTerminated()
                    .build())
            .endContainerStatus()
            .endStatus()
            .build();

    ObservedMember seen = PodObservations.of(ended).orElseThrow();

    assertThat(seen.exitCode()).isEqualTo(exitCode);
    assertThat(seen.reason()).isEqualTo(reason);
  }
}
