package dev.fairlead.work.placement.laws;

import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.attempt.PlaceFailure;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.explanation.Blocker;
import dev.fairlead.work.explanation.Reason;
import dev.fairlead.work.placement.backoff.BackOffPolicy;
import dev.fairlead.work.placement.decision.Decision;
import dev.fairlead.work.world.PendingJob;
import dev.fairlead.work.world.World;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/**
 * A job does not start on a node that failed it during the first back-off, and no job starts on a
 * node that failed two jobs. A single job in back-off starts at the reported time, and would start
 * immediately without the failure. Fails when Room ignores back-offs, or Shapes or BackingOff
 * ignore the job's own back-offs.
 */
final class BadNodesAvoided implements Law.Check {
  @Override
  public Optional<String> broken(World world, Random random) {
    List<Decision.Place> places = Planned.of(world).places();
    World failing = world;
    if (!places.isEmpty()) {
      Decision.Place place = places.get(random.nextInt(places.size()));
      failing = failed(world, place);
    }
    Optional<String> given = given(failing);
    if (given.isPresent()) {
      return given;
    }
    for (PendingJob pending : world.pending()) {
      World alone = Changed.reservations(Changed.pending(failing, List.of(pending)), List.of());
      Optional<String> untrue = untrue(alone, pending);
      if (untrue.isPresent()) {
        return untrue;
      }
    }
    return Optional.empty();
  }

  /** The planned start failed on one of its nodes a second ago. */
  private static World failed(World world, Decision.Place place) {
    List<PlaceFailure> failures = new ArrayList<>(world.placeFailures());
    failures.add(
        new PlaceFailure(
            place.job(),
            place.element(),
            place.members().getFirst().node(),
            FailureCause.START_TIMEOUT,
            world.asOf().minusSeconds(2),
            world.asOf().minusSeconds(1),
            null,
            null));
    return Changed.failures(world, failures);
  }

  private static Optional<String> given(World world) {
    for (Decision.Place place : Planned.of(world).places()) {
      for (Member member : place.members()) {
        if (speaksAgainst(world, member.node(), place.job())) {
          return Optional.of(place.job().text() + " is placed on " + member.nodeName());
        }
      }
    }
    return Optional.empty();
  }

  private static boolean speaksAgainst(World world, NodeId node, JobId job) {
    List<JobId> failed =
        world.placeFailures().stream()
            .filter(f -> f.node().equals(node))
            .filter(
                f -> f.at().plus(BackOffPolicy.DEFAULT.after(f.cause(), 1)).isAfter(world.asOf()))
            .map(PlaceFailure::job)
            .distinct()
            .toList();
    return failed.contains(job) || failed.size() > 1;
  }

  private static Optional<String> untrue(World alone, PendingJob pending) {
    Planned now = Planned.of(alone);
    JobId id = pending.job().id();
    boolean forgiven = Planned.of(Changed.failures(alone, List.of())).started(id) > 0;
    Optional<Blocker> told =
        now.plan().explanations().values().stream()
            .flatMap(e -> e.blockers().stream())
            .filter(b -> b.reason() == Reason.BACKING_OFF && b.numbers().containsKey("seconds"))
            .findFirst();
    boolean otherwise =
        now.plan().decisions().stream()
            .anyMatch(d -> d instanceof Decision.Preempt || d instanceof Decision.Expire);
    if (now.started(id) > 0 || otherwise) {
      return Optional.empty();
    }
    if (told.isPresent() != forgiven) {
      return Optional.of(pending.job().name() + " is told " + told + ", forgiven it: " + forgiven);
    }
    World then =
        told.map(b -> Changed.asOf(alone, alone.asOf().plusSeconds(b.numbers().get("seconds"))))
            .orElse(alone);
    boolean always = alone.clusters().stream().allMatch(c -> c.settings().window().always());
    return told.isPresent() && always && Planned.of(then).started(id) == 0
        ? Optional.of(pending.job().name() + " does not start at " + then.asOf() + ": " + told)
        : Optional.empty();
  }
}
