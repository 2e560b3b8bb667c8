package dev.fairlead.e2e;

import static dev.fairlead.kernel.text.Texts.reason;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.care.health.service.DomainQuarantineCommands;
import dev.fairlead.care.health.service.DomainQuarantines;
import dev.fairlead.care.health.service.NewDomainQuarantine;
import dev.fairlead.fleet.cluster.connection.FleetPool;
import dev.fairlead.kernel.idempotency.Idempotency;
import dev.fairlead.work.explanation.Blocker;
import dev.fairlead.work.explanation.Reason;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.job.service.query.NodeJobQueries;
import dev.fairlead.work.world.memory.MemoryStores;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A rack is quarantined, and a job waits for its nodes. */
class QuarantinedRackTest {
  private static final String RACK = "eu-r00";
  private final InMemoryFairlead fairlead = InMemoryFairlead.empty(1);
  private final MemoryStores stores = fairlead.stores();
  private final DomainQuarantineCommands commands =
      new DomainQuarantineCommands(
          stores.transactions(),
          stores.inventory(),
          stores.health(),
          new DomainQuarantines(
              stores.transactions(),
              stores.health(),
              stores.inventory(),
              new NodeJobQueries(stores.transactions(), stores.jobs())),
          new Idempotency(stores.idempotency()),
          stores.audit(),
          stores.ids(),
          stores.clock());

  private List<Blocker> blockers(Job job) {
    return stores.explanations().of(job.id()).orElseThrow().explanation().blockers();
  }

  /**
   * Fails when the scheduler does not read quarantines of domains, or still names a released one.
   */
  @Test
  void jobWaitingForTheRackNamesItUntilItsRelease() {
    fairlead.register("eu", new FleetPool(4, 8, "H100", 1, 2));
    fairlead.pass(Duration.ofMinutes(1)); // its nodes are reported
    NewDomainQuarantine wanted =
        new NewDomainQuarantine("eu", "rack", RACK, "cooling fails", Duration.ofHours(2), true);
    String id = commands.create(fairlead.operator(), wanted, null, false).quarantine().id().text();
    Job gang =
        fairlead.submit(
            Specs.job("gang").workers(4).gpus(8).annotation("sim.fairlead.dev/run-for", "300h"));

    fairlead.pass(Duration.ofMinutes(1));

    Blocker why = blockers(gang).getFirst();
    assertThat(why.reason()).isEqualTo(Reason.QUARANTINED);
    assertThat(why.message())
        .satisfies(reason("quarantined-rack.rack-eu-quarantined", "eu-r00", 2));
    assertThat(blockers(gang).toString()).doesNotContain("cooling");

    commands.release(fairlead.operator(), "eu", id, "cooled again", false);
    fairlead.until(gang, JobState.RUNNING);
    Job next = fairlead.submit(Specs.job("next").gpus(8));
    fairlead.pass(Duration.ofMinutes(1));
    assertThat(blockers(next))
        .extracting(Blocker::reason)
        .contains(Reason.CAPACITY)
        .doesNotContain(Reason.QUARANTINED);
  }
}
