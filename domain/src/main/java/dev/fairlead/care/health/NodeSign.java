package dev.fairlead.care.health;

import dev.fairlead.fleet.node.NodeCondition;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The meaning of a condition or taint of a node for its machine, from the table.
 *
 * @param key type of the condition or key of the taint
 * @param status faulty status of the condition, empty for a taint
 * @param leaving true if the machine is about to be removed, false if it has a fault
 * @param step the repair of the fault
 * @param clears whether the fault ends when the condition is good again
 * @param notice time from the sign to the removal of the machine, null if unknown
 * @param means as text
 */
public record NodeSign(
    String key,
    String status,
    boolean leaving,
    RepairStep step,
    boolean clears,
    @Nullable Duration notice,
    String means) {
  /** Returns the meaning of the fault. Its cause names condition, status and reason. */
  public Judgement judgement(NodeCondition condition) {
    String reason = condition.reason().isEmpty() ? "" : ", " + condition.reason();
    return new Judgement(
        Judgement.Verdict.FATAL, FaultScope.NODE, step, caused() + " (" + means + reason + ")");
  }

  /** Returns whether the cause comes from its judgement. */
  boolean caused(String cause) {
    return cause.startsWith(caused() + " (");
  }

  private String caused() {
    return key + " is " + status;
  }
}
