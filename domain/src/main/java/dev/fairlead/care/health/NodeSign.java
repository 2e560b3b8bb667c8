package dev.fairlead.care.health;

import dev.fairlead.fleet.node.NodeCondition;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a condition or taint of a node says of its machine, as the table has it.
 *
 * @param key type of the condition or key of the taint
 * @param status of the condition that is bad; empty for a taint
 * @param leaving whether the machine is about to go; otherwise it has a fault
 * @param step what repairs the fault
 * @param clears whether the fault is over when the condition is good again
 * @param notice how long after the sign the machine goes, null when that is not known
 * @param means in words
 */
public record NodeSign(
    String key,
    String status,
    boolean leaving,
    RepairStep step,
    boolean clears,
    @Nullable Duration notice,
    String means) {
  /** What the fault means; its cause names condition, status and reason. */
  public Judgement judgement(NodeCondition condition) {
    String reason = condition.reason().isEmpty() ? "" : ", " + condition.reason();
    return new Judgement(
        Judgement.Verdict.FATAL, FaultScope.NODE, step, caused() + " (" + means + reason + ")");
  }

  /** Whether the cause is that of its judgement. */
  boolean caused(String cause) {
    return cause.startsWith(caused() + " (");
  }

  private String caused() {
    return key + " is " + status;
  }
}
