package dev.fairlead.care.health.dcgm;

import dev.fairlead.care.health.XidTable;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Rule that turns the values of a series into health events.
 *
 * @param names names of the series, the current name first
 * @param code row of the fault table, null if the value is the XID
 * @param first whether the first value of a GPU indicates a current fault rather than earlier ones
 * @param from least value that counts
 * @param mask bits of the value that count, 0 for the whole value
 * @param every least time between two events of a GPU
 */
public record SeriesRule(
    List<String> names,
    @Nullable Integer code,
    boolean first,
    long from,
    long mask,
    Duration every) {
  /** DCGM_INT32_BLANK. This value and the blank values above it mean that there is no value. */
  private static final long FIRST_BLANK = 0x7ffffff0L;

  private static final long LAST_BLANK = 0x7fffffffL;

  /** Larger values are blank too. Below it a double is exact. */
  private static final double MOST = 1L << 53;

  public SeriesRule {
    names = List.copyOf(names);
  }

  /** Returns the name under which values are stored. */
  public String name() {
    return names.getFirst();
  }

  /**
   * Returns the part of a sample that counts, 0 if nothing does. The result is empty for a sample
   * that is not a value of this series: NaN, negative, blank, or an XID out of range.
   */
  public OptionalLong counted(double sample) {
    if (!(sample >= 0 && sample < MOST)) {
      return OptionalLong.empty();
    }
    long value = (long) sample;
    boolean blank = value >= FIRST_BLANK && value <= LAST_BLANK;
    if (blank || code == null && value >= XidTable.DCGM) {
      return OptionalLong.empty();
    }
    if (mask != 0) {
      return OptionalLong.of((value & mask) == 0 ? 0 : 1);
    }
    if (from > 1) {
      return OptionalLong.of(value >= from ? 1 : 0);
    }
    return OptionalLong.of(value);
  }

  /** Returns the code of the event for this value. */
  public int codeOf(long value) {
    return code == null ? Math.toIntExact(value) : code;
  }

  /** Returns the message of the event. The driver's own message of an XID is not known. */
  String message(long before, long value) {
    if (code == null) {
      return "";
    }
    if (mask != 0) {
      return name() + " has the bits " + mask;
    }
    return from > 1
        ? name() + " is " + from + " or more"
        : name() + " was " + before + ", is " + value;
  }
}
