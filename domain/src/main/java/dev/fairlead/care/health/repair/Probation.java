package dev.fairlead.care.health.repair;

import dev.fairlead.care.health.Incident;
import dev.fairlead.care.health.RepairStep;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * Derives the next repair of a node from its last repairs. A completed repair does not prove that
 * the fault is gone, so a machine that returns with the same fault continues with the next repair
 * step. Pure.
 */
final class Probation {
  /**
   * Number of repairs within the probation from which the next repair needs an operator, regardless
   * of the fault.
   */
  private static final int MOST = 5;

  private Probation() {}

  /**
   * Returns the initial repair of the node.
   *
   * @param past recently ended repairs of the node, newest first
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
