package dev.fairlead.front.service;

import static dev.fairlead.kernel.text.Texts.reason;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.front.FrontJob;
import dev.fairlead.front.FrontNamespace;
import dev.fairlead.kernel.doctor.DoctorCheck;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.memory.MemoryStores;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class FrontDiagnosisTest {
  private final MemoryStores stores = MemoryStores.empty(1);
  private final TestWorld world = TestWorld.in(stores);
  private final FrontDiagnosis diagnosis = new FrontDiagnosis(stores.inventory(), stores.fronts());

  /**
   * Fails when Jobs that no process adopts are not reported, or are still reported after they are
   * read again.
   */
  @Test
  void frontWithoutAJobReportIsAProblemUntilItsJobsAreSeen() {
    assertThat(diagnosis.look()).isEmpty();
    map("team-a");
    map("team-b");
    assertThat(only().found()).satisfies(reason("front-diagnosis.jobs-mapped-namespaces-seen", 2));

    stores.fronts().tell(world.cluster().id(), "jobs.batch is forbidden");
    assertThat(only().verdict()).isEqualTo(DoctorCheck.Verdict.PROBLEM);
    assertThat(only().subject()).isEqualTo(world.cluster().name());
    assertThat(only().found())
        .satisfies(reason("front-diagnosis.neither-taken-up-nor", "jobs.batch"));
    assertThat(only().next()).contains("deploy/cluster-front.yaml");

    stores.fronts().tell(world.cluster().id(), null);
    assertThat(only().verdict()).isEqualTo(DoctorCheck.Verdict.OK);
  }

  /**
   * Fails when missing Jobs are not reported, including Jobs of a front without mapped namespaces.
   */
  @Test
  void missingJobsAreAProblemWithTheConfirmationCommand() {
    FrontJob row =
        new FrontJob(
            world.cluster().id(),
            "uid-1",
            "team-a",
            "train",
            world.tenant().id(),
            world.project().id(),
            null,
            false,
            Instant.EPOCH);
    assertThat(stores.fronts().insert(List.of(row))).hasSize(1);
    stores.fronts().mark(row.cluster(), List.of("uid-1"), Instant.EPOCH);

    assertThat(only().verdict()).isEqualTo(DoctorCheck.Verdict.PROBLEM);
    assertThat(only().found()).satisfies(reason("front-diagnosis.jobs-were-taken-up", 1, 1));
    assertThat(only().next())
        .endsWith("front confirm-loss " + world.cluster().name() + " --missing 1");
  }

  private DoctorCheck only() {
    List<DoctorCheck> checks = diagnosis.look();
    assertThat(checks).hasSize(1);
    return checks.getFirst();
  }

  private void map(String namespace) {
    stores
        .fronts()
        .put(
            new FrontNamespace(
                world.cluster().id(),
                namespace,
                world.tenant().id(),
                world.project().id(),
                "anna",
                Instant.EPOCH));
  }
}
