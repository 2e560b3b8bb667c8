package dev.fairlead.care.health;

import dev.fairlead.kernel.resources.ResourceTable;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * NVIDIA's decoding of XID 144 to 150: the severity for combinations of registers of an NVLink 5
 * unit. Drivers before R575 and drivers from R575 write the first register differently, and an
 * event does not name the driver, so both readings are tried.
 */
final class NvLink5Table {
  /** The table of this version of Fairlead. */
  static final NvLink5Table SHIPPED =
      new NvLink5Table(
          ResourceTable.rows(ResourceTable.lines("/nvlink5.csv"), 7).stream()
              .map(NvLink5Table::row)
              .toList());

  private final List<Entry> entries;

  private NvLink5Table(List<Entry> entries) {
    this.entries = List.copyOf(entries);
  }

  /**
   * One combination of registers.
   *
   * @param unit that reports, with a slash between the names in different drivers
   * @param status value of the second register
   * @param step the repair, NONE if nothing must be done
   */
  record Entry(
      int xid,
      String unit,
      Bits beforeR575,
      Bits fromR575,
      int status,
      boolean fatal,
      RepairStep step) {
    private boolean matches(int code, String reported, int info, int second) {
      return xid == code
          && status == second
          && (reported.isEmpty() || shares(reported))
          && (fromR575.match(info) || beforeR575.match(info));
    }

    private boolean shares(String reported) {
      List<String> names = List.of(unit.split("/"));
      return Arrays.stream(reported.split("/")).anyMatch(names::contains);
    }
  }

  /** A pattern for a register of 32 bits. */
  record Bits(int mask, int value) {
    private static Bits parse(String pattern) {
      if (pattern.length() != Integer.SIZE) {
        throw new IllegalArgumentException(pattern + " has not 32 bits");
      }
      return new Bits(
          Integer.parseUnsignedInt(pattern.replace('0', '1').replace('-', '0'), 2),
          Integer.parseUnsignedInt(pattern.replace('-', '0'), 2));
    }

    boolean match(int register) {
      return (register & mask) == value;
    }
  }

  private static Entry row(List<String> cells) {
    return new Entry(
        Integer.parseInt(cells.get(0)),
        cells.get(1),
        Bits.parse(cells.get(2)),
        Bits.parse(cells.get(3)),
        Integer.parseUnsignedInt(cells.get(4).substring(2), 16),
        cells.get(5).equals("fatal"),
        RepairStep.valueOf(cells.get(6)));
  }

  /**
   * Returns the entry for these registers.
   *
   * @param unit that reported, empty if unknown
   * @param info the first register, IntrInfo
   * @param status the second register
   */
  Optional<Entry> find(int code, String unit, int info, int status) {
    return entries.stream().filter(entry -> entry.matches(code, unit, info, status)).findFirst();
  }
}
