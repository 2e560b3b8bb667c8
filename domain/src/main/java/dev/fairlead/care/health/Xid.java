package dev.fairlead.care.health;

import java.util.List;
import java.util.stream.IntStream;

/**
 * One error code of the NVIDIA driver or of DCGM, as the table has it.
 *
 * @param code from 1; of DCGM the number that the table stores it by, from {@link XidTable#DCGM}
 * @param name in words, empty where the vendor gives none
 * @param bucket what the vendor's tooling advises
 * @param fatal whether the device is out of order after it
 * @param scope what it takes out of use
 * @param onRepeat whether only the second burst within 24 h does
 * @param step what repairs it
 * @param counted no for a code that only follows another error
 * @param advice for the operator
 */
public record Xid(
    int code,
    String name,
    String bucket,
    boolean fatal,
    FaultScope scope,
    boolean onRepeat,
    RepairStep step,
    boolean counted,
    String advice) {
  /** The same row with a name and a severity that one message gives. */
  Xid saying(String words, boolean isFatal, FaultScope takes, RepairStep repair) {
    return new Xid(code, words, bucket, isFatal, takes, false, repair, counted, advice);
  }

  /** The same row with something else that it takes out of use. */
  public Xid isolating(FaultScope other, boolean repeat) {
    return new Xid(code, name, bucket, fatal, other, repeat, step, counted, advice);
  }

  /** The row as the driver's message refines it; an empty message changes nothing. */
  Xid saying(String message) {
    return XidMessage.refine(this, message);
  }

  /**
   * Codes that have to be seen on the same device before this one takes anything out of use: the
   * code itself when only a repeat does, the codes of NVLink 5 for a recovery action that asks for
   * a reset, and none for every other code.
   */
  public List<Integer> awaits() {
    if (!counted && scope != FaultScope.NONE) {
      return IntStream.rangeClosed(XidMessage.FIRST_NVLINK5, XidMessage.LAST_NVLINK5)
          .boxed()
          .toList();
    }
    return onRepeat ? List.of(code) : List.of();
  }

  /** {@code XID 79 (GPU has fallen off the bus)}; of DCGM its name in place of XID and number. */
  public String text() {
    String called = XidTable.called(code);
    return name.isEmpty() ? called : called + " (" + name + ")";
  }
}
