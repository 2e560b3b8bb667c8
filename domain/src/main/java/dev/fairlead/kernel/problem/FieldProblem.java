package dev.fairlead.kernel.problem;

import org.jspecify.annotations.Nullable;

/**
 * A problem of one field.
 *
 * @param pointer JSON pointer (RFC 6901) of the field in the caller's body, for example {@code
 *     /gpu/count}
 * @param detail the problem and the allowed values
 * @param suggestion a value or name that would be accepted, when one is near
 */
public record FieldProblem(
    String pointer, ProblemCode code, String detail, @Nullable String suggestion) {}
