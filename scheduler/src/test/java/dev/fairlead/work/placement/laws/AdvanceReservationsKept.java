package dev.fairlead.work.placement.laws;

import dev.fairlead.care.reservation.AdvanceReservation;
import dev.fairlead.fleet.node.window.LeftoverPolicy;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.placement.After;
import dev.fairlead.work.placement.decision.Decision;
import dev.fairlead.work.world.PendingJob;
import dev.fairlead.work.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * In every cycle, no foreign job starts, grows or gets a reservation on a reserved node if it would
 * still run at the start of the advance reservation, or during it, and could not be stopped before.
 * Advance reservations do not affect a job that they close no node to: a single job starts equally
 * with and without them. Fails when AdvanceReservationFilter admits everything.
 */
final class AdvanceReservationsKept implements Law.Check {
  private static final int CYCLES = 6;
  private static final int ALONE = 4;

  @Override
  public Optional<String> broken(World world, Random random) {
    World now = world;
    for (int cycle = 0; cycle < CYCLES; cycle++) {
      Planned planned = Planned.of(now);
      Optional<String> wrong = wrong(planned);
      if (wrong.isPresent()) {
        return wrong;
      }
      now = After.of(now, planned.plan());
      Instant later = now.asOf().plus(Duration.ofMinutes(random.nextInt(120)));
      now =
          now.toBuilder()
              .asOf(later)
              .advanceReservations(
                  now.advanceReservations().stream().filter(b -> !b.ended(later)).toList())
              .build();
    }
    return unused(world);
  }

  private static Optional<String> wrong(Planned planned) {
    World world = planned.world();
    Map<JobId, Job> jobs = new TreeMap<>();
    world.pending().stream().map(PendingJob::job).forEach(job -> jobs.put(job.id(), job));
    Map<AttemptId, Job> live = new TreeMap<>();
    world.live().forEach(l -> live.put(l.attempt().id(), l.job()));
    for (Decision decision : planned.plan().decisions()) {
      Optional<String> wrong =
          switch (decision) {
            case Decision.Place place ->
                wrong(world, jobs.get(place.job()), place.members(), world.asOf());
            case Decision.Grow grow ->
                wrong(world, live.get(grow.attempt()), grow.members(), world.asOf());
            case Decision.Reserve reserve ->
                wrong(
                    world,
                    jobs.get(reserve.job()),
                    reserve.reservation().members(),
                    reserve.reservation().startsAt());
            case Decision.Hold _,
                Decision.Preempt _,
                Decision.MoveBack _,
                Decision.Leftover _,
                Decision.Expire _,
                Decision.Ask _,
                Decision.Shrink _,
                Decision.Release _ ->
                Optional.empty();
          };
      if (wrong.isPresent()) {
        return wrong;
      }
    }
    return Optional.empty();
  }

  private static Optional<String> wrong(
      World world, @Nullable Job job, List<Member> members, @Nullable Instant start) {
    if (job == null || start == null) {
      return Optional.empty();
    }
    for (Member member : members) {
      for (AdvanceReservation advanceReservation : world.advanceReservations()) {
        if (advanceReservation.holds(member.node())
            && !may(world, job, advanceReservation, start)) {
          return Optional.of(
              "%s at %s on %s of %s"
                  .formatted(job.name(), start, member.nodeName(), advanceReservation));
        }
      }
    }
    return Optional.empty();
  }

  private static boolean may(
      World world, Job job, AdvanceReservation advanceReservation, Instant start) {
    boolean own =
        advanceReservation.owner() != null
            && advanceReservation.owner().project().equals(job.project());
    if (own || !start.isBefore(advanceReservation.end())) {
      return true;
    }
    if (!start.isBefore(advanceReservation.start())) {
      return false;
    }
    Instant end = end(world, job, start);
    boolean ends = end != null && !end.isAfter(advanceReservation.start());
    Instant leaves = start.plus(job.spec().preemption().minRuntime());
    return ends
        || advanceReservation.leftoverPolicy() == LeftoverPolicy.EVICT
            && job.spec().preemption().allowed()
            && !leaves.isAfter(advanceReservation.start());
  }

  private static @Nullable Instant end(World world, Job job, Instant start) {
    Duration most =
        job.spec().maxRuntime() != null
            ? job.spec().maxRuntime()
            : world.quotaNodes().stream()
                .filter(q -> q.id().equals(job.queue()) && q.queue() != null)
                .flatMap(q -> Stream.ofNullable(q.queue().defaultMaxRuntime()))
                .findFirst()
                .orElse(null);
    Instant ran = most == null ? null : start.plus(most);
    Instant deadline = job.spec().deadline();
    return ran == null || deadline != null && deadline.isBefore(ran) ? deadline : ran;
  }

  private static Optional<String> unused(World world) {
    World without = world.toBuilder().advanceReservations(List.of()).build();
    return world.pending().stream()
        .filter(p ->
            world.advanceReservations().stream()
                .allMatch(b -> may(world, p.job(), b, world.asOf())))
        .limit(ALONE)
        .filter(p ->
            Planned.of(world.with(List.of(p))).started(p.job().id())
                != Planned.of(without.with(List.of(p))).started(p.job().id()))
        .map(p ->
            p.job().name() + " starts otherwise for advance reservations that are nothing to it")
        .findFirst();
  }
}
