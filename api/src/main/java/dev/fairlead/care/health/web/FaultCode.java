package dev.fairlead.care.health.web;

import dev.fairlead.care.health.XidTable;
import dev.fairlead.kernel.body.Fields;
import dev.fairlead.kernel.problem.ProblemCode;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A request with the code of a fault: {@code xid}, a number of the driver, or {@code code}, a name.
 */
interface FaultCode {
  int LONGEST = 64;
  int LARGEST_XID = XidTable.DCGM - 1;

  @Nullable Integer xid();

  @Nullable String code();

  /** Requires either xid or code. */
  default void checkOne(Fields given) {
    if (!given.has("code")) {
      given.required(
          "xid", "the driver's code. Alternatively, set code to the name of a DCGM code.");
    } else if (given.has("xid")) {
      given.refuse(
          "code",
          ProblemCode.INVALID_FIELD,
          "code cannot be combined with xid. Remove xid or code.",
          null);
    }
  }

  /** Requires a DCGM name, which the table may lack. */
  default void checkReported(Fields given) {
    checkOne(given);
    String name = code();
    if (name != null && !name.startsWith(XidTable.DCGM_PREFIX)) {
      given.refuse(
          "code",
          ProblemCode.INVALID_FIELD,
          "code is not a DCGM code: it must begin with DCGM_. Use xid for an XID.",
          null);
    }
  }

  /** Requires a name of the table. An unknown XID is refused later. */
  default void checkKnown(Fields given) {
    checkOne(given);
    String name = code();
    if (name != null
        && name.length() <= LONGEST
        && xid() == null
        && XidTable.number(name).isEmpty()) {
      given.refuse(
          "code",
          ProblemCode.NOT_FOUND,
          "The table has no code %s. Use a code of the table, such as DCGM_FR_ROW_REMAP_FAILURE."
              .formatted(name),
          null);
    }
  }

  /** The number of the code, {@link XidTable#OTHER_DCGM} for a name that the table lacks. */
  default int number() {
    Integer xid = xid();
    String name = code();
    return name == null
        ? Objects.requireNonNull(xid)
        : XidTable.number(name).orElse(XidTable.OTHER_DCGM);
  }
}
