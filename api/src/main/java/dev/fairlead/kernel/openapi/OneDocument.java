package dev.fairlead.kernel.openapi;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.swagger.v3.oas.annotations.Hidden;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.springdoc.core.customizers.SpringDocCustomizers;
import org.springdoc.core.properties.SpringDocConfigProperties;
import org.springdoc.core.providers.SpringDocProviders;
import org.springdoc.core.service.AbstractRequestService;
import org.springdoc.core.service.GenericResponseService;
import org.springdoc.core.service.OpenAPIService;
import org.springdoc.core.service.OperationService;
import org.springdoc.webmvc.api.OpenApiWebMvcResource;
import org.springframework.beans.factory.ObjectFactory;

/**
 * The document, made once in each form and the same bytes for all, who need no token. By itself
 * springdoc writes it anew for each reader, and it stays in memory until the slowest has it all;
 * and it builds one for each language, of which callers may make up as many as they like.
 */
@Hidden // is for everybody
class OneDocument extends OpenApiWebMvcResource {
  private static final Locale LANGUAGE = Locale.ENGLISH;

  private byte @Nullable [] json;
  private byte @Nullable [] yaml;

  OneDocument(
      ObjectFactory<OpenAPIService> builders,
      AbstractRequestService requests,
      GenericResponseService responses,
      OperationService operations,
      SpringDocConfigProperties settings,
      SpringDocProviders providers,
      SpringDocCustomizers customizers) {
    super(builders, requests, responses, operations, settings, providers, customizers);
  }

  @Override
  public synchronized byte[] openapiJson(HttpServletRequest request, String path, Locale language)
      throws JsonProcessingException {
    if (json == null) {
      json = super.openapiJson(request, path, LANGUAGE);
    }
    return json;
  }

  @Override
  public synchronized byte[] openapiYaml(HttpServletRequest request, String path, Locale language)
      throws JsonProcessingException {
    if (yaml == null) {
      yaml = super.openapiYaml(request, path, LANGUAGE);
    }
    return yaml;
  }
}
