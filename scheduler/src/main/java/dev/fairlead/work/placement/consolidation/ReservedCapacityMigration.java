package dev.fairlead.work.placement.consolidation;

import dev.fairlead.fleet.quota.QueueSettings;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.fleet.quota.QuotaTree;
import dev.fairlead.fleet.quota.RoutingPolicy;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.Saturating;
import dev.fairlead.money.price.Money;
import dev.fairlead.work.attempt.EvictionRight;
import dev.fairlead.work.attempt.Failure;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Saving;
import dev.fairlead.work.placement.admission.Charges;
import dev.fairlead.work.placement.elastic.PendingDemand;
import dev.fairlead.work.placement.gang.GangPlacer;
import dev.fairlead.work.placement.ledger.ClusterCapacity;
import dev.fairlead.work.placement.ledger.Ledger;
import dev.fairlead.work.placement.ledger.WorkBudget;
import dev.fairlead.work.placement.node.NodeAllocation;
import dev.fairlead.work.placement.preemption.Eviction;
import dev.fairlead.work.placement.reservation.Reservations;
import dev.fairlead.work.placement.reservation.RunningAttempt;
import dev.fairlead.work.placement.routing.FlavorAssignment;
import dev.fairlead.work.placement.routing.FlavorAssignments;
import dev.fairlead.work.placement.routing.TierRule;
import dev.fairlead.work.placement.routing.Windows;
import dev.fairlead.work.placement.shape.GangShape;
import dev.fairlead.work.placement.shape.JobShape;
import dev.fairlead.work.placement.shape.QueueTiers;
import dev.fairlead.work.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Moves preemptible jobs from capacity that is paid by the hour to reserved capacity that no
 * waiting job could use, if the routing policy of their queue requests it. Reserved capacity is
 * already paid, so each hour on it saves the full price of the current nodes. The move costs that
 * price for the time that it discards. A job with a {@code maxRuntime} moves if its remaining time
 * is longer than that. Another job moves once it has run for that long (rent or buy, like {@link
 * Consolidation}).
 */
public final class ReservedCapacityMigration {
  /** Maximum number of searches in one cycle. */
  private static final int MOST_TRIED = 64;

  private static final long MILLI = 1000;
  private static final Duration HOUR = Duration.ofHours(1);

  private final World world;
  private final Reservations reservations;
  private final Ledger ledger;
  private final WorkBudget work;
  private final long share;
  private final PendingDemand demand;
  private final GangPlacer placer;
  private final Windows windows;
  private final QueueTiers tiers;
  private final SortedMap<QuotaNodeId, Integer> moved;

  /**
   * @param share node evaluations that all searches may spend together
   */
  public ReservedCapacityMigration(
      World world,
      Reservations reservations,
      Ledger ledger,
      WorkBudget work,
      long share,
      PendingDemand demand) {
    this.world = world;
    this.reservations = reservations;
    this.ledger = ledger;
    this.work = work;
    this.share = share;
    this.demand = demand;
    placer = new GangPlacer(ledger, work);
    windows = new Windows(reservations.fleet(), tree(), world.asOf());
    tiers = new QueueTiers(world.quotaNodes(), world.asOf());
    moved = new TreeMap<>(world.movedBack());
  }

  /** A job that would move if it found nodes. */
  private record Candidate(
      RunningAttempt running, ClusterCapacity home, Money perHour, Money cost) {
    /** Orders the highest saving per hour first. */
    static final Comparator<Candidate> ORDER =
        Comparator.comparingLong((Candidate c) -> -c.perHour.micros())
            .thenComparing(c -> c.running.attempt().id());
  }

  /**
   * Plans the moves.
   *
   * @param moves reserves the nodes of each move before the next move is planned
   */
  public void plan(BiConsumer<Eviction.Move, Saving> moves) {
    boolean anyReserved =
        reservations.fleet().clusters().stream().anyMatch(ReservedCapacityMigration::reserved);
    if (!anyReserved || world.quotaNodes().stream().allMatch(node -> rule(node) == null)) {
      return;
    }
    reservations.attempts().all().stream()
        .filter(ReservedCapacityMigration::leaves)
        .forEach(running -> moved.merge(running.job().queue(), 1, Integer::sum));
    List<Candidate> candidates =
        reservations.attempts().all().stream()
            .map(this::candidate)
            .flatMap(Stream::ofNullable)
            .sorted(Candidate.ORDER)
            .limit(MOST_TRIED)
            .toList();
    WorkBudget.Part part = work.part(share);
    for (Candidate each : candidates) {
      Eviction.Move move = work.spent() || !mayMove(each.running.job()) ? null : move(each);
      if (move != null) {
        moved.merge(each.running.job().queue(), 1, Integer::sum);
        moves.accept(move, saving(each, move));
      }
    }
    part.end();
  }

  /**
   * Returns whether an earlier cycle moved the attempt back and it has not ended yet. The world
   * counts the ended ones.
   */
  private static boolean leaves(RunningAttempt running) {
    Failure failure = running.attempt().failure();
    return failure != null && failure.right() == EvictionRight.MOVED_BACK;
  }

  private static boolean reserved(ClusterCapacity cluster) {
    return cluster.cluster().capacity() == CapacityType.RESERVED;
  }

  private static RoutingPolicy.@Nullable MoveBack rule(QuotaNode node) {
    QueueSettings queue = node.queue();
    return queue == null || queue.state() == QueueSettings.State.HELD
        ? null
        : queue.routing().moveBack();
  }

  private RoutingPolicy.@Nullable MoveBack rule(Job job) {
    return tree().node(job.queue()).map(ReservedCapacityMigration::rule).orElse(null);
  }

  private QuotaTree tree() {
    return reservations.admission().tree();
  }

  /** Returns whether the queue has a move left in this hour. */
  private boolean mayMove(Job job) {
    RoutingPolicy.MoveBack rule = rule(job);
    return rule != null && moved.getOrDefault(job.queue(), 0) < rule.perHour();
  }

  private @Nullable Candidate candidate(RunningAttempt running) {
    RoutingPolicy.MoveBack rule = rule(running.job());
    if (rule == null
        || !mayMove(running.job())
        || !Consolidation.mayMove(running, rule.rest())
        || !pays(running)) {
      return null;
    }
    ClusterCapacity home = reservations.fleet().home(running.attempt().members());
    Money perHour = home == null || reserved(home) ? null : perHour(running, home);
    return home == null || perHour == null || perHour.micros() == 0
        ? null
        : new Candidate(running, home, perHour, during(perHour, thrownAway(running)));
  }

  private boolean pays(RunningAttempt running) {
    Duration longest = running.job().spec().maxRuntime();
    Duration cost = thrownAway(running);
    return longest == null
        ? running.ran().compareTo(cost) >= 0
        : longest.minus(running.ran()).compareTo(cost) > 0;
  }

  /**
   * Returns the work time that a move discards. A job that saves a checkpoint on request loses at
   * most its checkpoint timeout.
   */
  private Duration thrownAway(RunningAttempt running) {
    Duration unsaved = running.unsaved();
    Duration saves = running.job().spec().preemption().checkpointTimeout();
    return (saves != null && saves.compareTo(unsaved) < 0 ? saves : unsaved)
        .plus(ConsolidationPolicy.DEFAULT.restart());
  }

  /**
   * Returns the hourly cost of the members on their current nodes, null without a price or with
   * several currencies.
   */
  private @Nullable Money perHour(RunningAttempt running, ClusterCapacity home) {
    String currency = "";
    long micros = 0;
    for (Member member : running.attempt().members()) {
      if (member.gpuMilli() > 0) {
        Money each = TierRule.price(home, member.flavor().model(), reservations.fleet());
        if (each == null || !currency.isEmpty() && !currency.equals(each.currency())) {
          return null;
        }
        currency = each.currency();
        micros =
            Saturating.plus(micros, Saturating.times(each.micros(), member.gpuMilli()) / MILLI);
      }
    }
    return new Money(micros, currency);
  }

  private static Money during(Money perHour, Duration time) {
    long micros = Saturating.times(perHour.micros(), time.toSeconds()) / HOUR.toSeconds();
    return new Money(micros, perHour.currency());
  }

  /**
   * Returns null if the first assignment on which the job would start is not reserved or not
   * better.
   */
  private Eviction.@Nullable Move move(Candidate each) {
    Job job = each.running.job();
    GangShape gang =
        JobShape.of(
                job,
                world.asOf(),
                windows.closedTo(job),
                windows.bookedFor(job, starts(job)),
                tiers.of(job),
                reservations.fleet().neighbours().of(job))
            .avoiding(reservations.fleet().backOffs().of(job.id()))
            .gang();
    int[] counts = Movable.counts(each.running.attempt(), gang);
    for (FlavorAssignment assignment : FlavorAssignments.of(gang, reservations.fleet())) {
      if (assignment.cluster().equals(each.home)) {
        return null;
      }
      List<NodeAllocation> place = place(job, gang, assignment, counts);
      if (!place.isEmpty()) {
        return reserved(assignment.cluster())
            ? new Eviction.Move(each.running, assignment, place)
            : null;
      }
    }
    return null;
  }

  /**
   * Returns the nodes on which the job fits now, excluding reserved nodes and nodes that waiting
   * jobs could use. The result is empty if there are none.
   */
  private List<NodeAllocation> place(
      Job job, GangShape gang, FlavorAssignment assignment, int[] counts) {
    Charges charges = Charges.expected(gang, assignment, counts);
    if (demand.wants(assignment)
        || demand.wants(job.queue(), charges)
        || !reservations.admission().admits(job.queue(), charges)
        || !Windows.inTime(job, assignment.cluster(), tree(), starts(job))) {
      return List.of();
    }
    int mark = ledger.mark();
    List<NodeAllocation> place =
        placer.place(assignment, gang, counts) ? ledger.since(mark) : List.of();
    ledger.undo(mark);
    return place;
  }

  /** Returns the latest time when a moved job restarts. */
  private Instant starts(Job job) {
    return world.asOf().plus(job.spec().preemption().stopsWithin()).plus(RunningAttempt.PATIENCE);
  }

  private static Saving saving(Candidate each, Eviction.Move move) {
    List<Member> members = each.running.attempt().members();
    int first = 0;
    while (members.get(first).gpuMilli() == 0) {
      first++;
    }
    Member paid = members.get(first);
    NodeAllocation there =
        move.members().stream()
            .filter(m -> m.shape().name().equals(paid.role()))
            .findFirst()
            .orElseThrow();
    return new Saving(
        paid.flavor(),
        each.home.name(),
        move.assignment().flavor(there.shape().role()),
        move.assignment().cluster().name(),
        each.perHour,
        each.cost);
  }
}
