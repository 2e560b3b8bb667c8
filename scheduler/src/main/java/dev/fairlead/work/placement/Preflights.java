package dev.fairlead.work.placement;

import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.work.attempt.Preflight;
import dev.fairlead.work.attempt.Reservation;
import dev.fairlead.work.attempt.ReservationBuilder;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.submit.PreflightProgress;
import dev.fairlead.work.spec.PreflightSpec;
import dev.fairlead.work.world.World;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Finds jobs with tests on their nodes before the start, and the jobs that run the tests. */
final class Preflights {
  private final Instant asOf;
  private final SortedMap<JobId, List<Preflight>> byJob = new TreeMap<>();
  private final SortedMap<JobId, Reservation.Key> testers = new TreeMap<>();

  Preflights(World world) {
    asOf = world.asOf();
    SortedMap<Reservation.Key, Instant> places = new TreeMap<>();
    world.reservations().stream()
        .filter(each -> each.kind() == Reservation.Kind.PREFLIGHT)
        .forEach(each -> places.put(each.key(), each.createdAt()));
    for (Preflight test : world.preflights()) {
      byJob.computeIfAbsent(test.of().job(), job -> new ArrayList<>()).add(test);
      boolean ofPlace = test.since().equals(places.get(test.of()));
      if (ofPlace && test.tester() != null && test.verdict() == Preflight.Verdict.RUNS) {
        testers.put(test.tester(), test.of());
      }
    }
  }

  /**
   * Returns the reservation with the nodes that the job tests and may use, or null if it tests
   * none.
   */
  Reservation.@Nullable Key testedBy(JobId job) {
    return testers.get(job);
  }

  /** Returns whether the job may start on these nodes immediately. */
  boolean letsStart(Job job, int element, List<Member> members) {
    return job.spec().preflight() == null
        || PreflightProgress.passed(
            new Reservation.Key(job.id(), element), members, known(job), asOf);
  }

  /** Reserves the nodes while they are tested. */
  Reservation place(Job job, int element, ClusterId cluster, List<Member> members) {
    PreflightSpec spec = job.spec().preflight();
    if (spec == null) {
      throw new IllegalArgumentException("requests no test: " + job.id().text());
    }
    return ReservationBuilder.builder()
        .job(job.id())
        .element(element)
        .kind(Reservation.Kind.PREFLIGHT)
        .cluster(cluster)
        .members(members)
        .victims(List.of())
        .createdAt(asOf)
        .startsAt(null)
        .expiresAt(asOf.plus(spec.timeout()).plus(PreflightProgress.LEAVING))
        .build();
  }

  /** Returns the progress of the tests, or null if the job no longer requests any. */
  @Nullable PreflightProgress of(Reservation place, Job job) {
    PreflightSpec spec = job.spec().preflight();
    return spec == null ? null : PreflightProgress.of(place, spec, known(job), asOf);
  }

  private List<Preflight> known(Job job) {
    return byJob.getOrDefault(job.id(), List.of());
  }
}
