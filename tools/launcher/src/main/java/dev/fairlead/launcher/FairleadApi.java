package dev.fairlead.launcher;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Client of the public REST API. Paths are those below {@code /api/v1}. Thread-safe.
 *
 * <p>Calls throw {@link ApiRefusal} for an unsuccessful response and {@link UncheckedIOException}
 * when the service cannot be reached.
 */
public final class FairleadApi implements AutoCloseable {
  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  private final HttpClient client =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(Duration.ofSeconds(5))
          .build();
  private final URI address;
  private final @Nullable String token;
  private final @Nullable String tenant;

  /**
   * @param address scheme, host and port
   * @param token sent as bearer token. Null = none
   */
  public FairleadApi(URI address, @Nullable String token) {
    this(address, token, null);
  }

  private FairleadApi(URI address, @Nullable String token, @Nullable String tenant) {
    this.address = address;
    this.token = token == null || token.isBlank() ? null : token;
    this.tenant = tenant;
  }

  /** Returns another client with calls in that tenant ({@code Fairlead-Tenant}). */
  public FairleadApi in(String name) {
    return new FairleadApi(address, token, name);
  }

  public URI address() {
    return address;
  }

  public JsonNode get(String path) {
    return send(request(path).GET());
  }

  /** A GET in a tenant ({@code Fairlead-Tenant}). */
  public JsonNode getIn(String tenant, String path) {
    return send(request(path).header("Fairlead-Tenant", tenant).GET());
  }

  /** A POST without body. */
  public JsonNode post(String path) {
    return send(request(path).POST(HttpRequest.BodyPublishers.noBody()));
  }

  /** A POST without a body and with the current ETag, refused if the resource has changed. */
  public JsonNode postIfMatch(String path, String resource) {
    String tag = exchange(request(resource).GET()).headers().firstValue("ETag").orElse("*");
    return send(request(path).header("If-Match", tag).POST(HttpRequest.BodyPublishers.noBody()));
  }

  public JsonNode post(String path, JsonNode body) {
    return post(path, "application/json", JSON.writeValueAsString(body));
  }

  /** A merge patch of the current resource. */
  public JsonNode patch(String path, JsonNode body) {
    String tag = exchange(request(path).GET()).headers().firstValue("ETag").orElse("*");
    return send(
        request(path)
            .header("Content-Type", "application/merge-patch+json")
            .header("If-Match", tag)
            .method("PATCH", HttpRequest.BodyPublishers.ofString(JSON.writeValueAsString(body))));
  }

  public JsonNode postYaml(String path, String body) {
    return post(path, "application/yaml", body);
  }

  public JsonNode putYaml(String path, String body) {
    return send(
        request(path)
            .header("Content-Type", "application/yaml")
            .PUT(HttpRequest.BodyPublishers.ofString(body)));
  }

  public void delete(String path) {
    JsonNode _ = send(request(path).DELETE());
  }

  private JsonNode post(String path, String type, String body) {
    return send(
        request(path).header("Content-Type", type).POST(HttpRequest.BodyPublishers.ofString(body)));
  }

  /**
   * Returns whether a list has no item. A page without items may have a next one.
   *
   * @param path as for {@link #each}
   */
  public boolean isEmpty(String path) {
    String next = path;
    while (next != null) {
      JsonNode page = get(next);
      if (!page.path("items").isEmpty()) {
        return false;
      }
      next = next(path, page);
    }
    return true;
  }

  /**
   * Passes on every item of a list, page by page.
   *
   * @param path with its filter and page size, without {@code pageToken}
   */
  public void each(String path, Consumer<JsonNode> consumer) {
    String next = path;
    while (next != null) {
      JsonNode page = get(next);
      page.path("items").forEach(consumer);
      next = next(path, page);
    }
  }

  private static @Nullable String next(String path, JsonNode page) {
    String pageToken = page.path("nextPageToken").asString("");
    String join = path.contains("?") ? "&" : "?";
    return pageToken.isEmpty()
        ? null
        : path + join + "pageToken=" + URLEncoder.encode(pageToken, StandardCharsets.UTF_8);
  }

  /** Streams the lines of a text. Close it to stop. */
  public Stream<String> lines(String path) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(address.resolve("/api/v1" + path)).header("Accept", "text/plain");
    if (token != null) {
      request.header("Authorization", "Bearer " + token);
    }
    try {
      HttpResponse<Stream<String>> answer =
          client.send(request.build(), HttpResponse.BodyHandlers.ofLines());
      if (answer.statusCode() / 100 != 2) {
        try (Stream<String> body = answer.body()) {
          throw refusal(answer.statusCode(), body.collect(Collectors.joining("\n")));
        }
      }
      return answer.body();
    } catch (IOException e) {
      throw new UncheckedIOException(address + " cannot be reached: " + e, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new UncheckedIOException(new InterruptedIOException("interrupted"));
    }
  }

  private HttpRequest.Builder request(String path) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(address.resolve("/api/v1" + path))
            .timeout(TIMEOUT)
            .header("Accept", "application/json");
    if (tenant != null) {
      request.header("Fairlead-Tenant", tenant);
    }
    return token == null ? request : request.header("Authorization", "Bearer " + token);
  }

  private JsonNode send(HttpRequest.Builder request) {
    String body = exchange(request).body();
    return body.isEmpty() ? JSON.createObjectNode() : JSON.readTree(body);
  }

  private HttpResponse<String> exchange(HttpRequest.Builder request) {
    try {
      HttpResponse<String> answer =
          client.send(request.build(), HttpResponse.BodyHandlers.ofString());
      if (answer.statusCode() / 100 != 2) {
        throw refusal(answer.statusCode(), answer.body());
      }
      return answer;
    } catch (IOException e) {
      throw new UncheckedIOException(address + " cannot be reached: " + e, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new UncheckedIOException(new InterruptedIOException("interrupted"));
    }
  }

  private static ApiRefusal refusal(int status, String body) {
    try {
      JsonNode problem = JSON.readTree(body);
      StringBuilder detail = new StringBuilder(problem.path("detail").asString(""));
      for (JsonNode error : problem.path("errors")) {
        detail.append(" [").append(error.path("pointer").asString("")).append(' ');
        detail.append(error.path("detail").asString("")).append(']');
      }
      return new ApiRefusal(status, problem.path("code").asString(""), detail.toString());
    } catch (JacksonException e) {
      return new ApiRefusal(status, "", body);
    }
  }

  @Override
  public void close() {
    client.shutdownNow();
  }
}
