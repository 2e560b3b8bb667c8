package dev.fairlead.care.health.service.repair;

import static dev.fairlead.kernel.text.Texts.reason;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.care.campaign.Campaign;
import dev.fairlead.care.campaign.CampaignDeadline;
import dev.fairlead.care.campaign.CampaignId;
import dev.fairlead.care.campaign.CampaignNode;
import dev.fairlead.care.campaign.CampaignNodeState;
import dev.fairlead.care.campaign.CampaignRules;
import dev.fairlead.care.campaign.CampaignState;
import dev.fairlead.care.health.RepairStep;
import dev.fairlead.care.health.quarantine.DomainQuarantine;
import dev.fairlead.care.health.quarantine.DomainQuarantineId;
import dev.fairlead.care.health.quarantine.Quarantine;
import dev.fairlead.care.health.quarantine.QuarantineId;
import dev.fairlead.care.health.repair.Repair;
import dev.fairlead.care.health.repair.RepairOrder;
import dev.fairlead.care.health.repair.RepairState;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.job.Specs;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Repair steps that wait for jobs, take too long, or find other work on their node. */
class RepairStepWaitTest extends RepairLoopScene {

  /** Fails when a machine is rebooted under a running job. */
  @Test
  void aStepWaitsForTheJobsOfTheNode() {
    Attempt attempt = world.run(world.place(world.submit(Specs.job("train").gpus(8)), 0, "n1"));
    isolated(RepairStep.REBOOT);

    tick();
    tick();
    assertThat(repair().state()).isEqualTo(RepairState.WAITING);
    assertThat(repair().message()).satisfies(reason("repair-loop.pods-jobs-node", 1));

    world.succeed(attempt);
    tick();
    assertThat(repair().state()).isEqualTo(RepairState.ASKED);
  }

  /** Fails when a machine is rebooted under a job, as its node is missing in one report. */
  @Test
  void stepWaitsForTheJobsOfAHiddenNode() {
    Attempt attempt = world.run(world.place(world.submit(Specs.job("train").gpus(8)), 0, "n1"));
    isolated(RepairStep.REBOOT);
    world.report();

    tick();
    tick();
    assertThat(stores.repairs().open())
        .extracting(Repair::state)
        .containsExactly(RepairState.WAITING);

    world.succeed(attempt);
    tick();
    assertThat(stores.repairs().open())
        .extracting(Repair::state)
        .containsExactly(RepairState.ASKED);
  }

  /** Fails when a step is requested for a machine that was released concurrently, and is in use. */
  @Test
  void nodeReleasedMeanwhileGetsNoStep() {
    isolated(RepairStep.REBOOT);
    meanwhile = () -> quarantines.release(olga, "n1", "it was the cable", false);

    tick();
    tick();
    assertThat(repairs.list("n1", false, null, 10)).isEmpty();
  }

  /** Fails when an overdue step is not reported, or still reported after it is done. */
  @Test
  void overdueStepIsCountedUntilItIsDone() {
    isolated(RepairStep.REBOOT);
    tick();
    tick(Duration.ofMinutes(29));
    assertThat(overdue(RepairStep.REBOOT)).isZero();

    tick(Duration.ofMinutes(2));
    assertThat(overdue(RepairStep.REBOOT)).isEqualTo(1);
    assertThat(overdue(RepairStep.REPLACE)).isZero();

    Repair _ = order(RepairOrder.HOLD);
    tick();
    assertThat(overdue(RepairStep.REBOOT)).as("an operator knows of it").isZero();
    Repair _ = order(RepairOrder.RESUME);
    tick();
    assertThat(overdue(RepairStep.REBOOT)).isEqualTo(1);

    Repair _ = order(RepairOrder.DONE);
    tick();
    assertThat(overdue(RepairStep.REBOOT)).isZero();
  }

  /** Fails when it is reported for a node that a campaign has taken out of service. */
  @Test
  void stepOnANodeOutOfUseByACampaignIsNotCounted() {
    isolated(RepairStep.REBOOT);
    tick();
    tick(Duration.ofMinutes(31));
    assertThat(overdue(RepairStep.REBOOT)).isEqualTo(1);

    outOfUseForACampaign(world.node("n1"));
    tick();
    assertThat(overdue(RepairStep.REBOOT)).isZero();
  }

  private void outOfUseForACampaign(Node node) {
    Instant now = stores.clock().instant();
    CampaignId id = new CampaignId(stores.ids().next());
    CampaignRules rules = new CampaignRules(1, null, CampaignDeadline.WAIT, 0, Duration.ZERO);
    stores
        .campaigns()
        .insert(
            new Campaign(
                id,
                "k",
                "k",
                olga.tenant(),
                "olga",
                rules,
                1,
                CampaignState.RUNNING,
                "",
                now,
                null,
                1),
            List.of(
                new CampaignNode(
                    id,
                    node.id(),
                    "n1",
                    node.cluster(),
                    0,
                    CampaignNodeState.READY,
                    false,
                    null,
                    now,
                    null,
                    "",
                    1)));
  }

  private double overdue(RepairStep step) {
    return metrics.get("fairlead.repair.overdue").tag("step", step.name()).gauge().value();
  }

  /** Fails when a machine accepts jobs during a manual repair because its 24 hours are over. */
  @Test
  void requestedStepKeepsTheNodeOutOfUse() {
    isolated(RepairStep.REPLACE);
    tick();
    for (int day = 0; day < 6; day++) {
      tick(Duration.ofHours(10));
      assertThat(standing().due(stores.clock().instant())).isFalse();
    }
    Repair _ = order(RepairOrder.DONE);
    tick(Duration.ofHours(25));

    assertThat(standing().due(stores.clock().instant())).as("it is done").isTrue();
  }

  /** Fails when unchanged rows of a domain are written every minute. */
  @Test
  void domainThatEndsSoonIsLeftAlone() {
    Node node = world.node("n1");
    Instant now = stores.clock().instant();
    DomainQuarantine rack =
        new DomainQuarantine(
            new DomainQuarantineId(stores.ids().next()),
            node.cluster(),
            "rack",
            "r1",
            "cooling fails",
            "olga",
            now,
            now.plus(Duration.ofHours(2)),
            null,
            null,
            1);
    stores
        .transactions()
        .run(() -> {
          stores.health().write(rack);
          stores
              .health()
              .write(
                  Quarantine.begun(
                          new QuarantineId(stores.ids().next()),
                          node.cluster(),
                          node.id(),
                          rack.reason(),
                          rack.owner(),
                          now,
                          rack.until())
                      .withDomain(rack.id()));
        });
    isolated(RepairStep.REPLACE);
    tick();
    assertThat(repair().keepsOut()).isTrue();

    for (int minute = 0; minute < 5; minute++) {
      tick(Duration.ofMinutes(1));
    }
    assertThat(written).isEmpty();

    tick(Duration.ofHours(13));
    assertThat(written).extracting(Quarantine::domain).containsOnlyNulls().hasSize(1);
  }
}
