package dev.fairlead.kernel.openapi;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.swagger.v3.oas.annotations.Hidden;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Locale;
import java.util.zip.GZIPOutputStream;
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
import org.springframework.http.HttpHeaders;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/**
 * The API document, built once as JSON and once as YAML, and compressed once. Readers need no
 * token. springdoc itself builds the document for each language of a request, and retains a copy in
 * memory for each slow reader.
 */
@Hidden // anyone may read it
class OneDocument extends OpenApiWebMvcResource {
  private static final Locale LANGUAGE = Locale.ENGLISH;

  private @Nullable Form json;
  private @Nullable Form yaml;

  private static final class Form {
    private final byte[] plain;
    private final byte[] compressed;

    private Form(byte[] plain, byte[] compressed) {
      this.plain = plain;
      this.compressed = compressed;
    }

    static Form of(byte[] plain) {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      try (GZIPOutputStream out = new GZIPOutputStream(bytes)) {
        out.write(plain);
      } catch (IOException e) {
        throw new UncheckedIOException("cannot compress the document", e);
      }
      return new Form(plain, bytes.toByteArray());
    }

    byte[] answer(HttpServletRequest request) {
      HttpServletResponse response =
          RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes both
              ? both.getResponse()
              : null;
      String accepted = request.getHeader(HttpHeaders.ACCEPT_ENCODING);
      if (response == null || accepted == null || !accepted.contains("gzip")) {
        return plain;
      }
      response.setHeader(HttpHeaders.CONTENT_ENCODING, "gzip");
      response.addHeader(HttpHeaders.VARY, HttpHeaders.ACCEPT_ENCODING);
      return compressed;
    }
  }

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
      json = Form.of(super.openapiJson(request, path, LANGUAGE));
    }
    return json.answer(request);
  }

  @Override
  public synchronized byte[] openapiYaml(HttpServletRequest request, String path, Locale language)
      throws JsonProcessingException {
    if (yaml == null) {
      yaml = Form.of(super.openapiYaml(request, path, LANGUAGE));
    }
    return yaml.answer(request);
  }
}
