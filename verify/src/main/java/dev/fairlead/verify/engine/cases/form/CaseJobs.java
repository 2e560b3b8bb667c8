package dev.fairlead.verify.engine.cases.form;

import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.verify.EngineObjects;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.JobStatus;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.spec.PlacementSpec;
import dev.fairlead.work.spec.RoleSpec;
import dev.fairlead.work.spec.TopologySpec;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Builds the jobs of cases. Absent fields of a case have no effect on its result. */
public final class CaseJobs {
  public static final Instant NOW = Instant.parse("2026-03-01T12:00:00Z");
  public static final TenantId TENANT = new TenantId(new UUID(9, 1));
  private static final ProjectId PROJECT = new ProjectId(new UUID(9, 2));
  private static final Duration GRACE = Duration.ofSeconds(30);
  private static final double MILLIS = 1000;

  private CaseJobs() {}

  /**
   * Equal tasks.
   *
   * @param cpu thousandths of a core of each
   * @param memory base units of each
   */
  public record Tasks(String name, int count, int fewest, GpuRequest gpu, long cpu, long memory) {
    public RoleSpec role(@Nullable TopologySpec topology) {
      return new EngineObjects.Members(name, count, fewest, gpu, cpu, memory).of("image", topology);
    }
  }

  public static JobSpec spec(List<RoleSpec> roles, PlacementSpec placement, boolean preemptible) {
    return EngineObjects.job("queue", roles, placement, preemptible, GRACE);
  }

  /**
   * Creates a job.
   *
   * @param number breaks ties
   */
  public static Job job(
      int number, QuotaNodeId queue, String name, String user, JobSpec spec, Rank rank) {
    Instant created = ago(rank.age());
    return new Job(
        new JobId(new UUID(1, number)),
        TENANT,
        PROJECT,
        queue,
        name,
        user,
        spec,
        rank.priority(),
        created,
        JobStatus.queued(created),
        null,
        List.of(),
        1);
  }

  /**
   * Input for the position of the job in the order.
   *
   * @param age seconds since it was created
   */
  public record Rank(int priority, double age) {}

  /** The job after running for a few seconds. */
  static Job running(Job job, double seconds) {
    Instant since = ago(seconds);
    return job.next(new JobStatus(JobState.RUNNING, since, since, null, 1, 0, 0, null, null), null);
  }

  static Instant ago(double seconds) {
    return NOW.minusMillis(Math.round(seconds * MILLIS));
  }
}
