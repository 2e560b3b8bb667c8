package dev.fairlead.doctor.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.cluster.Capabilities;
import dev.fairlead.cluster.Cluster;
import dev.fairlead.cluster.ClusterState;
import dev.fairlead.cluster.service.ClusterDiagnosis;
import dev.fairlead.doctor.Check;
import dev.fairlead.doctor.Check.Verdict;
import dev.fairlead.doctor.Diagnosis;
import dev.fairlead.lease.HeldLease;
import dev.fairlead.loop.LeaseDiagnosis;
import dev.fairlead.problem.Refusal;
import dev.fairlead.retention.Ages;
import dev.fairlead.retention.OldRows;
import dev.fairlead.retention.service.RetentionDiagnosis;
import dev.fairlead.tenant.Actor;
import dev.fairlead.tenant.Role;
import dev.fairlead.tenant.TenantId;
import dev.fairlead.world.TestWorld;
import dev.fairlead.world.memory.MemoryStores;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Planted faults, each named with the step that repairs it. */
class DoctorTest {
  private final MemoryStores stores = MemoryStores.empty(1);
  private final TestWorld world = TestWorld.in(stores);
  private final Rows rows = new Rows();
  private final Doctor doctor =
      new Doctor(
          List.of(
              new LeaseDiagnosis(stores.leases()),
              new ClusterDiagnosis(stores.inventory()),
              new RetentionDiagnosis(rows)));

  private static Actor as(Role role) {
    return new Actor(new TenantId(new UUID(1, 1)), "ops", role);
  }

  private Check check(String area, String subject) {
    return doctor.examine(as(Role.OPERATOR)).stream()
        .filter(check -> check.area().equals(area) && check.subject().equals(subject))
        .findFirst()
        .orElseThrow();
  }

  private void assertProblem(String area, String subject, String found, String next) {
    Check check = check(area, subject);
    assertThat(check.verdict()).isEqualTo(Verdict.PROBLEM);
    assertThat(check.found()).contains(found);
    assertThat(check.next()).contains(next);
  }

  @Test
  void whatIsWellIsSaidToBeWellAndNeedsNoStep() {
    assertThat(doctor.examine(as(Role.OPERATOR)))
        .isNotEmpty()
        .allSatisfy(check -> {
          assertThat(check.verdict()).isEqualTo(Verdict.OK);
          assertThat(check.next()).isNull();
        });
  }

  @Test
  void aLeaseThatNoneHoldsIsNamedWithTheRoleThatIsMissing() {
    HeldLease lease = stores.leases().create("scheduler", "one").orElseThrow();
    assertThat(check("leases", "scheduler").verdict()).isEqualTo(Verdict.OK);

    stores.leases().release(lease);

    assertProblem("leases", "scheduler", "handed back", "FAIRLEAD_ROLES");
  }

  @ParameterizedTest
  @CsvSource({
    "UNREACHABLE, no usable answer, does not answer: no usable answer, FairleadClusterSilent",
    "DEGRADED, HTTP 403, gets nothing new: HTTP 403, Repair what it names",
    "DEGRADED, 'only reported, term 7', only reported, docs/restore.md",
  })
  void aClusterIsNamedWithItsTroubleAndItsStep(
      ClusterState state, String trouble, String found, String next) {
    Cluster cluster = world.cluster();
    stores.inventory().update(cluster.moved(state, null, trouble, Capabilities.UNSEEN));

    assertProblem("clusters", cluster.name(), found, next);
  }

  @Test
  void missingRoomForEventsIsAProblemBeforeItIsUsedUp() {
    rows.horizon = Duration.ofHours(30);

    assertProblem("partitions", "event", "30 h", "FairleadNoRoomForEvents");
  }

  @Test
  void rowsThatStayAreAWarning() {
    rows.oldest.put(OldRows.Kind.JOBS, Ages.DEFAULT.finishedJobs().plusHours(40));

    Check late = check("retention", "JOBS");
    assertThat(late.verdict()).isEqualTo(Verdict.WARNING);
    assertThat(late.found()).contains("40 h over its age");
    assertThat(late.next()).contains("FairleadRetentionLate");
  }

  /** Fails when one part that cannot be looked at keeps the others from being named. */
  @Test
  void aPartThatCannotBeLookedAtIsAProblemByItself() {
    Diagnosis broken =
        new Diagnosis() {
          @Override
          public String area() {
            return "database";
          }

          @Override
          public List<Check> look() {
            throw new IllegalStateException("no route");
          }
        };
    List<Check> checks =
        new Doctor(List.of(broken, new RetentionDiagnosis(rows))).examine(as(Role.OPERATOR));

    assertThat(checks.getFirst().area()).isEqualTo("database");
    assertThat(checks.getFirst().found()).contains("no route");
    assertThat(checks).extracting(Check::area).contains("partitions");
  }

  /**
   * Fails without the check of the caller's right: it would name clusters and leases to anybody.
   */
  @Test
  void aMemberOfATenantIsRefused() {
    assertThatThrownBy(() -> doctor.examine(as(Role.TENANT_OWNER))).isInstanceOf(Refusal.class);
  }

  private static final class Rows implements OldRows {
    private final Map<Kind, Duration> oldest = new EnumMap<>(Kind.class);
    private Duration horizon = Duration.ofDays(7);

    @Override
    public void prepare() {}

    @Override
    public int clear(Kind kind, Ages ages, int limit) {
      return 0;
    }

    @Override
    public Map<Kind, Duration> oldest() {
      return oldest;
    }

    @Override
    public Duration horizon() {
      return horizon;
    }

    @Override
    public void fold() {}
  }
}
