package dev.fairlead.e2e;

import dev.fairlead.care.health.HealthEvent;
import dev.fairlead.care.health.Incident;
import dev.fairlead.care.health.service.DeviceIntake;
import dev.fairlead.care.health.service.FaultIsolation;
import dev.fairlead.care.health.service.HealthIntake;
import dev.fairlead.care.health.service.Intake;
import dev.fairlead.care.health.service.QuarantineCommands;
import dev.fairlead.fleet.cluster.connection.FleetPool;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.workload.simulation.SimulatedCluster;
import dev.fairlead.work.world.memory.MemoryStores;
import java.time.Instant;
import java.util.List;

/** A cluster of GPU nodes with running jobs, and reports of its monitor. */
abstract class FaultScene {

  static final int POOL = 8;
  final InMemoryFairlead fairlead = InMemoryFairlead.empty(19);
  final SimulatedCluster eu = fairlead.register("eu", new FleetPool(POOL, 8, "H100", 1, 1));
  final MemoryStores stores = fairlead.stores();
  final FaultIsolation isolation =
      new FaultIsolation(stores.health(), stores.inventory(), stores.ids());
  final DeviceIntake monitors =
      new DeviceIntake(stores.transactions(), stores.inventory(), stores.devices(), stores.clock());
  final HealthIntake intake =
      new HealthIntake(
          stores.transactions(),
          stores.inventory(),
          stores.health(),
          isolation,
          monitors,
          stores.audit(),
          stores.ids(),
          stores.clock());
  final QuarantineCommands commands =
      new QuarantineCommands(
          stores.transactions(),
          stores.inventory(),
          stores.health(),
          isolation,
          stores.audit(),
          stores.clock());
  int events;

  Job running(String name, int gpus) {
    Specs spec = Specs.job(name).gpus(gpus).annotation("sim.fairlead.dev/run-for", "10m");
    return fairlead.until(fairlead.submit(spec), JobState.RUNNING);
  }

  Attempt newest(Job job) {
    return fairlead.attempts(job).getLast();
  }

  Node nodeOf(Job job) {
    return node(newest(job).members().getFirst().nodeName());
  }

  Node node(String name) {
    return stores.inventory().nodes(null).stream()
        .filter(n -> n.name().equals(name))
        .findFirst()
        .orElseThrow();
  }

  Intake report(int xid, Node node, int gpu) {
    return report(xid, node, gpu, stores.clock().instant());
  }

  Intake report(int xid, Node node, int gpu, Instant at) {
    events++;
    HealthEvent event =
        new HealthEvent(
            "e-" + events, at, node.name(), node.gpus().get(gpu).serial(), null, xid, "");
    return intake.take(fairlead.operator(), "eu", List.of(event)).getFirst();
  }

  Incident incident(Intake intake) {
    return stores.health().incident(intake.incident().id()).orElseThrow();
  }

  List<String> nodes(Job job) {
    return newest(job).members().stream().map(Member::nodeName).toList();
  }
}
