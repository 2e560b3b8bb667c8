package dev.fairlead.kernel.problem;

import org.jspecify.annotations.Nullable;

/**
 * What is wrong with one field.
 *
 * @param pointer JSON pointer (RFC 6901) of the field in the caller's body, for example {@code
 *     /gpu/count}
 * @param detail what is wrong and what is allowed
 * @param suggestion a value or name that would be accepted, when one is near
 */
public record FieldProblem(
    String pointer, ProblemCode code, String detail, @Nullable String suggestion) {}
