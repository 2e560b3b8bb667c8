package dev.fairlead.kernel.body;

import jakarta.validation.Constraint;
import jakarta.validation.OverridesAttribute;
import jakarta.validation.Payload;
import jakarta.validation.ReportAsSingleViolation;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Size;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A DNS label (RFC 1123) in a request. Applies to the items of {@code List<@DnsLabel String>} too.
 */
@Target({ElementType.FIELD, ElementType.METHOD, ElementType.TYPE_USE})
@Retention(RetentionPolicy.RUNTIME)
@Constraint(validatedBy = {})
@ReportAsSingleViolation
@Pattern(regexp = DnsLabel.PATTERN)
@Size(max = Names.LONGEST_LABEL)
public @interface DnsLabel {
  /** The pattern in the API document. */
  String PATTERN = "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$";

  /** Maximum number of characters. */
  @OverridesAttribute(constraint = Size.class, name = "max")
  int max() default Names.LONGEST_LABEL;

  String message() default "must be a DNS label";

  Class<?>[] groups() default {};

  Class<? extends Payload>[] payload() default {};
}
