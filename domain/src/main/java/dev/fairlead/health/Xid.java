package dev.fairlead.health;

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
  /** The same row with something else that it takes out of use. */
  public Xid isolating(FaultScope other, boolean repeat) {
    return new Xid(code, name, bucket, fatal, other, repeat, step, counted, advice);
  }

  /** {@code XID 79 (GPU has fallen off the bus)}; of DCGM its name in place of XID and number. */
  public String text() {
    String called = XidTable.called(code);
    return name.isEmpty() ? called : called + " (" + name + ")";
  }
}
