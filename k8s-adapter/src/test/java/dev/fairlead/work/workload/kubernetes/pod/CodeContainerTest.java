package dev.fairlead.work.workload.kubernetes.pod;

import static dev.fairlead.kernel.text.Texts.reason;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.fairlead.fleet.cluster.ClusterSettings;
import dev.fairlead.work.attempt.member.MemberState;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.spec.WorkdirSpec;
import dev.fairlead.work.workload.LaunchOrder;
import dev.fairlead.work.workload.LaunchOrders;
import dev.fairlead.work.workload.judgement.ObservedMember;
import dev.fairlead.work.workload.kubernetes.Orders;
import dev.fairlead.work.workload.kubernetes.PodSecurity;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerStateBuilder;
import io.fabric8.kubernetes.api.model.ContainerStatusBuilder;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodStatusBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CodeContainerTest {
  private static final String DIGEST = "sha256:" + "c0de".repeat(16);
  private static final ClusterSettings CALLING =
      ClusterSettings.DEFAULT.withCallback("https://fairlead.example.com");
  private static final LaunchOrder ORDER =
      LaunchOrders.answering(
          Orders.order(Specs.job("coded").gpus(2).workdir(DIGEST).build()), "fla_0");

  private static Pod pod() {
    Pod plain =
        ManifestFactory.pod(
            ORDER,
            ORDER.attempt().members().getFirst(),
            ManifestFactory.anchor(ORDER),
            CALLING,
            null);
    return CodeContainer.in(plain, ORDER, new WorkdirSpec(DIGEST), CALLING, "python:3.13");
  }

  private static Container unpacking() {
    return pod().getSpec().getInitContainers().getFirst();
  }

  /** Fails when the added container has rights that the job's container does not have. */
  @Test
  void thePodStaysRestricted() throws Exception {
    JsonNode pod = new ObjectMapper().readTree(Serialization.asJson(pod()));
    assertThat(PodSecurity.broken(pod)).isEmpty();
    assertThat(unpacking().getSecurityContext().getAllowPrivilegeEscalation()).isFalse();
    assertThat(unpacking().getSecurityContext().getCapabilities().getDrop()).containsExactly("ALL");
  }

  /** Fails when the program does not start in its code, or a member gets more than was planned. */
  @Test
  void programStartsWhereItsCodeIsUnpacked() {
    Container main = pod().getSpec().getContainers().getFirst();
    assertThat(main.getWorkingDir()).isEqualTo("/workdir");
    assertThat(main.getVolumeMounts()).extracting(VolumeMount::getMountPath).contains("/workdir");
    assertThat(unpacking().getVolumeMounts())
        .extracting(VolumeMount::getMountPath)
        .containsExactly("/workdir");
    Map<String, Quantity> given = unpacking().getResources().getRequests();
    assertThat(given).containsOnlyKeys("cpu", "memory");
    assertThat(main.getResources().getRequests()).containsAllEntriesOf(given);
  }

  /** Fails when the program can read the credential that only the download of its code needs. */
  @Test
  void onlyTheAddedContainerHasTheCredential() {
    Map<String, EnvVar> env =
        unpacking().getEnv().stream().collect(Collectors.toMap(EnvVar::getName, v -> v));
    assertThat(env.get("FAIRLEAD_WORKDIR_URL").getValue())
        .isEqualTo(
            "https://fairlead.example.com/api/v1/attempts/%s/workdir"
                .formatted(ORDER.attempt().id().text()));
    assertThat(env.get("FAIRLEAD_WORKDIR_TOKEN").getValueFrom().getSecretKeyRef().getKey())
        .isEqualTo(LaunchOrder.CREDENTIAL);
    assertThat(env.get("FAIRLEAD_WORKDIR_DIGEST").getValue()).isEqualTo(DIGEST);
    assertThat(pod().getSpec().getContainers().getFirst().getEnv())
        .filteredOn(variable -> variable.getName().contains("TOKEN"))
        .isEmpty();
  }

  @Test
  void aClusterWithoutACallbackAddressRefusesTheJob() {
    assertThat(CodeContainer.trouble(ORDER)).isNull();
    assertThat(CodeContainer.trouble(ORDER.withoutCallback())).contains("callback");
    assertThat(CodeContainer.trouble(Orders.order(Specs.job("plain").build()))).isNull();
  }

  private static ObservedMember seen(PodStatusBuilder status) {
    Pod pod =
        new PodBuilder(pod())
            .editMetadata()
            .withUid("uid")
            .endMetadata()
            .withStatus(status.build())
            .build();
    return PodObservations.of(pod).orElseThrow();
  }

  private static PodStatusBuilder status(String phase, ContainerStateBuilder state) {
    return new PodStatusBuilder()
        .withPhase(phase)
        .addToInitContainerStatuses(
            new ContainerStatusBuilder().withName("workdir").withState(state.build()).build())
        .addToContainerStatuses(
            new ContainerStatusBuilder()
                .withName("main")
                .withState(
                    new ContainerStateBuilder().withNewWaiting(null, "PodInitializing").build())
                .build());
  }

  /** Fails when a member without its code looks like a failed program. */
  @ParameterizedTest
  @CsvSource({
    "44, WorkdirMissing",
    "45, WorkdirBroken",
    "46, WorkdirUnreachable",
    "137, WorkdirUnreachable"
  })
  void memberWithoutItsCodeReportsTheReason(int exitCode, String reason) {
    ObservedMember seen =
        seen(
            status(
                "Failed",
                new ContainerStateBuilder()
                    .withNewTerminated()
                    .withExitCode(exitCode)
                    .withMessage("the code is not there")
                    .endTerminated()));
    assertThat(seen.state()).isEqualTo(MemberState.FAILED);
    assertThat(seen.started()).isFalse();
    assertThat(seen.reason()).isEqualTo(reason);
    assertThat(seen.message()).satisfies(reason("code-container.code-there"));
  }

  @Test
  void aHelperImageThatCannotBePulledIsReported() {
    ObservedMember seen =
        seen(
            status(
                "Pending", new ContainerStateBuilder().withNewWaiting(null, "ImagePullBackOff")));
    assertThat(seen.state()).isEqualTo(MemberState.PULLING);
    assertThat(seen.reason()).isEqualTo("ImagePullBackOff");
  }
}
