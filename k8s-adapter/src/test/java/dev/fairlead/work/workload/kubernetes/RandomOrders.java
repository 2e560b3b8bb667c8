package dev.fairlead.work.workload.kubernetes;

import dev.fairlead.fleet.cluster.ClusterSettings;
import dev.fairlead.fleet.cluster.ClusterSettings.Pinning;
import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.people.secret.ProjectSecret;
import dev.fairlead.work.spec.CommandSpec;
import dev.fairlead.work.spec.ExtraContainers;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.spec.JobSpec.OnUnreachable;
import dev.fairlead.work.spec.JobSpec.PreemptionSpec;
import dev.fairlead.work.spec.JobSpec.VolumeSpec;
import dev.fairlead.work.spec.PriorityClass;
import dev.fairlead.work.spec.RoleSpec;
import dev.fairlead.work.workload.LaunchOrder;
import dev.fairlead.work.workload.LaunchOrders;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Launch orders of arbitrary specs, with texts that would change a pod if they were interpreted.
 * Includes invalid texts, which the reader of specs rejects.
 */
final class RandomOrders {
  private static final List<String> TEXTS =
      List.of(
          "x",
          "",
          "$(NODE_NAME)",
          "$$(HOME) $",
          "true",
          "{\"securityContext\":{\"privileged\":true}}",
          "a\nhostNetwork: true",
          "--privileged",
          "/var/run/docker.sock",
          "../../etc",
          "\u202ekcolb",
          "a'; DROP TABLE job; --",
          "x".repeat(300));
  private static final List<String> NAMES = List.of("a", "hub", "tls", "b-1");
  private final Random random;

  RandomOrders(Random random) {
    this.random = random;
  }

  private <T> T one(List<T> of) {
    return of.get(random.nextInt(of.size()));
  }

  private <T> T one(T[] of) {
    return of[random.nextInt(of.length)];
  }

  private <T> List<T> some(int most, Supplier<T> made) {
    List<T> all = new ArrayList<>();
    for (int i = random.nextInt(most + 1); i > 0; i--) {
      all.add(made.get());
    }
    return all;
  }

  private String text() {
    return one(TEXTS);
  }

  private SortedMap<String, String> texts(String prefix) {
    SortedMap<String, String> all = new TreeMap<>();
    some(3, this::text).forEach(text -> all.put(prefix + "K" + random.nextInt(9), text));
    return all;
  }

  private @Nullable Duration sometimes(Duration time) {
    return random.nextBoolean() ? time : null;
  }

  ClusterSettings settings() {
    return ClusterSettings.of(
        List.of(), one(Pinning.values()), random.nextBoolean() ? "rdma/hca" : null);
  }

  @Nullable NodeReport node() {
    return switch (random.nextInt(3)) {
      case 0 -> Orders.PARTS;
      case 1 -> Orders.SIMULATED;
      default -> null;
    };
  }

  LaunchOrder order() {
    LaunchOrder order = Orders.order(spec());
    if (random.nextInt(4) == 0) {
      order =
          LaunchOrders.keeping(
              order, ProjectSecret.REGISTRY_LOGIN, ProjectSecret.LOGIN_KEY, text());
    }
    for (String name : NAMES) {
      if (random.nextBoolean()) {
        order = LaunchOrders.keeping(order, name, "key", text());
      }
    }
    return order;
  }

  private JobSpec spec() {
    List<RoleSpec> roles = new ArrayList<>(List.of(role("worker")));
    if (random.nextInt(4) == 0) {
      roles.add(role("server"));
    }
    return JobSpec.of(
            "job-" + random.nextInt(100),
            "research",
            roles,
            new PreemptionSpec(
                random.nextBoolean(),
                Duration.ofMillis(random.nextInt(100_000)),
                Duration.ZERO,
                sometimes(Duration.ofMinutes(2))))
        .with()
        .priorityClass(one(PriorityClass.values()))
        .launcher(one(List.of("none", "torchrun", "mpi", "jax")))
        .maxRuntime(sometimes(Duration.ofSeconds(random.nextInt(10_000))))
        .onUnreachable(one(OnUnreachable.values()))
        .volumes(some(4, this::volume))
        .labels(texts("label"))
        .annotations(texts("sim.fairlead.dev/"))
        .build();
  }

  private RoleSpec role(String name) {
    SortedMap<String, RoleSpec.SecretKey> secrets = new TreeMap<>();
    some(2, () -> one(NAMES))
        .forEach(
            secret -> secrets.put("S" + random.nextInt(9), new RoleSpec.SecretKey(secret, "key")));
    int count = 1 + random.nextInt(3);
    return new RoleSpec(
        name,
        count,
        random.nextBoolean() ? count : 1,
        "registry.example/" + text(),
        command(),
        texts("E"),
        secrets,
        gpu(),
        random.nextInt(128_000),
        random.nextInt(1_000_000),
        random.nextInt(64_000),
        random.nextInt(4) == 0,
        null,
        ExtraContainers.NONE);
  }

  private CommandSpec command() {
    return switch (random.nextInt(3)) {
      case 0 -> CommandSpec.OF_IMAGE;
      case 1 -> CommandSpec.shell(text());
      default -> new CommandSpec(some(3, this::text), some(3, this::text), false);
    };
  }

  private GpuRequest gpu() {
    return switch (one(GpuRequest.Kind.values())) {
      case WHOLE -> GpuRequest.whole(1 + random.nextInt(2));
      case FRACTION -> GpuRequest.fraction(250);
      case MIG -> new GpuRequest(GpuRequest.Kind.MIG, 1, 0, 0, "1g.10gb", List.of(), 0);
      case MEMORY, NONE -> GpuRequest.NONE;
    };
  }

  private VolumeSpec volume() {
    return random.nextBoolean()
        ? VolumeSpec.ofClaim(text(), "/mnt/" + text(), random.nextBoolean())
        : VolumeSpec.ofSecret(one(NAMES), "/mnt/" + text());
  }
}
