package dev.fairlead.kernel.openapi;

import static org.assertj.core.api.Assertions.assertThat;

import io.swagger.v3.oas.models.OpenAPI;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.springdoc.core.customizers.SpringDocCustomizers;
import org.springdoc.core.properties.SpringDocConfigProperties;
import org.springdoc.core.providers.ObjectMapperProvider;
import org.springdoc.core.providers.SpringDocProviders;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpOutputMessage;
import org.springframework.http.MediaType;
import org.springframework.http.converter.ByteArrayHttpMessageConverter;
import org.springframework.mock.web.MockHttpServletRequest;

class OneDocumentTest {
  private static final MockHttpServletRequest REQUEST = new MockHttpServletRequest();

  private final Counted document = new Counted();

  /**
   * Fails when the document is built for each language, because callers may name any number of
   * languages.
   */
  @Test
  void documentIsBuiltOnceForAllRequestedLanguages() throws IOException {
    for (int i = 0; i < 20; i++) {
      Locale language = Locale.forLanguageTag("en-x-a" + i);
      document.openapiJson(REQUEST, "/v3/api-docs", language);
      document.openapiYaml(REQUEST, "/v3/api-docs", language);
    }

    assertThat(document.built).containsExactly(Locale.ENGLISH, Locale.ENGLISH);
  }

  /** Fails when each reader has a copy: slow readers would fill the memory of the process. */
  @Test
  void everyReaderReceivesTheSameArray() throws IOException {
    Set<byte[]> json = Collections.newSetFromMap(new IdentityHashMap<>());
    Set<byte[]> yaml = Collections.newSetFromMap(new IdentityHashMap<>());
    for (int i = 0; i < 20; i++) {
      Locale language = Locale.forLanguageTag("en-x-a" + i);
      write(document.openapiJson(REQUEST, "/v3/api-docs", language), json);
      write(document.openapiYaml(REQUEST, "/v3/api-docs", language), yaml);
    }

    assertThat(json).hasSize(1);
    assertThat(yaml).hasSize(1);
  }

  /**
   * Like the service's output of a controller result. The arrays are those that the socket
   * receives.
   */
  private static void write(byte[] bytes, Set<byte[]> written) throws IOException {
    OutputStream socket =
        new OutputStream() {
          @Override
          public void write(int one) {
            throw new AssertionError("in slices only");
          }

          @Override
          public void write(byte[] array, int from, int length) {
            written.add(array);
          }
        };
    HttpOutputMessage answer =
        new HttpOutputMessage() {
          private final HttpHeaders headers = new HttpHeaders();

          @Override
          public OutputStream getBody() {
            return socket;
          }

          @Override
          public HttpHeaders getHeaders() {
            return headers;
          }
        };
    new ByteArrayHttpMessageConverter().write(bytes, MediaType.APPLICATION_JSON, answer);
    assertThat(answer.getHeaders().getContentLength()).isEqualTo(bytes.length);
  }

  /** An empty document, and the languages for which it was built. */
  private static final class Counted extends OneDocument {
    private static final SpringDocConfigProperties SETTINGS = new SpringDocConfigProperties();

    final List<Locale> built = new ArrayList<>();

    Counted() {
      super(
          () -> null,
          null,
          null,
          null,
          SETTINGS,
          new SpringDocProviders(
              Optional.empty(),
              Optional.empty(),
              Optional.empty(),
              Optional.empty(),
              Optional.empty(),
              Optional.empty(),
              new ObjectMapperProvider(SETTINGS)),
          new SpringDocCustomizers(
              Optional.empty(),
              Optional.empty(),
              Optional.empty(),
              Optional.empty(),
              Optional.empty(),
              Optional.empty()));
    }

    @Override
    protected String calculateServerUrl(HttpServletRequest request, String path, Locale language) {
      return "/";
    }

    @Override
    protected OpenAPI getOpenApi(String server, Locale language) {
      built.add(language);
      return new OpenAPI();
    }
  }
}
