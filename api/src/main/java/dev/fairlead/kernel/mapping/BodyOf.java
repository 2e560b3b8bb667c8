package dev.fairlead.kernel.mapping;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** The schema of a {@link dev.fairlead.kernel.body.Body} in the API document. */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.PARAMETER)
public @interface BodyOf {
  /** Record with the fields of the body. */
  Class<?> value();
}
