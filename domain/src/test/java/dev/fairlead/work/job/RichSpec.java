package dev.fairlead.work.job;

import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.money.price.Money;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.spec.CommandSpec;
import dev.fairlead.work.spec.ContainerSpec;
import dev.fairlead.work.spec.ExtraContainers;
import dev.fairlead.work.spec.GangRepairSpec;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.spec.JobSpec.Dependency;
import dev.fairlead.work.spec.JobSpec.OnUnreachable;
import dev.fairlead.work.spec.JobSpec.PreemptionSpec;
import dev.fairlead.work.spec.JobSpec.VolumeSpec;
import dev.fairlead.work.spec.PlacementSpec;
import dev.fairlead.work.spec.PreflightSpec;
import dev.fairlead.work.spec.PriorityClass;
import dev.fairlead.work.spec.ProgressSpec;
import dev.fairlead.work.spec.RetryPolicy;
import dev.fairlead.work.spec.RoleSpec;
import dev.fairlead.work.spec.TopologySpec;
import dev.fairlead.work.spec.WorkdirSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A specification in which every field has a distinct value, for round trips. */
public final class RichSpec {
  private static final Instant NOT_BEFORE = Instant.parse("2031-02-03T04:05:06.789Z");

  private RichSpec() {}

  public static JobSpec withEverything(String name) {
    return new JobSpec(
        name,
        "research",
        PriorityClass.HIGH,
        List.of(
            role("head", GpuRequest.NONE, CommandSpec.shell("start --head")),
            role(
                "worker",
                GpuRequest.whole(8, "H100", "A100-80GB"),
                CommandSpec.exec(List.of("train", "-v"))
                    .preparedBy(List.of("pip install .", "make"))),
            role("eval", GpuRequest.fraction(250), CommandSpec.OF_IMAGE),
            role(
                "probe",
                new GpuRequest(GpuRequest.Kind.MEMORY, 0, 0, 10_240, null, List.of(), 40_000),
                exec()),
            role(
                "slice",
                new GpuRequest(GpuRequest.Kind.MIG, 2, 0, 0, "1g.10gb", List.of("H100"), 0),
                exec())),
        placement(),
        "torchrun",
        Duration.ofMinutes(90),
        NOT_BEFORE,
        NOT_BEFORE.plusSeconds(60),
        List.of(new Dependency(new JobId(new UUID(1, 2)), Dependency.Condition.ENDED)),
        new PreemptionSpec(
            true, Duration.ofSeconds(45), Duration.ofMinutes(10), Duration.ofMinutes(2)),
        new RetryPolicy(5, List.of(FailureCause.NODE_FAILURE, FailureCause.USER_ERROR)),
        OnUnreachable.AFTER_DEADLINE,
        null,
        List.of(VolumeSpec.ofClaim("datasets", "/data", true)),
        new TreeMap<>(Map.of("ansys", 2)),
        map("team", "nlp"),
        map("sim.fairlead.dev/run-for", "5s"),
        new PreflightSpec("dcgm", Duration.ofMinutes(20), PreflightSpec.OnUntested.WAIT),
        new ProgressSpec(Duration.ofMinutes(12), ProgressSpec.OnTimeout.SUSPEND),
        new GangRepairSpec(7),
        JobSpec.OnDependencyFailure.WAIT,
        new WorkdirSpec("sha256:" + "c0de".repeat(16)),
        List.of("model", "metrics"),
        "checkpoints");
  }

  private static RoleSpec role(String name, GpuRequest gpu, CommandSpec command) {
    return new RoleSpec(
        name,
        4,
        2,
        "registry.example/" + name + ":1",
        command,
        map("MODE", name),
        secrets(),
        gpu,
        2500,
        4096,
        1024,
        true,
        new TopologySpec("rack", TopologySpec.Mode.PREFERRED),
        extraContainers());
  }

  private static ExtraContainers extraContainers() {
    return new ExtraContainers(
        List.of(container("fetch", null, List.of("/data"))),
        List.of(container("proxy", 8_080, List.of())));
  }

  private static ContainerSpec container(String name, @Nullable Integer port, List<String> mounts) {
    return new ContainerSpec(
        name, "proxy:1", exec(), new TreeMap<>(Map.of("A", "b")), 100, 256, port, mounts);
  }

  private static CommandSpec exec() {
    return CommandSpec.exec(List.of("nvidia-smi"));
  }

  private static PlacementSpec placement() {
    SortedMap<CapacityType, Duration> waits = new TreeMap<>();
    waits.put(CapacityType.RESERVED, Duration.ofMinutes(30));
    return new PlacementSpec(
        List.of("eu-1", "us-2"),
        List.of("research", "shared"),
        List.of(CapacityType.RESERVED, CapacityType.SPOT),
        waits,
        map("disk", "nvme"),
        new TopologySpec("block", TopologySpec.Mode.REQUIRED),
        new PlacementSpec.Segment(2, "rack"),
        new PlacementSpec.Spread("rack", 3),
        "quiet",
        List.of("noisy"),
        PlacementSpec.Numa.PREFERRED,
        new Money(2_990_000, "EUR"),
        new Money(500_000_000, "EUR"),
        List.of(new PlacementSpec.JobTerm(map("app", "cache"), "rack")),
        List.of(new PlacementSpec.JobTerm(map("app", "noisy"), "host")),
        List.of("us-2", "eu-1"));
  }

  private static SortedMap<String, RoleSpec.SecretKey> secrets() {
    SortedMap<String, RoleSpec.SecretKey> secrets = new TreeMap<>();
    secrets.put("TOKEN", new RoleSpec.SecretKey("registry", "token"));
    return secrets;
  }

  private static SortedMap<String, String> map(String key, String value) {
    SortedMap<String, String> map = new TreeMap<>();
    map.put(key, value);
    return map;
  }
}
