package dev.fairlead.care.health;

import dev.fairlead.fleet.node.NodeCondition;
import dev.fairlead.fleet.node.NodeNotice;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The meaning of a condition, taint or label of a node for its machine, from the table.
 *
 * @param key type of the condition, or key of the taint or label
 * @param status faulty status of the condition, or a label that the node has with the taint. Empty
 *     for a label, and for a taint without one
 * @param word in the reason of the condition, empty for any reason
 * @param event kind of the notice if the machine is about to end, null if it has a fault
 * @param step the repair of the fault
 * @param clears whether the fault ends when the condition is good again
 * @param time source of the time of a notice: empty for the time of the sign, {@link #BEGUN},
 *     {@link #ENDS}, or the name of a label with the time of the sign
 * @param notice time from the sign to the deadline
 * @param means as text
 */
@RecordBuilder
public record NodeSign(
    String key,
    String status,
    String word,
    NodeNotice.@Nullable Kind event,
    RepairStep step,
    boolean clears,
    String time,
    Duration notice,
    String means) {
  /** The value is the time of the sign. */
  static final String BEGUN = "begun";

  /** The value is the deadline. */
  static final String ENDS = "ends";

  private static final Pattern SECONDS = Pattern.compile("[0-9]{9,11}");

  /** Returns whether the machine is about to end, instead of having a fault. */
  public boolean leaving() {
    return event != null;
  }

  /**
   * Returns the notice of the sign. It has no deadline if the sign has no time.
   *
   * @param value value of the taint or label, empty for a condition
   * @param since time of the sign, null if unknown
   * @param labels labels of the node
   * @throws IllegalStateException for a fault
   */
  NodeNotice notice(String value, @Nullable Instant since, Map<String, String> labels) {
    if (event == null) {
      throw new IllegalStateException(key + " is not a notice");
    }
    NodeNotice open = new NodeNotice(event, key, means, null, notice);
    if (time.equals(ENDS)) {
      Instant end = seconds(value);
      return end == null ? open : open.by(end);
    }
    Instant stated =
        time.isEmpty() ? null : seconds(time.equals(BEGUN) ? value : labels.getOrDefault(time, ""));
    Instant begun = since == null ? stated : since;
    return begun == null ? open : open.by(begun.plus(notice));
  }

  /** Returns whether the value has a deadline, for signs with a deadline as their value. */
  boolean readable(String value) {
    return !time.equals(ENDS) || seconds(value) != null;
  }

  /** Kubernetes permits no colon in values, so times are seconds since 1970. */
  private static @Nullable Instant seconds(String value) {
    return SECONDS.matcher(value).matches() ? Instant.ofEpochSecond(Long.parseLong(value)) : null;
  }

  /** Returns the meaning of the fault. Its cause names condition, status and reason. */
  public Judgement judgement(NodeCondition condition) {
    String reason = condition.reason().isEmpty() ? "" : ", " + condition.reason();
    return new Judgement(
        Judgement.Verdict.FATAL, FaultScope.NODE, step, caused() + " (" + means + reason + ")");
  }

  /** Returns whether the cause originates from this sign. */
  boolean caused(String cause) {
    return cause.startsWith(caused() + " (");
  }

  private String caused() {
    return key + " is " + status;
  }
}
