package dev.fairlead.care.health.web;

import dev.fairlead.care.health.XidTable;
import dev.fairlead.kernel.body.Fields;
import dev.fairlead.kernel.body.Value;
import dev.fairlead.kernel.problem.ProblemCode;
import java.util.Optional;

/**
 * Reads codes of faults in requests: {@code xid}, a number of the driver, or {@code code}, a name.
 */
final class CodeReader {
  private static final int LONGEST = 64;

  private CodeReader() {}

  /**
   * A code from a monitor.
   *
   * @param name name of a DCGM code that the table does not have, empty for others
   */
  record Reported(int number, String name) {
    /** Prefixes the name if the number does not imply it, cut to {@code most} characters. */
    String message(String text, int most) {
      if (name.isEmpty()) {
        return text;
      }
      String whole = text.isEmpty() ? name : name + ": " + text;
      return whole.substring(0, Math.min(whole.length(), most));
    }
  }

  /** Reads one of the two. Codes that are not in the table are accepted. */
  static Optional<Reported> reported(Fields fields) {
    return either(fields)
        .flatMap(value -> {
          if (value.isXid()) {
            return value.value().integer(1, XidTable.DCGM - 1).map(n -> new Reported(n, ""));
          }
          return PlainText.of(value.value(), LONGEST).flatMap(name -> dcgm(value.value(), name));
        });
  }

  private static Optional<Reported> dcgm(Value value, String name) {
    return name.startsWith(XidTable.DCGM_PREFIX)
        ? Optional.of(
            XidTable.number(name)
                .map(number -> new Reported(number, ""))
                .orElseGet(() -> new Reported(XidTable.OTHER_DCGM, name)))
        : value.bad("is not a DCGM code: it must begin with DCGM_. Use xid for an XID", null);
  }

  /** Reads one of the two, which must be in the table. An unknown XID is refused later. */
  static Optional<Integer> known(Fields fields) {
    return either(fields)
        .flatMap(value -> {
          if (value.isXid()) {
            return value.value().integer(1, XidTable.DCGM - 1);
          }
          Optional<String> name = PlainText.of(value.value(), LONGEST);
          Optional<Integer> number = name.flatMap(XidTable::number);
          if (name.isPresent() && number.isEmpty()) {
            fields.refuse(
                "code",
                ProblemCode.NOT_FOUND,
                "The table has no code %s. Use a code of the table, such as DCGM_FR_ROW_REMAP_FAILURE."
                    .formatted(name.get()),
                null);
          }
          return number;
        });
  }

  private record Given(Value value, boolean isXid) {}

  private static Optional<Given> either(Fields fields) {
    Optional<Value> code = fields.get("code");
    if (code.isEmpty()) {
      return fields
          .required("xid", "the driver's code. Alternatively, set code to the name of a DCGM code.")
          .map(value -> new Given(value, true));
    }
    if (fields.get("xid").isPresent()) {
      return code.get().bad("cannot be combined with xid. Give one of the two", null);
    }
    return Optional.of(new Given(code.get(), false));
  }
}
