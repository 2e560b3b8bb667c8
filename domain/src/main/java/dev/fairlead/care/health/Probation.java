package dev.fairlead.care.health;

import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * What the last repairs of a node say of its next one: a completed repair is not a fault that is
 * gone, so a machine that comes back with the same fault goes on up the ladder. Pure.
 */
final class Probation {
  /** So many repairs within the probation are for people, whatever the faults. */
  private static final int MOST = 5;

  private Probation() {}

  /**
   * The repair of the node as it begins.
   *
   * @param past repairs of the node that ended lately, the newest first
   */
  static Repair opened(RepairId id, Incident fault, List<Repair> past, Instant now) {
    Repair first = Repair.opened(id, fault, now);
    List<Repair> counted =
        past.stream().filter(each -> within(each, now) && each.done() != null).toList();
    Optional<RepairStep> helped =
        counted.stream()
            .filter(each -> same(each, fault))
            .map(Repair::done)
            .filter(Objects::nonNull)
            .reduce(RepairStep::or);
    Repair next =
        helped
            .filter(step -> step.next().compareTo(fault.step()) > 0)
            .map(step ->
                first.beginning(step.next(), "again within 7 days after %s".formatted(step)))
            .orElse(first);
    boolean many = counted.size() + 1 >= MOST && next.step().compareTo(RepairStep.SERVICE) < 0;
    return many
        ? next.beginning(
            RepairStep.SERVICE, "repair %d within 7 days".formatted(counted.size() + 1))
        : next;
  }

  private static boolean within(Repair past, Instant now) {
    Instant ended = past.endedAt();
    return ended != null && ended.plus(RepairPlan.PROBATION).isAfter(now);
  }

  private static boolean same(Repair past, Incident fault) {
    return past.cause().equals(fault.cause()) || past.cause().startsWith(fault.cause() + ", ");
  }
}
