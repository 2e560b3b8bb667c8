package dev.fairlead.kernel.mapping;

import dev.fairlead.kernel.web.ApiPaths;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.core.annotation.AliasFor;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** A controller of the served version of the API, which responds in JSON. */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
@RestController
@RequestMapping(version = ApiPaths.V1, produces = MediaType.APPLICATION_JSON_VALUE)
public @interface ApiController {
  /** Prefix of the paths of its operations, below {@link ApiPaths#ROOT}. */
  @AliasFor(annotation = RequestMapping.class, attribute = "path")
  String value();
}
