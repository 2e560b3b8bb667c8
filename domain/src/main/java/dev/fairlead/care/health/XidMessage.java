package dev.fairlead.care.health;

import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Refines the meaning of an XID by the text of the driver's message. XIDs 144 to 150 name only the
 * NVLink 5 unit, and the text contains the severity and the registers. The text of XID 154 names
 * the recovery action. Pure.
 */
final class XidMessage {
  /** The first XID of NVLink 5. */
  static final int FIRST_NVLINK5 = 144;

  /** The last XID of NVLink 5. */
  static final int LAST_NVLINK5 = 150;

  private static final int RECOVERY = 154;

  /**
   * Matches {@code RLW_SRC_TRACK Nonfatal XC1 i0 Link 17 (0x04084507 0x00000004}. Each part is
   * optional.
   */
  private static final Pattern SEVERITY =
      Pattern.compile(
          "(?:(?<unit>[A-Z][A-Z0-9_]+(?:/[A-Z0-9_]+)?)\\s+)?\\b(?<not>(?i:non-?))?(?i:fatal)\\b");

  private static final Pattern REGISTERS =
      Pattern.compile("\\(0x(?<info>[0-9a-fA-F]{1,8})\\s+0x(?<status>[0-9a-fA-F]{1,8})\\b");

  private static final Pattern ACTION =
      Pattern.compile("\\bto 0x[0-9a-fA-F]+ \\((?<action>[^()]+)\\)");

  /** Recovery actions of XID 154 that take a device or its machine out of service. */
  private static final Map<String, FaultScope> ACTIONS =
      Map.of(
          "gpu reset required", FaultScope.GPU,
          "drain and reset", FaultScope.GPU,
          "node reboot required", FaultScope.NODE);

  private XidMessage() {}

  /** Returns whether the XID names a unit of NVLink 5. */
  static boolean nvlink5(int code) {
    return code >= FIRST_NVLINK5 && code <= LAST_NVLINK5;
  }

  /**
   * Returns the row of the table refined by the message, or the same row if the message adds
   * nothing.
   */
  static Xid refine(Xid xid, String message) {
    if (nvlink5(xid.code())) {
      return unit(xid, message);
    }
    return xid.code() == RECOVERY ? recovery(xid, message) : xid;
  }

  /**
   * With fatal registers, or {@code Fatal} in the driver's message, the row of the table applies.
   * Without registers in the decoding table, {@code Nonfatal} in the message decides. With neither
   * word, the row of the table also applies.
   */
  private static Xid unit(Xid xid, String message) {
    Matcher word = SEVERITY.matcher(message);
    String unit = "";
    boolean harmless = false;
    while (word.find()) {
      if (word.group("not") == null) {
        return xid;
      }
      harmless = true;
      unit = Optional.ofNullable(word.group("unit")).orElse(unit);
    }
    Optional<NvLink5Table.Entry> entry = entry(xid.code(), unit, message);
    if (entry.map(NvLink5Table.Entry::fatal).orElse(!harmless)) {
      return xid;
    }
    String name = unit.isEmpty() ? entry.map(NvLink5Table.Entry::unit).orElse("NVLink") : unit;
    return xid.saying(
        name + ", nonfatal",
        false,
        FaultScope.NONE,
        entry.map(NvLink5Table.Entry::step).orElse(RepairStep.NONE));
  }

  private static Optional<NvLink5Table.Entry> entry(int code, String unit, String message) {
    Matcher registers = REGISTERS.matcher(message);
    return registers.find()
        ? NvLink5Table.SHIPPED.find(
            code, unit, register(registers.group("info")), register(registers.group("status")))
        : Optional.empty();
  }

  private static int register(String hex) {
    return Integer.parseUnsignedInt(hex, 16);
  }

  private static Xid recovery(Xid xid, String message) {
    Matcher to = ACTION.matcher(message);
    String action = null; // the driver's own words follow the process name
    while (to.find()) {
      action = to.group("action").strip();
    }
    if (action == null) {
      return xid;
    }
    FaultScope scope = ACTIONS.getOrDefault(action.toLowerCase(Locale.ROOT), FaultScope.NONE);
    RepairStep repair =
        switch (scope) {
          case NONE -> RepairStep.NONE;
          case GPU -> RepairStep.RESET_GPU;
          case NODE -> RepairStep.REBOOT;
        };
    return xid.saying("GPU recovery action: " + action, scope != FaultScope.NONE, scope, repair);
  }
}
