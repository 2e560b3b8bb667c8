package dev.fairlead.kernel.web;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks an operation that covers all projects of the caller if the request names none. Its query is
 * limited to {@link dev.fairlead.people.tenant.Actor#projects}.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface AcrossProjects {}
