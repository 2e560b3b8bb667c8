package dev.fairlead.kernel.openapi;

import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import org.springdoc.core.properties.SwaggerUiConfigProperties;
import org.springdoc.core.properties.SwaggerUiOAuthProperties;
import org.springdoc.core.providers.ObjectMapperProvider;
import org.springdoc.webmvc.ui.SwaggerIndexPageTransformer;
import org.springdoc.webmvc.ui.SwaggerWelcomeCommon;
import org.springframework.core.io.ClassPathResource;
import org.springframework.core.io.Resource;
import org.springframework.web.servlet.resource.ResourceTransformerChain;
import org.springframework.web.servlet.resource.TransformedResource;

/**
 * Sorts the operations of each tag in Swagger UI: collections before their items, and reads before
 * writes. The property of springdoc does not accept a function.
 */
final class OperationOrder extends SwaggerIndexPageTransformer {
  private static final String PRESETS = "presets: [";
  private static final String SORTER = script();

  OperationOrder(
      SwaggerUiConfigProperties settings,
      SwaggerUiOAuthProperties signIn,
      SwaggerWelcomeCommon welcome,
      ObjectMapperProvider mappers) {
    super(settings, signIn, welcome, mappers);
  }

  private static String script() {
    try {
      return new ClassPathResource("openapi/operations-sorter.js")
          .getContentAsString(StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read the sorter of Swagger UI", e);
    }
  }

  @Override
  public Resource transform(
      HttpServletRequest request, Resource resource, ResourceTransformerChain chain)
      throws IOException {
    Resource page = super.transform(request, resource, chain);
    if (!"swagger-initializer.js".equals(page.getFilename())) {
      return page;
    }
    String text = page.getContentAsString(StandardCharsets.UTF_8);
    return new TransformedResource(
        page, text.replace(PRESETS, SORTER + PRESETS).getBytes(StandardCharsets.UTF_8));
  }
}
