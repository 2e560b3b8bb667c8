package dev.fairlead.work.placement.laws;

import dev.fairlead.care.reservation.AdvanceReservation;
import dev.fairlead.care.reservation.AdvanceReservationId;
import dev.fairlead.care.reservation.AdvanceReservationOwner;
import dev.fairlead.care.reservation.BookedNode;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.window.LeftoverPolicy;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.placement.RandomScene;
import dev.fairlead.work.world.PendingJob;
import dev.fairlead.work.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Worlds with up to six advance reservations, for maintenance and for two projects, which have
 * begun or begin within ten hours. Waiting jobs belong to three projects.
 */
final class Booked {
  private static final int MOST_JOBS = 20;
  private static final int MOST_ADVANCE_RESERVATIONS = 6;

  private Booked() {}

  static World world(long seed) {
    World world = RandomScene.world(seed, MOST_JOBS);
    Random random = new Random(seed + 1001);
    List<PendingJob> pending = world.pending().stream().map(p -> owned(p, random)).toList();
    List<AdvanceReservation> advanceReservations = new ArrayList<>();
    int most = random.nextInt(MOST_ADVANCE_RESERVATIONS + 1);
    for (int i = 0; i < most; i++) {
      AdvanceReservation drawn = advanceReservation(i, world, random);
      boolean apart =
          advanceReservations.stream()
              .filter(other -> other.meets(drawn.start(), drawn.end()))
              .noneMatch(other -> other.nodes().stream().anyMatch(n -> drawn.holds(n.id())));
      if (apart && !drawn.nodes().isEmpty() && !drawn.ended(world.asOf())) {
        advanceReservations.add(drawn);
      }
    }
    advanceReservations.sort(
        Comparator.comparing(AdvanceReservation::start).thenComparing(AdvanceReservation::id));
    return world.toBuilder().pending(pending).advanceReservations(advanceReservations).build();
  }

  private static ProjectId project(int number) {
    return new ProjectId(new UUID(9, 50 + number));
  }

  private static PendingJob owned(PendingJob p, Random random) {
    Job j = p.job();
    Job owned =
        new Job(
            j.id(),
            j.tenant(),
            project(random.nextInt(3)),
            j.queue(),
            j.name(),
            j.user(),
            j.spec(),
            j.priority(),
            j.createdAt(),
            j.run(),
            j.array(),
            List.of(),
            j.version());
    return new PendingJob(owned, p.offers(), p.unmet(), p.deadDependency());
  }

  private static AdvanceReservation advanceReservation(int number, World world, Random random) {
    Instant start = world.asOf().plus(Duration.ofMinutes(random.nextInt(660) - 60));
    List<BookedNode> nodes = new ArrayList<>();
    for (Node node : world.nodes()) {
      if (random.nextInt(3) == 0) {
        nodes.add(new BookedNode(node.id(), node.cluster(), node.name()));
      }
    }
    return new AdvanceReservation(
        new AdvanceReservationId(new UUID(5, number)),
        "b" + number,
        owner(world, random),
        start,
        start.plus(Duration.ofMinutes(30 + random.nextInt(400))),
        random.nextBoolean() ? LeftoverPolicy.FINISH : LeftoverPolicy.EVICT,
        "",
        nodes,
        "root",
        world.asOf());
  }

  private static @Nullable AdvanceReservationOwner owner(World world, Random random) {
    int number = random.nextInt(3);
    return number == 2
        ? null
        : new AdvanceReservationOwner(
            world.quotaNodes().getFirst().tenant(), project(number), "p" + number);
  }
}
