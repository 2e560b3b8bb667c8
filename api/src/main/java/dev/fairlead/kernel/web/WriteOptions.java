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
 * How a caller wants a change: on which version, under which key, or only tried. Each controller
 * that changes something takes it as an argument, and says with {@link Takes} what it reads of it.
 * Headers are judged when they are asked for, so that an operation decides what it refuses first.
 *
 * @param taken what the operation takes
 * @param ifMatch the header {@code If-Match} as it was sent
 * @param idempotencyKey the header {@code Idempotency-Key} as it was sent
 * @param validateOnly everything is done but stored, and the answer is the same
 */
public record WriteOptions(
    List<WritePart> taken,
    @Nullable String ifMatch,
    @Nullable String idempotencyKey,
    boolean validateOnly) {
  private static final Pattern PRINTABLE = Pattern.compile("[!-~][ -~]{0,254}");

  /**
   * What the operation with this parameter takes, a reason always; nothing for a parameter of
   * another type.
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
   * Why the caller wants the change, which its row of the audit keeps; of any request.
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
   * The key under which the request has its effect once; null without one.
   *
   * @param operation everything that makes a request another one beside its body
   * @throws Refusal INVALID_PARAMETER unless it has 1 to 255 printable ASCII characters
   */
  public @Nullable RequestKey key(String operation, Body body) {
    String key = checkedKey();
    return key == null ? null : new RequestKey(key, body.hash(operation));
  }

  /** As {@link #key(String, Body)}, of a request without a body. */
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
   * The version that the caller has seen, where it has to name one.
   *
   * @param current reads the version that is there now; asked only for {@code *} and lists
   * @throws Refusal PRECONDITION_REQUIRED without If-Match, INVALID_PARAMETER for what is no list
   *     of tags, VERSION_MISMATCH when none of them can be the object's
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

  /** As {@link #expected}; null without If-Match, where it may be left out. */
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
