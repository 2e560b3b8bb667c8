package dev.fairlead.kernel.mapping;

import dev.fairlead.kernel.body.BodyConverter;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.core.annotation.AliasFor;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestMethod;

/** A PATCH with a merge patch in JSON or YAML. */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
@RequestMapping(
    method = RequestMethod.PATCH,
    consumes = {BodyConverter.MERGE_PATCH, MediaType.APPLICATION_JSON_VALUE, BodyConverter.YAML})
public @interface PatchBody {
  /** Path below the path of the controller. */
  @AliasFor(annotation = RequestMapping.class, attribute = "path")
  String[] value() default {};
}
