package dev.fairlead.e2e;

import static dev.fairlead.kernel.text.Texts.reason;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.care.health.HealthEvent;
import dev.fairlead.care.health.Incident;
import dev.fairlead.care.health.device.DeviceChange;
import dev.fairlead.care.health.service.Devices;
import dev.fairlead.care.health.service.Intake;
import dev.fairlead.fleet.cluster.service.FleetCapacity;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeState;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.attempt.Reservation;
import dev.fairlead.work.attempt.member.GpuShare;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.event.EventPosition;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.Specs;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A fault of a GPU under a running job, from the monitor's report to the job's next start. */
class FaultTest extends FaultScene {

  @Test
  void faultMovesOnlyItsHolderAndSpendsNoRetry() {
    // Fails when reports heal the node, when its neighbours are stopped, or when a retry is spent.
    Job held = running("held", 8);
    Job other = running("other", 8);
    Node sick = nodeOf(held);
    fairlead.pass(Duration.ofSeconds(90));

    Intake taken = report(79, sick, 3);
    assertThat(taken.outcome()).isEqualTo(Intake.Outcome.STORED);
    assertThat(node(sick.name()).state()).isEqualTo(NodeState.QUARANTINED);
    fairlead.pass(Duration.ofSeconds(59));

    Attempt first = fairlead.attempts(held).getFirst();
    assertThat(first.state()).isEqualTo(AttemptState.FAILED);
    assertThat(first.failure().cause()).isEqualTo(FailureCause.GPU_FAULT);
    assertThat(first.failure().message())
        .isEqualTo(
            "XID 79 (GPU has fallen off the bus) on GPU "
                + sick.gpus().get(3).serial()
                + ", node "
                + sick.name()
                + "; lost 12 GPU-minutes since its start");
    assertThat(fairlead.stores().events().after(EventPosition.START, 1000))
        .as("events say it too")
        .anyMatch(e ->
            e.fact().type().equals("AttemptFailed")
                && first.failure().message().equals(e.fact().data().get("message")));
    assertThat(fairlead.state(held)).isEqualTo(JobState.RUNNING);
    assertThat(nodeOf(held).name()).isNotEqualTo(sick.name());
    assertThat(fairlead.job(held).run().failures()).isZero();
    assertThat(fairlead.attempts(other)).hasSize(1);
    assertThat(node(sick.name()).state()).isEqualTo(NodeState.QUARANTINED);
  }

  /** Fails when a gang's nodes are not reserved from the stop order on, or are never released. */
  @Test
  void gangRestartsOnItsOtherNodesAndItsReservationEnds() {
    Job gang =
        fairlead.until(
            fairlead.submit(
                Specs.job("gang").workers(4).gpus(8).annotation("sim.fairlead.dev/run-for", "10m")),
            JobState.RUNNING);
    for (int i = 0; i < POOL - 4; i++) {
      running("fills-" + i, 8);
    }
    Job waits = fairlead.submit(Specs.job("waits").gpus(8));
    List<String> before = nodes(gang);
    Node sick = node(before.get(1));

    report(79, sick, 3);
    fairlead.pass(Duration.ofSeconds(5));
    Reservation kept = stores.reservations().all().getFirst();
    assertThat(kept.kind()).isEqualTo(Reservation.Kind.FAULT);
    assertThat(kept.job()).isEqualTo(gang.id());
    fairlead.pass(Duration.ofSeconds(55));
    assertThat(fairlead.state(waits))
        .as("others get no fault reservation")
        .isEqualTo(JobState.QUEUED);
    assertThat(
            new FleetCapacity(stores.inventory()::fleet, stores.reservations())
                .items(fairlead.operator())
                .getFirst()
                .kept())
        .isEqualTo(24_000);

    commands.release(fairlead.operator(), sick.name(), "exchanged", false);
    fairlead.pass(Duration.ofSeconds(150));
    assertThat(fairlead.attempts(gang)).hasSize(2);
    assertThat(nodes(gang)).containsExactlyInAnyOrderElementsOf(before);
    assertThat(fairlead.job(gang).run().failures()).isZero();
    assertThat(stores.reservations().all()).isEmpty();
  }

  /** Fails when one fault ends the members of an elastic gang that can continue without another. */
  @Test
  void elasticGangContinuesWithoutTheFaultyMember() {
    Job gang =
        fairlead.until(
            fairlead.submit(
                Specs.job("elastic")
                    .workers(4)
                    .minWorkers(2)
                    .gpus(8)
                    .torchrun()
                    .annotation("sim.fairlead.dev/run-for", "30m")),
            JobState.RUNNING);
    Node sick = node(nodes(gang).get(1));

    report(79, sick, 3);
    fairlead.pass(Duration.ofSeconds(60));

    assertThat(fairlead.attempts(gang)).hasSize(1);
    assertThat(newest(gang).core())
        .extracting(Member::key)
        .containsExactly("worker-0", "worker-2", "worker-3");
    assertThat(newest(gang).left()).extracting(Member::nodeName).containsExactly(sick.name());
    assertThat(eu.processes()).hasSize(3);
    assertThat(stores.reservations().all()).isEmpty();
    assertThat(stores.counters().compare()).isEmpty();

    fairlead.pass(Duration.ofMinutes(6));
    assertThat(newest(gang).core())
        .as("another takes its place")
        .extracting(Member::key)
        .containsExactly("worker-0", "worker-2", "worker-3", "worker-4");
    assertThat(nodes(gang)).doesNotContain(sick.name());
    assertThat(fairlead.job(gang).run().failures()).isZero();
    assertThat(stores.counters().compare()).isEmpty();
    fairlead.pass(Duration.ofMinutes(32));
    assertThat(fairlead.state(gang)).isEqualTo(JobState.SUCCEEDED);
  }

  private Job repaired(int max) {
    return fairlead.until(
        fairlead.submit(
            Specs.job("repaired")
                .workers(4)
                .gpus(8)
                .repaired(max)
                .annotation("sim.fairlead.dev/run-for", "30m")),
        JobState.RUNNING);
  }

  /** Fails when a fault of one member moves the other members of a gang with repair. */
  @Test
  void replacementJoinsForTheFaultyMemberAndTheOthersStayInPlace() {
    Job gang = repaired(1);
    List<String> before = nodes(gang);
    Node sick = node(before.get(1));

    report(79, sick, 3);
    fairlead.pass(Duration.ofSeconds(60));

    assertThat(fairlead.attempts(gang)).hasSize(1);
    assertThat(newest(gang).core())
        .extracting(Member::key)
        .containsExactly("worker-0", "worker-2", "worker-3", "worker-4");
    String by = newest(gang).members().getLast().nodeName();
    assertThat(nodes(gang)).contains(before.get(0), before.get(2), before.get(3), by);
    assertThat(nodes(gang)).doesNotContain(sick.name());
    assertThat(newest(gang).left()).extracting(Member::nodeName).containsExactly(sick.name());
    assertThat(eu.processes()).hasSize(4);
    assertThat(stores.counters().compare()).isEmpty();
    assertThat(stores.events().after(EventPosition.START, 1000))
        .as("its owner reads it")
        .anyMatch(e ->
            "worker-1 of 4 members is replaced by worker-4: %s -> %s"
                .formatted(sick.name(), by)
                .equals(e.fact().data().get("message")));

    fairlead.pass(Duration.ofMinutes(32));
    assertThat(fairlead.state(gang)).isEqualTo(JobState.SUCCEEDED);
    assertThat(fairlead.job(gang).run().failures()).isZero();
  }

  /** Fails when a gang that cannot be repaired waits forever, or its job is charged a retry. */
  @Test
  void gangIsMovedIfAReplacementMemberFitsNowhere() {
    Job gang = repaired(1);
    for (int i = 0; i < POOL - 4; i++) {
      running("fills-" + i, 8);
    }
    Node sick = node(nodes(gang).get(1));

    report(79, sick, 3);
    fairlead.pass(Duration.ofSeconds(10));
    assertThat(newest(gang).state()).isEqualTo(AttemptState.RUNNING);
    fairlead.pass(Duration.ofSeconds(60));

    Attempt first = fairlead.attempts(gang).getFirst();
    assertThat(first.state()).isEqualTo(AttemptState.FAILED);
    assertThat(first.failure().cause()).isEqualTo(FailureCause.GPU_FAULT);
    assertThat(stores.reservations().all().getFirst().kind()).isEqualTo(Reservation.Kind.FAULT);
    fairlead.pass(Duration.ofMinutes(12));
    assertThat(fairlead.state(gang)).isEqualTo(JobState.RUNNING);
    assertThat(fairlead.job(gang).run().failures()).isZero();
    assertThat(stores.counters().compare()).isEmpty();
  }

  @Test
  void gpuFaultLeavesOtherGpusOfItsNodeAlone() {
    Job one = running("one", 1);
    Job two = running("two", 1);
    Node node = nodeOf(one);
    assertThat(nodeOf(two).name()).as("both fit on one node").isEqualTo(node.name());
    int index = newest(two).members().getFirst().gpus().getFirst().index();

    report(48, node, index);
    fairlead.pass(Duration.ofSeconds(60));

    assertThat(fairlead.attempts(one)).hasSize(1);
    assertThat(fairlead.attempts(two)).hasSize(2);
    assertThat(newest(two).members().getFirst().gpus())
        .extracting(GpuShare::serial)
        .doesNotContain(node.gpus().get(index).serial());
  }

  @Test
  void deviceOfAFaultIsKnownFromThenOn() {
    // Fails when a fault names a device without storing it.
    fairlead.pass(Duration.ofSeconds(5));
    Node sick = stores.inventory().nodes(null).getFirst();
    report(79, sick, 0);
    commands.release(fairlead.operator(), sick.name(), "exchanged", false);

    Devices devices = new Devices(stores.devices(), stores.inventory());
    String uuid = sick.gpus().getFirst().serial();
    assertThat(devices.one(uuid).node()).isEqualTo(sick.name());
    assertThat(devices.one(uuid).cluster()).isEqualTo("eu");
    assertThat(devices.history(uuid, null, 9).stream().map(DeviceChange::kind))
        .containsExactlyInAnyOrder(
            DeviceChange.Kind.FOUND,
            DeviceChange.Kind.INCIDENT,
            DeviceChange.Kind.QUARANTINED,
            DeviceChange.Kind.RELEASED);
    assertThatThrownBy(() -> devices.one("GPU-never-seen")).isInstanceOf(Refusal.class);
  }

  @Test
  void burstIsOneIncidentWithTheMostSevereCause() {
    fairlead.pass(Duration.ofSeconds(5));
    Node node = stores.inventory().nodes(null).getFirst();
    Incident first = incident(report(48, node, 0));
    stores.clock().advance(Duration.ofSeconds(100));
    report(45, node, 0);
    report(79, node, 0);
    stores.clock().advance(Duration.ofSeconds(181));
    Intake late = report(160, node, 0);

    Incident after = incident(late);
    assertThat(after.id()).isEqualTo(first.id());
    assertThat(after.cause()).satisfies(reason("fault.xid-gpu-fallen-off", 79));
    assertThat(after.events()).isEqualTo(4);
    assertThat(stores.health().standing(node.cluster())).hasSize(1);
  }

  @Test
  void repeatedReplayedAndUnknownEventsIsolateNothing() {
    fairlead.pass(Duration.ofSeconds(5));
    Node node = stores.inventory().nodes(null).getFirst();
    Instant now = stores.clock().instant();

    assertThat(report(163, node, 0).incident()).as("unknown code").isNull();
    assertThat(report(79, node, 0, now.minus(Duration.ofHours(2))).incident())
        .as("hours late")
        .isNull();
    assertThat(report(79, node, 0, now.plus(Duration.ofMinutes(6))).outcome())
        .isEqualTo(Intake.Outcome.REFUSED);
    HealthEvent elsewhere = new HealthEvent("e-x", now, "no-such-node", null, null, 79, "");
    Intake unknown = intake.take(fairlead.operator(), "eu", List.of(elsewhere)).getFirst();
    assertThat(unknown.outcome()).isEqualTo(Intake.Outcome.STORED);
    assertThat(unknown.detail()).contains("has no node no-such-node");
    assertThat(intake.take(fairlead.operator(), "eu", List.of(elsewhere)).getFirst().outcome())
        .isEqualTo(Intake.Outcome.DUPLICATE);
    assertThat(stores.health().incidents(null, null, 9)).isEmpty();

    report(79, node, 0);
    commands.release(fairlead.operator(), node.name(), "repaired", false);
    assertThat(report(79, node, 0, now).incident()).as("from before the release").isNull();
    assertThat(stores.health().standing(node.cluster())).isEmpty();
  }
}
