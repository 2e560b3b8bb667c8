package dev.fairlead.e2e;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.awaitility.Awaitility;
import org.awaitility.pollinterval.IterativePollInterval;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A plain HTTP client for tests, with the view of any caller. */
final class Http {
  static final String JSON = "application/json";
  static final String YAML = "application/yaml";
  private static final JsonMapper MAPPER = JsonMapper.builder().build();
  private static final int MOST_TRIES = 20;
  private static final Duration RAREST = Duration.ofMillis(600);
  private static final HttpClient CLIENT = HttpClient.newHttpClient();
  private final String base;

  // A poll costs the service and its database ten milliseconds of CPU, which other requests wait
  // for.
  static {
    Awaitility.setDefaultPollInterval(
        IterativePollInterval.iterative(Http::rarer, Duration.ofMillis(50)));
  }

  private static Duration rarer(Duration last) {
    Duration next = last.multipliedBy(2);
    return next.compareTo(RAREST) < 0 ? next : RAREST;
  }

  Http(String base) {
    this.base = base;
  }

  String base() {
    return base;
  }

  /** A response. Headers have lower-case names and their first value. */
  record Answer(int status, Map<String, String> headers, String body) {
    JsonNode json() {
      return MAPPER.readTree(body);
    }

    String header(String name) {
      return headers.getOrDefault(name.toLowerCase(Locale.ROOT), "");
    }

    String code() {
      return json().path("code").asString("");
    }
  }

  /** Repeats a request that a busy service has refused, like other callers. */
  static Answer repeated(Callable<Answer> call) {
    try {
      Answer answer = call.call();
      for (int tries = 0; turnedAway(answer) && tries < MOST_TRIES; tries++) {
        answer = call.call();
      }
      return answer;
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  private static boolean turnedAway(Answer answer) {
    return answer.status() == 429 || answer.status() == 503 && answer.code().equals("UNAVAILABLE");
  }

  /** Namespace of the project's jobs on every cluster. */
  String namespace(String project) {
    return get("/api/v1/projects/" + project).json().get("namespace").asString();
  }

  Answer get(String path, String... headers) {
    return send("GET", path, null, headers);
  }

  Answer json(String path, String body, String... headers) {
    return send("POST", path, body, with(JSON, headers));
  }

  Answer yaml(String path, String body, String... headers) {
    return send("POST", path, body, with(YAML, headers));
  }

  Answer send(String method, String path, @Nullable String body, String... headers) {
    HttpRequest.BodyPublisher publisher =
        body == null
            ? HttpRequest.BodyPublishers.noBody()
            : HttpRequest.BodyPublishers.ofString(body);
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(base + path))
            .timeout(Duration.ofSeconds(240))
            .method(method, publisher);
    if (headers.length > 0) {
      request.headers(headers);
    }
    try {
      HttpResponse<String> response =
          CLIENT.send(request.build(), HttpResponse.BodyHandlers.ofString());
      Map<String, String> first = new TreeMap<>();
      response
          .headers()
          .map()
          .forEach((name, values) -> first.put(name.toLowerCase(Locale.ROOT), values.getFirst()));
      return new Answer(response.statusCode(), first, response.body());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static String[] with(String type, String... headers) {
    String[] all = new String[headers.length + 2];
    all[0] = "Content-Type";
    all[1] = type;
    System.arraycopy(headers, 0, all, 2, headers.length);
    return all;
  }
}
