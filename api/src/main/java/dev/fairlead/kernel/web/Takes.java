package dev.fairlead.kernel.web;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Which {@link WriteOptions} an operation takes, in the order of the API's document. Without it an
 * operation takes {@code validateOnly} alone.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.PARAMETER)
public @interface Takes {
  /** The parts that the operation reads. */
  WritePart[] value();
}
