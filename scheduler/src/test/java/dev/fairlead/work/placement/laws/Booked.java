package dev.fairlead.work.placement.laws;

import dev.fairlead.care.booking.BookedNode;
import dev.fairlead.care.booking.Booking;
import dev.fairlead.care.booking.BookingId;
import dev.fairlead.care.booking.BookingOwner;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.Overrun;
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
 * Worlds with up to six bookings, for maintenance and for two projects, that have begun or will
 * within ten hours; each waiting job is of one of three projects.
 */
final class Booked {
  private static final int MOST_JOBS = 20;
  private static final int MOST_BOOKINGS = 6;

  private Booked() {}

  static World world(long seed) {
    World world = RandomScene.world(seed, MOST_JOBS);
    Random random = new Random(seed + 1001);
    List<PendingJob> pending = world.pending().stream().map(p -> owned(p, random)).toList();
    List<Booking> bookings = new ArrayList<>();
    int most = random.nextInt(MOST_BOOKINGS + 1);
    for (int i = 0; i < most; i++) {
      Booking drawn = booking(i, world, random);
      boolean apart =
          bookings.stream()
              .filter(other -> other.meets(drawn.start(), drawn.end()))
              .noneMatch(drawn::shares);
      if (apart && !drawn.nodes().isEmpty() && !drawn.ended(world.asOf())) {
        bookings.add(drawn);
      }
    }
    bookings.sort(Comparator.comparing(Booking::start).thenComparing(Booking::id));
    return world.toBuilder().pending(pending).bookings(bookings).build();
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
            j.version());
    return new PendingJob(owned, p.offers(), p.unmet(), p.deadDependency());
  }

  private static Booking booking(int number, World world, Random random) {
    Instant start = world.asOf().plus(Duration.ofMinutes(random.nextInt(660) - 60));
    List<BookedNode> nodes = new ArrayList<>();
    for (Node node : world.nodes()) {
      if (random.nextInt(3) == 0) {
        nodes.add(new BookedNode(node.id(), node.cluster(), node.name()));
      }
    }
    return new Booking(
        new BookingId(new UUID(5, number)),
        "b" + number,
        owner(world, random),
        start,
        start.plus(Duration.ofMinutes(30 + random.nextInt(400))),
        random.nextBoolean() ? Overrun.FINISH : Overrun.EVICT,
        "",
        nodes,
        "root",
        world.asOf());
  }

  private static @Nullable BookingOwner owner(World world, Random random) {
    int number = random.nextInt(3);
    return number == 2
        ? null
        : new BookingOwner(world.quotaNodes().getFirst().tenant(), project(number), "p" + number);
  }
}
