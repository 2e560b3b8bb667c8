package dev.fairlead.care.health;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A row of the table for one error code of the NVIDIA driver or of DCGM.
 *
 * @param code from 1, for DCGM the number in the table, from {@link XidTable#DCGM}
 * @param name as text, empty if the vendor gives none
 * @param bucket recommendation of the vendor's tooling
 * @param fatal whether the device is out of order after it
 * @param scope the isolated scope
 * @param onRepeat whether only the second burst within 24 h does
 * @param step the repair
 * @param counted false for a code that only follows another error
 * @param advice for the operator
 */
@RecordBuilder
public record Xid(
    int code,
    String name,
    String bucket,
    boolean fatal,
    FaultScope scope,
    boolean onRepeat,
    RepairStep step,
    boolean counted,
    String advice)
    implements XidBuilder.With {
  /** Returns the row with the name and severity of one message. */
  Xid saying(String words, boolean isFatal, FaultScope takes, RepairStep repair) {
    return with().name(words).fatal(isFatal).scope(takes).onRepeat(false).step(repair).build();
  }

  /** Returns the row with another isolated scope. */
  public Xid isolating(FaultScope other, boolean repeat) {
    return with().scope(other).onRepeat(repeat).build();
  }

  /** Returns the row refined by the driver's message. An empty message changes nothing. */
  public Xid saying(String message) {
    return XidMessage.refine(this, message);
  }

  /**
   * Returns the codes that must occur on the same device before this one takes anything out of
   * service: the code itself if only a repetition does, the codes of NVLink 5 for a recovery action
   * that requests a reset, and none for every other code.
   */
  public List<Integer> awaits() {
    if (!counted && scope != FaultScope.NONE) {
      return IntStream.rangeClosed(XidMessage.FIRST_NVLINK5, XidMessage.LAST_NVLINK5)
          .boxed()
          .toList();
    }
    return onRepeat ? List.of(code) : List.of();
  }

  /**
   * Describes the code: {@code XID 79 (GPU has fallen off the bus)}. A DCGM code has its name
   * instead of XID and number.
   */
  public String text() {
    String called = XidTable.called(code);
    return name.isEmpty() ? called : called + " (" + name + ")";
  }
}
