package dev.fairlead.verify.simulation.care;

import dev.fairlead.care.health.HealthEvent;
import dev.fairlead.care.health.quarantine.Quarantine;
import dev.fairlead.care.health.service.DeviceIntake;
import dev.fairlead.care.health.service.FaultIsolation;
import dev.fairlead.care.health.service.HealthIntake;
import dev.fairlead.care.health.service.QuarantineCommands;
import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.ClusterSettings.NodeLabelPolicy;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.verify.simulation.world.DurableState;
import dev.fairlead.verify.simulation.world.Invariant;
import dev.fairlead.verify.simulation.world.InvariantBroken;
import dev.fairlead.verify.simulation.world.VirtualTime;
import dev.fairlead.work.world.memory.MemoryStores;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.stream.Stream;

/**
 * Quarantined GPUs of a {@link DeviceServer} have a DeviceTaintRule each. Others delete rules and
 * create some, and the API server refuses changes.
 */
public final class TaintedGpus {
  private static final int DOUBLE_BIT = 48;

  /** A refused node is tried again after five minutes. */
  private static final Duration RETRIED = Duration.ofMinutes(6);

  private static final Duration BETWEEN = Duration.ofSeconds(40);
  private static final Duration BOUND = Duration.ofMinutes(3);

  private final SplittableRandom chance;
  private final VirtualTime time;
  private final DurableState durable;
  private final ClusterId cluster;
  private final DeviceServer server;
  private boolean open = true;

  TaintedGpus(VirtualTime time, DurableState durable, ClusterId cluster, DeviceServer server) {
    this.chance = new SplittableRandom(cluster.value().getLeastSignificantBits());
    this.time = time;
    this.durable = durable;
    this.cluster = cluster;
    this.server = server;
    MemoryStores stores = durable.stores();
    Cluster its = stores.inventory().cluster(cluster).orElseThrow();
    stores
        .inventory()
        .configure(
            its.configured(
                its.capacity(),
                its.pricePerGpuHour(),
                its.settings().withNodeLabelsAndTaints(NodeLabelPolicy.POOL_AND_QUARANTINE)),
            null);
    later();
  }

  private void later() {
    time.in(
        seconds(90),
        "trouble with DeviceTaintRules",
        () -> {
          if (open) {
            trouble();
            later();
          }
        });
  }

  private Duration seconds(int most) {
    return Duration.ofSeconds(1L + chance.nextInt(most));
  }

  private void trouble() {
    DeviceRules rules = server.rules;
    switch (chance.nextInt(4)) {
      case 0 -> rules.deleteOne(chance);
      case 1 -> rules.deleteOwn();
      case 2 -> {
        rules.refused = true;
        time.in(seconds(200), "rules are accepted", () -> rules.refused = false);
      }
      default -> {
        DeviceServer.Node node = server.nodes().get(chance.nextInt(server.nodes().size()));
        String name = rules.taint(node.name, node.boards.getFirst().name);
        time.in(seconds(200), "taint of others ends", () -> rules.put(name, null));
      }
    }
  }

  /** A GPU is quarantined, then renamed, and then others delete its rule. Its release follows. */
  void heal() {
    open = false;
    server.rules.refused = false;
    List.copyOf(server.rules.all().keySet()).forEach(name -> server.rules.put(name, null));
    DeviceServer.Node node = server.nodes().getLast();
    time.in(RETRIED, "a faulty GPU", () -> quarantine(node));
    time.in(
        RETRIED.plus(BETWEEN),
        "GPUs are renamed",
        () -> {
          server.rename(node);
          server.publish(node, Duration.ZERO, Duration.ZERO);
        });
    time.in(RETRIED.plus(BETWEEN.multipliedBy(2)), "rules are deleted", server.rules::deleteOwn);
    /* one event, because the order of two at one instant is random */
    time.in(
        RETRIED.plus(BOUND),
        "a look at the taints and a release",
        () -> {
          look();
          release(node);
        });
    time.in(RETRIED.plus(BOUND.multipliedBy(2)), "a look at the taints", this::look);
  }

  private void quarantine(DeviceServer.Node node) {
    MemoryStores stores = durable.stores();
    HealthIntake intake =
        new HealthIntake(
            stores.transactions(),
            stores.inventory(),
            stores.health(),
            isolation(),
            new DeviceIntake(
                stores.transactions(), stores.inventory(), stores.devices(), stores.clock()),
            stores.audit(),
            stores.ids(),
            stores.clock());
    String gpu = node.boards.getLast().uuid;
    HealthEvent event =
        new HealthEvent("tainted", stores.clock().instant(), node.name, gpu, null, DOUBLE_BIT, "");
    String name = stores.inventory().cluster(cluster).orElseThrow().name();
    var _ = intake.take(durable.operator(), name, List.of(event));
  }

  private FaultIsolation isolation() {
    MemoryStores stores = durable.stores();
    return new FaultIsolation(stores.health(), stores.inventory(), stores.ids());
  }

  private void release(DeviceServer.Node node) {
    MemoryStores stores = durable.stores();
    QuarantineCommands commands =
        new QuarantineCommands(
            stores.transactions(),
            stores.inventory(),
            stores.health(),
            isolation(),
            stores.audit(),
            stores.clock());
    try {
      var _ = commands.release(durable.operator(), node.name, "exchanged", false);
    } catch (Refusal none) {
      time.say(() -> node.name + ": " + none.getMessage());
    }
  }

  /** Exactly the published devices of quarantined GPUs have a taint of Fairlead. */
  private void look() {
    List<Node> rows = durable.stores().inventory().nodes(cluster);
    List<String> wanted =
        durable.stores().health().standing(cluster).stream()
            .filter(quarantine -> quarantine.gpu() != null)
            .flatMap(quarantine -> device(quarantine, rows))
            .distinct()
            .sorted()
            .toList();
    if (!wanted.equals(server.rules.own())) {
      throw new InvariantBroken(
          Invariant.QUARANTINED_GPU_IS_TAINTED,
          "rules of " + server.rules.own() + " instead of " + wanted);
    }
  }

  private Stream<String> device(Quarantine quarantine, List<Node> rows) {
    return rows.stream()
        .filter(row -> row.id().equals(quarantine.node()))
        .flatMap(row ->
            Stream.ofNullable(server.board(row.name(), Objects.requireNonNull(quarantine.gpu())))
                .map(board -> row.name() + "/" + board.name));
  }
}
