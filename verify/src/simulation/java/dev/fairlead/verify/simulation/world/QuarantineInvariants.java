package dev.fairlead.verify.simulation.world;

import dev.fairlead.care.health.HealthEvent;
import dev.fairlead.care.health.quarantine.Quarantine;
import dev.fairlead.care.health.service.DeviceIntake;
import dev.fairlead.care.health.service.FaultIsolation;
import dev.fairlead.care.health.service.HealthIntake;
import dev.fairlead.care.health.service.QuarantineCommands;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.node.NodeState;
import dev.fairlead.fleet.node.gpu.GpuState;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.member.GpuShare;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.world.memory.MemoryStores;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Faults that monitors report, and whether quarantined devices stay out of service. */
public final class QuarantineInvariants {
  private static final int OFF_THE_BUS = 79;
  private static final int DOUBLE_BIT = 48;

  private final DurableState durable;
  private final MemoryStores stores;
  private final HealthIntake intake;
  private final QuarantineCommands commands;
  private final Set<AttemptId> known = new HashSet<>();
  private Set<NodeId> closed = Set.of();
  private Set<String> closedGpus = Set.of();
  private int events;

  public QuarantineInvariants(DurableState durable) {
    this.durable = durable;
    this.stores = durable.stores();
    this.intake = intake(stores);
    this.commands = commands(stores);
  }

  public static HealthIntake intake(MemoryStores stores) {
    return new HealthIntake(
        stores.transactions(),
        stores.inventory(),
        stores.health(),
        isolation(stores),
        new DeviceIntake(
            stores.transactions(), stores.inventory(), stores.devices(), stores.clock()),
        stores.audit(),
        stores.ids(),
        stores.clock());
  }

  public static QuarantineCommands commands(MemoryStores stores) {
    return new QuarantineCommands(
        stores.transactions(),
        stores.inventory(),
        stores.health(),
        isolation(stores),
        stores.audit(),
        stores.clock());
  }

  private static FaultIsolation isolation(MemoryStores stores) {
    return new FaultIsolation(stores.health(), stores.inventory(), stores.ids());
  }

  /** A monitor alternates between reporting the GPU as lost with its node and as faulty alone. */
  public void sick(ClusterId cluster, Node node, int gpu) {
    events++;
    HealthEvent event =
        new HealthEvent(
            "e-" + events,
            stores.clock().instant(),
            node.name(),
            node.gpus().get(gpu).serial(),
            null,
            events % 2 == 0 ? OFF_THE_BUS : DOUBLE_BIT,
            "");
    intake.take(operator(), cluster.text(), List.of(event));
  }

  /** An operator takes it back into use. */
  public void healed(Node node) {
    try {
      commands.release(operator(), node.id().text(), "exchanged", false);
    } catch (Refusal over) {
      /* the breaker prevented the isolation, its time had passed, or the node is retired */
    }
  }

  private Actor operator() {
    return durable.operator();
  }

  /**
   * Quarantined nodes and GPUs get no jobs, regardless of later reports, and each quarantine ends
   * or is held by an operator.
   *
   * @throws InvariantBroken when that does not hold
   */
  public void check(List<Attempt> attempts) {
    Set<NodeId> standing = new HashSet<>();
    Set<String> gpus = new HashSet<>();
    for (ClusterId cluster : durable.clusters().keySet()) {
      for (Quarantine quarantine : stores.health().standing(cluster)) {
        if (quarantine.until() == null && quarantine.owner() == null) {
          throw new InvariantBroken(
              Invariant.QUARANTINE_HOLDS, quarantine + " neither ends nor is held");
        }
        String gpu = quarantine.gpu();
        if (gpu != null) {
          gpus.add(gpu);
          checkGpu(quarantine.node(), gpu);
          continue;
        }
        standing.add(quarantine.node());
        stores
            .inventory()
            .node(quarantine.node())
            .filter(n -> n.state() != NodeState.QUARANTINED && n.state() != NodeState.RETIRED)
            .ifPresent(n -> {
              throw new InvariantBroken(Invariant.QUARANTINE_HOLDS, n.name() + " is " + n.state());
            });
      }
    }
    for (Attempt attempt : attempts) {
      if (known.add(attempt.id())) {
        for (Member member : attempt.members()) {
          boolean onGpu =
              member.gpus().stream()
                  .map(GpuShare::serial)
                  .anyMatch(gpu -> closedGpus.contains(gpu) && gpus.contains(gpu));
          if (onGpu) {
            throw new InvariantBroken(
                Invariant.QUARANTINED_GPU_IS_IDLE, attempt + " was placed on " + member.gpus());
          }
          if (closed.contains(member.node()) && standing.contains(member.node())) {
            throw new InvariantBroken(
                Invariant.QUARANTINE_HOLDS, attempt + " was placed on " + member.nodeName());
          }
        }
      }
    }
    closed = standing;
    closedGpus = gpus;
  }

  private void checkGpu(NodeId node, String gpu) {
    stores
        .inventory()
        .node(node)
        .filter(n -> n.state() != NodeState.RETIRED)
        .flatMap(n -> n.gpus().stream().filter(g -> g.serial().equals(gpu)).findFirst())
        .filter(g -> g.state() != GpuState.QUARANTINED)
        .ifPresent(g -> {
          throw new InvariantBroken(Invariant.QUARANTINED_GPU_IS_IDLE, gpu + " is " + g.state());
        });
  }
}
