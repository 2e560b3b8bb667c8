package dev.fairlead.kernel.openapi;

import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.springdoc.core.properties.SwaggerUiConfigProperties;
import org.springdoc.core.properties.SwaggerUiOAuthProperties;
import org.springdoc.core.providers.ObjectMapperProvider;
import org.springdoc.webmvc.ui.SwaggerIndexPageTransformer;
import org.springdoc.webmvc.ui.SwaggerWelcomeCommon;
import org.springframework.core.io.Resource;
import org.springframework.web.servlet.resource.ResourceTransformerChain;
import org.springframework.web.servlet.resource.TransformedResource;

/**
 * Sorts the operations of each tag in Swagger UI: collections before their items, and reads before
 * writes. The property of springdoc takes no function.
 */
final class OperationOrder extends SwaggerIndexPageTransformer {
  private static final String PRESETS = "presets: [";
  private static final String SORTER =
      """
      operationsSorter: (a, b) => {
        const key = (operation) => {
          const path = operation.get('path').replace('/projects/{project}', '');
          const method = ['get', 'post', 'put', 'patch', 'delete'].indexOf(operation.get('method'));
          return `${String(path.split('/').length).padStart(3, '0')} ${path} ${method}`;
        };
        return key(a) < key(b) ? -1 : 1;
      },
      """;

  OperationOrder(
      SwaggerUiConfigProperties settings,
      SwaggerUiOAuthProperties signIn,
      SwaggerWelcomeCommon welcome,
      ObjectMapperProvider mappers) {
    super(settings, signIn, welcome, mappers);
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
