package dev.fairlead.web;

import dev.fairlead.body.Body;
import dev.fairlead.idempotency.RequestKey;
import dev.fairlead.problem.ProblemCode;
import dev.fairlead.problem.Refusal;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The header {@code Idempotency-Key}: 1 to 255 printable ASCII characters. */
public final class IdempotencyHeader {
  public static final String NAME = "Idempotency-Key";
  private static final Pattern PRINTABLE = Pattern.compile("[!-~][ -~]{0,254}");

  private IdempotencyHeader() {}

  /** {@code operation} names everything that makes a request another one beside its body. */
  public static @Nullable RequestKey of(@Nullable String key, String operation, Body body) {
    return key == null ? null : new RequestKey(checked(key), body.hash(operation));
  }

  /** Of a request without a body. */
  public static @Nullable RequestKey of(@Nullable String key, String operation) {
    return key == null ? null : new RequestKey(checked(key), operation);
  }

  private static String checked(String key) {
    if (!PRINTABLE.matcher(key).matches()) {
      throw new Refusal(
          ProblemCode.INVALID_PARAMETER, NAME + " must have 1 to 255 printable ASCII characters.");
    }
    return key;
  }
}
