package dev.fairlead.work.serving.gate;

import static java.lang.annotation.ElementType.FIELD;
import static java.lang.annotation.ElementType.PARAMETER;

import jakarta.validation.Constraint;
import jakarta.validation.ConstraintValidator;
import jakarta.validation.ConstraintValidatorContext;
import jakarta.validation.Payload;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.jspecify.annotations.Nullable;
import org.springframework.util.unit.DataSize;

/** Range of a size that an operator sets. */
@Target({FIELD, PARAMETER})
@Retention(RetentionPolicy.RUNTIME)
@Constraint(validatedBy = SizeRange.Judge.class)
public @interface SizeRange {
  /** Smallest size, as {@link DataSize#parse}. */
  String min();

  /** Largest size. */
  String max();

  String message();

  Class<?>[] groups() default {};

  Class<? extends Payload>[] payload() default {};

  /** Compares a size with the range. */
  final class Judge implements ConstraintValidator<SizeRange, DataSize> {
    private DataSize min = DataSize.ofBytes(0);
    private DataSize max = DataSize.ofBytes(0);

    @Override
    public void initialize(SizeRange range) {
      min = DataSize.parse(range.min());
      max = DataSize.parse(range.max());
    }

    @Override
    public boolean isValid(@Nullable DataSize size, ConstraintValidatorContext context) {
      return size == null || size.compareTo(min) >= 0 && size.compareTo(max) <= 0;
    }
  }
}
