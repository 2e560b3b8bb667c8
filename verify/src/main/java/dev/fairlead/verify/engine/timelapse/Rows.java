package dev.fairlead.verify.engine.timelapse;

import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.verify.EngineObjects;
import dev.fairlead.verify.engine.timelapse.trace.Arrival;
import dev.fairlead.verify.engine.timelapse.trace.Tree;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.AttemptStatus;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobStatus;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.spec.PlacementSpec;
import dev.fairlead.work.spec.PriorityClass;
import dev.fairlead.work.spec.RoleSpec;
import dev.fairlead.work.world.PendingJob;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** Jobs and attempts as input of the engine. Jobs of one shape share one spec. */
final class Rows {
  private static final Instant BEGIN = Instant.parse("2026-01-01T00:00:00Z");
  private final Map<Shape, JobSpec> specs = new LinkedHashMap<>();

  private record Shape(
      int members, GpuRequest gpu, long cpuMilli, long memoryMiB, String queue, String image) {}

  static Instant at(long seconds) {
    return BEGIN.plusSeconds(seconds);
  }

  /**
   * @param number position in the trace, from 0
   */
  PendingJob pending(Arrival arrival, int number, QuotaNodeId queue) {
    Shape shape =
        new Shape(
            arrival.members(),
            arrival.gpu(),
            arrival.cpuMilli(),
            arrival.memoryMiB(),
            arrival.queue(),
            arrival.image());
    JobSpec spec = specs.computeIfAbsent(shape, Rows::spec);
    return pending(arrival.name(), arrival.user(), number, spec, queue, at(arrival.submitted()));
  }

  static PendingJob pending(
      String name, int number, JobSpec spec, QuotaNodeId queue, Instant created) {
    return pending(name, "user", number, spec, queue, created);
  }

  private static PendingJob pending(
      String name, String user, int number, JobSpec spec, QuotaNodeId queue, Instant created) {
    Job job =
        new Job(
            new JobId(new UUID(1, number + 1L)),
            Tree.TENANT,
            new ProjectId(queue.value()),
            queue,
            name,
            user,
            spec,
            PriorityClass.NORMAL.value(),
            created,
            JobStatus.queued(created),
            null,
            List.of(),
            1);
    return new PendingJob(job, List.of(new PendingJob.Offer(0, 0, null)), List.of(), null);
  }

  static Attempt attempt(Job job, ClusterId cluster, List<Member> members, long number, long now) {
    return new Attempt(
        new AttemptId(new UUID(5, number)),
        job.id(),
        0,
        1,
        cluster,
        1,
        at(now),
        AttemptStatus.of(AttemptState.RUNNING).withStartedAt(at(now)),
        members,
        List.of());
  }

  private static JobSpec spec(Shape shape) {
    return spec(
        role(shape.members, shape.members, shape.gpu, shape.cpuMilli, shape.memoryMiB, shape.image),
        PlacementSpec.ANYWHERE,
        shape.queue);
  }

  static RoleSpec role(int fewest, int most, GpuRequest gpu, long cpuMilli, long memoryMiB) {
    return role(fewest, most, gpu, cpuMilli, memoryMiB, "image");
  }

  private static RoleSpec role(
      int fewest, int most, GpuRequest gpu, long cpuMilli, long memoryMiB, String image) {
    return new EngineObjects.Members("worker", most, fewest, gpu, cpuMilli, memoryMiB)
        .of(image, null);
  }

  static JobSpec spec(RoleSpec role, PlacementSpec placement, String queue) {
    return EngineObjects.job(
        queue, List.of(role), placement, true, Duration.ofSeconds(Timelapse.EVICTION));
  }
}
