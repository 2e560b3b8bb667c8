package dev.fairlead.kernel.body;

import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpInputMessage;
import org.springframework.http.HttpOutputMessage;
import org.springframework.http.MediaType;
import org.springframework.http.converter.HttpMessageConverter;

/**
 * Reads the body of a request, JSON or YAML by content type: as a {@link Body}, or as a request
 * record by {@link BodyBinder}. No other class reads request bodies.
 */
public final class BodyConverter implements HttpMessageConverter<Object> {
  public static final String YAML = "application/yaml";
  public static final String MERGE_PATCH = "application/merge-patch+json";
  private static final MediaType YAML_TYPE = MediaType.parseMediaType(YAML);
  private static final MediaType MERGE_PATCH_TYPE = MediaType.parseMediaType(MERGE_PATCH);
  private static final List<MediaType> TYPES =
      List.of(MediaType.APPLICATION_JSON, YAML_TYPE, MERGE_PATCH_TYPE);

  /**
   * Accepts all types: a body in another type or charset is refused here, and no other converter
   * may try.
   */
  @Override
  public boolean canRead(Class<?> type, @Nullable MediaType mediaType) {
    return type == Body.class || request(type);
  }

  private static boolean request(Class<?> type) {
    return type.isRecord() && type.getName().startsWith("dev.fairlead.");
  }

  @Override
  public boolean canWrite(Class<?> type, @Nullable MediaType mediaType) {
    return false;
  }

  @Override
  public List<MediaType> getSupportedMediaTypes() {
    return TYPES;
  }

  @Override
  public Object read(Class<?> type, HttpInputMessage message) throws IOException {
    Body body = body(message);
    return request(type) ? BodyBinder.bind(body, type.asSubclass(Record.class)) : body;
  }

  private static Body body(HttpInputMessage message) throws IOException {
    MediaType mediaType = message.getHeaders().getContentType();
    String encoding = message.getHeaders().getFirst(HttpHeaders.CONTENT_ENCODING);
    if (mediaType == null
        || !readable(mediaType)
        || encoding != null && !encoding.equalsIgnoreCase("identity")) {
      throw new Refusal(
          ProblemCode.UNSUPPORTED_MEDIA_TYPE,
          "Send application/json or application/yaml, in UTF-8, without a Content-Encoding.");
    }
    return YAML_TYPE.equalsTypeAndSubtype(mediaType)
        ? BodyReader.yaml(message.getBody())
        : BodyReader.json(message.getBody());
  }

  private static boolean readable(MediaType mediaType) {
    return TYPES.stream().anyMatch(t -> t.equalsTypeAndSubtype(mediaType))
        && (mediaType.getCharset() == null
            || StandardCharsets.UTF_8.equals(mediaType.getCharset()));
  }

  @Override
  public void write(Object body, @Nullable MediaType contentType, HttpOutputMessage output) {
    throw new UnsupportedOperationException("bodies are read only");
  }
}
