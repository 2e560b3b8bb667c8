package dev.fairlead.job.web;

import dev.fairlead.body.Body;
import dev.fairlead.idempotency.RequestKey;
import dev.fairlead.problem.ProblemCode;
import dev.fairlead.problem.Refusal;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The header {@code Idempotency-Key}: 1 to 255 printable ASCII characters. */
final class IdempotencyHeader {
  static final String NAME = "Idempotency-Key";
  private static final Pattern PRINTABLE = Pattern.compile("[!-~][ -~]{0,254}");

  private IdempotencyHeader() {}

  /** {@code operation} names everything that makes a request another one beside its body. */
  static @Nullable RequestKey of(@Nullable String key, String operation, Body body) {
    if (key == null) {
      return null;
    }
    if (!PRINTABLE.matcher(key).matches()) {
      throw new Refusal(
          ProblemCode.INVALID_PARAMETER, NAME + " must have 1 to 255 printable ASCII characters.");
    }
    return new RequestKey(key, body.hash(operation));
  }
}
