package dev.fairlead.kernel.web;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The {@link WriteOptions} of an operation, in the order of the API document. Without this
 * annotation an operation takes {@code validateOnly} only.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.PARAMETER)
public @interface Takes {
  /** Parts that the operation reads. */
  WritePart[] value();
}
