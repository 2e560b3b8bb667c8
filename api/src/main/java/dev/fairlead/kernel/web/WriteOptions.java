package dev.fairlead.kernel.web;

import dev.fairlead.kernel.body.Body;
import dev.fairlead.kernel.body.SafeText;
import dev.fairlead.kernel.idempotency.RequestKey;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.people.tenant.Cause;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.MethodParameter;

/**
 * A caller's conditions for a change: the version, the idempotency key, or validation only. Each
 * controller that changes something takes it as an argument, and declares with {@link Takes} the
 * parts that it reads. Headers are validated when they are read, so that an operation decides the
 * order of its refusals.
 *
 * @param taken parts that the operation takes
 * @param ifMatch header {@code If-Match} as sent
 * @param idempotencyKey header {@code Idempotency-Key} as sent
 * @param validateOnly whether to validate the request and return the same response without storing
 *     anything
 */
public record WriteOptions(
    List<WritePart> taken,
    @Nullable String ifMatch,
    @Nullable String idempotencyKey,
    boolean validateOnly) {
  private static final Pattern PRINTABLE = Pattern.compile("[!-~][ -~]{0,254}");

  /**
   * Returns the parts that the operation with this parameter takes, always with a reason. Empty for
   * a parameter of another type.
   */
  public static List<WritePart> taken(MethodParameter parameter) {
    if (parameter.getParameterType() != WriteOptions.class) {
      return List.of();
    }
    Takes takes = parameter.getParameterAnnotation(Takes.class);
    List<WritePart> said =
        takes == null ? List.of(WritePart.VALIDATE_ONLY) : List.of(takes.value());
    return Stream.concat(said.stream(), Stream.of(WritePart.REASON)).toList();
  }

  /**
   * Returns the caller's reason for the change, which is stored in the audit. Valid for any
   * request.
   *
   * @throws Refusal INVALID_PARAMETER unless it has 1 to 500 characters, all of them visible
   */
  public static Cause cause(HttpServletRequest request) {
    String reason = request.getParameter(WritePart.REASON.wire());
    if (reason == null) {
      return Cause.NONE;
    }
    boolean oneLine = reason.chars().noneMatch(c -> c < ' ') && SafeText.firstUnsafe(reason) < 0;
    if (reason.isBlank() || reason.length() > Cause.LONGEST || !oneLine) {
      throw Parameters.refused(
          WritePart.REASON.wire(),
          "must have 1 to %d characters on one line".formatted(Cause.LONGEST));
    }
    return new Cause(reason, null);
  }

  /**
   * Returns the key under which the request takes effect once, null if none.
   *
   * @param operation everything in addition to the body that distinguishes the request from others
   * @throws Refusal INVALID_PARAMETER unless it has 1 to 255 printable ASCII characters
   */
  public @Nullable RequestKey key(String operation, Body body) {
    String key = checkedKey();
    return key == null ? null : new RequestKey(key, body.hash(operation));
  }

  /** Like {@link #key(String, Body)}, for a request without a body. */
  public @Nullable RequestKey key(String operation) {
    String key = checkedKey();
    return key == null ? null : new RequestKey(key, operation);
  }

  private @Nullable String checkedKey() {
    require(WritePart.KEY);
    if (idempotencyKey != null && !PRINTABLE.matcher(idempotencyKey).matches()) {
      throw new Refusal(
          ProblemCode.INVALID_PARAMETER,
          WritePart.KEY.wire() + " must have 1 to 255 printable ASCII characters.");
    }
    return idempotencyKey;
  }

  /**
   * Returns the version that the caller has seen, where the operation requires one.
   *
   * @param current reads the current version, only for {@code *} and lists
   * @throws Refusal PRECONDITION_REQUIRED without If-Match, INVALID_PARAMETER for text that is not
   *     a list of tags, VERSION_MISMATCH if no tag can match the object
   */
  public long expected(LongSupplier current) {
    Long given = ifGiven(current);
    if (given == null) {
      throw new Refusal(
          ProblemCode.PRECONDITION_REQUIRED,
          "Read the object first and send its ETag in the header If-Match.");
    }
    return given;
  }

  /** Like {@link #expected}, but optional. Null without If-Match. */
  public @Nullable Long ifGiven(LongSupplier current) {
    require(WritePart.IF_MATCH);
    return ifMatch == null ? null : Long.valueOf(Etags.expected(ifMatch, current));
  }

  private void require(WritePart part) {
    if (!taken.contains(part)) {
      throw new IllegalStateException("add WritePart." + part + " to @Takes of this operation");
    }
  }
}
