package dev.fairlead.work.spec;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.policy.Policy;
import dev.fairlead.work.policy.PolicyExpressions;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;

class ExtraContainersTest {
  private static final PolicyExpressions NONE =
      new PolicyExpressions() {
        @Override
        public Optional<String> problem(String expression) {
          return Optional.empty();
        }

        @Override
        public boolean allows(String expression, SortedMap<String, Object> job) {
          return true;
        }
      };

  private static ContainerSpec container(String name, long cpuMilli, long memoryMiB) {
    return new ContainerSpec(
        name,
        "registry.example/" + name,
        CommandSpec.OF_IMAGE,
        new TreeMap<>(),
        cpuMilli,
        memoryMiB,
        null,
        List.of());
  }

  private static RoleSpec role(ExtraContainers extraContainers) {
    return new RoleSpec(
        "worker",
        1,
        1,
        "registry.example/train",
        CommandSpec.shell("train"),
        new TreeMap<>(),
        new TreeMap<>(),
        GpuRequest.NONE,
        1_000,
        2_048,
        64,
        false,
        null,
        extraContainers);
  }

  /**
   * Fails when a member gets a node on which its pod does not fit, or holds more than it requests.
   */
  @Test
  void memberRequestsTheLargerOfSidecarsPlusProgramAndInitContainers() {
    RoleSpec role =
        role(
            new ExtraContainers(
                List.of(container("fetch", 4_000, 100), container("check", 300, 200)),
                List.of(container("proxy", 200, 512), container("cache", 100, 1_024))));

    assertThat(role.memberCpuMilli()).isEqualTo(4_000);
    assertThat(role.memberMemoryMiB()).isEqualTo(2_048 + 512 + 1_024);
    assertThat(role.sized(3, 1).memberCpuMilli()).isEqualTo(4_000);
    assertThat(role.decided().memberMemoryMiB()).isEqualTo(3_584);
    assertThat(role(ExtraContainers.NONE).memberCpuMilli()).isEqualTo(1_000);
  }

  /** Fails when a policy on images misses an image. */
  @Test
  void roleListsAllItsImages() {
    assertThat(
            role(new ExtraContainers(
                    List.of(container("fetch", 1, 1)), List.of(container("proxy", 1, 1))))
                .images())
        .containsExactly(
            "registry.example/train", "registry.example/fetch", "registry.example/proxy");
  }

  @Test
  void aPolicyJudgesTheImagesOfAllContainers() {
    Policy policy =
        new Policy(
            "images",
            null,
            "",
            "ops",
            true,
            List.of(),
            List.of("registry.example/p", "registry.example/t"),
            false,
            List.of());
    JobSpec spec =
        Specs.job("j")
            .build()
            .with(
                List.of(
                    role(
                        new ExtraContainers(
                            List.of(container("fetch", 1, 1)),
                            List.of(container("proxy", 1, 1))))));

    assertThat(policy.violations(spec, new TreeMap<>(), NONE))
        .singleElement(InstanceOfAssertFactories.STRING)
        .startsWith("Image registry.example/fetch is not allowed.");
  }
}
